"""Rules for arguments. What breaks one raises a ValueError: the argument, the rule, what was got.

They are about shapes, the direction of a mask, causality, sizes, choices and numbers that would
become NaN. A wrong type is Python's or torch's own error.
"""

import contextlib
import math

import torch

from d2lattn.tracing import data_dependent_ok, is_eager

INTEGERS = (torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8)
ROWS = "... length width"
FLOATS = (torch.float32, torch.bfloat16, torch.float16, torch.float64)  # that torch computes with


def check_count(name, value, least=1, most=None):
    """Require an int from `least` to `most`."""
    if not isinstance(value, (int, torch.SymInt)) or value < least:
        raise ValueError(f"{name} must be an integer of at least {least}, got {show(value)}")
    if most is not None and value > most:
        raise ValueError(f"{name} must be an integer of at most {most}, got {show(value)}")


def check_counts(least=1, **given):
    """Require the same of several, each by its name."""
    for name, value in given.items():
        check_count(name, value, least)


def check_number(name, value, least=-math.inf, most=math.inf):
    """Require a finite int or float from `least` to `most`, and give it as a float."""
    if not is_finite_number(value) or not least <= value <= most:
        lowest = f" of at least {least}" if least > -math.inf else ""
        bounds = f" from {least} to {most}" if most < math.inf else lowest
        raise ValueError(f"{name} must be a finite number{bounds}, got {show(value)}")
    return float(value)


def is_finite_number(value):
    """Tell whether `value` is a finite int or float (math.isfinite would stop a graph)."""
    return isinstance(value, (int, float)) and abs(value) < math.inf


def check_choice(name, value, choices):
    """Require one of the strings in `choices`."""
    if value not in choices:
        raise ValueError(f"{name} must be one of {choices}, got {show(value)}")


def check_real(name, x, hint=""):
    """Require a floating tensor of any shape; the hint says what else there is."""
    if x.dtype not in FLOATS:
        raise ValueError(f"{name} must be a floating tensor, got {x.dtype}{hint}")


def expect(name, x, axes):
    """Require a floating tensor with these axes: a number is a size, a word an axis of any size,
    and dots at the beginning are any axes. `expect("x", x, f"batch {H} length {D}")` takes
    (2, H, 7, D).
    """
    first, *last = wanted = axes.split()
    shape = f"({', '.join(wanted)})"
    check_real(name, x)
    wanted, sizes = (last, x.shape[-len(last) :]) if first == "..." else (wanted, x.shape)
    if len(wanted) != len(sizes) or any(
        axis.isdigit() and int(axis) != size for axis, size in zip(wanted, sizes, strict=True)
    ):
        raise ValueError(f"{name} must have shape {shape}, got {tuple(x.shape)}")


def check_boolean_mask(name, x, shape=()):
    """Require a boolean tensor; the message says which way it points, and what to write instead for
    scores of this shape, batch first."""
    if x.dtype != torch.bool:
        may_be_one = _may_be_zeros_and_ones(x)
        remedy = f"a mask of 0 and 1 is written {_as_boolean(x, shape)}; " if may_be_one else ""
        raise ValueError(
            f"{name} must be a boolean tensor, True = may attend, got {x.dtype}; {remedy}"
            "a mask of 0 and −inf is written mask == 0; other numbers to be added go into attn_bias"
        )


def _as_boolean(x, shape):
    """Write down a mask of 0 and 1 as a boolean one: (L, S), or (B, S) of padding."""
    if len(shape) < 3 or x.shape != (shape[0], shape[-1]):
        return "mask.bool()"
    padding = f"mask.bool()[:{', None' * (len(shape) - 2)}] for (batch, keys)"
    return f"mask.bool(), or {padding}" if fits(x, shape[-2:]) else padding


def _may_be_zeros_and_ones(x):
    """Tell whether all entries are 0 or 1, not all of them 0; True where one may not look."""
    with contextlib.suppress(RuntimeError):  # a tensor without values, or torch.func's
        if not torch.compiler.is_compiling():
            return bool(((x == 0) | (x == 1)).all() and x.any())
    return True


