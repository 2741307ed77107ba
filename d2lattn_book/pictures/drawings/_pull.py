"""Who pulls the asking word, and where it ends: a line from each word, as wide as its share."""

import numpy as np

from d2lattn_book.pictures.arrays import Numbers, Query, Words, number, position, shares_of
from d2lattn_book.pictures.colours import ROLES
from d2lattn_book.pictures.drawings._plane import along, gathered, in_the_plane, label, prepare
from d2lattn_book.pictures.kit import Ax, Axes, Label, arrow

WIDEST = 16  # points, for a share of 1


def pull(
    words: Words,
    x: Numbers,
    weights: Numbers,
    *,
    query: Query,
    around: Numbers | None = None,
    ax: Ax = None,
    title: Label = None,
) -> Axes:
    """Draw the words of a sentence, the asking word's shares as lines, and where its blend lies.

    Words at one place share a line, as wide as their shares together.

    Args:
        words: n words of a sentence.
        x: (n, 2) their vectors, the values.
        weights: (n,) the shares of the asking word, or (n, n), of which its row is taken.
        query: who asks: a position (-1 is the last), or a word that occurs once.
        around: (m, 2) places that shall be in sight as well: one window for several sentences.

    Example:
        >>> from d2lattn_book.pictures.plots import describe
        >>> ax = pull(["bat", "swung"], [[0, 1], [4, 1]], [0.5, 0.5], query="bat")
        >>> describe(ax).split("; ")[0]
        'bat 0.50, swung 0.50, bat now'
    """
    words, x = in_the_plane(words, x)
    row = position(query, words)
    shares = shares_of(weights, row, len(words))
    ends = shares @ x
    ax = prepare(ax, np.vstack([x, ends]), title=title, around=around)
    groups = gathered(words, x)
    for place, numbers in groups:
        width = WIDEST * shares[numbers].sum()
        if row not in numbers:
            arrow(ax, place, x[row], ROLES["weight"], width=width, head="-", zorder=2)
    colors = [ROLES["query" if i == row else "key"] for i in range(len(words))]
    ax.scatter(*x.T, s=45, c=colors, label="words", zorder=4)
    arrow(ax, x[row], ends, ROLES["output"], width=2, way="arc3,rad=-0.25", zorder=5)
    ax.scatter(*ends, s=80, marker="D", color=ROLES["output"], label="blend", zorder=6)
    names = ["\n".join(f"{words[i]} {number(shares[i])}" for i in numbers) for _, numbers in groups]
    lines = [spot for place in (*x, ends) for spot in along(place, x[row])]
    label(ax, [*(place for place, _ in groups), ends], [*names, f"{words[row]} now"], avoid=lines)
    return ax
