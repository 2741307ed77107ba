"""All maps of a model in one figure: bytes, scores, names of pieces, what is refused, the page."""

import pytest
import torch
from draws import generator
from live_kinds import model_maps, without_map
from live_kinds import sent_maps as sent
from test_live import in_node, needs_node, parts, table
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from d2lattn import Decoder
from d2lattn_book.pictures import live, maps, packed
from d2lattn_book.pictures import model_maps as made
from d2lattn_book.pictures.model_maps.pieces import ids_of, names_of
from d2lattn_book.pictures.page import SITE
from d2lattn_book.real import trace

WORDS = ["the", "cat", "saw", "a", "dog", "."]


def decoder(**options):
    """A decoder of few words whose heads look at different things."""
    sizes = dict(num_layers=3, num_heads=4, seed=1) | options
    model = Decoder(len(WORDS), 16, **sizes).eval()
    with torch.no_grad():
        for block in model.blocks:
            block.attention.q_proj.weight *= 5
    return model


def numbers(text):
    return [WORDS.index(word) for word in text.split()]


TEXT = "the cat saw a dog . the cat saw the dog ."

# What travels ------------------------------------------------------------------------------------


def test_weights_are_those_of_the_trace_to_one_part_in_255_and_rows_add_up():
    model = decoder()
    weights = trace(model, torch.tensor([numbers(TEXT)])).weights[:, 0].double()
    whole = sent(maps(model, TEXT, WORDS))
    assert whole.shape == weights.shape == (3, 4, 12, 12)
    assert ((whole / 255 - weights).abs() < 1 / 255).all()
    assert (whole[..., torch.ones(12, 12).triu(1).bool()] == 0).all()  # nobody looks ahead
    assert weights.std() > 0.05  # the maps are not all alike


@needs_node
def test_rows_add_up_to_one_again_in_the_page():
    figure = maps(decoder(), TEXT, WORDS)
    (got,) = in_node("heads/state", "unpack", [[parts(figure)[2]["weights"]]])
    got = torch.tensor(got, dtype=torch.float64).view(-1, 12)
    assert (got.sum(-1) - 1).abs().max() < 1e-12
    assert torch.equal((255 * got).round(), sent(figure).view(-1, 12))


