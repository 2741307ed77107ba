"""Vectors seen in two dimensions: points in groups, with names, and arrows between some of them."""

import seaborn as sns
from matplotlib.patches import FancyArrowPatch

from d2lattn.arguments import show
from d2lattn.pictures import plots
from d2lattn.pictures.arrays import to_numpy
from d2lattn.pictures.drawings._plane import along, label
from d2lattn.pictures.kit import INK, axes

FILLS = ("0.65", "white", INK, "0.4", "0.85")  # greys: a group plays none of the five roles


def groups(points, *, names=None, arrows=(), ax=None, title=None, xlabel="", ylabel=""):
    """Draw groups of points, each with a grey and a marker of its own.

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
        >>> from d2lattn.pictures.plots import describe
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
    crossed = []  # what a name should not stand on
    for start, end in arrows:
        look = dict(arrowstyle="-|>", color="0.55", lw=1.2, mutation_scale=12)
        look["connectionstyle"] = "arc3,rad=-0.05"  # past a point that lies on the straight way
        ax.add_patch(FancyArrowPatch(start, end, shrinkA=4, shrinkB=4, **look))
        crossed += along(start, end)
    for i, (group, xy) in enumerate(points.items()):
        look = dict(
            marker=plots.MARKERS[i % len(plots.MARKERS)],
            color=FILLS[i % len(FILLS)],
            s=45,
            zorder=3,
        )
        ax.scatter(*xy.T, label=group, edgecolors=INK, linewidths=0.8, **look)
    ax.set(xlabel=xlabel, ylabel=ylabel, title=title)
    ax.margins(0.12)
    if len(points) > 1:
        ax.legend(frameon=False)
    named = [
        (place, n) for group in names for place, n in zip(points[group], names[group], strict=True)
    ]
    if named:
        ax.autoscale_view()
        label(ax, *zip(*named, strict=True), avoid=crossed, gid=None)
    sns.despine(ax=ax)
    return ax


def _places(group, xy):
    xy = to_numpy(xy, f"points {group!r}")
    if xy.ndim != 2 or xy.shape[1] != 2 or not len(xy):
        raise ValueError(f"points {group!r} must have shape (n, 2), got {xy.shape}")
    return xy.astype(float)
