"""The map of the words: where each one stands, with words that share a place named together."""

import textwrap
from collections.abc import Collection

import numpy as np
from matplotlib.patches import Polygon

from d2lattn_book.pictures.arrays import Numbers, Query, Words, position
from d2lattn_book.pictures.colours import FAINT, ROLES
from d2lattn_book.pictures.drawings._plane import along, gathered, in_the_plane, label, prepare
from d2lattn_book.pictures.kit import Ax, Axes


def word_map(
    words: Words,
    x: Numbers,
    *,
    query: Query | None = None,
    output: Collection[Query] = (),
    outline: Collection[Query] = (),
    ax: Ax = None,
) -> Axes:
    """Draw words as points, the query and the output in their colours.

    Args:
        words: n words.
        x: (n, 2) their places.
        query, output: the query and the outputs, each a position or a word that occurs once.
        outline: those to join by a dashed line, in this order and back to the first.

    Example:
        >>> from d2lattn_book.pictures.plots import describe
        >>> print(describe(word_map(["cat", "dog", "bat"], [[1, 2], [1, 2], [3, 0]], query="bat")))
        words cat, dog: 2 points, x 1, y 2; query bat: 1 point at (3, 0).
    """
    words, x = in_the_plane(words, x)
    asks = [] if query is None else [position(query, words, "query")]
    new = [position(one, words, "output") for one in output]
    edge = x[[position(one, words, "outline") for one in outline]]
    ax = prepare(ax, np.vstack([x, 0 * x[:1]]))
    if len(edge):
        ax.add_patch(Polygon(edge, fill=False, edgecolor=FAINT, linestyle="--"))
    rest = [i for i in range(len(words)) if i not in {*asks, *new}]
    for name, chosen, color, marker in (
        ("words", rest, FAINT, "o"),
        ("query", asks, ROLES["query"], "o"),
        ("output", new, ROLES["output"], "D"),
    ):
        if chosen:
            look = dict(color=color, marker=marker, s=45, label=name, zorder=4)
            ax.scatter(*x[chosen].T, gid=", ".join(words[i] for i in chosen), **look)
    groups = sorted(gathered(words, x))  # from left to right: a name finds room on its left
    names = [_lines([words[i] for i in numbers]) for _, numbers in groups]
    sides = zip(edge, np.roll(edge, -1, axis=0), strict=True)
    avoid = [spot for start, end in sides for spot in along(start, end)]
    label(ax, [place for place, _ in groups], names, avoid=avoid, say=False)
    return ax


def _lines(names):
    """The names in lines of at most 13 letters, none of them broken: narrow labels fit better."""
    whole = ", ".join(name.replace(" ", "\N{NO-BREAK SPACE}") for name in names)
    return textwrap.fill(whole, 13, break_long_words=False, break_on_hyphens=False)
