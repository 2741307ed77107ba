"""A weighted average: every value shrinks by its weight, and the pieces are laid end to end."""

import numpy as np

from d2lattn_book.pictures.arrays import Numbers, Query, Words, number, position, weights_of
from d2lattn_book.pictures.colours import ROLES
from d2lattn_book.pictures.drawings._plane import along, in_the_plane, label, prepare
from d2lattn_book.pictures.kit import Ax, Axes, arrow


def weighted_average(
    words: Words, x: Numbers, weights: Numbers, *, query: Query, ax: Ax = None
) -> Axes:
    """Draw y = Σ_j w_j x_j for one query: values pale, weighted values in full colour.

    A piece that is too short to be seen has no name.

    Args:
        words: n words of a sentence.
        x: (n, 2) their vectors, the values.
        weights: (n,) the weights of the query, or (n, n), of which its row is taken.
        query: a position (-1 is the last), or a word that occurs once.

    Example:
        >>> from d2lattn_book.pictures.plots import describe
        >>> ax = weighted_average(["bat", "swung"], [[0, 1], [4, 1]], [0.5, 0.5], query="bat")
        >>> describe(ax).split("; ")[0]
        'bat, swung, 0.50 × bat, 0.50 × swung, output of bat'
    """
    words, x = in_the_plane(words, x)
    row = position(query, words)
    weights = weights_of(weights, row, len(words))
    joints = np.vstack([0 * x[:1], np.cumsum(weights[:, None] * x, axis=0)])  # (n + 1, 2)
    ax = prepare(ax, np.vstack([x, joints]))
    for place in x:
        arrow(ax, 0 * place, place, ROLES["value"], width=1.5, alpha=0.3)
    lengths = np.hypot(*np.diff(joints, axis=0).T) / np.ptp(ax.get_xlim())
    for start, end, length in zip(joints, joints[1:], lengths, strict=False):
        head = "-|>" if length > 0.05 else "-"  # below this a head is longer than its arrow
        arrow(ax, start, end, ROLES["value"], width=4, head=head, zorder=4)
    moving, seen = np.flatnonzero(lengths > 1e-9), np.flatnonzero(lengths > 0.01)
    ax.scatter(*x[moving].T, s=12, color=ROLES["value"], alpha=0.5, label="values")
    ax.scatter(*joints[-1:].T, s=90, marker="D", color=ROLES["output"], label="output", zorder=5)
    lines = [spot for ends in (*x, joints[-1]) for spot in along(0 * ends, ends)]
    lines += [spot for i in moving for spot in along(joints[i], joints[i + 1])]
    places = [*x[moving], *((joints[i] + joints[i + 1]) / 2 for i in seen), joints[-1]]
    names = [words[i] for i in moving]
    names += [f"{number(weights[i])} × {words[i]}" for i in seen]
    label(ax, places, [*names, f"output of {words[row]}"], avoid=lines)
    return ax
