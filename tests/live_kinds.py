"""A live figure of each kind, for node and for browsers: a new kind gets a row here."""

import math

import torch

from d2lattn import Decoder
from d2lattn_book.pictures import live

SENTENCE = ["the", "hungry", "cat", "found", "the", "milk"]
X = [[0, 0, 0.2], [1.5, 0, 0.5], [1.0, 1.6, 0], [0, 0.5, 1.0], [0, 0, 0.2], [0.3, 0, 1.8]]
PLANE = {
    "bake": (2, 0), "pie": (2, 0), "cinnamon": (3, 0), "charge": (0, 2), "phone": (0, 2),
    "adapter": (0, 3), "the": (0, 0), "with": (0, 0), "apple": (1, 1),
}  # fmt: skip
TOLD = ["bake the apple pie with cinnamon", "charge the apple phone with adapter"]
KEPT = [*SENTENCE, "and", "drank", "it"]


def normal(*shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(3))


def weights(*shape):
    return (2.5 * normal(*shape)).softmax(-1)


FIGURES = {
    "attention": lambda: live.attention(X, tokens=SENTENCE),
    "heads": lambda: live.heads(weights(4, 6, 6), tokens=SENTENCE),
    "positions": lambda: live.positions(16, base=10000.0, length=60),
    "steps": lambda: live.steps([1.0, 3.0, -math.inf, 2.0, 4.0, 0.5], [10.0, 20, 5, -3, 8, 1]),
    "field": lambda: live.field(3, 3, dilated=True, causal=True),
    "words": lambda: live.words(
        list(PLANE), list(PLANE.values()), sentences=TOLD, asks="apple", axes=("food", "technology")
    ),
    "reader": lambda: live.reader(
        Decoder(len(PLANE), 16, num_layers=2, num_heads=2, max_len=12, seed=3).eval(),
        list(PLANE),
        text=TOLD[0],
    ),
    "cache": lambda: live.cache(KEPT, step=7, kind="sinks"),
    "ring": lambda: live.ring(),
}
KINDS = tuple(FIGURES)
