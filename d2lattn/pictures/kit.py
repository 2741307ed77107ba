"""What every drawing begins with: Axes, the two greys of text, a list of names."""

import matplotlib.pyplot as plt

from d2lattn.arguments import show

INK, FAINT = "#222222", "#767676"  # both at least 4.5:1 on white, as small text needs


def axes(ax, size):
    """The Axes given, or those of a new white figure of this size in inches."""
    if ax is None:
        return plt.subplots(figsize=size, layout="constrained", facecolor="white")[1]
    check_axes(ax)
    return ax


def check_axes(ax):
    """None, or Axes of matplotlib."""
    if ax is not None and not isinstance(ax, plt.Axes):
        raise ValueError(f"ax must be a matplotlib Axes or None, got {show(ax)}")


def names_of(name, values, count=None):
    """A list of strings, at least one; `count` of them if that is given."""
    if isinstance(values, str) or not hasattr(values, "__iter__"):
        raise ValueError(f"{name} must be a list of strings, got {show(values)}")
    values = [str(value) for value in values]
    if not values:
        raise ValueError(f"{name} must hold at least 1 string, got none")
    if count is not None and len(values) != count:
        raise ValueError(f"{name} must hold {count} strings, got {len(values)}")
    return values
