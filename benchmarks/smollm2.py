"""The real model on a laptop: how long it takes to load, to read and to write, and its memory.

Each time is taken in a process of its own, on one thread. The memory of several kernels is the sum
of their proportional shares (PSS): a page of the file that six of them map counts a sixth in each.
"""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

from results import table
from timing import saying

TITLE = "SmolLM2 on a laptop"
ON = ("processor",)
KERNELS = (1, 2, 6)
INTRODUCTION = (
    "SmolLM2-135M-Instruct as `real.load()` gives it, float32, one thread. First: the GGUF "
    "file is read and what comes out is kept; later: it is there. Memory is what processes hold "
    "together after a pass of 100 pieces each, torch and the package included (PSS, from "
    "/proc/PID/smaps_rollup)."
)

LOADED = """
import json, time
import torch
from d2lattn import generate
from d2lattn_book import real
torch.set_num_threads(1)
start = time.perf_counter()
model, tokenizer = real.load()
loaded = time.perf_counter() - start
"""
TIMED = (
    LOADED
    + """
tokens = torch.randint(49152, (1, 100), generator=torch.Generator().manual_seed(0))
times = {"load": loaded, "pass": [], "write": [], "again": []}
with torch.no_grad():
    for turn in range(5):
        start = time.perf_counter()
        model(tokens)
        times["pass"].append(time.perf_counter() - start)
prompt = torch.tensor([tokenizer.encode("The museum stands on the river, and").ids])
for turn in range(3):
    for name, use_cache in (("write", True), ("again", False)):
        start = time.perf_counter()
        generate(model, prompt, steps=48, temperature=0, use_cache=use_cache)
        times[name].append(time.perf_counter() - start)
print(json.dumps(times))
"""
)
HELD = (
    LOADED
    + """
with torch.no_grad():
    model(torch.zeros(1, 100, dtype=torch.int64))
print("ready", flush=True)
input()
"""
)


def measure_part(quick, device):
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "D2LATTN_CACHE": folder, "OMP_NUM_THREADS": "1"}
        saying("the real model: first")
        first = timed(environment)["load"]
        saying("the real model: later")
        later = [timed(environment) for _ in range(1 if quick else 3)]
        kept = sum(p.stat().st_size for p in pathlib.Path(folder).rglob("*") if p.is_file())
        memory = {n: held(n, environment) for n in (KERNELS[:1] if quick else KERNELS)}
    median = {name: statistics.median(each(later, name)) for name in later[0]}
    return {
        "first, s": first,
        "later, s": median["load"],
        "pass of 100, s": median["pass"],
        "pieces a second": 48 / median["write"],
        "without the cache": 48 / median["again"],
        "kept, MB": kept / 1e6,
        "memory, MB": memory,
    }


def each(runs, name):
    """All the times of this name, of all processes."""
    return [x for run in runs for x in (run[name] if isinstance(run[name], list) else [run[name]])]


def timed(environment):
    return json.loads(subprocess.check_output([sys.executable, "-c", TIMED], env=environment))


def held(kernels, environment):
    """Megabytes that so many processes with the model hold together."""
    command, pipes = [sys.executable, "-c", HELD], dict(stdin=-1, stdout=-1, text=True)
    processes = []
    try:
        for _ in range(kernels):
            processes.append(subprocess.Popen(command, env=environment, **pipes))
            processes[-1].stdout.readline()  # it is ready
        return sum(proportional(process.pid) for process in processes) / 1e3
    finally:
        for process in processes:
            process.kill()
            process.communicate()


def proportional(pid):
    """Kilobytes of a process, what it shares divided among all who do."""
    lines = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="utf-8").splitlines()
    (line,) = (line for line in lines if line.startswith("Pss:"))
    return 1.024 * int(line.split()[1])


def section(data):
    names = ("first, s", "later, s", "pass of 100, s", "pieces a second", "without the cache")
    header = ["load first, s", "later, s", "a pass of 100 pieces, s"]
    header += ["pieces a second", "without the cache", "kept on the disk, MB"]
    row = [*(f"{data[name]:.2f}" for name in names[:3]), *(f"{data[n]:.0f}" for n in names[3:])]
    memory = {int(n): size for n, size in data["memory, MB"].items()}
    one = memory[1]
    return "\n\n".join(
        [
            table(header, [[*row, f"{data['kept, MB']:.0f}"]]),
            table(
                ["kernels with the model open", "memory of all, MB", "for each one more, MB"],
                [
                    [n, f"{size:,.0f}", "" if n == 1 else f"{(size - one) / (n - 1):,.0f}"]
                    for n, size in memory.items()
                ],
            ),
        ]
    )
