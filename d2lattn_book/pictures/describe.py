"""Reading back: what a drawn Axes shows, in a sentence with the numbers of its artists.

For screen readers, and so that a wrong figure fails a test.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PathCollection, QuadMesh
from matplotlib.container import BarContainer
from matplotlib.figure import Figure
from matplotlib.ticker import ScalarFormatter

from d2lattn.arguments import show
from d2lattn_book.pictures.arrays import number

DESCRIBED = "described"  # the group of artists whose text `describe` repeats


def describe(ax: Axes | Figure) -> str:
    """Say in a sentence for each Axes what is drawn, with numbers read off the artists and rounded.

    Heatmaps give their size, range and largest cell (the first one on a tie), or how many cells are
    1; lines their first and last values; bars the largest, by their names; points their number and
    range. What a drawing wrote beside its places comes first, and a text under
    `ax.describes_itself` stands for all of it.

    Args:
        ax: matplotlib Axes, or a Figure, whose Axes are described one after the other.

    Returns:
        str, without a line break.

    Raises:
        ValueError: nothing is drawn on `ax`, or it is neither.

    Example:
        >>> from d2lattn_book.pictures.plots import heatmap
        >>> print(describe(heatmap(np.eye(2), xlabel="x", ylabel="y")))
        A map of 2 × 2, y by x: 2 of 4 cells are 1.
    """
    if isinstance(ax, plt.Figure):
        shown = [one for one in ax.axes if _is_content(one)]
        if not shown:
            raise ValueError("the figure must have something drawn on it, got an empty one")
        parts = _describe_grid(shown) or [describe(one).removesuffix(".") for one in shown]
        return "; ".join(parts) + "." * (parts[-1][-1] not in "?!")
    if not isinstance(ax, plt.Axes):
        raise ValueError(f"ax must be a matplotlib Axes or Figure, got {show(ax)}")
    own = getattr(ax, "describes_itself", None)  # a drawing that says more than its parts
    if isinstance(own, str):
        own = f"{ax.get_title()}: {own}" if ax.get_title() else own
    line = ((own(ax) if callable(own) else own) or _describe_parts(ax)).replace("\n", " ")
    ours = line.startswith(("a map", "the word"))  # else a word of the drawing
    return (line[0].upper() + line[1:] if ours else line) + ("" if line[-1] in ".?!" else ".")


def _describe_parts(ax):
    """The title, the words to describe it by, and every kind of artist that carries numbers."""
    words = [t.get_text().replace("\n", ", ") for t in ax.texts if t.get_gid() == DESCRIBED]
    parts = [", ".join(words)] if words else []
    parts += [line for artist in ax.collections if (line := _describe_collection(ax, artist))]
    drawn = [line for line in ax.lines if len(line.get_xdata())]
    named = [line for line in drawn if not line.get_label().startswith("_")]
    if named:
        parts.append(_describe_lines(ax, named))
    bars = [bar for bar in ax.containers if isinstance(bar, BarContainer)]
    if bars:
        parts.append(_describe_bars(ax, bars))
    if ax.texts and not parts:  # a drawing of words
        parts.append(_describe_words([text.get_text() for text in ax.texts]))
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
        return f"{artist.get_label()}: {_count(len(artist.get_segments()), 'edge')}"
    if isinstance(artist, PathCollection) and len(artist.get_offsets()):
        return _describe_points(ax, artist)
    return None


def _describe_words(words):
    """The words of a drawing, each as often as it stands there."""
    words = [" ".join(word.split()) for word in words if word.strip()]
    return f"the word{'s' * (len(words) > 1)} " + ", ".join(words)


def _describe_bars(ax, drawn, most=3):
    """The largest bars by their names; of bars without names the highest, and where it stands."""
    lengths = np.concatenate([bars.datavalues for bars in drawn]).astype(float)
    lying = drawn[0].orientation == "horizontal"
    boxes = [bar.get_bbox() for bars in drawn for bar in bars]
    places = [(box.y0 + box.y1 if lying else box.x0 + box.x1) / 2 for box in boxes]
    axis = ax.yaxis if lying else ax.xaxis
    count = _count(len(lengths), "bar")
    if _range(lengths) == _number(lengths[0], lengths) or len(drawn) > 1:
        return f"{count} {_range(lengths)}"
    names = _names(axis)
    if not all(round(place, 3) in names for place in places):
        highest = lengths.argmax()
        over = f"{axis.get_label_text() or 'x'} {_range(np.array(places))}"
        highest = f"{_number(lengths[highest], lengths)} at {_number(places[highest])}"
        return f"{count} over {over}, the highest {highest}"
    shown = lengths.round(2) if lengths.max() > 0.1 else lengths  # digits of a training differ
    order = np.argsort(-shown, kind="stable")
    named = order if len(order) <= most + 1 else [i for i in order[:most] if shown[i] > 0]
    parts = [f"{names[round(places[i], 3)].strip()} {_number(shown[i], shown)}" for i in named]
    if len(rest := order[len(named) :]):
        bound = f"at most {_number(shown[rest[0]], shown)}" if shown[rest[0]] > 0 else "0"
        parts.append(f"{len(rest)} others {bound}")
    return ", ".join(parts)


def _describe_grid(shown, most=4):
    """Many maps of one size by their titles; None for everything else."""
    meshes = [[one for one in ax.collections if isinstance(one, QuadMesh)] for ax in shown]
    sizes = {found[0].get_coordinates().shape if found else None for found in meshes}
    if len(shown) <= most or len(sizes) > 1 or None in sizes:
        return None
    ((rows, cells, _),) = sizes
    values = np.concatenate([np.ma.filled(mesh.get_array(), np.nan).ravel() for (mesh,) in meshes])
    titles = ", ".join(" ".join(ax.get_title().split()) for ax in shown)
    return [f"{len(shown)} maps of {rows - 1} × {cells - 1}, values {_range(values)}: {titles}"]


def _describe_heatmap(ax, mesh):
    values = np.ma.filled(mesh.get_array(), np.nan).astype(float)
    if values.ndim == 1:
        values = values.reshape(mesh.get_coordinates().shape[0] - 1, -1)
    rows, cells = values.shape
    y, x = ax.get_ylabel(), ax.get_xlabel()
    names = f", {y} by {x}" if x and y else ""
    if np.isnan(values).all():
        return f"a map of {rows} × {cells}{names}: values {_range(values)}"
    if set(np.unique(values)) == {0, 1}:
        return f"a map of {rows} × {cells}{names}: {int(values.sum())} of {values.size} cells are 1"
    # A tie is settled by the first cell, not by the last digit.
    ties = values >= np.nanmax(values) - 1e-5 * _largest(values)
    row, column = np.unravel_index(ties.argmax(), values.shape)
    place = f"({_tick(ax.yaxis, row)}, {_tick(ax.xaxis, column)})"
    largest = _number(values[row, column], values)
    values = f"values {_range(values)}, the largest {largest} at {place}"
    return f"a map of {rows} × {cells}{names}: {values}"


def _describe_lines(ax, drawn):
    parts, over_all = [], []
    for i, line in enumerate(drawn):
        name = f"line {i}" if line.get_label().startswith("_") else line.get_label()
        points = np.asarray(line.get_xydata(), dtype=float)
        x, y = points[np.isfinite(points).all(axis=1)].T  # the others are not drawn
        whole = None if ax.get_yscale() == "log" else y  # on a log axis small is not nothing
        ends = [_number(value, whole) for value in y[[0, -1]]] if len(y) else []
        parts.append(f"{name} from {ends[0]} to {ends[1]}" if ends else f"{name} none")
        over_all.append(x)
    x = np.concatenate(over_all)
    over = f"{_count(len(drawn), 'line')} over {ax.get_xlabel() or 'x'} {_range(x)}"
    return f"{over}: {', '.join(parts)}"


def _describe_points(ax, points):
    x, y = np.asarray(points.get_offsets(), dtype=float).T
    label, names = points.get_label(), points.get_gid()  # what each point is called
    name = "" if label.startswith("_") else f"{label} {names}: " if names else f"{label}: "
    if len(x) == 1:
        return f"{name}1 point at ({_number(x[0])}, {_number(y[0])})"
    return f"{name}{len(x)} points, x {_range(x)}, y {_range(y)}"


def _count(many, what):
    return f"{many} {what}{'s' * (many != 1)}"


def _range(values):
    """From the least to the largest, or the one number that both are."""
    if np.isnan(values).all():
        return "none"
    ends = [_number(end, values) for end in (np.nanmin(values), np.nanmax(values))]
    return f"from {ends[0]} to {ends[1]}" if ends[0] != ends[1] else ends[0]


def _number(value, whole=None):
    """Three digits; what is nothing beside the rest is 0, so that noise is never printed.

    Five digits first: 0.03125 and its neighbours 1e-7 away must fall to the same side.
    """
    if whole is not None and abs(value) < 1e-5 * _largest(whole):
        value = 0.0
    short = number(float(f"{value:.5g}"), ".3g", minus="-")  # a line of text, as Python prints it
    return f"{float(short):,.0f}" if "e+" in short else short


def _largest(values):
    """The largest magnitude among the finite values, 0 if there are none."""
    return np.abs(values[np.isfinite(values)]).max(initial=0.0)


def _tick(axis, index):
    """The name of a row or column: its tick label if it has one of its own."""
    return _names(axis, 0.5, words=False).get(float(index)) or str(index)


def _names(axis, shift=0.0, words=True):
    """{place: tick label} of an axis; with `words` nothing where matplotlib numbers it."""
    places, form = axis.get_ticklocs(), axis.get_major_formatter()
    if words and isinstance(form, ScalarFormatter):
        return {}
    labels = form.format_ticks(places)  # also those that are not shown
    return {round(at - shift, 3): label for at, label in zip(places, labels, strict=True) if label}


def _is_content(ax):
    return ax.get_label() != "<colorbar>" and (ax.axison or ax.texts)
