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


def _lookups():
    sizes = ((2, 5, 3, 4), (5, 2, 4, 3), (1, 7, 6, 2))
    return [
        (*noise((L, d), (S, d), (S, e), seed=L), temperature)
        for L, S, d, e in sizes
        for temperature in (0.5, 3.0)
    ]


def _layers():
    sizes = ((5, 10, 20, 25), (3, 4, 2, 4), (6, 5, 3, 2))
    return [noise((n, e), (d, e), (d, e), (v, e), seed=n) for n, e, d, v in sizes]


def _disguises():
    cases = [noise((d, e), (d, e), (d, d), seed=d) for d, e in ((2, 3), (3, 5), (4, 4))]
    return [(w_q, w_k, torch.eye(len(a)) + 0.3 * a) for w_q, w_k, a in cases]


def _tokens_that_ask():
    """Tokens (64, 6, 16) = name, name asked for, four signs carried; and the signs asked for."""
    generator = torch.Generator().manual_seed(0)
    name = F.one_hot(torch.rand(64, 6, generator=generator).argsort(dim=-1), 6).float()
    asks = F.one_hot(torch.randint(6, (64, 6), generator=generator), 6).float()
    carries = torch.randint(2, (64, 6, 4), generator=generator) * 2.0 - 1
    return torch.cat([name, asks, carries], dim=-1), asks @ name.mT @ carries


def _judge_lookup_weights(weights):
    """What is wrong with weights (W_q, W_k, W_v) that should look up what each token asks for."""
    shapes = ((6, 16), (6, 16), (4, 16))
    if not isinstance(weights, (tuple, list)):
        return f"a tuple of three tensors is expected, got {type(weights).__name__}"
    weights = [torch.as_tensor(weight) for weight in weights]
    got = tuple(tuple(weight.shape) for weight in weights)
    if got == tuple(shape[::-1] for shape in shapes):
        return "the weights are stored as (in, out): nn.Linear stores (out, in)"
    if got != shapes:
        return f"the shapes are {got}, expected {shapes}"
    tokens, target = _tokens_that_ask()

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
        return "queries and keys are exchanged: each token finds those who ask for it"
    if solves(*hard(w_q, w_k), w_v):
        return "the right blocks, but the weights are too soft: make them larger"
    if solves(*hard(w_q, w_k), payload):
        return "queries and keys are right: the values should be the four signs, as they are"
    if solves(50 * torch.eye(16)[6:12], torch.eye(16)[:6], w_v):
        return "the values are right: queries and keys do not find the token asked for"
    return "the outputs are not the signs asked for"


def _questions():
    return [noise((d,), (n, d), seed=n) for n, d in ((5, 3), (2, 4), (7, 2), (3, 3))]


# The chapter's solutions; a mistake is an edit of one of them


def lookup(query, keys, values, T):
    scores = query @ keys.T / T  # (L, d) @ (d, S) -> (L, S)
    return torch.softmax(scores, dim=-1) @ values  # (L, S) @ (S, e) -> (L, e)


def my_self_attention(X, W_q, W_k, W_v):
    Q, K, V = X @ W_q.T, X @ W_k.T, X @ W_v.T  # (n, d), (n, d), (n, e)
    scores = Q @ K.T / W_q.shape[0] ** 0.5  # (n, n)
    return torch.softmax(scores, dim=-1) @ V


def disguise(W_q, W_k, A):
    return A @ W_q, torch.linalg.inv(A).T @ W_k


def slope(q, K):
    w = torch.softmax(K @ q, dim=0)  # (n,)
    c = K - w @ K  # (n, d): how far each key lies from f
    return c.T @ (w[:, None] * c)  # (d, n) @ (n, d) -> (d, d)


