"""Many heads, or one model in training."""

import torch

from d2lattn.arguments import show
from d2lattn_book.host import on_the_host
from d2lattn_book.pictures import arrays
from d2lattn_book.pictures.arrays import Numbers, Words, position, readable, to_numpy
from d2lattn_book.pictures.packed import in_bytes
from d2lattn_book.pictures.page import MOST_WORDS, Figure
from d2lattn_book.pictures.tables import weights_table

MOST_HEADS, MOST_SHARES = 16, 65_536  # of the maps
MOST_STEPS, MOST_SHARES_IN_TRAINING = 500, 50_000  # a figure of at most 100 kB in the notebook


@on_the_host
def heads(
    weights: Numbers,
    *,
    tokens: Words,
    key_tokens: Words | None = None,
    names: Words | tuple[Words, Words | None] | None = None,
    query: int | str = -1,
    head: int | str = 0,
    step: int = 0,
) -> Figure:
    """The attention weights of many heads, or of snapshots of a model in training.

    Small maps, one large, and the weights of one query. Snapshots can be played. What is sent are
    integers of 8 or 16 bits, and the line of text says how far a weight may be off.

    Args:
        weights: (H, L, S), or (T, H, L, S) for up to 500 snapshots, which get a slider.
            Every row adds up to 1, or to 0 where nothing may be seen. At most 65,536 numbers,
            50,000 with snapshots.
        tokens: names of the L queries, at most 64.
        key_tokens: names of the S keys; `tokens` when absent.
        names: H names of heads; for T snapshots a pair (T names of steps, H names or None).
        query: the token whose query is shown when the figure opens, by name or position.
        head: the head with which it opens, by name or position.
        step (int): the snapshot with which it opens, from 0, negative from the end.

    Raises:
        ValueError: shapes that do not fit; rows whose sum is not 1; more than 64 tokens, 16 heads,
            500 snapshots or 65,536 weights; an unknown token, head or step.

    Cost:
        About 21 kB in the notebook for six tokens, 105 kB for 64 words and 16 heads.

    Example:
        >>> heads([[[0.5, 0.5], [0.1, 0.9]]], tokens=["small", "cat"])
        live heads: 1 head over 2 × 2 tokens, each weight within 8e-06
    """
    weights = to_numpy(weights, "weights")
    weights = weights[None] if weights.ndim == 3 else weights  # one snapshot
    limits = MOST_STEPS, MOST_HEADS, MOST_WORDS, MOST_WORDS
    weights = readable("weights", weights, ("steps", "heads", "tokens", "tokens"), limits)
    arrays.check_weights(weights)
    T, H, L, S = weights.shape
    most = MOST_SHARES if T == 1 else MOST_SHARES_IN_TRAINING
    if weights.numel() > most:
        raise ValueError(f"weights must have at most {most} numbers, got {weights.numel()}")
    tokens = arrays.names("tokens", tokens, L, "rows of weights")
    if key_tokens is not None:
        key_tokens = arrays.names("key_tokens", key_tokens, S, "columns of weights")
    elif L != S:
        raise ValueError(f"key_tokens must name the {S} columns of weights, which has {L} rows")
    step_names, head_names = _head_names(names, T, H)
    data = {"shape": [T, H, L, S], "tokens": tokens, "heads": head_names}
    if key_tokens is not None:
        data["key_tokens"] = key_tokens
    if T > 1:
        data["steps"] = step_names
    shown = {
        "asks": position(query, tokens, "query"),
        "head": position(head, head_names, "head"),
        "step": position(step, T, "step"),
    }
    data |= shown
    bits = 16 if weights.numel() <= 4096 else 8
    unit = 1 / (2**bits - 1)
    whole = (weights / unit).round().to(torch.int64)
    data["weights"] = in_bytes(whole, bits) | {"low": 0, "unit": unit}
    line = (
        f"live heads: {f'{T} steps of ' if T > 1 else ''}{H} head{'s' if H > 1 else ''} over "
        f"{L} × {S} tokens, each weight within {unit / 2:.0e}"
    )
    chosen, name = whole[shown["step"], shown["head"]] * unit, head_names[shown["head"]]
    table = weights_table(chosen, name, tokens, key_tokens or tokens)
    return Figure("heads", line, data, table)


def _head_names(names, T, H):
    if T > 1 and names is not None and not (isinstance(names, tuple) and len(names) == 2):
        raise ValueError(f"names must be a pair (steps, heads) for snapshots, got {show(names)}")
    steps, heads = names if T > 1 and names is not None else (None, names)
    steps = [f"step {t}" for t in range(T)] if steps is None else steps
    heads = [f"head {h}" for h in range(H)] if heads is None else heads
    steps = arrays.names("names", steps, T, "steps")
    return steps, arrays.names("names", heads, H, "heads")
