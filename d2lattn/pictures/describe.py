"""Reading back: what a drawn Axes shows, in one line of text with the numbers of its artists.

For screen readers, and so that a wrong figure fails a test.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PathCollection, QuadMesh
from matplotlib.container import BarContainer
from matplotlib.figure import Figure

from d2lattn.arguments import show
from d2lattn.pictures.arrays import number
from d2lattn.pictures.drawings._flow import describe_flows
from d2lattn.pictures.kit import SAID


def describe(ax: Axes | Figure) -> str:
    """Say in one line what is drawn, with numbers read off the artists and rounded.

    Heatmaps give their size, range and largest cell (the first one on a tie); images their size
    and range; lines their first and last values; bars and points their number and range. What a
    drawing wrote beside its places comes first.

    Args:
        ax: matplotlib Axes, or a Figure, whose Axes are described one after the other.

    Returns:
        str, without a line break.

    Raises:
        ValueError: nothing is drawn on `ax`, or it is neither.

    Example:
        >>> from d2lattn.pictures.plots import heatmap
        >>> print(describe(heatmap(np.eye(2), xlabel="x", ylabel="y")))
        heatmap 2×2, y by x: values 0 to 1, largest 1 at (0, 0)
    """
    if isinstance(ax, plt.Figure):
        described = [describe(one) for one in ax.axes if _is_content(one)]
        if not described:
            raise ValueError("the figure must have something drawn on it, got an empty one")
        return " | ".join(described)
    if not isinstance(ax, plt.Axes):
        raise ValueError(f"ax must be a matplotlib Axes or Figure, got {show(ax)}")
    line = describe_flows(ax) or _describe_parts(ax)
    return line.replace("\n", " ")


def _describe_parts(ax):
    """The title, what was said, and every kind of artist that carries numbers."""
    said = [t.get_text().replace("\n", ", ") for t in ax.texts if t.get_gid() == SAID]
    parts = [", ".join(said)] if said else []
    parts += [_describe_image(image) for image in ax.images]
    parts += [said for artist in ax.collections if (said := _describe_collection(ax, artist))]
    drawn = [line for line in ax.lines if len(line.get_xdata())]
    named = [line for line in drawn if not line.get_label().startswith("_")]
    if named:
        parts.append(_describe_lines(ax, named))
    bars = [bar.datavalues for bar in ax.containers if isinstance(bar, BarContainer)]
    if bars:
        lengths = np.concatenate(bars).astype(float)
        parts.append(f"{len(lengths)} bars: {_range(lengths)}")
    if ax.texts and not parts:  # a drawing of words
        parts.append(f"{len(ax.texts)} texts, from {ax.texts[0].get_text()!r}")
    if drawn and not parts:  # beside others, a line without a name is a help line
        parts.append(_describe_lines(ax, drawn))
    if not parts:
        raise ValueError("ax must have something drawn on it, got an empty Axes")
    return (f"{ax.get_title()}: " if ax.get_title() else "") + "; ".join(parts)


def _describe_collection(ax, artist):
    """What a collection shows; None for one that is no part of the content."""
    if isinstance(artist, QuadMesh):
        return _describe_heatmap(ax, artist)
    if isinstance(artist, LineCollection) and not artist.get_label().startswith("_"):
        return f"{artist.get_label()}: {len(artist.get_segments())} edges"
    if isinstance(artist, PathCollection) and len(artist.get_offsets()):
        return _describe_points(ax, artist)
    return None


def _describe_image(image):
    values = np.ma.filled(np.ma.asarray(image.get_array(), dtype=float), np.nan)
    rows, cells = values.shape[:2]
    said = f"values {_range(values)}" if values.ndim == 2 else "in colour"
    return f"image {rows}×{cells}: {said}"


def _describe_heatmap(ax, mesh):
    values = np.ma.filled(mesh.get_array(), np.nan).astype(float)
    if values.ndim == 1:
        values = values.reshape(mesh.get_coordinates().shape[0] - 1, -1)
    rows, cells = values.shape
    y, x = ax.get_ylabel(), ax.get_xlabel()
    names = f", {y} by {x}" if x and y else ""
    if np.isnan(values).all():
        return f"heatmap {rows}×{cells}{names}: values {_range(values)}"
    # A tie is settled by the first cell, not by the last digit.
    ties = values >= np.nanmax(values) - 1e-5 * _largest(values)
    row, column = np.unravel_index(ties.argmax(), values.shape)
    place = f"({_tick(ax.yaxis, row)}, {_tick(ax.xaxis, column)})"
    largest = _number(values[row, column], values)
    return f"heatmap {rows}×{cells}{names}: values {_range(values)}, largest {largest} at {place}"


def _describe_lines(ax, drawn):
    x = np.concatenate([np.asarray(line.get_xdata(orig=False), dtype=float) for line in drawn])
    parts = [f"{len(drawn)} line{'s' * (len(drawn) > 1)} over {ax.get_xlabel() or 'x'} {_range(x)}"]
    for i, line in enumerate(drawn):
        name = f"line {i}" if line.get_label().startswith("_") else line.get_label()
        y = np.asarray(line.get_ydata(orig=False), dtype=float)
        whole = None if ax.get_yscale() == "log" else y  # on a log axis small is not nothing
        parts.append(f"{name}: {_number(y[0], whole)} to {_number(y[-1], whole)}")
    return "; ".join(parts)


def _describe_points(ax, points):
    x, y = np.asarray(points.get_offsets(), dtype=float).T
    label = points.get_label()
    name = "" if label.startswith("_") else f"{label}: "
    return f"{name}{len(x)} points, x {_range(x)}, y {_range(y)}"


def _range(values):
    if np.isnan(values).all():
        return "none"
    return f"{_number(np.nanmin(values), values)} to {_number(np.nanmax(values), values)}"


def _number(value, whole=None):
    """Three digits; what is nothing beside the rest is 0, so that noise is never printed.

    Five digits first: 0.03125 and its neighbours 1e-7 away must fall to the same side.
    """
    if whole is not None and abs(value) < 1e-5 * _largest(whole):
        value = 0.0
    return number(float(f"{value:.5g}"), ".3g", minus="-")  # a line of text, as Python prints it


def _largest(values):
    """The largest magnitude among the finite values, 0 if there are none."""
    return np.abs(values[np.isfinite(values)]).max(initial=0.0)


def _tick(axis, index):
    """The name of a row or column: its tick label if it has one of its own."""
    places = axis.get_ticklocs()
    names = axis.get_major_formatter().format_ticks(places)  # also those that are not shown
    named = {round(tick - 0.5, 3): name for tick, name in zip(places, names, strict=True)}
    return named.get(float(index)) or str(index)


def _is_content(ax):
    return ax.get_label() != "<colorbar>" and (ax.axison or ax.texts)
