"""Does SmolLM2 lose with any other scale of its scores, in other texts, too (171)?"""

import argparse
import inspect

import torch
from book import real, tell

from d2lattn.edits import scale_scores

code = real.encode(inspect.getsource(argparse))[0]


def of_code(seed, count, length):
    """Passages of Python."""
    generator = torch.Generator().manual_seed(seed)
    starts = torch.randint(len(code) - length, (count,), generator=generator).tolist()
    return torch.stack([code[start : start + length] for start in starts])


def in_disorder(seed, count, length):
    """Prose whose pieces stand in any order."""
    order = torch.randperm(length, generator=torch.Generator().manual_seed(seed))
    return real.passages(seed, count, length)[:, order]


def twice(seed, count, length):
    """Pieces at random, and the same again."""
    return real.noise(seed, count, length // 2).repeat(1, 2)


TEXTS = {
    "prose, new seeds": real.passages,
    "Python": of_code,
    "pieces in disorder": in_disorder,
    "random pieces said twice": twice,
}
for name, draw in TEXTS.items():
    begin = 65 if draw is twice else 1  # the second half
    for factor in (1, 0.5, 2):
        edits = [scale_scores(factor)] * (factor != 1)
        runs = [real.nats(draw(seed, 2, 128), *edits, start=begin) for seed in (100, 101, 102)]
        tell(f"171, {name}: scores × {factor}", runs)
