"""audit: nothing is found in right models, and a report says what was asked."""

import contextlib

import pytest
import torch
from torch import nn

import d2lattn as d
from d2lattn_book import audit

SMALL = dict(num_layers=2, num_heads=4)


def decoder(**options):
    return d.Decoder(50, 32, **SMALL | options)


class Causal(nn.Module):
    """A layer of ours with a causal mask."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, query, *read):
        mask = d.causal_mask(query.shape[1], [query, *read][-1].shape[1], align="bottom-right")
        return self.layer(query, *read, attn_mask=mask)


class Torch(nn.Module):
    """torch's layers between an embedding and a head: an encoder, or a decoder with its source."""

    def __init__(self, layers, is_causal=False):
        super().__init__()
        self.embedding, self.positions = nn.Embedding(50, 32), nn.Embedding(600, 32)
        self.layers, self.head, self.is_causal = layers, nn.Linear(32, 50), is_causal
        self.register_buffer("source", torch.randn(1, 7, 32))

    def forward(self, tokens, valid_lens=None):
        places = torch.arange(tokens.shape[1])
        x = self.embedding(tokens) + self.positions(places)
        mask = places > places[:, None] if self.is_causal else None
        if isinstance(self.layers, nn.TransformerDecoder):
            return self.head(self.layers(x, self.source.expand(len(x), -1, -1), tgt_mask=mask))
        padded = None if valid_lens is None else places >= valid_lens[:, None]
        return self.head(self.layers(x, mask, padded))


def encoder(is_causal):
    layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True)
    return Torch(nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), is_causal)


def torch_layer():
    layer = nn.MultiheadAttention(32, 4, batch_first=True)

    def padded(query, key, value, valid_lens):
        mask = torch.arange(31) >= valid_lens[:, None]
        return layer(query, key, value, key_padding_mask=mask[:, : key.shape[1]])

    return layer, dict(key_length=31, valid_lens=padded)


def heads(attend, **options):
    """A function of vectors around one of queries, keys and values."""

    def called(x):
        query, key, value = (x.unflatten(2, (4, 8)).transpose(1, 2) * by for by in (1, 0.7, -1.3))
        return attend(query, key, value, is_causal=True, **options).transpose(1, 2).flatten(2)

    return called


class Float(nn.Module):
    forward = lambda self, logits: logits.float()  # noqa: E731


