"""Ranks, each with a shard of the tokens: what stays with them, and what travels."""

from matplotlib.patches import Rectangle

from d2lattn.arguments import check_choice, check_count
from d2lattn_book.pictures.colours import GROUND, HAIR, INK, ROLES
from d2lattn_book.pictures.kit import Ax, Axes, arrow, box, frame, sheet, text, tint

TRAVELS = ("keys and values", "query")
STEP, LETTERS = 2.2, 12.5  # from one rank to the next; points


def ranks(count: int, *, travels: str = "keys and values", ax: Ax = None) -> Axes:
    """Draw how the ranks of chapter 11 come to an output, each with a shard of the tokens.

    When a text is read, queries stay, and blocks of keys and values go round a ring (Liu et al.
    2023, figure 2). In decoding all ranks have the new query, and send outputs and log-sum-exps.

    Args:
        count (int): R, ranks, 2 to 6.
        travels (str): "keys and values" or "query".

    Example:
        >>> from d2lattn_book.pictures.plots import describe
        >>> print(describe(ranks(4)))
        queries stay, keys and values are passed on, 3 times.
    """
    check_count("count", count, 2, 6)
    check_choice("travels", travels, TRAVELS)
    ax = sheet(ax, (1.5 * count + 0.6, 3.7))
    middles = [STEP * r for r in range(count)]
    query = "queries" if travels == TRAVELS[0] else "new query"
    look = dict(face=tint(ROLES["query"], 0.45), edge=ROLES["query"], size=LETTERS)
    for r, x in enumerate(middles):
        frame(ax, (x - 0.95, -0.5), 1.9, 1.75, face=GROUND, edge=HAIR)
        text(ax, x, 1.48, f"rank {r}", size=LETTERS)
        box(ax, x, 0.85, 1.5, query, **look)
        _block(ax, x, 0.05)
    if travels == TRAVELS[0]:
        _ring(ax, middles)
    else:
        _one_query(ax, middles)
    bottom = -3.0 if travels == TRAVELS[1] else -1.85
    ax.set(xlim=(-1.3, middles[-1] + 1.3), ylim=(bottom, 1.8))
    return ax


def _block(ax, x, y):
    """Keys and values of a shard, half in the colour of either."""
    for role, left in (("key", x - 0.8), ("value", x)):
        ax.add_patch(Rectangle((left, y - 0.3), 0.8, 0.6, facecolor=tint(ROLES[role], 0.45)))
    text(ax, x, y, "keys, values", size=LETTERS)


def _ring(ax, middles):
    """The blocks go to the next rank, and once round."""
    for x in middles[1:]:
        arrow(ax, (x - STEP + 0.83, 0.05), (x - 0.83, 0.05), ROLES["key"], width=2)
    first, last = middles[0], middles[-1]
    ax.plot([last, last, first], [-0.28, -1.0, -1.0], color=ROLES["key"], lw=2, label="_")
    arrow(ax, (first, -1.0), (first, -0.26), ROLES["key"], width=2)
    said = f"queries stay\nkeys and values are passed on, {len(middles) - 1} times"
    text(ax, (first + last) / 2, -1.45, said, size=LETTERS, say=True)


def _one_query(ax, middles):
    """What the ranks find goes to all, and each merges it."""
    for x in middles:
        for other in middles:
            arrow(ax, (x, -0.52), (x + (other - x) * 0.97, -1.5), ROLES["output"])
        look = dict(face=tint(ROLES["output"], 0.3), edge=ROLES["output"], color=INK, size=LETTERS)
        box(ax, x, -1.8, 1.5, "merge", **look)
    said = f"every rank has the query\nand merges {len(middles)} outputs by their log-sum-exps"
    text(ax, (middles[0] + middles[-1]) / 2, -2.6, said, size=LETTERS, say=True)
