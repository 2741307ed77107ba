"""Attention in one formula (chapters 1 to 3), and the way to its engines.

    attention(Q, K, V) = softmax(Q Kᵀ · scale + bias, over the keys a query may see) V

Shapes: `...` any leading axes, L queries, S keys, E width of queries and keys, Ev width of values.
Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.2.1, equation 1.
"""

import math

import torch
import torch.nn.functional as F
from torch import Tensor

from d2lattn.arguments import check_choice, check_count, check_number, expect, scores_shape
from d2lattn.engines.chunked import chunked_attention
from d2lattn.engines.fused import fused_attention
from d2lattn.engines.visibility import checked_call, checked_visibility
from d2lattn.tracing import NOTHING, in_full_precision, is_eager

ENGINES = ("explicit", "chunked", "fused")


def explicit_attention(call):
    """Compute the formula: scores, attention weights, weighted average of the values."""
    weights = explicit_weights(call)  # (..., L, S)
    output = F.dropout(weights, call.dropout_p) @ call.value  # (..., L, Ev)
    return output, weights


def explicit_weights(call):
    """softmax(Q Kᵀ · scale + bias), in the dtype of the query."""
    scores = score(call.query, call.key, call.scale)
    return softmax(scores, call.visible, call.sink).to(call.query.dtype)  # `hide` adds the bias


def score(query, key, scale):
    """Q Kᵀ · scale, (..., L, S), in at least float32; scaled first, lest the product overflow."""
    wide = torch.promote_types(query.dtype, torch.float32)
    return (query.to(wide) * scale) @ key.to(wide).mT


def softmax(scores, visible, sink=None):
    """exp(s) / Σ exp(s) over the keys that a query may see; a query that may see none gets 0.

    Such a row is made harmless before the softmax and zeroed after it: a NaN that is repaired
    afterwards can stay in the gradient. With a sink, which joins the sum, weights sum to less
    than 1. May write into the scores.
    """
    if sink is not None:
        sink = sink.to(scores.dtype).expand(*scores.shape[:-1], 1)
        return torch.cat([visible.hide(scores), sink], -1).softmax(-1)[..., :-1]
    if visible.bias is None and is_eager():
        return _softmax_in_place(scores, visible)
    return _softmax_or_0(visible.hide(scores))


def _softmax_or_0(scores):
    unseen = (scores == -math.inf).all(-1, keepdim=True)  # (..., L, 1)
    return scores.masked_fill(unseen, 0).softmax(-1).masked_fill(unseen, 0)


def _softmax_in_place(scores, visible):
    """Do as `_softmax_or_0` in fewer passes, since fresh memory costs more than the arithmetic:
    with weights, 2.7 times as fast in inference and 1.8 times in training.

    Which rows see nothing is read off the mask, which may be smaller than the scores.
    """
    allowed, unseen = visible.allowed(), None
    if allowed is not None:
        unseen = visible.unseen_queries(allowed)
        hidden = ~allowed if unseen is None else ~(allowed | unseen)
        scores.detach().masked_fill_(hidden, -math.inf)  # weight 0 has gradient 0 in any case
    in_place = scores if torch.is_inference_mode_enabled() else None  # autograd needs the scores
    weights = torch.softmax(scores, -1, out=in_place)
    return weights if unseen is None else weights.masked_fill(unseen, 0)


# The functions of the book -----------------------------------------------------------------------


def attention_scores(query: Tensor, key: Tensor, *, scale: float | None = None) -> Tensor:
    """Score every query against every key by a scaled dot product.

    scores = Q Kᵀ · scale (Vaswani et al. 2017, section 3.2.1). The query is scaled before the
    product and half precision is computed in float32, so q·k does not overflow on the way.

    Args:
        query, key: floating tensors (..., L, E) and (..., S, E) of one dtype and device.
        scale (float): the factor; 1/√E when absent.

    Returns:
        Tensor (..., L, S) of the query's dtype.

    Cost:
        2·L·S·E FLOPs, L·S numbers of memory for each leading index.

    Example:
        >>> x = torch.tensor([[1.0, 0.0], [3.0, 4.0]])
        >>> attention_scores(x, x, scale=1.0)
        tensor([[ 1.,  3.],
                [ 3., 25.]])
    """
    scores_shape(query, key)
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else check_number("scale", scale)
    with in_full_precision(query):
        return score(query, key, scale).to(query.dtype)


def masked_softmax(scores: Tensor, attn_mask: Tensor | None = None) -> Tensor:
    """Softmax over the keys, with weight 0 wherever the mask is False.

    weights[i, j] = exp(s[i, j]) / Σ_k exp(s[i, k]), the sum over the keys that query i may see.
    A row that may see no key (or holds only -inf) has weights 0 and gradient 0, not NaN.

    Args:
        scores: floating tensor (..., L, S).
        attn_mask: boolean, True = may attend; (L, S) or as many axes as the scores, each size
            full or 1.

    Returns:
        Tensor (..., L, S) of the scores' dtype, computed in at least float32.

    Example:
        >>> masked_softmax(torch.zeros(1, 3), torch.tensor([[True, False, True]]))
        tensor([[0.5000, 0.0000, 0.5000]])
    """
    expect("scores", scores, "... queries keys")
    visible = checked_visibility(scores.shape, scores.device, attn_mask)
    wide = scores.to(torch.promote_types(scores.dtype, torch.float32))
    return _softmax_or_0(visible.hide(wide)).to(scores.dtype)


