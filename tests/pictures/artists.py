"""What is seen on a drawn Axes: its points, words, boxes and arrows, however they were drawn.

Drawings may change how they draw; their tests ask here for what a reader sees. Places are in the
numbers of the Axes unless a name says pixels.
"""

from collections import Counter

import matplotlib as mpl
import numpy as np
from matplotlib.colors import to_hex
from matplotlib.patches import FancyArrowPatch
from matplotlib.path import Path

from d2lattn_book.pictures.colours import ROLES

NEAR = 0.2  # from an arrow's end to the box that it touches


def points(ax, label):
    """Where the points of this name stand, (n, 2)."""
    return np.asarray(_marks(ax, label).get_offsets())


def faces(ax, label):
    """Their colours, as #rrggbb: one for all of them, or one each."""
    return [to_hex(colour) for colour in _marks(ax, label).get_facecolors()]


def _marks(ax, label):
    (found,) = [dots for dots in ax.collections if dots.get_label() == label]
    return found


def written(ax):
    """The texts that have letters: an arrow may be a text without any."""
    return [text for text in ax.texts if text.get_text() and text.get_visible()]


def strings(ax):
    return [text.get_text() for text in written(ax)]


def place(ax, name):
    """Where a text stands that stands once."""
    (found,) = [text for text in written(ax) if flat(text.get_text()) == name]
    return found.get_position()


def flat(text):
    return text.replace("\n", " ")


def boxes(ax, role=None):
    """The filled shapes, but for bars and arrows: all of them, or those in the colour of a role."""
    bars = {bar for bars in ax.containers for bar in bars}
    shapes = [p for p in ax.patches if p not in bars and not isinstance(p, FancyArrowPatch)]
    shapes = [shape for shape in shapes if shape.get_fill() and shape.get_facecolor()[3] > 0]
    return [box for box in shapes if role is None or to_hex(box.get_facecolor()) == ROLES[role]]


def frames(ax):
    """The shapes that are not filled."""
    return [patch for patch in ax.patches if not patch.get_fill() or patch.get_facecolor()[3] == 0]


def box_of(ax, text):
    """What a text stands in: a box of its own, or the smallest on the Axes that holds its place."""
    if text.get_bbox_patch() is not None:
        return text.get_bbox_patch()
    around = [b for b in ax.patches if not isinstance(b, FancyArrowPatch)]
    around = [b for b in around if _extent(ax, b).contains(*text.get_position())]
    return min(around, key=lambda b: _extent(ax, b).width * _extent(ax, b).height, default=None)


def looks(ax):
    """Text -> (face, edge, width of the edge) of the box it stands in, however transparent."""
    return {
        name: (to_hex(box.get_facecolor()), to_hex(box.get_edgecolor()), box.get_linewidth())
        for name, box in _boxed(ax)
    }


def _boxed(ax):
    """(words, box) of every text that stands in one."""
    found = [(flat(text.get_text()), box_of(ax, text)) for text in written(ax)]
    return [(name, box) for name, box in found if box not in [None, *frames(ax)]]


def arrows(ax, colour=None):
    """(start, tip) of every arrow as it is seen, or of those in a colour, (n, 2, 2)."""
    return np.array([_ends(ax, arrow) for arrow in pens(ax, colour)]).reshape(-1, 2, 2)


def pens(ax, colour=None):
    """The arrows themselves, and lines drawn as arrows without a head."""
    ax.figure.draw_without_rendering()  # an arrow that annotates knows its place only then
    found = [patch for patch in ax.patches if isinstance(patch, FancyArrowPatch)]
    found += [text.arrow_patch for text in ax.texts if getattr(text, "arrow_patch", None)]
    return [a for a in found if colour is None or to_hex(a.get_edgecolor()) == to_hex(colour)]


def _ends(ax, arrow):
    """Its first corner and the one farthest from that; the head, where there is one, is second."""
    path = arrow.get_transform().transform_path(arrow.get_path())  # in pixels
    drawn = path.vertices[path.codes != Path.CLOSEPOLY]  # a head ends in a corner at (0, 0)
    ends = drawn[[0, np.hypot(*(drawn - drawn[0]).T).argmax()]]
    backwards = arrow.get_arrowstyle().arrow.startswith("<")
    return ax.transData.inverted().transform(ends[::-1] if backwards else ends)


def links(ax):
    """Counter of (text, text) joined by an arrow; "stream" is a line between its two ends."""
    ends = arrows(ax)  # first: it lays the figure out
    boxes = [(name, _extent(ax, box)) for name, box in _boxed(ax)]
    return Counter((_touched(boxes, start), _touched(boxes, end)) for start, end in ends)


def _touched(boxes, spot):
    """The name of the box that is nearest to a place."""
    gap, name = min((_gap(box, spot), name) for name, box in boxes)
    return name if gap < NEAR else "stream"


def _gap(box, spot):
    across = max(box.x0 - spot[0], 0, spot[0] - box.x1)
    return float(np.hypot(across, max(box.y0 - spot[1], 0, spot[1] - box.y1)))


def _extent(ax, shape):
    """The box around a shape in the numbers of the Axes."""
    shown = shape.get_window_extent(ax.figure.canvas.get_renderer())
    return shown.transformed(ax.transData.inverted())


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
