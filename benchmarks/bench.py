"""Measure, store and tell: `python benchmarks/bench.py [PART ...]`, as `make bench` does.

Without a name it measures every part. Each is stored as soon as it is done, in benchmarks/results,
and RESULTS.md is rendered from all that lies there.

QUICK=1 takes the smallest sizes, to see that everything runs, and writes to build/bench alone.
"""

import os
import sys
import time

import torch
from report import PARTS, render, write
from results import FOLDER, HERE, load, processor, store
from timing import saying

QUICK = HERE.parent / "build" / "bench"


def machines(part):
    """(device, name) of each machine at hand on which a part is measured."""
    found = [("cpu", processor())] if "processor" in part.ON else []
    if "GPU" in part.ON and torch.cuda.is_available():
        found.append(("cuda", torch.cuda.get_device_name()))
    return found


def measure(names, *, quick=False, folder=FOLDER):
    """Measure the parts of these names, or all, and store each."""
    threads = torch.get_num_threads()
    for name in names or PARTS:
        found = machines(PARTS[name])
        if not found:
            saying(f"{name}: wants a {PARTS[name].ON[0]}, and there is none here")
        for device, machine in found:
            torch.set_num_threads(threads)  # as a part before may have changed it
            started = time.perf_counter()
            data = PARTS[name].measure_part(quick, device)
            minutes = (time.perf_counter() - started) / 60
            torch.set_num_threads(threads)
            store(name, data, machine=machine, minutes=minutes, folder=folder)
            saying(f"== {name} on {machine}: {minutes:.1f} minutes")


def main(names, quick):
    if unknown := set(names) - set(PARTS):
        sys.exit(f"a part is one of {', '.join(PARTS)}, got {', '.join(sorted(unknown))}")
    started = time.perf_counter()
    measure(names, quick=quick, folder=QUICK if quick else FOLDER)
    if quick:
        (QUICK / "RESULTS.md").write_text(render(load(QUICK)), encoding="utf-8")
    else:
        write()
    saying(f"== all of it: {(time.perf_counter() - started) / 60:.1f} minutes")


if __name__ == "__main__":
    main(sys.argv[1:], quick=os.environ.get("QUICK", "") not in ("", "0"))
