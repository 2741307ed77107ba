"""Small calls: what is paid beside the kernel, by a layer, a decoder and the function.

    python benchmarks/small_calls.py [--quick]    # print the tables, store nothing

It asks for public names alone, so that PYTHONPATH=FOLDER measures another version of the package.
"""

import functools
import os
import pathlib
import statistics
import sys
from typing import NamedTuple

import plain
import torch
import torch.nn.functional as F
from results import shown, table
from timing import measure, median_ratio, saying

import d2lattn
from d2lattn import Cache, Decoder, attention
from d2lattn.multihead import Context

TITLE = "Small calls"
ON = "processor", "GPU"
WIDTH, HEADS, LAYERS, WORDS = 64, 4, 4, 100
KEPT, NEW = 50, 16  # words in the cache before, and words that come
LENGTHS = (16, 11, 6, 2)  # of a padded batch of four
SIZES = (16, 64, 256, 1024)
INTRODUCTION = f"""\
Forward, without gradients, float32 unless a row says otherwise, one thread; what a row compares \
takes turns, and times and ratios are medians over the rounds. First a layer of width {WIDTH} with \
{HEADS} heads, and a decoder of {LAYERS} such layers, beside plain lines of torch over the same \
weights that find the same (benchmarks/plain.py: the same `nn.Linear` and norms, called as nanoGPT \
calls them, `scaled_dot_product_attention`, a cache written in its place, the angles of a rotation \
ready before); times are those of one layer. Below it the function beside torch's, with 2 \
sequences and 8 heads of 64."""


class Pair(NamedTuple):
    """Two calls without arguments that find the same, and how many layers each goes through."""

    ours: object
    plain: object
    layers: int = 1


def measure_part(quick, device):
    options = dict(rounds=5 if quick else 101, budget=0.3 if quick else 6)
    sizes = [(n, causal, torch.float32) for n in SIZES for causal in (False, True)]
    sizes = sizes[:2] if quick else sizes
    if device != "cpu":
        sizes += [(n, causal, torch.bfloat16) for n, causal, _ in sizes]
    with torch.no_grad():
        return dict(
            layers=[layers_row(*named, options) for named in pairs(device).items()],
            functions=[function_row(*size, device, options) for size in sizes],
        )


# A layer, and a decoder's pass --------------------------------------------------------------------


@torch.no_grad()
def pairs(device="cpu"):
    """{what: Pair}, each of which has found the same."""
    found = layer_pairs(device)
    for positions in ("rotary", "learned"):
        found |= decoder_pairs(positions, device)
    for what, pair in found.items():
        told = functools.partial("{}: {}".format, what)
        torch.testing.assert_close(pair.ours(), pair.plain(), atol=1e-5, rtol=1e-4, msg=told)
    return found


def model_of(positions, device):
    """(model, its cache of KEPT words, keys and values for the plain lines, NEW words)."""
    model = Decoder(
        WORDS, WIDTH, num_layers=LAYERS, num_heads=HEADS, positions=positions, max_len=128
    )
    model = model.to(device).eval()
    tokens = torch.randint(WORDS, (1, KEPT + NEW), generator=torch.Generator().manual_seed(0))
    before, new = tokens.to(device).split([KEPT, NEW], dim=1)
    cache = Cache(model)
    model(before, cache=cache)
    return model, cache, (cache.keys.clone(), cache.values.clone()), new


def layer_pairs(device):
    model, cache, (keys, values), _ = model_of("rotary", device)
    mha = model.blocks[0].attention
    x = torch.randn(len(LENGTHS), NEW, WIDTH, generator=torch.Generator().manual_seed(0)).to(device)
    word, text, lengths = x[:1, :1], x[:1], torch.tensor(LENGTHS, device=device)
    turn = [t[KEPT : KEPT + 1] for t in plain.angles(128, mha.head_dim, device)]
    kept = keys[0], values[0], KEPT
    store, rotate = functools.partial(cache.store, 0), lambda x: plain.turned(x, *turn)
    last = dict(context=Context(rotate, store, is_causal=True, query_offset=KEPT))

    def padded():
        real = torch.arange(NEW, device=device) < lengths[:, None]  # (B, S)
        return plain.layer(mha, x, attn_mask=real[:, None, None])

    return {
        f"layer, a word and {KEPT} kept": Pair(
            lambda: mha(word, **last), lambda: plain.layer(mha, word, turn=turn, kept=kept)
        ),
        f"layer, {NEW} words": Pair(lambda: mha(text), lambda: plain.layer(mha, text)),
        f"layer, {NEW} words, causal": Pair(
            lambda: mha(text, is_causal=True), lambda: plain.layer(mha, text, is_causal=True)
        ),
        f"layer, 4 × {NEW} words, padded": Pair(lambda: mha(x, valid_lens=lengths), padded),
    }


def decoder_pairs(positions, device):
    model, cache, kept, new = model_of(positions, device)
    mine = dict(kept=kept)
    if positions == "rotary":
        mine["turns"] = plain.angles(128, model.blocks[0].attention.head_dim, device)
    words = new.split(1, dim=1)

    def written():
        """The words one by one, after those that are kept; the cache is set back at the end."""
        parts = [model(word, cache=cache) for word in words]
        cache.crop(KEPT)
        return torch.cat(parts, dim=1)

    def plainly_written():
        parts = [plain.decoder(model, w, first=KEPT + n, **mine) for n, w in enumerate(words)]
        return torch.cat(parts, dim=1)

    whole = dict(turns=mine.get("turns"))
    return {
        f"decoder, {positions}, word by word": Pair(written, plainly_written, NEW * LAYERS),
        f"decoder, {positions}, {NEW} words": Pair(
            lambda: model(new), lambda: plain.decoder(model, new, **whole), LAYERS
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


# The function -------------------------------------------------------------------------------------


def function_row(n, causal, dtype, device, options):
    saying(f"the function, n={n}")
    generator = torch.Generator().manual_seed(n)
    q, k, v = (torch.randn(2, 8, n, 64, generator=generator).to(device, dtype) for _ in range(3))
    seconds = measure(
        {
            "ours": lambda: attention(q, k, v, is_causal=causal),
            "kernel": lambda: F.scaled_dot_product_attention(q, k, v, is_causal=causal),
        },
        **options,
    )
    return {
        "n": n,
        "seen": "causal" if causal else "all",
        "dtype": str(dtype).removeprefix("torch."),
        "ours, µs": 1e6 * statistics.median(seconds["ours"]),
        "function ÷ kernel": median_ratio(seconds["ours"], seconds["kernel"]),
    }


def section(data):
    forms = {"n": "", "ours, µs": ".0f", "plain, µs": ".0f"}
    tables = []
    for rows in filter(None, (data["layers"], data["functions"])):
        body = [[shown(x, forms.get(name, ".2f")) for name, x in row.items()] for row in rows]
        tables.append(table(rows[0], body))
    return "\n\n".join(tables)


if __name__ == "__main__":
    device = "cuda" if torch.cuda.is_available() else "cpu"
    print(f"d2lattn of {pathlib.Path(d2lattn.__file__).parent}, load {os.getloadavg()[0]:.1f}\n")
    print(section(measure_part("--quick" in sys.argv[1:], device)))
