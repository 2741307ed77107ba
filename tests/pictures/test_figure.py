"""A cell ends in its drawing: a notebook shows it once, with what it says as alternative text."""

import base64
import html
import io
import re

import matplotlib.pyplot as plt
import numpy as np
import pytest

from d2lattn_book.pictures import drawings, plots
from d2lattn_book.pictures.figure import bundle, states


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


@pytest.mark.parametrize(
    "draw", [lambda: drawings.shared_heads(2, 1), lambda: plots.heatmaps(np.eye(2)[None])]
)
def test_a_window_of_matplotlib_stays_open(draw, monkeypatch):
    """Only the inline backend shows a figure again at the end of a cell."""
    seen = []
    monkeypatch.setattr(
        "IPython.display.display", lambda data, raw, metadata: seen.append((data, raw))
    )
    drawn = draw()
    drawn._ipython_display_()
    assert plt.fignum_exists(drawn.figure.number)
    monkeypatch.setattr(plt, "get_backend", lambda: "module://matplotlib_inline.backend_inline")
    drawn._ipython_display_()
    assert not plt.fignum_exists(drawn.figure.number)
    assert [(raw, data["text/plain"]) for data, raw in seen] == [(True, plots.describe(drawn))] * 2


def test_a_state_of_a_picture_lacks_what_comes_later_and_moves_nothing():
    figure, axes = plots.subplots(1, 2)
    axes[0].plot([0, 9])
    (later,) = axes[0].plot([9, 0])
    plots.pause(axes[0], later)
    axes[1].plot([1000, 2000])
    plots.pause(axes[1])  # the whole figure, which is no state before it
    html_of = bundle(figure)["text/html"]
    codes = [*states(figure), re.search('base64,(.*?)"', html_of)[1]]
    state, whole = (plt.imread(io.BytesIO(base64.b64decode(code))) for code in codes)
    middle = whole.shape[1] // 2
    assert state.shape == whole.shape and (state[:, middle:] == 1).all()
    moved = (state != whole).any(axis=-1)[:, :middle]
    assert 0 < moved.mean() < 0.02  # a line
    assert later.get_visible() and axes[1].get_visible()
