"""Induction in two layers: who stood before me, and then who has my word before it."""

from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from d2lattn.pictures.colours import ROLES
from d2lattn.pictures.kit import FAINT, INK, axes, names_of

STEP = 1.9  # from one word to the next
WORD, TAG, ASK, SAY = 0.0, 1.3, 2.5, 3.4  # heights: words, layer 1, question and answer of layer 2


def induction(words, *, ax=None):
    """Draw how two layers foretell what follows a word that has occurred before.

    Layer 1 hands each word the name of the word before it. In layer 2 the last word asks who has
    it before them, finds the word after its earlier copy, and says that word (Elhage et al. 2021,
    "Induction heads").

    Args:
        words: n of them, at least 3; the last stands once before, and not as the last but one.
        ax (Axes): where to draw; a new figure when absent.

    Returns:
        matplotlib Axes.

    Raises:
        ValueError: words that are no list of at least 3 strings, or whose last is new, stood
            before more than once or just before; an ax that is no Axes.

    Cost:
        O(n) artists.

    Example:
        >>> from d2lattn.pictures.plots import describe
        >>> print(describe(induction(["A", "B", "C", "A"])))
        who has A before it?, B has, says B
    """
    words = names_of("words", words)
    *before, asks = words
    if before.count(asks) != 1 or before[-1] == asks:
        raise ValueError(
            "words must end in one that stands once before, but not just before, "
            f"got {asks!r} after {before}"
        )
    found, last = before.index(asks) + 1, len(before)
    ax = axes(ax, (3.2 + 0.95 * len(words), 3.4))
    for i, word in enumerate(words):
        _box(ax, i, WORD, word, ROLES["query"] if i == last else "#999999")
        if i:
            _box(
                ax,
                i,
                TAG,
                f"I am {word},\nbefore me: {words[i - 1]}",
                ROLES["key"],
                1.5,
                strong=i == found,
            )
            _arrow(ax, (STEP * (i - 1), WORD + 0.3), (STEP * i - 0.3, TAG - 0.38), ROLES["value"])
    left, foot = STEP * last - 1.6, TAG + 0.4
    _box(ax, last - 0.15, ASK, f"who has {asks} before it?", ROLES["query"], 2.5, gid="said")
    _arrow(ax, (left, ASK), (STEP * found + 0.15, foot), ROLES["query"], bent=True)
    side = dict(va="bottom", fontsize=9, color=INK, gid="said")
    ax.text(STEP * found + 0.3, ASK + 0.07, f"{words[found]} has", **side)
    _box(ax, last - 0.15, SAY, f"says {words[found]}", ROLES["output"], 2.5, gid="said")
    _arrow(ax, (left, SAY), (STEP * found - 0.15, foot), ROLES["value"], bent=True, style="<|-")
    for y, name in ((WORD, "words"), (TAG, "layer 1"), ((ASK + SAY) / 2, "layer 2")):
        ax.text(-1.2, y, name, ha="right", va="center", fontsize=10, color=FAINT)
    ax.set(xlim=(-2.6, STEP * last + 1.2), ylim=(-0.5, SAY + 0.5))
    ax.set_axis_off()
    return ax


def _box(ax, column, y, text, colour, width=1.3, *, strong=False, gid=None):
    """A text in a box of a role's colour; what is found has a thick edge."""
    high = 0.7 if "\n" in text else 0.5
    place = (STEP * column - width / 2, y - high / 2), width, high
    edge = dict(ec=colour, lw=2.6 if strong else 1.0, fc=colour + "40", zorder=2)
    ax.add_patch(FancyBboxPatch(*place, boxstyle="round,pad=0.03", **edge))
    said = dict(ha="center", va="center", fontsize=9, color=INK, zorder=3, gid=gid)
    ax.text(STEP * column, y, text, **said)


def _arrow(ax, start, end, colour, *, bent=False, style="-|>"):
    line = dict(connectionstyle="angle,angleA=0,angleB=90,rad=6") if bent else {}
    look = dict(arrowstyle=style, color=colour, lw=1.6, mutation_scale=12, shrinkA=0, shrinkB=0)
    ax.add_patch(FancyArrowPatch(start, end, **look, **line))
