"""Write locks/: every distribution that an environment gets, with the hashes of all its files.

`make lock` asks uv for one resolution of all groups of pyproject.toml, at the versions of
requirements.txt, for every platform and Python of the book, and writes a file for each environment;
`more` is what .venv gets for browsers, distributions and mutants. pip installs from it with
--require-hashes. A lock keeps the versions it has unless they no longer fit; `NEWEST=1` asks anew.
Two lists are written by hand: alone.txt, and colab.txt, which is what Colab has.

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

UV = pathlib.Path(sys.executable).with_name("uv")
LOCKS = {
    "book": ("book", "lab", "test"),
    "more": ("browser", "dist", "mutants"),
    "site": ("site", "class"),
    "libraries": ("book", "test", "libraries"),
}
OF_TORCH = re.compile(r"torch|triton|(nvidia|cuda)-.*")
LINE = re.compile(r"^([\w.-]+)==([^\s;\\]+)(.*?)( \\)?$", re.M)  # name, version, for whom
HEAD = "# Written by `make lock`: the distributions of {}, with the hashes of all their files.\n"
EVERYTHING = ROOT / "build" / "resolved.txt"


def place(name):
    """The file of a lock."""
    return ROOT / "locks" / f"{name}.txt"


def resolved(groups, *flags):
    """uv's text for the packages of the groups: universal, so with every platform's files."""
    wanted = [f"{name}=={versions.pins()[name]}" for name in versions.ranges(*groups)]
    wanted += versions.PYPROJECT["build-system"]["requires"]
    command = [UV, "pip", "compile", "-", "--universal", "--python-version", "3.11"]
    command += ["--quiet", "--no-header", "--no-annotate", "--no-emit-index-url", *flags]
    return subprocess.run(
        command, input="\n".join(wanted), text=True, encoding="utf-8", check=True, stdout=-1
    ).stdout


def main():
    kept = [] if os.environ.get("NEWEST") else map(place, LOCKS)
    texts = [path.read_text(encoding="utf-8") for path in kept if path.exists()]
    plain = {f"{m[1]}=={m[2]}{m[3]}" for text in texts for m in LINE.finditer(text)}
    EVERYTHING.write_text("\n".join(sorted(plain)), encoding="utf-8")
    text = resolved(versions.GROUPS, "-c", EVERYTHING)
    EVERYTHING.write_text(text, encoding="utf-8")
    names = [name for name, *_ in LINE.findall(text) if OF_TORCH.fullmatch(name)]
    flags = ["--generate-hashes", "-c", EVERYTHING, *(f"--no-emit-package={n}" for n in names)]
    for name, groups in LOCKS.items():
        text = resolved(groups, *flags)
        place(name).write_text(HEAD.format(name) + text, encoding="utf-8")
        print(f"locks/{name}.txt: {len(LINE.findall(text))} distributions")


if __name__ == "__main__":
    main()
