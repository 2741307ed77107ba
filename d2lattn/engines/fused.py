"""Engine "fused": torch's own kernels, told what they need to know (chapters 3 and 8).

They take four axes and no mask beside is_causal, read a causal mask from the top left only, leave
a row without keys to the kernel, give NaN for a causal scale of 0 or below, and on Apple's GPUs
some of them let the future leak. All of that is mended here; calls without numbers or with a sink
never come here.
"""

import math

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

from d2lattn.tracing import NOTHING, is_eager

# Queries that share one call when causality and something else hide keys. Each call is given the
# keys up to its last query alone, so the mask is never larger than rows × S.
ROWS = 512


def fused_attention(call):
    """softmax(Q Kᵀ · scale + bias) V through `F.scaled_dot_product_attention`."""
    query, key, value, visible = call.query, call.key, call.value, call.visible
    lead = query.shape[:-2]
    if len(lead) != 2 or not lead == key.shape[:-2] == value.shape[:-2]:
        lead = call.lead
        four = (_four_axes(x, lead) for x in (query, key, value))  # (B, H, l, d)
        call = call.with_tensors(*four)
    top_left = visible.query_offset is not None and _is_top_left(visible)
    top_left = top_left and not _leaks(query.device.type, query.dtype)
    told = lead, top_left, torch._C._are_functorch_transforms_active()
    if visible.query_offset is None or top_left or not is_eager():
        output = _call_kernel(call, *told)
    else:
        output = torch.cat([_call_kernel(part, *told) for part in _row_by_row(call)], dim=-2)
    return output if len(lead) == 2 else output.reshape(*lead, *output.shape[-2:])


def _is_top_left(visible):
    """Tell whether a call is causal from the top left, and nothing else is hidden."""
    if visible.query_offset != 0:  # in a graph for any offset the comparison itself is no bool
        return False
    return visible.window is visible.starts is visible.mask is visible.bias is None


def _leaks(device, dtype):
    """Tell whether torch's causal kernel must not be trusted: in half precision that for Apple's
    GPUs may mask once per four queries (pytorch#195910), so the mask is written out there."""
    return device == "mps" and dtype.itemsize == 2


def _row_by_row(call):
    """Give the calls of ROWS queries each, with the keys that these may see."""
    L = call.query.shape[-2]
    for start in range(0, L, ROWS):
        rows = slice(start, min(start + ROWS, L))
        yield call.part(rows, call.visible.keys_of(rows))


def _call_kernel(call, lead, is_causal, transformed):
    """Call the kernel once: (B, H, L, Ev)."""
    query, key, value, visible = call.query, call.key, call.value, call.visible
    scale, dtype = call.scale, call.query.dtype
    if visible.bias is not None and visible.bias.dtype != dtype:
        wide = torch.promote_types(dtype, torch.float32)  # half would round the bias
        query, key, value = query.to(wide), key.to(wide), value.to(wide)
    if scale <= 0:
        query, scale = query * scale, 1.0
    mask, unseen = None, None
    if not is_causal and not (visible.mask is visible.bias is visible.query_offset is None):
        mask, unseen = _kernel_mask(visible, query.dtype)
        mask = _mask_axes(mask, lead)
    # torch.func's transforms know the kernel that is written in torch's own operations.
    with sdpa_kernel(SDPBackend.MATH) if transformed else NOTHING:
        output = F.scaled_dot_product_attention(
            query,
            key,
            value,
            attn_mask=mask,
            dropout_p=call.dropout_p,
            is_causal=is_causal,
            scale=scale,
        )
    output = output if unseen is None else output.masked_fill(_mask_axes(unseen, lead), 0)
    return output if output.dtype == dtype else output.to(dtype)


def _kernel_mask(visible, dtype):
    """Make a mask or a bias in which every query sees a key, and name the rows to put 0 into."""
    if visible.bias is None:
        allowed = visible.allowed()
        unseen = visible.unseen_queries(allowed)
        return allowed if unseen is None else allowed | unseen, unseen
    added = visible.hide(torch.zeros((), dtype=dtype, device=visible.device))
    unseen = (added == -math.inf).all(-1, keepdim=True)  # (..., L or 1, 1)
    return added.masked_fill(unseen, 0), unseen


def _four_axes(x, lead):
    """(..., l, d) -> (B, H, l, d), the leading axes broadcast to `lead`."""
    if len(lead) == 2 and x.shape[:-2] == lead:
        return x
    heads = lead[-1] if lead else 1
    batch = math.prod(lead[:-1])
    return x.expand(*lead, *x.shape[-2:]).reshape(batch, heads, *x.shape[-2:])


def _mask_axes(mask, lead):
    """Do as `_four_axes`, but of two leading axes size 1 stays 1: torch writes an expanded mask
    out, head by head."""
    if len(lead) != 2:
        return _four_axes(mask, lead)
    return mask[(None,) * (4 - mask.ndim)]
