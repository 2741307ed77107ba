"""Attention in one formula and three engines (chapters 1 to 3 and 8).

    attention(Q, K, V) = softmax(Q Kᵀ · scale + bias, over the keys a query may see) V

Shapes: `...` any leading axes, L queries, S keys, E width of queries and keys, Ev width of values.
Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.2.1, equation 1.
"""

import math

import torch
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint

from d2lattn.masks import causal_mask, check_count

ENGINES = ("explicit", "chunked", "fused")


def attention_scores(query, key, *, scale=None):
    """Score every query against every key by a scaled dot product.

    scores = Q Kᵀ · scale (Vaswani et al. 2017, section 3.2.1). The query is scaled before the
    product and half precision is computed in float32, so q·k does not overflow on the way.

    Args:
        query: floating tensor (..., L, E).
        key: floating tensor (..., S, E) of the same dtype and device.
        scale (float): the factor; 1/√E when absent.

    Returns:
        Tensor (..., L, S) of the query's dtype.

    Raises:
        ValueError: shapes, dtypes or devices that do not fit; a scale that is not a finite number.

    Cost:
        2·L·S·E FLOPs, L·S numbers of memory for each leading index.

    Example:
        >>> x = torch.tensor([[1.0, 0.0], [3.0, 4.0]])
        >>> attention_scores(x, x, scale=1.0)
        tensor([[ 1.,  3.],
                [ 3., 25.]])
    """
    _check_tensors(query=query, key=key)
    _scores_shape(query, key)
    wide = _at_least_float32(query.dtype)
    return _scores(query.to(wide), key.to(wide), _check_scale(scale, query)).to(query.dtype)


def masked_softmax(scores, attn_mask=None):
    """Softmax over the keys, with weight 0 wherever the mask is False.

    weights[i, j] = exp(s[i, j]) / Σ_k exp(s[i, k]), the sum over the keys that query i may see.
    A row that may see no key (or holds only -inf) has weights 0 and gradient 0, not NaN.

    Args:
        scores: floating tensor (..., L, S).
        attn_mask: boolean, True = may attend; (L, S) or as many axes as the scores, each size
            full or 1.

    Returns:
        Tensor (..., L, S) of the scores' dtype, computed in at least float32.

    Raises:
        ValueError: scores that are not floating, a mask that is not boolean or does not fit.

    Cost:
        O(L·S) time and memory.

    Example:
        >>> masked_softmax(torch.zeros(1, 3), torch.tensor([[True, False, True]]))
        tensor([[0.5000, 0.0000, 0.5000]])
    """
    _check_tensors(scores=scores)
    _check_mask(attn_mask, scores.shape, scores.device)
    wide = scores.to(_at_least_float32(scores.dtype))
    return _softmax(_hide(wide, attn_mask)).to(scores.dtype)


def attention_weights(query, key, *, attn_mask=None, attn_bias=None, is_causal=False, scale=None):
    """The weights that each query gives to each key.

    weights = masked_softmax(Q Kᵀ · scale + bias, mask): rows sum to 1, or to 0 without any key.

    Args:
        query, key, scale: as in `attention_scores`.
        attn_mask: boolean, True = may attend; (L, S) or as many axes as the scores, each size
            full or 1.
        attn_bias: floating tensor added to the scaled scores; it broadcasts to them from the last
            axis, so (H, L, S) is a bias for each head. -inf hides a key as the mask does.
        is_causal (bool): query i sees keys 0..i; only for L = S, see `causal_mask` for the rest.

    Returns:
        Tensor (..., L, S) of the query's dtype, computed in at least float32.

    Raises:
        ValueError: what `attention_scores` and `masked_softmax` refuse; is_causal with L ≠ S;
            a bias that is not floating or does not fit.

    Cost:
        2·L·S·E FLOPs, O(L·S) memory.

    Example:
        >>> x = torch.zeros(2, 4)
        >>> attention_weights(x, x, is_causal=True)
        tensor([[1.0000, 0.0000],
                [0.5000, 0.5000]])
    """
    _check_tensors(query=query, key=key)
    shape = _scores_shape(query, key)
    check_visibility(shape, query.device, attn_mask, attn_bias, is_causal)
    options = dict(attn_mask=attn_mask, attn_bias=attn_bias, is_causal=is_causal)
    return unchecked_weights(query, key, **options, scale=_check_scale(scale, query))


