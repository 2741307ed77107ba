"""The drawings of words in the plane: what stands on the Axes is what the numbers say."""

import numpy as np
import pytest
import torch
from artists import extents, outside, overlapping, points, strings

from d2lattn_book.language import words
from d2lattn_book.pictures import drawings, plots

TOKENS = ["the", "girl", "swung", "the", "bat"]
X = torch.tensor([[0.0, 0.0], [3.0, -0.8], [4.4, -1.2], [0.0, 0.0], [0.1, -0.8]])
WEIGHTS = torch.softmax(X @ X.T, dim=-1)

# Whole maps -----------------------------------------------------------------------------------


def test_the_map_names_every_word_once_and_no_two_names_overlap():
    names, xy = words.places()
    ax = drawings.word_map(names, xy, query="bat")
    listed = ", ".join(name.replace(",\n", ", ") for name in strings(ax)).split(", ")
    assert sorted(listed) == sorted(names) and not overlapping(ax)
    frame = ax.get_window_extent()
    assert all(frame.x0 <= box.x0 and box.x1 <= frame.x1 for _, box in extents(ax))


# One word, or words at one place ----------------------------------------------------------------

ALONE = {
    "one word": (["bat"], [[1.0, 2.0]]),
    "three at 0, as in the book": (["bat", "the", "what"], [[0.0, 0.0]] * 3),
    "on a line": (["the", "bat"], [[0.0, 1.0], [0.0, 3.0]]),
}


@pytest.mark.parametrize(("names", "x"), ALONE.values(), ids=ALONE)
@pytest.mark.parametrize("draw", ["word_map", "shadows", "weighted_average", "weight_lines"])
def test_one_word_or_one_place_is_drawn_as_any_other(draw, names, x):
    weights = [[1 / len(names)] * len(names)] if draw.startswith("weight") else []
    if draw == "shadows" and not np.any(x):
        return  # a query of no length has no shadows, and is refused
    ax = getattr(drawings, draw)(names, x, *weights, query="bat")
    assert np.isfinite([*ax.get_xlim(), *ax.get_ylim()]).all()
    assert all(ax.viewLim.contains(*place) for place in x)
    width, height = ax.figure.get_size_inches()
    assert 1 < width <= 12 and 1 < height <= 8
    assert any("bat" in text for text in strings(ax)) and "nan" not in plots.describe(ax)


@pytest.mark.parametrize("seed", [3, 23, 46])
@pytest.mark.parametrize("draw", [drawings.shadows, drawings.weighted_average])
def test_no_name_lies_on_another_or_beyond_the_figure_however_the_words_lie(draw, seed):
    crowd, count = ["the", "hungry", "cat", "found", "cold", "milk", "and"], 2 + seed % 6
    x = np.random.default_rng(seed).normal(size=(count, 2)) * [1, 2]  # higher than wide
    x = x.round(seed % 2)
    x[0] = [0, 1]
    powers = np.exp(x @ x[0])
    weights = [powers / powers.sum()] if draw is drawings.weighted_average else []
    ax = draw(crowd[:count], x, *weights, query=0)
    assert overlapping(ax) == outside(ax) == []


# Dot products and weighted averages ------------------------------------------------------------


def test_a_shadow_times_the_length_of_the_query_is_the_score():
    ax = drawings.shadows(TOKENS, X, query="bat")
    feet, bat = points(ax, "ends of the shadows"), X[4].double().numpy()
    length = np.linalg.norm(bat)
    assert np.allclose(feet @ bat / length * length, X.double().numpy() @ bat)
    assert np.allclose(feet[:, 0] * bat[1], feet[:, 1] * bat[0])  # on the line of the query
    assert {"bat · swung = 1.40", "shadow of swung", "query"} <= set(strings(ax))


@pytest.mark.parametrize("weights", [WEIGHTS, WEIGHTS[4]], ids=["matrix", "row"])
@pytest.mark.parametrize("draw", [drawings.weighted_average, drawings.weight_lines])
def test_the_output_is_the_weighted_average(draw, weights):
    ax = draw(TOKENS, X, weights, query="bat")
    assert np.allclose(points(ax, "output"), (WEIGHTS @ X)[4], atol=1e-6)
