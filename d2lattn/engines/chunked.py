"""Engine "chunked": exact attention that never builds an L×S tensor (chapter 8).

A block of queries meets the keys block by block and remembers, per query, the largest score m so
far, the sum of exp(s - m) and the weighted sum of the values. When a larger score turns up, both
sums are multiplied by exp(old m - new m). The backward pass keeps no scores either: it computes
them again, and log Σ exp(s), one number per query, turns them into weights at once.

Sources: Milakov & Gimelshein 2018 (online softmax); Rabe & Staats 2021, section 2; Dao et al. 2022,
"FlashAttention", algorithms 1 and 4.
"""

import itertools
import math
from contextlib import contextmanager

import torch
import torch.nn.functional as F

from d2lattn.arguments import (
    broadcast,
    check_count,
    check_floating,
    check_query_and_key,
    check_scale,
    check_value,
    kind,
)
from d2lattn.masks import Visibility, are_finite, cut, entry, is_transformed, without_unseen

# Queries and keys whose scores are held at once: 1 MiB of float32, which a core's cache takes.
BLOCK = (512, 512)


def chunked_attention(query, key, value, visible, scale, dropout_p=0.0, chunk_size=None):
    """softmax(Q Kᵀ · scale + bias) V, block by block."""
    return attend_in_blocks(query, key, value, visible, scale, dropout_p, chunk_size)[0]


def partial_attention(
    query,
    key,
    value,
    *,
    attn_mask=None,
    attn_bias=None,
    is_causal=False,
    scale=None,
    query_offset=None,
    chunk_size=None,
):
    """Attention over some of the keys, with the number that lets it be merged with the rest.

    output = softmax(s) V and logsumexp = log Σ exp(s) over the keys that are given, s the masked
    scores. `merge` joins the parts. (Rabe & Staats 2021, section 2; Dao et al. 2022, section 3.1.)

    Args:
        query: floating tensor (..., L, E).
        key, value: some of the keys, (..., S, E), and their values, (..., S, Ev).
        attn_mask, attn_bias, is_causal, query_offset, scale, chunk_size: as in `attention`. The
            positions are those among the given keys.

    Returns:
        output (..., L, Ev) of the query's dtype; logsumexp (..., L) in at least float32, -inf for
        a query that may see none of these keys, whose output is 0. Both have gradients.

    Raises:
        ValueError: what `attention` refuses.

    Cost:
        2·L·S·(E + Ev) FLOPs; a few blocks of some MiB, whatever L and S.

    Example:
        >>> query, key, value = torch.randn(3, 1, 6, 4)
        >>> halves = [partial_attention(query, key[:, i : i + 3], value[:, i : i + 3])
        ...           for i in (0, 3)]
        >>> output, _ = merge(*zip(*halves))
        >>> torch.allclose(output, partial_attention(query, key, value)[0], atol=1e-6)
        True
    """
    shape = check_query_and_key(query, key)
    check_value(query, key, value)
    hidden = dict(attn_mask=attn_mask, attn_bias=attn_bias)
    causal = dict(is_causal=is_causal, query_offset=query_offset)
    visible = Visibility(shape, query.device, **hidden, **causal)
    if chunk_size is not None:
        check_count("chunk_size", chunk_size)
    if not (visible.hides_nothing() or are_finite(key, value)):
        key, value = without_unseen(key, value, visible)
    scale = check_scale(scale, query)
    return attend_in_blocks(query, key, value, visible, scale, chunk_size=chunk_size)


