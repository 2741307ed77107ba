"""Figures of the book: each function draws on one Axes and returns it.

Nothing here touches global style or the current figure. `describe` reads a drawn Axes back and
puts its numbers in a line of text: for screen readers, and so that a wrong figure fails a test.
"""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import seaborn as sns
import torch
from matplotlib.collections import LineCollection, PathCollection, QuadMesh
from matplotlib.container import BarContainer
from matplotlib.scale import get_scale_names

from d2lattn.arguments import check_choice, check_count, check_flag, check_number, show
from d2lattn.comparison import boolean_steps, receptive_field
from d2lattn.pictures.arrays import to_numpy
from d2lattn.pictures.colours import ROLES
from d2lattn.pictures.drawings._flow import describe_flow, flow, is_flow
from d2lattn.pictures.kit import axes, check_axes

# Shares are lavender (roles.py) in a map too: the map leads through that colour, from nearly white
# and in even steps of lightness (Green 2011, "A colour scheme for the display of intensities").
SEQUENTIAL = sns.cubehelix_palette(start=0.2, rot=-0.1, hue=0.8, light=0.97, as_cmap=True)
DIVERGING = "vlag"  # white at the centre
LINE_STYLES = ("-", "--", ":", "-.")
MARKERS = "osD^v"
# Of lines, which play no role: none of them is near a colour of d2lattn.pictures.colours.
SHADES = ("#1a1a1a", "#808080", "#b0408f", "#2b6cd4", "#7a5c1e")

__all__ = ["columns", "describe", "flow", "heatmap", "heatmaps", "lines", "network"]


def heatmap(
    matrix,
    *,
    ax=None,
    tokens=None,
    xticklabels="auto",
    yticklabels="auto",
    xlabel="key (column)",
    ylabel="query (row)",
    title=None,
    vmin=None,
    vmax=None,
    center=None,
    cmap=None,
    annot=False,
    fmt=".2f",
    cbar=True,
    square=True,
):
    """Draw a matrix as coloured cells, row 0 at the top.

    Args:
        matrix: (rows, columns), a tensor or anything numpy takes; a boolean mask draws True dark.
        ax (Axes): where to draw; a new figure when absent.
        tokens: names for rows and columns at once; x- and yticklabels name them apart. "auto", an
            int k (every k-th number), True or False, as seaborn has it, number them.
        vmin, vmax (float): ends of the colour scale. It starts at 0 unless values are negative.
            Values that are not finite (-inf in hidden scores) have no part in it and stay white.
        center (float): a value to put at white; gives a diverging map with symmetric ends.
        cmap (str): another colour map by its name.
        annot (bool): print the value in each cell with the format `fmt`.
        cbar (bool): draw a colour bar; a mask has none.  square (bool): square cells.

    Returns:
        matplotlib Axes.

    Raises:
        ValueError: a matrix that is not of real numbers, has not exactly two axes, or no cell;
            another number of names; a colour scale that runs backwards or has no end.

    Example:
        >>> print(describe(heatmap([[1.0, 0.0], [0.25, 0.75]])))
        heatmap 2×2, query (row) by key (column): values 0 to 1, largest 1 at (0, 0)
    """
    values = _real("matrix", matrix, 2, "two axes and a cell")
    for name, flag in dict(annot=annot, cbar=cbar, square=square).items():
        check_flag(name, flag)
    check_axes(ax)
    _check_format(fmt)
    _check_colour_map(cmap)
    if tokens is not None:
        xticklabels = yticklabels = tokens
    names = ("xticklabels", "yticklabels") if tokens is None else ("tokens", "tokens")
    xticklabels = _labels(names[0], xticklabels, values.shape[1])
    yticklabels = _labels(names[1], yticklabels, values.shape[0])
    vmin, vmax = _colour_scale(values.astype(float), vmin, vmax, center)
    if values.dtype == bool:
        cmap, cbar = cmap or "Greys", False
        vmin, vmax = 0, 1.6  # grey, so that annotations stay readable
    values = values.astype(float)
    if ax is None:
        _, ax = plt.subplots(
            figsize=_figure_size(values.shape), layout="constrained", facecolor="white"
        )
    sns.heatmap(
        values,
        ax=ax,
        vmin=vmin,
        vmax=vmax,
        cmap=cmap or (SEQUENTIAL if center is None else DIVERGING),
        annot=annot,
        fmt=fmt,
        annot_kws={"size": 9},
        cbar=cbar,
        square=square,
        linewidths=0.5 if max(values.shape) <= 20 else 0,
        xticklabels=xticklabels,
        yticklabels=yticklabels,
    )
    ax.set(xlabel=xlabel, ylabel=ylabel)
    if title is not None:
        ax.set_title(title)
    ax.tick_params(axis="y", rotation=0)
    if any(len(label.get_text()) > 6 for label in ax.get_xticklabels()):
        ax.tick_params(axis="x", rotation=45)
        for label in ax.get_xticklabels():
            label.set(ha="right", rotation_mode="anchor")
    return ax