EXERCISES = {
    "2.1": ValueExercise(
        lambda: [0.5, 0.5, 0.5, 0.5, 0.0],
        {
            "this is the sum of the two values: shares sum to 1": [1, 1, 1, 1, 0],
            "the zeros are right: two keys tie, so the query takes ½ from each": [2, 2, 2, 2, 0],
            "these sum to 1, as shares do: the query takes ½ from each of two values": (
                [0.25, 0.25, 0.25, 0.25, 0]
            ),
            "this is the second value alone: the fourth key ties with it": [1, 1, 0, 0, 0],
            "this is the fourth value alone: the second key ties with it": [0, 0, 1, 1, 0],
            "this is the mean of all four: the first and the third have the share 0": [0.5] * 5,
            "These are the four attention weights. Now use them to average the values.": (
                [0, 0.5, 0, 0.5]
            ),
            "this blends the first value and the third": [0.5, 0.5, 0.5, 0.5, 1.0],
        },
    ),
    "2.2": FunctionExercise(
        lookup,
        _lookups,
        {
            "the softmax runs over the queries: the keys are the last axis": {"dim=-1": "dim=0"},
            "the scores are multiplied by T: divide, so that cold means sharp": {"/ T": "* T"},
            "T has no effect": {" / T": ""},
            "the weights are divided by T: divide the scores, before the softmax": {
                " / T": "",
                "dim=-1)": "dim=-1) / T",
            },
            "the scores are divided by √T: divide by T": {"/ T": "/ T**0.5"},
            "the scores are divided by √d: here T is the only divisor": {
                "/ T": "/ query.shape[-1] ** 0.5"
            },
            "the scores are divided by √d as well: here T is the only divisor": {
                "/ T": "/ T / query.shape[-1] ** 0.5"
            },
            "this looks up one key only: blend the values with the softmax weights": {
                "torch.softmax(scores, dim=-1) @ values": "values[scores.argmax(-1)]"
            },
            "this blends the keys: blend the values": {"dim=-1) @ values": "dim=-1) @ keys"},
            "these are the weights: multiply them with the values": {"dim=-1) @ values": "dim=-1)"},
            "these are the scores times the values: the softmax is missing": {
                "torch.softmax(scores, dim=-1)": "scores"
            },
            "this sums over the queries: each query has an output of its own": {
                "torch.softmax(scores, dim=-1) @ values": "(scores.softmax(-1) @ values).sum(0)"
            },
        },
    ),
    "2.3": FunctionExercise(
        my_self_attention,
        _layers,
        {
            "the scores are divided by √(width of the tokens): take the width of the queries": {
                "W_q.shape[0]": "X.shape[1]"
            },
            "the scores are divided by √(width of the values): take the width of the queries": {
                "W_q.shape[0]": "W_v.shape[0]"
            },
            "the scores are divided by the width of the queries: take its square root": {
                " ** 0.5": ""
            },
            "the scores are not divided by √(width of the queries)": {" / W_q.shape[0] ** 0.5": ""},
            "the softmax runs over the queries: the keys are the last axis": {"dim=-1": "dim=0"},
            "queries and keys are exchanged": {"Q @ K.T": "K @ Q.T"},
            "a linear layer keeps its matrix as (out, in): X meets its transpose, X W_qᵀ": {
                "W_q.T": "W_q",
                "W_k.T": "W_k",
                "W_v.T": "W_v",
            },
            "these are the scores times the values: the softmax is missing": {
                "torch.softmax(scores, dim=-1)": "scores"
            },
            "this blends the tokens: blend their values X Wᵥᵀ": {"dim=-1) @ V": "dim=-1) @ X"},
            "this sums over the tokens: each one has a context vector of its own": {
                "return torch": "return sum(torch",
                "@ V": "@ V)",
            },
        },
        WRITE_YOUR_OWN,
    ),
    "2.4": FunctionExercise(
        disguise,
        _disguises,
        {
            "both weights are multiplied by A: that changes the scores": {
                "torch.linalg.inv(A).T": "A"
            },
            "the transpose is missing: W_qᵀ Aᵀ (…) W_k must be W_qᵀ W_k": {"inv(A).T": "inv(A)"},
            "the inverse is missing: W_qᵀ Aᵀ (…) W_k must be W_qᵀ W_k": {
                "torch.linalg.inv(A).T": "A.T"
            },
            "W_q is unchanged: it becomes A W_q": {"A @ W_q": "W_q"},
            "the order is new W_q, new W_k": {
                "A @ W_q, torch.linalg.inv(A).T @ W_k": "torch.linalg.inv(A).T @ W_k, A @ W_q"
            },
            "W_k is unchanged: the scores then change with A": {"torch.linalg.inv(A).T @ ": ""},
            "W_q should become A W_q, and W_k should undo it": {
                "A @ W_q, torch.linalg.inv(A).T @ W_k": "torch.linalg.inv(A).T @ W_q, A @ W_k"
            },
        },
    ),
    "2.5": OpenExercise(_judge_lookup_weights),
    "2.6": FunctionExercise(
        slope,
        _questions,
        {
            "the mean is missing: a covariance is taken of k − f(q), not of k": {"K - w @ K": "K"},
            "the deviations are from the plain mean: take f(q), the mean under the shares": {
                "K - w @ K": "K - K.mean(0)"
            },
            "all keys count alike: weigh each by its share": {"w[:, None] * c": "c / len(K)"},
            "this is the covariance with equal shares: weigh each key by its own": {
                "K - w @ K": "K - K.mean(0)",
                "w[:, None] * c": "c / len(K)",
            },
            "the scores are divided by √d: here by nothing": {
                "K @ q,": "K @ q / len(q) ** 0.5,",
                "return ": "return len(q) ** -0.5 * ",
            },
            "this is torch's correction for samples: the shares sum to 1, take correction=0": {
                "c.T @ (w[:, None] * c)": "torch.cov(K.T, aweights=w)"
            },
            "these are the variances alone: f has d numbers, and q too, so the slope is (d, d)": {
                "c.T @ (w[:, None] * c)": "(w[:, None] * c**2).sum(0)"
            },
            "this is the gradient of the sum of f's numbers: each number has a row of its own": {
                "c.T @ (w[:, None] * c)": "(c.T @ (w[:, None] * c)).sum(0)"
            },
            "this is f(q) itself: its slope is asked": {"c.T @ (w[:, None] * c)": "w @ K"},
        },
    ),
}
