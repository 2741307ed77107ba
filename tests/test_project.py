"""The project's files agree with each other, and the commands say clearly what is wrong."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import fuzz
import oldest
import package_tests
import pytest
from draws import assert_close

import notebooks

ROOT = Path(__file__).resolve().parent.parent

CONDA_NAMES = {"torch": "pytorch", "matplotlib": "matplotlib-base", "seaborn": "seaborn-base"}


def test_conda_has_the_versions_of_pip():
    text = (ROOT / "environment.yml").read_text(encoding="utf-8")
    for package, version in oldest.pins().items():
        name = CONDA_NAMES.get(package, package)
        assert re.search(rf"- {re.escape(name)}==?{re.escape(version)}$", text, re.M), package


def number(version):
    return tuple(map(int, version.split(".")))


def test_the_ranges_admit_the_pinned_versions_and_nothing_is_unpinned():
    ranges, pinned = oldest.ranges(), oldest.pins()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["requires-python"] == ">=3.11"
    assert set(ranges) == set(pinned)
    for name, least in ranges.items():
        assert number(pinned[name]) >= number(least), name


def test_the_ranges_admit_what_colab_has():
    """Else the set-up cell would replace what the reader finds there."""
    text = (ROOT / "requirements-colab.txt").read_text(encoding="utf-8")
    colab = dict(re.findall(r"^([\w-]+)==([\w.]+)$", text, re.M))
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    for text in needed:
        name, least = re.fullmatch(r"([\w-]+)>=([\d.]+)", text).groups()
        assert number(colab[name]) >= number(least), name


def test_the_oldest_versions_are_the_floors_and_torch_is_at_hand():
    lines = oldest.oldest()
    pyproject = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f"torch=={oldest.pins()['torch']}" in lines
    others = [line for line in lines if not line.startswith("torch==")]
    assert len(others) == len(lines) - 1 > 10
    for line in others:
        assert f'"{line.replace("==", ">=")}"' in pyproject
    assert (
        subprocess.check_output([sys.executable, ROOT / "tools/oldest.py"], text=True).splitlines()
        == lines
    )


@pytest.mark.pins
def test_the_installed_versions_are_the_pinned_ones():
    from importlib.metadata import version

    for package, pinned in oldest.pins().items():
        assert version(package).split("+")[0] == pinned, f"{package}: run make test, not pytest"


def test_the_public_address_is_the_same_everywhere():
    repository = notebooks.public_repository()
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for address in (
        r"colab\.research\.google\.com/github/",
        r"mybinder\.org/v2/gh/",
        r"git\+https://github\.com/",
    ):
        assert re.findall(rf"{address}([\w.-]+/[\w.-]+?)[/)`]", readme) == [repository], address
    for path in [*notebooks.chapters(), *notebooks.appendices()]:
        text = path.read_text(encoding="utf-8")
        found = re.findall(r"github(?:\.com)?/([\w.-]+/d2lattn)\b", text)
        assert found and set(found) == {repository}, path.name


def test_the_readme_lists_every_part_and_its_files_exist():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for path in [*notebooks.chapters(), *notebooks.appendices()]:
        assert f"(notebooks/{path.name})" in readme
    for link in re.findall(r"\]\(([^)#:]+)\)", readme):
        assert (ROOT / link).exists(), link


def test_the_readme_example_runs():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", readme, re.S)
    names = {}
    exec(example, names)
    assert_close(names["output"], names["same"], within=1e-6)


def make(folder, *arguments):
    return subprocess.run(
        ["make", "-s", "-C", str(folder), *arguments], capture_output=True, text=True, check=False
    )


def test_make_explains_its_commands():
    said = make(ROOT).stdout
    targets = re.search(r"^\.PHONY: (.*)", (ROOT / "Makefile").read_text(), re.M)[1].split()
    assert all(f"make {target} " in said for target in targets)


def test_an_unfit_python_gives_one_clear_line(tmp_path):
    for name in ("Makefile", "requirements.txt", "requirements-d2l.txt"):
        shutil.copy(ROOT / name, tmp_path)
    old = tmp_path / "python2"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    for python in ("", str(old), str(tmp_path / "absent")):
        result = make(tmp_path, f"PYTHON={python}", "test")
        assert result.returncode != 0
        assert result.stdout.startswith("d2lattn needs Python 3.11 or newer")
        assert len(result.stdout.splitlines()) == 1


def test_a_search_says_pytest_what_it_understands():
    few = ["-n", "0", "--co", "tests/test_masks.py"]
    listed = subprocess.check_output([*package_tests.PYTEST, *few, *fuzz.options("7")], cwd=ROOT)
    assert b"test_masks.py::test_window_mask" in listed
