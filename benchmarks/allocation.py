"""Where the time of the formula goes on a processor: its tables need memory, asked for anew."""

import math

import torch
from results import table
from timing import measure, median_ratio, saying

from d2lattn import attention

TITLE = "The formula, with its tables in memory that is ready"
ON = ("processor",)
N, WIDTH = 4096, 64
FORMULA, READY, SOFTMAX, FUSED = "formula", "tables in ready memory", "of which softmax", "fused"
INTRODUCTION = f"""\
One head of {WIDTH}, float32, no mask, one thread, without gradients. The formula writes two \
tables of scores and weights into memory that the program asks for anew in every call; the second \
row writes them where tables have been before. A ratio is the median over rounds in which all \
calls take turns."""


def measure_part(quick, device):
    saying("tables in ready memory")
    n, options = (256, dict(rounds=3)) if quick else (N, dict(rounds=25, budget=60))
    q, k, v = torch.randn(3, 1, 1, n, WIDTH, generator=torch.Generator().manual_seed(0))
    scores, weights = torch.zeros(2, 1, 1, n, n)

    def in_ready_memory():
        torch.matmul(q / math.sqrt(WIDTH), k.mT, out=scores)
        torch.softmax(scores, -1, out=weights)
        return weights @ v

    calls = {
        FORMULA: lambda: attention(q, k, v, engine="explicit"),
        READY: in_ready_memory,
        SOFTMAX: lambda: torch.softmax(scores, -1, out=weights),
        FUSED: lambda: attention(q, k, v),
    }
    with torch.no_grad():
        seconds = measure(calls, **options)
    saved = [
        (whole - ready) / (whole - fused)
        for whole, ready, fused in zip(*(seconds[x] for x in (FORMULA, READY, FUSED)), strict=True)
    ]
    rows = [
        {"": name, "ms": 1e3 * min(taken), "÷ formula": median_ratio(taken, seconds[FORMULA])}
        for name, taken in seconds.items()
    ]
    return dict(n=n, rows=rows, saved=sorted(saved)[len(saved) // 2])


def section(data):
    body = [[row[""], f"{row['ms']:.1f}", f"{row['÷ formula']:.2f}"] for row in data["rows"]]
    told = f"Ready memory saves {data['saved']:.2f} of what the fused kernel saves."
    return "\n\n".join([table([f"n = {data['n']:,}", "ms, least", "÷ formula"], body), told])
