"""Engine "chunked": exact attention that never builds an L×S tensor (chapter 8).

A block of queries meets the keys block by block and remembers, per query, the largest score m so
far, the sum of exp(s - m) and the weighted sum of the values. When a larger score turns up, both
sums are multiplied by exp(old m - new m). The backward pass keeps no scores either: it computes
them again, and log Σ exp(s), one number per query, turns them into weights at once.

Sources: Milakov & Gimelshein 2018 (online softmax); Rabe & Staats 2021, section 2; Dao et al. 2022,
"FlashAttention", algorithms 1 and 4.
"""

import math
from collections.abc import Iterable
from contextlib import contextmanager

import torch
import torch.nn.functional as F
from torch import Tensor

from d2lattn.engines.visibility import checked_call, cut
from d2lattn.tracing import in_full_precision

# Scores of all heads that are held at once: 1 MiB of float32, which a core's cache takes; on other
# devices 256 MiB, since each block there costs some launches whatever its size. With many heads a
# block has at least 128 queries and keys: smaller ones cost more than the cache saves.
SCORES, SCORES_ON_A_GPU, LEAST = 2**18, 2**26, 128


def chunked_attention(call, chunk_size=None):
    """softmax(Q Kᵀ · scale + bias) V, block by block.

    A sink joins at the end: of Σ exp(s) + exp(sink) = exp(l) + exp(sink), all that the keys have is
    the fraction exp(l) / (exp(l) + exp(sink)) = sigmoid(l - sink), by which their average shrinks.
    """
    output, logsumexp = attend_in_blocks(call, chunk_size)
    if call.sink is None:
        return output
    fraction = torch.sigmoid(logsumexp[..., None] - call.sink.to(logsumexp.dtype))
    return (output * fraction).to(output.dtype)


def partial_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    attn_mask: Tensor | None = None,
    attn_bias: Tensor | None = None,
    is_causal: bool = False,
    scale: float | None = None,
) -> tuple[Tensor, Tensor]:
    """Attend to some of the keys, with the number that lets it be merged with the rest.

    output = softmax(s) V and logsumexp = log Σ exp(s) over the keys that are given, s the masked
    scores. `merge` joins the parts. (Rabe & Staats 2021, section 2; Dao et al. 2022, section 3.1.)

    Args:
        query, key, value: (..., L, E), some of the keys, (..., S, E), their values, (..., S, Ev).
        attn_mask … scale: as in `attention`; positions are those among the given keys.

    Returns:
        output (..., L, Ev) of the query's dtype; logsumexp (..., L) in at least float32, -inf for
        a query that may see none of these keys, whose output is 0. Both have gradients. It takes
        2·L·S·(E + Ev) FLOPs, and a few blocks of some MiB, whatever L and S.

    Example:
        >>> query, key, value = torch.randn(3, 1, 6, 4)
        >>> halves = [partial_attention(query, key[:, i : i + 3], value[:, i : i + 3])
        ...           for i in (0, 3)]
        >>> output, _ = merge(*zip(*halves))
        >>> torch.allclose(output, partial_attention(query, key, value)[0], atol=1e-6)
        True
    """
    call = checked_call(query, key, value, attn_mask, attn_bias, is_causal, None, scale)
    return attend_in_blocks(call)


def merge(outputs: Iterable[Tensor], logsumexps: Iterable[Tensor]) -> tuple[Tensor, Tensor]:
    """Join attention over several sets of keys into attention over all of them.

    With l_p = log Σ exp(s) over the keys of part p: logsumexp = log Σ_p exp(l_p) and
    output = Σ_p exp(l_p - logsumexp) · output_p. It does not matter in which order, or in how many
    steps, parts are merged. They share no key, as those of chunks and machines; a key that stands
    in N parts counts N times, unless it has -log N as its bias in each, as in rounds of hashing.

    Args:
        outputs, logsumexps: floating tensors (..., L, Ev) and (..., L), one of each for each part;
            a logsumexp is -inf where a part holds no key.

    Returns:
        output (..., L, Ev) of the parts' dtype, logsumexp (..., L); 0 and -inf for a query that
        no part gave a key to.

    Example:
        >>> zero, two = torch.zeros(1, 1), torch.full((1, 1), 2.0)
        >>> even = torch.tensor([0.0])  # both parts hold one key of score 0
        >>> merge([zero, two], [even, even])
        (tensor([[1.]]), tensor([0.6931]))
    """
    outputs, logsumexps = list(outputs), list(logsumexps)
    for output, logsumexp in zip(outputs, logsumexps, strict=True):
        if output.shape[:-1] != logsumexp.shape:
            raise ValueError(
                f"logsumexps must have the shapes of the outputs without their last axis, "
                f"{tuple(output.shape[:-1])}, got {tuple(logsumexp.shape)}"
            )
    parts = torch.stack(logsumexps)  # (P, ..., L)
    reference = parts.detach().amax(0)
    reference = reference.masked_fill(reference == -math.inf, 0)  # no part has a key
    factors = (parts - reference).exp()
    total = factors.sum(0)  # (..., L)
    averaged = (factors[..., None] * torch.stack(outputs).to(factors.dtype)).sum(0)
    empty = total == 0
    total = total.masked_fill(empty, 1)  # neither NaN nor inf, in the gradient too
    logsumexp = (total.log() + reference).masked_fill(empty, -math.inf)
    return (averaged / total[..., None]).to(outputs[0].dtype), logsumexp


