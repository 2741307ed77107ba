"""What a decoder keeps of a text, in bytes, and what the next word costs with it."""

import statistics

import torch
from results import shown, table
from timing import measure, median_ratio, saying

from d2lattn import Cache, Decoder, LatentAttention, delta_attention

TITLE = "What each kind of attention keeps of a text"
ON = ("processor",)
LAYERS, HEADS, WIDTH, MLP, SIZE = 2, 16, 64, 1024, 4  # SIZE: bytes of a float32
LATENT, TURNED, WINDOW, SINKS = 256, 32, 1024, 4
WHOLE, STATE = "multi-head", "delta rule"
INTRODUCTION = f"""\
A decoder of {LAYERS} layers of width {HEADS * WIDTH:,}, {HEADS} heads of {WIDTH}, rotary places, \
float32, one thread, has read the words in pieces and reads one more. The bytes are those of its \
`Cache` (or of the state that `delta_attention` returns, {HEADS} heads of {WIDTH} × {WIDTH} in \
each layer), and equal \
{LAYERS} layers × rows × numbers of a row × {SIZE} to the byte, as a test compares: a row for each \
word, or those that the window shows, or one for the state. A step is the whole model, \
whose matrices are read, too; in brackets it is divided by that of {WHOLE} attention, the median \
over rounds in which all take turns. The part on grouped queries has attention alone."""


def kinds(quick=False):
    """{name: (options of the decoder, numbers of a row, rows that n words take)}."""

    def all_of_them(n):
        return n

    window, pair = 16 if quick else WINDOW, 2 * WIDTH
    found = {}
    for heads in (HEADS, 8, 4, 2, 1):
        name = {HEADS: WHOLE, 1: "multi-query"}.get(heads, f"grouped, {heads} heads of keys")
        found[name] = dict(num_kv_heads=heads), heads * pair, all_of_them
    latent = dict(attention=LatentAttention, latent_dim=LATENT, rope_dim=TURNED)
    found[f"latent of {LATENT}, {TURNED} turned"] = latent, LATENT + TURNED, all_of_them
    found[f"window of {window:,}"] = dict(window=window), HEADS * pair, lambda n: min(n, window)
    name, options = f"the same and {SINKS} sinks", dict(window=window, sinks=SINKS)
    found[name] = options, HEADS * pair, lambda n: min(n, window + SINKS)
    return found


def by_formula(numbers, rows):
    return LAYERS * numbers * rows * SIZE


def bytes_of(cache):
    return sum(x.untyped_storage().nbytes() for x in (cache.keys, cache.values))


def state_bytes():
    """Of the memories of all layers, after one word."""
    word = torch.rand(HEADS, 1, WIDTH)
    beta = torch.ones(HEADS, 1)
    state = delta_attention(word, word, word, beta=beta, need_state=True)[1]
    return LAYERS * state.untyped_storage().nbytes()


@torch.no_grad()
def measure_part(quick, device):
    lengths, options = ((8, 64), dict(rounds=3)) if quick else ((1024, 4096), dict(budget=40))
    rows, calls = [], {}
    for name, (chosen, numbers, held) in kinds(quick).items():
        saying(f"kept: {name}")
        model = decoder(chosen)
        small = Cache(model, max_len=lengths[0] + 1)
        whole = Cache(model, max_len=None if model.window else lengths[1] + 1)
        weighed = [bytes_of(cache) for cache in (small, read(model, whole, lengths[1]))]
        formula = [by_formula(numbers, held(n + 1)) for n in lengths]
        rows.append({"kind": name, "numbers": numbers, "bytes": weighed, "formula": formula})
        calls[name] = step(model, whole)
    numbers, formula = HEADS * WIDTH * WIDTH, by_formula(HEADS * WIDTH * WIDTH, 1)
    row = {"kind": STATE, "numbers": numbers, "bytes": [state_bytes()] * 2}
    rows.append(row | {"formula": [formula] * 2})
    seconds = measure(calls, **options)
    for row in rows[:-1]:
        taken = seconds[row["kind"]]
        row["step"] = [1e3 * statistics.median(taken), median_ratio(taken, seconds[WHOLE])]
    return dict(lengths=[n + 1 for n in lengths], rows=rows)


def decoder(options):
    sizes = dict(num_layers=LAYERS, num_heads=HEADS, mlp_dim=MLP, positions="rotary")
    return Decoder(100, HEADS * WIDTH, **sizes, **options).eval()


def read(model, cache, n):
    """Read n words in pieces."""
    words = torch.randint(100, (1, n), generator=torch.Generator().manual_seed(0))
    for piece in words.split(512, dim=1):
        model(piece, cache=cache)
    return cache


def step(model, cache):
    """A call that reads one more word, again and again the same one."""
    word, length = torch.zeros(1, 1, dtype=torch.long), cache.length

    def call():
        if cache.columns is None:
            cache.length = length  # a window lets go by itself
        with torch.no_grad():
            model(word, cache=cache)

    return call


def section(data):
    sizes = [f"bytes for {n:,} words" for n in data["lengths"]]
    header = ["kind", "numbers of a row in a layer", *sizes, "a step, ms"]
    body = []
    for row in data["rows"]:
        taken = row.get("step")
        told = None if taken is None else f"{taken[0]:.3g} ({taken[1]:.2f})"
        counts = (f"{x:,}" for x in (row["numbers"], *row["bytes"]))
        body.append([row["kind"], *counts, shown(told)])
    return table(header, body)
