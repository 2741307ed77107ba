"""The Transformer in one drawing: a stream that runs upwards, and the parts that add to it."""

from d2lattn_book.pictures.colours import DARK, GROUND, ROLES
from d2lattn_book.pictures.kit import Ax, Axes, arrow, box, frame, sheet, text, tint, word

STREAM, PART, WIDE = 0.0, 3.1, 3.4  # the stream's place, the middle of the parts and their width


def transformer_block(*, ax: Ax = None) -> Axes:
    """Draw embedding, one block and logits: what a part finds is added to the stream.

    x = x + attention(norm(x)), x = x + mlp(norm(x)) (Vaswani et al. 2017, section 3, with the norm
    before the part as in Radford et al. 2019, section 2.3).

    Example:
        >>> from d2lattn_book.pictures.plots import describe
        >>> describe(transformer_block())[:58]
        'From below: tokens, embedding + position; in a block norm,'
    """
    parts = (
        ("attention", "attends to the tokens so far", tint(ROLES["weight"], 0.4)),
        ("MLP", "each token by itself\n(also called feed-forward)", GROUND),
    )
    top = 2.2 + 2.4 * len(parts)
    ax = sheet(ax, (7.4, 1 + 0.44 * top))
    box(ax, STREAM, 0.0, 2.9, "tokens")
    box(ax, STREAM, 1.0, 2.9, "embedding + position")
    arrow(ax, (STREAM, 0.32), (STREAM, 0.68))
    arrow(ax, (STREAM, 1.32), (STREAM, top - 0.02))
    for i, (name, says, colour) in enumerate(parts):
        _branch(ax, 1.8 + 2.4 * i, name, says, colour)
    frame(ax, (-2.2, 1.62), 12.1, 2.4 * len(parts) + 0.1, linestyle="--")
    text(ax, 9.8, top - 0.85, "a block, repeated in each layer", ha="right", va="baseline")
    text(ax, PART + WIDE / 2 + 0.3, 2.1, "LayerNorm: to a standard size", ha="left")
    text(ax, STREAM - 0.3, 3.75, "residual\nconnection", ha="right")
    box(ax, STREAM, top + 0.3, 2.9, "norm")
    box(ax, PART, top + 0.3, 1.6, "matrix")
    box(ax, PART + 4.0, top + 0.3, WIDE, "a logit for each token", face=tint(ROLES["output"]))
    arrow(ax, (STREAM + 1.45, top + 0.3), (PART - 0.8, top + 0.3))
    arrow(ax, (PART + 0.8, top + 0.3), (PART + 4.0 - WIDE / 2, top + 0.3))
    ax.set(xlim=(-2.5, 10.2), ylim=(-0.5, top + 0.8))
    block = "in a block norm, attention, plus, then norm, MLP, plus"
    ends = "norm and a matrix give a logit for each token"
    ax.describes_itself = f"From below: tokens, embedding + position; {block}; {ends}"
    return ax


def _branch(ax, foot, name, says, colour):
    """One part: off the stream, through norm and part, back onto the stream with a plus."""
    arrow(ax, (STREAM, foot + 0.3), (PART - WIDE / 2, foot + 0.3))
    box(ax, PART, foot + 0.3, WIDE, "norm")
    arrow(ax, (PART, foot + 0.62), (PART, foot + 0.98))
    box(ax, PART, foot + 1.3, WIDE, name, face=colour)
    text(ax, PART + WIDE / 2 + 0.3, foot + 1.3, says, ha="left")
    arrow(ax, (PART - WIDE / 2, foot + 1.3), (STREAM + 0.2, foot + 1.9))
    word(ax, STREAM, foot + 1.95, "+", edge=DARK, width=1, shape="circle,pad=0.1", size=13)
