"""The drawings of words in the plane: what stands on the Axes is what the numbers say."""

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch
from matplotlib.colors import to_rgba
from matplotlib.patches import FancyArrowPatch

from d2lattn.language import words
from d2lattn.pictures import drawings, plots
from d2lattn.pictures.colours import ROLES
from d2lattn.pictures.drawings._pull import WIDEST

TOKENS = ["the", "girl", "swung", "the", "bat"]
X = torch.tensor([[0.0, 0.0], [3.0, -0.8], [4.4, -1.2], [0.0, 0.0], [0.1, -0.8]])
SHARES = torch.softmax(X @ X.T, dim=-1)


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def points(ax, label):
    (found,) = [dots for dots in ax.collections if dots.get_label() == label]
    return np.asarray(found.get_offsets())


def colours(ax, label):
    (found,) = [dots for dots in ax.collections if dots.get_label() == label]
    return found.get_facecolors()


def arrows(ax, role):
    patches = [patch for patch in ax.patches if isinstance(patch, FancyArrowPatch)]
    return [p for p in patches if to_rgba(p.get_edgecolor())[:3] == to_rgba(ROLES[role])[:3]]


def boxes(ax):
    renderer = ax.figure.canvas.get_renderer()
    return {text.get_text(): text.get_window_extent(renderer) for text in ax.texts}


def test_the_map_names_every_word_once_and_no_two_names_overlap():
    names, xy = words.places()
    ax = drawings.word_map(names, xy, query="bat")
    written = ", ".join(text.get_text().replace(",\n", ", ") for text in ax.texts).split(", ")
    assert sorted(written) == sorted(names)
    extents = list(boxes(ax).values())
    assert not any(a.overlaps(b) for i, a in enumerate(extents) for b in extents[:i])
    frame = ax.get_window_extent()
    assert all(frame.x0 <= box.x0 and box.x1 <= frame.x1 for box in extents)


def test_names_of_near_words_do_not_overlap():
    ax = drawings.word_map(["one word", "another word", "far"], [[0, 0], [0, 0.12], [4, 4]])
    one, another, _ = boxes(ax).values()
    assert not one.overlaps(another)


def test_the_map_colours_who_asks_and_what_came_out():
    ax = drawings.word_map(["a", "b", "c"], [[0, 0], [1, 0], [0, 2]], query="b", output=["c"])
    for label, place, role in (("asks", [1, 0], "query"), ("new", [0, 2], "output")):
        assert points(ax, label).tolist() == [place]
        assert np.allclose(colours(ax, label), to_rgba(ROLES[role]))
    assert points(ax, "words").tolist() == [[0, 0]]


def test_an_outline_joins_words_in_their_order_and_their_names_keep_off_it():
    places = {"a": (0, 0), "b": (4, 0), "c": (4, 2), "d": (0, 2), "inside": (1.5, 0.04)}
    ax = drawings.word_map(list(places), list(places.values()), outline=["a", "b", "c", "d"])
    (edge,) = ax.patches
    assert (
        edge.get_xy().tolist() == [list(places[word]) for word in "abcda"] and not edge.get_fill()
    )
    side = ax.transData.transform([(x, 0) for x in np.linspace(0, 4, 200)])
    assert not any(boxes(ax)["inside"].contains(*spot) for spot in side)
    assert not drawings.word_map(list(places), list(places.values())).patches


def test_names_of_one_place_stand_in_short_lines_and_no_name_is_broken():
    names = ["racket", "hammer", "a long name that stays", "far"]
    ax = drawings.word_map(names, [[0, 0]] * 3 + [[1, 1]])
    assert ax.texts[0].get_text().split("\n") == [
        "racket,",
        "hammer,",
        "a\xa0long\xa0name\xa0that\xa0stays",
    ]


