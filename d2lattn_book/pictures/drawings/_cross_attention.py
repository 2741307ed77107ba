"""Two sequences: the one that is being written asks the one that has been read."""

from matplotlib.collections import LineCollection

from d2lattn_book.pictures.arrays import Numbers, Query, Words, as_weights, names, number, position
from d2lattn_book.pictures.colours import FAINT, HAIR, ROLES
from d2lattn_book.pictures.kit import Ax, Axes, Label, sheet, text, word

WIDEST = 12  # points, for a weight of 1
ASKS, ANSWERS, UNDER = 1.0, 0.0, -0.3  # heights of the two rows, and of what stands under them


def cross_attention(
    asking: Words,
    answering: Words,
    weights: Numbers,
    *,
    query: Query,
    gloss: Words | None = None,
    ax: Ax = None,
    title: Label = None,
) -> Axes:
    """Draw who asks whom between two sequences, and how much one asking word gets from each.

    output = Σ_j weights[query, j] · value_j, queries from one sequence, keys and values from the
    other (Vaswani et al. 2017, section 3.2.3).

    Args:
        asking: L words, as of a decoder; they give the queries.
        answering: S words, as of an encoder; they give keys and values.
        weights: (L, S) attention weights, each row with the sum 1.
        query: whose weights are drawn in colour: a position among those who ask (-1 is the last),
            or a word that occurs once there.
        gloss: S words that say what the answering ones mean; they stand in the place of the letters
            q, k and v.

    Example:
        >>> from d2lattn_book.pictures.plots import describe
        >>> ax = cross_attention(["the", "dog"], ["Hund", "der"], [[0, 1], [0.9, 0.1]], query=1)
        >>> print(describe(ax))
        dog attends most to Hund, 0.90.
    """
    asking, answering = names("asking", asking), names("answering", answering)
    size = len(asking), len(answering)
    rule = f"a row for each of the {size[0]} asking words and a column for each of the {size[1]}"
    weights = as_weights(weights, size, f"{rule} answering ones")
    query = position(query, asking)
    gloss = None if gloss is None else names("gloss", gloss, len(answering))
    wide = max(len(asking), len(answering))
    ax = sheet(ax, (1.6 + 1.15 * wide, 2.9), title)
    above, below = _places(len(asking), wide), _places(len(answering), wide)
    for row, x in enumerate(above):
        if row != query:
            _weights(ax, x, below, weights[row], HAIR)
    best = weights[query].argmax()
    most = f"{answering[best]}, {number(weights[query, best])}"
    ax.describes_itself = f"{asking[query]} attends most to {most}"
    _weights(ax, above[query], below, weights[query], ROLES["weight"])
    for row, (x, asks) in enumerate(zip(above, asking, strict=True)):
        face = ROLES["query"] if row == query else "white"
        word(ax, x, ASKS, asks, edge=ROLES["query"], face=face)
    for x, answers in zip(below, answering, strict=True):
        word(ax, x, ANSWERS, answers, edge=ROLES["key"])
    _letters(ax, below) if gloss is None else _gloss(ax, below, gloss)
    ax.set(xlim=(-1.9, wide - 0.4), ylim=(-0.5, 1.3))
    return ax


def _letters(ax, below):
    """Who gives queries, and who keys and values."""
    text(ax, -0.6, ASKS, "decoder:\nquery (q)", ha="right")
    text(ax, -0.6, ANSWERS - 0.1, "encoder:\nkey, value (k, v)", ha="right")
    for x in below:
        for role, side in (("key", -0.13), ("value", 0.13)):
            tag = dict(edge=ROLES[role], shape="square,pad=0.2", size=9)
            word(ax, x + side, UNDER, role[0], **tag)


def _gloss(ax, below, words):
    """What each word that has been read means."""
    text(ax, -0.6, ASKS, "decoder:\nquery", ha="right")
    text(ax, -0.6, ANSWERS, "encoder:\nkey", ha="right")
    text(ax, -0.6, UNDER, "means", ha="right", color=FAINT)
    for x, meaning in zip(below, words, strict=True):
        text(ax, x, UNDER, meaning, color=FAINT)


def _places(count, wide):
    """The middle of each word, the row centred over `wide` columns."""
    return [i + (wide - count) / 2 for i in range(count)]


def _weights(ax, x, below, weights, color):
    """A line to every word, as wide as its weight."""
    lines = [[(x, ASKS), (end, ANSWERS)] for end in below]
    drawn = LineCollection(
        lines, colors=color, linewidths=WIDEST * weights, zorder=1 + (color != HAIR)
    )
    drawn.set(capstyle="round")
    ax.add_collection(drawn)
