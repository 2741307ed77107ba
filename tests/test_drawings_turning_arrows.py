"""The two turning arrows: where they point, what lies between them, what the title says."""

import math

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch
from matplotlib.colors import to_hex

from d2lattn import apply_rotary
from d2lattn.pictures.colours import FAINT
from d2lattn.pictures.drawings import turning_arrows
from d2lattn.pictures.plots import describe


@pytest.fixture(autouse=True)
def close_figures():
    before = dict(mpl.rcParams)
    yield
    plt.close("all")
    assert dict(mpl.rcParams) == before


def tips(ax):
    named = [line for line in ax.lines if not line.get_label().startswith("_")]
    return {line.get_label(): (line.get_xdata()[-1], line.get_ydata()[-1]) for line in named}


@pytest.mark.parametrize(("i", "j"), [(2, 1), (5, 4), (7, 3), (0, 2), (102, 101)])
def test_the_arrows_are_what_rope_makes_of_query_and_key(i, j):
    query, key = (1.0, 0.5), (-0.3, 0.8)
    ax = turning_arrows(query, key, (i, j))
    turned = [
        apply_rotary(torch.tensor([vector], dtype=torch.float64), offset=position)[0]
        for vector, position in ((query, i), (key, j))
    ]
    drawn = tips(ax)
    assert list(drawn) == [f"query at {i}", f"key at {j}"]
    np.testing.assert_allclose(np.array([*drawn.values()]), torch.stack(turned), atol=1e-12)
    assert ax.get_title().endswith(f"score {(turned[0] @ turned[1]).item():.2f}")


def test_one_offset_has_one_angle_wherever_it_stands():
    said = {turning_arrows((1, 0), (1, 0), (i + 2, i)).get_title().split(": ")[1] for i in range(9)}
    assert said == {f"115° apart, score {math.cos(2):.2f}"}


def test_the_arc_between_the_arrows_goes_the_short_way_round():
    ax = turning_arrows((1, 0), (1, 0), (5, 0))
    (arc,) = [line for line in ax.lines if to_hex(line.get_color()) == FAINT]
    x, y = arc.get_data()
    np.testing.assert_allclose(np.arctan2(y, x)[[0, -1]], [0, 5 - 2 * np.pi], atol=1e-12)
    swept = np.abs(np.diff(np.unwrap(np.arctan2(y, x)))).sum()
    np.testing.assert_allclose(swept, 2 * np.pi - 5)


def test_the_speed_multiplies_the_turn():
    slow = tips(turning_arrows((1, 0), (1, 0), (4, 0), speed=0.25))
    np.testing.assert_allclose(slow["query at 4"], (math.cos(1), math.sin(1)))


def test_draws_on_the_axes_it_is_given_and_can_be_described():
    _, ax = plt.subplots()
    assert turning_arrows((1, 0), (0, 1), (2, 1), ax=ax) is ax and len(plt.get_fignums()) == 1
    assert "query at 2: 0 to 0.909" in describe(ax)
