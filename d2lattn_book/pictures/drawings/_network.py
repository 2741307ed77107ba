"""Layers of units and who sees whom in them: CNN, RNN and attention in one kind of picture."""

from collections.abc import Iterable, Sequence

import seaborn as sns
import torch
from matplotlib.collections import LineCollection

from d2lattn_book.comparison import boolean_steps, receptive_field
from d2lattn_book.host import on_the_host
from d2lattn_book.pictures.arrays import Numbers
from d2lattn_book.pictures.colours import DARK, PALE, ROLES
from d2lattn_book.pictures.kit import Ax, Axes, Label, arrow, axes


@on_the_host
def network(
    steps: Iterable[Numbers],
    *,
    within: Numbers | None = None,
    unit: Sequence[int] | None = None,
    ax: Ax = None,
    title: Label = None,
) -> Axes:
    """Draw layers of units and who sees whom, inputs at the bottom.

    Args:
        steps: boolean (n, n) for each layer, the first one first: [i, j] is True when its unit i
            sees unit j of the layer below.
        within: boolean (n, n), who sees whom inside each layer above the inputs (in an RNN the
            state before).
        unit: (layer, position), both from 0 (the input), of the unit whose receptive field is
            drawn in colour, itself red like an output, what it hears green like values.

    Example:
        >>> from d2lattn_book.pictures.plots import describe
        >>> print(describe(network([torch.eye(3).bool()])))
        3 connections in 1 layer of 3 units.
    """
    steps = boolean_steps(steps)
    n = len(steps[0])
    (within,) = boolean_steps([torch.zeros(n, n).bool() if within is None else within], "within", n)
    field = torch.zeros(len(steps) + 1, n, dtype=torch.bool)
    if unit is not None:
        field = receptive_field(steps, unit, within=within)
    ax = axes(ax, (1 + 0.75 * n, 1 + 0.95 * len(steps)))
    _draw_edges(ax, steps, within, field)
    _draw_units(ax, field, unit)
    names = ["input", *(f"layer {y}" for y in range(1, len(field)))]
    ax.set(xlim=(-0.5, n - 0.5), ylim=(-0.4, len(steps) + 0.4), xlabel="position", title=title)
    ax.set_xticks(range(n))
    ax.set_yticks(range(len(field)), names)
    ax.tick_params(length=0)
    sns.despine(ax=ax, left=True, bottom=True)
    count = int(sum(step.sum() for step in steps) + within.sum() * len(steps))
    layers = f"{len(steps)} layer{'s' * (len(steps) > 1)}"
    ax.describes_itself = f"{count} connections in {layers} of {n} units"
    if unit is not None:
        reached = ", ".join(map(str, field[0].nonzero().flatten().tolist()))
        ax.describes_itself += f"; unit {unit[1]} of layer {unit[0]} depends on inputs {reached}"
    return ax


def _draw_edges(ax, steps, within, field):
    """Who sees whom, green where both ends belong to the field."""
    seen = [(y, y + 1, i, j) for y, step in enumerate(steps) for i, j in step.nonzero().tolist()]
    inside = within.nonzero().tolist()
    seen += [(y, y, i, j) for y in range(1, len(field)) for i, j in inside]
    edges = [((j, below), (i, y)) for below, y, i, j in seen]
    colours = [ROLES["value"] if field[y, i] else PALE for _, y, i, _ in seen]
    widths = [2.0 if field[y, i] else 1.0 for _, y, i, _ in seen]
    ax.add_collection(LineCollection(edges, colors=colours, linewidths=widths, label="connections"))
    for (start, end), colour in zip(edges, colours, strict=True):
        if start[1] == end[1]:  # an arrow for what runs sideways
            arrow(ax, start, end, colour, width=1.5, gap=7)


def _draw_units(ax, field, unit):
    """What the chosen unit hears is green like a value, and the unit red like an output."""
    y, x = (~field).nonzero().T.numpy()
    circle = dict(s=170, edgecolors=DARK, zorder=3)
    if len(x):
        ax.scatter(x, y, color="white", label="others", **circle)
    if unit is None:
        return
    y, x = field.nonzero().T.numpy()
    roles = ["output" if (y, x) == tuple(unit) else "value" for y, x in field.nonzero().tolist()]
    look = dict(color=[ROLES[role] for role in roles], label=f"field of unit {unit[1]}")
    ax.scatter(x, y, **look, **circle)
