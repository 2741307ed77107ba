"""Self-attention under the microscope."""

import math
from collections.abc import Sequence

import torch

from d2lattn.arguments import check_choice, check_number
from d2lattn_book.host import on_the_host
from d2lattn_book.pictures import arrays
from d2lattn_book.pictures.arrays import Numbers, Words, position, readable
from d2lattn_book.pictures.page import MOST_TOKENS, Figure, parts_of, rounded
from d2lattn_book.pictures.tables import plain_table

MASKS = ("none", "padding", "causal", "window", "causal + padding", "causal + window")
ATTENTION_PARTS = ("temperature", "divisor", "mask")
MOST_NUMBERS = 8  # in a token, query, key or value of the microscope


@on_the_host
def attention(
    x: Numbers,
    *,
    tokens: Words,
    scale: float | None = None,
    mask: str = "none",
    query: int | str = -1,
    parts: Sequence[str] = ATTENTION_PARTS,
) -> Figure:
    """Self-attention under the microscope: every number on screen, with its arithmetic in words.

    softmax(X Xᵀ · scale) X: queries, keys and values are the tokens themselves (chapter 1). The
    reader chooses a query, plays it a step at a time, and changes tokens, temperature, divisor and
    mask.

    Args:
        x: (n, d), a tensor or rows of numbers; n up to 12, d up to 8.
        tokens: n words, one for each row.
        scale (float): factor of the scores, 1e-6 to 1e6; 1/√d when absent.
        mask: where the menu of masks begins: "none", "padding", "causal", "window",
            "causal + padding" or "causal + window".
        query: the token whose query is followed when the figure opens, by name or position.
        parts: the controls that the reader is offered, of "temperature", "divisor" and "mask".

    Raises:
        ValueError: shapes that do not fit, numbers that are not finite, more than 12 tokens or 8
            numbers in one, an unknown mask or part, a scale or a number beyond 1e6, an unknown
            word.

    Cost:
        About 26 kB in the notebook for six tokens.

    Example:
        >>> attention([[1.0, 0.0], [1.0, 1.0]], tokens=["small", "cat"])
        live attention: 2 tokens of width 2; cat attends most to cat, attention weight 0.67
    """
    x = readable("x", x, ("tokens", "numbers"), (MOST_TOKENS, MOST_NUMBERS))
    tokens = arrays.names("tokens", tokens, len(x), "rows of x")
    if scale is not None:
        check_number("scale", scale, 1e-6)
    size, visible = _mask(mask, len(x))
    scores = x @ x.T * (x.shape[1] ** -0.5 if scale is None else scale)
    weights = torch.softmax(scores.masked_fill(~visible, -math.inf), dim=-1).nan_to_num()
    query = position(query, tokens, "query")
    parts = parts_of(parts, ATTENTION_PARTS)
    best = int(weights[query].argmax())
    line = (
        f"live attention: {len(x)} tokens of width {x.shape[1]}; {tokens[query]} attends "
        f"most to {tokens[best]}, attention weight {weights[query, best]:.2f}"
    )
    data = {"tokens": tokens, "x": rounded(x), "asks": query, "rule": mask, "size": size}
    if len(parts) < len(ATTENTION_PARTS):
        data["parts"] = parts
    if scale is not None:
        data["divisor"] = rounded(1 / scale)
    caption = "Attention weight of each row's query on each column's key"
    return Figure("attention", line, data, plain_table(caption, tokens, tokens, weights))


def _mask(rule, n):
    """The length or width with which the menu of masks begins, and the mask."""
    check_choice("mask", rule, MASKS)
    i, j = torch.arange(n)[:, None], torch.arange(n)
    size = 2 if "window" in rule else max(n - 1, 1)
    visible = torch.ones(n, n, dtype=torch.bool)
    if "padding" in rule:
        visible &= j < size
    if "causal" in rule:
        visible &= j <= i
    if "window" in rule:
        visible &= (i - j).abs() < size
    return size, visible
