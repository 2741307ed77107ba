"""A cell ends in its drawing: a notebook shows it once, with what it says as alternative text."""

import base64
import html
import io
import re

import matplotlib.pyplot as plt
import numpy as np
import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

from d2lattn_book.pictures import drawings, plots
from d2lattn_book.pictures.figure import bundle


def test_the_description_is_the_text_and_the_alternative_text():
    ax = plots.flow(["<a>", '"b"'], [0.25, 0.75], query=0)
    shown = bundle(ax.figure)
    assert shown.keys() == {"text/plain", "text/html"}
    said = plots.describe(ax)
    alt, png = re.fullmatch(
        r'<img alt="([^"]*)" style="max-width:100%" src="data:image/png;base64,([^"]*)">',
        shown["text/html"],
    ).groups()
    assert said == '<a> attends to: "b" 0.75, <a> 0.25.'
    assert shown["text/plain"] == html.unescape(alt) == said
    assert "<a>" not in alt
    image = plt.imread(io.BytesIO(base64.b64decode(png)))
    assert image.shape[0] > 100 and image[..., -1].min() == 1  # opaque


CELLS = {
    "drawings.model_map(3)": ["chapter 3: divide by √dₖ, causal mask."],
    "plots.heatmaps([[[1.0]], [[2.0]]])": [
        "head 0: a map of 1 × 1, query (row) by key (column): values 1, the largest 1 at (0, 0); "
        "head 1: a map of 1 × 1: values 2, the largest 2 at (0, 0)."
    ],
    "figure, axes = plots.subplots(1, 2)\nfor ax in axes:\n    _ = ax.bar([0], [1])\naxes[0]": [
        "1 bar 1; 1 bar 1."
    ],
    "ax = plots.lines([1, 2], {'a': [1, 2]})\nprint('before')\nax": [
        "1 line over x from 1 to 2: a from 1 to 2."
    ],
}


def test_a_notebook_shows_a_figure_once():
    first = new_code_cell("from d2lattn_book.pictures import drawings, plots")
    notebook = new_notebook(cells=[first, *map(new_code_cell, CELLS)])
    NotebookClient(notebook, timeout=600).execute()
    for cell, said in zip(notebook.cells[1:], CELLS.values(), strict=True):
        outputs = [o.data for o in cell.outputs if "data" in o]
        assert [data["text/plain"] for data in outputs] == said, cell.source
        assert not any("image/png" in data for data in outputs)


@pytest.mark.parametrize(
    "draw", [lambda: drawings.shared_heads(2, 1), lambda: plots.heatmaps(np.eye(2)[None])]
)
def test_a_window_of_matplotlib_stays_open(draw, monkeypatch):
    """Only the inline backend shows a figure again at the end of a cell."""
    seen = []
    monkeypatch.setattr("IPython.display.display", lambda data, raw: seen.append((data, raw)))
    drawn = draw()
    drawn._ipython_display_()
    assert plt.fignum_exists(drawn.figure.number)
    monkeypatch.setattr(plt, "get_backend", lambda: "module://matplotlib_inline.backend_inline")
    drawn._ipython_display_()
    assert not plt.fignum_exists(drawn.figure.number)
    assert [(raw, data["text/plain"]) for data, raw in seen] == [(True, plots.describe(drawn))] * 2
