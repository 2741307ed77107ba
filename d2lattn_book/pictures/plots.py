"""Figures of the book: each function draws on one Axes, `ax` or a new one, and returns it.

Nothing here touches global style or the current figure. `describe` reads a drawn Axes back and
puts its numbers in a line of text, which a notebook shows with the figure that a cell ends in.
"""

from collections.abc import Mapping
from itertools import cycle
from typing import Any

import numpy as np
import seaborn as sns
from matplotlib.colors import Colormap
from matplotlib.figure import Figure

from d2lattn.arguments import check_count
from d2lattn_book.pictures.arrays import Numbers, Words, names, numbers, to_numpy
from d2lattn_book.pictures.colours import INK, LINE_STYLES, SHADES
from d2lattn_book.pictures.describe import describe
from d2lattn_book.pictures.drawings._flow import flow
from d2lattn_book.pictures.figure import pause, subplots
from d2lattn_book.pictures.kit import Ax, Axes, Label, axes, curves

# Shares are lavender (colours.py) in a map too: the map leads through that colour, from nearly
# white and in even steps of lightness (Green 2011, "A colour scheme for the display of
# intensities"). It stands here, since seaborn makes it and live figures do without seaborn.
SEQUENTIAL: Colormap = sns.cubehelix_palette(start=0.2, rot=-0.1, hue=0.8, light=0.97, as_cmap=True)
DIVERGING = "vlag"  # white at the centre

__all__ = ["columns", "describe", "flow", "heatmap", "heatmaps", "lines", "pause", "subplots"]


def heatmap(
    matrix: Numbers,
    *,
    ax: Ax = None,
    tokens: Words | None = None,
    xticklabels: Words | int | str = "auto",
    yticklabels: Words | int | str = "auto",
    xlabel: str = "key (column)",
    ylabel: str = "query (row)",
    title: Label = None,
    vmin: float | None = None,
    vmax: float | None = None,
    center: float | None = None,
    cmap: str | Colormap | None = None,
    annot: bool = False,
    fmt: str = ".2f",
    cbar: bool = True,
    square: bool = True,
) -> Axes:
    """Draw a matrix as coloured cells, row 0 at the top.

    Args:
        matrix: (rows, columns), a tensor or anything numpy takes; a boolean mask draws True dark.
        tokens: names for rows and columns at once; x- and yticklabels name them apart. "auto", an
            int k (every k-th number), True or False, as seaborn has it, number them.
        vmin, vmax (float): ends of the colour scale. It starts at 0 unless values are negative.
            Values that are not finite (-inf in hidden scores) have no part in it and stay white.
        center (float): a value to put at white; gives a diverging map with symmetric ends.
        cmap (str): another colour map by its name.
        annot (bool): print the value in each cell with the format `fmt`.
        cbar (bool): draw a colour bar; a mask has none.  square (bool): square cells.

    Raises:
        ValueError: a matrix that is not of real numbers, has not exactly two axes, or no cell;
            another number of names; a colour scale that runs backwards.

    Example:
        >>> print(describe(heatmap([[1.0, 0.0], [0.25, 0.75]])))
        A map of 2 × 2, query (row) by key (column): values from 0 to 1, the largest 1 at (0, 0).
    """
    values = numbers("matrix", matrix, (None, None), "two axes and a cell")
    tokens = None if tokens is None else names("tokens", tokens)
    named = dict(xticklabels=xticklabels, yticklabels=yticklabels)
    named = {
        side: _labels(side, labels, n) if tokens is None else names("tokens", tokens, n)
        for (side, labels), n in zip(named.items(), values.shape[::-1], strict=True)
    }
    vmin, vmax = _colour_scale(values.astype(float), vmin, vmax, center)
    if values.dtype == bool:
        cmap, cbar = cmap or "Greys", False
        vmin, vmax = 0, 1.6  # grey, so that annotations stay readable
    ax = axes(ax, _figure_size(values.shape))
    look = dict(annot=annot, fmt=fmt, annot_kws={"size": 9}, cbar=cbar, square=square, **named)
    look |= dict(vmin=vmin, vmax=vmax, linewidths=0.5 if max(values.shape) <= 20 else 0)
    cmap = cmap or (SEQUENTIAL if center is None else DIVERGING)
    sns.heatmap(values.astype(float), ax=ax, cmap=cmap, **look)
    ax.set(xlabel=xlabel, ylabel=ylabel)
    if title is not None:
        ax.set_title(title)
    _turn_names(ax)
    return ax


