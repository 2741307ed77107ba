"""Which part of which layer does a real model need?"""

import functools

import smollm
import torch
from experiment import Experiment

from d2lattn_book.real import trace

LENGTH, START = 64, 16


def run(variant, seed, steps):
    """What it costs, in nats, to leave a part out of one layer."""
    tokens = smollm.passages(seed, 1, LENGTH)
    stream, whole = read(seed)
    costs = []
    for layer in range(smollm.LAYERS):
        x = step(layer, stream[layer], variant, seed)
        last = smollm.onwards(x, layer + 1)
        costs.append(smollm.losses_of(last, tokens, START).mean() - whole)
    costs = torch.stack(costs)
    return {
        "layer 0": costs[0],
        "median of the 30": costs.median(),
        "least": costs.min(),
        "most": costs.max(),
    }


@functools.lru_cache(maxsize=8)
def read(seed):
    """The stream at 31 points, and the loss with all parts."""
    tokens = smollm.passages(seed, 1, LENGTH)
    stream = trace(smollm.model(), tokens, keep=["stream"]).stream
    return stream, smollm.losses_of(stream[-1], tokens, START).mean()


@torch.no_grad()
def step(layer, x, without, seed):
    """One layer without one of its parts."""
    block = smollm.model().blocks[layer]
    y = times_weight(block.attention_norm, x, without == "norms")
    added = block.attention(y, is_causal=True, context=smollm.ROTATED)
    x = added if without == "residual" else x if without == "attention" else x + added
    added = block.mlp(times_weight(block.mlp_norm, x, without == "norms"))
    if without == "mlp_mean":
        added = torch.cat([added[:, :1], mean(seed)[layer].expand_as(added[:, 1:])], 1)
    return added if without == "residual" else x if without == "mlp" else x + added


@functools.lru_cache(maxsize=8)
def mean(seed):
    """What the MLPs add to tokens of other passages on average, (layers, E)."""
    tokens = smollm.passages(10**6 + seed, 4, LENGTH)
    return trace(smollm.model(), tokens, keep=["from_mlp"]).from_mlp[:, :, START:].mean((1, 2))


def times_weight(norm, x, without):
    """A norm, or only its learned factors."""
    return x * norm.weight if without else norm(x)


EXPERIMENT = Experiment(
    section="9.19",
    varies="what is left out of one layer at a time",
    held="a passage of 64 tokens, the loss from the 17th on; the numbers are what it costs, in "
    "nats; nothing is trained anew; layers counted from 0",
    control="what the MLP adds replaced by what it adds on average to other texts, but for the "
    "first token: if this costs nothing, the part need not look at the tokens at all, and if it "
    "costs as much as no part, the stream does not only miss a constant",
    refuted="each layer's attention, or each MLP, costs more than half a nat alone",
    variants={
        "attention": "without attention",
        "mlp": "without MLP",
        "mlp_mean": "the MLP's mean elsewhere",
        "residual": "without its residual connections",
        "norms": "its two norms do not divide",
    },
    small=dict(LENGTH=12, START=4),
)
