"""Wheel and sdist, built and installed in clean environments: runs with `make test-dist`."""

import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import dist
import pytest

import d2lattn

ROOT = Path(__file__).resolve().parent.parent.parent
HERE = Path(d2lattn.__file__).parent.parent

# Run far from the project, with nothing but the wheel and what the wheel asks for.
PROGRAM = """
import importlib, pkgutil, d2lattn, d2lattn_book
from d2lattn_book.language import words
from d2lattn_book.pictures import live
for package in (d2lattn, d2lattn_book):
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if "kernel" not in module.name:  # those want triton
            importlib.import_module(module.name)
vocabulary, vectors = words.word_vectors()
page = live.positions(8, base=100.0, length=8)._repr_mimebundle_()
print(d2lattn.__file__, len(vocabulary) == len(vectors), "<script" in str(page))
"""


def own_files():
    folders = HERE / "d2lattn", HERE / "d2lattn_book"
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(HERE) for path in files if "__pycache__" not in path.parts}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dist") / "built"
    dist.build(folder)
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return wheel, sdist


def test_wheel_and_sdist_carry_the_licence(built):
    wheel, sdist = built
    assert any(name.endswith("LICENSE") for name in zipfile.ZipFile(wheel).namelist())
    with tarfile.open(sdist) as archive:
        in_sdist = {name.partition("/")[2] for name in archive.getnames()}
    assert {"LICENSE", "README.md", "CHANGELOG.md", "CITATION.cff"} <= in_sdist


@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_it_installs_and_imports_in_a_clean_environment(built, kind, tmp_path):
    venv.create(tmp_path, with_pip=True)
    python = tmp_path / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    # The versions of requirements.txt, so that torch is the one that was downloaded already.
    pins = ["--constraint", ROOT / "requirements.txt"]
    subprocess.run([*pip, *pins, built[kind == "sdist"]], check=True)
    alone = "import d2lattn, sys; print('numpy' in sys.modules or 'matplotlib' in sys.modules)"
    assert subprocess.check_output([python, "-c", alone], text=True) == "False\n"
    subprocess.run([*pip, *pins, f"{built[kind == 'sdist']}[book]"], check=True)
    said = subprocess.check_output([python, "-c", PROGRAM], cwd=tmp_path, text=True).split()
    assert Path(said[0]).is_relative_to(tmp_path)
    assert said[1:] == ["True", "True"]
    site = Path(said[0]).parent.parent
    for name in own_files():  # sdist and wheel install the same, byte by byte
        assert (site / name).read_bytes() == (HERE / name).read_bytes(), name
