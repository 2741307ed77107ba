"""The map of the words: where each one stands, with words that share a place named together."""

import textwrap

import numpy as np
from matplotlib.patches import Polygon

from d2lattn.pictures.colours import ROLES
from d2lattn.pictures.drawings._flow import FAINT
from d2lattn.pictures.drawings._plane import along, gathered, in_the_plane, label, prepare


def word_map(words, x, *, query=None, output=None, outline=None, ax=None, title=None):
    """Draw words as points, who asks in the query's colour and what came out in the output's.

    Args:
        words: n words.
        x: (n, 2) their places.
        query, output: words of the list that ask, or that came out: one, a list, or none.
        outline: words of the list to join by a dashed line, in this order and back to the first.
        ax (Axes): where to draw; a new figure when absent.
        title (str): a title.

    Returns:
        matplotlib Axes.

    Raises:
        ValueError: places that do not fit the words; a query, output or outline of other words.

    Example:
        >>> from d2lattn.pictures.plots import describe
        >>> print(describe(word_map(["cat", "dog", "bat"], [[1, 2], [1, 2], [3, 0]], query="bat")))
        words: 2 points, x 1 to 1, y 2 to 2; asks: 1 points, x 3 to 3, y 0 to 0
    """
    words, x = in_the_plane(words, x)
    roles = {"asks": _chosen("query", query, words), "new": _chosen("output", output, words)}
    ax = prepare(ax, np.vstack([x, 0 * x[:1]]), title)
    _chosen("outline", outline, words)
    edge = x[[words.index(word) for word in outline or ()]]
    if len(edge):
        ax.add_patch(Polygon(edge, fill=False, edgecolor=FAINT, linestyle="--"))
    rest = ~(roles["asks"] | roles["new"])
    for name, chosen, color, marker in (
        ("words", rest, FAINT, "o"),
        ("asks", roles["asks"], ROLES["query"], "o"),
        ("new", roles["new"], ROLES["output"], "D"),
    ):
        if chosen.any():
            ax.scatter(*x[chosen].T, color=color, marker=marker, s=45, label=name, zorder=4)
    groups = sorted(gathered(words, x))  # from left to right: a name finds room on its left
    names = [_lines([words[i] for i in numbers]) for _, numbers in groups]
    sides = zip(edge, np.roll(edge, -1, axis=0), strict=True)
    avoid = [spot for start, end in sides for spot in along(start, end)]
    label(ax, [place for place, _ in groups], names, avoid=avoid, gid=None)
    return ax


def _lines(names):
    """The names in lines of at most 13 letters, none of them broken: narrow labels fit better."""
    whole = ", ".join(name.replace(" ", "\N{NO-BREAK SPACE}") for name in names)
    return textwrap.fill(whole, 13, break_long_words=False, break_on_hyphens=False)


def _chosen(name, chosen, words):
    """Which of the words are meant: a boolean array (n,)."""
    chosen = [chosen] if isinstance(chosen, str) else list(chosen or ())
    missing = [word for word in chosen if word not in words]
    if missing:
        raise ValueError(f"{name} must be among the words, got {missing[0]!r}")
    return np.array([word in chosen for word in words])
