"""A test that draws draws the same numbers in every run; `--seed`, and so `make fuzz`, others."""

import gc
import os
import pathlib
import random
import sys
import zlib

import pytest

# Before torch is imported. Several processes with several threads each wait for one another.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# What the real model is read into: of this copy of the book alone.
os.environ.setdefault("D2LATTN_CACHE", str(pathlib.Path(__file__).parent / "build" / "cache"))

# What wants triton: `make test-kernel` asks for it, and `make test` says that it does not.
if "TRITON_INTERPRET" not in os.environ:
    collect_ignore_glob = ["*/92_*.ipynb", "tests/kernel/*", "d2lattn_book/kernels/*"]
    collect_ignore_glob += ["*/small_kernel.py"]


def pytest_addoption(parser):
    text = "draw other random numbers; 0, the default, are those of every run (make fuzz)"
    parser.addoption("--seed", type=int, default=0, help=text)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """Seed what draws without a generator of its own, by the test's name: order does not matter.

    Doctests are reached, too. torch and numpy are not imported for those who did not.
    """
    seed = zlib.crc32(f"{item.config.getoption('seed')} {item.nodeid}".encode())
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


gc.disable()  # ten thousand tests are collected, and none of them is rubbish


def pytest_collection_finish():
    gc.freeze()  # nor is looked at again and again while they run
    gc.enable()
