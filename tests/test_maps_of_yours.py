"""Maps of a reader's own: tensors, modules with attention, weights that lack something of 1."""

import math

import pytest
import torch
import torch.nn.functional as F
from draws import generator
from live_kinds import data_of, image_maps
from live_kinds import sent_maps as sent
from torch import nn
from torch.nn.attention.bias import causal_lower_right

from d2lattn import LatentAttention, MultiHeadAttention, SelfAttention
from d2lattn_book.pictures import maps

ROWS, KEYS = ["das", "Haus", "ist", "alt"], ["the", "house", "is", "old", "."]


def normal(*shape, seed=0):
    return torch.randn(*shape, generator=generator(seed))


def drawn(*shape, seed=0):
    return (3 * normal(*shape, seed=seed)).softmax(-1)


def assert_maps(figure, weights):
    """The figure has these maps, (layers, H, L, S)."""
    assert sent(figure).shape == weights.shape
    assert ((sent(figure) / 255 - weights).abs() < 1 / 255).all()


# Tensors -----------------------------------------------------------------------------------------


def test_tensors_of_one_text():
    weights = drawn(3, 2, 4, 4)
    one, *others = [
        maps(given, tokens=ROWS)
        for given in (weights, weights.numpy(), [*weights], tuple(x[None] for x in weights))
    ]
    assert_maps(one, weights)
    assert all(other.html == one.html for other in others)
    data = data_of(one)
    assert data["tokens"] == ROWS and "key_tokens" not in data and data["layers"] == [0, 1, 2]
    assert [kind["name"] for kind in data["standing"]][-2:] == ["next token", "last token"]
    assert_maps(maps(weights[0], tokens=ROWS), weights[:1])
    assert data_of(maps(weights))["tokens"] == ["0", "1", "2", "3"]
    some = maps([weights[0], None, weights[2]], tokens=ROWS)
    assert_maps(some, weights[[0, 2]])
    assert data_of(some)["without"] == [1]


def test_tensors_of_two_texts():
    weights = drawn(3, 2, 4, 5).bfloat16()
    figure = maps(weights, tokens=ROWS, key_tokens=KEYS, query="ist")
    assert_maps(figure, weights.double() / weights.double().sum(-1, keepdim=True))
    data = data_of(figure)
    assert (data["tokens"], data["key_tokens"], data["asks"]) == (ROWS, KEYS, 2)
    kinds = {kind["name"]: kind["heads"] for kind in data["standing"]}
    assert [*kinds] == ["same position", "same token", "induction", "first token", "last token"]
    assert kinds["same token"] == kinds["induction"] == []  # two languages
    assert "das → " in figure.html or "<th>old</th>" in figure.html
    assert repr(figure).startswith("live maps: 3 layers of 2 heads over 4 × 5 tokens")
    copied = maps(drawn(1, 2, 4, 4), tokens=ROWS, key_tokens=ROWS[::-1])
    assert {kind["name"]: len(kind["heads"]) for kind in data_of(copied)["standing"]}["same token"]
    bare = data_of(maps(weights))
    assert bare["key_tokens"] == ["0", "1", "2", "3", "4"]
    assert bare["standing"][1]["heads"] == []  # numbers of two texts are not the same words
    assert_maps(maps(drawn(1, 1, 1, 5), key_tokens=KEYS), drawn(1, 1, 1, 5))


