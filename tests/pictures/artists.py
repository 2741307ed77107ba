"""What is seen on a drawn Axes: its points, words, boxes and arrows, however they were drawn.

Drawings may change how they draw; their tests ask here for what a reader sees. Places are in the
numbers of the Axes unless a name says pixels.
"""

import matplotlib as mpl
import numpy as np
from matplotlib.colors import to_hex
from matplotlib.patches import FancyArrowPatch

from d2lattn_book.pictures.colours import ROLES


def points(ax, label):
    """Where the points of this name stand, (n, 2)."""
    return np.asarray(_marks(ax, label).get_offsets())


def _marks(ax, label):
    (found,) = [dots for dots in ax.collections if dots.get_label() == label]
    return found


def written(ax):
    """The texts that have letters: an arrow may be a text without any."""
    return [text for text in ax.texts if text.get_text() and text.get_visible()]


def strings(ax):
    return [text.get_text() for text in written(ax)]


def boxes(ax, role=None):
    """The filled shapes, but for bars and arrows: all of them, or those in the colour of a role."""
    bars = {bar for bars in ax.containers for bar in bars}
    shapes = [p for p in ax.patches if p not in bars and not isinstance(p, FancyArrowPatch)]
    shapes = [shape for shape in shapes if shape.get_fill() and shape.get_facecolor()[3] > 0]
    return [box for box in shapes if role is None or to_hex(box.get_facecolor()) == ROLES[role]]


def frames(ax):
    """The shapes that are not filled."""
    return [patch for patch in ax.patches if not patch.get_fill() or patch.get_facecolor()[3] == 0]


def extents(ax):
    """Of every text with its box, in pixels, after the figure has been laid out."""
    ax.figure.draw_without_rendering()
    return [
        (text.get_text(), (text.get_bbox_patch() or text).get_window_extent())
        for text in written(ax)
    ]


def overlapping(ax):
    """Pairs of texts that touch each other."""
    found = extents(ax)
    pairs = [(one, other) for i, one in enumerate(found) for other in found[:i]]
    return [(a, b) for (a, one), (b, other) in pairs if one.overlaps(other)]


def outside(ax):
    """Texts that are not wholly in the figure."""
    found, page = extents(ax), ax.figure.bbox.padded(1)
    return [t for t, box in found if not (page.contains(*box.min) and page.contains(*box.max))]


def pixels(ax):
    """The whole figure as it is printed."""
    ax.figure.canvas.draw()
    return np.asarray(ax.figure.canvas.buffer_rgba()).copy()


def sizes(figure):
    """Of all letters in the figure, in points."""
    figure.draw_without_rendering()
    return {text.get_fontsize() for text in figure.findobj(mpl.text.Text) if text.get_text()}
