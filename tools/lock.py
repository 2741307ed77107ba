"""Write locks/: every distribution that an environment gets, with the hashes of all its files.

`make lock` asks uv for one resolution of all groups of pyproject.toml, at the versions of
requirements.txt, for every platform and Python of the book, and writes a file for each environment.
pip installs from it with --require-hashes. A lock keeps the versions it has unless they no longer
fit; `NEWEST=1` asks anew.

torch is the exception: it stands in no lock, and what belongs to its builds for GPUs does not
either. Its builds for processors come from another index than those for GPUs, each with hashes of
its own, and which one a machine should have is the reader's choice. It is taken by version alone.
"""

import os
import pathlib
import re
import subprocess
import sys

import versions
from cells import ROOT

LOCKS = ROOT / "locks"
UV = pathlib.Path(sys.executable).with_name("uv")
WITH_THE_BOOK = {"book": ("lab", "test"), "make": ("test", "make")}
ALONE = {group: (group,) for group in ("browser", "class", "dist", "mutants", "site")}
OF_TORCH = re.compile(r"torch|triton|(nvidia|cuda)-.*")
LINE = re.compile(r"^([\w.-]+)==([^\s;\\]+)(.*?)( \\)?$", re.M)  # name, version, for whom
HEAD = "# Written by `make lock`: the distributions of {}, with the hashes of all their files.\n"


def resolved(wanted, *flags):
    """uv's text for lines of requirements: universal, so with every platform's files."""
    command = [UV, "pip", "compile", "-", "--universal", "--python-version", "3.11", *flags]
    quiet = ["--quiet", "--no-header", "--no-annotate", "--no-emit-index-url"]
    asked = "\n".join(wanted)
    return subprocess.run(
        [*command, *quiet], input=asked, text=True, encoding="utf-8", check=True, stdout=-1
    ).stdout


def wanted(groups, *, book):
    """Lines for uv: the packages of the groups, and those that the book and its building need."""
    names = versions.ranges(*groups) | (versions.ranges() if book else {})
    lines = [f"{name}=={versions.pins()[name]}" for name in names]
    return [*lines, *versions.build_tools()] if book else lines


def write(name, groups, everything):
    excluded = [
        f"--no-emit-package={part}"
        for part, *_ in LINE.findall(everything.read_text(encoding="utf-8"))
    ]
    excluded = [flag for flag in excluded if OF_TORCH.fullmatch(flag.partition("=")[2])]
    lines = wanted(groups, book=name in WITH_THE_BOOK)
    text = resolved(lines, "--generate-hashes", "-c", everything, *excluded)
    (LOCKS / f"{name}.txt").write_text(HEAD.format(name) + text, encoding="utf-8")
    print(f"locks/{name}.txt: {len(LINE.findall(text))} distributions")


def read(name):
    """Map each distribution of a lock to its [version, for whom, how many hashes], one or more."""
    found, last = {}, []
    for line in (LOCKS / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if match := LINE.match(line):
            last = [match[2], match[3].strip(" ;"), 0]
            found.setdefault(match[1], []).append(last)
        elif line.startswith("    --hash=sha256:"):
            last[2] += 1
    return found


def main():
    LOCKS.mkdir(exist_ok=True)
    everything = ROOT / "build" / "resolved.txt"
    everything.parent.mkdir(exist_ok=True)
    groups = versions.GROUPS
    kept = [] if os.environ.get("NEWEST") else sorted(LOCKS.glob("*.txt"))
    plain = {line for path in kept for line in _plain(path)}
    everything.write_text("\n".join(sorted(plain)), encoding="utf-8")
    text = resolved(wanted(groups, book=True), "-c", everything)
    everything.write_text(text, encoding="utf-8")
    for name, those in (WITH_THE_BOOK | ALONE).items():
        write(name, those, everything)


def _plain(path):
    """The lines of a lock without hashes."""
    return (f"{m[1]}=={m[2]}{m[3]}" for m in LINE.finditer(path.read_text(encoding="utf-8")))


if __name__ == "__main__":
    sys.exit(main())
