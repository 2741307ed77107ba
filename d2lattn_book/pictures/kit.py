"""What every drawing is made of: Axes, text, words in boxes, parts, frames, arrows, curves.

Text is INK or FAINT; marks have the colours of `colours`. `describe` repeats what is written with
`say=True`.
"""

from typing import TypeAlias

import numpy as np
import seaborn as sns
from matplotlib.axes import Axes as Axes  # drawings take it from here
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from d2lattn.arguments import show
from d2lattn_book.pictures import arrays
from d2lattn_book.pictures.colours import DARK, GROUND, INK, MARKERS
from d2lattn_book.pictures.describe import DESCRIBED
from d2lattn_book.pictures.figure import subplots

Ax: TypeAlias = Axes | None  # where to draw; a new figure when absent
Label: TypeAlias = str | None  # a title, or the name of an axis


def axes(ax, size):
    """The Axes given, or those of a new white figure of this size in inches; its text is INK."""
    if ax is None:
        ax = subplots(figsize=size)[1]
    if not isinstance(ax, Axes):
        raise ValueError(f"ax must be a matplotlib Axes or None, got {show(ax)}")
    for words in (ax.title, ax.xaxis.label, ax.yaxis.label):
        words.set_color(INK)
    ax.tick_params(which="both", labelcolor=INK)
    return ax


def sheet(ax, size, title=None):
    """Axes without frame and ticks, on which a drawing places its boxes and lines."""
    ax = axes(ax, size)
    ax.set_axis_off()
    if title is not None:
        ax.set_title(title, fontsize=11)
    return ax


def laid_out(ax):
    """The same Axes in their final place: a layout engine knows it only when it has run."""
    engine = ax.figure.get_layout_engine()
    if engine is not None:
        engine.execute(ax.figure.figure)  # the figure, if that is a part of one
    return ax


def text(ax, x, y, words, *, say=False, shift=None, size=10, ha="center", va="center", **style):
    """Words as they are (a dollar is a dollar), `shift` points from the place if that is given."""
    style = dict(color=INK, zorder=5, gid=DESCRIBED if say else None) | style
    style.update(fontsize=size, ha=ha, va=va, parse_math=False)
    if shift is None:
        return ax.text(x, y, words, **style)
    return ax.annotate(words, (x, y), shift, textcoords="offset points", **style)


def word(ax, x, y, words, *, edge, face="white", width=1.5, shape="round,pad=0.25", **style):
    """Text in a box that is as large as its words."""
    box = dict(boxstyle=shape, facecolor=face, edgecolor=edge, linewidth=width)
    return text(ax, x, y, words, bbox=box, **style)


def box(ax, x, y, width, words, *, height=0.56, face=GROUND, edge=DARK, line=1.0, **style):
    """A part of a model, a box of this size with its middle at (x, y), and what it is called."""
    corner = x - width / 2, y - height / 2
    frame(ax, corner, width, height, face=face, edge=edge, linewidth=line, zorder=2)
    return text(ax, x, y, words, **style)


def frame(ax, corner, width, height, *, face=None, edge=INK, **style):
    """A frame with round corners, seen through unless it has a face."""
    style.update(boxstyle="round,pad=0.03", edgecolor=edge, facecolor=face, fill=face is not None)
    return ax.add_patch(FancyBboxPatch(corner, width, height, **style))


def arrow(ax, start, end, color=DARK, *, width=1.3, head="-|>", way="arc3", gap=0, **style):
    """An arrow, its head as large as suits the width; none where both places are the same.

    `way` is a connection style of matplotlib's, and `gap` points are left out at either end.
    """
    if np.abs(np.subtract(end, start)).max() < 1e-9:
        return
    style = dict(color=color, alpha=1.0) | style
    style.update(arrowstyle=head, connectionstyle=way, linewidth=width)
    style.update(mutation_scale=8 + 3 * width, shrinkA=gap, shrinkB=gap)
    ax.add_artist(FancyArrowPatch(start, end, **style))  # which leaves the limits as they are


def tint(colour, strength=0.25):
    """A colour of the table, seen through: for the face of a box."""
    return f"{colour}{round(255 * strength):02x}"


def curves(x, series, looks, *, ax, size, markers=False, xscale=None, yscale=None, **labels):
    """Named curves over a faint grid, each with its (colour, line style)."""
    x, series = arrays.curves(x, series)
    scales = {name: s for name, s in dict(xscale=xscale, yscale=yscale).items() if s is not None}
    ax = axes(ax, size)
    drawn = zip(series.items(), looks, strict=False)  # `looks` may go on for ever
    for i, ((name, y), (colour, style)) in enumerate(drawn):
        marker = MARKERS[i % len(MARKERS)] if markers else None
        (line,) = ax.plot(x, y, style, color=colour, marker=marker, markersize=4, label=name)
        there = np.pad(np.isfinite(y), 1)
        alone = np.flatnonzero(there[1:-1] & ~there[:-2] & ~there[2:])  # no line leads to these
        if len(alone) and not markers:
            line.set(marker=MARKERS[i % len(MARKERS)], markevery=alone.tolist())
    ax.set(**labels, **scales)
    ax.grid(alpha=0.3)
    sns.despine(ax=ax)
    return ax
