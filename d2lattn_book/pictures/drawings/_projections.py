"""One vector, three matrices: the query, key and value of a token."""

from matplotlib.patches import Rectangle

from d2lattn_book.pictures.colours import PALE, ROLES
from d2lattn_book.pictures.kit import Ax, Axes, sheet, text

MEANS = dict(
    query="what am I looking for?", key="what can I be found by?", value="what do I pass on?"
)


def projections(embed_dim: int, head_dim: int, value_dim: int, *, ax: Ax = None) -> Axes:
    """Draw q = W_q x, k = W_k x and v = W_v x to scale: boxes as wide and high as their shapes.

    The matrices as nn.Linear stores them, (out, in) (Vaswani et al. 2017, section 3.2.2).

    Args:
        embed_dim, head_dim, value_dim (int): numbers in x, in q and k, in v; up to 100 each.

    Example:
        >>> from d2lattn_book.pictures.plots import describe
        >>> print(describe(projections(10, 20, 25)))
        A token of 10 numbers times W_q (20 × 10), W_k (20 × 10) and W_v (25 × 10) gives q, k and v.
    """
    ax = sheet(ax, (9.2, 3.1))
    unit, left = 1 / max(embed_dim, head_dim, value_dim), 0.0  # the highest box is 1 high
    for role, out in (("query", head_dim), ("key", head_dim), ("value", value_dim)):
        left = _one_role(ax, left, role, out, embed_dim, unit) + 0.3
    ax.set(xlim=(-0.1, left - 0.2), ylim=(-0.72, 0.66), aspect="equal")
    twice, once = f"({head_dim} × {embed_dim})", f"({value_dim} × {embed_dim})"
    matrices = f"W_q {twice}, W_k {twice} and W_v {once}"
    ax.describes_itself = f"A token of {embed_dim} numbers times {matrices} gives q, k and v"
    return ax


def _one_role(ax, left, role, out, embed_dim, unit):
    """W · x = q, the boxes centred on one line; returns where they end."""
    thin, gap, start, letter = 0.09, 0.3, left, role[0]
    colour = ROLES[role]
    boxes = (
        (embed_dim * unit, out, f"W_{letter}  {out} × {embed_dim}", colour),
        (thin, embed_dim, f"x  {embed_dim}", PALE),  # the token itself plays no role yet
        (thin, out, f"{letter}  {out}", colour),
    )
    for sign, (wide, rows, name, face) in zip(("·", "=", ""), boxes, strict=True):
        high = rows * unit
        ax.add_patch(Rectangle((left, -high / 2), wide, high, facecolor=face, edgecolor="white"))
        text(ax, left + wide / 2, high / 2 + 0.04, name, va="baseline")
        if sign:
            text(ax, left + wide + gap / 2, 0, sign, size=20)
        left += wide + gap
    text(ax, (start + left - gap) / 2, -0.66, f"{role}: {MEANS[role]}", va="baseline")
    return left - gap
