"""The drawings of sentences that ask each other or their own past."""

import numpy as np
import torch
from artists import boxes, place, written
from matplotlib.colors import to_hex

from d2lattn import causal_mask
from d2lattn_book.pictures import drawings, plots
from d2lattn_book.pictures.colours import ROLES

READ, WRITTEN = ["der", "Hund", "bellt"], ["the", "dog"]


def test_its_words_stand_where_those_of_cross_attention_stand():
    one = drawings.bottleneck(READ, WRITTEN)
    other = drawings.cross_attention(WRITTEN, READ, [[1, 0, 0], [0, 1, 0]], query=0)
    assert all(place(one, word) == place(other, word) for word in READ + WRITTEN)
    assert one.get_xlim() == other.get_xlim() and one.get_ylim() == other.get_ylim()


def test_one_may_ask_alone():
    ax = drawings.cross_attention(["the"], ["Hund", "der", "hat"], [[0.1, 0.7, 0.2]], query=0)
    assert plots.describe(ax) == "shares of the, most to der 0.70: 3 edges."


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
