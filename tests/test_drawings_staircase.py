"""The staircase of questions: its open cells are the causal mask, its answers the next words."""

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import pytest
import torch
from matplotlib.colors import to_hex

from d2lattn import causal_mask
from d2lattn.pictures import drawings, plots
from d2lattn.pictures.colours import ROLES

SENTENCE = ["the", "girl", "swung", "the", "bat"]


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def test_the_open_cells_are_the_causal_mask():
    ax = drawings.staircase(SENTENCE)
    open_cells = torch.zeros(4, 4, dtype=torch.bool)
    for text in ax.texts:
        column, row = text.get_position()
        if text.get_text() in SENTENCE and column < 4:
            open_cells[int(row), int(column)] = True
            assert text.get_text() == SENTENCE[int(column)]
    assert torch.equal(open_cells, causal_mask(4))
    faces = [[to_hex(ax.patches[4 * i + j].get_facecolor()) for j in range(4)] for i in range(4)]
    assert [faces[i][i] for i in range(4)] == 4 * [ROLES["query"]]
    assert len({faces[i][j] for i in range(4) for j in range(i)}) == 1
    assert not {faces[i][j] for i in range(4) for j in range(i + 1)} & {
        faces[i][j] for i in range(4) for j in range(i + 1, 4)
    }


def test_every_row_is_asked_for_the_next_word():
    ax = drawings.staircase(SENTENCE, title="four questions")
    answers = [t for t in ax.texts if t.get_weight() == "bold"]
    assert [t.get_text() for t in answers] == SENTENCE[1:]
    assert [t.get_position()[1] for t in answers] == [0, 1, 2, 3]
    assert plots.describe(ax) == "four questions: 20 texts, from 'the'"


def test_it_draws_where_it_is_told():
    _, ax = plt.subplots()
    assert drawings.staircase(SENTENCE, ax=ax) is ax


@pytest.mark.parametrize(
    ("sentence", "message"),
    [
        ("the girl", "^sentence must be a list of strings, got "),
        ([], "^sentence must hold at least 1 string, got none"),
        (["the"], "^sentence must hold at least 2 words, got "),
        (None, "^sentence must be a list of strings, got None"),
    ],
)
def test_a_sentence_has_two_words(sentence, message):
    with pytest.raises(ValueError, match=message):
        drawings.staircase(sentence)


def test_an_ax_is_an_axes():
    with pytest.raises(ValueError, match=r"^ax must be a matplotlib Axes or None, got "):
        drawings.staircase(SENTENCE, ax="here")
