"""What a class on one machine needs: six students at once run chapter 1 and open the real model, as
in `make test-hub`.

Root, Linux, and `make bench PART=hub`.
"""

import re
import subprocess
import sys

from results import HERE

TITLE = "A class on one machine"
ON = ("processor",)
INTRODUCTION = (
    "JupyterHub on loopback, six students, chapter 1; then the real model in a kernel of each. "
    "What several processes share is counted in parts (PSS), so once in a sum."
)
NUMBER = r"([\d.]+)"
LINES = {
    ("students", "in, s"): rf"{NUMBER} students are in after {NUMBER} s",
    ("fastest, s", "slowest, s", "alone, s"): (
        rf"at once on .*: {NUMBER} to {NUMBER} s each; one alone: {NUMBER} s"
    ),
    ("resting, MiB", "at most, MiB", "hub, MiB"): (
        rf"memory of a student: {NUMBER} MiB .* at most {NUMBER} MiB .*proxy: {NUMBER} MiB"
    ),
    ("model in kernels, MiB", "model in all, MiB"): (
        rf"the real model open in .*: {NUMBER} MiB together, {NUMBER} MiB with all"
    ),
}


def measure_part(quick, device):
    command = [sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:nbval", "tests/hub"]
    run = subprocess.run(command, cwd=HERE.parent, capture_output=True, text=True, check=False)
    if run.returncode:
        sys.exit(run.stdout[-3000:] + run.stderr[-3000:])
    return measured(run.stdout)


def measured(said):
    """The numbers of what the test prints."""
    found = {}
    for names, line in LINES.items():
        if (numbers := re.search(line, said)) is None:
            sys.exit(f"the test of the class server must print {line!r}")
        found |= dict(zip(names, map(float, numbers.groups()), strict=True))
    return found


def section(data):
    model = (
        f"With the real model open, after a pass of 100 pieces each, the six kernels hold "
        f"{data['model in kernels, MiB']:,.0f} MiB together, {data['model in all, MiB']:,.0f} MiB "
        "with their six servers"
    )
    if apart := data.get("model measured"):  # put into a row that is older
        model += f" ({apart})"
    return (
        f"All at once: {data['fastest, s']:.0f} to {data['slowest, s']:.0f} s each; one alone: "
        f"{data['alone, s']:.0f} s. A student takes {data['resting, MiB']:.0f} MiB before a kernel "
        f"starts and at most {data['at most, MiB']:.0f} MiB while it runs; hub and proxy "
        f"{data['hub, MiB']:.0f} MiB once. {model}."
    )
