"""Long sequences, time: the chunked engine beside the fused one, and a window beside its mask."""

import functools
import itertools
import time

import torch
from results import shown, table
from timing import counts, measure, median_ratio, saying

from d2lattn import attention, window_attention, window_mask

TITLE = "Long sequences: time"
ON = "processor", "GPU"
INTRODUCTION = """\
One head, E = 64, float32, no mask unless a row says so. Times are the least of the rounds, in \
which the calls take turns; “in a round” is the spread of the quotient."""
E, WIDTH = 64, 256  # of the head, and of the window
FORWARD, BACKWARD = "forward", "forward and backward"
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
    engines = {name: functools.partial(attention, engine=name) for name in ("chunked", "fused")}
    sizes = [2**p for p in range(8, 15) if 2**p <= largest]
    rows = []
    for threads, n, direction in itertools.product(counts(), sizes, (FORWARD, BACKWARD)):
        if threads == 1 or n <= largest // 4:  # what two threads do is seen before the longest
            found = seconds(engines, n, direction, threads=threads, **options)
            rows.append(engine_row(found, threads, n, direction))
    return {"rows": rows, "window": window_row(largest_window, options)}


def inputs(n, grad):
    generators = (torch.Generator().manual_seed(seed) for seed in range(3))
    return [torch.randn(1, 1, n, E, generator=g).requires_grad_(grad) for g in generators]


def run(call, tensors, direction):
    """One pass; the gradient of the output is given, as training gives it."""
    if direction == FORWARD:
        with torch.no_grad():
            return call(*tensors)
    output = call(*tensors)
    return output, torch.autograd.grad(output, tensors, torch.ones_like(output))


def seconds(calls, n, direction, *, threads=1, rounds, budget):
    """name -> seconds of each round; the calls take turns, lest one has the quieter machine."""
    saying(f"{threads} threads, n={n}, {direction}: {', '.join(calls)}")
    torch.set_num_threads(threads)
    tensors, found, started = inputs(n, direction != FORWARD), {}, time.perf_counter()
    small = inputs(256, direction != FORWARD)
    for done in range(rounds):
        if done and (time.perf_counter() - started) * (done + 1) / done > budget:
            break
        for name, call in calls.items():
            if n <= 4096 or name not in found:  # warm up, in small where the row is long
                run(call, tensors if n <= 4096 else small, direction)
            start = time.perf_counter()
            run(call, tensors, direction)
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


def engine_row(found, threads, n, direction):
    ours, torchs = found["chunked"], found["fused"]
    quotients = [a / b for a, b in zip(ours, torchs, strict=True)]
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
    }


def window_row(n, options):
    """The window beside the fused call with a mask of the same window."""
    masks = {length: window_mask(length, width=WIDTH) for length in (256, n)}  # 256: the warm-up
    calls = {
        "masked": lambda q, k, v: attention(q, k, v, attn_mask=masks[q.shape[-2]]),
        "window": functools.partial(window_attention, width=WIDTH),
    }
    taken = {w: min(seconds({w: call}, n, FORWARD, **options)[w]) for w, call in calls.items()}
    times = {f"{name}, ms": 1e3 * taken[name] for name in ("window", "masked")}
    return {"n": n, **times, "masked ÷ window": taken["masked"] / taken["window"]}


def section(data):
    if "gpu" in data:
        body = [[shown(x, ".3g") for x in row.values()] for row in data["gpu"]]
        return f"{GPU}\n\n{table(data['gpu'][0], body)}"
    window = data["window"]
    told = (
        f"Window of {WIDTH} ({2 * WIDTH - 1} keys) at n={window['n']:,}, forward, one thread: "
        f"{window['window, ms']:.4g} ms against {window['masked, ms']:.4g} ms of the fused call "
        f"with a mask: {window['masked ÷ window']:.1f} times as fast (at least 20 is the promise)."
    )
    return f"{engine_table(data['rows'])}\n\n{told}"


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
            ]
        )
    return table([*header, "rounds"], body)
