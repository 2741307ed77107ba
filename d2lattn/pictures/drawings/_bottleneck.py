"""A translator without attention: what was read reaches what is written through one box."""

from itertools import pairwise

from matplotlib.collections import LineCollection
from matplotlib.patches import Rectangle

from d2lattn.pictures.drawings._sheet import sheet, word
from d2lattn.pictures.kit import FAINT, INK, names_of

WRITES, BOX, READS = 1.0, 0.5, 0.0  # heights of the two rows and of what lies between them
WIDE, HIGH = 0.95, 0.14  # half of the box


def bottleneck(read, written, *, ax=None, title=None):
    """Draw a recurrent translator: it reads word by word, and writes from one list of numbers.

    h_t = f(h_{t-1}, x_t) while it reads; all that is written starts from the last h (Sutskever,
    Vinyals and Le 2014, section 2). The places of the words are those of `cross_attention`.

    Args:
        read: S words of the original, in the order in which they are read.
        written: L words of the translation.
        ax (Axes): where to draw; a new figure when absent.
        title (str): a title.

    Returns:
        matplotlib Axes.

    Raises:
        ValueError: words that are no list of strings, or none.

    Example:
        >>> from d2lattn.pictures.plots import describe
        >>> print(describe(bottleneck(["der", "Hund"], ["the", "dog"])))
        one list of numbers; reads: 2 edges; writes: 2 edges
    """
    read, written = names_of("read", read), names_of("written", written)
    wide = max(len(read), len(written))
    ax = sheet(ax, (1.6 + 1.15 * wide, 2.9), title)
    middle = (wide - 1) / 2
    below = [(i + (wide - len(read)) / 2, READS) for i in range(len(read))]
    above = [(i + (wide - len(written)) / 2, WRITES) for i in range(len(written))]
    _way(ax, [*below, (middle + WIDE, BOX)], "reads")
    _way(ax, [(middle - WIDE, BOX), *above], "writes")
    for row, texts in ((below, read), (above, written)):
        for (x, y), text in zip(row, texts, strict=True):
            word(ax, x, y, text, edge=FAINT)
    pen = dict(facecolor="#eeeeee", edgecolor=INK, linewidth=2, zorder=4)
    ax.add_patch(Rectangle((middle - WIDE, BOX - HIGH), 2 * WIDE, 2 * HIGH, **pen))
    style = dict(ha="center", va="center", fontsize=10, color=INK, zorder=5)
    ax.text(middle, BOX, "one list of numbers", gid="said", **style)
    side = dict(ha="right", va="center", fontsize=10, color=INK)
    ax.text(-0.6, WRITES, "writes", **side)
    ax.text(-0.6, READS, "reads", **side)
    ax.set(xlim=(-1.9, wide - 0.4), ylim=(-0.5, 1.3))
    return ax


def _way(ax, places, name):
    """A line from place to place, with an arrowhead halfway, where no word covers it."""
    steps = list(pairwise(places))
    ax.add_collection(LineCollection(steps, colors=FAINT, linewidths=2, zorder=1, label=name))
    for (x, y), (to_x, to_y) in steps:
        head = dict(arrowstyle="-|>", color=FAINT, lw=2, shrinkA=0, shrinkB=0)
        halfway = x + 0.55 * (to_x - x), y + 0.55 * (to_y - y)
        ax.annotate("", halfway, (x, y), arrowprops=head)
