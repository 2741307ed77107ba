"""Boxes to scale: as high and wide as the matrices and vectors that they stand for."""

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import pytest
from matplotlib.colors import to_hex

from d2lattn.pictures import drawings, plots
from d2lattn.pictures.colours import PALE, ROLES


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def test_the_boxes_have_the_shapes_of_the_matrices():
    ax = drawings.projections(3, 5, 7)
    unit = 1 / 7
    shapes = {to_hex(box.get_facecolor()): [] for box in ax.patches}
    for box in ax.patches:
        shapes[to_hex(box.get_facecolor())].append((box.get_height(), box.get_width()))
    for role, out in (("query", 5), ("key", 5), ("value", 7)):
        (matrix, vector) = shapes[ROLES[role]]
        assert matrix == pytest.approx((out * unit, 3 * unit))
        assert vector[0] == pytest.approx(out * unit)
    assert [high for high, _ in shapes[PALE]] == pytest.approx(3 * [3 * unit])
    assert "18 texts, from 'W_q  5 × 3'" in plots.describe(ax)


def test_it_draws_where_it_is_told_and_names_the_drawing():
    _, ax = plt.subplots()
    assert drawings.projections(2, 3, 4, ax=ax, title="three looks") is ax
    assert ax.get_title() == "three looks"


@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize("bad", [0, -1, 101, 2.0, True, None, "3"])
def test_a_width_is_a_whole_number(place, bad):
    widths = [2, 3, 4]
    widths[place] = bad
    name = ("embed_dim", "head_dim", "value_dim")[place]
    with pytest.raises(ValueError, match=f"^{name} must be an integer of at (least|most) "):
        drawings.projections(*widths)


def test_an_ax_is_an_axes():
    with pytest.raises(ValueError, match=r"^ax must be a matplotlib Axes or None, got "):
        drawings.projections(2, 3, 4, ax="here")