def heatmaps(
    stack: Numbers,
    *,
    titles: Words | None = None,
    tokens: Words | None = None,
    cell_size: float = 2.4,
    cbar: bool = True,
    **options: Any,
) -> Figure:
    """Draw a stack of matrices (heads, steps, …) with one shared scale and one colour bar.

    Args:
        stack: (count, rows, columns); boolean masks draw True dark.
        titles: one title for each matrix; "head 0", "head 1", … when absent.
        tokens: names for rows and columns.
        cell_size (float): inches for each matrix.
        cbar (bool): draw a colour bar beside the grid; masks have none.
        options: passed to `heatmap`.

    Raises:
        ValueError: a stack that is not of real numbers, has not exactly three axes, or no cell;
            another number of titles; and as `heatmap`.

    Example:
        >>> figure = heatmaps(np.eye(3)[None].repeat(2, axis=0))
        >>> len(figure.axes)  # two heads and one colour bar
        3
    """
    values = numbers("stack", stack, (None, None, None), "three axes and a cell")
    titles = [f"head {i}" for i in range(len(values))] if titles is None else titles
    titles = names("titles", titles, len(values))
    tokens = None if tokens is None else names("tokens", tokens)
    ends = options.pop("vmin", None), options.pop("vmax", None), options.get("center")
    vmin, vmax = _colour_scale(values.astype(float), *ends)
    columns = min(4, len(values))
    rows = -(-len(values) // columns)
    size = cell_size * columns + 1.2, cell_size * rows + 0.5
    figure, grid = subplots(rows, columns, squeeze=False, figsize=size)
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
    x: Numbers,
    series: Mapping[str, Numbers],
    *,
    ax: Ax = None,
    xlabel: Label = None,
    ylabel: Label = None,
    title: Label = None,
    markers: bool = False,
    xscale: str | None = None,
    yscale: str | None = None,
) -> Axes:
    """Draw named curves that differ by style as well as by colour.

    Args:
        x: (n,) positions shared by the curves.
        series (dict): name -> (n,) values; NaN leaves a gap.
        markers (bool): mark the points.
        xscale, yscale (str): as matplotlib names them ("log"); absent: as the Axes has them.

    Raises:
        ValueError: no curve, one of another length than x, values that are not real numbers, or a
            scale that is none.

    Example:
        >>> print(describe(lines([1, 2], {"square": [1, 4]}, xlabel="n")))
        1 line over n from 1 to 2: square from 1 to 4.
    """
    looks = zip(cycle(SHADES), cycle(LINE_STYLES), strict=True)
    labels = dict(xlabel=xlabel, ylabel=ylabel, title=title, xscale=xscale, yscale=yscale)
    ax = curves(x, series, looks, ax=ax, size=(6, 3.6), markers=markers, **labels)
    if len(series) > 1:
        ax.legend(frameon=False, labelcolor=INK)
    return ax


def columns(P: Numbers, which: Numbers, *, ax: Ax = None) -> Axes:
    """Draw some columns of an encoding (length, dim) against the position.

    Args:
        P: (length, dim).
        which: column numbers.

    Raises:
        ValueError: P that is not of real numbers or has not exactly two axes.

    Example:
        >>> print(describe(columns(np.eye(3), [1])))
        1 line over position (row) from 0 to 2: column 1 from 0 to 0.
    """
    values = numbers("P", P, (None, None), "two axes (length, dim) and a cell")
    series = {f"column {column}": values[:, column] for column in to_numpy(which, "which")}
    return lines(np.arange(len(values)), series, ax=ax, xlabel="position (row)", ylabel="value")


def _turn_names(ax):
    """Names of rows lie; those of columns lean where one of them is long."""
    ax.tick_params(axis="y", rotation=0)
    if any(len(label.get_text()) > 6 for label in ax.get_xticklabels()):
        ax.tick_params(axis="x", rotation=45)
        for label in ax.get_xticklabels():
            label.set(ha="right", rotation_mode="anchor")


def _colour_scale(values, vmin, vmax, center):
    """The ends of the scale: from 0, or symmetric about `center`; never both the same."""
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


def _labels(name, labels, count):
    """What seaborn is told: names, or how to number."""
    if isinstance(labels, bool) or (isinstance(labels, str) and labels == "auto"):
        return labels
    if isinstance(labels, int):
        check_count(name, labels)
        return labels
    return names(name, labels, count)


def _figure_size(shape):
    """Inches for a heatmap of this shape, colour bar included."""
    rows, cells = (min(max(size, 4), 12) for size in shape)
    return 2.4 + 0.42 * cells, 1.4 + 0.42 * rows
