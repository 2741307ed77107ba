"""Costs of layers: a layer has one colour in every drawing, and no name hides another."""

from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex
from seen import faces, outside, overlapping, points, written

from d2lattn.pictures import drawings, plots
from d2lattn.pictures.colours import LAYERS, ROLES

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
        assert np.array_equal(line.get_xydata().T, [[1, 2, 4], values])
    drawn = colours(ax)
    assert drawn["attention, explicit"] == drawn["attention, fused"] == LAYERS["attention"][0]
    assert drawn["CNN"] != drawn["CNN, dilated"]
    looks = {(line.get_color(), line.get_linestyle()) for line in ax.lines}
    assert len(looks) == len(SERIES), "told apart without the names, too"
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("n", "cost")
    assert plots.describe(ax).startswith("costs: 6 lines over n from 1 to 4: CNN from 1 to 4,")


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


def test_points_stand_where_they_belong_with_their_names():
    ax = drawings.layer_points({"CNN, dilated": (3, 7), "attention": (5, 1)}, xlabel="work")
    places = {"CNN, dilated": [3, 7], "attention": [5, 1]}
    assert {name: points(ax, name)[0].tolist() for name in places} == places
    assert {text.get_text().strip(): [*text.xy] for text in written(ax)} == places
    assert (ax.get_xscale(), ax.get_yscale(), ax.get_xlabel()) == ("log", "log", "work")


def test_curves_are_added_to_what_is_there():
    _, ax = plt.subplots()
    ax.plot([0, 1], [3, 3], color="red")
    drawings.layer_lines([1, 2], {"RNN": [1, 2]}, ax=ax)
    assert [line.get_color() for line in ax.lines] == ["red", LAYERS["RNN"][0]]


def test_no_layer_has_the_colour_of_a_role():
    assert not {colour for colour, _ in LAYERS.values()} & set(ROLES.values())
    assert len({colour for colour, _ in LAYERS.values()}) == len(LAYERS)
