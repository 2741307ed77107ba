"""Multi-head attention beside its peers: `libraries.py` has the layers, here they are timed.

All modules of a row hold the same weights. On a GPU the sizes are larger, and bfloat16 is measured
beside float32.
"""

import functools
import itertools
import operator
import statistics
from typing import NamedTuple

import torch
from libraries import HEADS, SHARES, WITH_WEIGHTS, Mode, Peer, Seen, Size, forwards
from results import shown, table
from timing import counts, measure, median_ratio, saying

TITLE = "Multi-head attention beside D2L's and torch's"
ON = "processor", "GPU"
LARGE = [Size(2, 1024, 256), Size(4, 512, 512), Size(4, 2048, 512)]
SMALL = [Size(2, n, 256) for n in (16, 64, 256)]
ON_GPU = [Size(4, 1024, 512), Size(2, 4096, 512), Size(1, 16384, 512)]

# A column of the table: how many times as long the first takes as the second.
D2L, TORCH, FLOOR = "D2L ÷ ours", "torch ÷ ours", "ours ÷ floor"
WEIGHTS, MEAN = "torch ÷ ours, weights", "torch (mean) ÷ ours, weights"
RATIOS = {
    D2L: (Peer.D2L, Peer.OURS),
    TORCH: (Peer.TORCH, Peer.OURS),
    FLOOR: (Peer.OURS, Peer.FLOOR),
    WEIGHTS: (Peer.TORCH_WEIGHTS, Peer.OURS_WEIGHTS),
    MEAN: (Peer.TORCH_MEAN, Peer.OURS_WEIGHTS),
}

INTRODUCTION = f"""\
{HEADS} heads, projections with bias. The modules of a row are timed one after the other, in \
rounds of shuffled order; a ratio is the median over the rounds. Forward runs in inference mode \
and evaluation (torch's fast path included), backward in training mode. The floor is four \
`nn.Linear` and `scaled_dot_product_attention`. Padded batches have lengths {SHARES} of 1024, \
repeated. “torch, weights” returns one matrix per head, as ours does; “mean” is its default, \
their average. Where a call takes seconds, rows with weights and with training on one thread are \
left out."""

# Measuring ----------------------------------------------------------------------------------------


def measure_part(quick, device):
    large = LARGE if device == "cpu" else ON_GPU
    large = [Size(2, 256, 64)] if quick else large
    rounds = dict(threads=[1], rounds=3 if quick else 25)
    if device != "cpu":
        options = dict(rounds, weights=True, device=device)
        dtypes = (torch.float32, torch.bfloat16)
        return dict(large=[r for d in dtypes for r in speed_rows(large, dtype=d, **options)])
    rounds["threads"] = [1] if quick else counts()
    return dict(
        large=list(speed_rows(large, weights=True, **rounds)),
        small=list(speed_rows(SMALL[:1] if quick else SMALL, **rounds)),
    )


def speed_rows(sizes, *, threads, rounds=25, weights=False, dtype=torch.float32, **where):
    """Time every combination of threads, size, mode and visible keys; yields the row of each."""
    for count, size, mode, seen in itertools.product(threads, sizes, Mode, Seen):
        slow = size.batch * size.length**2 > 8e6  # whoever builds the weights takes seconds here
        if slow and mode is Mode.BACKWARD and count < max(threads):
            continue
        x, peers = forwards(size, seen, mode, dtype=dtype, **where)
        if slow or not weights or seen is Seen.CAUSAL:
            peers = {peer: call for peer, call in peers.items() if peer not in WITH_WEIGHTS}
        calls = {peer: functools.partial(one_pass, call, x, mode) for peer, call in peers.items()}
        saying(f"{count} threads, {size}, {mode.value}, {seen.value}, {dtype}")
        seconds = measure(calls, threads=count, rounds=rounds)
        row = {"threads": count, "size": list(size), "pass": mode.value, "seen": seen.value}
        row |= {"dtype": str(dtype).removeprefix("torch.")}
        row |= {"ours, ms": 1e3 * statistics.median(seconds[Peer.OURS])}
        yield row | {name: ratio(seconds, *peers) for name, peers in RATIOS.items()}


def ratio(seconds, over, under):
    """How many times as long `over` takes; None if one was not asked, words if one has no room."""
    if over not in seconds or under not in seconds:
        return None
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


class Promise(NamedTuple):
    """A bound on a ratio in every one of the rows: from below, or from above if `at_most`."""

    text: str
    rows: list
    ratio: str
    limit: float
    at_most: bool = False


def section(data):
    """What was measured, in Markdown."""
    if "small" not in data:  # a GPU
        return f"{promise_table(data)}\n\n{speed_table(data['large'])}"
    parts = [
        *("### Promises, and the worst row", promise_table(data)),
        *("### Large", speed_table(data["large"])),
        *("### Small", speed_table(data["small"])),
    ]
    return "\n\n".join(parts)


def long_and_hidden(data):
    """The large rows of at least 1024 tokens in which keys are hidden."""
    return [row for row in data["large"] if row["size"][1] >= 1024 and row["seen"] != "all"]


def promise_table(data):
    """For each promise the worst row, and in how many rows it is kept."""
    large, every = data["large"], data["large"] + data.get("small", [])
    promises = [
        Promise("D2L ÷ ours, padded or causal, n ≥ 1024", long_and_hidden(data), D2L, 5),
        Promise("D2L ÷ ours, any size", every, D2L, 1),
        Promise("torch ÷ ours", large, TORCH, 1),
        Promise("torch ÷ ours, weights", large, WEIGHTS, 1),
        Promise("ours ÷ floor", large, FLOOR, 1.05, at_most=True),
    ]
    lines = [promise_line(promise) for promise in promises if promise.rows]
    return table(["promise", "rows that keep it", "worst", "where"], lines)


def promise_line(promise):
    found = [(row[promise.ratio], row) for row in promise.rows]
    found = [(number, row) for number, row in found if isinstance(number, float)]
    keeps = operator.le if promise.at_most else operator.ge
    kept = sum(keeps(number, promise.limit) for number, _ in found)
    worst, row = (max if promise.at_most else min)(found, key=operator.itemgetter(0))
    where = f"{row['threads']} thr., {size_of(row)}, {row['pass']}, {row['seen']}"
    where += f", {row['dtype']}" * (row["dtype"] != "float32")
    bound = f"at {'most' if promise.at_most else 'least'} {promise.limit}"
    return [f"{promise.text}: {bound}", f"{kept} of {len(found)}", f"{worst:.2f}", where]


def size_of(row):
    return ", ".join(map(str, row["size"]))


def speed_table(rows):
    extra = ["dtype"] if any(row["dtype"] != "float32" for row in rows) else []
    names = [name for name in RATIOS if any(row[name] is not None for row in rows)]
    header = ["threads", *extra, "B, n, d", "pass", "keys seen", "ours, ms", *names]
    lines = []
    for row in rows:
        head = [row["threads"], *(row[name] for name in extra), size_of(row), row["pass"]]
        numbers = [shown(row["ours, ms"], ".3g"), *(shown(row[name]) for name in names)]
        lines.append([*head, row["seen"], *numbers])
    return table(header, lines)
