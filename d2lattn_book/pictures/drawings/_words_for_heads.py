"""An all-to-all: all heads of some words for some heads of all words."""

from matplotlib.patches import Rectangle

from d2lattn_book.pictures.colours import DARK, FAINT, GROUND, PALE
from d2lattn_book.pictures.kit import Ax, Axes, arrow, sheet, text

MINE = 1  # the rank whose part is followed


def words_for_heads(count: int, *, ax: Ax = None) -> Axes:
    """Draw who holds which heads of which words, before an all-to-all and after it.

    Rows are the ranks' shards of the text, columns their heads; a cell has the number of the rank
    that holds it. The cells of rank 1 are darker: a row before, a column after. It keeps one of
    them and sends the others, one to each rank (Jacobs et al. 2023, figure 2).

    Args:
        count (int): R, ranks, 2 to 6.

    Example:
        >>> from d2lattn_book.pictures.plots import describe
        >>> print(describe(words_for_heads(4)))
        before: all heads of some tokens, after: some heads of all tokens.
    """
    ax = sheet(ax, (9, 3.6))
    right = count + 3.2
    for left, said, owner in (
        (0, "before: all heads of some tokens", lambda i, j: i),
        (right, "after: some heads of all tokens", lambda i, j: j),
    ):
        for i in range(count):
            for j in range(count):
                rank = owner(i, j)
                face = PALE if rank == MINE else GROUND
                place = (left + j, count - 1 - i)
                ax.add_patch(Rectangle(place, 1, 1, facecolor=face, edgecolor="white", lw=2))
                text(ax, place[0] + 0.5, place[1] + 0.5, str(rank), size=11)
        text(ax, left + count / 2, count + 0.75, said, size=11, say=True)
        text(ax, left + count / 2, count + 0.25, "heads", size=9, color=FAINT)
        text(ax, left - 0.15, count / 2, "tokens", size=9, color=FAINT, ha="right")
    arrow(ax, (count + 0.4, count / 2), (right - 1.2, count / 2), DARK, width=2.5)
    ax.set(xlim=(-1.2, right + count + 0.2), ylim=(-0.15, count + 1.1), aspect="equal")
    return ax
