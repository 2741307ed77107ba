"""Every command that a contributor is told to give: it runs, or would where it takes long."""

import importlib.util
import re
import shlex
import shutil
import subprocess
import sys

import pytest
import yaml
from cells import ROOT

PAGES = ("CONTRIBUTING.md", "SECURITY.md")
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
    """Run in a copy of the tests: it writes one file anew, of as many lines as it had."""
    shutil.copytree(ROOT / "tests", folder / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    before = files(folder)
    run([sys.executable, *words[1:]], folder)
    after = files(folder)
    (written,) = [path for path in after if after[path] != before.get(path)]
    assert after[written][1] == before[written][1]


def files(folder):
    """{path: (when it was written, its lines)} of the texts of the tests."""
    found = [path for kind in ("txt", "json") for path in folder.glob(f"tests/**/*.{kind}")]
    return {p: (p.stat().st_mtime_ns, len(p.read_text("utf-8").splitlines())) for p in found}


def pre_commit(words, folder):
    """It is not in the book's environment, but what it would start is."""
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    entries = [hook["entry"] for repo in hooks["repos"] for hook in repo["hooks"]]
    modules = {name for entry in entries for name in re.findall(r"python -m (\w+)", entry)}
    assert words == ["pre-commit", "install"] and len(entries) == 3
    assert modules and all(map(importlib.util.find_spec, modules))


TRIED = {"make": make, "python": python, "pre-commit": pre_commit}


def run(words, folder):
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("command", [*map(given, commands())])
def test_a_command_that_contributors_are_told_runs(command, tmp_path):
    words = shlex.split(command)
    TRIED[words[0]](words, tmp_path)


def test_all_kinds_of_commands_are_found():
    assert {command.split()[0] for command in commands()} == TRIED.keys() and len(commands()) > 9