def check_alike(like_name, like, **tensors):
    """Require tensors of one dtype on one device."""
    for name, x in tensors.items():
        if x.dtype != like.dtype or x.device != like.device:
            raise ValueError(
                f"{name} must have the dtype and device of {like_name} "
                f"({like.dtype}, {like.device}), got {x.dtype}, {x.device}"
            )


def scores_shape(query, key, value=None):
    """Give the shape (..., L, S) of the scores of floating tensors (..., L, E) and (..., S, E);
    values (..., S, Ev) must fit them."""
    value = key if value is None else value
    usual = query.shape == key.shape == value.shape and query.dtype == key.dtype == value.dtype
    usual = usual and query.device == key.device == value.device and query.dtype in FLOATS
    if usual and query.ndim > 1 and query.numel() > 0:  # needs no more questions
        return (*query.shape[:-1], query.shape[-2])
    expect("query", query, ROWS)
    expect("key", key, ROWS)
    check_alike("query", query, key=key)
    if query.shape[-1] != key.shape[-1] or query.shape[-1] == 0:
        raise ValueError(
            "query and key must have the same width, at least 1, got shapes "
            f"{tuple(query.shape)} and {tuple(key.shape)}"
        )
    lead = broadcast("query and key", query, key)
    if value is not key:
        expect("value", value, ROWS)
        check_alike("query", query, value=value)
        if value.shape[-2] != key.shape[-2]:
            raise ValueError(
                "value must have one row for each key, got shapes "
                f"{tuple(value.shape)} and {tuple(key.shape)}"
            )
        broadcast("query, key and value", query, key, value)
    return (*lead, query.shape[-2], key.shape[-2])


def check_as_many_keys(L, S):
    """Require as many keys as queries."""
    if L != S:
        raise ValueError(f"key must have as many rows as query, {L}, got {S}")


def check_positions(positions, length):
    """Require integers (length,) of at least 0: the places of so many rows, in any order."""
    if positions.dtype not in INTEGERS or positions.shape != (length,):
        got = f"{positions.dtype}, {tuple(positions.shape)}"
        raise ValueError(f"positions must be integers, one for each of {length} rows, got {got}")
    if length and data_dependent_ok(positions) and positions.min() < 0:
        raise ValueError(f"positions must be at least 0, got {positions.min().item()}")


def broadcast(names, *tensors):
    """Give the leading axes (all but the last two) that the tensors share after broadcasting."""
    lead, *others = leads = [x.shape[:-2] for x in tensors]
    if all(other == lead for other in others):
        return lead  # the usual case: broadcast_shapes takes longer than a short attention
    try:
        return torch.broadcast_shapes(*leads)
    except RuntimeError:
        shapes = " and ".join(str(tuple(x.shape)) for x in tensors)
        raise ValueError(
            f"the leading axes of {names} must broadcast, got {shapes}{_shared_keys(*leads[:2])}"
        ) from None


def _shared_keys(lead, lead_of_keys):
    """Say what helps where heads of queries share those of keys; nothing where they do not."""
    heads, shared = lead[-1:].numel(), lead_of_keys[-1:].numel()
    if lead[:-1] != lead_of_keys[:-1] or not 1 < shared < heads or heads % shared:
        return ""
    return (
        f"; where {shared} heads of keys serve {heads} of queries, write "
        f"key.repeat_interleave({heads // shared}, dim=-3), and the same of value, or let "
        f"MultiHeadAttention(..., num_kv_heads={shared}) do it"
    )


def check_causal(is_causal, query_offset, window, shape):
    """Require the key position of query 0 unless L = S, and what goes with is_causal alone."""
    L, S = shape[-2:]
    if window is not None:
        check_count("window", window)
        if not is_causal:
            raise ValueError(f"window is for is_causal=True, got {window} without")
    if query_offset is not None:
        if not is_causal:
            raise ValueError(f"query_offset is for is_causal=True, got {query_offset} without")
    elif L != S:
        last = f"={S - L} if the last query stands at the last key" if S > L else ""
        raise ValueError(
            f"is_causal=True needs as many queries as keys, got L={L}, S={S}: pass "
            f"query_offset{last or ', the key position of query 0'}, "
            'or attn_mask=causal_mask(L, S, align="top-left") or "bottom-right"'
        )