def attention(
    query,
    key,
    value,
    *,
    attn_mask=None,
    attn_bias=None,
    is_causal=False,
    scale=None,
    dropout_p=0.0,
    engine="fused",
    chunk_size=None,
):
    """Average the values with the attention weights: softmax(Q Kᵀ · scale + bias) V.

    Vaswani et al. 2017, equation 1. The engines compute the same numbers in different memory:
    "explicit" writes the formula down, "chunked" keeps a running maximum and a running sum per
    query (Rabe & Staats 2021, section 2) and never builds an L×S tensor, "fused" calls torch.

    Args:
        query: floating tensor (..., L, E).
        key: floating tensor (..., S, E) of the same dtype and device.
        value: floating tensor (..., S, Ev) of the same dtype and device.
        attn_mask, attn_bias, is_causal, scale: as in `attention_weights`.
        dropout_p (float): share of weights set to 0, the others divided by 1 - dropout_p. It acts
            on every call: pass 0 in evaluation.
        engine (str): "fused" (default), "chunked" or "explicit".
        chunk_size (int): queries and keys held at once by "chunked"; √S, at least 64, when absent.

    Returns:
        Tensor (..., L, Ev) of the query's dtype. A query that may see no key gets 0.

    Raises:
        ValueError: what `attention_weights` refuses; a value that does not fit the key; dropout_p
            outside 0..1; an unknown engine; a chunk_size below 1 or given to another engine.

    Cost:
        2·L·S·(E + Ev) FLOPs. Memory beyond inputs and output: L·S numbers ("explicit"),
        chunk_size² forward and chunk_size·S backward ("chunked"), the kernel's own ("fused").

    Equivalent to:
        attention_weights(query, key, ...) @ value, with dropout on the weights.

    Example:
        >>> x = torch.tensor([[0.0, 0.0], [2.0, 4.0]])
        >>> attention(x[:1], x, x)  # a query of zeros scores all keys alike: the plain mean
        tensor([[1., 2.]])
    """
    _check_tensors(query=query, key=key, value=value)
    shape = _scores_shape(query, key)
    _check_value(query, key, value)
    check_visibility(shape, query.device, attn_mask, attn_bias, is_causal)
    scale = _check_scale(scale, query)
    if not _is_number(dropout_p) or not 0 <= dropout_p <= 1:
        raise ValueError(f"dropout_p must be a number from 0 to 1, got {dropout_p!r}")
    if engine not in ENGINES:
        raise ValueError(f"engine must be one of {ENGINES}, got {engine!r}")
    if chunk_size is not None:
        check_count("chunk_size", chunk_size)
        if engine != "chunked":
            raise ValueError(f'chunk_size is for engine="chunked", got engine={engine!r}')
    options = dict(scale=scale, dropout_p=dropout_p, engine=engine, chunk_size=chunk_size)
    hidden = dict(attn_mask=attn_mask, attn_bias=attn_bias, is_causal=is_causal)
    return unchecked_attention(query, key, value, **hidden, **options)


# The same for callers that have checked their arguments, as `MultiHeadAttention` has --------------


def unchecked_weights(query, key, *, attn_mask, attn_bias=None, is_causal, scale, empty_rows=True):
    """`attention_weights` without the checks. `scale` is a number; without `empty_rows` the caller
    vouches that every query may see a key, and none is looked for that may not."""
    wide = _at_least_float32(query.dtype)
    scores = _scores(query.to(wide), key.to(wide), scale)
    if is_causal and query.shape[-2] > 0:
        attn_mask = _and(attn_mask, causal_mask(query.shape[-2], device=query.device))
    if attn_bias is not None:
        return _softmax(_hide(scores, attn_mask, attn_bias)).to(query.dtype)
    return _masked_softmax_(scores, attn_mask, empty_rows).to(query.dtype)


def unchecked_attention(
    query,
    key,
    value,
    *,
    attn_mask,
    attn_bias=None,
    is_causal,
    scale,
    dropout_p,
    engine,
    chunk_size=None,
    empty_rows=True,
):
    """`attention` without the checks; see `unchecked_weights`."""
    hidden = dict(attn_mask=attn_mask, attn_bias=attn_bias, is_causal=is_causal, scale=scale)
    # No query or no key: the formula gives 0 and keeps the gradient's path.
    if engine == "explicit" or query.shape[-2] == 0 or key.shape[-2] == 0:
        weights = unchecked_weights(query, key, **hidden, empty_rows=empty_rows)
        return F.dropout(weights, dropout_p) @ value
    if engine == "fused":
        return _fused(query, key, value, **hidden, dropout_p=dropout_p, empty_rows=empty_rows)
    chunk_size = chunk_size or max(64, math.isqrt(key.shape[-2]))
    return _chunked(query, key, value, **hidden, dropout_p=dropout_p, chunk_size=chunk_size)


