"""Long sequences: time and memory of the engines and of sparse attention, against n.

    python benchmarks/long.py [--quick] [--budget SECONDS] > long.md

prints a section in Markdown: one head, E = 64, float32, no mask unless a row says so. A row is
repeated seven times, or as often as its budget allows (at least once); the table says how often.
Memory is measured in a process of its own for each row, in two ways: the system's high-water mark
of the process, and the bytes of all tensors alive after each operation.
"""

import argparse
import itertools
import math
import os
import pathlib
import statistics
import subprocess
import sys
import time

import torch
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import FlopCounterMode

from d2lattn import attention, linear_attention, lsh_attention, window_attention, window_mask
from d2lattn.sparse import lsh_quality

E, WIDTH, MIB = 64, 256, 2**20
PASSES = ("forward", "forward and backward")
CALLS = {
    "explicit": lambda q, k, v: attention(q, k, v, engine="explicit"),
    "chunked": lambda q, k, v: attention(q, k, v, engine="chunked"),
    "chunked, causal": lambda q, k, v: attention(q, k, v, engine="chunked", is_causal=True),
    "fused": attention,
    "fused, causal": lambda q, k, v: attention(q, k, v, is_causal=True),
    "window": lambda q, k, v: window_attention(q, k, v, width=WIDTH),
    "linear": linear_attention,
    "linear, causal": lambda q, k, v: linear_attention(q, k, v, is_causal=True),
    "lsh": lambda q, k, v: lsh_attention(
        q, v, num_buckets=max(1, q.shape[-2] // 64), num_rounds=2, generator=seeded(1)
    ),
}


def seeded(seed):
    return torch.Generator().manual_seed(seed)


def inputs(n, grad=False):
    return [torch.randn(1, 1, n, E, generator=seeded(i)).requires_grad_(grad) for i in range(3)]


def run(call, tensors, direction):
    """One pass; the gradient of the output is given, as training gives it."""
    if direction == "forward":
        with torch.no_grad():
            return call(*tensors)
    output = call(*tensors)
    return output, torch.autograd.grad(output, tensors, torch.ones_like(output))


# Times --------------------------------------------------------------------------------------------


def seconds(names, n, direction, *, threads, rounds, budget, calls=CALLS):
    """name -> seconds of each round; the names take turns, lest one has the quieter machine."""
    print(f"{threads} threads, n={n}, {direction}: {', '.join(names)}", file=sys.stderr, flush=True)
    torch.set_num_threads(threads)
    tensors, found, started = inputs(n, direction != "forward"), {}, time.perf_counter()
    small = inputs(256, direction != "forward")
    for done in range(rounds):
        if done and (time.perf_counter() - started) * (done + 1) / done > budget:
            break
        for name in names:
            if n <= 4096 or name not in found:  # warm up, in small where the row is long
                run(calls[name], tensors if n <= 4096 else small, direction)
            start = time.perf_counter()
            run(calls[name], tensors, direction)
            found.setdefault(name, []).append(time.perf_counter() - start)
    return found


def product_rate(threads, size=2048):
    """FLOPs per second of a square matrix product, the best of seven."""
    torch.set_num_threads(threads)
    a, b = torch.randn(2, size, size)
    times = []
    for _ in range(8):
        start = time.perf_counter()
        a @ b
        times.append(time.perf_counter() - start)
    return 2 * size**3 / min(times[1:])


# Memory -------------------------------------------------------------------------------------------


class Alive(TorchDispatchMode):
    """Bytes of the tensors made inside that are alive, after each operation; the most is kept."""

    def __init__(self, known):
        super().__init__()
        self.known = {x.untyped_storage()._cdata for x in known}
        self.storages, self.most = {}, 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        for x in tree_leaves(result):
            if torch.is_tensor(x) and x.untyped_storage()._cdata not in self.known:
                storage = x.untyped_storage()
                self.storages[storage._cdata] = StorageWeakRef(storage), storage.nbytes()
        alive = {key: entry for key, entry in self.storages.items() if not entry[0].expired()}
        self.storages = alive
        self.most = max(self.most, sum(size for _, size in alive.values()))
        return result


def status(name):
    """A number of the process's status, in KiB."""
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(name)).split()[1])


