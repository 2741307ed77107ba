"""Attention by hashing: what it gets wrong, and how its operations grow."""

import math
import statistics

import torch
from lengths import FIT, E, exponent, exponent_lines, inputs, seeded
from results import table
from timing import saying
from torch.utils.flop_counter import FlopCounterMode

from d2lattn import attention_weights, lsh_attention
from d2lattn.sparse import lsh_buckets, lsh_mask

TITLE = "Hashing: error, and recall of each query's 8 largest weights"
ON = ("processor",)
INTRODUCTION = """\
Points around 32 directions; chunks of twice the mean bucket. The error is that of the output \
against full attention with shared queries and keys, relative to its norm; the mean of three \
seeds."""
BUCKETS, ROUNDS = (1, 4, 16, 64), (1, 2, 4, 8)


def measure_part(quick, device):
    n, seeds = (256, 1) if quick else (2048, 3)
    saying("hashing")
    torch.set_num_threads(1)
    rows = [quality(n, buckets, rounds, seeds) for buckets in BUCKETS for rounds in ROUNDS]
    sizes = [2**p for p in range(10, 13 if quick else 16)]
    points = {n * math.log2(n): operations(n) for n in sizes}
    of = "operations counted, over n·log₂ n"
    growth = exponent(of, points, "1") | {"from": sizes[0], "to": sizes[-1]}
    return {"n": n, "rows": rows, "exponents": [growth]}


def clusters(n, seed, centres=32, noise=0.5):
    """Points around some directions, long enough for a softmax that is far from even."""
    directions = torch.randn(centres, E, generator=seeded(seed))
    directions = 24 * directions / directions.norm(dim=-1, keepdim=True)
    which = torch.randint(centres, (n,), generator=seeded(seed + 1))
    return directions[which] + 3 * noise * torch.randn(n, E, generator=seeded(seed + 2))


def quality(n, buckets, rounds, seeds):
    found = []
    for seed in range(seeds):
        value = torch.randn(n, E, generator=seeded(100 + seed))
        found.append(error_and_recall(clusters(n, 10 * seed), value, seed, buckets, rounds))
    error, recall = (statistics.fmean(x) for x in zip(*found, strict=True))
    return {"buckets": buckets, "rounds": rounds, "error": float(error), "recall": float(recall)}


def error_and_recall(qk, value, seed, num_buckets, num_rounds):
    """‖output - exact‖ / ‖exact‖, and the share of each query's 8 largest weights that is found."""
    hashes, n = dict(num_buckets=num_buckets, num_rounds=num_rounds), len(qk)
    buckets = lsh_buckets(qk, generator=seeded(seed), **hashes)
    found = lsh_mask(buckets, chunk_size=-(-2 * n // num_buckets))
    others = ~torch.eye(n, dtype=torch.bool)
    weights = attention_weights(qk, torch.nn.functional.normalize(qk, dim=-1), attn_mask=others)
    output = lsh_attention(qk, value, generator=seeded(seed), **hashes)
    exact = weights @ value
    recall = found.gather(-1, weights.topk(8).indices).float().mean()
    return (output - exact).norm() / exact.norm(), recall


def operations(n):
    """FLOPs of the products, counted, and comparisons of sorting each round, n·log₂ n."""
    rounds, buckets, chunk = 2, n // 64, 128
    qk, _, value = inputs(n)
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        lsh_attention(qk, value, num_buckets=buckets, num_rounds=rounds, chunk_size=chunk)
    return counter.get_total_flops() + rounds * n * math.log2(n)


def section(data):
    body = []
    for buckets in BUCKETS:
        of_buckets = [row for row in data["rows"] if row["buckets"] == buckets]
        told = [f"{row['error']:.2f}, {row['recall']:.0%}" for row in of_buckets]
        body.append([buckets, -(-2 * data["n"] // buckets), *told])
    header = ["buckets", "chunk", *(f"{r} rounds" for r in ROUNDS)]
    parts = [
        table(header, body),
        f"{FIT} Here n/64 buckets, chunks of 128 and 2 rounds.",
        table(*exponent_lines(data["exponents"])),
    ]
    return "\n\n".join(parts)