@pytest.mark.parametrize(
    "given, options, message",
    [
        (drawn(3, 2, 4, 4)[None], {}, r"model must be .* Tensor of float32, \(1, 3, 2, 4, 4\)$"),
        (drawn(2, 4, 4).long(), {}, r"model must be .*, got Tensor of int64"),
        ([drawn(2, 4, 4), drawn(2, 3, 3)], {}, "part must choose .* 0: 4 × 4, layer 1: 3 × 3"),
        (drawn(2, 4, 4) - 0.1, {}, "model must give attention weights, at least 0 and .* got -0.1"),
        (2 * drawn(2, 4, 4), {}, r"model must give .* rows that add up to 2\.00 to 2\.00"),
        (drawn(2, 4, 4), dict(tokens=KEYS), "tokens must fit the 4 rows of maps, got"),
        (drawn(2, 4, 4), dict(key_tokens=KEYS), "key_tokens must fit the 4 columns of maps"),
        (drawn(2, 265, 4), {}, "tokens must have 1 to 264 tokens, got 265"),
    ],
)  # fmt: skip
def test_tensors_that_are_no_maps_are_refused(given, options, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        maps(given, **options)


# What weights lack -------------------------------------------------------------------------------


def test_what_weights_lack_of_1_is_a_column():
    """As of a sink that is no word; a head that looks at nothing stands out."""
    whole = drawn(2, 3, 4, 5)
    figure = maps(whole[..., :4], tokens=ROWS)  # the fifth column is the sink
    assert_maps(figure, whole)
    data = data_of(figure)
    assert data["tokens"] == ROWS and data["key_tokens"] == [*ROWS, "nothing"]
    kind = data["standing"][-1]
    rest = whole[..., 4].mean(-1).flatten()
    assert kind["name"] == "nothing" and data["standing"][0]["name"] == "previous token"
    layer, head, score = kind["heads"][0]
    assert 3 * layer + head == rest.argmax() and score == round(rest.max().item(), 2)
    low, high = whole[..., :4].sum(-1).min(), whole[..., :4].sum(-1).max()
    said = f"eights add up to {low:.2f} to {high:.2f}, and nothing is what they lack of 1"
    assert repr(figure).endswith(f"; w{said}") and figure.html.endswith(f"<p>W{said}.</p>")
    two = data_of(maps(whole[..., :4], tokens=ROWS, key_tokens=KEYS[:4]))
    assert two["key_tokens"] == [*KEYS[:4], "nothing"]


def test_a_hidden_row_lacks_nothing():
    weights = drawn(1, 2, 4, 4)
    weights[:, :, 1] = 0
    assert "key_tokens" not in data_of(maps(weights, tokens=ROWS))


# Modules -----------------------------------------------------------------------------------------


def by_hand(attention, x, mask=None):
    """The weights of a layer of torch, (H, L, S), from its weights."""
    matrices, biases = attention.in_proj_weight.chunk(3), attention.in_proj_bias.chunk(3)
    q, k = (x @ matrices[n].T + biases[n] for n in (0, 1))
    q, k = (y[0].unflatten(-1, (attention.num_heads, -1)).transpose(0, 1) for y in (q, k))
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    return (scores if mask is None else scores + mask).softmax(-1).detach()


def encoder(layers=2):
    one = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, norm_first=True)
    return nn.TransformerEncoder(one, layers, enable_nested_tensor=False)