def memory_here(name, n, direction):
    """Print MiB beyond inputs, output and gradients: by the system, and by counting."""
    torch.set_num_threads(1)
    with Alive([]):  # warms up, imports included
        run(CALLS[name], inputs(1024, direction != "forward"), direction)
    tensors = inputs(n, direction != "forward")
    kept = n * E * 4 * (1 if direction == "forward" else 1 + 1 + 3)  # outputs and gradients
    mark = pathlib.Path("/proc/self/clear_refs")
    by_system = math.nan
    if mark.exists():
        mark.write_text("5")  # sets the high-water mark back
        before = status("VmRSS")
    with Alive(tensors) as counted:
        run(CALLS[name], tensors, direction)
    if mark.exists():
        by_system = (status("VmHWM") - before) * 1024 - kept
    print(by_system / MIB, (counted.most - kept) / MIB)


def memory(name, n, direction):
    """(MiB by the system, MiB by counting), in a fresh process that gives freed memory back."""
    print(f"memory, n={n}, {direction}: {name}", file=sys.stderr, flush=True)
    freeing = dict(MALLOC_MMAP_THRESHOLD_="65536", MALLOC_TRIM_THRESHOLD_="65536")
    command = [sys.executable, __file__, "--memory-of", name, str(n), direction]
    output = subprocess.check_output(command, env={**os.environ, **freeing}, text=True)
    return tuple(map(float, output.split()[-2:]))


# Exponents ----------------------------------------------------------------------------------------

# Student's t for 95 %, by degrees of freedom.
T95 = (math.inf, 12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31)


def exponent(points):
    """(slope, half of its 95 % interval) of log y over log x, by least squares; y at least 1."""
    x = [math.log(a) for a in points]
    y = [math.log(max(b, 1)) for b in points.values()]
    slope, start = statistics.linear_regression(x, y)
    free = len(x) - 2
    spread = sum((b - start - slope * a) ** 2 for a, b in zip(x, y, strict=True)) / max(free, 1)
    error = math.sqrt(spread / sum((a - statistics.fmean(x)) ** 2 for a in x))
    return slope, T95[min(free, len(T95) - 1)] * error


def lsh_operations(n):
    """FLOPs of the products, counted, and comparisons of sorting each round, n·log₂ n."""
    rounds, buckets, chunk = 2, n // 64, 128
    qk, _, value = inputs(n)
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        lsh_attention(qk, value, num_buckets=buckets, num_rounds=rounds, chunk_size=chunk)
    return counter.get_total_flops() + rounds * n * math.log2(n)


# The report ---------------------------------------------------------------------------------------


def table(header, body):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in body])


def spread(values):
    return f"{min(values):.3g} … {max(values):.3g}"


def engine_rows(sizes, largest, rounds, budget):
    """(threads, n, direction) -> name -> seconds."""
    measured = {}
    counts = [1] if (os.cpu_count() or 1) == 1 else [1, 2]
    for threads, n, direction in itertools.product(counts, sizes, PASSES):
        if threads > 1 and n > largest // 4:
            continue  # what two threads do is seen before this
        names = ["chunked", "fused"]
        options = dict(threads=threads, rounds=rounds, budget=budget)
        measured[threads, n, direction] = seconds(names, n, direction, **options)
    return measured


