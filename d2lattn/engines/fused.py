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

from d2lattn.engines.visibility import Call
from d2lattn.tracing import NOTHING, is_eager

# Queries that share one call when causality and something else hide keys. Each call is given the
# keys up to its last query alone, so the mask is never larger than rows × S.
ROWS = 512
# Where torch's causal kernel must not be trusted: on Apple's GPUs in half precision it may mask
# once per four queries (pytorch#195910), so the mask is written out there.
LEAKS = (("mps", torch.float16), ("mps", torch.bfloat16))


def fused_attention(call):
    """softmax(Q Kᵀ · scale + bias) V through `F.scaled_dot_product_attention`."""
    query, key, value, visible = call.query, call.key, call.value, call.visible
    lead = query.shape[:-2]
    if len(lead) != 2 or not lead == key.shape[:-2] == value.shape[:-2]:
        lead = call.lead
        output = fused_attention(_in_four_axes(call, lead))
        return output.reshape(*lead, *output.shape[-2:])
    offset, top_left = visible.query_offset, False
    if offset is not None and offset == 0:
        top_left = visible.window is visible.starts is visible.mask is visible.bias is None
        top_left = top_left and (query.device.type, query.dtype) not in LEAKS
    if offset is not None and not top_left and is_eager() and query.shape[-2] > ROWS:
        return torch.cat([fused_attention(part) for part in _row_by_row(call)], dim=-2)
    scale, dtype = call.scale, query.dtype
    if visible.bias is not None and visible.bias.dtype != dtype:
        wide = torch.promote_types(dtype, torch.float32)  # half would round the bias
        query, key, value = query.to(wide), key.to(wide), value.to(wide)
    if scale <= 0:
        query, scale = query * scale, 1.0
    mask, unseen = None, None
    if not (top_left or visible.mask is visible.bias is visible.query_offset is None):
        mask, unseen = _kernel_mask(visible, query.dtype)
    # torch.func's transforms know the kernel that is written in torch's own operations.
    transformed = torch._C._are_functorch_transforms_active()
    with sdpa_kernel(SDPBackend.MATH) if transformed else NOTHING:
        output = F.scaled_dot_product_attention(
            query,
            key,
            value,
            attn_mask=mask,
            dropout_p=call.dropout_p,
            is_causal=top_left,
            scale=scale,
        )
    output = output if unseen is None else output.masked_fill(unseen, 0)
    return output if output.dtype == dtype else output.to(dtype)


def _row_by_row(call):
    """Cut a call into those of ROWS queries each, with the keys that these may see."""
    L = call.query.shape[-2]
    parts = [slice(start, min(start + ROWS, L)) for start in range(0, L, ROWS)]
    return [call.part(rows, call.visible.keys_of(rows)) for rows in parts]


def _kernel_mask(visible, dtype):
    """Make a mask or a bias (B, H, L, S), or smaller, in which every query sees a key, and name the
    rows to put 0 into."""
    if visible.bias is None:
        mask = visible.mask if visible.query_offset is None else visible.allowed()
        unseen = visible.unseen_queries(mask)
        mask = mask if unseen is None else mask | unseen
    else:
        added = visible.hide(torch.zeros((), dtype=dtype, device=visible.device))
        unseen = (added == -math.inf).all(-1, keepdim=True)  # (..., L or 1, 1)
        mask = added.masked_fill(unseen, 0)
    # torch writes a mask of three axes out, head by head.
    return mask if mask.ndim == 4 else mask[(None,) * (4 - mask.ndim)], unseen


def _in_four_axes(call, lead):
    """Make the call of (B, H, l, d), the leading axes broadcast to `lead` and joined; of a mask
    with no more axes than that, size 1 stays 1."""
    four = math.prod(lead[:-1]), lead[-1] if lead else 1

    def shaped(x):
        return x.expand(*lead, *x.shape[-2:]).reshape(*four, *x.shape[-2:])

    query, key, value = (shaped(x) for x in (call.query, call.key, call.value))
    visible = call.visible
    mask, bias = (
        x if x is None or len(lead) <= 2 else shaped(x) for x in (visible.mask, visible.bias)
    )
    visible = visible.of((*four, *visible.shape[-2:]), mask, bias)
    return Call(query, key, value, visible, call.scale, call.dropout_p)
