"""What was measured, in Markdown and in a figure."""

import operator
import pathlib
import platform
import statistics
from typing import NamedTuple

import matplotlib.pyplot as plt
import torch
from memory import WIDTH, MemoryPeer
from peers import HEADS, SHARES, Peer, Seen

from d2lattn.pictures.plots import LINE_STYLES, MARKERS


class Results(NamedTuple):
    """Everything that a run measures."""

    large: list  # of Row
    small: list  # of Row
    padded: list  # of Row, with the difference of the outputs
    memory: dict  # MemoryPeer -> {n: MiB}
    on_gpu: dict  # dtype -> list of Row
    import_ratio: float


class Ratio(NamedTuple):
    """A column of the table: how many times as long `over` takes as `under`."""

    heading: str
    over: Peer
    under: Peer


class Promise(NamedTuple):
    """A bound on over ÷ under in every one of the rows: from below, or from above if `at_most`."""

    text: str
    rows: list
    over: Peer
    under: Peer
    limit: float
    at_most: bool = False


RATIOS = (
    Ratio("D2L ÷ ours", Peer.D2L, Peer.OURS),
    Ratio("torch ÷ ours", Peer.TORCH, Peer.OURS),
    Ratio("ours ÷ floor", Peer.OURS, Peer.FLOOR),
    Ratio("torch ÷ ours, weights", Peer.TORCH_WEIGHTS, Peer.OURS_WEIGHTS),
    Ratio("torch (mean) ÷ ours, weights", Peer.TORCH_MEAN, Peer.OURS_WEIGHTS),
)

INTRODUCTION = """\
# Results

Written by `make bench`. Processor: {processor}, {threads} threads at most. torch {torch}, \
float32, {heads} heads, projections with bias.

The modules of a row are timed one after the other, in rounds of shuffled order; a ratio is the \
median over the rounds. Forward runs in inference mode and evaluation (torch's fast path \
included), backward in training mode. The floor is four bare products and \
`scaled_dot_product_attention`. Padded batches have lengths {shares} of 1024, repeated. “torch, \
weights” returns one matrix per head, as ours does; “mean” is its default, their average."""

PADDED = f"""\
Lengths {SHARES}, 54 % of the keys: the masked fused call over the full width, with its \
projections, against ours, which projects and scores each sequence's own keys alone."""


def report(results):
    """The text of RESULTS.md."""
    parts = [
        INTRODUCTION.format(
            processor=processor(),
            threads=torch.get_num_threads(),
            torch=torch.__version__,
            heads=HEADS,
            shares=SHARES,
        ),
        *("## Promises, and the worst row", promise_table(results)),
        *("## Large", speed_table(results.large)),
        *("## Small", speed_table(results.small)),
        *("## A padded batch costs what its keys cost", PADDED, padded_table(results.padded)),
        "## Import",
        f"`import d2lattn` takes {results.import_ratio:.2f} times as long as `import torch`, "
        "which it includes.",
        "## Peak memory of one forward pass, MiB, against n",
        memory_table(results.memory),
        "![Peak memory against n](memory.png)",
    ]
    for dtype, rows in results.on_gpu.items():
        parts += [f"## {torch.cuda.get_device_name()}, {dtype}", speed_table(rows)]
    return "\n\n".join(parts) + "\n"


def promises(results):
    long = [row for row in results.large if row.size.length >= 1024 and row.seen is not Seen.ALL]
    every, large, padded = results.large + results.small, results.large, results.padded
    ours, floor, torchs, d2l = Peer.OURS, Peer.FLOOR, Peer.TORCH, Peer.D2L
    weights = Peer.TORCH_WEIGHTS, Peer.OURS_WEIGHTS
    return [
        Promise("D2L ÷ ours, padded or causal, n ≥ 1024", long, d2l, ours, 5),
        Promise("D2L ÷ ours, any size", every, d2l, ours, 1),
        Promise("torch ÷ ours", large, torchs, ours, 1),
        Promise("torch ÷ ours, weights", large, *weights, 1),
        Promise("ours ÷ floor", large, ours, floor, 1.05, at_most=True),
        Promise("masked kernel ÷ ours, padded batch of four", padded, floor, ours, 1.4),
    ]


