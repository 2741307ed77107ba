"""Induction in two layers: who stood before me, and then who has my word before it."""

from d2lattn_book.pictures.arrays import Words, names
from d2lattn_book.pictures.colours import FAINT, MIDDLE, ROLES
from d2lattn_book.pictures.kit import Ax, Axes, arrow, box, sheet, text, tint

STEP = 1.9  # from one word to the next
WORD, TAG, ASK, SAY = 0.0, 1.3, 2.5, 3.4  # heights: words, layer 0, question and answer of layer 1
BENT = "angle,angleA=0,angleB=90,rad=6"  # the way of an arrow: along, then up or down


def induction(words: Words, *, ax: Ax = None) -> Axes:
    """Draw how two layers predict the token after one that has occurred before.

    Layer 0 tells each token which token stands before it. In layer 1 the last token attends to the
    token after its own earlier copy, and predicts it (Elhage et al. 2021, "Induction heads").

    Args:
        words: n of them, at least 3; the last stands once before, and not as the last but one.

    Example:
        >>> from d2lattn_book.pictures.plots import describe
        >>> print(describe(induction(["A", "B", "C", "A"])))
        query: what followed A?, matches the key, previous: A, value: B, predicts B.
    """
    words = names("words", words)
    *before, asks = words
    if before.count(asks) != 1 or before[-1] == asks:
        raise ValueError(
            "words must end in one that stands once before, but not just before, "
            f"got {asks!r} after {before}"
        )
    found, last = before.index(asks) + 1, len(before)
    ax = sheet(ax, (3.2 + 0.95 * len(words), 3.4))
    for i, word in enumerate(words):
        _box(ax, i, WORD, word, ROLES["query"] if i == last else MIDDLE)
        if i:
            tag, line = f"I am {word},\nprevious: {words[i - 1]}", 2.6 if i == found else 1.0
            _box(ax, i, TAG, tag, ROLES["key"], 1.5, height=0.7, line=line)
            start, end = (STEP * (i - 1), WORD + 0.3), (STEP * i - 0.3, TAG - 0.38)
            arrow(ax, start, end, ROLES["value"], width=1.6)
    left, foot = STEP * last - 1.6, TAG + 0.4
    _box(ax, last - 0.15, ASK, f"query: what followed {asks}?", ROLES["query"], 2.5, say=True)
    for foot_of, end in ((WORD + 0.3, TAG - 0.38), (TAG + 0.38, ASK - 0.28)):  # its own way up
        arrow(ax, (STEP * last, foot_of), (STEP * last, end), ROLES["query"], width=1.6)
    bent = dict(width=1.6, way=BENT)
    arrow(ax, (left, ASK), (STEP * found + 0.15, foot), ROLES["query"], **bent)
    side = dict(ha="left", va="bottom", size=9, say=True)
    text(ax, STEP * found + 0.3, ASK + 0.07, f"matches the key\nprevious: {asks}", **side)
    text(ax, STEP * found, SAY + 0.07, f"value: {words[found]}", **side)
    _box(ax, last - 0.15, SAY, f"predicts {words[found]}", ROLES["output"], 2.5, say=True)
    arrow(ax, (left, SAY), (STEP * found - 0.15, foot), ROLES["value"], head="<|-", **bent)
    heads = "layer 0:\nprevious-token\nhead", "layer 1:\ninduction\nhead"
    for y, name in ((WORD, "tokens"), (TAG, heads[0]), ((ASK + SAY) / 2, heads[1])):
        text(ax, -1.2, y, name, ha="right", color=FAINT)
    ax.set(xlim=(-2.6, STEP * last + 1.2), ylim=(-0.5, SAY + 0.5))
    return ax


def _box(ax, column, y, words, colour, width=1.3, *, height=0.5, **style):
    """A text in a box of a role's colour; what is found has a thick edge."""
    look = dict(height=height, face=tint(colour), edge=colour, size=9) | style
    box(ax, STEP * column, y, width, words, **look)
