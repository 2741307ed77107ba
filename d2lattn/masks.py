"""Masks: who may attend to whom.

Every mask is boolean and True means "may attend", so masks combine with `&`.
Axes: B batch, L queries, S keys. With heads, put an axis in between: `mask[:, None]`.
"""

import torch
from torch import Tensor
from torch.types import Device

from d2lattn.arguments import check_choice, check_counts, checked_lengths
from d2lattn.engines.visibility import in_window


def length_mask(valid_lens: Tensor | list[int], max_len: int) -> Tensor:
    """Let every query see only the first `valid_lens` keys.

    mask[b, i, j] = (j < valid_lens[b]), or (j < valid_lens[b, i]) with one length per query.
    The name `valid_lens` is that of Dive into Deep Learning, section 11.3.

    Args:
        valid_lens: integers of shape (B,) or (B, L), each from 0 to max_len, the number of keys S.

    Returns:
        Boolean tensor on the device of `valid_lens`: (B, 1, S) for (B,), (B, L, S) for (B, L).

    Example:
        >>> length_mask(torch.tensor([1, 3]), 3).int()
        tensor([[[1, 0, 0]],
        <BLANKLINE>
                [[1, 1, 1]]], dtype=torch.int32)
    """
    check_counts(max_len=max_len)
    lengths, _ = checked_lengths(valid_lens, max_len)
    ends = lengths[:, None, None] if lengths.ndim == 1 else lengths[..., None]
    return torch.arange(max_len, device=ends.device) < ends


def causal_mask(
    L: int, S: int | None = None, *, align: str | None = None, device: Device = None
) -> Tensor:
    """Let query i see the keys up to its own position and none after it.

    "top-left": mask[i, j] = (j <= i): query 0 stands at key 0, as in training on a whole sequence.
    "bottom-right": mask[i, j] = (j <= i + S - L): the last query stands at the last key, as in
    decoding with S - L remembered keys. The two are the same when L = S; when they differ,
    libraries silently disagree, so `align` has to be given. (With L > S, bottom-right leaves the
    first L - S queries without a key; their attention output is 0.)

    Args:
        L, S (int): number of queries and of keys; S is L when absent.
        align (str): "top-left" or "bottom-right"; may be left out when L = S.

    Returns:
        Boolean tensor (L, S).

    Example:
        >>> causal_mask(2, 3, align="bottom-right").int()
        tensor([[1, 1, 0],
                [1, 1, 1]], dtype=torch.int32)
    """
    S = L if S is None else S
    check_counts(L=L, S=S)
    if align is not None:
        check_choice("align", align, ("top-left", "bottom-right"))
    elif L != S:
        raise ValueError(
            f'align must be given when L and S differ, got L={L}, S={S}: "top-left" puts query 0 '
            'at key 0, "bottom-right" puts the last query at the last key'
        )
    diagonal = S - L if align == "bottom-right" else 0
    return torch.ones(L, S, dtype=torch.bool, device=device).tril(diagonal)


def window_mask(L: int, S: int | None = None, *, width: int, device: Device = None) -> Tensor:
    """Let query i see the keys closer than `width` positions.

    mask[i, j] = (|i - j| < width): width=1 is the diagonal, width=2 adds one
    neighbour on each side (the sliding window of Longformer, Beltagy et al. 2020, section 3.1).
    When L and S differ, query 0 stands at key 0, as in `causal_mask(…, align="top-left")`. In
    decoding the last query stands at the last key: there, take the last L rows of
    `window_mask(S, width=width)`.

    Args:
        L, S (int): number of queries and of keys; S is L when absent.
        width (int): at least 1; a query sees at most 2·width - 1 keys.

    Returns:
        Boolean tensor (L, S).

    Example:
        >>> window_mask(3, width=2).int()
        tensor([[1, 1, 0],
                [1, 1, 1],
                [0, 1, 1]], dtype=torch.int32)
        >>> (causal_mask(1, 5, align="bottom-right") & window_mask(5, width=2)[-1:]).int()
        tensor([[0, 0, 0, 1, 1]], dtype=torch.int32)
    """
    S = L if S is None else S
    check_counts(L=L, S=S, width=width)
    queries = torch.arange(L, device=device)[:, None]  # (L, 1)
    keys = torch.arange(S, device=device)  # (S,)
    return in_window(queries, keys, width)
