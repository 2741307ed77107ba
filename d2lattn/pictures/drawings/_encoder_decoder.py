"""The Transformer of 2017: one stack reads, the other writes and asks the first."""

from matplotlib.patches import FancyBboxPatch

from d2lattn.pictures.colours import ROLES
from d2lattn.pictures.drawings._sheet import arrow, box
from d2lattn.pictures.kit import axes

READS, WRITES = 0.0, 8.4  # the places of the two streams
ASIDE, WIDE, HIGH = 2.6, 2.7, 0.8  # from a stream to the middle of its parts, and their size
FIRST, STEP = 1.9, 1.6  # height at which the first part leaves the stream, and from part to part
LOOK, NEUTRAL = ROLES["weight"] + "60", "#ebebeb"  # attention, and what plays none of the roles
GREY = "0.3"  # of an arrow that plays none


def encoder_decoder(*, ax=None):
    """Draw the encoder, the decoder, and the cross-attention in which the one asks the other.

    x = norm(x + part(x)) for each part; in cross-attention the queries are the decoder's, keys and
    values the encoder's (Vaswani et al. 2017, sections 3.1 and 3.2.3, figure 1).

    Args:
        ax (Axes): where to draw; a new figure when absent.

    Returns:
        matplotlib Axes.

    Raises:
        ValueError: an ax that is no Axes.

    Example:
        >>> from d2lattn.pictures.plots import describe
        >>> print(describe(encoder_decoder()))
        encoder, decoder, keys, values, query
    """
    ax = axes(ax, (8.8, 5.5))
    think = "MLP", NEUTRAL, GREY
    reads = [("attention:\nall words", LOOK, GREY), think]
    crossing = "cross-attention", LOOK, ROLES["query"]
    writes = [("attention: itself\nand before", LOOK, GREY), crossing, think]
    out = _stack(ax, READS, "encoder", "words to read", reads)
    top = _stack(ax, WRITES, "decoder", "words written so far", writes)
    asks = FIRST + STEP + 0.5  # the height of cross-attention
    arrow(ax, (READS, out - 0.2), (READS, out + 0.2))
    box(ax, READS, out + 0.5, 3.0, "a vector for each word", NEUTRAL)
    for role, name, turn, higher in (("key", "keys", 2.7, 0.14), ("value", "values", 2.4, -0.14)):
        colour, high = ROLES[role], asks + higher
        way = [READS + 1.53, turn, turn], [out + 0.5 + higher] * 2 + [high]
        ax.plot(*way, color=colour, lw=1.3)
        arrow(ax, (turn, high), (WRITES - ASIDE - WIDE / 2, high), colour)
        _say(ax, 3.4, asks + 2.3 * higher, name)
    _say(ax, WRITES - 1.0, asks - 0.63, "query")
    arrow(ax, (WRITES, top - 0.2), (WRITES, top + 0.4))
    box(ax, WRITES, top + 0.7, 1.6, "matrix", NEUTRAL)
    box(ax, WRITES - 3.4, top + 0.7, 3.4, "a logit for each word", ROLES["output"] + "40")
    arrow(ax, (WRITES - 0.8, top + 0.7), (WRITES - 1.7, top + 0.7))
    ax.set(xlim=(-4.5, 10.1), ylim=(-0.5, top + 1.2))
    ax.set_axis_off()
    return ax


def _stack(ax, x, name, words, parts):
    """A stream with its parts at the left, framed as a block; returns the height of its end."""
    top = FIRST + STEP * len(parts)
    box(ax, x, 0.0, 3.0, words, NEUTRAL)
    box(ax, x, 0.95, 3.0, "embedding + position", NEUTRAL)
    arrow(ax, (x, 0.3), (x, 0.65))
    ax.plot([x, x], [1.25, top + 0.1], color=GREY, lw=1.3, zorder=1)
    for i, (part, colour, asks) in enumerate(parts):
        y, edge = FIRST + STEP * i, x - ASIDE + WIDE / 2
        arrow(ax, (x, y + 0.1), (edge, y + 0.4), asks)
        box(ax, x - ASIDE, y + 0.5, WIDE, part, colour, height=HIGH)
        arrow(ax, (edge, y + 0.6), (x - 0.6, y + 1.05))
        box(ax, x, y + 1.1, 1.2, "+, norm", "white")
    low, high = FIRST - 0.2, top - 0.05
    frame = (x - ASIDE - WIDE / 2 - 0.25, low), ASIDE + WIDE / 2 + 1.15, high - low
    ax.add_patch(FancyBboxPatch(*frame, boxstyle="round,pad=0.05", fill=False, ls="--"))
    _say(ax, frame[0][0], low - 0.3, name, ha="left", size=11)
    ax.text(frame[0][0], low - 0.65, "six such blocks", va="center", fontsize=10)
    return top + 0.25


def _say(ax, x, y, text, *, ha="center", size=10):
    """A word that `plots.describe` repeats."""
    ax.text(x, y, text, ha=ha, va="center", fontsize=size, gid="said")
