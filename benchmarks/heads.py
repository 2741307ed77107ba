"""Multi-head attention beside its peers: `peers.py` has the layers, here they are timed.

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
WIDTHS = [256, 512]  # of the padded batch

# A column of the table: how many times as long the first takes as the second.
D2L, TORCH, FLOOR = "D2L ÷ ours", "torch ÷ ours", "ours ÷ floor"
WEIGHTS, MEAN, MASKED = "torch ÷ ours, weights", "torch (mean) ÷ ours, weights", "masked ÷ ours"
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
and evaluation (torch's fast path included), backward in training mode. The floor is four bare \
products and `scaled_dot_product_attention`. Padded batches have lengths {SHARES} of 1024, \
repeated. “torch, weights” returns one matrix per head, as ours does; “mean” is its default, \
their average. Where a call takes seconds, rows with weights and with training on one thread are \
left out."""

PADDED = f"""\
Lengths {SHARES}, 54 % of the keys: the masked fused call over the full width, with its \
projections, against ours, which projects and scores each sequence's own keys alone."""


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
        padded=list(padded_rows([64] if quick else WIDTHS, **rounds)),
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


def padded_rows(widths, *, threads, rounds):
    """The padded batch on its own keys against the masked kernel over the full width."""
    sizes = [Size(len(SHARES), SHARES[0], width) for width in widths]
    for count, size, mode in itertools.product(threads, sizes, Mode):
        saying(f"{count} threads, {size}, {mode.value}, a padded batch")
        x, peers = forwards(size, Seen.PADDED, mode)
        difference = (peers[Peer.OURS]() - peers[Peer.FLOOR]()).abs().max().item()
        pair = (Peer.OURS, Peer.FLOOR)
        calls = {peer: functools.partial(one_pass, peers[peer], x, mode) for peer in pair}
        seconds = measure(calls, threads=count, rounds=rounds)
        row = {"threads": count, "size": list(size), "pass": mode.value, "difference": difference}
        yield row | {MASKED: median_ratio(seconds[Peer.FLOOR], seconds[Peer.OURS])}


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
        *("### A padded batch costs what its keys cost", PADDED, padded_table(data["padded"])),
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
        Promise("masked kernel ÷ ours, padded batch of four", data.get("padded", []), MASKED, 1.4),
    ]
    lines = [promise_line(promise) for promise in promises if promise.rows]
    return table(["promise", "rows that keep it", "worst", "where"], lines)


def promise_line(promise):
    found = [(row[promise.ratio], row) for row in promise.rows]
    found = [(number, row) for number, row in found if isinstance(number, float)]
    keeps = operator.le if promise.at_most else operator.ge
    kept = sum(keeps(number, promise.limit) for number, _ in found)
    worst, row = (max if promise.at_most else min)(found, key=operator.itemgetter(0))
    where = f"{row['threads']} thr., {size_of(row)}, {row['pass']}"
    if "seen" in row:  # otherwise all of them are padded, and in float32
        where += f", {row['seen']}" + f", {row['dtype']}" * (row["dtype"] != "float32")
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


def padded_table(rows):
    lines = []
    for row in rows:
        apart = row["difference"]
        told = f"{apart:.1g}" if apart >= 1e-5 else "< 1e-5"
        lines.append([row["threads"], size_of(row), row["pass"], shown(row[MASKED]), told])
    return table(["threads", "B, n, d", "pass", MASKED, "largest difference"], lines)
