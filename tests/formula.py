"""The formula as it is written, step by step, and how far from it half precision may be."""

import math

import torch
from draws import generator, size, worst


def spread(options, shape):
    """Mask (with causality) and bias at full size (B, H, L, S)."""
    mask = options.get("attn_mask", torch.tensor(True)).expand(shape)
    if options.get("is_causal"):
        mask = mask & torch.ones(shape[-2:]).tril().bool()
    bias = options.get("attn_bias", torch.tensor(0.0, dtype=torch.float64)).double().expand(shape)
    return mask, bias


def naive(query, key, value, options):
    """The formula as it is written, each step rounded to the dtype of the inputs."""
    mask, bias = spread(options, (*query.shape[:-1], key.shape[-2]))
    scores = (query @ key.mT) * options.get("scale", 1 / math.sqrt(query.shape[-1]))
    scores = scores + bias.to(query.dtype)
    mask = mask & (bias > -math.inf)
    unseen = ~mask.any(-1, keepdim=True)
    scores = scores.masked_fill(~(mask | unseen), -math.inf)
    return scores.masked_fill(unseen, 0).softmax(-1).masked_fill(unseen, 0) @ value


def gradients(output, inputs, seed=3):
    """Gradients of a random weighted sum of the output, a sum of plain 1s would miss errors."""
    weights = torch.randn(output.shape, generator=generator(seed)).double()
    wanted = torch.autograd.grad((output.double() * weights).sum(), inputs, allow_unused=True)
    return [torch.zeros_like(x) if g is None else g for x, g in zip(inputs, wanted, strict=True)]


def with_gradients(output, inputs):
    return [output, *gradients(output, inputs)]


def assert_errs_at_most_twice(got, formula, wanted):
    """No tensor is more than twice as far from what is wanted as the formula in that precision.

    No bound lies below what storing the largest number costs: half a unit in the last place.
    """
    for mine, theirs, exact in zip(got, formula, wanted, strict=True):
        stored = exact.abs().max().item() / size(exact) * torch.finfo(mine.dtype).eps / 2
        assert worst([mine], [exact]) <= 2 * max(worst([theirs], [exact]), stored)
