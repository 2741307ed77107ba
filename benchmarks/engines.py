"""Long sequences, time: the chunked engine beside the fused one, and a window beside its mask."""

import functools
import itertools
import time

import torch
from results import table
from timing import saying

from d2lattn import attention, window_attention, window_mask

TITLE = "Long sequences: time"
ON = ("processor",)
INTRODUCTION = """\
One head, E = 64, float32, one thread, no mask unless a row says so. Times are the least of the \
rounds, in which the calls take turns."""
E, WIDTH = 64, 256  # of the head, and of the window
FORWARD, BACKWARD = "forward", "forward and backward"
LARGEST, LARGEST_WINDOW = 16384, 32768


def measure_part(quick, device):
    largest, largest_window = (1024, 2048) if quick else (LARGEST, LARGEST_WINDOW)
    options = dict(rounds=2 if quick else 7, budget=1 if quick else 5)
    engines = {name: functools.partial(attention, engine=name) for name in ("chunked", "fused")}
    sizes = [2**p for p in range(8, 15) if 2**p <= largest]
    rows = []
    for n, direction in itertools.product(sizes, (FORWARD, BACKWARD)):
        found = seconds(engines, n, direction, **options)
        rows.append(engine_row(found, n, direction))
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


def seconds(calls, n, direction, *, rounds, budget):
    """name -> seconds of each round; the calls take turns, lest one has the quieter machine."""
    saying(f"n={n}, {direction}: {', '.join(calls)}")
    torch.set_num_threads(1)
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


def engine_row(found, n, direction):
    ours, torchs = found["chunked"], found["fused"]
    return {
        "n": n,
        "pass": direction,
        "chunked, ms": 1e3 * min(ours),
        "fused, ms": 1e3 * min(torchs),
        "chunked ÷ fused": min(ours) / min(torchs),
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
    window = data["window"]
    told = (
        f"Window of {WIDTH} ({2 * WIDTH - 1} keys) at n={window['n']:,}, forward: "
        f"{window['window, ms']:.4g} ms against {window['masked, ms']:.4g} ms of the fused call "
        f"with a mask: {window['masked ÷ window']:.1f} times as fast."
    )
    return f"{engine_table(data['rows'])}\n\n{told}"


def engine_table(rows):
    header = ["n", "pass", "chunked, ms", "fused, ms", "chunked ÷ fused"]
    body = [
        [
            *(f"{row['n']:,}", row["pass"]),
            *(f"{row[name]:.4g}" for name in ("chunked, ms", "fused, ms")),
            f"{row['chunked ÷ fused']:.2f}",
        ]
        for row in rows
    ]
    return table(header, body)
