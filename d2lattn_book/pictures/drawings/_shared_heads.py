"""Which heads of queries share a head of keys and values."""

import torch

from d2lattn.arguments import check_count
from d2lattn_book.host import on_the_host
from d2lattn_book.pictures.colours import PALE, ROLES
from d2lattn_book.pictures.kit import Ax, Axes, axes


@on_the_host
def shared_heads(num_heads: int, num_kv_heads: int, *, ax: Ax = None) -> Axes:
    """Draw heads of queries above, heads of keys and values below, and who reads which.

    Query head h reads head h // (num_heads / num_kv_heads) of the keys and values (Ainslie et al.
    2023, figure 2); with one for all it is multi-query attention (Shazeer 2019).

    Args:
        num_heads (int): heads of queries.
        num_kv_heads (int): heads of keys and values, a divisor of num_heads.

    Example:
        >>> from d2lattn_book.pictures.plots import describe
        >>> print(describe(shared_heads(4, 2)))
        heads of keys and values: 2: 2 of 4 query heads read each of them.
    """
    check_count("num_heads", num_heads)
    check_count("num_kv_heads", num_kv_heads)
    if num_heads % num_kv_heads:
        raise ValueError(f"num_kv_heads must divide num_heads, got {num_kv_heads} and {num_heads}")
    ax = axes(ax, (3.8, 2.4))
    above = torch.arange(float(num_heads))
    below = above.view(num_kv_heads, -1).mean(1)  # each in the middle of its group
    for start, end in zip(above, below.repeat_interleave(num_heads // num_kv_heads), strict=True):
        ax.plot((start, end), (1, 0), color=PALE, zorder=1, label="_edge")
    look = dict(s=110, color=ROLES["query"], label="heads of queries")
    ax.scatter(above, [1] * num_heads, **look)
    look = dict(s=110, color=ROLES["key"], marker="s", label="of keys, values")
    ax.scatter(below, [0] * num_kv_heads, **look)
    ax.set(title=f"heads of keys and values: {num_kv_heads}", ylim=(-0.4, 1.4), xticks=[])
    ax.set_yticks([0, 1], ["keys,\nvalues", "queries"])
    group = num_heads // num_kv_heads
    ax.describes_itself = f"{group} of {num_heads} query heads read each of them"
    return ax
