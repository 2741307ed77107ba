"""Vectors seen in two dimensions: points in groups, with names, and arrows between some of them."""

from collections.abc import Iterable, Mapping

import seaborn as sns

from d2lattn.arguments import show
from d2lattn.pictures import arrays
from d2lattn.pictures.arrays import Numbers, Words, numbers
from d2lattn.pictures.colours import DARK, FAINT, HAIR, INK, MARKERS, MIDDLE
from d2lattn.pictures.drawings._plane import along, label
from d2lattn.pictures.kit import Ax, Axes, Label, arrow, axes

FILLS = (MIDDLE, "white", INK, DARK, HAIR)  # a group plays none of the five roles


def groups(
    points: Mapping[str, Numbers],
    *,
    names: Mapping[str, Words] | None = None,
    arrows: Iterable[Numbers] = (),
    ax: Ax = None,
    title: Label = None,
    xlabel: str = "",
    ylabel: str = "",
) -> Axes:
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
        ValueError: no group, points that are not finite numbers (n, 2), names that are not a dict
            of as many words as the group has points, arrows that are no pairs of places.

    Example:
        >>> from d2lattn.pictures.plots import describe
        >>> ax = groups({"fruit": [[0, 0], [1, 0]], "firm": [[3, 2]]}, names={"firm": ["intel"]})
        >>> print(describe(ax))
        fruit: 2 points, x from 0 to 1, y 0; firm: 1 point at (3, 2).
    """
    if not isinstance(points, dict) or not points:
        raise ValueError(f"points must be a dict of groups, got {show(points)}")
    rule = "shape (n, 2)"
    places = {
        group: numbers(f"points {group!r}", xy, (None, 2), rule, finite=True).astype(float)
        for group, xy in points.items()
    }
    named = _named(places, {} if names is None else names)
    arrows = _pairs(arrows)
    ax = axes(ax, (7, 4.2))
    for start, end in arrows:  # bent past a point that lies on the straight way
        arrow(ax, start, end, FAINT, width=1.2, way="arc3,rad=-0.05", gap=4)
    for i, (group, xy) in enumerate(places.items()):
        look = dict(marker=MARKERS[i % len(MARKERS)], color=FILLS[i % len(FILLS)], s=45, zorder=3)
        ax.scatter(*xy.T, label=group, edgecolors=INK, linewidths=0.8, **look)
    ax.set(xlabel=xlabel, ylabel=ylabel, title=title)
    ax.margins(0.12)
    if len(places) > 1:
        ax.legend(frameon=False, labelcolor=INK)
    if named:
        ax.autoscale_view()
        crossed = [spot for start, end in arrows for spot in along(start, end)]
        label(ax, *zip(*named, strict=True), avoid=crossed, say=False)
    sns.despine(ax=ax)
    return ax


def _named(points, names):
    """(place, name) of every point that has a name."""
    if not isinstance(names, dict) or not names.keys() <= points.keys():
        raise ValueError(
            f"names must be a dict of words for some of the groups {[*points]}, got {show(names)}"
        )
    named = {
        group: arrays.names(f"names {group!r}", words, len(points[group]))
        for group, words in names.items()
    }
    return [pair for group in named for pair in zip(points[group], named[group], strict=True)]


def _pairs(arrows):
    """The arrows as arrays ((x, y), (x, y))."""
    if not hasattr(arrows, "__iter__"):
        raise ValueError(f"arrows must be a list of pairs of places, got {show(arrows)}")
    rule = "pairs of places ((x, y), (x, y))"
    return [numbers("arrows", pair, (2, 2), rule, finite=True).astype(float) for pair in arrows]