# The formula, step by step ------------------------------------------------------------------------


def _scores(query, key, scale):
    return (query * scale) @ key.mT


def _hide(scores, attn_mask, attn_bias=None):
    """Add the bias; where the mask is False put -inf, which exp turns into 0."""
    if attn_bias is not None:
        scores = scores + attn_bias.to(scores.dtype)
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, -math.inf)
    return scores


def _softmax(scores):
    """Softmax over the last axis; a row of nothing but -inf becomes 0, with gradient 0.

    Such a row is made harmless before the softmax and zeroed after it: repairing the NaN
    afterwards would leave it in the gradient.
    """
    if scores.shape[-1] == 0:
        return scores
    unseen = (scores == -math.inf).all(-1, keepdim=True)  # (..., L, 1)
    return scores.masked_fill(unseen, 0).softmax(-1).masked_fill(unseen, 0)


def _masked_softmax_(scores, attn_mask, empty_rows):
    """`_softmax(_hide(scores, attn_mask))` in fewer passes: it writes into the scores, and asks
    the mask, which may be smaller, which rows see nothing."""
    unseen = None
    if attn_mask is not None:
        unseen = _unseen_rows(attn_mask) if empty_rows else None
        hidden = ~attn_mask if unseen is None else ~(attn_mask | unseen)
        # A weight of 0 has gradient 0, so autograd need not know of this, and saves a pass.
        scores.detach().masked_fill_(hidden, -math.inf)
    # Memory that was never touched costs more than the softmax; autograd and vmap need it though.
    in_place = torch.is_inference_mode_enabled() and not torch.compiler.is_compiling()
    weights = torch.softmax(scores, -1, out=scores if in_place else None)
    return weights if unseen is None else weights.masked_fill(unseen, 0)


def _unseen_rows(attn_mask):
    """Which queries may see no key, (..., L or 1, 1), or None if it is known that all see one.

    Looking at the mask saves the passes that repair such rows. A GPU would have to wait for it,
    and a graph cannot look.
    """
    seen = attn_mask.any(-1, keepdim=True)
    if seen.device.type == "cpu" and not torch.compiler.is_compiling() and seen.all():
        return None
    return ~seen


def _and(attn_mask, other):
    return other if attn_mask is None else attn_mask & other


def _at_least_float32(dtype):
    return torch.promote_types(dtype, torch.float32)


# Engine "chunked" ---------------------------------------------------------------------------------


def _chunked(query, key, value, *, attn_mask, attn_bias, is_causal, chunk_size, **options):
    """Attend chunk by chunk of queries, each of which forgets its scores and recomputes them."""
    outputs = []
    for start in range(0, query.shape[-2], chunk_size):
        rows = slice(start, start + chunk_size)
        arguments = (
            query[..., rows, :],
            key,
            value,
            _part(attn_mask, rows),
            _part(attn_bias, rows),
        )
        first = start if is_causal else None
        options.update(first=first, chunk_size=chunk_size)
        if torch.is_grad_enabled():
            outputs.append(checkpoint(_attend, *arguments, **options, use_reentrant=False))
        else:
            outputs.append(_attend(*arguments, **options))
    return torch.cat(outputs, dim=-2)


