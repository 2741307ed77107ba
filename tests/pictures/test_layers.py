"""Costs of layers: a layer has one colour in every drawing, and no name hides another."""

from itertools import combinations

import pytest
from artists import outside, overlapping, written

from d2lattn_book.pictures import drawings

SERIES = {
    "CNN": [1, 2, 4],
    "CNN, contiguous": [1, 3, 5],
    "CNN, dilated": [1, 2, 3],
    "RNN": [1, 2, 4],
    "LSTM": [4, 8, 16],
    "attention": [1, 4, 16],
    "LSTM, gate open": [1, 2, 4],
}


@pytest.mark.parametrize("scale", ["log", "linear", None])
def test_names_stand_beside_the_ends_and_apart(scale):
    ax = drawings.layer_lines([1, 2, 4], SERIES, xscale=scale, yscale=scale)
    assert ax.get_legend() is None and not overlapping(ax) and not outside(ax)
    heights = {text.get_text(): text.xy[1] for text in written(ax)}
    assert set(heights) == set(SERIES)
    points = 72 * ax.get_position().height * ax.figure.get_figheight()
    assert all(abs(a - b) * points > 12.99 for a, b in combinations(heights.values(), 2))
    assert heights["CNN, dilated"] == min(heights.values())
    ends = ax.transAxes.inverted().transform(ax.transData.transform([(4, 3)]))
    assert heights["CNN, dilated"] == pytest.approx(ends[0, 1])
