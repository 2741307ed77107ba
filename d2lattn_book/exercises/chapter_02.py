"""Exercises of chapter 2: queries, keys, values."""

import torch
import torch.nn.functional as F

from d2lattn.attention import attention
from d2lattn_book.exercises.checking import (
    WRITE_YOUR_OWN,
    FunctionExercise,
    OpenExercise,
    ValueExercise,
    noise,
)


def _layers():
    sizes = ((5, 10, 20, 25), (3, 4, 2, 4), (6, 5, 3, 2))
    return [noise((n, e), (d, e), (d, e), (v, e), seed=n) for n, e, d, v in sizes]


def _disguises():
    cases = [noise((d, e), (d, e), (d, d), seed=d) for d, e in ((2, 3), (3, 5), (4, 4))]
    return [(w_q, w_k, torch.eye(len(a)) + 0.3 * a) for w_q, w_k, a in cases]


def _tokens_that_seek():
    """Tokens (64, 6, 16) = name, name sought, four signs carried; and the signs sought."""
    generator = torch.Generator().manual_seed(0)
    name = F.one_hot(torch.rand(64, 6, generator=generator).argsort(dim=-1), 6).float()
    seeks = F.one_hot(torch.randint(6, (64, 6), generator=generator), 6).float()
    carries = torch.randint(2, (64, 6, 4), generator=generator) * 2.0 - 1
    return torch.cat([name, seeks, carries], dim=-1), seeks @ name.mT @ carries


def _judge_lookup_weights(weights):
    """What is wrong with weights (W_q, W_k, W_v) that should look up what each token seeks."""
    shapes = ((6, 16), (6, 16), (4, 16))
    if not isinstance(weights, (tuple, list)):
        return f"a tuple of three tensors is expected, got {type(weights).__name__}"
    weights = [torch.as_tensor(weight) for weight in weights]
    got = tuple(tuple(weight.shape) for weight in weights)
    if got == tuple(shape[::-1] for shape in shapes):
        return "Your matrices have the shape (in, out). nn.Linear stores (out, in)."
    if got != shapes:
        return f"the shapes are {got}, expected {shapes}"
    tokens, target = _tokens_that_seek()

    def solves(w_q, w_k, w_v):
        output = attention(tokens @ w_q.T, tokens @ w_k.T, tokens @ w_v.T)
        return bool((output - target).abs().max() < 0.05)

    def hard(w_q, w_k):
        """Such large weights that the softmax chooses one key, whatever their size was."""
        return 1e3 * w_q / w_q.abs().max(), w_k / w_k.abs().max()

    w_q, w_k, w_v = (weight.detach().float().cpu() for weight in weights)
    payload = torch.eye(16)[12:]
    if solves(w_q, w_k, w_v):
        return None
    if solves(*hard(w_k, w_q), w_v):
        return "You swapped queries and keys: each token attends to the tokens that look for it."
    if solves(*hard(w_q, w_k), w_v):
        return "The blocks are right, but the softmax is too soft. Make the entries larger."
    if solves(*hard(w_q, w_k), payload):
        return "Queries and keys are right. The values must be the four signs, unchanged."
    if solves(50 * torch.eye(16)[6:12], torch.eye(16)[:6], w_v):
        return "The values are right. The queries do not match the keys they look for."
    return "The outputs are not the expected signs."


def _questions():
    return [noise((d,), (n, d), seed=n) for n, d in ((5, 3), (2, 4), (7, 2), (3, 3))]


def _weights_of_a_query():
    return [(noise((n,), seed=n)[0].softmax(0),) for n in (3, 5, 8)]


# The chapter's solutions; a mistake is an edit of one of them


def my_self_attention(X, W_q, W_k, W_v):
    Q, K, V = X @ W_q.T, X @ W_k.T, X @ W_v.T  # (n, d), (n, d), (n, e)
    scores = Q @ K.T / W_q.shape[0] ** 0.5  # (n, n)
    return torch.softmax(scores, dim=-1) @ V


def disguise(W_q, W_k, A):
    return A @ W_q, torch.linalg.inv(A).T @ W_k


