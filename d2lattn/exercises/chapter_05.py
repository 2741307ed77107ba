"""Exercises of chapter 5: CNN, RNN and self-attention compared."""

import math

import torch

from d2lattn.exercises.checking import FunctionExercise


def _receptive_field(kernel_sizes, dilations):
    return 1 + sum((k - 1) * step for k, step in zip(kernel_sizes, dilations, strict=True))


def _ceil_div(a, b):
    return -(-a // b)


def _window_pairs(n, r):
    return sum(min(n - 1, i + r) - max(0, i - r) + 1 for i in range(n))


def _crossover(d, k):
    return max(1, d * (k - 4) // 2 + 1)


def _nudge(layer, n, d):
    """Which outputs move when one input is moved."""
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(1, n, d, generator=generator)
    push = torch.randn(d, generator=generator)
    connected = torch.zeros(n, n, dtype=torch.bool)
    for j in range(n):
        moved = x.clone()
        moved[0, j] += push
        connected[:, j] = (layer(moved) != layer(x))[0].any(dim=-1)
    return connected


# Layers to take apart: (1, n, d) -> (1, n, d), every dependency visible at any input.


def running_mean(x):
    """Output i is the mean of the inputs 0..i."""
    return x.cumsum(dim=1) / torch.arange(1, x.shape[1] + 1)[:, None]


def delay(x):
    """Output i is input i - 2."""
    return torch.nn.functional.pad(x, (0, 0, 2, 0))[:, : x.shape[1]]


def compare_with_last(x):
    """Output i is input i less the last input."""
    return x - x[:, -1:]


EXERCISES = {
    "5.1": FunctionExercise(
        _receptive_field,
        lambda: [
            ((3, 3), (1, 1)),
            ((3, 5, 2), (1, 2, 1)),
            ((2, 2, 2, 2), (1, 2, 4, 8)),
            ((7,), (3,)),
        ],
        {
            "the unit itself is missing: a stack of no layers sees 1 input": (
                lambda ks, steps: _receptive_field(ks, steps) - 1
            ),
            "the dilations have no effect": lambda ks, steps: _receptive_field(ks, [1] * len(ks)),
            "the kernel sizes are multiplied: fields add up, layer by layer": (
                lambda ks, steps: math.prod(ks)
            ),
            "a layer adds (k − 1)·dilation inputs, not k·dilation": (
                lambda ks, steps: 1 + sum(k * step for k, step in zip(ks, steps, strict=True))
            ),
        },
    ),
    "5.2": FunctionExercise(
        lambda n: n // 2 + 1,
        lambda: [(2,), (5,), (6,), (9,), (64,), (101,)],
        {
            "one layer alone sees the sentence with this k: use both": lambda n: n,
            "the field of two layers is 2(k − 1) + 1: the 1 is missing": lambda n: (
                _ceil_div(n, 2) + 1
            ),
            "rounded down: the field of two such layers is too short for even n": (
                lambda n: (n + 1) // 2
            ),
            "two layers have the field 2(k − 1) + 1, not k²": lambda n: math.isqrt(n - 1) + 1,
        },
    ),
    "5.3": FunctionExercise(
        lambda n, d, r: (4 * d * _window_pairs(n, r), _ceil_div(n - 1, r)),
        lambda: [(10, 4, 2), (64, 8, 3), (9, 5, 8), (33, 2, 1)],
        {
            "tokens near the ends have fewer than 2r + 1 neighbours": (
                lambda n, d, r: (4 * d * n * (2 * r + 1), _ceil_div(n - 1, r))
            ),
            "this is the cost of full attention: only count the pairs in the window": (
                lambda n, d, r: (4 * d * n * n, _ceil_div(n - 1, r))
            ),
            "the FLOPs are right; in one layer a signal moves r positions, not 2r": (
                lambda n, d, r: (4 * d * _window_pairs(n, r), _ceil_div(n - 1, 2 * r))
            ),
            "the FLOPs are right; the first and the last token are n − 1 positions apart, not n": (
                lambda n, d, r: (4 * d * _window_pairs(n, r), _ceil_div(n, r))
            ),
            "the FLOPs are right; one layer does not connect all pairs any more": (
                lambda n, d, r: (4 * d * _window_pairs(n, r), 1)
            ),
            "each pair costs a score and a term of the sum: 4d FLOPs, not 2d": (
                lambda n, d, r: (2 * d * _window_pairs(n, r), _ceil_div(n - 1, r))
            ),
        },
    ),
    "5.4": FunctionExercise(
        _crossover,
        lambda: [(64, 7), (64, 3), (5, 5), (7, 9), (512, 31), (6, 4)],
        {
            "the projections are missing: attention costs 8nd² + 4n²d": lambda d, k: d * k // 2 + 1,
            "at this n the two cost the same: one more is needed": (
                lambda d, k: max(1, d * (k - 4) // 2)
            ),
            "for k ≤ 4 attention costs more at any length, so the answer is 1": (
                lambda d, k: d * (k - 4) // 2 + 1
            ),
        },
    ),
    "5.5": FunctionExercise(
        _nudge,
        lambda: [
            (layer, n, 3) for n in (4, 7) for layer in (delay, running_mean, compare_with_last)
        ],
        {
            "the matrix is transposed: row i is output i, column j is input j": (
                lambda layer, n, d: _nudge(layer, n, d).T
            ),
            "the diagonal is always True here: an output need not see its own input": (
                lambda layer, n, d: _nudge(layer, n, d) | torch.eye(n, dtype=torch.bool)
            ),
            "the matrix says what does not depend: True means that the output moved": (
                lambda layer, n, d: ~_nudge(layer, n, d)
            ),
            "the matrix is not boolean": lambda layer, n, d: _nudge(layer, n, d).float(),
        },
    ),
}
