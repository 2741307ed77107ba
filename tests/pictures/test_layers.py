"""Costs of layers: a layer has one colour in every drawing, and no name hides another."""

from itertools import combinations

import matplotlib.pyplot as plt
import pytest
from artists import faces, outside, overlapping, written
from matplotlib.colors import to_hex

from d2lattn_book.pictures import drawings, plots
from d2lattn_book.pictures.colours import LAYERS, ROLES

SERIES = {
    "CNN": [1, 2, 4],
    "CNN, dilated": [1, 2, 3],
    "RNN": [1, 2, 4],
    "LSTM": [4, 8, 16],
    "attention, explicit": [1, 4, 16],
    "attention, fused": [1, 2, 4],
}


def colours(ax):
    return {line.get_label(): to_hex(line.get_color()) for line in ax.lines}


def test_curves_are_told_apart_and_those_of_one_layer_have_its_colour():
    ax = drawings.layer_lines([1, 2, 4], SERIES, xlabel="n")
    drawn = colours(ax)
    assert drawn["attention, explicit"] == drawn["attention, fused"] == LAYERS["attention"][0]
    assert drawn["CNN"] != drawn["CNN, dilated"]
    looks = {(line.get_color(), line.get_linestyle()) for line in ax.lines}
    assert len(looks) == len(SERIES), "told apart without the names, too"
    assert plots.describe(ax).startswith("6 lines over n from 1 to 4: CNN from 1 to 4,")


def test_lines_of_different_layers_that_are_dark_differ_by_style():
    ax = drawings.layer_lines([1, 2], {"attention": [1, 2], "CNN, contiguous": [1, 1]})
    assert len({line.get_linestyle() for line in ax.lines}) == 2


def test_a_layer_has_one_colour_whatever_else_is_drawn():
    alone = colours(drawings.layer_lines([1, 2], {"LSTM": [1, 2]}))
    ax = drawings.layer_points({"RNN": (1, 1), "LSTM": (2, 4)})
    assert faces(ax, "LSTM") == [alone["LSTM"]] != faces(ax, "RNN")


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


def test_curves_are_added_to_what_is_there():
    _, ax = plt.subplots()
    ax.plot([0, 1], [3, 3], color="red")
    drawings.layer_lines([1, 2], {"RNN": [1, 2]}, ax=ax)
    assert [line.get_color() for line in ax.lines] == ["red", LAYERS["RNN"][0]]


def test_no_layer_has_the_colour_of_a_role():
    assert not {colour for colour, _ in LAYERS.values()} & set(ROLES.values())
    assert len({colour for colour, _ in LAYERS.values()}) == len(LAYERS)