def heatmaps(stack, *, titles=None, tokens=None, columns=4, cell_size=2.4, cbar=True, **options):
    """Draw a stack of matrices (heads, steps, …) with one shared scale and one colour bar.

    Args:
        stack: (count, rows, columns); boolean masks draw True dark.
        titles: one title for each matrix; "head 0", "head 1", … when absent.
        tokens: names for rows and columns.
        columns (int): matrices in a row of the grid.
        cell_size (float): inches for each matrix.
        cbar (bool): draw a colour bar beside the grid; masks have none.
        options: passed to `heatmap`.

    Returns:
        matplotlib Figure.

    Raises:
        ValueError: a stack that is not of real numbers, has not exactly three axes, or no cell;
            another number of titles; no column; and as `heatmap`.

    Example:
        >>> figure = heatmaps(np.eye(3)[None].repeat(2, axis=0))
        >>> len(figure.axes)  # two heads and one colour bar
        3
    """
    values = _real("stack", stack, 3, "three axes and a cell")
    titles = [f"head {i}" for i in range(len(values))] if titles is None else titles
    titles = _names("titles", titles, len(values))
    check_count("columns", columns)
    check_number("cell_size", cell_size, 0.1, 20)
    check_flag("cbar", cbar)
    ends = options.pop("vmin", None), options.pop("vmax", None), options.get("center")
    vmin, vmax = _colour_scale(values.astype(float), *ends)
    columns = min(columns, len(values))
    rows = -(-len(values) // columns)
    figure, grid = plt.subplots(
        rows,
        columns,
        figsize=(cell_size * columns + 1.2, cell_size * rows + 0.5),
        layout="constrained",
        squeeze=False,
        facecolor="white",
    )
    for i, ax in enumerate(grid.flat):
        if i >= len(values):
            ax.set_axis_off()
            continue
        drawn = dict(ax=ax, tokens=tokens, title=titles[i], vmin=vmin, vmax=vmax, cbar=False)
        heatmap(values[i], **drawn, **options)
        if i % columns:
            ax.set_ylabel("")
            ax.tick_params(axis="y", labelleft=False)
        if i + columns < len(values):
            ax.set_xlabel("")
            ax.tick_params(axis="x", labelbottom=False)
    if cbar and values.dtype != bool:
        figure.colorbar(grid[0, 0].collections[0], ax=grid, shrink=0.8)
    return figure


def lines(
    x,
    series,
    *,
    ax=None,
    xlabel=None,
    ylabel=None,
    title=None,
    markers=False,
    xscale=None,
    yscale=None,
):
    """Draw named curves that differ by style as well as by colour.

    Args:
        x: (n,) positions shared by the curves.
        series (dict): name -> (n,) values; NaN leaves a gap.
        ax (Axes): where to draw; a new figure when absent.
        markers (bool): mark the points.
        xscale, yscale (str): as matplotlib names them ("log"); absent: as the Axes has them.

    Returns:
        matplotlib Axes.

    Raises:
        ValueError: no curve, one of another length than x, values that are not real numbers, or a
            scale that is none.

    Example:
        >>> print(describe(lines([1, 2], {"square": [1, 4]}, xlabel="n")))
        1 line over n 1 to 2; square: 1 to 4
    """
    if not isinstance(series, dict) or not series:
        raise ValueError(f"series must be a dict name -> values with a curve, got {show(series)}")
    x = _real("x", x, 1, "one axis and a point")
    curves = {name: _curve(name, y, x) for name, y in series.items()}
    check_flag("markers", markers)
    check_axes(ax)
    scales = {name: s for name, s in dict(xscale=xscale, yscale=yscale).items() if s is not None}
    for name, scale in scales.items():
        check_choice(name, scale, get_scale_names())
    ax = axes(ax, (6, 3.6))
    for i, (name, y) in enumerate(curves.items()):
        style = LINE_STYLES[i % len(LINE_STYLES)]
        marker = MARKERS[i % len(MARKERS)] if markers else None
        ax.plot(x, y, style, color=SHADES[i % len(SHADES)], marker=marker, markersize=4, label=name)
    ax.set(xlabel=xlabel, ylabel=ylabel, title=title, **scales)
    ax.grid(alpha=0.3)
    if len(curves) > 1:
        ax.legend(frameon=False)
    sns.despine(ax=ax)
    return ax


def columns(P, which, *, ax=None):
    """Draw some columns of an encoding (length, dim) against the position.

    Args:
        P: (length, dim).
        which: column numbers.
        ax (Axes): where to draw; a new figure when absent.

    Returns:
        matplotlib Axes.

    Raises:
        ValueError: P that is not of real numbers or has not exactly two axes; a column that it
            does not have, or none at all.

    Example:
        >>> print(describe(columns(np.eye(3), [1])))
        1 line over position (row) 0 to 2; column 1: 0 to 0
    """
    values = _real("P", P, 2, "two axes (length, dim) and a cell")
    which, last = np.atleast_1d(to_numpy(which, "which")), values.shape[1] - 1
    wrong = which.dtype.kind not in "iu" or which.ndim > 1 or which.size == 0
    if wrong or (which < 0).any() or (which > last).any():
        raise ValueError(
            f"which must be column numbers from 0 to {last}, got {show(which.tolist())}"
        )
    series = {f"column {column}": values[:, column] for column in which}
    ax = lines(np.arange(len(values)), series, ax=ax, xlabel="position (row)", ylabel="value")
    return ax


def network(steps, *, within=None, unit=None, ax=None, title=None):
    """Draw layers of units and who sees whom, inputs at the bottom.

    Args:
        steps: boolean (n, n) for each layer, the first one first: [i, j] is True when its unit i
            sees unit j of the layer below.
        within: boolean (n, n), who sees whom inside each layer above the inputs (in an RNN the
            state before).
        unit: (layer, position) of the unit whose receptive field is drawn in colour, itself red
            like an output, what it hears green like values; layer 0 is the input.
        ax (Axes): where to draw; a new figure when absent.
        title (str): a title.

    Returns:
        matplotlib Axes. Positions are numbered from 1, as in figures of sequences.

    Raises:
        ValueError: no step, one that is not a boolean square of the size of the others, or a unit
            that is not there.

    Example:
        >>> print(describe(network([np.eye(3, dtype=bool)])))
        connections: 3 edges; others: 6 points, x 1 to 3, y 0 to 1
    """
    steps = boolean_steps(steps)
    n = len(steps[0])
    (within,) = boolean_steps([torch.zeros(n, n).bool() if within is None else within], "within", n)
    field = torch.zeros(len(steps) + 1, n, dtype=torch.bool)
    if unit is not None:
        field = receptive_field(steps, unit, within=within)
    ax = axes(ax, (1 + 0.75 * n, 1 + 0.95 * len(steps)))
    _draw_edges(ax, steps, within, field)
    _draw_units(ax, field, unit)
    names = ["input", *(f"layer {y}" for y in range(1, len(field)))]
    ax.set(xlim=(0.5, n + 0.5), ylim=(-0.4, len(steps) + 0.4), xlabel="position", title=title)
    ax.set_xticks(range(1, n + 1))
    ax.set_yticks(range(len(field)), names)
    ax.tick_params(length=0)
    sns.despine(ax=ax, left=True, bottom=True)
    return ax


def describe(ax):
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
    if is_flow(ax):
        return describe_flow(ax)
    said = [t.get_text().replace("\n", ", ") for t in ax.texts if t.get_gid() == "said"]
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
    title = f"{ax.get_title()}: " if ax.get_title() else ""
    return (title + "; ".join(parts)).replace("\n", " ")


def _draw_edges(ax, steps, within, field):
    """Who sees whom, green where both ends belong to the field."""
    seen = [(y, y + 1, i, j) for y, step in enumerate(steps) for i, j in step.nonzero().tolist()]
    inside = within.nonzero().tolist()
    seen += [(y, y, i, j) for y in range(1, len(field)) for i, j in inside]
    edges = [((j + 1, below), (i + 1, y)) for below, y, i, j in seen]
    colours = [ROLES["value"] if field[y, i] else "0.75" for _, y, i, _ in seen]
    widths = [2.0 if field[y, i] else 1.0 for _, y, i, _ in seen]
    ax.add_collection(LineCollection(edges, colors=colours, linewidths=widths, label="connections"))
    for (start, end), colour in zip(edges, colours, strict=True):
        if start[1] == end[1]:  # an arrow for what runs sideways
            ax.annotate("", end, start, arrowprops=dict(arrowstyle="-|>", color=colour, shrinkB=7))


def _draw_units(ax, field, unit):
    """What the chosen unit hears is green like a value, and the unit red like an output."""
    y, x = (~field).nonzero().T.numpy()
    if len(x):
        ax.scatter(x + 1, y, s=170, color="white", edgecolors="0.3", zorder=3, label="others")
    if unit is None:
        return
    y, x = field.nonzero().T.numpy()
    roles = ["output" if (y, x) == tuple(unit) else "value" for y, x in field.nonzero().tolist()]
    name = f"field of unit {unit[1] + 1}"
    ax.scatter(
        x + 1,
        y,
        s=170,
        color=[ROLES[role] for role in roles],
        edgecolors="0.3",
        zorder=3,
        label=name,
    )


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
    names = (
        f", {ax.get_ylabel()} by {ax.get_xlabel()}" if ax.get_xlabel() and ax.get_ylabel() else ""
    )
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
    return f"{float(f'{value:.5g}') + 0.0:.3g}"


def _largest(values):
    """The largest magnitude among the finite values, 0 if there are none."""
    return np.abs(values[np.isfinite(values)]).max(initial=0.0)


def _colour_scale(values, vmin, vmax, center):
    """The ends of the scale: from 0, or symmetric about `center`; never both the same."""
    vmin, vmax, center = (
        None if end is None else _limit(name, end)
        for name, end in (("vmin", vmin), ("vmax", vmax), ("center", center))
    )
    if vmin is not None and vmax is not None and vmin >= vmax:
        raise ValueError(f"vmax must be above vmin = {vmin}, got {vmax}")
    finite = values[np.isfinite(values)]
    if center is not None:
        ends = [end for end in (vmin, vmax) if end is not None]
        reach = np.abs((np.array(ends) if ends else finite) - center).max(initial=0.0) or 1.0
        return center - reach, center + reach
    if vmin is None:
        vmin = finite.min(initial=0.0)
        vmin = vmin if vmax is None or vmin < vmax else vmax - 1.0
    if vmax is None:
        vmax = finite.max(initial=vmin)
        vmax = vmax if vmax > vmin else vmin + 1.0
    return vmin, vmax


def _limit(name, value):
    """A float of a finite number, be it Python's, numpy's or a tensor's."""
    number = to_numpy(value, name)
    if number.ndim or number.dtype.kind not in "iuf" or not np.isfinite(number):
        raise ValueError(f"{name} must be a finite number, got {show(value)}")
    return float(number)


def _real(name, values, axes, rule):
    """An array of real numbers, or of booleans, with this many axes and at least one element."""
    array = to_numpy(values, name)
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name} must hold real numbers, got {array.dtype}")
    if array.ndim != axes or array.size == 0:
        raise ValueError(f"{name} must have {rule}, got shape {array.shape}")
    return array