def merge(outputs, logsumexps):
    """Join attention over several sets of keys into attention over all of them.

    With l_p = log Σ exp(s) over the keys of part p: logsumexp = log Σ_p exp(l_p) and
    output = Σ_p exp(l_p - logsumexp) · output_p. It does not matter in which order, or in how many
    steps, parts are merged: chunks, hashing rounds and machines all use this rule.

    Args:
        outputs: floating tensors (..., L, Ev), one for each part.
        logsumexps: floating tensors (..., L), one for each part; -inf where it holds no key.

    Returns:
        output (..., L, Ev) of the parts' dtype, logsumexp (..., L); 0 and -inf for a query that
        no part gave a key to.

    Raises:
        ValueError: no part, another number of outputs than of logsumexps, shapes that do not fit.

    Cost:
        2·P·L·Ev FLOPs for P parts.

    Example:
        >>> zero, two = torch.zeros(1, 1), torch.full((1, 1), 2.0)
        >>> even = torch.tensor([0.0])  # both parts hold one key of score 0
        >>> merge([zero, two], [even, even])
        (tensor([[1.]]), tensor([0.6931]))
    """
    outputs, logsumexps = list(outputs), list(logsumexps)
    if not outputs or len(outputs) != len(logsumexps):
        raise ValueError(
            "outputs and logsumexps must hold one tensor for each part, at least one, "
            f"got {len(outputs)} and {len(logsumexps)}"
        )
    for output, logsumexp in zip(outputs, logsumexps, strict=True):
        check_floating("outputs", output)
        if not torch.is_tensor(logsumexp) or output.shape[:-1] != logsumexp.shape:
            got = tuple(logsumexp.shape) if torch.is_tensor(logsumexp) else kind(logsumexp)
            raise ValueError(
                f"logsumexps must have the shapes of the outputs without their last axis, "
                f"{tuple(output.shape[:-1])}, got {got}"
            )
    if len({(output.shape, output.dtype) for output in outputs}) > 1:
        shapes = [(tuple(output.shape), output.dtype) for output in outputs]
        raise ValueError(f"outputs must have one shape and dtype, got {shapes}")
    parts = torch.stack(logsumexps)  # (P, ..., L)
    reference = parts.detach().amax(0)
    reference = reference.masked_fill(reference == -math.inf, 0)  # no part has a key
    shares = (parts - reference).exp()
    total = shares.sum(0)  # (..., L)
    blended = (shares[..., None] * torch.stack(outputs).to(shares.dtype)).sum(0)
    empty = total == 0
    total = total.masked_fill(empty, 1)  # neither NaN nor inf, in the gradient too
    logsumexp = (total.log() + reference).masked_fill(empty, -math.inf)
    return (blended / total[..., None]).to(outputs[0].dtype), logsumexp


def attend_in_blocks(query, key, value, visible, scale, dropout_p=0.0, chunk_size=None):
    """The output (..., L, Ev), and log Σ exp(s) of each query's scores, (..., L), -inf if it has
    none."""
    if is_transformed():
        raise ValueError(
            'engine must be "explicit" or "fused" inside torch.func (vmap, grad, jvp, …), '
            'got "chunked", whose backward pass is its own'
        )
    lead = broadcast("query, key and value", query, key, value)
    query, key, value = (x.expand(*lead, *x.shape[-2:]) for x in (query, key, value))
    visible = visible.with_leading_axes(lead)
    block = BLOCK if chunk_size is None else (chunk_size, chunk_size)
    return _Blocks.apply(query, key, value, visible.bias, visible, scale, dropout_p, block)


class _Blocks(torch.autograd.Function):
    """Both passes over the leading axes; the loops over blocks are below."""

    @staticmethod
    def forward(ctx, query, key, value, bias, visible, scale, dropout_p, block):
        ctx.settings = scale, dropout_p, block
        ctx.visible, ctx.random = visible, _random_state(query) if dropout_p else None
        wide = torch.promote_types(query.dtype, torch.float32)
        output = value.new_empty(*query.shape[:-1], value.shape[-1], dtype=wide)
        logsumexp = query.new_empty(query.shape[:-1], dtype=wide)
        with torch.autocast(query.device.type, enabled=False):
            for index in _indices(query, key, block):
                arguments = (x[index] for x in (query, key, value, output, logsumexp))
                _forward(*arguments, visible.at(index), *ctx.settings)
        ctx.save_for_backward(query, key, value, output, logsumexp)  # not rounded to half
        return output.to(query.dtype), logsumexp

    @staticmethod
    def backward(ctx, grad_output, grad_logsumexp):
        if torch.is_grad_enabled():  # create_graph=True
            raise ValueError(
                'engine must be "explicit" to be differentiated twice, got "chunked", which '
                "recomputes its scores and records nothing"
            )
        query, key, value, output, logsumexp = ctx.saved_tensors
        wide, grad_bias = logsumexp.dtype, None
        gradients = [torch.zeros_like(x, dtype=wide) for x in (query, key, value)]
        if ctx.needs_input_grad[3]:
            grad_bias = torch.zeros_like(ctx.visible.bias, dtype=wide)
        with torch.autocast(query.device.type, enabled=False), _replay(ctx.random):
            # d score = weight · (d weight - delta), delta = Σ weight · d weight = d output · output
            delta = (grad_output * output).sum(-1) - grad_logsumexp  # d log Σ exp(s) = weight
            for index in _indices(query, key, ctx.settings[-1]):
                arguments = (query, key, value, logsumexp, grad_output, delta, *gradients)
                arguments = (x[index] for x in arguments)
                bias = entry(grad_bias, index, query.ndim)
                _backward(*arguments, bias, ctx.visible.at(index), *ctx.settings)
        return *(g.to(query.dtype) for g in gradients), grad_bias, None, None, None, None


