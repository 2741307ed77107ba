"""Fractions, bits and turning arrows: what is drawn is what the numbers say."""

import math

import matplotlib as mpl
import numpy as np
import pytest
import torch
from artists import arrows

from d2lattn import apply_rotary
from d2lattn_book.pictures import drawings, plots
from d2lattn_book.pictures.colours import ROLES

# Two ways that fail -------------------------------------------------------------------------------


def test_bars_count_the_bits_that_flip():
    ax = drawings.jumping_bits(40)
    flips = [bin(i ^ (i + 1)).count("1") for i in range(40)]
    assert [bar.get_height() for bar in ax.patches] == flips
    assert ax.get_title() == "from 011111 to 100000, 6 bits flip"


# Two arrows that turn -----------------------------------------------------------------------------


def tips(ax):
    """The ends of the arrows that have a name, by it."""
    named = [line for line in ax.lines if not line.get_label().startswith("_")]
    return {line.get_label(): line.get_xydata()[-1] for line in named}


@pytest.mark.parametrize(("i", "j"), [(2, 1), (5, 4), (7, 3), (0, 2), (102, 101)])
def test_the_arrows_are_what_rope_makes_of_query_and_key(i, j):
    query, key = (1.0, 0.5), (-0.3, 0.8)
    ax = drawings.turning_arrows(query, key, (i, j))
    turned = [
        apply_rotary(torch.tensor([vector], dtype=torch.float64), offset=position)[0]
        for vector, position in ((query, i), (key, j))
    ]
    drawn = tips(ax)
    assert list(drawn) == [f"query at {i}", f"key at {j}"]
    np.testing.assert_allclose(np.array([*drawn.values()]), torch.stack(turned), atol=1e-12)
    for role, tip in zip(("query", "key"), turned, strict=True):
        ((start, end),) = arrows(ax, ROLES[role])
        assert np.allclose([start, end], [(0, 0), tip], atol=0.05)
    score = (turned[0] @ turned[1]).item()
    assert ax.get_title().replace("−", "-").endswith(f"score {score:.2f}")
    assert f"query at {i} from 0 to {drawn[f'query at {i}'][1]:.3g}" in plots.describe(ax)


def test_one_offset_has_one_angle_wherever_it_stands():
    titles = [drawings.turning_arrows((1, 0), (1, 0), (i + 2, i)).get_title() for i in range(9)]
    said = {title.split(": ")[1].replace("−", "-") for title in titles}
    assert said == {f"115° apart, score {math.cos(2):.2f}"}


def test_the_arc_between_the_arrows_goes_the_short_way_round():
    ax = drawings.turning_arrows((1, 0), (1, 0), (5, 0))
    arc = max(ax.lines, key=mpl.lines.Line2D.get_linewidth)
    x, y = arc.get_data()
    np.testing.assert_allclose(np.arctan2(y, x)[[0, -1]], [0, 5 - 2 * np.pi], atol=1e-12)
    swept = np.abs(np.diff(np.unwrap(np.arctan2(y, x)))).sum()
    np.testing.assert_allclose(swept, 2 * np.pi - 5)


def test_the_speed_multiplies_the_turn():
    slow = tips(drawings.turning_arrows((1, 0), (1, 0), (4, 0), speed=0.25))
    np.testing.assert_allclose(slow["query at 4"], (math.cos(1), math.sin(1)))
