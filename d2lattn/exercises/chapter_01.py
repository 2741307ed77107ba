"""Exercises of chapter 1: bare-bones attention."""

import torch

from d2lattn.exercises.checking import FunctionExercise, ValueExercise


def _inputs():
    generator = torch.Generator().manual_seed(0)
    return [(torch.randn(n, d, generator=generator),) for n, d in ((2, 3), (5, 5), (7, 3))]


def _unit(x):
    return x / x.norm(dim=-1, keepdim=True)


def _tempered(x, temperature):
    return torch.softmax(x @ x.T / temperature, dim=-1) @ x


def _by_hand(subtract, keepdim=True):
    """Attention with a temperature in the steps of softmax: subtract(scores) first, then exp."""

    def tempered(x, temperature):
        scores = x @ x.T / temperature
        exponentials = (scores - subtract(scores)).exp()
        return exponentials / exponentials.sum(dim=-1, keepdim=keepdim) @ x

    return tempered


EXERCISES = {
    "1.1": ValueExercise(
        lambda: [1 / 8, 2 / 8, 5 / 8],
        {
            "these are the scores divided by their sum: take the exponential first": [
                0.0,
                0.301030,
                0.698970,
            ],
            "these are the exponentials: divide them by their sum": [1, 2, 5],
        },
    ),
    "1.2": FunctionExercise(
        lambda x: torch.softmax(x @ x.T, dim=-1) @ x,
        _inputs,
        {
            # XXᵀ is symmetric: without keepdim the sums of the rows divide the columns.
            "the columns sum to 1, not the rows: divide each row by its own sum, with "
            "sum(dim=-1, keepdim=True)": lambda x: torch.softmax(x @ x.T, dim=0) @ x,
            "all weights together sum to 1: each row has a sum of its own": (
                lambda x: (x @ x.T).exp() / (x @ x.T).exp().sum() @ x
            ),
            "the exponentials are not divided by their sum": lambda x: (x @ x.T).exp() @ x,
            "the scores are divided by √d: not in this exercise": (
                lambda x: torch.softmax(x @ x.T / x.shape[-1] ** 0.5, dim=-1) @ x
            ),
            "the scores are divided by d: not in this exercise": (
                lambda x: torch.softmax(x @ x.T / x.shape[-1], dim=-1) @ x
            ),
            "these are the scores times X: the softmax is missing": lambda x: x @ x.T @ x,
            "these are the weights: multiply them with X": lambda x: torch.softmax(x @ x.T, dim=-1),
        },
    ),
    "1.3": FunctionExercise(
        lambda x: torch.softmax(_unit(x) @ _unit(x).T, dim=-1) @ x,
        _inputs,
        {
            "the weighted sum averages the unit rows: only the scores should use them": (
                lambda x: torch.softmax(_unit(x) @ _unit(x).T, dim=-1) @ _unit(x)
            ),
            "the columns of X were made unit length, not the rows": (
                lambda x: torch.softmax((x / x.norm(dim=0)) @ (x / x.norm(dim=0)).T, dim=-1) @ x
            ),
            "these are the cosines times X: the softmax is missing": (
                lambda x: _unit(x) @ _unit(x).T @ x
            ),
            "these are the weights: multiply them with X": (
                lambda x: torch.softmax(_unit(x) @ _unit(x).T, dim=-1)
            ),
            "the columns sum to 1, not the rows: divide each row by its own sum, with "
            "sum(dim=-1, keepdim=True)": (
                lambda x: torch.softmax(_unit(x) @ _unit(x).T, dim=0) @ x
            ),
            "only one of the two vectors is divided by its length": (
                lambda x: torch.softmax(_unit(x) @ x.T, dim=-1) @ x
            ),
        },
    ),
    "1.4": FunctionExercise(
        _tempered,
        lambda: [(x, temperature) for (x,) in _inputs() for temperature in (1e-4, 0.5, 20.0)],
        {
            "the scores are multiplied by T: divide, so that cold means sharp": (
                lambda x, temperature: _tempered(x, 1 / temperature)
            ),
            "T has no effect": lambda x, temperature: _tempered(x, 1.0),
            "the columns sum to 1, not the rows: divide each row by its own sum, with "
            "sum(dim=-1, keepdim=True)": _by_hand(
                lambda scores: scores.amax(dim=-1, keepdim=True), keepdim=False
            ),
            "the softmax runs over the queries: use the last axis": (
                lambda x, temperature: torch.softmax(x @ x.T / temperature, dim=0) @ x
            ),
            "the exponentials overflow for small T: subtract the largest score of each row": (
                _by_hand(lambda scores: 0)
            ),
            "the largest of all scores is subtracted, so that whole rows become 0 for small T: "
            "each row has a largest score of its own": _by_hand(torch.max),
            "the largest scores are subtracted from the columns: from each row its own, with "
            "keepdim=True": _by_hand(lambda scores: scores.amax(dim=-1)),
        },
    ),
    "1.5": ValueExercise(
        lambda: 2,
        {
            "key 0 is a corner of the hull: the query (0, 1) gives it the largest weight": 0,
            "key 1 is a corner of the hull: the query (-1, -1) gives it the largest weight": 1,
            "key 3 is a corner of the hull: the query (1, -1) gives it the largest weight": 3,
        },
    ),
}
