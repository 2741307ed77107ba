"""Every cell of the book on a GPU: `make test-device`. Each runs, and its asserts hold."""

import matplotlib
import matplotlib.figure
import matplotlib.pyplot as plt
import pytest
import reader
import torch
from cells import book

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA GPU"),
]
BOOK = [path for path in book() if not path.name.startswith("92")]  # that has a command of its own
NAMED = {"10": "f1ec0003 e1040003"}  # cells that stop there, since they name the CPU themselves


@pytest.fixture(autouse=True)
def described(monkeypatch):
    """Pictures are described and not rendered."""
    monkeypatch.setattr(matplotlib.figure.Figure, "savefig", lambda *_, **__: None)
    matplotlib.use("module://matplotlib_inline.backend_inline")
    plt.ion()  # as in a notebook: what is drawn is shown at the end of its cell
    yield
    plt.close("all")


@pytest.mark.parametrize("path", BOOK, ids=lambda path: path.name[:2])
def test_a_chapter_runs_there(path):
    named = NAMED.get(path.name[:2], "").split()
    errors = reader.read(path, torch.device("cuda", 0))
    assert {cell: error for cell, error in errors.items() if cell not in named} == {}
