"""Long sequences: the calls that are measured against n, their inputs, and a fit of exponents.

One head, E = 64, float32, no mask unless a call's name says so. `engines.py` measures time,
`held.py` memory, `hashing.py` error and recall.
"""

import math
import statistics

import torch

from d2lattn import attention, linear_attention, lsh_attention, window_attention

E, WIDTH = 64, 256  # of the head, and of the window
FORWARD, BACKWARD = "forward", "forward and backward"
CALLS = {
    "explicit": lambda q, k, v: attention(q, k, v, engine="explicit"),
    "chunked": lambda q, k, v: attention(q, k, v, engine="chunked"),
    "chunked, causal": lambda q, k, v: attention(q, k, v, engine="chunked", is_causal=True),
    "fused": attention,
    "window": lambda q, k, v: window_attention(q, k, v, width=WIDTH),
    "linear": linear_attention,
    "linear, causal": lambda q, k, v: linear_attention(q, k, v, is_causal=True),
    "lsh": lambda q, k, v: lsh_attention(
        q, v, num_buckets=max(1, q.shape[-2] // 64), num_rounds=2, generator=seeded(1)
    ),
}
FIT = "Least squares on logarithms; ± is half of the 95 % interval."


def seeded(seed):
    return torch.Generator().manual_seed(seed)


def inputs(n, grad=False):
    return [torch.randn(1, 1, n, E, generator=seeded(i)).requires_grad_(grad) for i in range(3)]


def run(call, tensors, direction):
    """One pass; the gradient of the output is given, as training gives it."""
    if direction == FORWARD:
        with torch.no_grad():
            return call(*tensors)
    output = call(*tensors)
    return output, torch.autograd.grad(output, tensors, torch.ones_like(output))


# Student's t for 95 %, by degrees of freedom.
T95 = (math.inf, 12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31)


def exponent(name, points, promise):
    """The row of an exponent: the slope of log y over log x in {x: y}, y at least 1."""
    x = [math.log(a) for a in points]
    y = [math.log(max(b, 1)) for b in points.values()]
    slope, start = statistics.linear_regression(x, y)
    free = len(x) - 2
    spread = sum((b - start - slope * a) ** 2 for a, b in zip(x, y, strict=True)) / max(free, 1)
    error = math.sqrt(spread / sum((a - statistics.fmean(x)) ** 2 for a in x))
    half = T95[min(free, len(T95) - 1)] * error if free else None
    ends = {"from": round(min(points)), "to": round(max(points))}
    return {"": name, **ends, "exponent": slope, "±": half, "promise": promise}


def exponent_lines(rows):
    """Header and rows of a table of exponents."""
    body = []
    for row in rows:
        half = "" if row["±"] is None else f" ± {row['±']:.2f}"
        between = f"{row['from']:,} … {row['to']:,}"
        body.append([row[""], between, f"{row['exponent']:.2f}{half}", row["promise"]])
    return ["", "range of n", "exponent", "promise"], body
