"""Grouped queries: what fewer heads of keys and values save when one new word asks a cache."""

import statistics

import torch
import torch.nn.functional as F
from results import shown, table
from timing import counts, measure, median_ratio, saying

from d2lattn import MultiHeadAttention

TITLE = "One new word over a cache, with fewer heads of keys"
ON = "processor", "GPU"
HEADS, WIDTH, KEYS = 32, 128, 8192
OURS, TORCH = "layer", "enable_gqa"
INTRODUCTION = f"""\
One query, {HEADS} heads of {WIDTH}, {KEYS:,} keys, float32, no mask, without gradients. “Layer” \
is our `attend`; “enable_gqa” is torch's kernel told to share. In brackets the time divided by \
that of the kernel with {HEADS} heads of keys, the median over rounds in which all calls take \
turns. Where others use the machine, too, two threads wait for each other, most of all where one \
head of keys leaves only thin products, each of which is split between them: there one thread is \
many times faster."""


def measure_part(quick, device):
    keys, options = (256, dict(rounds=3)) if quick else (KEYS, dict(rounds=25, budget=60))
    with torch.no_grad():
        calls = calls_of(keys, device)
        rows = []
        for threads in counts() if device == "cpu" else [1]:
            saying(f"grouped queries, {threads} threads")
            rows += rows_of(threads, measure(calls, threads=threads, **options))
    return dict(keys=keys, rows=rows)


def calls_of(keys, device):
    """{(heads of keys, who): a call without arguments}."""
    query = torch.rand(1, HEADS, 1, WIDTH, device=device)
    calls = {}
    for kv_heads in (HEADS, 8, 1):
        with torch.device("meta"):  # `attend` needs none of its matrices
            layer = MultiHeadAttention(HEADS * WIDTH, HEADS, num_kv_heads=kv_heads).eval()
        key, value = torch.rand(2, 1, kv_heads, keys, WIDTH, device=device)
        for who, call in calls_with(layer, query, key, value).items():
            calls[kv_heads, who] = call
    return calls


def calls_with(layer, query, key, value):
    """{who: call}; they agree."""
    calls = {
        OURS: lambda: layer.attend(query, key, value)[0],
        TORCH: lambda: F.scaled_dot_product_attention(query, key, value, enable_gqa=True),
    }
    for who, call in calls.items():
        torch.testing.assert_close(call(), calls[OURS](), msg=who)
    return calls


def rows_of(threads, seconds):
    """A row for each number of heads of keys: milliseconds, and how many times the kernel's."""
    whole = seconds[HEADS, TORCH]
    for kv_heads in dict.fromkeys(kv_heads for kv_heads, _ in seconds):
        row = {"threads": threads, "heads of keys": kv_heads}
        for who in (OURS, TORCH):
            taken = seconds[kv_heads, who]
            row[who] = [1e3 * statistics.median(taken), median_ratio(taken, whole)]
        yield row


def section(data):
    header = ["threads", "heads of keys", *(f"{who}, ms" for who in (OURS, TORCH))]
    body = [
        [shown(x, "") if isinstance(x, int) else f"{x[0]:.3g} ({x[1]:.2f})" for x in row.values()]
        for row in data["rows"]
    ]
    return table(header, body)
