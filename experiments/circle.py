"""Can three animals that chase each other in a circle be told with one matrix?"""

import itertools

import pages
import torch
from experiment import Experiment

from d2lattn import fit
from d2lattn_book.language import words

page = pages.functions("circle")
CHANGED = ("row", "deep", "slow", "every")  # what else, beside the matrices


def run(variant, seed, steps):
    """The share of animals that name the one they chase: in new threes, and in those seen."""
    first, _, rest = variant.partition("_")
    changed, matrices = (first, rest) if first in CHANGED else (None, variant)
    model = page.runner(matrices, seed)
    if changed == "deep":
        model.lm_head = with_a_layer_more(len(model.vocabulary), seed)
    if changed == "every":
        seen = new = of_every_circle(model, steps)
    else:
        rate = 0.01 if changed == "slow" else 0.03
        seen, new = page.chase(model, seed, steps, closed=changed != "row", rate=rate)
    return {"animals right": new, "all right": new == 1, "of those seen": seen}


def of_every_circle(model, steps):
    """The share that is right after it has learned from all 120 circles, all in each step."""
    told, chased = page.circles(list(itertools.combinations(words.ANIMALS, 3)), closed=True)
    fit(model, lambda _: (told, chased), steps=steps, learning_rate=0.01, warmup=0, weight_decay=0)
    return (model(told).argmax(-1) == chased)[:, page.STAND].double().mean().item()


def with_a_layer_more(words, seed):
    """What reads off the next word, with one hidden layer of 128 units before it."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        layers = torch.nn.Linear(32, 128), torch.nn.GELU(), torch.nn.Linear(128, words)
    return torch.nn.Sequential(*layers)


THRICE = {1: 16, 2: 16, 5: 16}
EXPERIMENT = Experiment(
    section="2.9",
    varies="what makes the scores of the one head; in a row the last chases nobody; what reads the "
    "output; in slow steps the learning rate, 0.01 in the place of 0.03; and from every circle it "
    "learns without weight decay, 0.01, all 120 in each step, so that none is new",
    held="words and places are learned; data, optimiser, learning rate, batch, 32 channels",
    control="a row, in which symmetric scores can be right; W_q with the plain x for a key, which "
    "has as many matrices as the shared one; and the mean: if it were right, no score would be "
    "needed",
    refuted="in the circle XXᵀ or one W for queries and keys comes near the full model in a seed: "
    "at the page's rate none does, but one W with slow steps, from every circle",
    steps=200,
    seeds=16,
    variants={
        "mean_v": "mean of all words, W_v",
        "xx_v": "XXᵀ, W_v",
        "shared_v": "one W for queries and keys, W_v",
        "q_v": "W_q, the plain x for a key, W_v",
        "qk": "W_q and W_k, no W_v",
        "all": "all three",
        "row_xx_v": "XXᵀ, W_v, in a row",
        "deep_xx_v": "XXᵀ, W_v, a hidden layer behind it",
        "slow_mean_v": "mean of all words, W_v, slow steps",
        "slow_xx_v": "XXᵀ, W_v, slow steps",
        "slow_shared_v": "one W for queries and keys, W_v, slow steps",
        "slow_all": "all three, slow steps",
        "every_shared_v": "one W for queries and keys, W_v, from every circle",
    },
    plan=dict.fromkeys(
        ("mean_v", "xx_v", "shared_v", "q_v", "qk", "all", "row_xx_v", "deep_xx_v", "slow_all"),
        THRICE,
    )
    | {"slow_mean_v": {15: 8}, "slow_xx_v": {15: 8}}
    | {"slow_shared_v": {1: 16, 5: 16, 15: 16}, "every_shared_v": {40: 4}},
)
