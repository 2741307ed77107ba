"""Vectors seen in two dimensions: points in groups, with names, and arrows between some of them."""

import seaborn as sns
from matplotlib.patches import FancyArrowPatch
from matplotlib.patheffects import withStroke

from d2lattn.canvas import axes
from d2lattn.checks import show
from d2lattn.plots import MARKERS, to_numpy


def groups(points, *, names=None, arrows=(), ax=None, title=None, xlabel="", ylabel=""):
    """Draw groups of points, each with a colour and a marker of its own.

    Args:
        points: name of a group -> (n, 2).
        names: name of a group -> n words, written beside its points; other groups have none.
        arrows: pairs of places ((x, y), (x, y)), from the first to the second.
        ax (Axes): where to draw; a new figure when absent.
        title, xlabel, ylabel (str): labels.

    Returns:
        matplotlib Axes.

    Raises:
        ValueError: no group, points that are not (n, 2), another number of names than points.

    Example:
        >>> from d2lattn.plots import describe
        >>> ax = groups({"fruit": [[0, 0], [1, 0]], "firm": [[3, 2]]}, names={"firm": ["intel"]})
        >>> print(describe(ax))
        fruit: 2 points, x 0 to 1, y 0 to 0; firm: 1 points, x 3 to 3, y 2 to 2
    """
    if not isinstance(points, dict) or not points:
        raise ValueError(f"points must be a dict of groups, got {show(points)}")
    points = {group: _places(group, xy) for group, xy in points.items()}
    names = {group: [str(name) for name in of_it] for group, of_it in (names or {}).items()}
    for group, of_it in names.items():
        if group not in points or len(of_it) != len(points[group]):
            raise ValueError(
                f"names must hold one for each point of its group, got {len(of_it)} for {group!r}"
            )
    ax = axes(ax, (7, 4.2))
    for start, end in arrows:
        look = dict(arrowstyle="-|>", color="0.55", lw=1.2, mutation_scale=12)
        ax.add_patch(FancyArrowPatch(start, end, shrinkA=4, shrinkB=4, **look))
    for i, (group, xy) in enumerate(points.items()):
        look = dict(marker=MARKERS[i % len(MARKERS)], color=f"C{i}", s=45, alpha=0.85, zorder=3)
        ax.scatter(*xy.T, label=group, **look)
        for place, name in zip(xy, names.get(group, []), strict=False):
            _write(ax, place, name)
    ax.set(xlabel=xlabel, ylabel=ylabel, title=title)
    ax.margins(0.12)
    if len(points) > 1:
        ax.legend(frameon=False)
    sns.despine(ax=ax)
    return ax


def _places(group, xy):
    xy = to_numpy(xy, f"points {group!r}")
    if xy.ndim != 2 or xy.shape[1] != 2 or not len(xy):
        raise ValueError(f"points {group!r} must have shape (n, 2), got {xy.shape}")
    return xy.astype(float)


def _write(ax, place, name):
    """A name above its point, legible also where it crosses an arrow."""
    halo = [withStroke(linewidth=3, foreground="white")]
    shift = dict(xytext=(0, 6), textcoords="offset points", ha="center", va="bottom")
    ax.annotate(name, place, fontsize=9, path_effects=halo, zorder=4, **shift)
