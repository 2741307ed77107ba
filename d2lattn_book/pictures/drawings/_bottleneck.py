"""A translator without attention: what was read reaches what is written through one box."""

from itertools import pairwise

from matplotlib.collections import LineCollection
from matplotlib.patches import Rectangle

from d2lattn_book.pictures.arrays import Words, names
from d2lattn_book.pictures.colours import FAINT, GROUND, INK
from d2lattn_book.pictures.kit import Ax, Axes, Label, arrow, sheet, text, word

WRITES, BOX, READS = 1.0, 0.5, 0.0  # heights of the two rows and of what lies between them
WIDE, HIGH = 0.95, 0.14  # half of the box


def bottleneck(read: Words, written: Words, *, ax: Ax = None, title: Label = None) -> Axes:
    """Draw a recurrent translator: it reads word by word, and writes from one vector.

    h_t = f(h_{t-1}, x_t) while it reads; all that is written starts from the last h (Sutskever,
    Vinyals and Le 2014, section 2). The places of the words are those of `cross_attention`.

    Args:
        read: S words of the original, in the order in which they are read.
        written: L words of the translation.

    Example:
        >>> from d2lattn_book.pictures.plots import describe
        >>> print(describe(bottleneck(["der", "Hund"], ["the", "dog"])))
        one vector; reads: 2 edges; generates: 2 edges.
    """
    read, written = names("read", read), names("written", written)
    wide = max(len(read), len(written))
    ax = sheet(ax, (1.6 + 1.15 * wide, 2.9), title)
    middle = (wide - 1) / 2
    below = [(i + (wide - len(read)) / 2, READS) for i in range(len(read))]
    above = [(i + (wide - len(written)) / 2, WRITES) for i in range(len(written))]
    _way(ax, [*below, (middle + WIDE, BOX)], "reads")
    _way(ax, [(middle - WIDE, BOX), *above], "generates")
    for (x, y), written_there in zip([*below, *above], [*read, *written], strict=True):
        word(ax, x, y, written_there, edge=FAINT)
    corner = middle - WIDE, BOX - HIGH
    ax.add_patch(Rectangle(corner, 2 * WIDE, 2 * HIGH, fc=GROUND, ec=INK, lw=2, zorder=4))
    text(ax, middle, BOX, "one vector", say=True)
    text(ax, -0.6, WRITES, "generates", ha="right")
    text(ax, -0.6, READS, "reads", ha="right")
    ax.set(xlim=(-1.9, wide - 0.4), ylim=(-0.5, 1.3))
    return ax


def _way(ax, places, name):
    """A line from place to place, with an arrowhead halfway, where no word covers it."""
    steps = list(pairwise(places))
    ax.add_collection(LineCollection(steps, colors=FAINT, linewidths=2, zorder=1, label=name))
    for (x, y), (to_x, to_y) in steps:
        halfway = x + 0.55 * (to_x - x), y + 0.55 * (to_y - y)
        arrow(ax, (x, y), halfway, FAINT, width=2)
