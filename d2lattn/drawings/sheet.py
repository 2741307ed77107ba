"""An empty sheet: Axes without a frame, on which a drawing places its boxes and lines."""

import matplotlib.pyplot as plt

from d2lattn.checks import show

INK, FAINT = "#222222", "#767676"  # both at least 4.5:1 on white, as small text needs


def sheet(ax, size, title):
    """The Axes given, or those of a new figure of this size in inches, without frame and ticks."""
    if ax is not None and not isinstance(ax, plt.Axes):
        raise ValueError(f"ax must be a matplotlib Axes or None, got {show(ax)}")
    if ax is None:
        _, ax = plt.subplots(figsize=size, layout="constrained", facecolor="white")
    ax.set_axis_off()
    ax.set_title(title or "", fontsize=11)
    return ax


def words(name, tokens):
    """A list of strings, at least one."""
    if isinstance(tokens, str) or not hasattr(tokens, "__iter__"):
        raise ValueError(f"{name} must be a list of strings, got {show(tokens)}")
    tokens = [str(token) for token in tokens]
    if not tokens:
        raise ValueError(f"{name} must hold at least 1 string, got none")
    return tokens


def word(ax, x, y, text, *, edge, face="white", color=INK, size=10):
    """A word in a rounded box."""
    box = dict(boxstyle="round,pad=0.3", facecolor=face, edgecolor=edge, linewidth=1.5)
    ax.text(x, y, text, ha="center", va="center", color=color, fontsize=size, bbox=box, zorder=5)
