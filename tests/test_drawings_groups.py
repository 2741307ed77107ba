"""Points in groups: what is drawn is what was given, and bad input is refused by name."""

import matplotlib as mpl
import numpy as np
import pytest
import torch

from d2lattn.pictures import drawings, plots

mpl.use("Agg")
POINTS = {"he": torch.tensor([[0.0, 1.0], [2.0, 3.0]]), "she": [[4, 5], [6, 7], [8, -1]]}


def test_every_group_is_drawn_with_a_colour_and_a_marker_of_its_own():
    ax = drawings.groups(POINTS, xlabel="female", ylabel="royal", title="people")
    he, she = ax.collections
    assert np.array_equal(he.get_offsets(), [[0, 1], [2, 3]])
    assert np.array_equal(she.get_offsets(), [[4, 5], [6, 7], [8, -1]])
    assert not np.array_equal(he.get_facecolor(), she.get_facecolor())
    assert len(he.get_paths()[0].vertices) != len(she.get_paths()[0].vertices)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["he", "she"]
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title()) == ("female", "royal", "people")
    said = "people: he: 2 points, x 0 to 2, y 1 to 3; she: 3 points, x 4 to 8, y -1 to 7"
    assert plots.describe(ax) == said


def test_names_stand_at_their_points_and_arrows_lead_from_the_first_place_to_the_second():
    arrow = ((0.0, 1.0), (4.0, 5.0))
    ax = drawings.groups(POINTS, names={"he": ["man", "king"]}, arrows=[arrow])
    written = {text.get_text(): text.xy for text in ax.texts if text.get_text()}
    assert {name: tuple(map(float, xy)) for name, xy in written.items()} == {
        "man": (0, 1),
        "king": (2, 3),
    }
    (drawn,) = ax.patches
    assert np.array_equal(drawn._posA_posB, arrow)


def test_it_draws_where_it_is_told():
    _, ax = mpl.pyplot.subplots()
    assert drawings.groups({"one": [[0, 0]]}, ax=ax) is ax
    assert ax.get_legend() is None


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (dict(points={}), r"^points must be a dict of groups, got \{\}$"),
        (dict(points=[[0, 0]]), "^points must be a dict of groups, got "),
        (dict(points={"a": [0, 0]}), r"^points 'a' must have shape \(n, 2\), got shape \(2,\)$"),
        (
            dict(points={"a": [[0, 0, 0]]}),
            r"^points 'a' must have shape \(n, 2\), got shape \(1, 3\)$",
        ),
        (dict(points={"a": np.zeros((0, 2))}), r"must have shape \(n, 2\), got shape \(0, 2\)$"),
        (
            dict(points={"a": [[0, 0]]}, names={"a": "xy"}),
            "^names 'a' must be a list of strings, got 'xy'$",
        ),
        (
            dict(points={"a": [[0, 0]]}, names={"b": ["x"]}),
            "^names must be a dict of words for some of the groups .*, got ",
        ),
    ],
)
def test_bad_input_is_refused_by_name(arguments, said):
    with pytest.raises(ValueError, match=said):
        drawings.groups(**arguments)