def attention_weights(
    query: Tensor,
    key: Tensor,
    *,
    attn_mask: Tensor | None = None,
    attn_bias: Tensor | None = None,
    is_causal: bool = False,
    scale: float | None = None,
    query_offset: int | None = None,
) -> Tensor:
    """Compute the attention weights: the fraction of its attention that a query gives each key.

    weights = masked_softmax(Q Kᵀ · scale + bias, mask): rows sum to 1, or to 0 without any key.

    Args:
        query, key, scale: as in `attention_scores`.
        attn_mask: as in `masked_softmax`.
        attn_bias: floating tensor added to the scaled scores; it broadcasts to them from the last
            axis, so (H, L, S) is a bias for each head. -inf hides a key as the mask does.
        is_causal (bool): query i sees the keys up to its own position and none after it.
        query_offset (int): with is_causal, the key position of query 0, so that query i sees keys
            0 .. query_offset + i; 0 when absent, which needs L = S. A cache of S - L keys before
            these queries is query_offset=S - L.

    Returns:
        Tensor (..., L, S) of the query's dtype, computed in at least float32.

    Cost:
        2·L·S·E FLOPs, O(L·S) memory.

    Example:
        >>> x = torch.zeros(2, 4)
        >>> attention_weights(x, x, is_causal=True)
        tensor([[1.0000, 0.0000],
                [0.5000, 0.5000]])
    """
    call = checked_call(query, key, key, attn_mask, attn_bias, is_causal, query_offset, scale)
    with in_full_precision(query):
        return explicit_weights(call)


def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    attn_mask: Tensor | None = None,
    attn_bias: Tensor | None = None,
    is_causal: bool = False,
    scale: float | None = None,
    query_offset: int | None = None,
    dropout_p: float = 0.0,
    engine: str = "fused",
    chunk_size: int | None = None,
) -> Tensor:
    """Average the values with the attention weights: softmax(Q Kᵀ · scale + bias) V.

    Vaswani et al. 2017, equation 1. The engines compute the same numbers in different memory:
    "explicit" writes the formula down, "chunked" keeps a running maximum and a running sum per
    query (Rabe & Staats 2021, section 2) and never builds an L×S tensor, "fused" calls torch.

    Hidden finite numbers never matter. NaN and inf behave as they do in torch: a hidden value still
    reaches the output as 0 · NaN.

    Args:
        query, key, value: floating tensors (..., L, E), (..., S, E), (..., S, Ev) of one dtype and
            device.
        attn_mask, attn_bias, is_causal, query_offset, scale: as in `attention_weights`.
        dropout_p (float): fraction of weights set to 0, the others divided by 1 - dropout_p. Acts
            on every call: pass 0 in evaluation.
        engine (str): "fused" (default), "chunked" or "explicit". Only "explicit" can be
            differentiated twice; torch.func transforms "explicit" and "fused"; an exported graph
            of "chunked" is for the length with which it was made.
        chunk_size (int): for "chunked" alone, queries and keys held at once; when absent, blocks of
            some hundred, which fill a cache.

    Returns:
        Tensor (..., L, Ev) of the query's dtype. A query that may see no key gets 0.

    Cost:
        2·L·S·(E + Ev) FLOPs. Memory beyond inputs and output: L·S numbers for each leading index
        ("explicit"), a few blocks of some MiB whatever L and S ("chunked"), the kernel's own
        ("fused").

    Equivalent to:
        attention_weights(query, key, ...) @ value, with dropout on the weights.

    Example:
        >>> x = torch.tensor([[0.0, 0.0], [2.0, 4.0]])
        >>> attention(x[:1], x, x)  # a query of zeros scores all keys alike: the plain mean
        tensor([[1., 2.]])
    """
    call = checked_call(
        query, key, value, attn_mask, attn_bias, is_causal, query_offset, scale, dropout_p
    )
    if chunk_size is not None:
        check_count("chunk_size", chunk_size)
        if engine in ("explicit", "fused"):
            raise ValueError(f'chunk_size is for engine="chunked", got engine="{engine}"')
    return compute(call, engine, chunk_size=chunk_size)[0]


# Dispatch: a call that fits -----------------------------------------------------------------------


def compute(call, engine, need_weights=False, chunk_size=None):
    """Give the output of a call, by one of the engines, and its weights before dropout or None."""
    query, key, value = call.query, call.key, call.value
    plain = query.is_meta or not torch.is_autocast_enabled(query.device.type)
    with NOTHING if plain else in_full_precision(query):
        empty = query.numel() == 0 or key.numel() == 0 or value.numel() == 0
        if engine == "fused" and call.sink is None and not (empty or need_weights):
            return fused_attention(call), None
        check_choice("engine", engine, ENGINES)  # a layer's may be set at any time
        if engine == "chunked" and not (empty or need_weights):
            return chunked_attention(call, chunk_size), None
        # The formula, also for a sink, which torch's kernels do not know; of nothing it gives 0
        # and keeps the gradient.
        output, weights = explicit_attention(call)
        return output, weights if need_weights else None
