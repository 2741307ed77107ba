"""Exercises of chapter 2: queries, keys, values."""

import torch
import torch.nn.functional as F

from d2lattn.attention import attention
from d2lattn.exercises.checking import FunctionExercise, OpenExercise, ValueExercise


def _random(*shapes, seed):
    generator = torch.Generator().manual_seed(seed)
    return tuple(torch.randn(shape, generator=generator) for shape in shapes)


def _lookups():
    sizes = ((2, 5, 3, 4), (5, 2, 4, 3), (1, 7, 6, 2))
    return [
        (*_random((L, d), (S, d), (S, e), seed=L), temperature)
        for L, S, d, e in sizes
        for temperature in (0.5, 3.0)
    ]


def _lookup(query, keys, values, temperature):
    return torch.softmax(query @ keys.T / temperature, dim=-1) @ values


def _layers():
    sizes = ((5, 10, 20, 25), (3, 4, 2, 4), (6, 5, 3, 2))
    return [_random((n, e), (d, e), (d, e), (v, e), seed=n) for n, e, d, v in sizes]


def _scores(x, w_q, w_k):
    return (x @ w_q.T) @ (x @ w_k.T).T


def _self_attention(x, w_q, w_k, w_v):
    return torch.softmax(_scores(x, w_q, w_k) / len(w_q) ** 0.5, dim=-1) @ (x @ w_v.T)


def _disguises():
    cases = [_random((d, e), (d, e), (d, d), seed=d) for d, e in ((2, 3), (3, 5), (4, 4))]
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
    if not isinstance(weights, (tuple, list)) or not all(map(torch.is_tensor, weights)):
        return f"a tuple of three tensors is expected, got {type(weights).__name__}"
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
    return [_random((d,), (n, d), seed=n) for n, d in ((5, 3), (2, 4), (7, 2), (3, 3))]


def _slope(q, keys, *, scale=1.0, weighted=True, center="weighted"):
    """Σ_j w_j (k_j − m)(k_j − m)ᵀ, m the mean of the keys under the shares w, or another centre."""
    shares = torch.softmax(keys @ q * scale, dim=-1)  # (n,)
    centers = {"weighted": shares @ keys, "plain": keys.mean(dim=0), "none": 0 * q}
    from_center = keys - centers[center]  # (n, d)
    if not weighted:
        shares = torch.full_like(shares, 1 / len(keys))
    return scale * from_center.T @ (shares[:, None] * from_center)


