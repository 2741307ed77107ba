"""Exercises of chapter 10: what attention has become since."""

import math

import torch

from d2lattn.exercises.checking import FunctionExercise

# The softmax with one


def _scores():
    """Of usual size, as large as 1000, hidden in part, and hidden in whole rows."""
    generator = torch.Generator().manual_seed(0)
    large = [[1000.0, 0.0, -1000.0], [-1000.0, -1000.0, -1000.0], [500.0, 1000.0, 1000.0]]
    hidden = torch.randn(4, 3, generator=generator)
    hidden[0, 1] = hidden[2] = -math.inf
    return [
        (torch.randn(2, 5, generator=generator),),
        (torch.tensor([*large, [0.0, -1.0, 2.0]]),),
        (hidden,),
    ]


def _largest_or_0(scores, dim=-1):
    return scores.amax(dim, keepdim=True).clamp(min=0)


def _largest(scores, dim=-1):
    return scores.amax(dim, keepdim=True)


def _softmax_one(scores, *, subtract=_largest_or_0, one=lambda m: (-m).exp(), dim=-1):
    """exp(s) / (1 + Σ exp(s)), where `one` is what the 1 becomes when m is subtracted."""
    m = subtract(scores, dim)
    powers = (scores - m).exp()
    return powers / (one(m) + powers.sum(dim, keepdim=True))


EXERCISES = {
    "10.2": FunctionExercise(
        _softmax_one,
        _scores,
        {
            "exp overflows for a score of 1000: subtract the larger of 0 and the largest score": (
                lambda scores: _softmax_one(
                    scores, subtract=lambda s, dim: torch.zeros_like(s[..., :1])
                )
            ),
            "a row whose keys are all hidden becomes NaN, since -inf is its largest score: "
            "subtract no less than 0": lambda scores: _softmax_one(scores, subtract=_largest),
            "the 1 is added after the subtraction, where it counts as exp(largest): add "
            "exp(-largest)": lambda scores: _softmax_one(scores, one=torch.ones_like),
            "the 1 is added after the largest score was subtracted, so it counts as much as the "
            "largest key: what is subtracted from the scores changes the 1 as well": (
                lambda scores: _softmax_one(scores, subtract=_largest, one=torch.ones_like)
            ),
            "each row sums to 1: the 1 in the denominator is missing": (
                lambda scores: scores.softmax(-1)
            ),
            "the columns are divided: each row has its own sum, over the last axis": (
                lambda scores: _softmax_one(scores, dim=0)
            ),
            "a 1 is added for every key: the denominator has one in all": (
                lambda scores: _softmax_one(scores, one=lambda m: scores.shape[-1] * (-m).exp())
            ),
            "the 1 is added to the quotient: it belongs below the line": (
                lambda scores: 1 + scores.softmax(-1)
            ),
        },
    ),
}
