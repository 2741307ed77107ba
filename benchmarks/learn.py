"""Models that learn and write: what the cache of keys and values saves, and what it takes.

    python benchmarks/learn.py [--quick] > learn.md

prints a section in Markdown: an untrained decoder on one thread, float32, greedy, from a prompt of
one token. With and without the cache take turns; a speed-up is taken within a round, and the table
has the median of the rounds and their spread.
"""

import argparse
import statistics
import sys
import time

import torch
from report import table

from d2lattn import Cache, Decoder, generate

WORDS, WIDTH, LAYERS, HEADS = 256, 128, 4, 8
SEEDS = (0, 1, 2)


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


def speed_table(lengths, rounds):
    body = []
    for length in lengths:
        print(f"cached and uncached, {length} tokens", file=sys.stderr, flush=True)
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
        body.append(
            [
                str(length),
                *(f"{1e3 * statistics.median(times[kind]):.0f}" for kind in (False, True)),
                f"{statistics.median(ratios):.1f}",
                f"{min(ratios):.1f} … {max(ratios):.1f}",
                "the same" if same else "differ",
                f"{apart:.0e}",
            ]
        )
    header = ["tokens", "all again, ms", "cache, ms", "speed-up", "in a round"]
    return table([*header, "tokens written", "logits differ by at most"], body)


def memory_table(rounds):
    """Bytes counted on the cache's own storage, and whether fewer heads write faster."""
    print("fewer heads of keys and values", file=sys.stderr, flush=True)
    models = {heads: decoder(num_kv_heads=heads) for heads in (8, 4, 2, 1)}
    seconds = {heads: [] for heads in models}
    for heads in list(models) * rounds:  # they take turns
        seconds[heads].append(written(models[heads], 512, use_cache=True)[0])
    body = []
    for heads, model in models.items():
        cache = Cache(model, 8, max_len=512)
        stored = sum(x.untyped_storage().nbytes() for x in (cache.keys, cache.values))
        took = f"{1e3 * statistics.median(seconds[heads]):.0f}"
        body.append([str(heads), f"{cache.bytes_per_token:,}", f"{stored / 2**20:.0f}", took])
    header = ["num_kv_heads", "bytes per token", "8 sequences of 512, MiB"]
    return table([*header, "writing 512 tokens, ms"], body)


def gpt2_line():
    """The smallest GPT-2's cache; neither its vocabulary nor its mlp changes it."""
    model = Decoder(2, 768, num_layers=12, num_heads=12, mlp_dim=0, max_len=1024)
    cache = Cache(model)
    return (
        "With the sizes of the smallest GPT-2 (12 layers, 12 heads of 64, float32) a token takes "
        f"{cache.bytes_per_token:,} bytes, and 1,024 of them "
        f"{2 * cache.keys.nbytes / 2**20:.0f} MiB."
    )


def report(quick):
    torch.set_num_threads(1)
    started = time.perf_counter()
    lengths, rounds = ((64, 128), 2) if quick else ((64, 128, 256, 512), 9)
    parts = [
        "## Models that learn and write",
        f"Written by `benchmarks/learn.py`. An untrained decoder, {LAYERS} layers, width {WIDTH}, "
        f"{HEADS} heads, {WORDS} words, learned positions, float32, one thread, greedy, from a "
        f"prompt of one token; {rounds} rounds over seeds {', '.join(map(str, SEEDS))}. Times and "
        "speed-ups are medians.",
        "### The cache of keys and values: time",
        speed_table(lengths, rounds),
        "### The cache of keys and values: memory",
        memory_table(rounds),
        gpt2_line(),
        f"This part took {(time.perf_counter() - started) / 60:.1f} minutes.",
    ]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="short texts, to see that it runs")
    print(report(parser.parse_args().quick), end="")