def attend_in_blocks(call, chunk_size=None):
    """Give the output (..., L, Ev) and log Σ exp(s) of each query's scores, (..., L), -inf if it
    has none; a sink is left out of both."""
    if torch._C._are_functorch_transforms_active():
        raise ValueError(
            'engine must be "explicit" or "fused" inside torch.func (vmap, grad, jvp, …), '
            'got "chunked", whose backward pass is its own'
        )
    lead = call.lead
    tensors = [x.expand(*lead, *x.shape[-2:]) for x in (call.query, call.key, call.value)]
    return _Blocks.apply(*tensors, call.visible.bias, call.with_tensors(*tensors), chunk_size)


class _Blocks(torch.autograd.Function):
    """Both passes; the loops over blocks are below."""

    @staticmethod
    def forward(ctx, query, key, value, bias, call, size):
        ctx.rest = call.with_tensors(None, None, None)
        ctx.size, ctx.seed = size, torch.randint(2**62, ()).item() if call.dropout_p else None
        wide = torch.promote_types(query.dtype, torch.float32)
        output = value.new_empty(*query.shape[:-1], value.shape[-1], dtype=wide)
        logsumexp = query.new_empty(query.shape[:-1], dtype=wide)
        with in_full_precision(query), _dropout_from(ctx.seed, query.device):
            forward_in_blocks(call, output, logsumexp, size)
        # The output is not rounded to half. Mask and bias stand in `rest`, too: saved, torch sees
        # to it that nobody has changed them.
        seen = call.visible.mask, bias
        ctx.save_for_backward(query, key, value, output, logsumexp, *seen)
        return output.to(query.dtype), logsumexp

    @staticmethod
    def backward(ctx, grad_output, grad_logsumexp):
        if torch.is_grad_enabled():  # create_graph=True
            raise ValueError(
                'engine must be "explicit" to be differentiated twice, got "chunked", which '
                "recomputes its scores and records nothing"
            )
        query, key, value, output, logsumexp, *_ = ctx.saved_tensors
        call, wide, grad_bias = ctx.rest.with_tensors(query, key, value), logsumexp.dtype, None
        gradients = [torch.zeros_like(x, dtype=wide) for x in (query, key, value)]
        if ctx.needs_input_grad[3]:
            grad_bias = torch.zeros_like(call.visible.bias, dtype=wide)
        with in_full_precision(query), _dropout_from(ctx.seed, query.device):
            # d score = weight · (d weight - delta), delta = Σ weight · d weight = d output · output
            delta = (grad_output * output).sum(-1) - grad_logsumexp  # d log Σ exp(s) = weight
            given, into = (logsumexp, grad_output, delta), (*gradients, grad_bias)
            backward_in_blocks(call, given, into, ctx.size)
        return *(g.to(query.dtype) for g in gradients), grad_bias, None, None


def forward_in_blocks(call, output, logsumexp, size=None):
    """Fill `output` (..., L, Ev) and `logsumexp` (..., L) of a call whose axes are all there: each
    block of queries makes one pass over the keys."""
    size = size or _block_size(call)
    for rows in _slices(call.query.shape[-2], size):
        sums = None
        for _, part in _visible_parts(call, rows, size):
            sums = _online_softmax_step(part, sums, logsumexp.dtype)
        if sums is None:  # no query of the block sees a key
            output[..., rows, :], logsumexp[..., rows] = 0, -math.inf
            continue
        largest, total, weighted = sums
        logsumexp[..., rows] = (largest + total.log()).squeeze(-1)
        # A query without keys has 0 of both.
        output[..., rows, :] = weighted.div_(total.masked_fill(total == 0, 1))


