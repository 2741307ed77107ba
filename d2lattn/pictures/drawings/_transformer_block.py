"""The Transformer in one drawing: a stream that runs upwards, and the parts that add to it."""

from matplotlib.patches import FancyBboxPatch

from d2lattn.arguments import check_flag
from d2lattn.pictures.colours import ROLES
from d2lattn.pictures.drawings._sheet import arrow, box
from d2lattn.pictures.kit import axes

STREAM, PART, WIDE = 0.0, 3.1, 3.4  # the stream's place, the middle of the parts and their width
NEUTRAL = "#ebebeb"  # what plays none of the five roles


def transformer_block(*, mlp=True, ax=None):
    """Draw embedding, one block and logits: what a part finds is added to the stream.

    x = x + attention(norm(x)), x = x + mlp(norm(x)) (Vaswani et al. 2017, section 3, with the norm
    before the part as in Radford et al. 2019, section 2.3).

    Args:
        mlp (bool): whether the block has its second part.
        ax (Axes): where to draw; a new figure when absent.

    Returns:
        matplotlib Axes.

    Raises:
        ValueError: mlp that is not True or False.

    Example:
        >>> from d2lattn.pictures.plots import describe
        >>> print(describe(transformer_block()))
        16 texts, from 'words'
    """
    check_flag("mlp", mlp)
    parts = [("attention", "every word looks at the others", ROLES["weight"] + "60")]
    if mlp:
        parts.append(("MLP", "every word thinks for itself\n(also called feed-forward)", NEUTRAL))
    top = 2.2 + 2.4 * len(parts)
    ax = axes(ax, (7.4, 1.2 + 0.62 * top))
    box(ax, STREAM, 0.0, 2.9, "words", NEUTRAL)
    box(ax, STREAM, 1.0, 2.9, "embedding + position", NEUTRAL)
    arrow(ax, (STREAM, 0.32), (STREAM, 0.68))
    arrow(ax, (STREAM, 1.32), (STREAM, top - 0.02))
    for i, (name, says, colour) in enumerate(parts):
        foot = 1.8 + 2.4 * i
        _branch(ax, foot, name, says, colour)
    frame = FancyBboxPatch(
        (-2.2, 1.62), 12.1, 2.4 * len(parts) + 0.1, boxstyle="round,pad=0.05", fill=False, ls="--"
    )
    ax.add_patch(frame)
    ax.text(9.8, top - 0.85, "a block, repeated in each layer", ha="right", fontsize=10)
    beside = dict(va="center", fontsize=10)
    ax.text(PART + WIDE / 2 + 0.3, 2.1, "LayerNorm: to a standard size", **beside)
    ax.text(STREAM - 0.3, 3.75, "residual\nconnection", ha="right", **beside)
    box(ax, STREAM, top + 0.3, 2.9, "norm", NEUTRAL)
    box(ax, PART, top + 0.3, 1.6, "matrix", NEUTRAL)
    box(ax, PART + 4.0, top + 0.3, WIDE, "a logit for each word", ROLES["output"] + "40")
    arrow(ax, (STREAM + 1.45, top + 0.3), (PART - 0.8, top + 0.3))
    arrow(ax, (PART + 0.8, top + 0.3), (PART + 4.0 - WIDE / 2, top + 0.3))
    ax.set(xlim=(-2.5, 10.2), ylim=(-0.5, top + 0.8))
    ax.set_axis_off()
    return ax


def _branch(ax, foot, name, says, colour):
    """One part: off the stream, through norm and part, back onto the stream with a plus."""
    arrow(ax, (STREAM, foot + 0.3), (PART - WIDE / 2, foot + 0.3))
    box(ax, PART, foot + 0.3, WIDE, "norm", NEUTRAL)
    arrow(ax, (PART, foot + 0.62), (PART, foot + 0.98))
    box(ax, PART, foot + 1.3, WIDE, name, colour)
    ax.text(PART + WIDE / 2 + 0.3, foot + 1.3, says, va="center", fontsize=10)
    arrow(ax, (PART - WIDE / 2, foot + 1.3), (STREAM + 0.2, foot + 1.9))
    plus = dict(boxstyle="circle,pad=0.1", fc="white", ec="0.3")
    ax.text(STREAM, foot + 1.95, "+", ha="center", va="center", fontsize=13, bbox=plus, zorder=4)
