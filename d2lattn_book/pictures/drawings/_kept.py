"""What four kinds of attention cache of a token: cells to count, one for each number."""

from matplotlib.patches import Rectangle

from d2lattn.arguments import check_count
from d2lattn_book.pictures.colours import FAINT, PALE, ROLES
from d2lattn_book.pictures.kit import Ax, Axes, sheet, text

STEP = 1.7  # from one head to the next, where a cell is 1 wide
# In inches. A cell is smaller where there are many beside each other or in a column.
ACROSS, LEFT, COLUMN = 7.0, 0.75, 1.4  # the sheet, the words to its left, and each kind
LARGEST, LEAST = 0.234, 0.12  # the side of a cell
LETTERS = 12.5  # points
DEEP = 2.1  # a column of as many cells as can be that large
QUERIES, NAMES, ABOVE = 0.7, 1.16, 1.48  # heights over the first cell that is kept


def kept(
    num_heads: int,
    head_dim: int,
    *,
    num_kv_heads: int,
    latent_dim: int,
    rope_dim: int = 0,
    ax: Ax = None,
) -> Axes:
    """Draw what one layer caches of one token: multi-head, grouped, multi-query, latent.

    Each cell is a cached number: 2·Hkv·D of keys and values, or C + R of a latent; a latent is
    key and value at once, and has both colours. Above stand the query heads, each with a line to
    the keys that it reads (Ainslie et al. 2023, figure 2; DeepSeek-AI 2024, figure 3).

    Args:
        num_heads (int): H, query heads, up to 16.
        head_dim (int): D, numbers of a key and of a value, up to 16.
        num_kv_heads (int): Hkv, KV heads if grouped, a divisor of num_heads.
        latent_dim (int): C, numbers of a latent, up to 32.
        rope_dim (int): R, numbers of the RoPE key next to it, up to 16.

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
    pair = [("key",)] * head_dim + [()] + [("value",)] * head_dim  # an empty place between them
    latent = [("key", "value")] * latent_dim + [()] * (rope_dim > 0) + [("key",)] * rope_dim
    kinds: tuple[tuple[str, int, list], ...] = (
        ("multi-head", num_heads, pair),
        ("grouped", num_kv_heads, pair),
        ("multi-query", 1, pair),
        ("latent", 1, latent),
    )
    deep = max(len(pair), len(latent))
    wide = min(LARGEST, 0.88 * COLUMN / (STEP * num_heads))
    high = min(LARGEST, max(LEAST, DEEP / deep))
    ax = sheet(ax, (ACROSS, ABOVE + deep * high + 0.1))
    asking: list[float] = []
    for k, (name, heads, column) in enumerate(kinds):
        middle = (LEFT + (k + 0.5) * COLUMN) / wide
        middles = [middle + STEP * (h - (num_heads - 1) / 2) for h in range(num_heads)]
        _one_kind(ax, middles, heads, column, QUERIES / high)
        numbers = heads * sum(map(bool, column))
        text(ax, middle, NAMES / high, f"{name}\n{numbers} numbers", size=LETTERS, say=True)
        asking += middles
    size = min(70, (0.8 * 72 * STEP * wide) ** 2)  # points: heads do not touch
    look = dict(s=size, color=ROLES["query"], zorder=3, label="query heads")
    ax.scatter(asking, [QUERIES / high] * len(asking), **look)
    beside = dict(size=LETTERS, color=FAINT)
    left, right = asking[0] - 0.26 / wide, middle + 0.5 + 0.1 / wide
    text(ax, left, QUERIES / high, "query\nheads", ha="right", **beside)
    for y, words in ((-head_dim / 2, "keys"), (-1.5 * head_dim - 1, "values")):
        text(ax, left, y, words, ha="right", **beside)
    text(ax, right, -latent_dim / 2, "key and value", ha="left", **beside)
    if rope_dim:
        text(ax, right, -latent_dim - 1 - rope_dim / 2, "RoPE key", ha="left", **beside)
    ax.set(xlim=(0, ACROSS / wide), ylim=(-deep - 0.1 / high, ABOVE / high))
    return ax


def _one_kind(ax, middles, heads, column, above):
    """Lines from the queries, so far `above`, and under each group of these a column of cells."""
    group = len(middles) // heads
    for first in range(0, len(middles), group):
        middle = sum(middles[first : first + group]) / group
        for x in middles[first : first + group]:
            ax.plot((x, middle), (above, 0.15), color=PALE, zorder=1, label="_edge")
        for row, roles in enumerate(column):
            for place, role in enumerate(roles):
                corner, width = (middle - 0.5 + place / len(roles), -row - 1), 1 / len(roles)
                ax.add_patch(Rectangle(corner, width, 1, facecolor=ROLES[role], zorder=2))
        for row in range(1, len(column)):
            line = dict(color="white", lw=0.9, label="_", zorder=3)
            ax.plot((middle - 0.5, middle + 0.5), (-row, -row), **line)
