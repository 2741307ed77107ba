"""The drawings of words in the plane: what stands on the Axes is what the numbers say."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch
from seen import arrows, extents, faces, frames, overlapping, pens, points, strings, written

from d2lattn.language import words
from d2lattn.pictures import drawings, plots
from d2lattn.pictures.colours import ROLES

TOKENS = ["the", "girl", "swung", "the", "bat"]
X = torch.tensor([[0.0, 0.0], [3.0, -0.8], [4.4, -1.2], [0.0, 0.0], [0.1, -0.8]])
SHARES = torch.softmax(X @ X.T, dim=-1)
WIDEST = 16  # points, of a line whose share is 1
TIP = 0.06  # by which a broad arrow's tip stops short of its end

# Whole maps -----------------------------------------------------------------------------------


def test_the_map_names_every_word_once_and_no_two_names_overlap():
    names, xy = words.places()
    ax = drawings.word_map(names, xy, query="bat")
    listed = ", ".join(name.replace(",\n", ", ") for name in strings(ax)).split(", ")
    assert sorted(listed) == sorted(names) and not overlapping(ax)
    frame = ax.get_window_extent()
    assert all(frame.x0 <= box.x0 and box.x1 <= frame.x1 for _, box in extents(ax))


def test_names_of_near_words_do_not_overlap():
    near = [[0, 0], [0, 0.12], [4, 4]]
    assert not overlapping(drawings.word_map(["one word", "another word", "far"], near))


def test_the_map_colours_who_asks_and_what_came_out():
    ax = drawings.word_map(["a", "b", "c"], [[0, 0], [1, 0], [0, 2]], query="b", output=["c"])
    for label, place, role in (("asks", [1, 0], "query"), ("new", [0, 2], "output")):
        assert points(ax, label).tolist() == [place] and faces(ax, label) == [ROLES[role]]
    assert points(ax, "words").tolist() == [[0, 0]]


def test_an_outline_joins_words_in_their_order_and_their_names_keep_off_it():
    places = {"a": (0, 0), "b": (4, 0), "c": (4, 2), "d": (0, 2), "inside": (1.5, 0.04)}
    ax = drawings.word_map(list(places), list(places.values()), outline=["a", "b", "c", "d"])
    (edge,) = frames(ax)
    assert edge.get_xy().tolist() == [list(places[word]) for word in "abcda"]
    side = ax.transData.transform([(x, 0) for x in np.linspace(0, 4, 200)])
    name = dict(extents(ax))["inside"]
    assert not any(name.contains(*spot) for spot in side)
    assert not drawings.word_map(list(places), list(places.values())).patches


def test_names_of_one_place_stand_in_short_lines_and_no_name_is_broken():
    names = ["racket", "hammer", "a long name that stays", "far"]
    ax = drawings.word_map(names, [[0, 0]] * 3 + [[1, 1]])
    lines = ["racket,", "hammer,", "a\xa0long\xa0name\xa0that\xa0stays"]
    assert strings(ax)[0].split("\n") == lines


# One word, or words at one place ----------------------------------------------------------------

ALONE = {
    "one word": (["bat"], [[1.0, 2.0]]),
    "one word at 0": (["bat"], [[0.0, 0.0]]),
    "three at one place": (["bat", "the", "what"], [[2.0, -1.0]] * 3),
    "three at 0, as in the book": (["bat", "the", "what"], [[0.0, 0.0]] * 3),
    "on a line": (["the", "bat"], [[0.0, 1.0], [0.0, 3.0]]),
}


@pytest.mark.parametrize(("names", "x"), ALONE.values(), ids=ALONE)
@pytest.mark.parametrize("draw", ["word_map", "shadows", "blend", "pull"])
def test_one_word_or_one_place_is_drawn_as_any_other(draw, names, x):
    shares = [[1 / len(names)] * len(names)] if draw in ("blend", "pull") else []
    if draw == "shadows" and not np.any(x):
        return  # a query of no length has no shadows, and is refused
    ax = getattr(drawings, draw)(names, x, *shares, query="bat")
    assert np.isfinite([*ax.get_xlim(), *ax.get_ylim()]).all()
    assert all(ax.viewLim.contains(*place) for place in x)
    width, height = ax.figure.get_size_inches()
    assert 1 < width <= 12 and 1 < height <= 8
    assert any("bat" in text for text in strings(ax)) and "nan" not in plots.describe(ax)


def test_the_words_that_the_book_puts_at_one_place_can_be_drawn():
    names, xy = words.places()
    at_0 = [i for i, place in enumerate(xy.tolist()) if place == [0, 0]]
    assert {names[i] for i in at_0} >= {"the", "what", "a"}
    ax = drawings.word_map([names[i] for i in at_0], xy[at_0])
    assert points(ax, "words").tolist() == [[0, 0]] * len(at_0)


# Dot products and blends ----------------------------------------------------------------------


def test_a_shadow_times_the_length_of_the_query_is_the_score():
    ax = drawings.shadows(TOKENS, X, query="bat")
    feet, bat = points(ax, "ends of the shadows"), X[4].double().numpy()
    length = np.linalg.norm(bat)
    assert np.allclose(feet @ bat / length * length, X.double().numpy() @ bat)
    assert np.allclose(feet[:, 0] * bat[1], feet[:, 1] * bat[0])  # on the line of the query
    assert "bat · swung = 1.40" in strings(ax) and len(written(ax)) == 4  # the, the: one place


def test_a_key_behind_the_query_has_a_negative_score_and_a_shadow_behind():
    ax = drawings.shadows(["a", "b"], [[1.0, 0.0], [-2.0, 1.0]], query="a")
    assert points(ax, "ends of the shadows").tolist() == [[1, 0], [-2, 0]]
    assert [said.replace("−", "-") for said in strings(ax)][1] == "a · b = -2.00"


@pytest.mark.parametrize("weights", [SHARES, SHARES[4]], ids=["matrix", "row"])
@pytest.mark.parametrize("draw", [drawings.blend, drawings.pull])
def test_the_blend_lies_where_the_shares_put_it(draw, weights):
    ax = draw(TOKENS, X, weights, query="bat")
    assert np.allclose(points(ax, "blend"), (SHARES @ X)[4], atol=1e-6)


def test_the_pieces_of_the_blend_are_the_values_times_their_shares_end_to_end():
    ax = drawings.blend(TOKENS, X, SHARES, query="bat")
    pale = [pen.get_edgecolor()[3] < 0.5 for pen in pens(ax, ROLES["value"])]
    assert sum(pale) == 3 and len(pale) == 6  # "the" has no length
    drawn, heard = arrows(ax, ROLES["value"]), [1, 2, 4]
    whole, pieces = drawn[pale], drawn[np.invert(pale)]
    assert np.allclose(whole[:, 1], X[heard], atol=TIP) and np.allclose(whole[:, 0], 0, atol=TIP)
    joints = (SHARES[4, heard, None] * X[heard]).cumsum(0)
    assert np.allclose(pieces[:, 1], joints, atol=TIP)
    assert np.allclose(pieces[1:, 0], joints[:-1], atol=TIP)
    assert {"0.24 × girl", "0.39 × swung", "0.18 × bat", "bat's blend"} <= set(strings(ax))


def test_a_line_pulls_as_broadly_as_its_words_share():
    ax = drawings.pull(TOKENS, X, SHARES, query="bat")
    widths = sorted(line.get_linewidth() / WIDEST for line in pens(ax, ROLES["weight"]))
    the, girl, swung = 2 * SHARES[4, 0], SHARES[4, 1], SHARES[4, 2]
    assert np.allclose(widths, sorted([the, girl, swung]))
    said = {"the 0.09\nthe 0.09", "girl 0.24", "swung 0.39", "bat 0.18", "bat now"}
    assert said == set(strings(ax))
    assert faces(ax, "words")[4] == ROLES["query"]


def test_two_sentences_can_share_one_window():
    corners = [[-1, -4], [5, 1]]
    first = drawings.pull(TOKENS, X, SHARES, query="bat", around=corners)
    second = drawings.pull(["the", "bat"], X[3:], [0.3, 0.7], query="bat", around=corners)
    assert first.get_xlim() == second.get_xlim() and first.get_ylim() == second.get_ylim()
    for low, high, (start, end) in ((-1, 5, first.get_xlim()), (-4, 1, first.get_ylim())):
        assert start < low < high < end


def test_four_on_one_figure_say_their_numbers_in_turn():
    figure, ((a, b), (c, d)) = plt.subplots(2, 2, layout="constrained")
    drawings.word_map(TOKENS[1:3], X[1:3], ax=a, title="map")
    drawings.shadows(TOKENS, X, query="bat", ax=b)
    drawings.blend(TOKENS, X, SHARES, query="bat", ax=c)
    drawings.pull(TOKENS, X, SHARES, query="bat", ax=d)
    begins = (
        "map: words: 2 points",
        "bat · the = 0.00",
        "girl, swung, bat, 0.24 × girl",
        "the 0.09, the 0.09, girl 0.24, swung 0.39, bat 0.18, bat now; ",
    )
    said = plots.describe(figure)
    assert said.startswith(begins[0]) and all(f". {begin}" in said for begin in begins[1:])


# Groups ---------------------------------------------------------------------------------------

POINTS = {"he": torch.tensor([[0.0, 1.0], [2.0, 3.0]]), "she": [[4, 5], [6, 7], [8, -1]]}


def test_every_group_is_drawn_with_a_colour_and_a_marker_of_its_own():
    ax = drawings.groups(POINTS, xlabel="female", ylabel="royal", title="people")
    he, she = ax.collections
    assert points(ax, "he").tolist() == [[0, 1], [2, 3]]
    assert points(ax, "she").tolist() == [[4, 5], [6, 7], [8, -1]]
    assert faces(ax, "he") != faces(ax, "she")
    assert len(he.get_paths()[0].vertices) != len(she.get_paths()[0].vertices)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["he", "she"]
    assert drawings.groups({"one": [[0, 0]]}).get_legend() is None
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("female", "royal")
    he, she = "2 points, x from 0 to 2, y from 1 to 3", "3 points, x from 4 to 8, y from -1 to 7"
    assert plots.describe(ax) == f"people: he: {he}; she: {she}."


def test_names_stand_at_their_points_and_arrows_lead_from_the_first_place_to_the_second():
    way = np.array([(0.0, 1.0), (4.0, 5.0)])
    ax = drawings.groups(POINTS, names={"he": ["man", "king"]}, arrows=[way])
    named = {text.get_text(): np.asarray(text.xy).tolist() for text in written(ax)}
    assert named == {"man": [0, 1], "king": [2, 3]}
    (drawn,) = arrows(ax)
    assert np.allclose(drawn, way, atol=0.3)  # up to the points' own size
