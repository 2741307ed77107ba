"""Engine "fused": torch's own kernels, told what they need to know (chapters 3 and 8).

They take four axes and no mask beside is_causal, read a causal mask from the top left only, leave
a row without keys to the kernel, give NaN for a causal scale of 0 or below, and on the CPU turn
some NaN into 0. All of that is mended here and nowhere else.
"""

import math

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

from d2lattn.engines.chunked import chunked_attention
from d2lattn.tracing import (
    NOTHING,
    data_dependent_ok,
    is_eager,
    is_transformed,
    products_stay_finite,
)

# Queries that share one call when causality and something else hide keys. Each call is given the
# keys up to its last query alone, so the mask is never larger than rows × S.
ROWS = 512


def fused_attention(call):
    """softmax(Q Kᵀ · scale + bias) V through `F.scaled_dot_product_attention`.

    A NaN shows in the kernel's answer, where it costs less to look for than in the keys and values.
    A gradient does not show it, nor an answer with dropout: then the keys are made harmless first.
    """
    watched = data_dependent_ok(call.query) and not call.dropout_p
    if torch.is_grad_enabled() or not watched:
        call = call.zero_unseen_nonfinite()
    lead, ready = call.lead, call
    if not (len(lead) == 2 and call.query.shape == call.key.shape == call.value.shape):
        ready = call.of(*(_four_axes(x, lead) for x in (call.query, call.key, call.value)))
    if _is_plain(call.visible) or not is_eager():
        output = _ask(ready, lead, watched)
    else:
        output = _row_by_row(ready, lead, watched)
    if output is None:  # the kernel met a NaN
        return chunked_attention(call.zero_unseen())
    if len(lead) != 2:
        output = output.reshape(*lead, *output.shape[-2:])
    return output


def _is_plain(visible):
    """Whether one call says it all: not causal, or causal from the top left and nothing else."""
    return visible.query_offset is None or (
        visible.query_offset == 0 and visible.mask is None and visible.bias is None
    )


def _row_by_row(call, lead, watched):
    """One call for ROWS queries, with the keys that the last of them may see."""
    L, S = call.query.shape[-2], call.key.shape[-2]
    outputs = []
    for start in range(0, L, ROWS):
        rows = slice(start, min(start + ROWS, L))
        keys = slice(0, min(call.visible.query_offset + rows.stop, S))
        outputs.append(_ask(call.part(rows, keys), lead, watched))
        if outputs[-1] is None:
            return None
    return torch.cat(outputs, dim=-2)


def _ask(call, lead, watched):
    """One call of the kernel, (B, H, L, Ev); None if it is `watched` and a NaN seems lost."""
    query, key, value, visible = call.query, call.key, call.value, call.visible
    scale, dtype = call.scale, call.query.dtype
    if visible.bias is not None and visible.bias.dtype != dtype:
        wide = torch.promote_types(dtype, torch.float32)  # half would round the bias
        query, key, value = query.to(wide), key.to(wide), value.to(wide)
    if scale <= 0:
        query, scale = query * scale, 1.0
    is_causal, mask, unseen = False, None, None
    if visible.query_offset == 0 and _is_plain(visible):
        is_causal = True  # in a graph for any offset the comparison itself is no bool
    else:
        mask, unseen = _kernel_mask(visible, query.dtype)
    mask = None if mask is None else _mask_axes(mask, lead)
    # torch.func's transforms know the kernel that is written in torch's own operations.
    with sdpa_kernel(SDPBackend.MATH) if not watched and is_transformed() else NOTHING:
        output = F.scaled_dot_product_attention(
            query,
            key,
            value,
            attn_mask=mask,
            dropout_p=call.dropout_p,
            is_causal=is_causal,
            scale=scale,
        )
    if watched and _is_suspect(output, visible) and not _is_tame(call):
        return None
    recorded = output.requires_grad and not torch.compiler.is_compiling()
    if recorded and output.grad_fn.name().startswith("ScaledDotProduct"):
        output.register_hook(_refuse_second_derivative)
    output = output if unseen is None else output.masked_fill(_mask_axes(unseen, lead), 0)
    return output if output.dtype == dtype else output.to(dtype)


def _kernel_mask(visible, dtype):
    """What to add or which keys to leave, in which every query sees a key; and the rows to zero."""
    if visible.bias is None:
        allowed, unseen = visible.allowed(), visible.unseen_queries()
        return allowed if unseen is None else allowed | unseen, unseen
    added = visible.hide(torch.zeros((), dtype=dtype, device=visible.device))
    unseen = (added == -math.inf).all(-1, keepdim=True)  # (..., L or 1, 1)
    return added.masked_fill(unseen, 0), unseen


def _is_suspect(output, visible):
    """Whether the CPU's kernel may have met a NaN: it answers a query whose scores are NaN with a
    row of 0, and where keys are hidden it gives NaN also to queries that do not see the key."""
    output = output.detach()
    if visible.hides_nothing():
        first = output.select(-1, 0)  # one number of each row tells
        return torch.count_nonzero(first).item() < first.numel()
    return not math.isfinite(output.reciprocal().sum())  # which 1/0 and NaN would spoil


def _is_tame(call):
    """Whether nothing that goes in can make a NaN: then a 0 that comes out is a real one, as of
    padding or after a ReLU. To look here is a pass over the inputs; to compute again is many."""
    bias = () if call.visible.bias is None else (call.visible.bias.clamp(min=0),)  # -inf hides
    return products_stay_finite(call.query, call.key, call.value, *bias)


def _refuse_second_derivative(gradient):
    """Most of the kernels cannot be differentiated twice; torch says so in words of its own."""
    if torch.is_grad_enabled():  # create_graph=True
        raise ValueError(
            'engine must be "explicit" to be differentiated twice, got "fused", whose kernel here '
            "has a first derivative only"
        )


def _four_axes(x, lead):
    """(..., l, d) -> (B, H, l, d), the leading axes broadcast to `lead`."""
    if len(lead) == 2 and x.shape[:-2] == lead:
        return x
    heads = lead[-1] if lead else 1
    batch = math.prod(lead[:-1])
    return x.expand(*lead, *x.shape[-2:]).reshape(batch, heads, *x.shape[-2:])


def _mask_axes(mask, lead):
    """As `_four_axes`, but size 1 stays 1: torch writes an expanded mask out, head by head."""
    if len(lead) != 2:
        return _four_axes(mask, lead)
    return mask[(None,) * (4 - mask.ndim)]
