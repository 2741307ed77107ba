"""The Transformer of 2017: one stack reads, the other writes and asks the first."""

from d2lattn_book.pictures.colours import DARK, GROUND, ROLES
from d2lattn_book.pictures.kit import Ax, Axes, arrow, box, frame, sheet, text, tint

READS, WRITES = 0.0, 8.4  # the places of the two streams
ASIDE, WIDE, HIGH = 2.6, 2.7, 0.8  # from a stream to the middle of its parts, and their size
FIRST, STEP = 1.9, 1.6  # height at which the first part leaves the stream, and from part to part
LOOK = tint(ROLES["weight"], 0.4)  # the face of attention


def encoder_decoder(*, ax: Ax = None) -> Axes:
    """Draw the encoder, the decoder, and the cross-attention in which the one asks the other.

    x = norm(x + part(x)) for each part; in cross-attention the queries are the decoder's, keys and
    values the encoder's (Vaswani et al. 2017, sections 3.1 and 3.2.3, figure 1).

    Example:
        >>> from d2lattn_book.pictures.plots import describe
        >>> print(describe(encoder_decoder()))
        encoder, decoder, keys, values, query.
    """
    ax = sheet(ax, (8.8, 5.5))
    think = "MLP", GROUND, DARK
    reads = [("attention:\nall tokens", LOOK, DARK), think]
    crossing = "cross-attention", LOOK, ROLES["query"]
    writes = [("attention: itself\nand before", LOOK, DARK), crossing, think]
    out = _stack(ax, READS, "encoder", "source tokens", reads)
    top = _stack(ax, WRITES, "decoder", "tokens generated so far", writes)
    asks = FIRST + STEP + 0.5  # the height of cross-attention
    arrow(ax, (READS, out - 0.2), (READS, out + 0.2))
    box(ax, READS, out + 0.5, 3.0, "a vector per token")
    for role, name, turn, higher in (("key", "keys", 2.7, 0.14), ("value", "values", 2.4, -0.14)):
        colour, high = ROLES[role], asks + higher
        way = [READS + 1.53, turn, turn], [out + 0.5 + higher] * 2 + [high]
        ax.plot(*way, color=colour, lw=1.3)
        arrow(ax, (turn, high), (WRITES - ASIDE - WIDE / 2, high), colour)
        text(ax, 3.4, asks + 2.3 * higher, name, say=True)
    text(ax, WRITES - 1.0, asks - 0.63, "query", say=True)
    arrow(ax, (WRITES, top - 0.2), (WRITES, top + 0.4))
    box(ax, WRITES, top + 0.7, 1.6, "matrix")
    logit = dict(face=tint(ROLES["output"]))
    box(ax, WRITES - 3.4, top + 0.7, 3.4, "a logit per token", **logit)
    arrow(ax, (WRITES - 0.8, top + 0.7), (WRITES - 1.7, top + 0.7))
    ax.set(xlim=(-4.5, 10.1), ylim=(-0.5, top + 1.2))
    return ax


def _stack(ax, x, name, words, parts):
    """A stream with its parts at the left, framed as a block; returns the height of its end."""
    top = FIRST + STEP * len(parts)
    box(ax, x, 0.0, 3.0, words)
    box(ax, x, 0.95, 3.0, "embedding + position")
    arrow(ax, (x, 0.3), (x, 0.65))
    ax.plot([x, x], [1.25, top + 0.1], color=DARK, lw=1.3, zorder=1)
    for i, (part, colour, asks) in enumerate(parts):
        y, edge = FIRST + STEP * i, x - ASIDE + WIDE / 2
        arrow(ax, (x, y + 0.1), (edge, y + 0.4), asks)
        box(ax, x - ASIDE, y + 0.5, WIDE, part, face=colour, height=HIGH)
        arrow(ax, (edge, y + 0.6), (x - 0.6, y + 1.05))
        box(ax, x, y + 1.1, 1.2, "+, norm", face="white")
    left, low = x - ASIDE - WIDE / 2 - 0.25, FIRST - 0.2
    frame(ax, (left, low), ASIDE + WIDE / 2 + 1.15, top - 0.05 - low, linestyle="--")
    text(ax, left, low - 0.3, name, ha="left", size=11, say=True)
    text(ax, left, low - 0.65, "six such blocks", ha="left")
    return top + 0.25
