"""The drawing of induction: who is told what in layer 1, and whom layer 2 finds."""

import matplotlib as mpl
import pytest
from matplotlib.colors import to_hex

from d2lattn.pictures import drawings, plots
from d2lattn.pictures.colours import ROLES

mpl.use("Agg")


def tags(ax):
    return [text.get_text() for text in ax.texts if text.get_text().startswith("I am")]


def test_layer_1_hands_each_word_the_name_of_the_word_before_it():
    ax = drawings.induction(["C", "A", "B", "D", "A"])
    pairs = ("CA", "AB", "BD", "DA")
    assert tags(ax) == [f"I am {me},\nbefore me: {before}" for before, me in pairs]


@pytest.mark.parametrize(("words", "found"), [("CABDA", "B"), ("ABCA", "B"), ("BCXYC", "X")])
def test_the_last_word_finds_and_says_what_followed_its_earlier_copy(words, found):
    ax = drawings.induction(list(words))
    said = f"who has {words[-1]} before it?, {found} has, says {found}"
    assert plots.describe(ax) == said
    boxes = [box for box in ax.patches if hasattr(box, "get_boxstyle")]
    (thick,) = [box for box in boxes if box.get_linewidth() > 2]
    middle = thick.get_x() + thick.get_width() / 2
    (tag,) = [text for text in ax.texts if text.get_text().startswith(f"I am {found},")]
    assert middle == pytest.approx(tag.get_position()[0])
    assert tag.get_text().endswith(f"before me: {words[-1]}")


def test_who_asks_is_orange_and_what_comes_out_is_red():
    ax = drawings.induction(["A", "B", "C", "A"])
    edges = {to_hex(box.get_edgecolor()) for box in ax.patches if hasattr(box, "get_boxstyle")}
    assert {ROLES["query"], ROLES["key"], ROLES["output"]} <= edges


@pytest.mark.parametrize("words", ["CAB", "CABB", "ACABA", "AA"])
def test_a_last_word_without_one_earlier_copy_is_refused(words):
    said = "^words must end in one that stands once before, but not just before, got "
    with pytest.raises(ValueError, match=said):
        drawings.induction(list(words))


@pytest.mark.parametrize("words", ["CABDA", [], 3])
def test_words_that_are_no_list_are_refused(words):
    with pytest.raises(ValueError, match=r"^words must "):
        drawings.induction(words)
