"""Can three animals that chase each other in a circle be told with one matrix?"""

import pages
import torch
from experiment import Experiment

page = pages.functions("circle")


def run(variant, seed, steps):
    """The share of animals, in threes that were never seen, that name the one they chase."""
    model = page.runner(variant.removeprefix("row_").removeprefix("deep_"), seed)
    if variant.startswith("deep_"):
        model.to_words = with_a_layer_more(len(model.words), seed)
    right = page.chase(model, seed, steps, closed=not variant.startswith("row_"))
    return {"animals right": right, "all right": right == 1}


def with_a_layer_more(words, seed):
    """What reads off the next word, with one hidden layer of 128 units before it."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        layers = torch.nn.Linear(32, 128), torch.nn.GELU(), torch.nn.Linear(128, words)
    return torch.nn.Sequential(*layers)


EXPERIMENT = Experiment(
    section="2.5",
    claims=(40,),
    varies="what makes the scores of the one head; in a row the last chases nobody; what reads the "
    "output",
    held="words and places are learned; data, optimiser, learning rate, batch, 32 channels",
    control="a row, in which symmetric scores can be right; W_q with the plain x for a key, which "
    "has as many matrices as the shared one; and the mean: if it were right, no score would be "
    "needed",
    refuted="in the circle XXᵀ or one W for queries and keys comes near the full model in a seed",
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
    },
    run=run,
)
