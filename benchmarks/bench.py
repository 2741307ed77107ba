"""Speed and memory of multi-head attention beside its peers; writes RESULTS.md and memory.png.

All modules of a row hold the same weights and are timed one after the other, round after round,
each round in an order of its own, so that whatever else the machine does hits them alike. A ratio
is taken within a round; what is reported is the median over the rounds.

    python benchmarks/bench.py            # everything: some minutes
    python benchmarks/bench.py --quick    # a few sizes and rounds, printed and not stored

Here stands what is measured; `peers.py` has the layers, `timing.py` and `memory.py` measure them,
`report.py` writes it down.
"""

import argparse
import pathlib
import sys
import time
from typing import NamedTuple

import torch
from memory import peaks
from peers import Size
from report import Results, draw_memory, promise_table, report
from timing import import_ratio, padded_rows, speed_rows

from d2lattn import default_device

HERE = pathlib.Path(__file__).resolve().parent


class Plan(NamedTuple):
    """Sizes, and how often everything is measured."""

    large: list
    small: list
    on_gpu: list
    padded_widths: list
    longest: int  # sequence whose memory is measured
    rounds: int
    import_rounds: int


FULL = Plan(
    large=[Size(2, 1024, 256), Size(4, 512, 512), Size(4, 2048, 512)],
    small=[Size(2, n, 256) for n in (16, 32, 64, 128, 256, 512)],
    on_gpu=[Size(4, 1024, 512), Size(2, 4096, 512), Size(1, 16384, 512)],
    padded_widths=[256, 512],
    longest=8192,
    rounds=25,
    import_rounds=9,
)
QUICK = FULL._replace(
    large=FULL.large[:2], small=FULL.small[::3], longest=2048, rounds=3, import_rounds=3
)


def measure_all(plan, threads):
    every = dict(threads=threads, rounds=plan.rounds)
    return Results(
        large=list(speed_rows(plan.large, weights=True, **every)),
        small=list(speed_rows(plan.small, **every)),
        padded=list(padded_rows(plan.padded_widths, **every)),
        memory=peaks(plan.longest),
        on_gpu=measure_gpu(plan) if default_device().type == "cuda" else {},
        import_ratio=import_ratio(plan.import_rounds),
    )


def measure_gpu(plan):
    """dtype -> rows."""
    every = dict(threads=[1], rounds=plan.rounds, weights=True, device="cuda")
    return {
        dtype: list(speed_rows(plan.on_gpu, dtype=dtype, **every))
        for dtype in (torch.float32, torch.bfloat16)
    }


def main(quick):
    started = time.perf_counter()
    threads = [1] if quick or torch.get_num_threads() == 1 else [1, 2]
    results = measure_all(QUICK if quick else FULL, threads)
    if quick:
        print(report(results))
    else:
        (HERE / "RESULTS.md").write_text(report(results), encoding="utf-8")
        if results.memory:
            draw_memory(results.memory, HERE / "memory.png")
        print(promise_table(results))
    print(f"{time.perf_counter() - started:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a few sizes, nothing stored")
    main(parser.parse_args().quick)
