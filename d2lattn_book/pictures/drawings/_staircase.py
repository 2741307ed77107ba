"""One sentence as a staircase of questions: each word is asked for by the words before it."""

from matplotlib.patches import Rectangle

from d2lattn_book.pictures.arrays import Words, names
from d2lattn_book.pictures.colours import FAINT, GROUND, ROLES
from d2lattn_book.pictures.figure import pause
from d2lattn_book.pictures.kit import Ax, Axes, Label, sheet, text, tint, word


def staircase(sentence: Words, *, ax: Ax = None, title: Label = None) -> Axes:
    """Draw the questions that a sentence of n words asks: n − 1 rows, each hiding its future.

    Row i sees words 0 to i and is asked for word i + 1, so the open cells are the lower triangle
    of a causal mask, which this is (Vaswani et al. 2017, section 3.2.3).

    Args:
        sentence: n words, at least 2.

    Example:
        >>> from d2lattn_book.pictures.plots import describe
        >>> print(describe(staircase(["the", "dog", "found"], title="two questions")))
        two questions: 2 rows; row i has the first i words of “the dog” and leads to the next token.
    """
    sentence = names("sentence", sentence)
    n = len(sentence) - 1
    ax = sheet(ax, (1.4 + 0.86 * (n + 1), 0.7 + 0.42 * n), title)
    note = dict(color=FAINT)
    key = "key (orange: own position, teal: earlier, grey: masked)"
    text(ax, n / 2 - 0.5, n + 0.1, key, va="baseline", **note)
    text(ax, n + 0.6, n + 0.1, "target", ha="left", va="baseline", **note)
    text(ax, -0.7, n / 2 - 0.5, "query", ha="left", rotation=90, **note)
    for row in range(n):
        for column in range(n):
            _cell(ax, row, column, sentence[column])
        text(ax, n + 0.25, row, "→", size=12)
        word(ax, n + 0.6, row, sentence[row + 1], edge=ROLES["output"], ha="left", weight="bold")
        if row < 2:
            pause(ax)
    ax.set(xlim=(-1, n + 1.6), ylim=(n + 0.3, -0.7))
    before = " ".join(sentence[:-1])
    told = f"{n} rows; row i has the first i words of “{before}” and leads to the next token"
    ax.describes_itself = told
    return ax


def _cell(ax, row, column, asked):
    """A word that the row may look at, itself in the colour of a query; else an empty box."""
    seen = column <= row
    face = ROLES["query"] if row == column else tint(ROLES["key"], 0.15) if seen else GROUND
    ax.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, facecolor=face, edgecolor="white"))
    if seen:
        text(ax, column, row, asked)
