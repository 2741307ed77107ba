"""The map of the model: every chapter has a part, and the one asked for stands out."""

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.colors import to_rgb

from d2lattn.pictures import drawings
from d2lattn.pictures.drawings._model_map import HEADS
from d2lattn.pictures.plots import describe

mpl.use("Agg")
CHAPTERS = range(1, 10)


def numbers(ax):
    """The text of each little label, and where it stands."""
    return {text.get_position(): text.get_text() for text in ax.texts if text.get_bbox_patch()}


def test_every_chapter_has_a_part():
    labelled = "·".join(numbers(drawings.model_map()).values()).split("·")
    assert sorted({int(number) for number in labelled}) == list(CHAPTERS)


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_parts_of_a_chapter_stand_out_and_are_named(chapter):
    ax = drawings.model_map(chapter)
    dark = [patch for patch in ax.patches if sum(to_rgb(patch.get_facecolor())) < 1]
    dark = [patch for patch in dark if patch.get_fill()]
    corners = [(patch.get_x(), patch.get_y() + patch.get_height()) for patch in dark]
    labels = [at for at, text in numbers(ax).items() if str(chapter) in text.split("·")]
    np.testing.assert_allclose(sorted(corners), sorted(labels))
    white = [text.get_text() for text in ax.texts if text.get_color() == "white"]
    assert len(white) == len(dark) >= 1
    named = "; ".join(text.replace("\n", " ") for text in white)
    assert describe(ax) == f"chapter {chapter}: {named}"


def test_all_parts_are_alike_without_a_chapter():
    ax = drawings.model_map()
    parts = [patch for patch in ax.patches if patch.get_fill() and patch.get_gid() != "head"]
    assert len(parts) == 10 and len({part.get_facecolor() for part in parts}) == 1
    assert describe(ax) == "a number: the chapter about a part"


def test_a_head_holds_queries_and_blends_and_a_layer_holds_the_heads():
    ax = drawings.model_map()
    (front,) = [p for p in ax.patches if p.get_gid() == "head" and p.get_x() == HEADS[0]]
    inside = [
        text.get_text().replace("\n", " ")
        for text in ax.texts
        if "\n" in text.get_text() and front.get_bbox().contains(*text.get_position())
    ]
    assert inside == ["query, key and value", "score, share and blend"]
    (layer,) = [patch for patch in ax.patches if not patch.get_fill()]
    for head in (patch for patch in ax.patches if patch.get_gid() == "head"):
        assert layer.get_bbox().contains(*head.get_bbox().min)
        assert layer.get_bbox().contains(*head.get_bbox().max)


@pytest.mark.parametrize("chapter", [0, -1, 1.0, True, "3"])
def test_a_chapter_is_an_integer_from_1(chapter):
    with pytest.raises(ValueError, match=r"^chapter must be an integer of at least 1, got "):
        drawings.model_map(chapter)


def test_there_are_nine_chapters():
    with pytest.raises(ValueError, match=r"^chapter must be an integer of at most 9, got 10$"):
        drawings.model_map(10)
