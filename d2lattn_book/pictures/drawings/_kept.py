"""What four kinds of attention keep of a word: cells to count, one for each number."""

from matplotlib.patches import Rectangle

from d2lattn.arguments import check_count
from d2lattn_book.pictures.colours import FAINT, PALE, ROLES
from d2lattn_book.pictures.kit import Ax, Axes, sheet, text

STEP = 1.7  # from one head to the next, where a cell is 1 wide
ABOVE = 3.0  # the height of the queries over the first cell that is kept


def kept(
    num_heads: int,
    head_dim: int,
    *,
    num_kv_heads: int,
    latent_dim: int,
    rope_dim: int = 0,
    ax: Ax = None,
) -> Axes:
    """Draw what stays of one word in one layer: heads of its own, grouped, multi-query, latent.

    Each cell is a number of the cache, 2·Hkv·D of keys and values or C + R of a latent; a latent
    is key and value at once, and has both colours. Above stand the heads of queries, each with a
    line to what it reads (Ainslie et al. 2023, figure 2; DeepSeek-AI 2024, figure 3).

    Args:
        num_heads (int): H, heads of queries, up to 16.
        head_dim (int): D, numbers of a key and of a value, up to 16.
        num_kv_heads (int): heads of keys and values if grouped, a divisor of num_heads.
        latent_dim (int): C, numbers of a latent, up to 32.
        rope_dim (int): R, numbers of the turned key beside it, up to 16.

    Example:
        >>> from d2lattn_book.pictures.plots import describe
        >>> print(describe(kept(4, 4, num_kv_heads=2, latent_dim=6))[:55])
        multi-head, 32 numbers, grouped, 16 numbers, multi-quer
    """
    check_count("num_heads", num_heads, 1, 16)
    check_count("head_dim", head_dim, 1, 16)
    check_count("num_kv_heads", num_kv_heads)
    check_count("latent_dim", latent_dim, 1, 32)
    check_count("rope_dim", rope_dim, 0, 16)
    if num_heads % num_kv_heads:
        raise ValueError(f"num_kv_heads must divide num_heads, got {num_kv_heads} and {num_heads}")
    ax, left, wide = sheet(ax, (10, 3.6)), 0.0, max(num_heads * STEP, 5.0)
    pair = [("key",)] * head_dim + [()] + [("value",)] * head_dim  # an empty place between them
    latent = [("key", "value")] * latent_dim + [()] * (rope_dim > 0) + [("key",)] * rope_dim
    kinds = (
        ("multi-head", num_heads, pair),
        ("grouped", num_kv_heads, pair),
        ("multi-query", 1, pair),
        ("latent", 1, latent),
    )
    asking: list[float] = []
    for name, heads, column in kinds:
        middles = [left + wide / 2 + STEP * (h - (num_heads - 1) / 2) for h in range(num_heads)]
        _one_kind(ax, middles, heads, column)
        numbers = heads * sum(map(bool, column))
        text(ax, left + wide / 2, ABOVE + 1.6, f"{name}\n{numbers} numbers", size=11, say=True)
        asking, left = asking + middles, left + wide + 2.2
    look = dict(s=70, color=ROLES["query"], zorder=3, label="heads of queries")
    ax.scatter(asking, [ABOVE] * len(asking), **look)
    beside = dict(size=10.5, color=FAINT)
    for y, words in (
        (ABOVE, "heads of\nqueries"),
        (-head_dim / 2, "keys that\nare kept"),
        (-1.5 * head_dim - 1, "values that\nare kept"),
    ):
        text(ax, asking[0] - 1.1, y, words, ha="right", **beside)
    right = left - 2.2 - wide / 2 + 0.9
    text(ax, right, -latent_dim / 2, "key and\nvalue", ha="left", **beside)
    if rope_dim:
        text(ax, right, -latent_dim - 1 - rope_dim / 2, "turned\nkey", ha="left", **beside)
    deep = max(len(pair), len(latent))
    ax.set(xlim=(asking[0] - 6, left), ylim=(-deep - 0.4, ABOVE + 3), aspect="equal")
    return ax


def _one_kind(ax, middles, heads, column):
    """Lines, and under each group of queries a column of cells, each with its roles."""
    group = len(middles) // heads
    for first in range(0, len(middles), group):
        middle = sum(middles[first : first + group]) / group
        for x in middles[first : first + group]:
            ax.plot((x, middle), (ABOVE, 0.15), color=PALE, zorder=1, label="_edge")
        for row, roles in enumerate(column):
            for place, role in enumerate(roles):
                corner, width = (middle - 0.5 + place / len(roles), -row - 1), 1 / len(roles)
                ax.add_patch(Rectangle(corner, width, 1, facecolor=ROLES[role], zorder=2))
        for row in range(1, len(column)):
            ax.plot(
                (middle - 0.5, middle + 0.5),
                (-row, -row),
                color="white",
                lw=0.9,
                label="_",
                zorder=3,
            )