EXERCISES = {
    "2.1": ValueExercise(
        lambda: [0.5, 0.5, 0.5, 0.5, 0.0],
        {
            "this is the sum of the two lists: softmax weights sum to 1": [1, 1, 1, 1, 0],
            "this is T → ∞: then all four terms weigh the same": [0.5] * 5,
            "these are the weights of the terms: blend their lists of documents": [0, 0.5, 0, 0.5],
            "this is the query a c": [0.5, 0.5, 0.5, 0.5, 1.0],
        },
    ),
    "2.2": FunctionExercise(
        _lookup,
        _lookups,
        {
            "the softmax runs over the queries: the keys are the last axis": (
                lambda q, k, v, t: torch.softmax(q @ k.T / t, dim=0) @ v
            ),
            "the scores are multiplied by T: divide, so that cold means sharp": (
                lambda q, k, v, t: _lookup(q, k, v, 1 / t)
            ),
            "T has no effect": lambda q, k, v, t: _lookup(q, k, v, 1.0),
            "the weights are divided by T: divide the scores, before the softmax": (
                lambda q, k, v, t: _lookup(q, k, v, 1.0) / t
            ),
            "the scores are divided by √d as well: here T is the only divisor": (
                lambda q, k, v, t: _lookup(q, k, v, t * q.shape[-1] ** 0.5)
            ),
            "this looks up one key only: blend the values with the softmax weights": (
                lambda q, k, v, t: v[(q @ k.T).argmax(dim=-1)]
            ),
            "this blends the keys: blend the values": lambda q, k, v, t: _lookup(q, k, k, t),
            "these are the weights: multiply them with the values": (
                lambda q, k, v, t: torch.softmax(q @ k.T / t, dim=-1)
            ),
            "this sums over the queries: each query has an output of its own": (
                lambda q, k, v, t: _lookup(q, k, v, t).sum(dim=0)
            ),
        },
    ),
    "2.3": FunctionExercise(
        _self_attention,
        _layers,
        {
            "the scores are divided by √(width of the tokens): take the width of the queries": (
                lambda x, q, k, v: (
                    torch.softmax(_scores(x, q, k) / x.shape[-1] ** 0.5, dim=-1) @ (x @ v.T)
                )
            ),
            "the scores are divided by √(width of the values): take the width of the queries": (
                lambda x, q, k, v: (
                    torch.softmax(_scores(x, q, k) / len(v) ** 0.5, dim=-1) @ (x @ v.T)
                )
            ),
            "the scores are divided by the width of the queries: take its square root": (
                lambda x, q, k, v: torch.softmax(_scores(x, q, k) / len(q), dim=-1) @ (x @ v.T)
            ),
            "the scores are not divided by √(width of the queries)": (
                lambda x, q, k, v: torch.softmax(_scores(x, q, k), dim=-1) @ (x @ v.T)
            ),
            "the softmax runs over the queries: the keys are the last axis": (
                lambda x, q, k, v: (
                    torch.softmax(_scores(x, q, k) / len(q) ** 0.5, dim=0) @ (x @ v.T)
                )
            ),
            "queries and keys are exchanged": lambda x, q, k, v: _self_attention(x, k, q, v),
            "this blends the tokens: blend their values X Wᵥᵀ": (
                lambda x, q, k, v: _self_attention(x, q, k, torch.eye(x.shape[-1]))
            ),
            "this sums over the tokens: each one has a context vector of its own": (
                lambda x, q, k, v: _self_attention(x, q, k, v).sum(dim=0)
            ),
        },
    ),
    "2.4": FunctionExercise(
        lambda w_q, w_k, a: (a @ w_q, torch.linalg.inv(a).T @ w_k),
        _disguises,
        {
            "both weights are multiplied by A: that changes the scores": (
                lambda w_q, w_k, a: (a @ w_q, a @ w_k)
            ),
            "the transpose is missing: W_qᵀ Aᵀ (…) W_k must be W_qᵀ W_k": (
                lambda w_q, w_k, a: (a @ w_q, torch.linalg.inv(a) @ w_k)
            ),
            "the inverse is missing: W_qᵀ Aᵀ (…) W_k must be W_qᵀ W_k": (
                lambda w_q, w_k, a: (a @ w_q, a.T @ w_k)
            ),
            "W_k is unchanged: the scores then change with A": lambda w_q, w_k, a: (a @ w_q, w_k),
            "W_q should become A W_q, and W_k should undo it": (
                lambda w_q, w_k, a: (torch.linalg.inv(a).T @ w_q, a @ w_k)
            ),
        },
    ),
    "2.5": OpenExercise(_judge_lookup_weights),
    "2.6": FunctionExercise(
        _slope,
        _questions,
        {
            "the mean is missing: a covariance is taken of k − f(q), not of k": (
                lambda q, k: _slope(q, k, center="none")
            ),
            "the deviations are from the plain mean: take f(q), the mean under the shares": (
                lambda q, k: _slope(q, k, center="plain")
            ),
            "all keys count alike: weigh each by its share": (
                lambda q, k: _slope(q, k, weighted=False)
            ),
            "this is the covariance with equal shares: weigh each key by its own": (
                lambda q, k: _slope(q, k, weighted=False, center="plain")
            ),
            "the scores are divided by √d: here by nothing": (
                lambda q, k: _slope(q, k, scale=q.shape[-1] ** -0.5)
            ),
            "this is torch's correction for samples: the shares sum to 1, take correction=0": (
                lambda q, k: torch.cov(k.T, aweights=torch.softmax(k @ q, dim=-1))
            ),
            "these are the variances alone: f has d numbers, and q too, so the slope is (d, d)": (
                lambda q, k: _slope(q, k).diagonal()
            ),
            "this is the gradient of the sum of f's numbers: each number has a row of its own": (
                lambda q, k: _slope(q, k).sum(dim=0)
            ),
            "this is f(q) itself: its slope is asked": (
                lambda q, k: torch.softmax(k @ q, dim=-1) @ k
            ),
        },
    ),
}
