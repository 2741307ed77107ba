"""One sentence as a staircase of questions: each word is asked for by the words before it."""

from matplotlib.patches import Rectangle

from d2lattn.pictures.colours import ROLES
from d2lattn.pictures.drawings._sheet import sheet
from d2lattn.pictures.kit import FAINT, INK, names_of

STEP, HIDDEN = "#dbe7ea", "#f4f4f4"  # a pale key; a cell that nobody may look into


def staircase(sentence, *, ax=None, title=None):
    """Draw the questions that a sentence of n words asks: n − 1 rows, each hiding its future.

    Row i sees words 0 to i and is asked for word i + 1, so the open cells are the lower triangle
    of a causal mask, which this is (Vaswani et al. 2017, section 3.2.3).

    Args:
        sentence: n words, at least 2.
        ax (Axes): where to draw; a new figure when absent.
        title (str): a title.

    Returns:
        matplotlib Axes.

    Raises:
        ValueError: a sentence that is no list of at least two words; an ax that is no Axes.

    Cost:
        O(n²) boxes.

    Example:
        >>> from d2lattn.pictures.plots import describe
        >>> print(describe(staircase(["the", "dog", "found"], title="two questions")))
        two questions: 9 texts, from 'the'
    """
    sentence = names_of("sentence", sentence)
    if len(sentence) < 2:
        raise ValueError(f"sentence must hold at least 2 words, got {sentence}")
    n = len(sentence) - 1
    ax = sheet(ax, (1.7 + 0.95 * (n + 1), 0.7 + 0.42 * n), title)
    for row in range(n):
        for column in range(n):
            _cell(ax, row, column, sentence[column])
        ax.text(n + 0.25, row, "→", ha="center", va="center", fontsize=12, color=ROLES["output"])
        answer = dict(va="center", fontsize=10, weight="bold", color=ROLES["output"])
        ax.text(n + 0.55, row, sentence[row + 1], **answer)
    ax.text(n / 2 - 0.5, n + 0.1, "key: may look at", ha="center", fontsize=9, color=FAINT)
    ax.text(-0.7, n / 2 - 0.5, "query: asks", rotation=90, va="center", fontsize=9, color=FAINT)
    ax.set(xlim=(-1, n + 1.6), ylim=(n + 0.3, -0.7))
    return ax


def _cell(ax, row, column, word):
    """A word that the row may look at, itself in the colour of a query; else an empty box."""
    seen = column <= row
    face = ROLES["query"] if row == column else STEP if seen else HIDDEN
    edge = "white"
    ax.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, facecolor=face, edgecolor=edge))
    if seen:
        ax.text(column, row, word, ha="center", va="center", fontsize=10, color=INK)
