"""From the words to one answer on one sheet: every number on the way, in the colour of its role."""

import numpy as np
from matplotlib.patches import Rectangle

from d2lattn.arguments import check_count, show
from d2lattn.pictures.arrays import to_numpy
from d2lattn.pictures.colours import ROLES
from d2lattn.pictures.drawings._sheet import sheet
from d2lattn.pictures.kit import FAINT, INK, names_of

COLUMNS = dict(word=0, x=1.3, key=3.2, value=5.1, score=7, share=8.7, part=10.7)  # their middles
WIDEST = 3  # numbers in a vector that can still be read in its box


def one_answer(words, x, w_q, w_k, w_v, *, query, ax=None, title=None):
    """Draw how one word gets its answer, from left to right: x, keys and values, scores, shares.

    y = Σ_j softmax_j(q · k_j) v_j with q = W_q x, k = W_k x, v = W_v x (Vaswani et al. 2017,
    section 3.2, without the division by √d). Numbers are rounded to two digits.

    Args:
        words: n words, 6 at most.
        x: (n, E) their vectors; no width of this drawing is above 3.
        w_q, w_k: (d, E) the matrices of queries and keys, as `nn.Linear` stores them.
        w_v: (e, E) that of the values.
        query (int): the place of the word that asks.
        ax (Axes): where to draw; a new figure when absent.
        title (str): a title.

    Returns:
        matplotlib Axes.

    Raises:
        ValueError: vectors or matrices that do not fit each other; a query that is not there.

    Cost:
        A dozen texts for each word.

    Example:
        >>> from d2lattn.pictures.plots import describe
        >>> ax = one_answer(["small", "cat"], np.eye(2), np.eye(2), np.eye(2), [[0, 9]], query=0)
        >>> print(describe(ax)[:45])
        q = (1, 0), q · k = 1, share 0.73, 0.73 · 0 =
    """
    words = names_of("words", words)
    if len(words) > 6:
        raise ValueError(f"words must hold at most 6 strings, got {len(words)}")
    x = _matrix("x", x, rows=len(words))
    w_q, w_k, w_v = (
        _matrix(name, w, columns=x.shape[1]) for name, w in dict(w_q=w_q, w_k=w_k, w_v=w_v).items()
    )
    if len(w_q) != len(w_k):
        raise ValueError(f"w_q and w_k must have as many rows, got {len(w_q)} and {len(w_k)}")
    check_count("query", query, 0, len(words) - 1)
    asks, keys, values = w_q @ x[query], x @ w_k.T, x @ w_v.T  # (d,), (n, d), (n, e)
    scores = keys @ asks  # (n,)
    shares = np.exp(scores - scores.max())
    shares = shares / shares.sum()
    ax = sheet(ax, (10, 1.9 + 0.5 * len(words)), title)
    _asking(ax, words[query], x[query], asks)
    for row, word in enumerate(words):
        _found(ax, -1.6 - row, word, x[row], keys[row], values[row])
        _heard(ax, -1.6 - row, scores[row], shares[row], values[row])
    _sums(ax, -1.6 - len(words), shares @ values)
    ax.set(xlim=(-0.8, 12.1), ylim=(-2.1 - len(words), 0.5))
    return ax


def _asking(ax, word, x, asks):
    """The upper line: the word that asks, its vector, its query; and the heads of the columns."""
    _text(ax, "word", 0, f"{word} asks", weight="bold")
    _box(ax, "x", 0, f"x = {_shown(x)}", "0.6")
    _box(ax, "score", 0, f"q = {_shown(asks)}", ROLES["query"], gid="said")
    arrow = dict(arrowstyle="-|>", color=ROLES["query"], linewidth=1.5)
    ax.annotate("", (COLUMNS["score"] - 0.8, 0), (COLUMNS["x"] + 0.8, 0), arrowprops=arrow)
    ax.annotate("", (COLUMNS["score"], -0.75), (COLUMNS["score"], -0.3), arrowprops=arrow)
    ax.text(4.15, 0.1, "W_q x", ha="center", va="bottom", fontsize=10, color=INK)
    heads = dict(word="is asked", key="key  W_k x", value="value  W_v x", score="score")
    for column, name in (
        heads | dict(x="vector", share="share: softmax", part="share · value")
    ).items():
        _text(ax, column, -0.95, name, size=9, color=FAINT)


def _found(ax, y, word, x, key, value):
    """A word that is asked: what it is, what it is found by, what it hands over."""
    _text(ax, "word", y, word)
    _box(ax, "x", y, f"x = {_shown(x)}", "0.6")
    _box(ax, "key", y, f"k = {_shown(key)}", ROLES["key"])
    _box(ax, "value", y, f"v = {_shown(value)}", ROLES["value"])


def _heard(ax, y, score, share, value):
    """Its score, its share as a bar, and its part of the answer."""
    _text(ax, "score", y, f"q · k = {_shown([score])}", gid="said")
    corner, lavender = (COLUMNS["share"] - 0.75, y - 0.32), ROLES["weight"]
    ax.add_patch(Rectangle(corner, 1.5 * share, 0.64, color=lavender, alpha=0.6, linewidth=0))
    ax.add_patch(Rectangle(corner, 1.5, 0.64, facecolor="none", edgecolor=lavender))  # the whole
    _text(ax, "share", y, f"share {_shown([share])}", gid="said")
    part = f"{_shown([share])} · {_shown(value)} = {_shown(share * value)}"
    _box(ax, "part", y, part, ROLES["value"], gid="said")


def _sums(ax, y, answer):
    """The last line: shares add up to 1, their parts to the answer."""
    _text(ax, "word", y, "sum", color=FAINT)
    _text(ax, "share", y, "1", color=FAINT)
    _box(ax, "part", y, f"y = {_shown(answer)}, what comes out", ROLES["output"], gid="said")


def _text(ax, column, y, text, *, size=10, color=INK, **style):
    style = dict(ha="center", va="center", fontsize=size, color=color, zorder=5) | style
    ax.text(COLUMNS[column], y, text, **style)


def _box(ax, column, y, text, edge, **style):
    box = dict(boxstyle="round,pad=0.25", facecolor="white", edgecolor=edge, linewidth=1.8)
    _text(ax, column, y, text, bbox=box, **style)


def _shown(vector):
    """A number, or several in brackets, to two digits."""
    numbers = [f"{n + 0.0:.2g}" if abs(n) < 99.5 else f"{n:.0f}" for n in np.asarray(vector)]
    return numbers[0] if len(numbers) == 1 else f"({', '.join(numbers)})"


def _matrix(name, values, rows=None, columns=None):
    """Finite numbers in two axes, with so many rows or columns, and small enough to be drawn."""
    matrix = to_numpy(values, name)
    if matrix.dtype.kind not in "biuf" or matrix.ndim != 2 or not np.isfinite(matrix).all():
        raise ValueError(f"{name} must hold finite numbers in two axes, got {show(values)}")
    expected = (rows or len(matrix), columns or matrix.shape[1])
    if matrix.shape != expected:
        raise ValueError(f"{name} must have the shape {expected}, got {matrix.shape}")
    width, what = (matrix.shape[1], "columns") if rows else (len(matrix), "rows")
    if not 1 <= width <= WIDEST:
        raise ValueError(f"{name} must have 1 to {WIDEST} {what}, got {width}")
    return matrix.astype(float)
