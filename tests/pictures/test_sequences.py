"""The drawings of sentences that ask: of each other, of one list of numbers, of their own past."""

from itertools import pairwise

import numpy as np
import pytest
import torch
from matplotlib.colors import to_hex
from seen import box_of, boxes, edges, looks, place, strings, written

from d2lattn import causal_mask
from d2lattn.pictures import drawings, plots
from d2lattn.pictures.colours import ROLES

READ, WRITTEN = ["der", "Hund", "bellt"], ["the", "dog"]
ASKING, ANSWERING = ["the", "dog"], ["Hund", "der", "hat"]
SHARES = torch.tensor([[0.1, 0.7, 0.2], [0.6, 0.3, 0.1]])
WIDEST = 12  # points, of a line whose share is 1


# Without attention ------------------------------------------------------------------------------


def test_every_word_is_passed_once_and_in_order():
    ax = drawings.bottleneck(READ, WRITTEN)
    reads, writes = edges(ax, "reads"), edges(ax, "writes")
    assert [start for start, _ in reads] == [place(ax, word) for word in READ]
    assert [end for _, end in writes] == [place(ax, word) for word in WRITTEN]
    for way in (reads, writes):
        assert all(end == start for (_, end), (start, _) in pairwise(way))
    alone = drawings.bottleneck(["ja"], ["yes"])
    assert plots.describe(alone) == "one list of numbers; reads: 1 edge; writes: 1 edge."


def test_nothing_gets_from_one_row_to_the_other_but_through_the_box():
    ax = drawings.bottleneck(READ, WRITTEN)
    (said,) = [text for text in written(ax) if text.get_text() == "one list of numbers"]
    left, bottom, right, top = box_of(ax, said).get_bbox().extents
    (x, y), (from_x, from_y) = edges(ax, "reads")[-1][1], edges(ax, "writes")[0][0]
    assert (x, from_x) == pytest.approx((right, left)) and bottom < y == from_y < top
    heights = [{y for step in edges(ax, way) for _, y in step} for way in ("reads", "writes")]
    assert heights[0] & heights[1] == {y}


def test_nobody_asks_so_no_role_has_its_colour():
    ax = drawings.bottleneck(READ, WRITTEN)
    seen = {colour for face, edge, _ in looks(ax).values() for colour in (face, edge)}
    seen |= {to_hex(color) for way in ax.collections for color in way.get_color()}
    assert len(looks(ax)) == 6 and not seen & set(ROLES.values())


def test_its_words_stand_where_those_of_cross_attention_stand():
    one = drawings.bottleneck(READ, WRITTEN)
    other = drawings.cross_attention(WRITTEN, READ, [[1, 0, 0], [0, 1, 0]], query=0)
    assert all(place(one, word) == place(other, word) for word in READ + WRITTEN)
    assert one.get_xlim() == other.get_xlim() and one.get_ylim() == other.get_ylim()


# Cross-attention ----------------------------------------------------------------------------------


def test_the_lines_are_as_wide_as_the_shares():
    ax = drawings.cross_attention(ASKING, ANSWERING, SHARES, query=1)
    (asked,) = [c for c in ax.collections if to_hex(c.get_color()[0]) == ROLES["weight"]]
    (others,) = [c for c in ax.collections if c is not asked]
    assert np.allclose(np.array(asked.get_linewidths()) / WIDEST, SHARES[1])
    assert np.allclose(np.array(others.get_linewidths()) / WIDEST, SHARES[0])
    ways = [tuple(map(tuple, way.tolist())) for way in asked.get_segments()]
    assert ways == [(place(ax, "dog"), place(ax, word)) for word in ANSWERING]


def test_only_who_asks_is_filled_and_every_answering_word_has_a_key_and_a_value():
    ax = drawings.cross_attention(ASKING, ANSWERING, SHARES, query=0)
    faces = [looks(ax)[word][0] for word in ("the", "dog", "Hund")]
    assert faces == [ROLES["query"], "#ffffff", "#ffffff"]
    assert strings(ax).count("k") == strings(ax).count("v") == 3


def test_a_gloss_stands_in_the_place_of_the_letters():
    ax = drawings.cross_attention(ASKING, ANSWERING, SHARES, query=0, gloss=["a", "b", "c"])
    assert [place(ax, word)[0] for word in "abc"] == [place(ax, word)[0] for word in ANSWERING]
    assert not {"k", "v"} & set(strings(ax))


def test_it_is_described_by_its_numbers():
    said = plots.describe(drawings.cross_attention(ASKING, ANSWERING, SHARES, query=1))
    assert said == "shares of other words: 3 edges; shares of dog, most to Hund 0.60: 3 edges."
    said = plots.describe(drawings.cross_attention(["the"], ANSWERING, SHARES[:1], query=0))
    assert said == "shares of the, most to der 0.70: 3 edges."


# One sentence, a question for each word -----------------------------------------------------------

SENTENCE = ["the", "girl", "swung", "the", "bat"]


def test_the_open_cells_are_the_causal_mask():
    ax = drawings.staircase(SENTENCE)
    cells = {(round(y), round(x)): box for box in boxes(ax) for x, y in [box.get_center()]}
    assert sorted(cells) == [(row, column) for row in range(4) for column in range(4)]
    open_cells = torch.zeros(4, 4, dtype=torch.bool)
    for text in written(ax):
        column, row = text.get_position()
        if text.get_text() in SENTENCE and column < 4:
            open_cells[int(row), int(column)] = True
            assert text.get_text() == SENTENCE[int(column)]
    assert torch.equal(open_cells, causal_mask(4))
    faces = {at: to_hex(box.get_facecolor()) for at, box in cells.items()}
    asks, before, later = (
        {face for (row, column), face in faces.items() if np.sign(column - row) == side}
        for side in (0, -1, 1)
    )
    assert asks == {ROLES["query"]} and len(before) == len(later) == 1 and before != later


def test_every_row_is_asked_for_the_next_word():
    ax = drawings.staircase(SENTENCE, title="four questions")
    answers = [t for t in written(ax) if t.get_position()[0] > 4 and t.get_text() in SENTENCE]
    assert [t.get_text() for t in answers] == SENTENCE[1:]
    assert [t.get_position()[1] for t in answers] == [0, 1, 2, 3]
    begin = "the, →, girl, the, girl, →, swung, the, girl, swung, →, the"
    assert plots.describe(ax) == f"four questions: the words {begin} and 8 more."
