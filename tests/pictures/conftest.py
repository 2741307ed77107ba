"""What every test of pictures begins with: no window, no figure left open, no global style."""

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import pytest

pytest.register_assert_rewrite("artists")


@pytest.fixture(autouse=True)
def nothing_outside_the_figure_changes(monkeypatch):
    """No picture asks for the current Axes or changes rcParams; none is open after its test."""

    def forbidden(*args, **kwargs):
        raise RuntimeError("plt.gca was called")

    monkeypatch.setattr(plt, "gca", forbidden)
    plt.close("all")
    before = dict.copy(mpl.rcParams)  # without a look at each of its three hundred entries
    yield
    plt.close("all")
    assert dict.copy(mpl.rcParams) == before