def _forward(query, key, value, output, logsumexp, visible, scale, dropout_p, block):
    """Fill `output` and `logsumexp`: each block of queries makes one pass over the keys."""
    for rows in _slices(query.shape[-2], block[0]):
        q = query[..., rows, :].to(logsumexp.dtype) * scale  # (..., l, E)
        largest = q.new_full((*q.shape[:-1], 1), -math.inf)
        total, weighted = torch.zeros_like(largest), q.new_zeros(*q.shape[:-1], value.shape[-1])
        seen = visible.mask is None and visible.shape[-1] > 0  # whether a query sees some key
        for keys, part in _visible_blocks(visible, rows, block[1]):
            if visible.mask is not None:
                seen = seen | part.allowed().any(-1, keepdim=True)
            scores = part.hide_(q @ key[..., keys, :].to(q.dtype).mT)  # (..., l, s)
            larger = torch.maximum(largest, scores.amax(-1, keepdim=True))
            reference = larger.masked_fill(larger == -math.inf, 0)  # no key seen yet
            powers = scores.sub_(reference).exp_()
            rescale = (largest - reference).exp_()  # what was summed before, by the new reference
            total.mul_(rescale).add_(powers.sum(-1, keepdim=True))
            powers = F.dropout(powers, dropout_p, inplace=True) if dropout_p else powers
            weighted.mul_(rescale).add_(powers @ value[..., keys, :].to(q.dtype))
            largest = larger
        logsumexp[..., rows] = (largest + total.log()).squeeze(-1)
        # 0/0 is 0 for a query without keys, and NaN for one whose own numbers make all scores -inf.
        if visible.bias is not None or seen is False:
            seen = total > 0
        output[..., rows, :] = weighted / (total if seen is True else total.masked_fill(~seen, 1))


def _backward(
    query,
    key,
    value,
    logsumexp,
    grad_output,
    delta,
    grad_query,
    grad_key,
    grad_value,
    grad_bias,
    visible,
    scale,
    dropout_p,
    block,
):
    """Add to the gradients, block by block in the order of `_forward`, so that dropout repeats."""
    wide = logsumexp.dtype
    for rows in _slices(query.shape[-2], block[0]):
        q = query[..., rows, :].to(wide) * scale  # (..., l, E)
        grad = grad_output[..., rows, :].to(wide)  # (..., l, Ev)
        # A query without keys has -inf, and weights exp(-inf - inf) = 0.
        normal = logsumexp[..., rows, None]
        normal = normal.masked_fill(normal == -math.inf, math.inf)
        for keys, part in _visible_blocks(visible, rows, block[1]):
            k, v = key[..., keys, :].to(wide), value[..., keys, :].to(wide)
            weights = part.hide_(q @ k.mT).sub_(normal).exp_()  # (..., l, s)
            grad_weights = grad @ v.mT
            if dropout_p:
                kept = F.dropout(torch.ones_like(weights), dropout_p)
                grad_weights.mul_(kept)
                grad_value[..., keys, :] += (weights * kept).mT @ grad
            else:
                grad_value[..., keys, :] += weights.mT @ grad
            grad_scores = grad_weights.sub_(delta[..., rows, None]).mul_(weights)
            grad_query[..., rows, :] += grad_scores @ k * scale
            grad_key[..., keys, :] += grad_scores.mT @ q
            if grad_bias is not None:
                place = cut(grad_bias, rows, keys)
                place += grad_scores.sum_to_size(place.shape)


def _slices(length, size):
    return [slice(start, min(start + size, length)) for start in range(0, length, size)]


def _visible_blocks(visible, rows, size):
    """The blocks of keys that some query of these rows may see: (slice, its Visibility)."""
    for keys in _slices(visible.shape[-1], size):
        part = visible.block(rows, keys)
        if not part.hides_all():
            yield keys, part


def _indices(query, key, block):
    """Indices of as few leading axes as leave scores of one block at most."""
    *lead, L, _ = query.shape
    scores = min(L, block[0]) * min(key.shape[-2], block[1])
    outer = 0
    while outer < len(lead) and math.prod(lead[outer:]) * scores > block[0] * block[1]:
        outer += 1
    return itertools.product(*map(range, lead[:outer]))


def _random_state(x):
    """What decides which weights the dropout drops, on the device of x."""
    return x.device, _random_of(x.device).get_rng_state()


@contextmanager
def _replay(state):
    """Drop the same weights again, and leave the random numbers that follow as they were."""
    if state is None:
        yield
        return
    device, numbers = state
    with torch.random.fork_rng([device] if device.type != "cpu" else [], device_type=device.type):
        _random_of(device).set_rng_state(numbers)
        yield


def _random_of(device):
    return torch.random if device.type == "cpu" else getattr(torch, device.type)