def promise_table(results):
    """For each promise the worst row, and in how many rows it is kept."""
    lines = [promise_line(promise) for promise in promises(results)]
    return table(["promise", "rows that keep it", "worst", "where"], lines)


def promise_line(promise):
    found = [(row.times_as_long(promise.over, promise.under), row) for row in promise.rows]
    found = [(ratio, row) for ratio, row in found if ratio is not None]
    keeps = operator.le if promise.at_most else operator.ge
    kept = sum(keeps(ratio, promise.limit) for ratio, _ in found)
    worst, row = (max if promise.at_most else min)(found, key=operator.itemgetter(0))
    where = f"{row.threads} thr., {row.size}, {row.mode.value}"
    if row.difference is None:  # otherwise all of them are padded
        where += f", {row.seen.value}"
    bound = f"at {'most' if promise.at_most else 'least'} {promise.limit}"
    return [f"{promise.text}: {bound}", f"{kept} of {len(found)}", f"{worst:.2f}", where]


def speed_table(rows):
    header = ["threads", "B, n, d", "pass", "keys seen", "ours, ms"]
    header += [ratio.heading for ratio in RATIOS]
    lines = [
        [
            *(str(row.threads), str(row.size), row.mode.value, row.seen.value),
            f"{statistics.median(row.seconds[Peer.OURS]) * 1e3:.3g}",
            *(ratio_text(row, ratio.over, ratio.under) for ratio in RATIOS),
        ]
        for row in rows
    ]
    return table(header, lines)


def padded_table(rows):
    lines = [
        [
            *(str(row.threads), str(row.size), row.mode.value),
            ratio_text(row, Peer.FLOOR, Peer.OURS),
            "< 1e-5" if row.difference < 1e-5 else f"{row.difference:.1g}",
        ]
        for row in rows
    ]
    return table(["threads", "B, n, d", "pass", "masked ÷ ours", "largest difference"], lines)


def memory_table(memory):
    lengths = sorted({n for points in memory.values() for n in points})
    lines = [
        [peer.value, *(f"{points[n]:.0f}" if n in points else "–" for n in lengths)]
        for peer, points in memory.items()
    ]
    return table([f"B=1, d={WIDTH}", *map(str, lengths)], lines)


def ratio_text(row, over, under):
    ratio = row.times_as_long(over, under)
    if ratio is not None:
        return f"{ratio:.2f}"
    return "out of memory" if over in row.seconds or under in row.seconds else "–"


def table(header, lines):
    rows = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(rows + ["| " + " | ".join(line) + " |" for line in lines])


def draw_memory(memory, path):
    """The figure of `memory_table`, both axes logarithmic."""
    figure, ax = plt.subplots(figsize=(6.5, 4), layout="constrained", facecolor="white")
    for i, (peer, points) in enumerate(memory.items()):
        n, mebibytes = zip(*sorted(points.items()), strict=True)
        style, marker = LINE_STYLES[i % len(LINE_STYLES)], MARKERS[i % len(MARKERS)]
        ax.plot(n, mebibytes, style, marker=marker, markersize=4, label=peer.value)
    lengths = sorted(memory[MemoryPeer.FUSED])
    ax.set_xscale("log", base=2)
    ax.set_yscale("log", base=2)
    ax.set_xticks(lengths, [str(n) for n in lengths])
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    ax.set(
        xlabel=f"length n (B=1, d={WIDTH}, {HEADS} heads)", ylabel="peak memory of one call (MiB)"
    )
    ax.grid(alpha=0.3)
    ax.legend(frameon=False)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def processor():
    """The processor's name as the system gives it."""
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
