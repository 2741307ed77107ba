"""Long sequences, time: the chunked engine beside the fused one, and attention that sees less."""

import functools
import itertools
import time

import torch
from lengths import BACKWARD, CALLS, FIT, FORWARD, WIDTH, E, exponent, exponent_lines, inputs, run
from results import shown, table
from timing import counts, measure, median_ratio, saying

from d2lattn import attention, window_mask

TITLE = "Long sequences: time"
ON = "processor", "GPU"
INTRODUCTION = """\
One head, E = 64, float32, no mask unless a row says so. Times are the least of the rounds, in \
which the calls take turns; “in a round” is the spread of the quotient. The last column is the \
share of the rate of a 2048 × 2048 product that the fused call reaches."""
LARGEST, LARGEST_WINDOW = 16384, 32768
ON_GPU = [  # (B, H, n, D), dtype, causal
    ((8, 16, 1024, 64), torch.bfloat16, True),
    ((4, 16, 4096, 128), torch.bfloat16, True),
    ((1, 8, 16384, 64), torch.float32, False),
]
GPU = """\
On a GPU all heads of a layer at once, forward. The peak is what the chunked call takes above its \
inputs; – where nobody counts it, or where there is no room."""


def measure_part(quick, device):
    if device != "cpu":
        return {"gpu": [heads_row(*sizes, device) for sizes in ON_GPU[: 1 if quick else None]]}
    largest, largest_window = (1024, 2048) if quick else (LARGEST, LARGEST_WINDOW)
    options = dict(rounds=2 if quick else 7, budget=1 if quick else 5)
    rates = {threads: product_rate(threads) for threads in counts()}
    sizes = [2**p for p in range(8, 15) if 2**p <= largest]
    rows = []
    for threads, n, direction in itertools.product(counts(), sizes, (FORWARD, BACKWARD)):
        if threads == 1 or n <= largest // 4:  # what two threads do is seen before the longest
            found = seconds(["chunked", "fused"], n, direction, threads=threads, **options)
            rows.append(engine_row(found, threads, n, direction, rates))
    causal = seconds(["chunked", "chunked, causal"], largest, FORWARD, **options)
    return {
        "rates": {threads: rate / 1e9 for threads, rate in rates.items()},
        "rows": rows,
        "causal": {"n": largest} | {name: min(times) for name, times in causal.items()},
        "window": window_row(largest_window, options),
        "exponents": exponents(rows, [n for n in sizes if n >= largest // 8], options),
    }


def seconds(names, n, direction, *, threads=1, rounds, budget, calls=CALLS):
    """name -> seconds of each round; the names take turns, lest one has the quieter machine."""
    saying(f"{threads} threads, n={n}, {direction}: {', '.join(names)}")
    torch.set_num_threads(threads)
    tensors, found, started = inputs(n, direction != FORWARD), {}, time.perf_counter()
    small = inputs(256, direction != FORWARD)
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


@torch.no_grad()
def heads_row(size, dtype, causal, device):
    """All heads of a layer at once: the chunked engine beside the explicit and the fused one."""
    saying(f"{size}, {dtype}")
    generator = torch.Generator().manual_seed(0)
    q, k, v = torch.randn(3, *size, generator=generator).to(device, dtype)
    calls = {
        name: functools.partial(attention, q, k, v, is_causal=causal, engine=name)
        for name in ("chunked", "explicit", "fused")
    }
    taken = measure(calls, rounds=9, budget=5)
    best = {name: None if times is None else min(times) for name, times in taken.items()}
    row = {"B, H, n, D": ", ".join(map(str, size)), "dtype": str(dtype).removeprefix("torch.")}
    row |= {"seen": "causal" if causal else "all"}
    row |= {f"{name}, ms": time and 1e3 * time for name, time in best.items()}
    for name in ("explicit", "fused"):
        both = taken["chunked"] and taken[name]
        row[f"chunked ÷ {name}"] = median_ratio(taken["chunked"], taken[name]) if both else None
    fits = q.is_cuda and taken["chunked"]
    return row | {"peak, MiB": cuda_peak(calls["chunked"]) if fits else None}


def cuda_peak(call):
    """MiB that a call takes at most, above what was held before."""
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    call()
    return (torch.cuda.max_memory_allocated() - before) / 2**20


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


def engine_row(found, threads, n, direction, rates):
    ours, torchs = found["chunked"], found["fused"]
    quotients = [a / b for a, b in zip(ours, torchs, strict=True)]
    share = 4 * n * n * E / min(torchs) / rates[threads]  # FLOPs of the forward pass
    return {
        "threads": threads,
        "n": n,
        "pass": direction,
        "chunked, ms": 1e3 * min(ours),
        "fused, ms": 1e3 * min(torchs),
        "chunked ÷ fused": min(ours) / min(torchs),
        "rounds": len(ours),
        "least": min(quotients),
        "most": max(quotients),
        "share": share if direction == FORWARD else None,
    }


def window_row(n, options):
    """The window beside the fused call with a mask of the same window."""
    masks = {length: window_mask(length, width=WIDTH) for length in (256, n)}  # 256: the warm-up
    calls = dict(CALLS, masked=lambda q, k, v: attention(q, k, v, attn_mask=masks[q.shape[-2]]))
    masked = seconds(["masked"], n, FORWARD, calls=calls, **options)["masked"]
    ours = seconds(["window"], n, FORWARD, calls=calls, **options)["window"]
    times = {"window, ms": 1e3 * min(ours), "masked, ms": 1e3 * min(masked)}
    return {"n": n, **times, "masked ÷ window": min(masked) / min(ours)}


def exponents(rows, sizes, options):
    """Of the least times on one thread, forward."""
    found = []
    for name in ("chunked", "fused"):
        of_name = [r for r in rows if r["threads"] == 1 and r["pass"] == FORWARD]
        points = {r["n"]: 1e6 * r[f"{name}, ms"] for r in of_name if r["n"] in sizes}
        found.append(exponent(name, points, "2"))
    names = ["window", "linear", "linear, causal"]
    times = {n: seconds(names, n, FORWARD, **options) for n in sizes}
    for name in names:
        points = {n: 1e9 * min(of_n[name]) for n, of_n in times.items()}
        found.append(exponent(name, points, "1"))
    return found


def section(data):
    if "gpu" in data:
        body = [[shown(x, ".3g") for x in row.values()] for row in data["gpu"]]
        return f"{GPU}\n\n{table(data['gpu'][0], body)}"
    rates = [f"{rate:.0f} GFLOP/s on {threads}" for threads, rate in data["rates"].items()]
    causal, window = data["causal"], data["window"]
    share = causal["chunked, causal"] / causal["chunked"]
    parts = [
        f"Rate of the product: {', '.join(rates)} threads.",
        engine_table(data["rows"]),
        f"Causal at n={causal['n']:,}, forward, one thread: {causal['chunked, causal']:.3g} s "
        f"against {causal['chunked']:.3g} s, {share:.2f} of the full time (at most 0.6 is the "
        "promise).",
        f"Window of {WIDTH} ({2 * WIDTH - 1} keys) at n={window['n']:,}, forward, one thread: "
        f"{window['window, ms']:.4g} ms against {window['masked, ms']:.4g} ms of the fused call "
        f"with a mask: {window['masked ÷ window']:.1f} times as fast (at least 20 is the promise).",
        "### Exponents of time",
        FIT,
        table(*exponent_lines(data["exponents"])),
    ]
    return "\n\n".join(parts)


def engine_table(rows):
    header = ["threads", "n", "pass", "chunked, ms", "fused, ms", "chunked ÷ fused", "in a round"]
    body = []
    for row in rows:
        body.append(
            [
                *(row["threads"], f"{row['n']:,}", row["pass"]),
                *(f"{row[name]:.4g}" for name in ("chunked, ms", "fused, ms")),
                f"{row['chunked ÷ fused']:.2f}",
                f"{row['least']:.3g} … {row['most']:.3g}",
                row["rounds"],
                "–" if row["share"] is None else f"{row['share']:.0%}",
            ]
        )
    return table([*header, "rounds", "fused ÷ rate of a product"], body)
