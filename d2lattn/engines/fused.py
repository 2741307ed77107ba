"""Engine "fused": torch's own kernels, told what they need to know (chapters 3 and 8).

They take four axes and no mask beside is_causal, read a causal mask from the top left only, leave
a row without keys to the kernel, give NaN for a causal scale of 0 or below, and on the CPU turn
some NaN into 0. All of that is mended here and nowhere else.
"""

import math
from contextlib import nullcontext

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

from d2lattn.arguments import broadcast
from d2lattn.engines.chunked import chunked_attention
from d2lattn.masks import is_transformed, may_look, outside_graphs, without_unseen

# Queries that share one call when causality and something else hide keys. Each call is given the
# keys up to its last query alone, so the mask is never larger than rows × S.
ROWS = 512
NOTHING = nullcontext()


def fused_attention(query, key, value, visible, scale, dropout_p=0.0):
    """softmax(Q Kᵀ · scale + bias) V through `F.scaled_dot_product_attention`."""
    lead = broadcast("query, key and value", query, key, value)
    arguments = (query, key, value)
    if len(lead) != 2 or any(x.ndim != 4 or x.shape[:2] != lead for x in arguments):
        arguments = [_four_axes(x, lead) for x in arguments]
    if _is_plain(visible) or not outside_graphs():
        output = _call(*arguments, visible, scale, dropout_p, lead)
    else:
        output = _row_by_row(*arguments, visible, scale, dropout_p, lead)
    if output is None:  # the kernel met a NaN
        key, value = without_unseen(key, value, visible)
        return chunked_attention(query, key, value, visible, scale, dropout_p)
    if len(lead) != 2:
        output = output.reshape(*lead, *output.shape[-2:])
    return output.to(query.dtype)


def _is_plain(visible):
    """Whether one call says it all: not causal, or causal from the top left and nothing else."""
    return visible.first is None or (
        visible.first == 0 and visible.mask is None and visible.bias is None
    )


def _row_by_row(query, key, value, visible, scale, dropout_p, lead):
    """One call for ROWS queries, with the keys that the last of them may see."""
    L, S = query.shape[-2], key.shape[-2]
    outputs = []
    for start in range(0, L, ROWS):
        rows = slice(start, min(start + ROWS, L))
        keys = slice(0, min(visible.first + rows.stop, S))
        part = visible.block(rows, keys)
        parts = (query[..., rows, :], key[..., keys, :], value[..., keys, :])
        outputs.append(_call(*parts, part, scale, dropout_p, lead))
        if outputs[-1] is None:
            return None
    return torch.cat(outputs, dim=-2)


def _call(query, key, value, visible, scale, dropout_p, lead):
    """One call of the kernel, (B, H, L, Ev), or None if a NaN may have been lost or spread."""
    if visible.bias is not None and visible.bias.dtype != query.dtype:
        wide = torch.promote_types(query.dtype, torch.float32)  # half would round the bias
        query, key, value = query.to(wide), key.to(wide), value.to(wide)
    if scale <= 0:
        query, scale = query * scale, 1.0
    is_causal = visible.first == 0 and _is_plain(visible)
    mask, unseen = (None, None) if is_causal else _kernel_mask(visible, query.dtype)
    mask = None if mask is None else _mask_axes(mask, lead)
    # torch.func's transforms know the kernel that is written in torch's own operations.
    with sdpa_kernel(SDPBackend.MATH) if is_transformed() else NOTHING:
        output = F.scaled_dot_product_attention(
            query, key, value, attn_mask=mask, dropout_p=dropout_p, is_causal=is_causal, scale=scale
        )
    if dropout_p == 0 and _is_suspect(output, not visible.hides_nothing()):
        return None
    return output if unseen is None else output.masked_fill(_mask_axes(unseen, lead), 0)


def _kernel_mask(visible, dtype):
    """What to add or which keys to leave, in which every query sees a key; and the rows to zero."""
    if visible.bias is None:
        allowed, unseen = visible.allowed(), visible.unseen_queries()
        return allowed if unseen is None else allowed | unseen, unseen
    added = visible.hide(torch.zeros((), dtype=dtype, device=visible.device))
    unseen = (added == -math.inf).all(-1, keepdim=True)  # (..., L or 1, 1)
    return added.masked_fill(unseen, 0), unseen


def _is_suspect(output, hidden):
    """Whether the CPU's kernel may have met a NaN: it answers a query whose scores are NaN with a
    row of 0, and where keys are hidden it gives NaN also to queries that do not see the key.

    A 0 that has another reason costs time and changes nothing.
    """
    if output.numel() == 0 or not may_look(output):
        return False
    first = output.detach().select(-1, 0)  # one number of each row tells
    if torch.count_nonzero(first).item() < first.numel():
        return True
    return hidden and not math.isfinite(first.sum())


def _four_axes(x, lead):
    """(..., l, d) -> (B, H, l, d), the leading axes broadcast to `lead`."""
    heads = lead[-1] if lead else 1
    batch = math.prod(lead[:-1])
    return x.expand(*lead, *x.shape[-2:]).reshape(batch, heads, *x.shape[-2:])


def _mask_axes(mask, lead):
    """As `_four_axes`, but size 1 stays 1: torch writes an expanded mask out, head by head."""
    if len(lead) != 2:
        return _four_axes(mask, lead)
    return mask[(None,) * (4 - mask.ndim)]