def slope(q, K):
    w = torch.softmax(K @ q, dim=0)  # (n,)
    c = K - w @ K  # (n, d): the deviation of each key from f
    return c.T @ (w[:, None] * c)  # (d, n) @ (n, d) -> (d, d)


def with_a_copy(weights):
    return torch.cat([weights, weights[-1:]]) / (1 + weights[-1])  # (n + 1,)


MISTAKES: dict[str, dict] = {
    "2.1": {
        "You added two values. Weight the second and the fourth by ½.": [1, 1, 1, 1, 0],
        "This sums to 1, like weights. Average two values, with the weight ½ each.": (
            [0.25, 0.25, 0.25, 0.25, 0]
        ),
        "You returned value 2 alone. Keys 2 and 4 tie: average their values.": [1, 1, 0, 0, 0],
        "You returned value 4 alone. Keys 2 and 4 tie: average their values.": [0, 0, 1, 1, 0],
        "You averaged all four values. The first and the third get weight 0.": [0.5] * 5,
        "These are the attention weights. Now average the values with them.": [0, 0.5, 0, 0.5],
    },
    "2.2": {
        "You divided by √(width of the tokens). Use the width of the queries.": {
            "W_q.shape[0]": "X.shape[1]"
        },
        "You divided by the width of the queries. Divide by its square root.": {" ** 0.5": ""},
        "Divide the scores by √(width of the queries).": {" / W_q.shape[0] ** 0.5": ""},
        "Your softmax runs over queries. Use the last axis, the keys.": {"dim=-1": "dim=0"},
        "You swapped queries and keys.": {"Q @ K.T": "K @ Q.T"},
        "nn.Linear stores W as (out, in). Multiply X by the transpose, X W_qᵀ.": {
            "W_q.T": "W_q",
            "W_k.T": "W_k",
            "W_v.T": "W_v",
        },
        "You averaged the tokens. Average their values, X Wᵥᵀ.": {"dim=-1) @ V": "dim=-1) @ X"},
    },
    "2.3": {
        "A transpose is missing: W_qᵀ Aᵀ (…) W_k must be W_qᵀ W_k.": {"inv(A).T": "inv(A)"},
        "The inverse is missing. W_k must undo A.": {"torch.linalg.inv(A).T": "A.T"},
        "You returned W_q unchanged. It must become A W_q.": {"A @ W_q": "W_q"},
        "You returned W_k unchanged, so the scores change with A. W_k must undo A.": {
            "torch.linalg.inv(A).T @ ": ""
        },
    },
    "2.4": {
        "Your weights do not sum to 1. Divide them by their sum.": {" / (1 + weights[-1])": ""},
        "You split the weight of the last token. Its copy has the same score: append the "
        "same weight again, then divide all weights by their sum.": {
            "weights, weights[-1:]]) / (1 + weights[-1])": (
                "weights[:-1], weights[-1:] / 2, weights[-1:] / 2])"
            )
        },
        "Divide weights by their sum. Use no softmax.": {" / (1 + weights[-1])": ".softmax(0)"},
    },
    "2.6": {
        "You did not subtract the mean. A covariance uses k − f(q), not k.": {"K - w @ K": "K"},
        "You subtracted the plain mean. Subtract f(q), the mean under the attention weights.": {
            "K - w @ K": "K - K.mean(0)"
        },
        "This is the gradient of the sum of f. Each component of f needs a row of its own.": {
            "c.T @ (w[:, None] * c)": "(c.T @ (w[:, None] * c)).sum(0)"
        },
        "You returned f(q). Return its derivative.": {"c.T @ (w[:, None] * c)": "w @ K"},
    },
}
EXERCISES = {
    "2.1": ValueExercise(lambda: [0.5, 0.5, 0.5, 0.5, 0.0], MISTAKES["2.1"]),
    "2.2": FunctionExercise(my_self_attention, _layers, MISTAKES["2.2"], WRITE_YOUR_OWN),
    "2.3": FunctionExercise(disguise, _disguises, MISTAKES["2.3"]),
    "2.4": FunctionExercise(with_a_copy, _weights_of_a_query, MISTAKES["2.4"]),
    "2.5": OpenExercise(_judge_lookup_weights),
    "2.6": FunctionExercise(slope, _questions, MISTAKES["2.6"]),
}
