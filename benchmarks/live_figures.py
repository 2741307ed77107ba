"""How fast live figures mount and follow a hand, in Chromium: the tests marked speed measure it.

Milliseconds, as those tests print them. An idle machine, and `make bench PART=browser`.
"""

import re
import subprocess
import sys

from results import HERE, processor, shown, table

TITLE = "Live figures in the browser"
ON = ("Chromium",)
INTRODUCTION = """\
Milliseconds, medians: mounting; from a real key press, or a step of a drag, to the picture. \
`interact.controls` asks the kernel in JupyterLab. The promises are 60 for mounting, 50 for a key \
or a drag, and 150 for a control that asks the kernel."""
LINE = re.compile(r"^(mount|key to picture,|drag to picture,) (.+?): median ([\d.]+) ms", re.M)
TRAINS = re.compile(r"^training (.+?): (\d+) steps a second, (\d+) frames", re.M)
KINDS = {"mount": "mount", "key to picture,": "key", "drag to picture,": "drag"}


def machine():
    return f"Chromium on {processor()}"


def measure_part(quick, device):
    chosen = ["-k", "mounting"] if quick else []
    command = [sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:nbval", "-m", "speed"]
    command += [*chosen, "tests/browser"]
    run = subprocess.run(command, cwd=HERE.parent, capture_output=True, text=True, check=False)
    print(run.stdout, run.stderr, sep="\n", file=sys.stderr)
    found = measured(run.stdout)
    if not found:
        sys.exit("the browser tests measured nothing: is chromium installed?")
    return {"rows": found, "training": trained(run.stdout)}


def trained(said):
    """{what: [steps, frames]} a second, of the figure that trains."""
    return {what: [int(steps), int(frames)] for what, steps, frames in TRAINS.findall(said)}


def measured(said):
    """{figure: {"mount" or "key" or "drag": ms}} from what the tests print."""
    found = {}
    for kind, name, median in LINE.findall(said):
        found.setdefault(name, {})[KINDS[kind]] = float(median)
    return found


def section(data):
    kinds = list(KINDS.values())
    body = [
        [name, *(shown(row.get(kind), ".0f") for kind in kinds)]
        for name, row in data["rows"].items()
    ]
    text = table(["figure", "mounting", "key to picture", "drag to picture"], body)
    if data.get("training"):
        rows = [[what, *map(str, numbers)] for what, numbers in data["training"].items()]
        text += "\n\nThe figure that trains, a second: steps, and frames of the page meanwhile.\n\n"
        text += table(["model", "steps", "frames"], rows)
    return text
