"""Exercises of chapter 1: self-attention without parameters."""

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


def after_repeat(weights, j, causal):
    twin = 0 * weights[j : j + 1] if causal else weights[j : j + 1]  # (1,)
    longer = torch.cat([weights, twin])  # (n + 1,)
    return longer / longer.sum()


USE_EXP = {
    "The result is right, but {} computes the weights. Use exp and a sum.": calls(
        "softmax", "scaled_dot_product_attention"
    )
}
COLUMNS = "Your columns sum to 1. Divide each row by its sum: sum(dim=-1, keepdim=True)."
NO_EXP = "You divided the scores by their sum. Take the exponential of each score first."
MISTAKES: dict[str, dict] = {
    "1.1": {
        NO_EXP: [0.0, 0.30103, 0.69897],
        "These are the exponentials. Divide them by their sum.": [1, 2, 5],
        "A key with score 0 gets a weight, too, because e⁰ = 1.": [0, 2 / 7, 5 / 7],
    },
    "1.2": {
        COLUMNS: {"dim=-1, keepdim=True": "dim=-1"},
        "All weights sum to 1. Normalize each row.": {".sum(dim=-1, keepdim=True)": ".sum()"},
        NO_EXP: {"torch.exp(X @ X.T)": "X @ X.T"},
        "You divided the scores by √d. Do not scale them here.": {
            "X.T)": "X.T / X.shape[1] ** 0.5)"
        },
        "These are attention weights. Multiply by X.": {"keepdim=True) @ X": "keepdim=True)"},
    },
    "1.3": {
        "You averaged normalized rows. Average the rows of X.": {") @ X": ") @ unit"},
        "These are plain dot products. Divide each row by its length first.": {
            "X / X.norm(dim=-1, keepdim=True)": "X"
        },
        "You divided all rows by one length. Use each row's own.": {"dim=-1, keepdim=True": ""},
        "These are attention weights. Multiply by X.": {"dim=-1) @ X": "dim=-1)"},
        COLUMNS: {"unit.T, dim=-1": "unit.T, dim=0"},
    },
    "1.4": {
        "You multiplied the scores by T. Divide: a low temperature sharpens.": {"/ T": "* T"},
        "You also divided by √d. Divide by T alone.": {"/ T": "/ T / X.shape[1] ** 0.5"},
        COLUMNS: {".sum(dim=-1, keepdim=True)": ".sum(dim=-1)"},
        "exp overflows for small T. Subtract the largest score of each row first.": {
            " - scores.max(dim=-1, keepdim=True).values": ""
        },
        "You subtracted one maximum from all rows. Subtract each row's own maximum.": {
            ".max(dim=-1, keepdim=True).values": ".max()"
        },
    },
    "1.5": {
        "Key 0 is a vertex of the convex hull: query (0, 1) gives it the largest weight.": 0,
        "Key 1 is a vertex of the convex hull: query (-1, -1) gives it the largest weight.": 1,
        "Key 3 is a vertex of the convex hull: query (1, -1) gives it the largest weight.": 3,
    },
    "1.6": {
        "Your weights sum to more than 1. Divide by their sum again.": {
            "longer / longer.sum()": "longer"
        },
        "You split the old weight between the twins. Each has the full score of the old key.": {
            "else weights[j : j + 1]": "else weights[j : j + 1] / 2",
            "torch.cat([weights, twin])": (
                "torch.cat([weights.index_add(0, torch.tensor([j]), -twin), twin])"
            ),
        },
        "Under a causal mask no earlier query sees the new token: its weight is 0.": {
            "0 * weights[j : j + 1] if causal else weights": "weights"
        },
    },
}
EXERCISES = {
    "1.1": ValueExercise(lambda: [1 / 8, 2 / 8, 5 / 8], MISTAKES["1.1"]),
    "1.2": FunctionExercise(my_attention, _inputs, MISTAKES["1.2"], USE_EXP),
    "1.3": FunctionExercise(cosine_attention, _inputs, MISTAKES["1.3"]),
    "1.4": FunctionExercise(
        tempered,
        lambda: [(x, temperature) for (x,) in _inputs() for temperature in (1e-4, 0.5, 20.0)],
        MISTAKES["1.4"],
    ),
    "1.5": ValueExercise(lambda: 2, MISTAKES["1.5"]),
    "1.6": FunctionExercise(
        after_repeat,
        lambda: [(x[0].softmax(-1), 1, causal) for (x,) in _inputs() for causal in (False, True)],
        MISTAKES["1.6"],
    ),
}
