"""Exercises of chapter 10: what attention has become since."""

import functools
import math

import torch

from d2lattn.exercises.checking import FunctionExercise

# The delta rule


def _words():
    generator = torch.Generator().manual_seed(0)
    found = []
    for n, d, e in ((4, 3, 3), (6, 4, 2), (5, 2, 3)):
        q, k = torch.randn(2, n, d, generator=generator)
        v, beta = torch.randn(n, e, generator=generator), torch.rand(n, generator=generator)
        found.append((q, k, v, beta))
    return found


def _delta(q, k, v, beta, write=None, reads_first=False, fresh=False):
    """`write` is (state, query, key, value, beta) -> the next state."""
    state, outputs = q.new_zeros(q.shape[1], v.shape[1]), []
    for query, key, value, b in zip(q, k, v, beta, strict=True):
        before = torch.zeros_like(state) if fresh else state
        state = (write or _correct)(before, query, key, value, b)
        outputs.append(query @ (before if reads_first else state))
    return torch.stack(outputs)


def _correct(state, query, key, value, b):
    return state + b * torch.outer(key, value - key @ state)


def _wrong(write):
    """The recurrence with another rule for writing."""
    return functools.partial(_delta, write=write)


EXERCISES = {
    "10.3": FunctionExercise(
        _delta,
        _words,
        {
            "this adds: write the error, the value minus what the key reads": _wrong(
                lambda S, q, k, v, b: S + b * torch.outer(k, v)
            ),
            "the state is read before the word has written: write first": functools.partial(
                _delta, reads_first=True
            ),
            "the error is what the query reads: the key asks for what stands under it": _wrong(
                lambda S, q, k, v, b: S + b * torch.outer(k, v - q @ S)
            ),
            "this decays: (1 - beta) fades all keys. Only what stands under k is taken out": _wrong(
                lambda S, q, k, v, b: (1 - b) * S + b * torch.outer(k, v)
            ),
            "the state is transposed: its rows belong to the key, outer(k, error)": _wrong(
                lambda S, q, k, v, b: S + b * torch.outer(v - k @ S, k)
            ),
            "beta is missing: it says how much of the error is corrected": _wrong(
                lambda S, q, k, v, b: _correct(S, q, k, v, 1)
            ),
            "beta belongs to the whole error, not to the value alone": _wrong(
                lambda S, q, k, v, b: S + torch.outer(k, b * v - k @ S)
            ),
            "beta belongs to the whole error, not to what is taken out alone": _wrong(
                lambda S, q, k, v, b: S + torch.outer(k, v - b * (k @ S))
            ),
            "the sign is turned round: the error is v minus what stands there": _wrong(
                lambda S, q, k, v, b: S - b * torch.outer(k, v - k @ S)
            ),
            "the keys were given length 1: here they are taken as they are": _wrong(
                lambda S, q, k, v, b: _correct(S, q, k / k.norm(), v, b)
            ),
            "divided by √d: nothing is scaled here": (
                lambda q, k, v, beta: _delta(q, k, v, beta) / math.sqrt(q.shape[1])
            ),
            "every word starts from an empty state: carry it along": functools.partial(
                _delta, fresh=True
            ),
        },
    ),
}
