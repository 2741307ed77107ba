"""Figures of the book: each function draws on one Axes and returns it.

Nothing here touches global style or the current figure. `describe` reads a drawn Axes back and
puts its numbers in a line of text: for screen readers, and so that a wrong figure fails a test.
"""

import matplotlib.pyplot as plt
import numpy as np
import seaborn as sns
import torch
from matplotlib.collections import LineCollection, PathCollection, QuadMesh
from matplotlib.container import BarContainer

from d2lattn.flow import describe_flow, flow, is_flow

SEQUENTIAL = "rocket_r"  # perceptually uniform, palest at 0
DIVERGING = "vlag"  # white at the centre
LINE_STYLES = ("-", "--", ":", "-.")

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
        tokens: names for rows and columns at once; x- and yticklabels name them apart.
        vmin, vmax: ends of the colour scale. It starts at 0 unless values are negative. Values that
            are not finite (-inf in hidden scores) have no part in it and stay white.
        center (float): a value to put at white; gives a diverging map with symmetric ends.
        annot (bool): print the value in each cell with the format `fmt`.
        cbar (bool): draw a colour bar; a mask has none.  square (bool): square cells.

    Returns:
        matplotlib Axes.

    Raises:
        ValueError: a matrix without exactly two axes, or with no cell; another number of names.

    Example:
        >>> print(describe(heatmap([[1.0, 0.0], [0.25, 0.75]])))
        heatmap 2×2, query (row) by key (column): values 0 to 1, largest 1 at (0, 0)
    """
    values = to_numpy(matrix)
    if values.ndim != 2 or values.size == 0:
        raise ValueError(f"matrix must have two axes and a cell, got shape {values.shape}")
    if tokens is not None:
        xticklabels = yticklabels = tokens
    xticklabels = _labels("xticklabels", xticklabels, values.shape[1])
    yticklabels = _labels("yticklabels", yticklabels, values.shape[0])
    if values.dtype == bool:
        cmap, cbar = cmap or "Greys", False
        vmin, vmax = 0, 1.6  # grey, so that annotations stay readable
    values = values.astype(float)
    vmin, vmax = _colour_scale(values, vmin, vmax, center)
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


def heatmaps(stack, *, titles=None, tokens=None, columns=4, cell_size=2.4, **options):
    """Draw a stack of matrices (heads, steps, …) with one shared scale and one colour bar.

    Args:
        stack: (count, rows, columns).
        titles: one title for each matrix; "head 0", "head 1", … when absent.
        tokens: names for rows and columns.
        columns (int): matrices in a row of the grid.
        cell_size (float): inches for each matrix.
        options: passed to `heatmap`.

    Returns:
        matplotlib Figure.

    Raises:
        ValueError: a stack without exactly three axes, or another number of titles.

    Example:
        >>> figure = heatmaps(np.eye(3)[None].repeat(2, axis=0))
        >>> len(figure.axes)  # two heads and one colour bar
        3
    """
    values = to_numpy(stack)
    if values.ndim != 3 or values.size == 0:
        raise ValueError(f"stack must have three axes and a cell, got shape {values.shape}")
    titles = [f"head {i}" for i in range(len(values))] if titles is None else list(titles)
    if len(titles) != len(values):
        raise ValueError(f"titles must name {len(values)} matrices, got {len(titles)}")
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
    ends = options.pop("vmin", None), options.pop("vmax", None), options.get("center")
    vmin, vmax = _colour_scale(values.astype(float), *ends)
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
    if values.dtype != bool:
        figure.colorbar(grid[0, 0].collections[0], ax=grid, shrink=0.8)
    return figure


def lines(x, series, *, ax=None, xlabel=None, ylabel=None, title=None, markers=False, **scales):
    """Draw named curves that differ by style as well as by colour.

    Args:
        x: (n,) positions shared by the curves.
        series (dict): name -> (n,) values.
        ax (Axes): where to draw; a new figure when absent.
        markers (bool): mark the points.
        scales: `xscale` and `yscale` as matplotlib names them ("log").

    Returns:
        matplotlib Axes.

    Raises:
        ValueError: a curve of another length than x, or a scale that is none.

    Example:
        >>> print(describe(lines([1, 2], {"square": [1, 4]}, xlabel="n")))
        1 line over n 1 to 2; square: 1 to 4
    """
    unknown = set(scales) - {"xscale", "yscale"}
    if unknown:
        raise ValueError(f"lines takes xscale and yscale, got {sorted(unknown)}")
    if ax is None:
        _, ax = plt.subplots(figsize=(6, 3.6), layout="constrained", facecolor="white")
    for i, (name, y) in enumerate(series.items()):
        style = LINE_STYLES[i % len(LINE_STYLES)]
        marker = "osD^v"[i % 5] if markers else None
        if np.shape(to_numpy(y)) != np.shape(to_numpy(x)):
            shapes = f"{np.shape(to_numpy(y))} and {np.shape(to_numpy(x))}"
            raise ValueError(f"series {name!r} must have the shape of x, got {shapes}")
        ax.plot(
            to_numpy(x), to_numpy(y), style, color=f"C{i}", marker=marker, markersize=4, label=name
        )
    ax.set(xlabel=xlabel, ylabel=ylabel, title=title, **scales)
    ax.grid(alpha=0.3)
    if len(series) > 1:
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
        ValueError: P without exactly two axes, or a column it does not have.

    Example:
        >>> print(describe(columns(np.eye(3), [1])))
        1 line over position (row) 0 to 2; column 1: 0 to 0
    """
    values = to_numpy(P)
    if values.ndim != 2:
        raise ValueError(f"P must have two axes (length, dim), got shape {values.shape}")
    which, last = np.atleast_1d(to_numpy(which)), values.shape[1] - 1
    if which.dtype.kind not in "iu" or (which < 0).any() or (which > last).any():
        raise ValueError(f"which must be column numbers from 0 to {last}, got {which.tolist()}")
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
        unit: (layer, position) of the unit whose receptive field is drawn in colour; layer 0 is
            the input.
        ax (Axes): where to draw; a new figure when absent.
        title (str): a title.

    Returns:
        matplotlib Axes. Positions are numbered from 1, as in figures of sequences.

    Raises:
        ValueError: no step, or a unit that is not there.

    Example:
        >>> print(describe(network([np.eye(3, dtype=bool)])))
        connections: 3 edges; others: 6 points, x 1 to 3, y 0 to 1
    """
    steps = [to_numpy(step).astype(bool) for step in steps]
    if not steps:
        raise ValueError("steps must hold at least one layer, got none")
    n = len(steps[0])
    within = np.zeros((n, n), dtype=bool) if within is None else to_numpy(within).astype(bool)
    field = np.zeros((len(steps) + 1, n), dtype=bool)
    if unit is not None:
        if not (0 <= unit[0] <= len(steps) and 0 <= unit[1] < n):
            raise ValueError(f"unit must be (0..{len(steps)}, 0..{n - 1}), got {unit}")
        field[unit] = True
        for layer in range(unit[0], 0, -1):
            for _ in range(n):
                field[layer] |= within[field[layer]].any(axis=0)
            field[layer - 1] = steps[layer - 1][field[layer]].any(axis=0)
    if ax is None:
        size = (1 + 0.75 * n, 1 + 0.95 * len(steps))
        _, ax = plt.subplots(figsize=size, layout="constrained", facecolor="white")

    seen = [(y, y + 1, i, j) for y, step in enumerate(steps) for i, j in np.argwhere(step)]
    seen += [(y, y, i, j) for y in range(1, len(field)) for i, j in np.argwhere(within)]
    edges = [((j + 1, below), (i + 1, y)) for below, y, i, j in seen]
    colours = ["C3" if field[y, i] else "0.75" for _, y, i, _ in seen]
    widths = [2.0 if colour == "C3" else 1.0 for colour in colours]
    ax.add_collection(LineCollection(edges, colors=colours, linewidths=widths, label="connections"))
    for (start, end), colour in zip(edges, colours, strict=True):
        if start[1] == end[1]:  # an arrow for what runs sideways
            ax.annotate("", end, start, arrowprops=dict(arrowstyle="-|>", color=colour, shrinkB=7))
    for chosen, colour, label in (
        (~field, "white", "others"),
        (field, "C3", f"field of unit {unit[1] + 1}" if unit else ""),
    ):
        y, x = np.nonzero(chosen)
        if len(x):
            ax.scatter(x + 1, y, s=170, color=colour, edgecolors="0.3", zorder=3, label=label)
    names = ["input", *(f"layer {y}" for y in range(1, len(field)))]
    ax.set(xlim=(0.5, n + 0.5), ylim=(-0.4, len(steps) + 0.4), xlabel="position", title=title)
    ax.set_xticks(range(1, n + 1))
    ax.set_yticks(range(len(field)), names)
    ax.tick_params(length=0)
    sns.despine(ax=ax, left=True, bottom=True)
    return ax


def describe(ax):
    """Say in one line what is drawn, with numbers read off the artists and rounded.

    Heatmaps give their size, range and largest cell (the first one on a tie); lines their first
    and last values; bars and points their number and range.

    Args:
        ax: matplotlib Axes, or a Figure, whose Axes are described one after the other.

    Returns:
        str, without a line break.

    Raises:
        ValueError: nothing is drawn on `ax`.

    Example:
        >>> print(describe(heatmap(np.eye(2), xlabel="x", ylabel="y")))
        heatmap 2×2, y by x: values 0 to 1, largest 1 at (0, 0)
    """
    if isinstance(ax, plt.Figure):
        described = [describe(one) for one in ax.axes if _is_content(one)]
        if not described:
            raise ValueError("the figure must have something drawn on it, got an empty one")
        return " | ".join(described)
    if is_flow(ax):
        return describe_flow(ax)
    parts = []
    for artist in ax.collections:
        if isinstance(artist, QuadMesh):
            parts.append(_describe_heatmap(ax, artist))
        elif isinstance(artist, LineCollection) and not artist.get_label().startswith("_"):
            parts.append(f"{artist.get_label()}: {len(artist.get_segments())} edges")
        elif isinstance(artist, PathCollection):
            parts.append(_describe_points(ax, artist))
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


def to_numpy(values):
    """A numpy array of a tensor on any device and of any dtype, or of anything numpy takes."""
    if torch.is_tensor(values):
        values = values.detach().cpu()
        return (
            values.float() if values.dtype in (torch.bfloat16, torch.float16) else values
        ).numpy()
    return np.asarray(values)


def _describe_heatmap(ax, mesh):
    values = np.ma.filled(mesh.get_array(), np.nan).astype(float)
    if values.ndim == 1:
        values = values.reshape(mesh.get_coordinates().shape[0] - 1, -1)
    # A tie is settled by the first cell, not by the last digit.
    ties = values >= np.nanmax(values) - 1e-5 * _largest(values)
    row, column = np.unravel_index(ties.argmax(), values.shape)
    place = f"({_tick(ax.yaxis, row)}, {_tick(ax.xaxis, column)})"
    names = (
        f", {ax.get_ylabel()} by {ax.get_xlabel()}" if ax.get_xlabel() and ax.get_ylabel() else ""
    )
    rows, cells = values.shape
    largest = _number(values[row, column], values)
    return f"heatmap {rows}×{cells}{names}: values {_range(values)}, largest {largest} at {place}"


def _describe_lines(ax, drawn):
    x = np.concatenate([np.asarray(line.get_xdata(), dtype=float) for line in drawn])
    parts = [f"{len(drawn)} line{'s' * (len(drawn) > 1)} over {ax.get_xlabel() or 'x'} {_range(x)}"]
    for i, line in enumerate(drawn):
        name = f"line {i}" if line.get_label().startswith("_") else line.get_label()
        y = np.asarray(line.get_ydata(), dtype=float)
        whole = None if ax.get_yscale() == "log" else y  # on a log axis small is not nothing
        parts.append(f"{name}: {_number(y[0], whole)} to {_number(y[-1], whole)}")
    return "; ".join(parts)


def _describe_points(ax, points):
    x, y = np.asarray(points.get_offsets(), dtype=float).T
    label = points.get_label()
    name = "" if label.startswith("_") else f"{label}: "
    return f"{name}{len(x)} points, x {_range(x)}, y {_range(y)}"


def _range(values):
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
    finite = values[np.isfinite(values)]
    if center is not None:
        ends = [end for end in (vmin, vmax) if end is not None]
        reach = np.abs((np.array(ends) if ends else finite) - center).max(initial=0.0) or 1.0
        return center - reach, center + reach
    if vmin is None:
        vmin = finite.min(initial=0.0)
    if vmax is None:
        vmax = finite.max(initial=vmin)
        vmax = vmax if vmax > vmin else vmin + 1.0
    return vmin, vmax


def _tick(axis, index):
    """The name of a row or column: its tick label if it has one of its own."""
    places = axis.get_ticklocs()
    names = axis.get_major_formatter().format_ticks(places)  # also those that are not shown
    named = {round(tick - 0.5, 3): name for tick, name in zip(places, names, strict=True)}
    return named.get(float(index)) or str(index)


def _is_content(ax):
    return ax.get_label() != "<colorbar>" and (ax.axison or ax.texts)


def _labels(name, names, count):
    if isinstance(names, (str, bool, int)):
        return names
    names = [str(one) for one in names]
    if len(names) != count:
        raise ValueError(f"{name} must hold {count} names, got {len(names)}: {names}")
    return names


def _figure_size(shape):
    """Inches for a heatmap of this shape, colour bar included."""
    rows, cells = (min(max(size, 4), 12) for size in shape)
    return 2.4 + 0.42 * cells, 1.4 + 0.42 * rows
