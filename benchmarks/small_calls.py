"""Small calls: what is paid beside the kernel, by a layer and a decoder."""

import functools
import statistics
from typing import NamedTuple

import plain
import torch
from results import shown, table
from timing import measure, median_ratio, saying

from d2lattn import Cache, Decoder
from d2lattn.multihead import Context

TITLE = "Small calls"
ON = ("processor",)
WIDTH, HEADS, LAYERS, VOCABULARY = 64, 4, 4, 100
KEPT, NEW = 50, 16  # tokens in the cache before, and tokens that come
LENGTHS = (16, 11, 6, 2)  # of a padded batch of four
INTRODUCTION = f"""\
Forward, without gradients, float32, one thread, whose own seconds are \
counted; what a row compares takes turns, and times and ratios are medians over the rounds. A \
layer of width {WIDTH} with {HEADS} heads, and a decoder of {LAYERS} such layers, \
beside plain lines of torch over the same weights that find the same (benchmarks/plain.py: the \
same `nn.Linear` and norms, called as nanoGPT calls them, `scaled_dot_product_attention`, a cache \
written in its place, the tables of positions ready before); times are those of one layer."""


class Pair(NamedTuple):
    """Two calls without arguments that find the same, and how many layers each goes through."""

    ours: object
    plain: object
    layers: int = 1


def measure_part(quick, device):
    options = dict(rounds=5 if quick else 101, budget=0.3 if quick else 5)
    with torch.no_grad():
        return dict(layers=[layers_row(*named, options) for named in pairs(device).items()])


# A layer, and a decoder's pass --------------------------------------------------------------------


@torch.no_grad()
def pairs(device="cpu"):
    """{what: Pair}, each of which has found the same."""
    found = layer_pairs(device) | decoder_pairs(device)
    for what, pair in found.items():
        told = functools.partial("{}: {}".format, what)
        torch.testing.assert_close(pair.ours(), pair.plain(), atol=1e-5, rtol=1e-4, msg=told)
    return found


def decoder_of(device):
    """(model, the turns of its positions for the plain lines, four rows of tokens)."""
    sizes = dict(num_layers=LAYERS, num_heads=HEADS, max_len=128)
    model = Decoder(VOCABULARY, WIDTH, positions="rotary", **sizes).to(device).eval()
    tokens = torch.randint(VOCABULARY, (4, KEPT + NEW), generator=torch.Generator().manual_seed(0))
    return model, plain.angles(128, WIDTH // HEADS, device), tokens.to(device)


def real_keys(device):
    """The mask (B, 1, 1, S) of a padded batch, as the plain lines make it at each call."""
    return (
        torch.arange(NEW, device=device) < torch.tensor(LENGTHS, device=device)[:, None, None, None]
    )


def layer_pairs(device):
    model, turns, tokens = decoder_of(device)
    mha, cache = model.blocks[0].attention, Cache(model)
    model(tokens[:1, :KEPT], cache=cache)
    x = torch.randn(len(LENGTHS), NEW, WIDTH, generator=torch.Generator().manual_seed(0)).to(device)
    token, text, lengths = x[:1, :1], x[:1], torch.tensor(LENGTHS, device=device)
    turn = [t[KEPT : KEPT + 1] for t in turns]
    kept = cache.keys[0].clone(), cache.values[0].clone(), KEPT
    store, rotate = functools.partial(cache.store, 0), lambda x: plain.turned(x, *turn)
    last = dict(context=Context(rotate, store, is_causal=True, query_offset=KEPT))
    return {
        f"layer, a token and {KEPT} cached": Pair(
            lambda: mha(token, **last), lambda: plain.layer(mha, token, turn=turn, kept=kept)
        ),
        f"layer, {NEW} tokens": Pair(lambda: mha(text), lambda: plain.layer(mha, text)),
        f"layer, {NEW} tokens, causal": Pair(
            lambda: mha(text, is_causal=True), lambda: plain.layer(mha, text, is_causal=True)
        ),
        f"layer, 4 × {NEW} tokens, padded": Pair(
            lambda: mha(x, valid_lens=lengths),
            lambda: plain.layer(mha, x, attn_mask=real_keys(device)),
        ),
    }


def decoder_pairs(device):
    model, turns, tokens = decoder_of(device)
    cache, (before, new) = Cache(model), tokens[:1].split([KEPT, NEW], dim=1)
    model(before, cache=cache)
    kept, single = (cache.keys.clone(), cache.values.clone()), new.split(1, dim=1)

    def one_by_one():
        """After those that are cached; the cache is set back at the end."""
        parts = [model(token, cache=cache) for token in single]
        cache.crop(KEPT)
        return torch.cat(parts, dim=1)

    def plainly():
        options = dict(kept=kept, turns=turns)
        parts = [plain.decoder(model, x, first=KEPT + n, **options) for n, x in enumerate(single)]
        return torch.cat(parts, dim=1)

    return {
        f"decoder, a token and {KEPT} cached": Pair(one_by_one, plainly, NEW * LAYERS),
        f"decoder, {NEW} tokens, causal": Pair(
            lambda: model(new), lambda: plain.decoder(model, new, turns=turns), LAYERS
        ),
    }


def layers_row(what, pair, options):
    saying(what)
    seconds = measure({"ours": pair.ours, "plain": pair.plain}, **options)
    return {
        "call": what,
        "ours, µs": 1e6 * statistics.median(seconds["ours"]) / pair.layers,
        "plain, µs": 1e6 * statistics.median(seconds["plain"]) / pair.layers,
        "ours ÷ plain": median_ratio(seconds["ours"], seconds["plain"]),
    }


def section(data):
    forms = {"ours, µs": ".0f", "plain, µs": ".0f"}
    rows = data["layers"]
    body = [[shown(x, forms.get(name, ".2f")) for name, x in row.items()] for row in rows]
    return table(rows[0], body)