def checked_lengths(valid_lens, max_len):
    """Require integers (B,) or (B, L), each from 0 to max_len. Give them as int64 (in a narrower
    type a sum or a difference of them could overflow), and the shortest, 0 if one may not look."""
    valid_lens = torch.as_tensor(valid_lens)
    if valid_lens.dtype not in INTEGERS:
        raise ValueError(f"valid_lens must hold integers, got dtype {valid_lens.dtype}")
    if valid_lens.ndim not in (1, 2):
        raise ValueError(
            f"valid_lens must have shape (B,) or (B, L), got {tuple(valid_lens.shape)}"
        )
    shortest = 0
    if is_eager() and valid_lens.numel() and not valid_lens.is_meta:
        lengths = valid_lens.flatten().tolist()  # one wait on a GPU
        shortest, longest = min(lengths), max(lengths)
        if shortest < 0 or longest > max_len:
            raise ValueError(
                f"valid_lens must lie between 0 and {max_len} (the number of keys), got values "
                f"from {shortest} to {longest}"
            )
    return valid_lens.long(), shortest


def checked_mask(attn_mask, shape, device, of_heads=False):
    """Require a boolean mask that fits the scores: (L, S) or all axes, each size full or 1. With
    of_heads it may be (B, L, S) for (B, H, L, S), and is given as (B, 1, L, S)."""
    given, (L, S) = attn_mask, shape[-2:]
    without_heads = (shape[0], L, S) if of_heads else shape
    if attn_mask.dtype != torch.bool:
        check_boolean_mask("attn_mask", attn_mask, without_heads)
    if of_heads and attn_mask.ndim == 3:
        attn_mask = attn_mask[:, None]
    if attn_mask.ndim not in (2, len(shape)) or not fits(attn_mask, shape):
        wanted, hint = f"{(L, S)} (queries, keys) or {tuple(shape)}", ""
        if of_heads:
            wanted = f"(L, S) = {(L, S)}, (B, L, S) = {without_heads} or (B, H, L, S) = {shape}"
            hint = "; a mask (B, S) of padding is written mask[:, None]"
        raise ValueError(
            f"attn_mask must have shape {wanted}, or be broadcastable to it, "
            f"got {tuple(given.shape)}{hint}"
        )
    if attn_mask.device != device:
        check_on("attn_mask", attn_mask, device)
    return attn_mask


def check_bias(attn_bias, shape, device):
    """Require a floating bias that broadcasts to scores of this shape."""
    check_real("attn_bias", attn_bias, "; a mask of who may attend goes into attn_mask")
    if not 2 <= attn_bias.ndim <= len(shape) or not fits(attn_bias, shape):
        raise ValueError(
            f"attn_bias must broadcast to the scores {tuple(shape)} and have at least two axes, "
            f"got {tuple(attn_bias.shape)}"
        )
    check_on("attn_bias", attn_bias, device)


def fits(x, shape):
    """Tell whether each axis, counted from the last, is 1 or as long as the shape's.

    (Not `have in (1, want)`: in a graph exported for any length, `in` misses equal sizes.)
    """
    if x.ndim > len(shape):
        return False
    for have, want in zip(x.shape, shape[len(shape) - x.ndim :], strict=True):
        if have != 1 and have != want:
            return False
    return True


def check_on(name, x, device):
    """Require a tensor on the device of the query."""
    if x.device != device:
        raise ValueError(f"{name} must be on {device} as the query is, got {x.device}")


def kind(x):
    """Name something that is no tensor of the right dtype, for a message."""
    return x.dtype if torch.is_tensor(x) else type(x).__name__


def show(value, width=60):
    """`repr`, shortened, for messages."""
    text = repr(value)
    return text if len(text) <= width else f"{text[: width - 1]}…"
