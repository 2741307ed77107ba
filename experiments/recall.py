"""Among how many words can a state of linear attention find the right one, and a softmax?"""

import pages
import torch
from experiment import Experiment

page = pages.functions("recall")


def run(variant, seed, steps):
    """The mean weight of the right word among 4, 16, 64 and 256."""
    generator = torch.Generator().manual_seed(seed)
    return {f"{m} words": weight(variant, m, generator) for m in (4, 16, 64, 256)}


def weight(variant, m, generator):
    """That among m words."""
    if variant == "slots":  # word i has feature i mod 16, and no other
        features = torch.eye(16)[torch.arange(m) % 16][None]
        return page.right_weight(features @ features.mT)
    options = dict(lengths=(1,)) if variant.endswith("short") else {}
    options |= dict(phi=torch.exp) if variant.endswith("exp") else {}
    softmax, state = page.recall(m, generator, **options)
    return softmax if variant.startswith("softmax") else state


EXPERIMENT = Experiment(
    section="8.8",
    varies="how the weights are made: a softmax of scores, or products of features elu + 1 or exp",
    held="20 draws of random keys of width 16 for each seed, every key asked for once; the best of "
    "the lengths 1, 2, 4, 8, 16 and 32 of the keys",
    control="features that do not overlap (word i has feature i mod 16 alone): they must reach the "
    "bound d/m, or the bound is out of reach of any state; and a softmax of keys of length 1, "
    "which must lose the word, or the task asks for nothing",
    refuted="the state finds the right one of 64 words nearly as well as the softmax",
    seeds=16,
    variants={
        "softmax": "softmax",
        "state": "state",
        "softmax-short": "softmax, keys of length 1",
        "state-exp": "state, features exp",
        "slots": "state, features that do not overlap",
    },
)
