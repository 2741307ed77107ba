"""Two sequences: the one that is being written asks, the one that has been read answers."""

from matplotlib.collections import LineCollection

from d2lattn.arguments import check_count, check_shares
from d2lattn.pictures.arrays import to_numpy
from d2lattn.pictures.colours import ROLES
from d2lattn.pictures.drawings._sheet import sheet, word
from d2lattn.pictures.kit import INK, names_of

WIDEST = 12  # points, for a share of 1
ASKS, ANSWERS = 1.0, 0.0  # heights of the two rows


def cross_attention(asking, answering, weights, *, query, ax=None, title=None):
    """Draw who asks whom between two sequences, and how much one asking word gets from each.

    output = Σ_j weights[query, j] · value_j, queries from one sequence, keys and values from the
    other (Vaswani et al. 2017, section 3.2.3).

    Args:
        asking: L words, as of a decoder; they give the queries.
        answering: S words, as of an encoder; they give keys and values.
        weights: (L, S) shares, each row with the sum 1.
        query (int): the asking word whose shares are drawn in colour.
        ax (Axes): where to draw; a new figure when absent.
        title (str): a title.

    Returns:
        matplotlib Axes.

    Raises:
        ValueError: weights that do not fit the words or are no shares; a query that is not there.

    Cost:
        O(L·S) lines.

    Example:
        >>> from d2lattn.pictures.plots import describe
        >>> ax = cross_attention(["the", "dog"], ["Hund", "der"], [[0, 1], [0.9, 0.1]], query=1)
        >>> print(describe(ax))
        shares of other words: 2 edges; shares of dog, most to Hund 0.90: 2 edges
    """
    asking, answering = names_of("asking", asking), names_of("answering", answering)
    weights = to_numpy(weights, "weights")
    if weights.dtype.kind not in "biuf":
        raise ValueError(f"weights must hold real numbers, got {weights.dtype}")
    if weights.shape != (len(asking), len(answering)):
        raise ValueError(
            f"weights must have a row for each of the {len(asking)} asking words and a column for "
            f"each of the {len(answering)} answering ones, got shape {weights.shape}"
        )
    check_shares(weights)
    check_count("query", query, 0, len(asking) - 1)
    wide = max(len(asking), len(answering))
    ax = sheet(ax, (1.6 + 1.15 * wide, 2.9), title)
    above, below = _places(len(asking), wide), _places(len(answering), wide)
    for row, x in enumerate(above):
        if row != query:
            _shares(ax, x, below, weights[row], "0.85", "shares of other words", row)
    best = weights[query].argmax()
    name = f"shares of {asking[query]}, most to {answering[best]} {weights[query, best]:.2f}"
    _shares(ax, above[query], below, weights[query], ROLES["weight"], name, query)
    for row, (x, text) in enumerate(zip(above, asking, strict=True)):
        word(ax, x, ASKS, text, edge=ROLES["query"], face=_face(row == query))
    for x, text in zip(below, answering, strict=True):
        word(ax, x, ANSWERS, text, edge=ROLES["key"])
        for role, side in (("key", -0.13), ("value", 0.13)):
            ax.text(x + side, -0.3, role[0], fontsize=9, ha="center", va="center", bbox=_tag(role))
    side = dict(ha="right", va="center", fontsize=10, color=INK)
    ax.text(-0.6, ASKS, "writes:\nasks (q)", **side)
    ax.text(-0.6, ANSWERS - 0.1, "has been read:\nanswers (k, v)", **side)
    ax.set(xlim=(-1.9, wide - 0.4), ylim=(-0.5, 1.3))
    return ax


def _places(count, wide):
    """The middle of each word, the row centred over `wide` columns."""
    return [i + (wide - count) / 2 for i in range(count)]


def _shares(ax, x, below, shares, color, name, row):
    """A line to every word, as wide as its share; one label for all lines in grey."""
    lines = [[(x, ASKS), (end, ANSWERS)] for end in below]
    grey = color.startswith("0")
    known = any(c.get_label() == name for c in ax.collections)
    drawn = LineCollection(lines, colors=color, linewidths=WIDEST * shares, zorder=1 + (not grey))
    drawn.set(label=f"_row {row}" if known else name, capstyle="round")
    ax.add_collection(drawn)


def _face(chosen):
    return ROLES["query"] if chosen else "white"


def _tag(role):
    return dict(boxstyle="square,pad=0.2", facecolor="white", edgecolor=ROLES[role], linewidth=1.5)
