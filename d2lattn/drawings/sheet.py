"""An empty sheet: Axes without a frame, on which a drawing places its boxes and lines."""

from d2lattn.canvas import INK, axes


def sheet(ax, size, title):
    """The Axes given, or those of a new figure of this size in inches, without frame and ticks."""
    ax = axes(ax, size)
    ax.set_axis_off()
    ax.set_title(title or "", fontsize=11)
    return ax


def word(ax, x, y, text, *, edge, face="white", color=INK, size=10):
    """A word in a rounded box."""
    box = dict(boxstyle="round,pad=0.3", facecolor=face, edgecolor=edge, linewidth=1.5)
    ax.text(x, y, text, ha="center", va="center", color=color, fontsize=size, bbox=box, zorder=5)