MLA = lambda: d.Block(d.LatentAttention(32, 4, latent_dim=8, rope_dim=4), d.MLP(32))  # noqa: E731
GQA = dict(num_kv_heads=2, qk_norm=True, gate=True, sink_logit=True)
PADDED, CAUSAL = dict(valid_lens=True), dict(is_causal=True)
MODELS = {
    "learned": lambda: (decoder(), dict(segments=True)),
    "sinusoidal": lambda: (decoder(positions="sinusoidal"), dict(segments=True)),
    "rotary": lambda: (decoder(positions="rotary"), dict(segments=True)),
    "alibi": lambda: (decoder(positions="alibi"), dict(segments=True)),
    "no positions": lambda: (decoder(positions=None), dict(order=False)),
    "window": lambda: (decoder(positions="rotary", window=4), dict(window=7)),
    "logits in float32": lambda: (nn.Sequential(decoder(), Float()), {}),
    "latent": lambda: (decoder(num_heads=None, block=MLA, positions="rotary"), {}),
    "encoder": lambda: (d.Encoder(50, 32, **SMALL), dict(is_causal=False) | PADDED),
    "torch's encoder": lambda: (encoder(False), dict(is_causal=False) | PADDED),
    "torch's encoder, causal": lambda: (encoder(True), PADDED),
    "torch's decoder": lambda: (
        Torch(nn.Transformer(32, 4, 1, 2, 64, batch_first=True).decoder, True),
        {},
    ),
}
LAYERS = {
    "one head": lambda: (d.SelfAttention(32), {}),
    "heads": lambda: (d.MultiHeadAttention(32, 4), dict(empty=True) | PADDED),
    "cross": lambda: (d.MultiHeadAttention(32, 4), dict(key_length=31) | PADDED),
    "causal": lambda: (Causal(d.MultiHeadAttention(32, 4, **GQA)), CAUSAL),
    "causal cross": lambda: (Causal(d.MultiHeadAttention(32, 4)), dict(key_length=31) | CAUSAL),
    "latent": lambda: (Causal(d.LatentAttention(32, 4, latent_dim=8)), CAUSAL),
    "block": lambda: (Causal(d.Block(d.MultiHeadAttention(32, 4), d.MLP(32))), CAUSAL),
    "torch's layer": torch_layer,
    "recurrent": lambda: (nn.GRU(32, 32, batch_first=True), dict(positions=True) | CAUSAL),
    "linear": lambda: (heads(d.linear_attention), CAUSAL),
    "window": lambda: (heads(d.window_attention, width=4), dict(window=4) | CAUSAL),
}
RIGHT = {name: (audit.model, 50, make) for name, make in MODELS.items()}
RIGHT |= {f"layer: {name}": (audit.layer, 32, make) for name, make in LAYERS.items()}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16], ids=str)
@pytest.mark.parametrize("name", RIGHT)
def test_nothing_is_found_in_a_right_model(name, dtype):
    ask, width, make = RIGHT[name]
    target, options = make()
    target = target.to(dtype) if isinstance(target, nn.Module) else target
    report = ask(target, width, **options)
    report.assert_ok()
    assert {what[-1] for what in report.not_tried.values()} <= set("=e")  # window=, is_causal=True


EVERY = torch.ones(23, 23, dtype=torch.bool)
GUESSES = {
    "there is no causal mask": EVERY,
    "is inverted": EVERY.triu(1),
    "up to 2 tokens ahead: a shifted mask": EVERY.tril(2),
    "a mask in blocks": torch.arange(23) // 4 <= torch.arange(23)[:, None] // 4,
}


@pytest.mark.parametrize(("guess", "mask"), GUESSES.items())
def test_the_mask_is_guessed_from_what_outputs_see(guess, mask):
    def layer(x):
        return d.attention(x, x, x, attn_mask=mask)

    found = audit.layer(layer, 8, is_causal=True).findings[0]
    assert found.name == "future" and guess in found.sentence


def state(model):
    """What a caller has of a module, and torch's global generator."""
    tensors = [*model.parameters(), *model.buffers(), *(p.grad for p in model.parameters())]
    modes, places = [m.training for m in model.modules()], [t.data_ptr() for t in tensors]
    return modes, places, [t.tolist() for t in tensors], torch.get_rng_state().tolist()


class Careless(nn.Module):
    """Draws random numbers, changes its parameters and a buffer, and fails at a call."""

    def __init__(self, last):
        super().__init__()
        self.embedding = nn.Embedding(50, 50, max_norm=0.5)
        self.parts, self.last = nn.ModuleList([nn.Dropout(), nn.BatchNorm1d(3)]), last

    def forward(self, tokens):
        torch.rand(())
        self.parts[1].num_batches_tracked += 1
        failed = self.parts[1].num_batches_tracked == self.last
        return None if failed else self.embedding(tokens)


@pytest.mark.parametrize("last", [1, 5, 1000])
def test_everything_is_as_before_also_after_an_error(last):
    model = Careless(last).to(torch.bfloat16 if last > 5 else torch.float32)
    model.parts[0].eval()
    for parameter in model.parameters():
        parameter.grad = torch.ones_like(parameter)
    before = state(model)
    said = r"must return a tensor or \.logits, got NoneType"
    with pytest.raises(ValueError, match=said) if last < 1000 else contextlib.nullcontext():
        audit.model(model, 50, dtype=torch.float16)
    assert state(model) == before
