"""A dot product seen: how far a key reaches along the query, times the query's length."""

import numpy as np

from d2lattn_book.pictures.arrays import Numbers, Query, Words, number, position
from d2lattn_book.pictures.colours import FAINT, ROLES
from d2lattn_book.pictures.drawings._plane import along, gathered, in_the_plane, label, prepare
from d2lattn_book.pictures.kit import Ax, Axes, arrow


def shadows(words: Words, x: Numbers, *, query: Query, ax: Ax = None) -> Axes:
    """Draw each key as an arrow and drop it onto the line of the query.

    q · k = ‖q‖ · (the length of k's shadow on the line of q), negative behind the origin.

    Args:
        words: n words of a sentence.
        x: (n, 2) their vectors: keys, and for the asking word the query.
        query: who asks: a position (-1 is the last), or a word that occurs once; not at (0, 0).

    Example:
        >>> from d2lattn_book.pictures.plots import describe
        >>> ax = shadows(["bat", "swung"], [[0, 1], [3, 2]], query="bat")
        >>> [text.get_text() for text in ax.texts]
        ['bat · bat = 1.00', 'bat · swung = 2.00', 'shadow of swung', 'query']
    """
    words, x = in_the_plane(words, x)
    row = position(query, words)
    asks = x[row]
    if not asks.any():
        raise ValueError(f"query must have a length, got {words[row]!r} at (0, 0)")
    feet = np.outer(x @ asks / (asks @ asks), asks)  # (n, 2): the ends of the shadows
    ax = prepare(ax, np.vstack([x, feet, -x / 3]))  # behind the origin: room for names
    reach = np.vstack([feet, 0 * asks])
    line = reach[[(reach @ asks).argmin(), (reach @ asks).argmax()]]
    ax.plot(*line.T, color=ROLES["query"], alpha=0.35, linewidth=7, zorder=1, label="_line")
    for place, foot in zip(x, feet, strict=True):
        arrow(ax, 0 * place, place, ROLES["key"], width=2)
        ax.plot(*np.stack([place, foot]).T, "--", color=FAINT, linewidth=1, label="_drop")
    arrow(ax, 0 * asks, asks, ROLES["query"], width=4)
    ax.scatter(*x.T, s=20, color=ROLES["key"], label="keys", zorder=4)
    ax.scatter(*feet.T, s=20, color=ROLES["query"], label="ends of the shadows", zorder=4)
    groups = gathered(words, x)
    places = [place for place, _ in groups]
    names = [f"{words[row]} · {words[i[0]]} = {number(x[i[0]] @ asks)}" for _, i in groups]
    cast = [i[0] for _, i in groups if row not in i and feet[i[0]].any()]
    places += [*feet[cast], asks / 2]
    names += [*(f"shadow of {words[i]}" for i in cast), "query"]
    lines = [(0 * end, end) for end in (*x, *feet)] + [*zip(x, feet, strict=True)]
    label(ax, places, names, avoid=[spot for ends in lines for spot in along(*ends)])
    return ax
