"""An empty sheet: Axes without a frame, on which a drawing places its boxes and lines."""

from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from d2lattn.pictures.kit import INK, axes


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


def box(ax, x, y, width, text, face, *, height=0.56):
    """A part of a model, its middle at (x, y)."""
    foot = (x - width / 2, y - height / 2), width, height
    ax.add_patch(FancyBboxPatch(*foot, boxstyle="round,pad=0.03", fc=face, ec="0.4", zorder=2))
    ax.text(x, y, text, ha="center", va="center", fontsize=10, zorder=3)


def arrow(ax, start, end, color="0.3"):
    """What flows from one part to the next."""
    look = dict(arrowstyle="-|>", color=color, lw=1.3, mutation_scale=12)
    ax.add_patch(FancyArrowPatch(start, end, **look))
