"""Costs of layers: a layer has one colour in every drawing, and no name hides another."""

from itertools import combinations

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.colors import to_hex

from d2lattn.pictures import drawings, plots
from d2lattn.pictures.colours import LAYERS, ROLES
from d2lattn.pictures.drawings._layers import APART

mpl.use("Agg")
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


def test_a_curve_is_drawn_as_given_in_the_colour_of_its_layer():
    ax = drawings.layer_lines([1, 2, 4], SERIES, xlabel="n", ylabel="cost", title="costs")
    for line, (name, values) in zip(ax.lines, SERIES.items(), strict=True):
        assert line.get_label() == name
        assert np.array_equal(line.get_xdata(), [1, 2, 4])
        assert np.array_equal(line.get_ydata(), values)
    drawn = colours(ax)
    assert drawn["attention, explicit"] == drawn["attention, fused"] == LAYERS["attention"][0]
    assert drawn["CNN"] != drawn["CNN, dilated"]
    looks = {(line.get_color(), line.get_linestyle()) for line in ax.lines}
    assert len(looks) == len(SERIES), "told apart without the names, too"
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title()) == ("n", "cost", "costs")
    assert plots.describe(ax).startswith("costs: 6 lines over n 1 to 4; CNN: 1 to 4;")


def test_a_layer_has_one_colour_whatever_else_is_drawn():
    alone = colours(drawings.layer_lines([1, 2], {"LSTM": [1, 2]}))
    ax = drawings.layer_points({"RNN": (1, 1), "LSTM": (2, 4)})
    rnn, lstm = ax.collections
    assert to_hex(lstm.get_facecolor()[0]) == alone["LSTM"] != to_hex(rnn.get_facecolor()[0])


def test_names_stand_beside_the_ends_and_apart():
    ax = drawings.layer_lines([1, 2, 4], SERIES, xscale="log", yscale="log")
    assert ax.get_legend() is None
    heights = {text.get_text(): text.xy[1] for text in ax.texts}
    assert set(heights) == set(SERIES)
    points = 72 * ax.get_position().height * ax.figure.get_figheight()
    assert all(
        abs(one - other) * points > APART - 0.01 for one, other in combinations(heights.values(), 2)
    )
    assert heights["CNN, dilated"] == min(heights.values())
    ends = ax.transAxes.inverted().transform(ax.transData.transform([(4, 3)]))
    assert heights["CNN, dilated"] == pytest.approx(ends[0, 1])


def test_points_stand_where_they_belong_with_their_names():
    ax = drawings.layer_points({"CNN, dilated": (3, 7), "attention": (5, 1)}, xlabel="work")
    assert [mark.get_offsets().tolist() for mark in ax.collections] == [[[3, 7]], [[5, 1]]]
    assert [(text.get_text().strip(), text.xy) for text in ax.texts] == [
        ("CNN, dilated", pytest.approx((3, 7))),
        ("attention", pytest.approx((5, 1))),
    ]
    assert (ax.get_xscale(), ax.get_yscale(), ax.get_xlabel()) == ("log", "log", "work")


def test_curves_are_added_to_the_axes_that_are_given():
    _, (left, right) = mpl.pyplot.subplots(1, 2)
    left.plot([0, 1], [3, 3], color="red")
    assert drawings.layer_lines([1, 2], {"RNN": [1, 2]}, ax=left) is left
    assert drawings.layer_points({"RNN": (1, 2)}, ax=right) is right
    assert left.lines[0].get_color() == "red", "what was there keeps its colour"
    assert left.lines[1].get_color() == LAYERS["RNN"][0]


def test_no_layer_has_the_colour_of_a_role():
    assert not {colour for colour, _ in LAYERS.values()} & set(ROLES.values())
    assert len({colour for colour, _ in LAYERS.values()}) == len(LAYERS)