@pytest.mark.parametrize("length", [1, 3, 255])
def test_quantized_weights_are_less_than_one_off(length):
    drawn = torch.rand(50, length, generator=generator(length), dtype=torch.float64)
    drawn = drawn ** torch.arange(1, 51)[:, None]  # from even to a single large weight
    drawn[7, : length // 2] = 0
    weights = drawn / drawn.sum(-1, keepdim=True).clamp(min=1e-300)
    weights[3] = 0
    whole = packed.quantized(weights)
    assert whole.dtype == torch.int64
    assert ((whole - 255 * weights).abs() < 1 + 1e-9).all()
    sums = [255 * (row.sum().item() > 0) for row in weights]
    assert whole.sum(-1).tolist() == sums
    assert (whole[weights == 0] == 0).all()


def test_layers_and_heads_are_those_that_are_wanted():
    model = decoder()
    whole = sent(maps(model, TEXT, WORDS))
    some = maps(model, TEXT, WORDS, layers=[2, 0], heads=range(1, 3))
    assert torch.equal(sent(some), whole[[2, 0], 1:3])
    data = parts(some)[2]
    assert (data["layers"], data["heads"]) == ([2, 0], [1, 2])
    shown = "2 of 3 layers and 2 of 4 heads are shown"
    assert repr(some) == (
        f"live maps: 2 layers of 2 heads over 12 tokens, each weight within 4e-03; {shown}"
    )
    assert some.html.endswith(f"</script><p>{shown}.</p>")  # beside the figure that moves


def mixed(**options):
    """A decoder whose layer 1 has no map."""
    model = decoder(**options)
    without_map(model)
    return model


def test_layers_without_maps_are_left_out_and_named():
    figure = maps(mixed(), TEXT, WORDS)
    data = parts(figure)[2]
    assert (data["layers"], data["without"]) == ([0, 2], [1])
    assert repr(figure).startswith("live maps: 2 layers of 4 heads over 12 tokens")
    assert repr(figure).endswith("; no maps in layer 1")
    with pytest.raises(ValueError, match=r"^layers must have maps, got 1: only 0, 2 have"):
        maps(mixed(), TEXT, WORDS, layers=[0, 1])


def test_the_model_is_left_as_it_was():
    model = decoder(dropout=0.5).train()
    one, other = maps(model, TEXT, WORDS), maps(model, TEXT, WORDS)
    assert model.training and one.html == other.html  # no dropout


def test_a_figure_of_the_most_heads_and_one_that_is_too_large():
    model = Decoder(len(WORDS), 18, num_layers=30, num_heads=9).eval()
    ids = torch.arange(60) % len(WORDS)
    figure = maps(model, ids, WORDS)
    assert len(figure.html.encode()) < 1_400_000 < made.MOST_BYTES
    large = Decoder(len(WORDS), 64, num_layers=20, num_heads=32).eval()
    with pytest.raises(ValueError, match=r"would be a figure of 3\.1 MB, .* at most 3, which hold"):
        maps(large, ids, WORDS)
    assert len(maps(large, ids, WORDS, layers=range(10)).html) < made.MOST_BYTES


# Who stands out ----------------------------------------------------------------------------------


MASKS = {  # of "a b a b c": where a head of each kind looks, a line for each query
    "previous token": "..... #.... .#... ..#.. ...#.",
    "first token": "..... #.... #.... #.... #....",
    "same token": "..... ..... #.... .#... .....",
    "induction": "..... ..... .#... ..#.. .....",
}
AHEAD = {
    "next token": ".#... ..#.. ...#. ....# .....",
    "last token": "....# ....# ....# ....# .....",
}
CROSS = {  # of queries "b c" and keys "c b b"
    "same position": "#.. .#.",
    "same token": ".## #..",
    "induction": "..# .#.",
    "first token": "#.. #..",
    "last token": "..# ..#",
}


def test_where_heads_of_each_kind_look():
    for expected, given in (
        (MASKS, ("ababc",)),
        (MASKS | AHEAD, ("ababc", None, True)),
        (CROSS, ("bc", "cbb")),
    ):
        found = {
            kind: " ".join("".join(".#"[seen] for seen in row) for row in mask.tolist())
            for kind, mask in made.looked_for(*given).items()
        }
        assert found == expected


def test_a_score_is_the_mean_over_the_queries_that_have_such_a_token_and_the_highest_are_listed():
    weights = torch.rand(3, 2, 5, 5, generator=generator()).softmax(-1)
    found = made.standing_out(weights, "ababc")
    scores = (weights[:, :, 2, 0] + weights[:, :, 3, 1]).flatten() / 2
    order = scores.argsort(descending=True)[:5].tolist()
    same = [(k // 2, k % 2, round(scores[k].item(), 2)) for k in order]
    assert found["same token"] == same
    assert made.standing_out(weights, "abcde")["induction"] == []
    assert made.standing_out(weights.tril().triu(-1), "ababc")["same token"] == []  # a window


# What the figure says ----------------------------------------------------------------------------


def test_without_code_the_heads_that_stand_out_remain():
    figure = maps(decoder(), "the cat saw the dog", WORDS, query="saw")
    fallback, _, data, _ = parts(figure)
    assert fallback.count("<table") == 2 and f"stand out: {made.SCORE}" in fallback
    t, h, score = data["standing"][0]["heads"][0]
    assert f"previous token: layer {t}, head {h}</th><td>{score:.2f}</td>" in fallback
    assert f"Attention weights of layer {t}, head {h}" in fallback
    assert data["asks"] == 2
    shown = sent(figure)[data["step"], data["head"]].flatten() / 255  # as the live map shows them
    assert table(figure)[-25:] == [float(f"{weight:.2f}") for weight in shown]


def test_a_figure_is_saved_as_a_page_of_its_own(tmp_path):
    for figure in (model_maps(), live.steps([1.0], [2.0])):
        path = tmp_path / "page.html"
        figure.save(path)
        page = path.read_text(encoding="utf-8")
        assert page.startswith("<!doctype html>") and figure.html in page
        assert f"<title>{figure.line}</title>" in page
        named = page.replace("http://www.w3.org/2000/svg", "").replace(f'href="{SITE}"', "")
        assert "http" not in named  # but for the link beside the table
    for wrong in (3, "page.png", tmp_path):
        with pytest.raises(ValueError, match=r"^path must be the path of a page, \*\.html, got "):
            figure.save(wrong)


# Pieces ------------------------------------------------------------------------------------------


def byte_level():
    """A tokenizer whose pieces are single bytes, as GPT-2 writes them, and a word with a space."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {letter: i for i, letter in enumerate(letters)} | {"Ġa": 256}
    tokenizer = Tokenizer(models.BPE(vocabulary, [("Ġ", "a")]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(["<|end|>"])
    return tokenizer


def test_what_cannot_be_seen_is_made_visible():
    model = Decoder(300, 8, num_layers=1, num_heads=1).eval()
    data = parts(maps(model, "b a\n\té\u00ad<|end|>", byte_level()))[2]
    pieces = ["b", "␣a", "↵", "⇥", r"\xc3", r"\xa9", r"\xc2", r"\xad", "<|end|>"]
    assert data["tokens"] == pieces


def test_pieces_of_sentencepiece_keep_their_space():
    vocabulary = [("<unk>", 0.0), ("▁the", -1.0), ("▁", -3.0), ("cat", -1.0), ("́", -2.0)]
    tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=0))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    ids = ids_of("the thecat\u0301", tokenizer)
    assert names_of(ids, tokenizer) == ["␣the", "␣the", "cat", "◌́"]


def test_numbers_of_pieces_are_a_text_too():
    model, ids = decoder(), numbers(TEXT)
    figure = maps(model, TEXT, WORDS)
    for given in (ids, torch.tensor(ids), torch.tensor([ids]), [ids]):
        assert maps(model, given, WORDS).html == figure.html
    bare = parts(maps(model, ids))[2]
    assert bare["tokens"] == [str(i) for i in ids]
    assert bare["weights"] == parts(figure)[2]["weights"]


def test_pieces_that_the_tokenizer_does_not_have():
    """A model may know more numbers than there are pieces."""
    model = Decoder(300, 8, num_layers=1, num_heads=1).eval()
    figure = maps(model, [0, 299], byte_level())
    assert parts(figure)[2]["tokens"] == ["!", "299"]
