"""Words in the plane: what the drawings of words as points or arrows share."""

import numpy as np
from matplotlib.patheffects import withStroke

from d2lattn_book.pictures.arrays import names, numbers
from d2lattn_book.pictures.colours import FAINT, HAIR
from d2lattn_book.pictures.kit import axes, laid_out, text

# Where a label may stand beside its place, the best first: steps in points, how it is aligned.
ACROSS, UP = {-1: "right", 0: "center", 1: "left"}, {-1: "top", 0: "center", 1: "bottom"}
ROUND = ((1, 0), (0, 1), (0, -1), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1))
SIDES = [(far * i, far * j, ACROSS[i], UP[j]) for far in (7, 15, 27, 42) for i, j in ROUND]


def in_the_plane(words, x):
    """The words as a list of strings, and their places as an array (n, 2)."""
    words = names("words", words)
    rule = f"a row of two numbers for each of the {len(words)} words"
    return words, numbers("x", x, (len(words), 2), rule, finite=True).astype(float)


def prepare(ax, points, *, title=None, around=None):
    """Axes of equal scale around all points, with room for names; a new figure when absent."""
    if around is not None:
        rule = "a row of two numbers for each place"
        points = np.vstack([points, numbers("around", around, (None, 2), rule, finite=True)])
    low, high = points.min(axis=0), points.max(axis=0)
    reach = (high - low).max() or 1.0  # 0 where all words stand at one place
    room = 0.12 * reach * np.array([1.4, 1.0])
    low, high = low - room, high + room
    wide, tall = high - low
    beside = np.array([max(0, 0.75 * tall - wide) / 2, 0])  # for names to the left and right
    low, high = low - beside, high + beside
    high_by = 8 * (high - low)[1] / (high - low)[0]
    shrink = min(1, 4.2 / high_by)
    size = (shrink * 8 + 0.4, max(shrink * high_by, 2.0) + (0.6 if title else 0.3))
    ax = axes(ax, size)
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal", title=title)
    for line in (ax.axhline, ax.axvline):
        line(0, color=HAIR, linewidth=0.8, zorder=0)
    ax.tick_params(colors=FAINT, length=0)
    ax.set_frame_on(False)
    laid_out(ax).apply_aspect()
    return ax


def along(start, end, steps=24):
    """Places on a line, for `label` to avoid."""
    return list(np.linspace(start, end, steps))


def label(ax, places, texts, *, avoid=(), say=True):
    """Write each text beside its place, clear of the others and of `avoid`; `describe` says it."""
    renderer = ax.figure.canvas.get_renderer()
    dots, crossed = ax.transData.transform(places), ax.transData.transform([*places, *avoid])
    frame, taken = ax.get_window_extent(renderer), []
    for i, words in enumerate(texts):
        written = text(ax, *places[i], words, shift=(0, 0), say=say, zorder=7)
        written.set_path_effects([withStroke(linewidth=3, foreground="white")])
        tried = []
        for side in SIDES:
            box = _beside(written, side).get_window_extent(renderer)
            outside = box.x0 < frame.x0 or box.x1 > frame.x1 or box.y0 < frame.y0
            cost = 20 * (outside + sum(box.overlaps(other) for other in taken))
            cost += (_gaps(box.padded(4), crossed) == 0).sum()
            cost += 3 * (max(abs(side[0]), abs(side[1])) > 7)  # far from what it names
            gaps = _gaps(box, dots)
            cost += 2 * (gaps.min() < 0.999 * gaps[i])  # nearer to something else
            tried.append((cost, len(tried), side, box))
        _, _, best, box = min(tried)
        _beside(written, best)
        taken.append(box)


def _beside(written, side):
    """The same text at another side of its place."""
    dx, dy, ha, va = side
    written.set(position=(dx, dy), ha=ha, va=va)
    return written


def _gaps(box, dots):
    """How far each place lies from a text, in pixels; 0 for those in it."""
    return np.hypot(*np.maximum(0, np.maximum(box.min - dots, dots - box.max)).T)


def gathered(words, x):
    """Words at one place together: a list of (place, numbers of its words)."""
    groups = {}
    for i, place in enumerate(x.round(6)):
        groups.setdefault(tuple(place + 0.0), []).append(i)
    return list(groups.items())
