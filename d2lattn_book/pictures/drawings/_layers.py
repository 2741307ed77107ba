"""Costs of layers, each layer in one colour wherever it is drawn, with its name beside it.

No colour is a role's (`pictures.colours`); lines differ by style as well.
"""

from collections.abc import Mapping

from d2lattn.arguments import show
from d2lattn_book.pictures.arrays import Numbers
from d2lattn_book.pictures.colours import INK, LAYERS
from d2lattn_book.pictures.kit import Ax, Axes, curves

APART = 13  # points between two names


def layer_lines(
    x: Numbers,
    series: Mapping[str, Numbers],
    *,
    ax: Ax = None,
    xlabel: str = "",
    ylabel: str = "",
    xscale: str | None = None,
    yscale: str | None = None,
    markers: bool = False,
) -> Axes:
    """Draw a curve for each layer, in the layer's own colour and with its name at the right end.

    Args:
        x: (n,) positions shared by the curves.
        series (dict): name -> (n,) values. A name begins with that of a layer: CNN, dilated; CNN,
            contiguous; CNN; RNN; LSTM, gate open; LSTM; attention.
        xscale, yscale (str): as matplotlib names them ("log").

    Example:
        >>> from d2lattn_book.pictures.plots import describe
        >>> print(describe(layer_lines([1, 2], {"RNN": [1, 2], "attention": [1, 4]}, xlabel="n")))
        2 lines over n from 1 to 2: RNN from 1 to 2, attention from 1 to 4.
    """
    looks = [_look(name) for name in series] if isinstance(series, dict) else []
    labels = dict(xlabel=xlabel, ylabel=ylabel, xscale=xscale, yscale=yscale)
    ax = curves(x, series, looks, ax=ax, size=(6, 3), markers=markers, **labels)
    _name_at_the_right(ax, ax.lines[-len(series) :])
    return ax


def _look(name):
    """Colour and style of the layer that a name begins with."""
    for layer, look in LAYERS.items():
        if str(name).startswith(layer):
            return look
    raise ValueError(f"series must have names that begin with {[*LAYERS]}, got {show(name)}")


def _name_at_the_right(ax, drawn):
    """Each name at the height where its curve ends, moved up where another stands.

    A sample of the curve leads to it. It is measured in points beside the Axes, which no arrow of
    the kit is.
    """
    ends = [(line.get_xdata()[-1], line.get_ydata()[-1]) for line in drawn]
    ax.autoscale_view()  # else the limits are those from before the curves
    heights = ax.transAxes.inverted().transform(ax.transData.transform(ends))[:, 1]
    apart = APART / 72 / (ax.get_position().height * ax.figure.get_figheight())
    free = -1.0
    for height, line in sorted(zip(heights, drawn, strict=True), key=lambda pair: pair[0]):
        free = max(height, free + apart)
        sample = dict(arrowstyle="-", shrinkA=3, shrinkB=5, linewidth=1.5)
        sample.update(color=line.get_color(), linestyle=line.get_linestyle())
        place = dict(xycoords="axes fraction", textcoords="offset points", xytext=(34, 0))
        look = dict(color=INK, va="center", annotation_clip=False, arrowprops=sample)
        ax.annotate(line.get_label(), (1, free), **place, **look)
