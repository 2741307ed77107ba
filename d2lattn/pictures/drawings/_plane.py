"""Words in the plane: what the drawings of words as points or arrows share."""

import numpy as np
from matplotlib.patches import FancyArrowPatch
from matplotlib.patheffects import withStroke

from d2lattn.arguments import check_shares, show
from d2lattn.pictures.arrays import to_numpy
from d2lattn.pictures.kit import FAINT, INK, axes, check_axes, names_of

# Where a label may stand beside its place, the best first: steps in points, how it is aligned.
ACROSS, UP = {-1: "right", 0: "center", 1: "left"}, {-1: "top", 0: "center", 1: "bottom"}
ROUND = ((1, 0), (0, 1), (0, -1), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1))
SIDES = [(far * i, far * j, ACROSS[i], UP[j]) for far in (7, 15, 27) for i, j in ROUND]


def in_the_plane(words, x):
    """The words as a list of strings, and their places as an array (n, 2)."""
    words, x = names_of("words", words), to_numpy(x, "x")
    if x.dtype.kind not in "biuf":
        raise ValueError(f"x must hold numbers, got {x.dtype}")
    x = x.astype(float)
    if x.shape != (len(words), 2):
        raise ValueError(
            f"x must have a row of two numbers for each of the {len(words)} words, "
            f"got shape {x.shape}"
        )
    if not np.isfinite(x).all():
        raise ValueError(f"x must be finite, got {show(x[~np.isfinite(x)][0])}")
    return words, x


def asking(words, query):
    """The place in the sentence of the word that asks."""
    if not isinstance(query, str) or words.count(query) != 1:
        raise ValueError(
            f"query must be a word that occurs once in {show(words)}, got {show(query)}"
        )
    return words.index(query)


def shares_of(weights, words, row):
    """The shares (n,) of the asking word; of a matrix (n, n) its row."""
    weights = to_numpy(weights, "weights")
    if weights.dtype.kind not in "biuf":
        raise ValueError(f"weights must hold numbers, got {weights.dtype}")
    weights = weights[row] if weights.ndim == 2 and len(weights) == len(words) else weights
    if weights.shape != (len(words),):
        n = len(words)
        raise ValueError(f"weights must have shape ({n},) or ({n}, {n}), got {weights.shape}")
    check_shares(weights)
    return weights


def prepare(ax, points, title, *, around=None, width=8.0, tallest=4.2):
    """Axes of equal scale around all points, with room for names; a new figure when absent."""
    check_axes(ax)
    if around is not None:
        points = np.vstack([points, to_numpy(around, "around")])
    low, high = points.min(axis=0), points.max(axis=0)
    room = 0.12 * (high - low).max() * np.array([1.4, 1.0])
    low, high = low - room, high + room
    if ax is None:
        wide, high_by = width, width * (high - low)[1] / (high - low)[0]
        shrink = min(1, tallest / high_by)
        size = (shrink * wide + 0.4, max(shrink * high_by, 2.0) + (0.6 if title else 0.3))
        ax = axes(ax, size)
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal", title=title)
    for line in (ax.axhline, ax.axvline):
        line(0, color="0.85", linewidth=0.8, zorder=0)
    ax.tick_params(colors=FAINT, length=0)
    ax.set_frame_on(False)
    engine = ax.figure.get_layout_engine()
    if engine is not None:  # it knows only when it lays out how large the Axes will be
        engine.execute(ax.figure.figure)
    ax.apply_aspect()
    return ax


def arrow(ax, start, end, color, *, width=2.0, alpha=1.0, style="-|>", bend=0.0, zorder=3):
    """An arrow between two places; none where they are the same."""
    if abs(end - start).max() < 1e-9:
        return
    scale = 8 + 3 * width if style == "-|>" else 1
    look = dict(arrowstyle=style, mutation_scale=scale, shrinkA=0, shrinkB=0, linewidth=width)
    look.update(connectionstyle=f"arc3,rad={bend}")
    ax.add_patch(FancyArrowPatch(start, end, color=color, alpha=alpha, zorder=zorder, **look))


def along(start, end, steps=24):
    """Places on a line, for `label` to avoid."""
    return list(np.linspace(start, end, steps))


def label(ax, places, texts, *, avoid=(), gid="said"):
    """Write each text beside its place, clear of the others and of `avoid`; `describe` says it."""
    renderer = ax.figure.canvas.get_renderer()
    dots, crossed = ax.transData.transform(places), ax.transData.transform([*places, *avoid])
    frame, taken = ax.get_window_extent(renderer), []
    for i, text in enumerate(texts):
        tried = []
        for dx, dy, ha, va in SIDES:
            look = dict(textcoords="offset points", ha=ha, va=va, fontsize=10, color=INK, zorder=7)
            written = ax.annotate(text, places[i], (dx, dy), gid=gid, **look)
            written.set_path_effects([withStroke(linewidth=3, foreground="white")])
            box = written.get_window_extent(renderer)
            outside = box.x0 < frame.x0 or box.x1 > frame.x1 or box.y0 < frame.y0
            cost = 20 * (outside + sum(box.overlaps(other) for other in taken))
            cost += sum(box.padded(4).contains(*dot) for dot in crossed)
            cost += 3 * (max(abs(dx), abs(dy)) > 7)  # far from what it names
            gaps = [_gap(box, dot) for dot in dots]
            cost += 2 * (min(gaps) < 0.999 * gaps[i])  # nearer to something else
            tried.append((cost, len(tried), written, box))
        best = min(tried)[1]
        taken.append(tried[best][3])
        for _, j, written, _ in tried:
            if j != best:
                written.remove()


def _gap(box, dot):
    """How far a place lies from a text, in pixels."""
    across = max(box.x0 - dot[0], 0, dot[0] - box.x1)
    return np.hypot(across, max(box.y0 - dot[1], 0, dot[1] - box.y1))


def gathered(words, x):
    """Words at one place together: a list of (place, numbers of its words)."""
    groups = {}
    for i, place in enumerate(x.round(6)):
        groups.setdefault(tuple(place + 0.0), []).append(i)
    return list(groups.items())
