"""Multi-head attention beside its peers: `libraries.py` has the layers, here they are timed.

All modules of a row hold the same weights. On a GPU the sizes are larger, and bfloat16 is measured
beside float32.
"""

import functools
import itertools
import statistics

import torch
from libraries import HEADS, SHARES, Mode, Peer, Seen, Size, forwards
from results import shown, table
from timing import counts, measure, median_ratio, saying

TITLE = "Multi-head attention beside D2L's and torch's"
ON = "processor", "GPU"
LARGE = [Size(2, 1024, 256), Size(4, 512, 512), Size(4, 2048, 512)]
ON_GPU = [Size(4, 1024, 512), Size(2, 4096, 512), Size(1, 16384, 512)]

# A column of the table: how many times as long the first takes as the second.
D2L, TORCH, FLOOR = "D2L ÷ ours", "torch ÷ ours", "ours ÷ floor"
RATIOS = {
    D2L: (Peer.D2L, Peer.OURS),
    TORCH: (Peer.TORCH, Peer.OURS),
    FLOOR: (Peer.OURS, Peer.FLOOR),
}

INTRODUCTION = f"""\
{HEADS} heads, projections with bias. The modules of a row are timed one after the other, in \
rounds of shuffled order; a ratio is the median over the rounds. Forward runs in inference mode \
and evaluation (torch's fast path included), backward in training mode. The floor is four \
`nn.Linear` and `scaled_dot_product_attention`. Padded batches have lengths {SHARES} of 1024, \
repeated. Where a call takes seconds, rows with training on one thread are left out."""

# Measuring ----------------------------------------------------------------------------------------


def measure_part(quick, device):
    sizes = LARGE if device == "cpu" else ON_GPU
    sizes = [Size(2, 256, 64)] if quick else sizes
    threads = counts() if device == "cpu" and not quick else [1]
    dtypes = [torch.float32] if device == "cpu" else [torch.float32, torch.bfloat16]
    options = dict(threads=threads, rounds=3 if quick else 25, device=device)
    return dict(large=[row for dtype in dtypes for row in speed_rows(sizes, dtype, **options)])


def speed_rows(sizes, dtype, *, threads, rounds, device):
    """Time every combination of threads, size, mode and visible keys; yields the row of each."""
    for count, size, mode, seen in itertools.product(threads, sizes, Mode, Seen):
        slow = size.batch * size.length**2 > 8e6  # D2L's weights take seconds here
        if slow and mode is Mode.BACKWARD and count < max(threads):
            continue
        x, peers = forwards(size, seen, mode, dtype=dtype, device=device)
        calls = {peer: functools.partial(one_pass, call, x, mode) for peer, call in peers.items()}
        saying(f"{count} threads, {size}, {mode.value}, {seen.value}, {dtype}")
        seconds = measure(calls, threads=count, rounds=rounds)
        row = {"threads": count, "size": list(size), "pass": mode.value, "seen": seen.value}
        row |= {"dtype": str(dtype).removeprefix("torch.")}
        row |= {"ours, ms": 1e3 * statistics.median(seconds[Peer.OURS])}
        yield row | {name: ratio(seconds, *peers) for name, peers in RATIOS.items()}


def ratio(seconds, over, under):
    """How many times as long `over` takes; words if one has no room."""
    if seconds[over] is None or seconds[under] is None:
        return "out of memory"
    return median_ratio(seconds[over], seconds[under])


def one_pass(forward, x, mode):
    """A forward pass in inference mode, or a forward and a backward one."""
    if mode is Mode.FORWARD:
        with torch.inference_mode():
            return forward()
    x.grad = None
    return forward().sum().backward()


# Telling ------------------------------------------------------------------------------------------


def section(data):
    return speed_table(data["large"])


def long_and_hidden(data):
    """The large rows of at least 1024 tokens in which keys are hidden."""
    return [row for row in data["large"] if row["size"][1] >= 1024 and row["seen"] != "all"]


def speed_table(rows):
    extra = ["dtype"] if any(row["dtype"] != "float32" for row in rows) else []
    header = ["threads", *extra, "B, n, d", "pass", "keys seen", "ours, ms", *RATIOS]
    lines = []
    for row in rows:
        size = ", ".join(map(str, row["size"]))
        head = [row["threads"], *(row[name] for name in extra), size, row["pass"]]
        numbers = [shown(row["ours, ms"], ".3g"), *(shown(row[name]) for name in RATIOS)]
        lines.append([*head, row["seen"], *numbers])
    return table(header, lines)
