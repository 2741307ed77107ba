"""Figures that a notebook shows with their description: a cell ends in the drawing.

The Axes and figures of the book are matplotlib's and know one thing more: how a notebook shows
them. The picture is an image whose alternative text is what `describe` reads off it, and the same
line is the text of the output, for terminals and for whoever compares outputs. matplotlib's own
picture of the figure, which has no alternative text, is left out.
"""

import base64
import html
import io
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from d2lattn_book.pictures.describe import describe


class _Shown:
    """What a notebook does with a figure, or with one of its Axes: it shows the whole figure."""

    figure: Any

    def _ipython_display_(self) -> None:
        from IPython.display import display  # a script draws without it

        data = bundle(self.figure)  # which lays the figure out
        display(data, metadata={"states": states(self.figure)}, raw=True)
        if "inline" in plt.get_backend():  # which at the end of the cell would show it once more
            plt.close(self.figure)


class DrawnAxes(_Shown, Axes):
    """Axes of a figure of the book."""


class DrawnFigure(_Shown, Figure):
    """A figure of the book."""


def subplots(rows: int = 1, columns: int = 1, **options: Any) -> tuple[Figure, Any]:
    """A white figure, its parts laid out for it, that a notebook shows with a description.

    Args:
        rows, columns (int): how many Axes.
        options: as matplotlib's `subplots` takes them, such as figsize.

    Returns:
        Figure, and its Axes or an array of them, as from matplotlib's `subplots`.

    Raises:
        ValueError, TypeError: as `subplots`.

    Example:
        >>> from d2lattn_book.pictures.plots import describe
        >>> figure, ax = subplots(figsize=(4, 3))
        >>> _ = ax.bar([0, 1], [2, 3])
        >>> describe(figure)
        '2 bars over x from 0 to 1, the highest 3 at 1.'
    """
    look: dict[str, Any] = dict(layout="constrained", facecolor="white", FigureClass=DrawnFigure)
    look["subplot_kw"] = dict(axes_class=DrawnAxes)
    return plt.subplots(rows, columns, **look | options)


def bundle(figure: Figure) -> dict[str, str]:
    """What a notebook stores of a figure: its description, and an image that carries it.

    The image is no second output beside the HTML: JupyterLab gives a bare PNG no alternative text,
    and would show only one of them.
    """
    line = describe(figure)
    return {"text/plain": line, "text/html": image(line, _png(figure, "tight"))}


def image(line: str, png: bytes) -> str:
    """The HTML by which every figure is shown: a picture with its alternative text."""
    source = f"data:image/png;base64,{base64.b64encode(png).decode()}"
    return f'<img alt="{html.escape(line)}" style="max-width:100%" src="{source}">'


def pause(ax: Axes, *later: Artist) -> None:
    """Let a deck show what is drawn so far; the rest appears at the next click.

    Axes that are still empty are left out. A notebook shows the whole figure only.

    Args:
        later: what is drawn already and yet appears at a later click.

    Example:
        >>> import matplotlib.pyplot as plt
        >>> ax = plt.figure().subplots()
        >>> first = ax.plot([0, 1])
        >>> pause(ax)
        >>> second = ax.plot([1, 0])  # at the next click
    """
    figure: Any = ax.figure.figure  # the figure, if that is a part of one
    figure.paused = [*getattr(figure, "paused", ()), _artists(figure, Axes.has_data) - {*later}]


def states(figure: Any) -> list[str]:
    """The PNGs, in base64, of what is seen at each pause, all in its final place."""
    found: list[str] = []
    for seen in getattr(figure, "paused", ()):
        hidden = [one for one in _artists(figure) - seen if one.get_visible()]
        if hidden:  # else it is the whole figure
            box = figure.get_tightbbox().padded(plt.rcParams["savefig.pad_inches"])
            figure.set_layout_engine("none")
            plt.setp(hidden, visible=False)
            found.append(base64.b64encode(_png(figure, box)).decode())
            plt.setp(hidden, visible=True)
    return found


def _artists(figure, wanted=bool):
    return {one for ax in figure.axes if wanted(ax) for one in (ax, *ax.get_children())}


def _png(figure, box):
    png = io.BytesIO()
    figure.savefig(png, format="png", bbox_inches=box, dpi=figure.dpi)
    return png.getvalue()