def _attend(query, key, value, attn_mask, attn_bias, *, first, scale, dropout_p, chunk_size):
    """Attention of some queries with one pass over the keys, chunk by chunk.

    Holds per query the largest score so far, the sum of the exponentials and the weighted sum of
    the values, both relative to that score. `first` is the position of the first query, if causal.
    """
    wide = _at_least_float32(query.dtype)
    L, S = query.shape[-2], key.shape[-2]
    total, weighted, largest = 0.0, 0.0, torch.tensor(-math.inf, dtype=wide, device=query.device)
    for start in range(0, S if first is None else first + L, chunk_size):
        keys = slice(start, min(start + chunk_size, S))
        visible = _part(attn_mask, slice(None), keys)
        if first is not None:
            positions = torch.arange(keys.start, keys.stop, device=query.device)
            visible = _and(
                visible, positions <= torch.arange(L, device=query.device)[:, None] + first
            )
        scores = _scores(query.to(wide), key[..., keys, :].to(wide), scale)
        scores = _hide(scores, visible, _part(attn_bias, slice(None), keys))  # (..., l, chunk)

        # The reference score cancels in the quotient below, so it needs no gradient.
        new_largest = torch.maximum(largest, scores.detach().amax(-1, keepdim=True))
        reference = new_largest.masked_fill(new_largest == -math.inf, 0)  # no key seen yet
        weights = (scores - reference).exp()
        rescale = (largest - reference).exp()  # what was summed before, by the new reference
        total = total * rescale + weights.sum(-1, keepdim=True)
        weighted = weighted * rescale + F.dropout(weights, dropout_p) @ value[..., keys, :].to(wide)
        largest = new_largest
    return (weighted / total.masked_fill(total == 0, 1)).to(query.dtype)


def _part(mask, rows, keys=slice(None)):
    """The given rows and columns of a mask or bias; an axis of size 1 stands for all of them."""
    if mask is None:
        return None
    if mask.ndim > 1 and mask.shape[-2] > 1:
        mask = mask[..., rows, :]
    return mask[..., keys] if mask.shape[-1] > 1 else mask


# Engine "fused" -----------------------------------------------------------------------------------


def _fused(query, key, value, *, attn_mask, attn_bias, is_causal, scale, dropout_p, empty_rows):
    """torch's kernels. They take four axes and no mask beside is_causal, and leave a fully masked
    row to the kernel: here such a row sees every key and is zeroed afterwards."""
    dtype = query.dtype
    if attn_bias is not None and attn_bias.dtype != dtype:  # half would round or overflow the bias
        wide = _at_least_float32(dtype)
        query, key, value = query.to(wide), key.to(wide), value.to(wide)
    if is_causal and (attn_mask is not None or attn_bias is not None):
        attn_mask = _and(attn_mask, causal_mask(query.shape[-2], device=query.device))
        is_causal = False
    visible, unseen = attn_mask, None
    if attn_bias is not None:
        visible = _hide(attn_bias.to(query.dtype), attn_mask)
        unseen = (visible == -math.inf).all(-1, keepdim=True)  # (..., L or 1, 1)
        visible = visible.masked_fill(unseen, 0)
    elif attn_mask is not None:
        unseen = _unseen_rows(attn_mask) if empty_rows else None
        visible = attn_mask if unseen is None else attn_mask | unseen

    lead = _broadcast("query, key and value", query, key, value)
    output = F.scaled_dot_product_attention(
        _four_axes(query, lead),
        _four_axes(key, lead),
        _four_axes(value, lead),
        attn_mask=None if visible is None else _mask_axes(visible, lead),
        is_causal=is_causal,
        scale=scale,
        dropout_p=dropout_p,
    )
    if len(lead) != 2:
        output = output.reshape(*lead, *output.shape[-2:])
    output = output.to(dtype)
    return output if unseen is None else output.masked_fill(unseen, 0)


def _four_axes(x, lead):
    """(..., l, d) -> (B, H, l, d), the leading axes broadcast to `lead`; masks may keep size 1."""
    if len(lead) == 2 and x.shape[:-2] == lead:
        return x
    if x.ndim == 4 and len(lead) == 2:
        return x.expand(*lead, *x.shape[-2:])
    heads = lead[-1] if lead else 1
    batch = math.prod(lead[:-1])
    return x.expand(*lead, *x.shape[-2:]).reshape(batch, heads, *x.shape[-2:])


def _mask_axes(mask, lead):
    """As `_four_axes`, but size 1 stays 1: torch writes an expanded mask out, head by head."""
    if len(lead) != 2:
        return _four_axes(mask, lead)
    return mask[(None,) * (4 - mask.ndim)]


# Checks -------------------------------------------------------------------------------------------


def _check_tensors(**tensors):
    (first_name, first), *others = tensors.items()
    for name, tensor in tensors.items():
        if not torch.is_tensor(tensor) or not tensor.is_floating_point():
            got = tensor.dtype if torch.is_tensor(tensor) else type(tensor).__name__
            raise ValueError(f"{name} must be a floating tensor, got {got}")
        if tensor.ndim < 2:
            raise ValueError(
                f"{name} must have axes (..., length, width), got shape {tuple(tensor.shape)}"
            )
    for name, tensor in others:
        if (tensor.dtype, tensor.device) != (first.dtype, first.device):
            raise ValueError(
                f"{name} must have the dtype and device of {first_name} "
                f"({first.dtype}, {first.device}), got {tensor.dtype}, {tensor.device}"
            )


