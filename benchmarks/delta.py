"""A state against a list: the delta rule in chunks beside causal softmax, as the text grows."""

import statistics

import torch
import torch.nn.functional as F
from results import table
from timing import counts, measure, median_ratio, saying

from d2lattn import delta_attention

TITLE = "The delta rule beside causal softmax"
ON = "processor", "GPU"
HEADS, WIDTH, CHUNK = 4, 64, 64
LENGTHS = (1024, 2048, 4096, 8192, 16384)
SOFTMAX, CHUNKS, STEPS = "softmax", "in chunks", "word by word"
INTRODUCTION = f"""\
One text, {HEADS} heads of {WIDTH}, float32, without gradients. “Softmax” is torch's \
`scaled_dot_product_attention` with `is_causal`; the others are `delta_attention` in chunks of \
{CHUNK} words and one word after the other. In brackets the time divided by that of the softmax, \
the median over rounds in which all calls take turns: below 1 the state is faster."""


def measure_part(quick, device):
    lengths, options = ((256,), dict(rounds=3)) if quick else (LENGTHS, dict(rounds=9, budget=25))
    rows = []
    with torch.no_grad():
        for threads in counts() if device == "cpu" else [1]:
            for n in lengths:
                saying(f"delta rule, {threads} threads, n = {n}")
                seconds = measure(calls_of(n, device), threads=threads, **options)
                rows.append({"threads": threads, "n": n, **row_of(seconds)})
    return dict(rows=rows)


def calls_of(n, device):
    """{who: a call without arguments}; both forms of the delta rule agree."""
    query, key, value = torch.randn(3, 1, HEADS, n, WIDTH, device=device)
    key, beta = F.normalize(key, dim=-1), torch.rand(1, HEADS, n, device=device)
    calls = {
        SOFTMAX: lambda: F.scaled_dot_product_attention(query, key, value, is_causal=True),
        CHUNKS: lambda: delta_attention(query, key, value, beta=beta, chunk_size=CHUNK),
        STEPS: lambda: delta_attention(query, key, value, beta=beta),
    }
    torch.testing.assert_close(calls[CHUNKS](), calls[STEPS](), atol=1e-4, rtol=1e-4)
    return calls


def row_of(seconds):
    """Milliseconds of each, and how many times the softmax's."""
    whole = seconds[SOFTMAX]
    return {
        who: [1e3 * statistics.median(taken), median_ratio(taken, whole)]
        for who, taken in seconds.items()
    }


def milliseconds(taken):
    return f"{taken:,.0f}" if taken >= 10 else f"{taken:.2g}"


def section(data):
    header = ["threads", "n", *(f"{who}, ms" for who in (SOFTMAX, CHUNKS, STEPS))]
    body = [
        [
            row["threads"],
            f"{row['n']:,}",
            *(f"{milliseconds(row[w][0])} ({row[w][1]:.2f})" for w in (SOFTMAX, CHUNKS, STEPS)),
        ]
        for row in data["rows"]
    ]
    return table(header, body)
