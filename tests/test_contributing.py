"""Every command that a contributor is told to give: it runs, or would where it takes long."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys

import pytest
import yaml
from cells import ROOT

PAGES = ("CONTRIBUTING.md", "SECURITY.md")
CHANGED = ("notebooks/00_start_here.ipynb", "d2lattn/masks.py")  # in a commit
WRITTEN = ("txt", "json", "ipynb")
OURS = shutil.ignore_patterns("__pycache__", "node_modules", ".ipynb_checkpoints")
SPAN = re.compile(r"`(make|[a-z-]+ [^`]+)`")


def commands():
    """What stands in code and begins with the name of a program."""
    found = [SPAN.findall((ROOT / name).read_text(encoding="utf-8")) for name in PAGES]
    return sorted({command for page in found for command in page})


def given(command):
    """What is written anew is as it was with the versions that wrote it."""
    return pytest.param(command, marks=[pytest.mark.pins] * command.startswith("python "))


def make(words, folder):
    """Asked for without being run: its target exists, and so does each program that it starts."""
    said = run([*words[:1], "-n", *words[1:]], ROOT)
    named = re.findall(r"[ /]((?:tools|benchmarks)/\w+\.py)", said)
    assert said and [name for name in named if not (ROOT / name).exists()] == []


def python(words, folder):
    """Run in a copy: a test writes one file anew, of as many lines as it had, and a tool none.

    For tests that are run alone it is enough that they are there.
    """
    if words[1:3] == ["-m", "pytest"]:
        named = [word.split("::")[0] for word in words[3:] if "/" in word]
        assert named and [name for name in named if not (ROOT / name).exists()] == []
        return
    for name in ("tests", "tools", "notebooks", "benchmarks"):
        shutil.copytree(ROOT / name, folder / name, ignore=OURS)
    before = files(folder)
    run([sys.executable, *words[1:]], folder)
    after = files(folder)
    written = [path for path in after if after[path] != before.get(path)]
    assert len(written) == words[1].startswith("tests/")
    assert [after[path][1] for path in written] == [before[path][1] for path in written]


def files(folder):
    """{path: (when it was written, its lines)} of the texts and the chapters."""
    found = [path for kind in WRITTEN for path in folder.glob(f"[tn]*/**/*.{kind}")]
    return {p: (p.stat().st_mtime_ns, len(p.read_text("utf-8").splitlines())) for p in found}


def pre_commit(words, folder):
    """It is not in the book's environment, but what it starts is: each hook looks at a file.

    But for types and house, which are tests of their own.
    """
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    hooks = [hook for repo in config["repos"] for hook in repo["hooks"]]
    assert words == ["pre-commit", "install"] and len(hooks) > 3
    for hook in hooks:
        (changed, *_) = (name for name in CHANGED if re.search(hook["files"], name))
        entry = hook["entry"].replace(".venv/bin/python", os.path.relpath(sys.executable, ROOT))
        if hook["id"] not in ("types", "house"):
            run([*shlex.split(entry), *[changed] * hook.get("pass_filenames", True)], ROOT)


def npx(words, folder):
    """Its tool comes from the network; the modules and the tests that its file names are here."""
    asked = json.loads((ROOT / words[-1]).read_text(encoding="utf-8"))
    tests = [word for word in asked["commandRunner"]["command"].split() if "tests/" in word]
    assert tests and all((ROOT / name).exists() for name in (*asked["mutate"], *tests))


TRIED = {"make": make, "python": python, "pre-commit": pre_commit, "npx": npx}


def run(words, folder):
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("command", [*map(given, commands())])
def test_a_command_that_contributors_are_told_runs(command, tmp_path):
    words = shlex.split(command)
    TRIED[words[0]](words, tmp_path)


def test_all_kinds_of_commands_are_found():
    assert {command.split()[0] for command in commands()} == TRIED.keys() and len(commands()) > 9
