"""May the rounds of hashing be merged as if no key stood in two of them?"""

import pages
import torch
from experiment import Experiment

page = pages.functions("hashing_rounds")

WORDS, WIDTH, TOP = 64, 8, 8


def run(variant, seed, steps):
    """The errors of random words in 4 buckets, or in 1, and how many large weights are found."""
    rounds, num_buckets = (8, 1) if variant == "one" else (int(variant[1:]), 4)
    generator = torch.Generator().manual_seed(seed)
    x, v = torch.randn(2, WORDS, WIDTH, generator=generator, dtype=torch.float64)
    exact = page.in_rounds(x, v, torch.zeros(1, WORDS))
    buckets = page.lsh_buckets(x, num_buckets=num_buckets, num_rounds=rounds, generator=generator)
    counted = {"error with 1/N": True, "error without": False}
    errors = {
        name: (page.in_rounds(x, v, buckets, once=once) - exact).norm() / exact.norm()
        for name, once in counted.items()
    }
    cosines = page.F.normalize(x, dim=-1) @ page.F.normalize(x, dim=-1).T
    largest = cosines.fill_diagonal_(-torch.inf).topk(TOP).indices
    found = (buckets[:, :, None] == buckets[:, None, :]).any(0).gather(1, largest)
    return errors | {f"of the {TOP} largest weights found": found.double().mean()}


EXPERIMENT = Experiment(
    section="8.17",
    varies="the number of rounds, and whether a key that N rounds find counts 1/N in each",
    held="64 random words of width 8, 4 buckets, no chunks, the exact attention without hashing",
    control="one bucket, in which every round finds every key: both ways of counting must be exact "
    "there, or the difference is not that of keys found more often than others",
    refuted="without 1/N the error falls towards 0 with the rounds as well",
    seeds=16,
    variants={
        "r1": "1 round",
        "r8": "8 rounds",
        "r32": "32 rounds",
        "r128": "128 rounds",
        "one": "8 rounds, one bucket",
    },
)
