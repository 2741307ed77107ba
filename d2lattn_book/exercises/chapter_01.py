"""Exercises of chapter 1: bare-bones attention."""

import torch

from d2lattn_book.exercises.checking import FunctionExercise, ValueExercise, calls, noise


def _inputs():
    return [(x,) for x in noise((2, 3), (5, 5), (7, 3))]


# The chapter's solutions; a mistake is an edit of one of them


def my_attention(X):
    exponentials = torch.exp(X @ X.T)  # (n, n)
    return exponentials / exponentials.sum(dim=-1, keepdim=True) @ X


def cosine_attention(X):
    unit = X / X.norm(dim=-1, keepdim=True)  # (n, d), rows of length 1
    return torch.softmax(unit @ unit.T, dim=-1) @ X


def tempered(X, T):
    scores = X @ X.T / T
    exponentials = torch.exp(scores - scores.max(dim=-1, keepdim=True).values)
    return exponentials / exponentials.sum(dim=-1, keepdim=True) @ X


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
            "e⁰ is 1, not 0: a key with the score 0 has a share, too": [0, 2 / 7, 5 / 7],
        },
    ),
    "1.2": FunctionExercise(
        my_attention,
        _inputs,
        {
            "the columns sum to 1, not the rows: divide each row by its own sum, with "
            "sum(dim=-1, keepdim=True)": {"dim=-1, keepdim=True": "dim=-1"},
            "all weights together sum to 1: each row has a sum of its own": {
                ".sum(dim=-1, keepdim=True)": ".sum()"
            },
            "these are the scores divided by their sum: take the exponential first": {
                "torch.exp(X @ X.T)": "X @ X.T"
            },
            "the exponentials are not divided by their sum": {
                " / exponentials.sum(dim=-1, keepdim=True)": ""
            },
            "the scores are divided by √d: not in this exercise": {
                "X.T)": "X.T / X.shape[1] ** 0.5)"
            },
            "the scores are divided by d: not in this exercise": {"X.T)": "X.T / X.shape[1])"},
            "these are the scores times X: the softmax is missing": {
                "exponentials / exponentials.sum(dim=-1, keepdim=True)": "X @ X.T"
            },
            "these are the weights: multiply them with X": {"keepdim=True) @ X": "keepdim=True)"},
        },
        {
            "the result is right, but {} makes the shares: divide exp by a sum for each row": (
                calls("softmax", "scaled_dot_product_attention")
            ),
        },
    ),
    "1.3": FunctionExercise(
        cosine_attention,
        _inputs,
        {
            "the weighted sum averages the unit rows: only the scores should use them": {
                ") @ X": ") @ unit"
            },
            "these are plain dot products: divide each row by its length first": {
                "X / X.norm(dim=-1, keepdim=True)": "X"
            },
            "all rows are divided by one length: each row has its own": {
                "dim=-1, keepdim=True": ""
            },
            "the cosines are divided by √d: not in this exercise": {
                "unit @ unit.T": "unit @ unit.T / X.shape[1] ** 0.5"
            },
            "the columns of X were made unit length, not the rows": {"norm(dim=-1": "norm(dim=0"},
            "these are the cosines times X: the softmax is missing": {
                "torch.softmax(unit @ unit.T, dim=-1)": "unit @ unit.T"
            },
            "these are the weights: multiply them with X": {"dim=-1) @ X": "dim=-1)"},
            "the columns sum to 1, not the rows: divide each row by its own sum, with "
            "sum(dim=-1, keepdim=True)": {"unit.T, dim=-1": "unit.T, dim=0"},
            "only one of the two vectors is divided by its length": {"unit @ unit.T": "unit @ X.T"},
        },
    ),
    "1.4": FunctionExercise(
        tempered,
        lambda: [(x, temperature) for (x,) in _inputs() for temperature in (1e-4, 0.5, 20.0)],
        {
            "the scores are multiplied by T: divide, so that cold means sharp": {"/ T": "* T"},
            "the scores are divided by √T: divide by T": {"/ T": "/ T**0.5"},
            "the shares are divided by T: divide the scores": {
                " / T": "",
                "keepdim=True) @ X": "keepdim=True) / T @ X",
            },
            "the scores are divided by √d as well: here T is the only divisor": {
                "/ T": "/ T / X.shape[1] ** 0.5"
            },
            "T has no effect": {" / T": ""},
            "the columns sum to 1, not the rows: divide each row by its own sum, with "
            "sum(dim=-1, keepdim=True)": {".sum(dim=-1, keepdim=True)": ".sum(dim=-1)"},
            "the softmax runs over the queries: use the last axis": {
                "exponentials / exponentials.sum(dim=-1, keepdim=True)": (
                    "torch.softmax(scores, dim=0)"
                )
            },
            "the exponentials overflow for small T: subtract the largest score of each row": {
                " - scores.max(dim=-1, keepdim=True).values": ""
            },
            "the largest of all scores is subtracted, so that whole rows become 0 for small T: "
            "each row has a largest score of its own": {
                ".max(dim=-1, keepdim=True).values": ".max()"
            },
            "the largest scores are subtracted from the columns: from each row its own, with "
            "keepdim=True": {".max(dim=-1, keepdim=True)": ".max(dim=-1)"},
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