def test_a_shadow_times_the_length_of_the_query_is_the_score():
    ax = drawings.shadows(TOKENS, X, query="bat")
    feet, bat = points(ax, "ends of the shadows"), X[4].double().numpy()
    length = np.linalg.norm(bat)
    assert np.allclose(feet @ bat / length * length, X.double().numpy() @ bat)
    assert np.allclose(feet[:, 0] * bat[1], feet[:, 1] * bat[0])  # on the line of the query
    assert "bat · swung = 1.40" in boxes(ax) and len(ax.texts) == 4  # the, the: one place


def test_a_key_behind_the_query_has_a_negative_score_and_a_shadow_behind():
    ax = drawings.shadows(["a", "b"], [[1.0, 0.0], [-2.0, 1.0]], query="a")
    assert points(ax, "ends of the shadows").tolist() == [[1, 0], [-2, 0]]
    assert "a · b = −2.00" in boxes(ax)


@pytest.mark.parametrize("weights", [SHARES, SHARES[4]], ids=["matrix", "row"])
@pytest.mark.parametrize("draw", [drawings.blend, drawings.pull])
def test_the_blend_lies_where_the_shares_put_it(draw, weights):
    ax = draw(TOKENS, X, weights, query="bat")
    assert np.allclose(points(ax, "blend"), (SHARES @ X)[4], atol=1e-6)


def test_the_pieces_of_the_blend_are_the_values_times_their_shares():
    ax = drawings.blend(TOKENS, X, SHARES, query="bat")
    whole = [patch for patch in arrows(ax, "value") if patch.get_alpha() == 0.3]
    pieces = [patch for patch in arrows(ax, "value") if patch.get_alpha() == 1.0]
    assert len(whole) == len(pieces) == 3  # "the" has no length
    for piece, i in zip(pieces, (1, 2, 4), strict=True):
        start, end = (np.array(place) for place in piece._posA_posB)
        assert np.allclose(end - start, SHARES[4, i] * X[i], atol=1e-6)
    for text in ("0.24 × girl", "0.39 × swung", "0.18 × bat", "bat's blend"):
        assert text in boxes(ax)


def test_a_line_pulls_as_broadly_as_its_words_share():
    ax = drawings.pull(TOKENS, X, SHARES, query="bat")
    widths = sorted(line.get_linewidth() / WIDEST for line in arrows(ax, "weight"))
    the, girl, swung = 2 * SHARES[4, 0], SHARES[4, 1], SHARES[4, 2]
    assert np.allclose(widths, sorted([the, girl, swung]))
    assert {"the 0.09\nthe 0.09", "girl 0.24", "swung 0.39", "bat 0.18", "bat now"} == set(
        boxes(ax)
    )
    assert np.allclose(colours(ax, "words")[4], to_rgba(ROLES["query"]))


def test_two_sentences_can_share_one_window():
    corners = [[-1, -4], [5, 1]]
    first = drawings.pull(TOKENS, X, SHARES, query="bat", around=corners)
    second = drawings.pull(["the", "bat"], X[3:], [0.3, 0.7], query="bat", around=corners)
    assert first.get_xlim() == second.get_xlim() and first.get_ylim() == second.get_ylim()
    for low, high, (start, end) in ((-1, 5, first.get_xlim()), (-4, 1, first.get_ylim())):
        assert start < low < high < end


def test_they_draw_where_they_are_told_and_can_be_described():
    figure, axes = plt.subplots(2, 2, layout="constrained")
    drawings.word_map(TOKENS[1:3], X[1:3], ax=axes[0, 0], title="map")
    drawings.shadows(TOKENS, X, query="bat", ax=axes[0, 1])
    drawings.blend(TOKENS, X, SHARES, query="bat", ax=axes[1, 0])
    drawings.pull(TOKENS, X, SHARES, query="bat", ax=axes[1, 1])
    assert plt.get_fignums() == [figure.number]
    said = plots.describe(figure).split(" | ")
    assert len(said) == 4 and said[2].startswith("girl, swung, bat, 0.24 × girl")
    assert said[3].startswith("the 0.09, the 0.09, girl 0.24, swung 0.39, bat 0.18, bat now; ")
    assert plots.describe(axes[0, 0]).startswith("map: words: 2 points")
