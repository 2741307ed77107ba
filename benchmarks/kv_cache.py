"""What the cache of keys and values saves when a model writes, and what it takes.

An untrained decoder on one thread, greedy, from a prompt of one token. With and without the cache
take turns; a speed-up is taken within a round.
"""

import statistics
import time

import torch
from results import table
from timing import saying

from d2lattn import Cache, Decoder, generate

WORDS, WIDTH, LAYERS, HEADS = 256, 128, 4, 8
SEEDS = (0, 1, 2)
TITLE = "The cache of keys and values"
ON = ("processor",)
INTRODUCTION = (
    f"An untrained decoder, {LAYERS} layers, width {WIDTH}, {HEADS} heads, {WORDS} words, learned "
    "positions, float32, one thread, greedy, from a prompt of one token; rounds over seeds "
    f"{', '.join(map(str, SEEDS))}. Times and speed-ups are medians over the rounds."
)


def measure_part(quick, device):
    torch.set_num_threads(1)
    lengths, rounds = ((16, 64), 2) if quick else ((64, 128, 256, 512), 6)
    return {
        "time": [speed_row(length, rounds) for length in lengths],
        "memory": memory_rows(lengths[-1], max(1, rounds // 2)),
        "gpt2": gpt2_row(),
    }


def decoder(seed=0, **options):
    sizes = dict(num_layers=LAYERS, num_heads=HEADS, max_len=512)
    return Decoder(WORDS, WIDTH, **{**sizes, **options}, seed=seed).eval()


def written(model, length, use_cache):
    """(seconds, tokens (1, length)) of writing all but the first token."""
    prompt = torch.zeros(1, 1, dtype=torch.int64)
    start = time.perf_counter()
    tokens = generate(model, prompt, steps=length - 1, temperature=0, use_cache=use_cache)
    return time.perf_counter() - start, tokens


@torch.no_grad()
def difference(model, tokens):
    """The largest one between logits read a token at a time and all at once."""
    cache = Cache(model, max_len=tokens.shape[1])
    parts = [model(token, cache=cache) for token in tokens.split(1, dim=1)]
    return (torch.cat(parts, dim=1) - model(tokens)).abs().max().item()


def speed_row(length, rounds):
    saying(f"cached and uncached, {length} tokens")
    times, ratios, same, apart = {True: [], False: []}, [], True, 0.0
    for turn in range(rounds):
        model = decoder(SEEDS[turn % len(SEEDS)])
        found = {}
        for use_cache in (True, False) if turn % 2 else (False, True):
            written(model, 8, use_cache)  # warms up
            seconds, found[use_cache] = written(model, length, use_cache)
            times[use_cache].append(seconds)
        ratios.append(times[False][-1] / times[True][-1])
        same = same and torch.equal(found[True], found[False])
        apart = max(apart, difference(model, found[True]))
    return {
        "tokens": length,
        "all again, ms": 1e3 * statistics.median(times[False]),
        "cache, ms": 1e3 * statistics.median(times[True]),
        "speed-up": statistics.median(ratios),
        "least": min(ratios),
        "most": max(ratios),
        "same": same,
        "difference": apart,
    }


def memory_rows(length, rounds):
    """Bytes counted on the cache's own storage, and whether fewer heads write faster."""
    saying("fewer heads of keys and values")
    models = {heads: decoder(num_kv_heads=heads) for heads in (8, 4, 2, 1)}
    seconds = {heads: [] for heads in models}
    for heads in list(models) * rounds:  # they take turns
        seconds[heads].append(written(models[heads], length, use_cache=True)[0])
    rows = []
    for heads, model in models.items():
        cache = Cache(model, 8, max_len=512)
        stored = sum(x.untyped_storage().nbytes() for x in (cache.keys, cache.values))
        row = {"num_kv_heads": heads, "bytes per token": cache.bytes_per_token}
        row |= {"8 sequences of 512, MiB": stored / 2**20, "length": length}
        rows.append(row | {"writing, ms": 1e3 * statistics.median(seconds[heads])})
    return rows


def gpt2_row():
    """The smallest GPT-2's cache; neither its vocabulary nor its mlp changes it."""
    model = Decoder(2, 768, num_layers=12, num_heads=12, mlp_dim=0, max_len=1024)
    cache = Cache(model)
    return {"bytes": cache.bytes_per_token, "MiB": 2 * cache.keys.nbytes / 2**20}


def section(data):
    gpt2, memory = data["gpt2"], data["memory"]
    parts = [
        time_table(data["time"]),
        table(
            [*list(memory[0])[:3], f"writing {memory[0]['length']} tokens, ms"],
            [
                [
                    *(row["num_kv_heads"], f"{row['bytes per token']:,}"),
                    *(f"{row['8 sequences of 512, MiB']:.0f}", f"{row['writing, ms']:.0f}"),
                ]
                for row in memory
            ],
        ),
        "With the sizes of the smallest GPT-2 (12 layers, 12 heads of 64, float32) a token takes "
        f"{gpt2['bytes']:,} bytes, and 1,024 of them {gpt2['MiB']:.0f} MiB.",
    ]
    return "\n\n".join(parts)


def time_table(rows):
    header = ["tokens", "all again, ms", "cache, ms", "speed-up", "in a round", "tokens written"]
    body = [
        [
            *(row["tokens"], f"{row['all again, ms']:.0f}", f"{row['cache, ms']:.0f}"),
            *(f"{row['speed-up']:.1f}", f"{row['least']:.1f} … {row['most']:.1f}"),
            *("the same" if row["same"] else "differ", f"{row['difference']:.0e}"),
        ]
        for row in rows
    ]
    return table([*header, "logits differ by at most"], body)
