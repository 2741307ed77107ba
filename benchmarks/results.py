"""Results on disk: benchmarks/results has one JSON file for each part and machine.

A machine is a processor or a GPU. Storing a result replaces the file of that part on that machine
and touches no other, so that a run never takes away another's numbers.
A "note" in a file is what its reader should know beside the numbers; it goes when they go.
"""

import datetime
import json
import os
import pathlib
import platform
import re
import subprocess

import torch

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = HERE / "results"
MEASURED = ("d2lattn", "benchmarks/*.py")  # what decides what a measurement is of


def processor():
    """The processor as a machine is called here: its name as the system gives it, and its cores."""
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        name = next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        name = platform.processor() or platform.machine()
    return f"{name}, {os.cpu_count()} cores"


def slug(text):
    """A name for files: lower case, and a hyphen for all that is no letter and no digit."""
    return "-".join(re.findall(r"[a-z0-9]+", text.lower()))


def commit():
    """The last commit that changed what is measured, with a + if files have changed since.

    Empty where git does not know.
    """

    def said(*arguments):
        command = ["git", "-C", HERE.parent, *arguments, "--", *MEASURED]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    try:
        changed = "+" if said("status", "--porcelain") else ""
        return said("log", "-1", "--format=%h") + changed
    except (OSError, subprocess.CalledProcessError):
        return ""


def path_of(part, machine, folder=FOLDER):
    return folder / f"{part}-{slug(machine)}.json"


def store(part, data, *, machine, minutes, folder=FOLDER):
    """Write what a part has measured on a machine, with the day, the commit and the versions."""
    result = dict(
        part=part,
        machine=machine,
        date=datetime.date.today().isoformat(),
        commit=commit(),
        torch=torch.__version__,
        threads=torch.get_num_threads(),
        minutes=round(minutes, 1),
        data=data,
    )
    folder.mkdir(parents=True, exist_ok=True)
    path_of(part, machine, folder).write_text(as_text(rounded(result)) + "\n", encoding="utf-8")


def load(folder=FOLDER):
    """{part: its results, ordered by machine} of all files there are."""
    found = {}
    for path in sorted(folder.glob("*.json")):
        result = json.loads(path.read_text(encoding="utf-8"))
        found.setdefault(result["part"], []).append(result)
    return found


def as_text(value, indent=0):
    """JSON in which what is short stands on one line."""
    text = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict | list) or len(text) <= 300:
        return text
    space = " " * (indent + 1)
    if isinstance(value, dict):
        names = [json.dumps(str(name), ensure_ascii=False) + ": " for name in value]
        lines = [n + as_text(x, indent + 1) for n, x in zip(names, value.values(), strict=True)]
    else:
        lines = [as_text(x, indent + 1) for x in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    body = ",\n".join(space + line for line in lines)
    return f"{opening}\n{body}\n{' ' * indent}{closing}"


def rounded(value):
    """Data whose floats have four digits."""
    if isinstance(value, dict):
        return {str(key): rounded(x) for key, x in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(x) for x in value]
    return float(f"{value:.4g}") if isinstance(value, float) else value


def table(header, body):
    """A table in Markdown."""
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join([*lines, *("| " + " | ".join(map(str, row)) + " |" for row in body)])


def shown(number, form=".2f"):
    """A number as a cell shows it: – where there is none, a text as it is."""
    return "–" if number is None else number if isinstance(number, str) else f"{number:{form}}"