def _scores_shape(query, key):
    """The shape of the scores, after checking that query and key fit."""
    if query.shape[-1] != key.shape[-1] or query.shape[-1] == 0:
        raise ValueError(
            "query and key must have the same width, at least 1, got shapes "
            f"{tuple(query.shape)} and {tuple(key.shape)}"
        )
    return (*_broadcast("query and key", query, key), query.shape[-2], key.shape[-2])


def _broadcast(names, *tensors):
    leads = [tensor.shape[:-2] for tensor in tensors]
    if all(lead == leads[0] for lead in leads):
        return leads[0]  # the usual case: broadcast_shapes takes longer than a short attention
    try:
        return torch.broadcast_shapes(*leads)
    except RuntimeError:
        shapes = " and ".join(str(tuple(tensor.shape)) for tensor in tensors)
        raise ValueError(f"the leading axes of {names} must broadcast, got {shapes}") from None


def _check_value(query, key, value):
    if value.shape[-2] != key.shape[-2]:
        raise ValueError(
            "value must have one row for each key, got shapes "
            f"{tuple(value.shape)} and {tuple(key.shape)}"
        )
    _broadcast("query, key and value", query, key, value)


def _check_scale(scale, query):
    if scale is None:
        return 1 / math.sqrt(query.shape[-1])
    if not _is_number(scale) or not math.isfinite(scale):
        raise ValueError(f"scale must be a finite number, got {scale!r}")
    return float(scale)


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def check_visibility(shape, device, attn_mask, attn_bias, is_causal):
    """Raise a ValueError unless mask, bias and is_causal fit scores of this shape and device."""
    L, S = shape[-2:]
    if is_causal and L != S:
        raise ValueError(
            f"is_causal=True needs as many queries as keys, got L={L}, S={S}. Pass "
            'attn_mask=causal_mask(L, S, align="top-left") if query 0 stands at key 0, or '
            'align="bottom-right" if the last query stands at the last key'
        )
    _check_mask(attn_mask, shape, device)
    _check_bias(attn_bias, shape, device)


def _check_mask(attn_mask, shape, device):
    if attn_mask is None:
        return
    if not torch.is_tensor(attn_mask) or attn_mask.dtype != torch.bool:
        got = attn_mask.dtype if torch.is_tensor(attn_mask) else type(attn_mask).__name__
        raise ValueError(
            "attn_mask must be a boolean tensor, True = may attend, got "
            f"{got}; numbers to be added to the scores go into attn_bias"
        )
    if attn_mask.ndim not in (2, len(shape)) or not _fits(attn_mask, shape):
        raise ValueError(
            f"attn_mask must have shape {tuple(shape[-2:])} (queries, keys) or {tuple(shape)}, "
            f"each size full or 1, got {tuple(attn_mask.shape)}"
        )
    _check_device("attn_mask", attn_mask, device)


def _check_bias(attn_bias, shape, device):
    if attn_bias is None:
        return
    if not torch.is_tensor(attn_bias) or not attn_bias.is_floating_point():
        got = attn_bias.dtype if torch.is_tensor(attn_bias) else type(attn_bias).__name__
        raise ValueError(
            f"attn_bias must be a floating tensor, got {got}; "
            "a mask of who may attend goes into attn_mask"
        )
    if not 2 <= attn_bias.ndim <= len(shape) or not _fits(attn_bias, shape):
        raise ValueError(
            f"attn_bias must broadcast to the scores {tuple(shape)} and have at least two axes, "
            f"got {tuple(attn_bias.shape)}"
        )
    _check_device("attn_bias", attn_bias, device)


def _fits(tensor, shape):
    """Whether each axis, counted from the last, is 1 or as long as the shape's."""
    wanted = shape[len(shape) - tensor.ndim :]
    return all(have in (1, want) for have, want in zip(tensor.shape, wanted, strict=True))


def _check_device(name, tensor, device):
    if tensor.device != device:
        raise ValueError(f"{name} must be on {device} as the query is, got {tensor.device}")