class HomeMade(nn.Module):
    """A model of pieces, whose attention is torch's and whose own use of the weights must go on."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(9, 8)
        self.first = nn.MultiheadAttention(8, 2, batch_first=True)
        self.second = nn.MultiheadAttention(8, 2, batch_first=True)
        self.third = MultiHeadAttention(8, 2)
        self.seen = []

    def forward(self, ids):
        x = self.words(ids)
        y, mean = self.first(x, x, x)
        self.seen += [mean, *self.second(y, y, y, None, False), self.third(x + y)]
        return self.seen[-1] + self.second(x, x, x, need_weights=False)[0]


def test_torchs_encoder_gives_its_maps_and_is_left_as_it_was():
    model, x = encoder().train(), normal(1, 4, 8)
    figure = maps(model, x, tokens=ROWS)
    assert data_of(maps(model, x, ROWS))["tokens"] == ["0", "1", "2", "3"]  # these are no pieces
    layer = model.layers[0]
    assert_maps(
        maps(model, x, tokens=ROWS, layers=[0]), by_hand(layer.self_attn, layer.norm1(x))[None]
    )
    assert data_of(figure)["layers"] == [0, 1]
    assert model.training
    for part in model.modules():
        assert not part._forward_hooks and not part._forward_pre_hooks


def test_a_module_of_ones_own_goes_on_as_before():
    model, ids = HomeMade().eval(), torch.tensor([[3, 1, 4, 1]])
    with torch.no_grad():
        before = model(ids)
        plain, model.seen = model.seen, []
    figure = maps(model, ids, list("abcdefghi"))
    data = data_of(figure)
    assert data["tokens"] == ["d", "b", "e", "b"] and data["shape"] == [4, 2, 4, 4]
    named = [
        f"layer {n} is {name}" for n, name in enumerate(("first", "second", "third", "second"))
    ]
    assert figure.html.endswith(f"<p>{'; '.join(named)}</p>")
    mean, out, weights, third = model.seen
    assert weights is None and plain[2] is None  # it had not asked
    for one, other in zip((mean, out, third), (plain[0], plain[1], plain[3]), strict=True):
        torch.testing.assert_close(one, other)
    torch.testing.assert_close(model(ids), before)
    assert_maps(maps(model, ids, layers=[0]), by_hand(model.first, model.words(ids))[None])
    assert data_of(maps(model, "d b e b", list("abcdefghi"))) == data


def test_an_encoder_decoder_of_torch_and_its_cross_attention():
    model = nn.Transformer(8, 2, 1, 2, 16, batch_first=True).eval()
    given = normal(1, 5, 8), normal(1, 4, 8, seed=1)
    with pytest.raises(ValueError, match=r"^part must choose .* one size, .* got encoder.lay"):
        maps(model, given)
    figure = maps(model, given, part="cross", tokens=ROWS, key_tokens=KEYS)
    data = data_of(figure)
    assert data["shape"] == [2, 2, 4, 5] and data["key_tokens"] == KEYS
    assert data_of(maps(model, given, part="decoder.layers.1.self"))["shape"] == [1, 2, 4, 4]
    with pytest.raises(
        ValueError, match=r"^part must be in one of encoder.layers.0.self_attn, .*'x"
    ):
        maps(model, given, part="x")


@pytest.mark.parametrize("make", [SelfAttention, LatentAttention])
def test_our_other_attention(make):
    layer = make(8) if make is SelfAttention else make(8, 2, latent_dim=4)
    x = normal(1, 4, 8)
    weights = layer(x, need_weights=True)[1].detach().view(1, -1, 4, 4)
    assert_maps(maps(nn.Sequential(layer), x, tokens=ROWS), weights)


@pytest.mark.parametrize(
    "model, given, message",
    [
        (
            encoder(),
            normal(3, 4, 8),
            r"model must give maps .* a batch of one, got .*\(3, 2, 4, 4\)",
        ),
        (encoder(), None, "text must be a string, or .* got None"),
        (nn.ModuleList([encoder()])[0], "a b", "tokenizer must be given where text is a string"),
    ],
)
def test_modules_without_maps_are_refused(model, given, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        maps(model, given)
    for part in model.modules():
        assert not part._forward_hooks and not part._forward_pre_hooks


class Attends(nn.Module):
    """Packed projections and a call of torch, whose values are the identity: the output of torch's
    own kernel is then the attention weights."""

    def __init__(self, kv_heads=4, dtype=torch.float, **options):
        super().__init__()
        self.qkv = nn.Linear(8, 48, dtype=dtype)
        self.kv_heads, self.options = kv_heads, options

    def forward(self, x):
        q, k, _ = self.qkv(x.to(self.qkv.weight)).view(1, -1, 3, 4, 4).permute(2, 0, 3, 1, 4)
        k = k[:, : self.kv_heads]
        identity = torch.eye(k.shape[-2], dtype=q.dtype).expand(*k.shape[:-1], -1)
        return F.scaled_dot_product_attention(q, k, identity, **self.options)


@pytest.mark.parametrize(
    "options",
    [
        dict(is_causal=True, dtype=torch.bfloat16),
        dict(attn_mask=torch.eye(4).bool() | torch.ones(4, 4).triu(2).bool()),
        dict(attn_mask=torch.ones(4, 4).triu(1).bool()),  # the last query sees no key
        dict(attn_mask=normal(4, 4, 4), scale=2.0),
        dict(attn_mask=causal_lower_right(4, 4)),
        dict(kv_heads=2, enable_gqa=True, scale=0.5, is_causal=True),
    ],
)
def test_a_call_of_torchs_attention_is_seen(options):
    model, x = Attends(**options), normal(1, 4, 8)
    weights = model(x).detach().double()
    assert ((sent(maps(model, x)) / 255 - weights).abs() < 1.5 / 255).all()


def test_the_tokens_of_an_image_are_its_patches_and_those_before_them():
    for sizes, first in ((dict(), "CLS"), (dict(before=2), "token 0"), (dict(before=0), "(0, 0)")):
        data = data_of(image_maps(**sizes))
        assert data["tokens"][0] == first and data["tokens"][-1] == "(1, 2)"
        assert (data["image"]["rows"], data["image"]["columns"]) == (2, 3)
        assert data["image"]["href"].startswith("data:image/jpeg;base64,")


def test_of_more_keys_than_have_room_some_in_a_row_are_one():
    weights = drawn(1, 2, 3, 1500)
    figure = maps(weights)
    assert_maps(figure, weights.unflatten(-1, (250, 6)).sum(-1))
    assert data_of(figure)["key_tokens"][-1] == "1494"
    assert repr(figure).endswith("; each key stands for 6 in a row, the first of which is named")


class ByHand(nn.Module):
    """Attention as it is written by hand, of one head in three axes or of several in four."""

    def forward(self, x):
        return (x @ x.mT).tril().softmax(dim=-1) @ x


def test_a_softmax_over_scores_is_seen():
    for x in (normal(1, 4, 8), normal(1, 2, 4, 8)):
        assert_maps(maps(ByHand(), x), (x @ x.mT).tril().softmax(-1).view(1, -1, 4, 4))


class Fused(nn.Module):
    def forward(self, x):
        return torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(x, x, x)[0]


@pytest.mark.parametrize(
    "model, got", [(Fused(), "_scaled_dot_product_flash_attention_for_cpu from Fused"),
                   (nn.Linear(8, 8), "none of these from Linear")]
)  # fmt: skip
def test_attention_that_cannot_be_seen_is_said_with_what_to_do(model, got):
    with pytest.raises(ValueError, match=f"^model must attend by .* got {got}: have it use"):
        maps(model, normal(1, 2, 4, 8))
    assert not model._forward_hooks and not model._forward_pre_hooks


def test_the_fast_path_of_torch_does_not_pass_it_by():
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    hidden = torch.tensor([[False, False, False, True]])  # for which torch would pack the tokens
    given = {"src": normal(1, 4, 8), "src_key_padding_mask": hidden}
    figure = maps(nn.TransformerEncoder(layer, 2).eval().requires_grad_(False), given)
    assert data_of(figure)["shape"] == [2, 2, 4, 4] and (sent(figure)[..., 3] == 0).all()
