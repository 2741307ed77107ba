"""From the tokens to one output: every number on the way, in the colour of its role."""

import numpy as np
from matplotlib.patches import Rectangle

from d2lattn_book.pictures.arrays import Numbers, Query, Words, names, number, numbers, position
from d2lattn_book.pictures.colours import FAINT, MIDDLE, ROLES
from d2lattn_book.pictures.figure import pause
from d2lattn_book.pictures.kit import Ax, Axes, arrow, sheet, text, word

COLUMNS = dict(word=0.1, x=2.15, key=3.8, value=5.35, score=6.9, weight=8.5, part=10.95)  # middles
SIZE = 11.5  # of all letters: a hall reads them


def single_output(
    words: Words,
    x: Numbers,
    w_q: Numbers,
    w_k: Numbers,
    w_v: Numbers,
    *,
    query: Query,
    ax: Ax = None,
) -> Axes:
    """Draw one query from left to right: x, keys and values, scores, weights, output.

    y = Σ_j softmax_j(q · k_j) v_j with q = W_q x, k = W_k x, v = W_v x (Vaswani et al. 2017,
    section 3.2, without the division by √d). Numbers are rounded to two digits.

    Args:
        words: n words; up to 6 can be read.
        x: (n, E) their vectors; up to 5 numbers in a box can be read.
        w_q, w_k: (d, E) the matrices of queries and keys, as `nn.Linear` stores them.
        w_v: (e, E) that of the values.
        query: a position (-1 is the last), or a word that occurs once.

    Example:
        >>> from d2lattn_book.pictures.plots import describe
        >>> ax = single_output(["small", "cat"], np.eye(2), np.eye(2), np.eye(2), [[0, 9]], query=0)
        >>> print(describe(ax)[:46])
        q = (1, 0), q · k = 1, q · k = 0, weight 0.73,
    """
    words = names("words", words)
    x = _matrix("x", x, len(words), None)
    matrices = dict(w_q=w_q, w_k=w_k, w_v=w_v).items()
    w_q, w_k, w_v = (_matrix(name, w, None, x.shape[1]) for name, w in matrices)
    query = position(query, words)
    asks, keys, values = w_q @ x[query], x @ w_k.T, x @ w_v.T  # (d,), (n, d), (n, e)
    scores = keys @ asks  # (n,)
    weights = np.exp(scores - scores.max())
    weights = weights / weights.sum()
    ax = sheet(ax, (9.2, 1.9 + 0.5 * len(words)))
    _asking(ax, words[query], x[query], asks)
    lines = -1.6 - np.arange(len(words))
    for y, found, vector in zip(lines, words, x, strict=True):
        text(ax, COLUMNS["word"], y, found, size=SIZE)
        _box(ax, "x", y, _shown(vector), MIDDLE)
    pause(ax)
    _scored(ax, lines, keys, scores)
    pause(ax)
    _weighted(ax, lines, weights)
    pause(ax)
    _parts(ax, lines, weights, values)
    pause(ax)
    _sums(ax, -1.6 - len(words), weights @ values)
    ax.set(xlim=(-0.8, 12.3), ylim=(-2.1 - len(words), 0.5))
    return ax


def _asking(ax, asking, x, asks):
    """The upper line: a token, its vector, its query; and the heads of the columns."""
    text(ax, COLUMNS["word"], 0, f"query: “{asking}”", weight="bold", size=SIZE)
    _box(ax, "x", 0, _shown(x), MIDDLE)
    _box(ax, "score", 0, f"q = {_shown(asks)}", ROLES["query"], say=True)
    way = dict(color=ROLES["query"], width=1.5)
    arrow(ax, (COLUMNS["x"] + 0.9, 0), (COLUMNS["score"] - 0.8, 0), **way)
    arrow(ax, (COLUMNS["score"], -0.3), (COLUMNS["score"], -0.75), **way)
    text(ax, COLUMNS["key"] + 0.7, 0.1, "W_q x", va="bottom", size=SIZE)
    heads = dict(word="token", x="vector", key="key W_k x", value="value W_v x", score="score")
    heads |= dict(weight="softmax", part="weight · value")
    for column, name in heads.items():
        text(ax, COLUMNS[column], -0.95, name, color=FAINT, size=SIZE)


def _scored(ax, lines, keys, scores):
    for y, key, score in zip(lines, keys, scores, strict=True):
        _box(ax, "key", y, f"k = {_shown(key)}", ROLES["key"])
        text(ax, COLUMNS["score"], y, f"q · k = {_shown([score])}", say=True, size=SIZE)


def _weighted(ax, lines, weights):
    """The weights as bars."""
    left, lavender = COLUMNS["weight"] - 0.75, ROLES["weight"]
    for y, weight in zip(lines - 0.32, weights, strict=True):
        ax.add_patch(Rectangle((left, y), 1.5 * weight, 0.64, color=lavender, alpha=0.6, lw=0))
        ax.add_patch(Rectangle((left, y), 1.5, 0.64, facecolor="none", edgecolor=lavender))  # 1
        said = f"weight {_shown([weight])}"
        text(ax, COLUMNS["weight"], y + 0.32, said, say=True, size=SIZE)


def _parts(ax, lines, weights, values):
    """The values, and what each adds to the output."""
    for y, weight, value in zip(lines, weights, values, strict=True):
        _box(ax, "value", y, f"v = {_shown(value)}", ROLES["value"])
        part = f"{_shown([weight])} · {_shown(value)} = {_shown(weight * value)}"
        _box(ax, "part", y, part, ROLES["value"], say=True)


def _sums(ax, y, answer):
    """The last line: weights add up to 1, their parts to the output."""
    text(ax, COLUMNS["word"], y, "sum", color=FAINT, size=SIZE)
    text(ax, COLUMNS["weight"], y, "1", color=FAINT, size=SIZE)
    _box(ax, "part", y, f"output = {_shown(answer)}", ROLES["output"], say=True)


def _box(ax, column, y, words, edge, **style):
    word(ax, COLUMNS[column], y, words, edge=edge, size=SIZE, **style)


def _shown(vector):
    """A number, or several in brackets, to two digits."""
    shown = [number(round(n, 2), ".2g" if abs(n) < 99.5 else ".0f") for n in np.asarray(vector)]
    return shown[0] if len(shown) == 1 else f"({', '.join(shown)})"


def _matrix(name, values, rows, columns):
    """Finite numbers of this shape; None is any size."""
    rule = f"shape ({rows or 'n'}, {columns or 'n'})"
    return numbers(name, values, (rows, columns), rule, finite=True).astype(float)
