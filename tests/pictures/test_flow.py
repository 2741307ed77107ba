"""The drawing of one asking word: what is drawn is what was given, and nothing else is accepted."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch
from artists import strings

from d2lattn_book.pictures.plots import describe, flow

WORDS = ["the", "dog", "chased", "the", "cat", "what", "a", "scared"]
WEIGHTS = [0.01, 0.06, 0.02, 0.01, 0.84, 0.02, 0.01, 0.03]


def bands(ax):
    """Word's place -> the vertices of its band."""
    found = [patch for patch in ax.patches if patch.get_gid() == "flow-value"]
    return {int(band.get_label()): band.get_path().vertices for band in found}


def bars(ax):
    (found,) = ax.containers
    return found


def height(band):
    """How much of the output a band fills."""
    (_, top), (_, bottom) = band[3:5]
    return top - bottom


def test_a_band_is_as_wide_as_its_share_where_it_starts_and_where_it_ends():
    ax = flow(WORDS, WEIGHTS, query=-1)
    drawn = bands(ax)
    assert sorted(drawn) == list(range(8))
    left, right = (np.array([drawn[i][end, 0] for i in range(8)]) for end in (0, 7))
    for bar, low, high, weight in zip(bars(ax), left, right, WEIGHTS, strict=True):
        middle = bar.get_x() + bar.get_width() / 2  # as wide as its bar where the weight is 1
        assert (high - low, (low + high) / 2) == pytest.approx((weight * bar.get_width(), middle))
    ends = np.array([height(drawn[i]) for i in range(8)])
    assert ends / ends.sum() == pytest.approx(WEIGHTS)


def test_a_matrix_gives_the_row_of_the_asking_word():
    weights = torch.eye(3) * 0.5 + torch.tensor([[0, 0, 0.5], [0.5, 0, 0], [0.25, 0.25, 0]])
    scores = torch.arange(9.0).view(3, 3)
    ax = flow(["a", "b", "c"], weights, query=1, scores=scores)
    assert bars(ax).datavalues == pytest.approx([0.5, 0.5, 0])
    assert {"3.00", "4.00", "5.00"} <= set(strings(ax))
    assert "6.00" not in strings(ax)


@pytest.mark.parametrize(
    "weights, line",
    [
        (WEIGHTS, "scared attends to: cat 0.84, dog 0.06, scared 0.03, 5 others 0.07."),
        ([1 / 8] * 8, "scared attends to: the 0.12, dog 0.12, chased 0.12, 5 others 0.62."),
        ([0, 0, 0.5, 0, 0.5, 0, 0, 0], "scared attends to: chased 0.50, cat 0.50."),
    ],
)
def test_describe_reads_the_line_off_the_artists(weights, line):
    assert describe(flow(WORDS, weights, query=-1)) == line


@pytest.mark.parametrize(
    "change, message",
    [
        (dict(tokens="the dog"), "tokens must be a list of strings, got 'the dog'"),
        (
            dict(query="cow"),
            "query must be a position from -8 to 7 or a word that occurs once in .*, got 'cow'",
        ),
        (dict(weights=WEIGHTS[:7]), r"weights must have .* 8 words, .* got shape \(7,\)"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(change, message):
    arguments = dict(tokens=WORDS, weights=WEIGHTS, query=7) | change
    with pytest.raises(ValueError, match=message):
        flow(arguments.pop("tokens"), arguments.pop("weights"), **arguments)
    assert not plt.get_fignums()
