"""What one query attends to, and where its output lies: lines as wide as the weights."""

import numpy as np

from d2lattn_book.pictures.arrays import Numbers, Query, Words, number, position, weights_of
from d2lattn_book.pictures.colours import ROLES
from d2lattn_book.pictures.drawings._plane import along, gathered, in_the_plane, label, prepare
from d2lattn_book.pictures.kit import Ax, Axes, Label, arrow

WIDEST = 16  # points, for a weight of 1


def weight_lines(
    words: Words,
    x: Numbers,
    weights: Numbers,
    *,
    query: Query,
    around: Numbers | None = None,
    ax: Ax = None,
    title: Label = None,
) -> Axes:
    """Draw the words of a sentence, a query's attention weights as lines, and its output.

    Words at one place have one line, as wide as their weights together.

    Args:
        words: n words of a sentence.
        x: (n, 2) their vectors, the values.
        weights: (n,) the weights of the query, or (n, n), of which its row is taken.
        query: a position (-1 is the last), or a word that occurs once.
        around: (m, 2) places that shall be in sight as well: one window for several sentences.

    Example:
        >>> from d2lattn_book.pictures.plots import describe
        >>> ax = weight_lines(["bat", "swung"], [[0, 1], [4, 1]], [0.5, 0.5], query="bat")
        >>> describe(ax).split("; ")[0]
        'bat 0.50, swung 0.50, output of bat'
    """
    words, x = in_the_plane(words, x)
    row = position(query, words)
    weights = weights_of(weights, row, len(words))
    ends = weights @ x
    ax = prepare(ax, np.vstack([x, ends]), title=title, around=around)
    groups = gathered(words, x)
    for place, numbers in groups:
        width = WIDEST * weights[numbers].sum()
        if row not in numbers:
            arrow(ax, place, x[row], ROLES["weight"], width=width, head="-", zorder=2)
    colors = [ROLES["query" if i == row else "key"] for i in range(len(words))]
    ax.scatter(*x.T, s=45, c=colors, label="words", zorder=4)
    arrow(ax, x[row], ends, ROLES["output"], width=2, way="arc3,rad=-0.25", zorder=5)
    ax.scatter(*ends, s=80, marker="D", color=ROLES["output"], label="output", zorder=6)
    names = ["\n".join(f"{words[i]} {number(weights[i])}" for i in at) for _, at in groups]
    lines = [spot for place in (*x, ends) for spot in along(place, x[row])]
    names += [f"output of {words[row]}"]
    label(ax, [*(place for place, _ in groups), ends], names, avoid=lines)
    return ax
