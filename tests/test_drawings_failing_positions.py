"""Integers, fractions and bits: what is drawn is what the numbers say."""

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest

from d2lattn.pictures import drawings
from d2lattn.pictures.plots import describe

VECTORS = {"dog": (-0.4, -0.2), "milk": (0.0, 0.6), "cat": (0.5, 0.1)}


@pytest.fixture(autouse=True)
def close_figures():
    before = dict(mpl.rcParams)
    yield
    plt.close("all")
    assert dict(mpl.rcParams) == before


def test_the_tips_of_the_arrows_are_the_words_plus_their_place():
    ax = drawings.growing_integers(VECTORS, [0, 3, 7])
    drawn = {line.get_label(): np.array(line.get_data()).T for line in ax.lines}
    tips = {word: drawn[word] for word in VECTORS}
    for word, xy in VECTORS.items():
        np.testing.assert_allclose(tips[word], np.add.outer([0, 3, 7], xy))
    ends = sorted(tuple(arrow._posA_posB[1]) for arrow in ax.patches)
    assert ends == sorted(map(tuple, np.vstack([*tips.values()])))


def test_the_title_gives_the_angle_of_the_first_two_words():
    ax = drawings.growing_integers({"a": (1, 0), "b": (0, 1)}, [0, 1, 10])
    angles = [90, np.degrees(np.arctan2(2, 1) - np.arctan2(1, 2)), 0]
    angles[2] = np.degrees(np.arctan2(11, 10) - np.arctan2(10, 11))
    said = ", ".join(f"{a:.0f}° at {i}" for a, i in zip(angles, (0, 1, 10), strict=True))
    assert ax.get_title() == f"angle between a and b: {said}"


def test_the_names_of_the_words_stay_apart():
    ax = drawings.growing_integers({"dog": (-0.4, -0.2), "milk": (0, 0.6)}, [0, 1, 3])
    ax.figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in ax.texts if text.get_text()]
    for i, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[:i])


def test_fractions_run_from_0_to_1_and_mark_the_same_word():
    ax = drawings.stretching_fractions([3, 5, 9], word=1)
    for length in (3, 5, 9):
        (line,) = [line for line in ax.lines if line.get_label() == f"{length} words"]
        np.testing.assert_allclose(line.get_xdata(), np.linspace(0, 1, length))
    marked = [line.get_xdata()[0] for line in ax.lines if line.get_label().startswith("_")]
    np.testing.assert_allclose([x for x in marked if 0 < x < 1], [1 / 2, 1 / 4, 1 / 8])


def test_bars_count_the_bits_that_flip():
    ax = drawings.jumping_bits(40)
    flips = [bin(i ^ (i + 1)).count("1") for i in range(40)]
    assert [bar.get_height() for bar in ax.patches] == flips
    assert ax.get_title() == "from 011111 to 100000, 6 bits flip"


@pytest.mark.parametrize(
    "draw",
    [
        lambda ax: drawings.growing_integers(VECTORS, [0, 1], ax=ax),
        lambda ax: drawings.stretching_fractions([4, 6], ax=ax),
        lambda ax: drawings.jumping_bits(5, ax=ax),
    ],
)
def test_draws_on_the_axes_it_is_given_and_can_be_described(draw):
    _, ax = plt.subplots()
    assert draw(ax) is ax and len(plt.get_fignums()) == 1
    assert describe(ax).startswith(ax.get_title())
