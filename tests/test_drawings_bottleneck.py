"""The translator without attention: one way from the first word read to the last one written."""

from itertools import pairwise

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

from d2lattn.pictures import drawings, plots
from d2lattn.pictures.colours import ROLES

READ, WRITTEN = ["der", "Hund", "bellt"], ["the", "dog"]


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def ways(ax):
    """The steps from place to place, by name."""
    return {
        way.get_label(): [tuple(map(tuple, step.tolist())) for step in way.get_segments()]
        for way in ax.collections
    }


def test_every_word_is_passed_once_and_in_order():
    ax = drawings.bottleneck(READ, WRITTEN)
    at = {text.get_text(): text.get_position() for text in ax.texts}
    reads, writes = ways(ax)["reads"], ways(ax)["writes"]
    assert [start for start, _ in reads] == [at[word] for word in READ]
    assert [end for _, end in writes] == [at[word] for word in WRITTEN]
    for way in (reads, writes):
        assert all(end == start for (_, end), (start, _) in pairwise(way))


def test_nothing_gets_from_one_row_to_the_other_but_through_the_box():
    ax = drawings.bottleneck(READ, WRITTEN)
    (box,) = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    left, bottom, right, top = box.get_bbox().extents
    (x, y), (from_x, from_y) = ways(ax)["reads"][-1][1], ways(ax)["writes"][0][0]
    assert (x, from_x) == pytest.approx((right, left)) and bottom < y == from_y < top
    heights = {way: {y for step in steps for _, y in step} for way, steps in ways(ax).items()}
    assert heights["reads"] & heights["writes"] == {y}


def test_nobody_asks_so_no_role_has_its_colour():
    ax = drawings.bottleneck(READ, WRITTEN, title="2014")
    boxes = [*ax.patches, *(text.get_bbox_patch() for text in ax.texts if text.get_bbox_patch())]
    seen = {to_hex(box.get_facecolor()) for box in boxes}
    seen |= {to_hex(box.get_edgecolor()) for box in boxes}
    seen |= {to_hex(color) for way in ax.collections for color in way.get_color()}
    assert len(boxes) == 6 + 5 and not seen & set(ROLES.values())
    assert ax.get_title() == "2014"


def test_its_words_stand_where_those_of_cross_attention_stand():
    shares = [[1, 0, 0], [0, 1, 0]]
    axes = [
        drawings.bottleneck(READ, WRITTEN),
        drawings.cross_attention(WRITTEN, READ, shares, query=0),
    ]
    places = [{text.get_text(): text.get_position() for text in ax.texts} for ax in axes]
    assert all(places[0][word] == places[1][word] for word in READ + WRITTEN)
    assert axes[0].get_xlim() == axes[1].get_xlim() and axes[0].get_ylim() == axes[1].get_ylim()


def test_a_single_word_will_do_and_the_ax_is_kept():
    _, ax = plt.subplots()
    assert drawings.bottleneck(["ja"], ["yes"], ax=ax) is ax
    assert plots.describe(ax) == "one list of numbers; reads: 1 edges; writes: 1 edges"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (dict(read="der Hund"), "^read must be a list of strings, got "),
        (dict(read=[]), "^read must hold at least 1 string, got none"),
        (dict(written=3), "^written must be a list of strings, got 3"),
        (dict(written=[]), "^written must hold at least 1 string, got none"),
        (dict(ax=1), "^ax must be a matplotlib Axes or None, got "),
    ],
)
def test_bad_input_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        drawings.bottleneck(**dict(read=READ, written=WRITTEN) | change)
