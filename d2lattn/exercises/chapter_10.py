"""Exercises of chapter 10: what attention has become since."""

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from d2lattn.attention import attention
from d2lattn.exercises.checking import FunctionExercise

# Latent attention, folded


def _latents():
    """Queries (L, d), latents (n, c), and the matrices of keys and values (d, c)."""
    generator = torch.Generator().manual_seed(0)
    cases = []
    for length, n, d, c in ((2, 7, 4, 3), (3, 4, 3, 3), (1, 6, 2, 5)):  # c below, at and above d
        sizes = (length, d), (n, c), (d, c), (d, c)
        cases.append(tuple(torch.randn(size, generator=generator) for size in sizes))
    return cases


def _absorbed(q, latents, W_k, W_v, *, scale=None):
    scale = q.shape[1] ** -0.5 if scale is None else scale
    return attention(q @ W_k, latents, latents, scale=scale) @ W_v.mT


def _transposed(*, keys=False, values=False):
    """W_k, W_v or both the other way round, which can be multiplied only where they are square."""

    def mistake(q, latents, W_k, W_v):
        return _absorbed(q, latents, W_k.mT if keys else W_k, W_v.mT if values else W_v)

    return mistake


class _Watch(TorchDispatchMode):
    """Notes the first matrix of a given shape, either way round, that an operation gives."""

    def __init__(self, *shape):
        super().__init__()
        self.shapes, self.seen = (shape, shape[::-1]), None

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        made = func(*args, **(kwargs or {}))
        for tensor in tree_leaves(made):
            if torch.is_tensor(tensor) and tuple(tensor.shape[-2:]) in self.shapes:
                self.seen = self.seen or tuple(tensor.shape)
        return made


class _Folding(FunctionExercise):
    """A right output is not enough: keys and values must not be made on the way."""

    def problem(self, answer):
        said = super().problem(answer)
        if said:
            return said
        q, latents, *matrices = self.cases()[0]
        with _Watch(len(latents), q.shape[1]) as watch:
            answer(q, latents, *matrices)
        if watch.seen:
            return (
                f"the output is right, but keys or values are made, a tensor {watch.seen}: let the "
                "query take W_k along, and blend the latents before W_v"
            )
        return None


EXERCISES = {
    "10.5": _Folding(
        _absorbed,
        _latents,
        {
            "W_k is transposed: the query is a row of d numbers, so q @ W_k has c": (
                _transposed(keys=True)
            ),
            "W_v is transposed: a blend is a row of c numbers, so it meets W_v.T": (
                _transposed(values=True)
            ),
            "W_k and W_v are both transposed: q @ W_k has c numbers, blend @ W_v.T has d": (
                _transposed(keys=True, values=True)
            ),
            "the scores are divided by the root of the latent's width: the key that is never made "
            "has d numbers": lambda q, latents, W_k, W_v: _absorbed(
                q, latents, W_k, W_v, scale=latents.shape[1] ** -0.5
            ),
            "the scores are not divided by √d": lambda *given: _absorbed(*given, scale=1.0),
            "W_v is missing: this is the blend of the latents": (
                lambda q, latents, W_k, W_v: _absorbed(q, latents, W_k, torch.eye(W_k.shape[1]))
            ),
            "W_k stands where W_v belongs: the blend becomes a value": (
                lambda q, latents, W_k, W_v: _absorbed(q, latents, W_k, W_k)
            ),
            "W_v is applied to the query: it belongs to the blend": (
                lambda q, latents, W_k, W_v: _absorbed(q, latents, W_v, W_v)
            ),
            "the matrices are swapped: W_k folds into the query": (
                lambda q, latents, W_k, W_v: _absorbed(q, latents, W_v, W_k)
            ),
            "the softmax is over the queries: each row of shares must sum to 1": (
                lambda q, latents, W_k, W_v: (
                    (q @ W_k @ latents.mT * q.shape[1] ** -0.5).softmax(0) @ latents @ W_v.mT
                )
            ),
            "there is no softmax: scores become shares first": (
                lambda q, latents, W_k, W_v: (
                    q @ W_k @ latents.mT * q.shape[1] ** -0.5 @ latents @ W_v.mT
                )
            ),
        },
    ),
}
