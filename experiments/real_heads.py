"""How many of a real model's 270 heads matter alone, and how many together?"""

import functools

import smollm
import torch
from experiment import Experiment

from d2lattn_book.real import trace
from d2lattn_book.real.edits import heads_off

LENGTH, START = 64, 32
ALL = [(layer, head) for layer in range(smollm.LAYERS) for head in range(smollm.HEADS)]
# The passages, counted on from the own, on which the heads that cost least are chosen.
OTHERS = {"least": [1], "mean": range(1, 8)}


def run(variant, seed, steps):
    """What it costs, in nats, to switch off each head alone, or sets of heads."""
    alone = each(seed)
    if variant == "each":
        order = alone.flatten()
    else:
        kind, count = variant.split("_")
        order = torch.stack([together(kind, int(count), seed, draw) for draw in range(4)])
    return {
        "mean": order.mean(),
        "median": order.median(),
        "least": order.min(),
        "most": order.max(),
        "above 0.1 nats, %": 100 * (order > 0.1).double().mean(),
        "below 0, %": 100 * (order < 0).double().mean(),
    }


def together(kind, count, seed, draw):
    """Heads drawn at random from all, or from those that cost least on other passages."""
    generator = torch.Generator().manual_seed(100 * seed + draw)
    pool = list(range(len(ALL)))
    if kind in OTHERS:  # 4 draws among half as many again
        alone = torch.stack([each((seed + other) % 8) for other in OTHERS[kind]]).mean(0)
        pool = alone.flatten().argsort()[: count * 3 // 2].tolist()
    chosen = torch.randperm(len(pool), generator=generator)[:count].tolist()
    tokens = passage(seed)
    edit = heads_off(*(ALL[pool[place]] for place in chosen))
    return smollm.losses(tokens, edit)[:, START - 1 :].mean() - whole(seed)


def passage(seed):
    return smollm.passages(seed, 1, LENGTH)


@functools.cache
def whole(seed):
    return smollm.losses(passage(seed))[:, START - 1 :].mean()


@functools.cache
@torch.no_grad()
def each(seed):
    """What each head costs alone, (layers, H): nine copies of the passage, each without one."""
    tokens, costs = passage(seed).expand(smollm.HEADS, -1), []
    stream = trace(smollm.model(), passage(seed), keep=["stream"]).stream
    for layer, block in enumerate(smollm.model().blocks):
        x = stream[layer]
        y = block.attention_norm(x)
        query, key, value = block.attention.project(y, y, y)
        heads, _ = block.attention.attend(
            smollm.rotate(query), smollm.rotate(key), value, is_causal=True
        )  # (1, H, L, D)
        off = 1 - torch.eye(smollm.HEADS)[:, :, None, None]  # copy h is without head h
        x = x + block.attention.join(off * heads)
        x = x + block.mlp(block.mlp_norm(x))
        told = smollm.losses_of(smollm.onwards(x, layer + 1), tokens, START)
        costs.append(told.mean(1) - whole(seed))
    return torch.stack(costs)


EXPERIMENT = Experiment(
    section="4.9",
    varies="which heads are switched off: each of the 270 alone, or 40 and 80 at once, drawn from "
    "all, or from the 60 that cost least on another passage, or from the 120 that cost least on "
    "the mean of seven others",
    held="a passage of 64 tokens, the loss of its second half; the numbers are what it costs, in "
    "nats; four draws of each size in each passage",
    control="heads that cost least on other passages: if as many of them cost as much together as "
    "heads drawn at random, what a head costs alone says nothing of what it is worth",
    refuted="more than a tenth of the heads cost more than 0.1 nats alone, or 40 at random cost no "
    "more than 40 times the mean of one",
    variants={
        "each": "each of the 270 alone",
        "random_40": "40 at random",
        "random_80": "80 at random",
        "least_40": "40 of those",
        "mean_80": "80 of those that cost least on seven",
    },
    small=dict(LENGTH=8, START=4),
)