def _curve(name, y, x):
    """The values of one curve of `lines`, as many as there are positions."""
    y = _real(f"series {name!r}", y, 1, "one axis and a point")
    if y.shape != x.shape:
        raise ValueError(f"series {name!r} must have the shape of x, got {y.shape} and {x.shape}")
    return y


def _check_format(fmt):
    try:
        format(0.0, fmt)
    except (TypeError, ValueError):
        raise ValueError(
            f"fmt must be a format of numbers such as '.2f', got {show(fmt)}"
        ) from None


def _check_colour_map(cmap):
    if cmap is not None and (not isinstance(cmap, str) or cmap not in mpl.colormaps):
        raise ValueError(f"cmap must name a colour map of matplotlib, got {show(cmap)}")


def _tick(axis, index):
    """The name of a row or column: its tick label if it has one of its own."""
    places = axis.get_ticklocs()
    names = axis.get_major_formatter().format_ticks(places)  # also those that are not shown
    named = {round(tick - 0.5, 3): name for tick, name in zip(places, names, strict=True)}
    return named.get(float(index)) or str(index)


def _is_content(ax):
    return ax.get_label() != "<colorbar>" and (ax.axison or ax.texts)


def _labels(name, labels, count):
    """What seaborn is told: names, or how to number."""
    if isinstance(labels, bool) or (isinstance(labels, str) and labels == "auto"):
        return labels
    if isinstance(labels, int):
        check_count(name, labels)
        return labels
    return _names(name, labels, count)


def _names(name, names, count):
    if isinstance(names, str) or not hasattr(names, "__iter__"):
        raise ValueError(f"{name} must be a list of {count} names, got {show(names)}")
    names = [str(one) for one in names]
    if len(names) != count:
        raise ValueError(f"{name} must hold {count} names, got {len(names)}: {show(names)}")
    return names


def _figure_size(shape):
    """Inches for a heatmap of this shape, colour bar included."""
    rows, cells = (min(max(size, 4), 12) for size in shape)
    return 2.4 + 0.42 * cells, 1.4 + 0.42 * rows
