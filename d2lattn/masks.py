"""Masks: who may attend to whom.

Every mask is boolean and True means "may attend", so masks combine with `&`.
Axes: B batch, L queries, S keys. With heads, put an axis in between: `mask[:, None]`.
"""

import torch


def length_mask(valid_lens, max_len):
    """Let every query see only the first `valid_lens` keys.

    mask[b, i, j] = (j < valid_lens[b]), or (j < valid_lens[b, i]) with one length per query.
    The name `valid_lens` is that of Dive into Deep Learning, section 11.3.

    Args:
        valid_lens: integers of shape (B,) or (B, L), each from 0 to max_len.
        max_len (int): the number of keys S.

    Returns:
        Boolean tensor on the device of `valid_lens`: (B, 1, S) for (B,), (B, L, S) for (B, L).

    Raises:
        ValueError: lengths that are not integers, have other axes or leave 0..max_len.

    Cost:
        B·S (or B·L·S) comparisons and bytes.

    Example:
        >>> length_mask(torch.tensor([1, 3]), 3).int()
        tensor([[[1, 0, 0]],
        <BLANKLINE>
                [[1, 1, 1]]], dtype=torch.int32)
    """
    check_count("max_len", max_len)
    if not torch.is_tensor(valid_lens):
        try:
            valid_lens = torch.as_tensor(valid_lens)
        except (TypeError, ValueError, RuntimeError):
            raise ValueError(f"valid_lens must hold integers, got {valid_lens!r}") from None
    check_lengths(valid_lens, max_len)
    return unchecked_length_mask(valid_lens, max_len)


def unchecked_length_mask(valid_lens, max_len):
    """`length_mask` for callers that have checked the lengths."""
    ends = valid_lens[:, None, None] if valid_lens.ndim == 1 else valid_lens[..., None]
    return torch.arange(max_len, device=ends.device) < ends  # (B, 1 or L, S)


def causal_mask(L, S=None, *, align=None, device=None):
    """Let query i see the keys up to its own position and none after it.

    "top-left": mask[i, j] = (j <= i): query 0 stands at key 0, as in training on a whole sequence.
    "bottom-right": mask[i, j] = (j <= i + S - L): the last query stands at the last key, as in
    decoding with S - L remembered keys. The two are the same when L = S; when they differ,
    libraries silently disagree, so `align` has to be given. (With L > S, bottom-right leaves the
    first L - S queries without a key; their attention output is 0.)

    Args:
        L (int): number of queries.
        S (int): number of keys; L when absent.
        align (str): "top-left" or "bottom-right"; may be left out when L = S.
        device: where to make the mask.

    Returns:
        Boolean tensor (L, S).

    Raises:
        ValueError: L ≠ S without `align`, an unknown `align`, or a size below 1.

    Cost:
        L·S bytes.

    Example:
        >>> causal_mask(2, 3, align="bottom-right").int()
        tensor([[1, 1, 0],
                [1, 1, 1]], dtype=torch.int32)
    """
    S = L if S is None else S
    check_count("L", L)
    check_count("S", S)
    if align not in (None, "top-left", "bottom-right"):
        raise ValueError(f'align must be "top-left" or "bottom-right", got {align!r}')
    if align is None and L != S:
        raise ValueError(
            f'align must be given when L and S differ, got L={L}, S={S}: "top-left" puts query 0 '
            'at key 0, "bottom-right" puts the last query at the last key'
        )
    diagonal = S - L if align == "bottom-right" else 0
    return torch.ones(L, S, dtype=torch.bool, device=device).tril(diagonal)


def window_mask(L, S=None, *, width, device=None):
    """Let query i see the keys closer than `width` positions.

    mask[i, j] = (|i - j| < width): width=1 is the diagonal, width=2 adds one neighbour on each
    side (the sliding window of Longformer, Beltagy et al. 2020, section 3.1).

    Args:
        L (int): number of queries.
        S (int): number of keys; L when absent.
        width (int): at least 1; a query sees at most 2·width - 1 keys.
        device: where to make the mask.

    Returns:
        Boolean tensor (L, S).

    Raises:
        ValueError: a size or a width below 1.

    Cost:
        L·S bytes.

    Example:
        >>> window_mask(3, width=2).int()
        tensor([[1, 1, 0],
                [1, 1, 1],
                [0, 1, 1]], dtype=torch.int32)
    """
    S = L if S is None else S
    check_count("L", L)
    check_count("S", S)
    check_count("width", width)
    queries = torch.arange(L, device=device)[:, None]  # (L, 1)
    keys = torch.arange(S, device=device)  # (S,)
    return (queries - keys).abs() < width


def check_count(name, value, least=1):
    """Raise a ValueError unless `value` is an int of at least `least` (a bool is none)."""
    if isinstance(value, bool) or not isinstance(value, (int, torch.SymInt)) or value < least:
        raise ValueError(f"{name} must be an integer of at least {least}, got {value!r}")


def check_lengths(valid_lens, max_len):
    """The smallest of `valid_lens`, which must hold integers from 0 to `max_len`, (B,) or (B, L).

    In a graph, which is made once for all lengths, their values cannot be looked at: then, and for
    an empty batch, it is 0.
    """
    if valid_lens.is_floating_point() or valid_lens.is_complex() or valid_lens.dtype == torch.bool:
        raise ValueError(f"valid_lens must hold integers, got dtype {valid_lens.dtype}")
    if valid_lens.ndim not in (1, 2):
        raise ValueError(
            f"valid_lens must have shape (B,) or (B, L), got {tuple(valid_lens.shape)}"
        )
    if torch.compiler.is_compiling() or valid_lens.numel() == 0:
        return 0
    lengths = valid_lens.flatten().tolist()
    if min(lengths) < 0 or max(lengths) > max_len:
        raise ValueError(
            f"valid_lens must lie between 0 and {max_len} (the number of keys), got values from "
            f"{min(lengths)} to {max(lengths)}"
        )
    return min(lengths)