def _online_softmax_step(call, before, wide):
    """Let some queries meet some keys: the largest score m, Σ exp(s - m) and Σ exp(s - m) v so far.

    The scores end with this function, so that those of one block are alive at a time.
    """
    scores = (call.query.to(wide) * call.scale) @ call.key.to(wide).mT
    scores = call.visible.hide(scores, in_place=True)
    largest = scores.amax(-1, keepdim=True)  # (..., l, 1)
    if before is not None:
        largest = torch.maximum(before[0], largest)
    reference = largest.clamp(min=torch.finfo(wide).min)  # finite where no key is seen yet
    powers = scores.sub_(reference).exp_()
    total = powers.sum(-1, keepdim=True)
    if call.dropout_p:
        powers = F.dropout(powers, call.dropout_p, inplace=True)
    weighted = powers @ call.value.to(wide)
    if before is not None:
        rescale = before[0].sub_(reference).exp_()  # what was summed before, by the new reference
        total.addcmul_(before[1], rescale)
        weighted.addcmul_(before[2], rescale)
    return largest, total, weighted


def backward_in_blocks(call, given, into, size=None):
    """Add to the gradients `into` of query, key, value and bias (or None), by what is `given`:
    logsumexp over all keys that a query sees, in this call or not, d output, and delta. The blocks
    come in the order of the forward pass, so that dropout repeats."""
    (logsumexp, grad_output, delta), size = given, size or _block_size(call)
    grad_query, grad_key, grad_value, grad_bias = into
    for rows in _slices(call.query.shape[-2], size):
        # A query without keys has -inf, and weights exp(-inf - inf) = 0.
        normal = logsumexp[..., rows, None]
        normal = normal.masked_fill(normal == -math.inf, math.inf)
        given = normal, grad_output[..., rows, :].to(normal.dtype), delta[..., rows, None]
        for keys, part in _visible_parts(call, rows, size):
            places = grad_query[..., rows, :], grad_key[..., keys, :], grad_value[..., keys, :]
            _backward_block(part, *given, *places, cut(grad_bias, rows, keys))


def _backward_block(call, normal, grad, delta, grad_query, grad_key, grad_value, grad_bias):
    """Give the gradients that some queries and some keys give each other, added in place."""
    wide, kept = normal.dtype, None
    q = call.query.to(wide) * call.scale  # (..., l, E)
    k, v = call.key.to(wide), call.value.to(wide)
    weights = call.visible.hide(q @ k.mT, in_place=True).sub_(normal).exp_()  # (..., l, s)
    grad_weights = grad @ v.mT
    if call.dropout_p:
        kept = F.dropout(torch.ones_like(weights), call.dropout_p)
        grad_weights.mul_(kept)
    grad_value += (weights if kept is None else weights * kept).mT @ grad
    grad_scores = grad_weights.sub_(delta).mul_(weights)
    if grad_bias is not None:
        grad_bias += grad_scores.sum_to_size(grad_bias.shape)
    grad_query += grad_scores @ k * call.scale
    grad_key += grad_scores.mT @ q


def _slices(length, size):
    return [slice(start, min(start + size, length)) for start in range(0, length, size)]


def _visible_parts(call, rows, size):
    """Give the blocks of keys that some query of these rows may see, each as (slice, its Call)."""
    for keys in _slices(call.visible.shape[-1], size):
        part = call.part(rows, keys)
        if not part.visible.hides_all():
            yield keys, part


def _block_size(call):
    """Choose how many queries and keys meet at once, all heads together."""
    most = SCORES if call.query.is_cpu else SCORES_ON_A_GPU
    heads = max(math.prod(call.query.shape[:-2]), 1)
    return max(int((most // heads) ** 0.5), LEAST)


@contextmanager
def _dropout_from(seed, device):
    """Drop the same weights whenever the seed is the same, and leave the random numbers that follow
    as they were; without a seed nothing is dropped."""
    if seed is None:
        yield
        return
    devices = [] if device.type == "cpu" else [device]
    with torch.random.fork_rng(devices, device_type=device.type):
        torch.manual_seed(seed)  # noqa: TID251  of this block alone
        yield
