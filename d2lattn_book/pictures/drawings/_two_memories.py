"""What travels between the large memory and the fast one: whole tables, or one tile at a time."""

from itertools import product

from matplotlib.patches import Rectangle

from d2lattn_book.pictures.colours import DARK, FAINT, GROUND, HAIR, ROLES
from d2lattn_book.pictures.kit import Ax, Axes, arrow, box, frame, sheet, text, tint

LARGE, FAST, FUSED = 0.0, 3.7, -7.1  # heights of the two memories, and of the fused kernel, below
SIZE = 12.5  # of letters, in points
TABLE, THIN = 1.35, 0.3  # widths of an n×n table and of an n×d one
LOW, HIGH = LARGE + 0.7 + TABLE, FAST + 0.05  # heights between which things travel
TILES, AT = 6, (2, 2)  # blocks along either side of the table; the one at work: queries, keys
KERNELS = {"scale q, multiply": (1.7, 2.7), "softmax": (4.35, 2.1), "multiply": (7.1, 2.6)}
VECTORS = {"q": (0.8, "query"), "k": (1.7, "key"), "v": (7.0, "value"), "output": (8.1, "output")}
TABLES = {"scores": 3.05, "weights": 5.65}  # each is written by one kernel and read by the next


def two_memories(table: float, vectors: float, *, ax: Ax = None) -> Axes:
    """Draw what travels between two memories of a GPU, in naive attention and in one kernel.

    Naive attention is a chain of kernels with a table of n×n numbers between any two; a fused
    kernel makes that table in the fast memory, a tile at a time (Dao et al. 2022, figure 1 and
    section 3.1). The numbers beside the arrows are MiB.

    Args:
        table (float): MiB of an n×n table, 0.01 to 9999.
        vectors (float): MiB of all queries, 0.01 to 999; keys, values and outputs take as much
            each.

    Example:
        >>> from d2lattn_book.pictures.plots import describe
        >>> print(describe(two_memories(table=64, vectors=1)))
        naive attention: 262 MiB travel, one fused kernel: 4 MiB travel.
    """
    ax = sheet(ax, (7.8, 4.3))
    naive, fused = _chain(ax, table, vectors), _one_kernel(ax, vectors)
    for foot, what, size in ((0, "naive attention", naive), (FUSED, "one fused kernel", fused)):
        for low, high, name in ((LARGE, LOW + 0.1, "large\nmemory"), (FAST, 2.0, "fast\nmemory")):
            frame(ax, (0, foot + low), 10, high, face=GROUND, edge=DARK, zorder=0)
            _text(ax, 9.9, foot + low + high - 0.1, name, ha="right", va="top", color=FAINT)
        _text(ax, 0.02, foot + (LOW + HIGH) / 2, "MiB", ha="left", color=FAINT)
        _text(ax, 5, foot + FAST + 2.4, f"{what}: {size:g} MiB travel", say=True)
    ax.set(xlim=(-0.15, 10.15), ylim=(FUSED - 0.15, FAST + 2.7))
    return ax


def _chain(ax, table, vectors):
    """Naive attention: scaled queries are written and read as well. Returns the MiB that travel."""
    for name, (x, wide) in KERNELS.items():
        box(ax, x, FAST + 0.8, wide, name, height=1.1, face="white", size=SIZE)
    for name, x in TABLES.items():
        _matrix(ax, x, 0, TABLE, name, "weight")
        _travel(ax, x - 0.4, 0, table, down=True, line=4)
        _travel(ax, x + 0.4, 0, table, line=4)
    return 2 * len(TABLES) * table + _thin(ax, 0, vectors, q=3)


def _one_kernel(ax, vectors):
    """One kernel, which walks over tiles of a table that is never there as a whole."""
    box(ax, 4.3, FUSED + FAST + 1.0, 8.2, "", height=1.8, face="white")
    left, top, step = 0.4, FUSED + FAST + 1.75, 0.25
    for row, column in product(range(TILES), repeat=2):
        face = HAIR if (row, column) < AT else "white"
        if (row, column) == AT:
            face = ROLES["weight"]
        corner = left + column * step, top - (row + 1) * step
        ax.add_patch(Rectangle(corner, step, step, fc=face, ec=FAINT, lw=0.5, ls=":", zorder=3))
    x, y = left + (AT[1] + 0.5) * step, top - (AT[0] + 0.5) * step
    arrow(ax, (x, y), (x + 3 * step, y), zorder=4)
    words = "one tile of scores at a time,\nmaximum, normalizer, accumulator"
    _text(ax, left + (TILES + 1) * step, FUSED + FAST + 1.0, words, ha="left")
    return _thin(ax, FUSED, vectors)


def _thin(ax, foot, vectors, q=1):
    """Queries, which travel `q` times, keys, values and outputs. Returns the MiB that travel."""
    for name, (x, role) in VECTORS.items():
        _matrix(ax, x, foot, THIN, name, role)
        both = name == "q" and q > 1
        _travel(ax, x, foot, vectors * (q if both else 1), down=name == "output", both=both)
    return (len(VECTORS) - 1 + q) * vectors


def _matrix(ax, x, foot, width, name, role):
    """A matrix of n rows in the large memory."""
    corner, face = (x - width / 2, foot + LARGE + 0.7), tint(ROLES[role], 0.5)
    ax.add_patch(Rectangle(corner, width, TABLE, facecolor=face, edgecolor=DARK))
    _text(ax, x, foot + LARGE + 0.3, name)


def _travel(ax, x, foot, size, *, down=False, both=False, line=1.3):
    """An arrow between the two memories, and the MiB that it stands for."""
    low, high = (x, foot + LOW), (x, foot + HIGH)
    ends = (high, low) if down else (low, high)
    arrow(ax, *ends, width=line, head="<|-|>" if both else "-|>")
    told = f"{round(size, 2 - (size >= 10) - (size >= 100)):g}"  # at most four letters
    _text(ax, x + 0.1 + 0.02 * line, foot + (LOW + HIGH) / 2, told, ha="left")


def _text(ax, x, y, words, **look):
    text(ax, x, y, words, size=SIZE, **look)
