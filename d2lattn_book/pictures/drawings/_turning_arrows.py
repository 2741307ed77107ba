"""RoPE in one picture: a query and a key, each turned by its position. Chapter 7."""

import math

import numpy as np

from d2lattn_book.pictures.arrays import Numbers, number, pair
from d2lattn_book.pictures.colours import FAINT, PALE, ROLES
from d2lattn_book.pictures.drawings._plane import along, label
from d2lattn_book.pictures.figure import pause
from d2lattn_book.pictures.kit import Ax, Axes, arrow, axes, laid_out


def turning_arrows(query: Numbers, key: Numbers, positions: Numbers, *, ax: Ax = None) -> Axes:
    """Draw a query and a key before and after each is rotated by its position.

    The grey arrows are the vectors as they are, the full ones are rotated by i and j radians
    (Su et al. 2021, section 3.2.1); the arc between them is the angle that the score sees,
    the short way round, as the title says it.

    Args:
        query, key: two numbers each.
        positions: the position i of the query and j of the key.

    Example:
        >>> from d2lattn_book.pictures.plots import describe
        >>> print(describe(turning_arrows((1, 0), (1, 0), (2, 1))))
        query at position 2, key at position 1: (2 − 1)ω = 57°, angle 57°, score 0.54.
    """
    query, key, (i, j) = pair("query", query), pair("key", key), pair("positions", positions)
    vectors = {"query": query, "key": key}
    ax = axes(ax, (4, 4.2))

    reach = max(math.hypot(*query), math.hypot(*key))
    ends, tips = [], []
    for (name, vector), position in zip(vectors.items(), (i, j), strict=True):
        start, length = math.atan2(vector[1], vector[0]), math.hypot(*vector)
        end, color = start + position, ROLES[name]
        ends.append(end)
        tips.append(_arrow(ax, end, length, color, label=f"{name} at {position:g}"))
        _arrow(ax, start, length, PALE, zorder=1)  # where the two lie on each other, one grey
        # The way it turned, drawn inside; more than one turn shows as a spiral.
        way = np.linspace(start, end, 200)
        radius = reach * (0.3 if name == "query" else 0.2) * np.linspace(1, 1.15, 200)
        ax.plot(radius * np.cos(way), radius * np.sin(way), ":", color=color, lw=1.2)
    between = math.remainder(ends[0] - ends[1], 2 * math.pi)  # the short way round
    arc = np.linspace(ends[1], ends[1] + between, 60)
    ax.plot(0.6 * reach * np.cos(arc), 0.6 * reach * np.sin(arc), color=FAINT, lw=5)
    ax.set(aspect="equal", xlim=(-1.7 * reach, 1.7 * reach), ylim=(-1.35 * reach, 1.35 * reach))
    about = "first channel\ngrey arrow: before the rotation; ω = 1 rad"
    ax.set(xlabel=about, ylabel="second channel", xticks=[], yticks=[])
    score = math.hypot(*query) * math.hypot(*key) * math.cos(between)
    turned = f"({i:g} − {j:g})ω = {math.degrees(i - j):.0f}°"
    seen = f"angle {abs(math.degrees(between)):.0f}°, score {number(score)}"
    title = f"query at position {i:g}, key at position {j:g}:\n{turned}, {seen}"
    ax.set_title(title.replace("-", "−"), fontsize=10)
    ax.describes_itself = lambda ax: ax.get_title()
    laid_out(ax).apply_aspect()
    avoid = [spot for tip in tips for spot in along((0, 0), tip)]
    label(ax, tips, [f"query at {i:g}", f"key at {j:g}"], avoid=avoid, say=False)
    pause(ax)
    return ax


def _arrow(ax, angle, length, color, *, label=None, zorder=3):
    """An arrow from the centre, and where it ends; the line beneath is what `describe` reads."""
    tip = length * math.cos(angle), length * math.sin(angle)
    arrow(ax, (0, 0), tip, color, width=2.5, zorder=zorder)
    ax.plot([0, tip[0]], [0, tip[1]], color=color, lw=1, label=label, zorder=zorder)
    return tip
