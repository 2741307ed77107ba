"""A test that draws random numbers draws the same in every run; pictures are compared."""

import base64
import gc
import os
import pathlib
import random
import re
import sys
import zlib
from functools import cache
from importlib.metadata import version

import pytest

ROOT = pathlib.Path(__file__).parent

# Before torch is imported. Several processes with several threads each wait for one another.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# What the real model is read into: of this copy of the book alone.
os.environ.setdefault("D2LATTN_CACHE", str(ROOT / "build" / "cache"))

# What wants triton: `make test-kernel` asks for it, and `make test` says that it does not.
if "TRITON_INTERPRET" not in os.environ:
    collect_ignore_glob = ["*/92_*.ipynb", "tests/kernel/*", "d2lattn_book/kernels/*"]
    collect_ignore_glob += ["*/small_kernel.py"]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """Seed what draws without a generator of its own, by the test's name: order does not matter.

    Doctests are reached, too. torch and numpy are not imported for those who did not.
    """
    seed = zlib.crc32(item.nodeid.encode())
    random.seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed)
    if torch := sys.modules.get("torch"):
        torch.default_generator.manual_seed(seed)
        if torch.cuda.is_initialized():  # else torch.manual_seed notes for each kind of GPU who
            torch.cuda.manual_seed_all(seed)  # called it: a third of a small test's time


def pytest_collection_modifyitems(items):
    """Ask nbval for patience and for every output.

    A kernel on a busy machine may take longer than its 5 seconds to say that it is idle. And a cell
    without a count it takes for one that was not run; the book stores no counts, and seals instead.
    """
    for item in items:
        if hasattr(item, "output_timeout"):
            item.output_timeout = 600
            item.cell.execution_count = 1


@cache
def drawn_otherwise():
    """What draws here with another version than that of the stored pictures, in words."""
    lock = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    locked = re.findall(r"^(torch|numpy|matplotlib|seaborn)==(\S+)", lock, re.M)
    here = {name: version(name).partition("+")[0] for name, _ in locked}
    found = [
        f"{name} {here[name]}, not {wanted}" for name, wanted in locked if here[name] != wanted
    ]
    from matplotlib import ft2font

    return found + ["a FreeType of the system"] * (ft2font.__freetype_build_type__ != "local")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Compare what a cell has just drawn for nbval with its stored pictures."""
    result = yield
    if not hasattr(item, "test_outputs") or not item.options["check"] or drawn_otherwise():
        return result
    import cells
    import refresh

    stored, drawn = item.cell.outputs, item.test_outputs
    if refresh.VARIES in cells.tags(item.cell) or refresh.same_pictures(stored, drawn):
        return result
    folder = ROOT / "build" / "pictures"
    folder.mkdir(parents=True, exist_ok=True)
    for name, outputs in dict(stored=stored, drawn=drawn).items():
        for png, _ in cells.pictures({"outputs": outputs}):
            picture = folder / f"{item.path.stem}-{item.cell.id}-{name}.png"
            picture.write_bytes(base64.b64decode(png))
    anew = f"if it shall be so, make refresh CHAPTERS={item.path.name[:2]}"
    item.raise_cell_error(f"not the stored picture (both lie in {folder}): {anew}")


def pytest_terminal_summary(terminalreporter, config):
    """Say it where pictures are not compared."""
    if getattr(config.option, "nbval", False) and (found := drawn_otherwise()):
        terminalreporter.write_line(f"the chapters' pictures are not compared: {'; '.join(found)}")


gc.disable()  # ten thousand tests are collected, and none of them is rubbish


def pytest_collection_finish():
    gc.freeze()  # nor is looked at again and again while they run
    gc.enable()