def engine_table(measured, rates):
    body = []
    for (threads, n, direction), found in measured.items():
        ours, torchs = found["chunked"], found["fused"]
        flops = 4 * n * n * E  # of the forward pass
        share = f"{flops / min(torchs) / rates[threads]:.0%}" if direction == PASSES[0] else "–"
        ratio = f"{min(ours) / min(torchs):.2f}"
        times = [f"{x * 1e3:.4g}" for x in (min(ours), min(torchs))]
        ranges = spread([a / b for a, b in zip(ours, torchs, strict=True)])
        body.append(
            [str(threads), f"{n:,}", direction, *times, ratio, ranges, str(len(ours)), share]
        )
    header = ["threads", "n", "pass", "chunked, ms", "fused, ms", "chunked ÷ fused"]
    return table([*header, "in a round", "rounds", "fused ÷ rate of a product"], body)


def memory_table(largest):
    body = []
    for name, n, direction, limit in [
        ("chunked", largest, PASSES[0], 24),
        ("chunked, causal", largest, PASSES[0], 24),
        ("chunked", largest, PASSES[1], 64),
        ("fused", largest, PASSES[0], None),
        ("window", largest // 2, PASSES[0], 8),
        ("linear, causal", largest // 2, PASSES[0], None),
        ("lsh", largest // 2, PASSES[0], None),
    ]:
        found = [f"{x:.1f}" for x in memory(name, n, direction)]
        body.append([name, f"{n:,}", direction, *found, str(limit or "–")])
    header = ["", "n", "pass", "by the system, MiB", "by counting, MiB", "at most"]
    return table(header, body)


def causal_line(n, rounds, budget):
    names = ["chunked", "chunked, causal"]
    found = seconds(names, n, PASSES[0], threads=1, rounds=rounds, budget=budget)
    full, causal = (min(found[name]) for name in names)
    return (
        f"Causal at n={n:,}, forward, one thread: {causal:.3g} s against {full:.3g} s, "
        f"{causal / full:.2f} of the full time (at most 0.6 is the promise)."
    )


def window_line(n, rounds, budget):
    masks = {length: window_mask(length, width=WIDTH) for length in (256, n)}  # 256: the warm-up
    calls = dict(CALLS, masked=lambda q, k, v: attention(q, k, v, attn_mask=masks[q.shape[-2]]))
    options = dict(threads=1, rounds=rounds, budget=budget, calls=calls)
    masked = seconds(["masked"], n, PASSES[0], **options)["masked"]
    ours = seconds(["window"], n, PASSES[0], **options)["window"]
    return (
        f"Window of {WIDTH} ({2 * WIDTH - 1} keys) at n={n:,}, forward, one thread: "
        f"{min(ours) * 1e3:.4g} ms ({len(ours)} rounds) against {min(masked) * 1e3:.4g} ms of the "
        f"fused call with a mask ({len(masked)} rounds): {min(masked) / min(ours):.1f} times as "
        "fast (at least 20 is the promise)."
    )


def exponent_table(measured, sizes, largest, rounds, budget):
    """Times are the least of their rounds on one thread; memory is counted."""

    def row(name, what, points, promise):
        slope, half = exponent(points)
        return [
            name,
            what,
            f"{min(points):,} … {max(points):,}",
            f"{slope:.2f} ± {half:.2f}",
            promise,
        ]

    body = []
    long = [n for n in sizes if n >= 1024]
    for name in ("chunked", "fused"):
        points = {n: 1e9 * min(measured[1, n, PASSES[0]][name]) for n in long}
        body.append(row(name, "time", points, "2"))
    options = dict(threads=1, rounds=rounds, budget=budget)
    names = ["window", "linear", "linear, causal"]
    times = {n: seconds(names, n, PASSES[0], **options) for n in long if n >= 2048}
    for name in names:
        points = {n: 1e9 * min(found[name]) for n, found in times.items()}
        body.append(row(name, "time", points, "1"))
    limits = {"explicit": largest // 16, "chunked": largest // 4, "fused": largest // 4}
    for name, most in limits.items():
        counts = [n for n in (512, 1024, 2048, 4096, 8192, 16384) if n <= most]
        points = {n: MIB * memory(name, n, PASSES[0])[name != "explicit"] for n in counts}
        body.append(row(name, "memory", points, "2" if name == "explicit" else "at most 1"))
    counts = [n for n in (2**p for p in range(10, 16)) if n <= largest // 2]
    points = {n * math.log2(n): lsh_operations(n) for n in counts}
    slope, half = exponent(points)
    what = "operations counted, over n·log₂ n"
    body.append(["lsh", what, f"{counts[0]:,} … {counts[-1]:,}", f"{slope:.2f} ± {half:.2f}", "1"])
    return table(["", "of", "range of n", "exponent, 95 %", "promise"], body)


def clusters(n, seed, centres=32, noise=0.5):
    """Points around some directions, long enough for a softmax that is far from even."""
    directions = torch.randn(centres, E, generator=seeded(seed))
    directions = 24 * directions / directions.norm(dim=-1, keepdim=True)
    which = torch.randint(centres, (n,), generator=seeded(seed + 1))
    return directions[which] + 3 * noise * torch.randn(n, E, generator=seeded(seed + 2))


def lsh_table(n, buckets, rounds, seeds):
    body = []
    for count in buckets:
        row = []
        for r in rounds:
            found = []
            for seed in range(seeds):
                value = torch.randn(n, E, generator=seeded(100 + seed))
                options = dict(num_buckets=count, num_rounds=r, generator=seeded(seed))
                found.append(lsh_quality(clusters(n, 10 * seed), value, **options))
            error, recall = (statistics.fmean(x) for x in zip(*found, strict=True))
            row.append(f"{error:.2f}, {recall:.0%}")
        body.append([str(count), str(-(-2 * n // count)), *row])
    return table(["buckets", "chunk", *(f"{r} rounds" for r in rounds)], body)


def report(quick, budget, largest):
    started = time.perf_counter()
    largest, rounds = (min(largest, 4096), 2) if quick else (largest, 7)
    sizes = [2**p for p in range(8, 17) if 2**p <= largest]
    counts = [1] if (os.cpu_count() or 1) == 1 else [1, 2]
    rates = {threads: product_rate(threads) for threads in counts}
    measured = engine_rows(sizes, largest, rounds, budget)
    print("hashing", file=sys.stderr, flush=True)
    quality = lsh_table(512 if quick else 2048, (1, 4, 16, 64), (1, 2, 4, 8), 1 if quick else 3)
    parts = [
        "## Long sequences",
        "Written by `benchmarks/long.py`. One head, E = 64, float32. Times are the least of the "
        "rounds; “in a round” is the spread of the quotient. The rate of a product is that of a "
        f"2048 × 2048 one: {', '.join(f'{r / 1e9:.0f} GFLOP/s on {t}' for t, r in rates.items())} "
        "threads.",
        engine_table(measured, rates),
        causal_line(largest, rounds, budget),
        window_line(largest // 2, rounds, budget),
        "### Memory beyond inputs, output and gradients",
        "One call in a fresh process. The explicit formula would need "
        f"{4 * largest**2 / 2**30:.3g} GiB for each matrix at n={largest:,}.",
        memory_table(largest),
        "### Exponents",
        "Least squares on logarithms. Hashing has n/64 buckets, chunks of 128 and 2 rounds.",
        exponent_table(measured, sizes, largest, rounds, budget),
        "### Hashing: error, and recall of each query's 8 largest weights",
        "Points around 32 directions; chunks of twice the mean bucket. The error is that of the "
        "output against full attention with shared queries and keys, relative to its norm.",
        quality,
        f"This section took {(time.perf_counter() - started) / 60:.1f} minutes.",
    ]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="short sequences, to see that it runs")
    parser.add_argument("--budget", type=float, default=12, help="seconds for a row of times")
    parser.add_argument("--largest", type=int, default=65536, help="the longest sequence")
    parser.add_argument("--memory-of", nargs=3, metavar=("NAME", "N", "PASS"), help="internal")
    options = parser.parse_args()
    if options.memory_of:
        name, n, direction = options.memory_of
        memory_here(name, int(n), direction)
    else:
        print(report(options.quick, options.budget, options.largest))
