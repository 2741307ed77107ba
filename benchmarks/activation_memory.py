"""Long sequences, memory: what a call holds beyond inputs, output and gradients.

Each row is measured in a process of its own, in two ways: the system's high-water mark of the
process, and the bytes of all tensors alive after each operation.

    python benchmarks/held.py chunked 4096 forward    # one row: MiB by the system, by counting
"""

import math
import os
import subprocess
import sys

import peak_rss
import torch
from lengths import BACKWARD, CALLS, FIT, FORWARD, E, exponent, exponent_lines, inputs, run
from results import table
from timing import saying
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

TITLE = "Long sequences: memory beyond inputs, output and gradients"
ON = ("processor",)
INTRODUCTION = "One call in a fresh process, one thread, one head, E = 64, float32."
LARGEST, MIB = 65536, 2**20


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


def print_row(name, n, direction):
    """Print MiB beyond inputs, output and gradients: by the system, and by counting."""
    torch.set_num_threads(1)
    with Alive([]):  # warms up, imports included
        run(CALLS[name], inputs(1024, direction != FORWARD), direction)
    tensors = inputs(n, direction != FORWARD)
    kept = n * E * 4 * (1 if direction == FORWARD else 1 + 1 + 3)  # outputs and gradients
    before = peak_rss.set_back() if peak_rss.KEPT else math.nan
    with Alive(tensors) as counted:
        run(CALLS[name], tensors, direction)
    by_system = (peak_rss.most() - before) / 1024 if peak_rss.KEPT else math.nan
    print(by_system - kept / MIB, counted.most / MIB - kept / MIB)


def row(name, n, direction, limit=None):
    """A row, from a fresh process that gives freed memory back."""
    saying(f"memory, n={n}, {direction}: {name}")
    command = [sys.executable, __file__, name, str(n), direction]
    freeing = {**os.environ, **peak_rss.FREEING}
    said = subprocess.check_output(command, env=freeing, text=True).split()
    by_system, counted = (None if x == "nan" else float(x) for x in said[-2:])
    found = {"": name, "n": n, "pass": direction, "by the system": by_system}
    return found | {"by counting": counted, "at most": limit}


def measure_part(quick, device):
    largest = 2048 if quick else LARGEST
    rows = [
        row("chunked", largest, FORWARD, 24),
        row("chunked, causal", largest, FORWARD, 24),
        row("chunked", largest, BACKWARD, 64),
        row("fused", largest, FORWARD),
        row("window", largest // 2, FORWARD, 8),
        row("linear, causal", largest // 2, FORWARD),
        row("lsh", largest // 8, FORWARD),
    ]
    found = []
    for name, longest in (("explicit", 2048), ("chunked", 8192), ("fused", 8192)):
        sizes = [longest // 2**p for p in range(3, -1, -1) if not quick or p > 1]
        points = {n: MIB * row(name, n, FORWARD)["by counting"] for n in sizes}
        found.append(exponent(name, points, "2" if name == "explicit" else "at most 1"))
    return {"rows": rows, "exponents": found}


def section(data):
    body = []
    for found in data["rows"]:
        sizes = [found["by the system"], found["by counting"]]
        told = ["–" if x is None else f"{x:.1f}" for x in sizes]
        body.append([found[""], f"{found['n']:,}", found["pass"], *told, found["at most"] or "–"])
    n = max(found["n"] for found in data["rows"])
    header = ["", "n", "pass", "by the system, MiB", "by counting, MiB", "at most"]
    parts = [
        f"The explicit formula would need {4 * n**2 / 2**30:.3g} GiB for each matrix at n={n:,}.",
        table(header, body),
        "### Exponents of memory",
        FIT,
        table(*exponent_lines(data["exponents"])),
    ]
    return "\n\n".join(parts)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    print_row(sys.argv[1], int(sys.argv[2]), sys.argv[3])
