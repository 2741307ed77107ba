"""Which query heads share a KV head."""

import torch

from d2lattn.arguments import check_count
from d2lattn_book.host import on_the_host
from d2lattn_book.pictures.colours import PALE, ROLES
from d2lattn_book.pictures.kit import Ax, Axes, axes


@on_the_host
def shared_heads(num_heads: int, num_kv_heads: int, *, ax: Ax = None) -> Axes:
    """Draw query heads above, KV heads below, and which uses which.

    Query head h uses KV head h // (num_heads / num_kv_heads) (Ainslie et al. 2023, figure 2); with
    one for all it is multi-query attention (Shazeer 2019).

    Args:
        num_heads (int): query heads.
        num_kv_heads (int): KV heads, a divisor of num_heads.

    Example:
        >>> from d2lattn_book.pictures.plots import describe
        >>> print(describe(shared_heads(4, 2)))
        KV heads: 2: each is used by 2 of 4 query heads.
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
    look = dict(s=110, color=ROLES["query"], label="query heads")
    ax.scatter(above, [1] * num_heads, **look)
    look = dict(s=110, color=ROLES["key"], marker="s", label="KV heads")
    ax.scatter(below, [0] * num_kv_heads, **look)
    ax.set(title=f"KV heads: {num_kv_heads}", ylim=(-0.4, 1.4), xticks=[])
    ax.set_yticks([0, 1], ["KV heads", "query heads"])
    group = num_heads // num_kv_heads
    ax.describes_itself = f"each is used by {group} of {num_heads} query heads"
    return ax
