"""Does a layer of a real model need the length of each vector, or only one number to divide by?

Written down before the run; what made us ask were seven passages. real_parts leaves the division
out of a layer's two norms, and feeds its matrices streams of another size than they learned for.
Here each norm divides by one constant, the mean length at this place in other passages, the same
for all tokens but the first, which is divided as ever. Predicted: the median layer costs less than
0.05 nats, in both texts. Refuted if it costs more than half a nat in either.
"""

import functools
import statistics

import smollm
import torch
from experiment import Experiment

from d2lattn_book.real import trace

LENGTH, START = 64, 16


def run(variant, seed, steps):
    """What it costs, in nats, if one layer's norms divide by a constant."""
    which, _, how = variant.partition("_")
    tokens = smollm.passages(seed, 1, LENGTH, which)
    stream = trace(smollm.model(), tokens, keep=["stream"]).stream
    whole = smollm.losses_of(stream[-1], tokens, START).mean()
    costs = []
    for layer in range(smollm.LAYERS):
        x = step(layer, stream[layer], constants(seed, which)[layer], how)
        costs.append(smollm.losses_of(smollm.onwards(x, layer + 1), tokens, START).mean() - whole)
    costs = torch.stack(costs)
    return {
        "median of the 30": statistics.median(costs.tolist()),
        "least": costs.min(),
        "most": costs.max(),
    }


@functools.lru_cache(maxsize=16)
@torch.no_grad()
def constants(seed, which):
    """The mean length, as a norm counts it, before each norm in four other passages."""
    tokens = smollm.passages(10**6 + seed, 4, LENGTH, which)
    seen = trace(smollm.model(), tokens, keep=["stream", "from_attention"])
    pairs = zip(seen.stream[:-1], seen.from_attention, strict=True)
    return [[size(x[:, START:]), size((x + added)[:, START:])] for x, added in pairs]


def size(x):
    """The mean over tokens of the root of the mean square of a vector's numbers."""
    return x.pow(2).mean(-1).sqrt().mean()


@torch.no_grad()
def step(layer, x, constant, how):
    """One layer whose norms divide by these two numbers."""
    block = smollm.model().blocks[layer]
    y = divided(block.attention_norm, x, constant[0], how)
    x = x + block.attention(y, is_causal=True, context=smollm.ROTATED)
    return x + block.mlp(divided(block.mlp_norm, x, constant[1], how))


def divided(norm, x, constant, how):
    """A norm with one constant; for the first token it divides as ever, or not, too."""
    y = x / constant * norm.weight
    return y if how == "all" else torch.cat([norm(x[:, :1]), y[:, 1:]], 1)


EXPERIMENT = Experiment(
    section="9.19",
    varies="the text; and for whom the two norms of one layer divide by a constant in the place of "
    "each vector's own length: for all tokens but the first, or for all",
    held="a passage of 64 tokens, the loss from the 17th on; the constant is the mean length in "
    "four other passages of the same text, layer by layer and norm by norm; nothing is trained "
    "anew; layers counted from 0",
    control="the constant for the first token, too, whose stream is by far the longest: if that "
    "costs nothing either, no length is needed at all",
    refuted="with a constant for all tokens but the first, the median layer costs more than half a "
    "nat in either text",
    variants={
        "prose_constant": "prose, a constant but for the first token",
        "prose_all": "prose, a constant for all",
        "manual_constant": "manual, a constant but for the first token",
    },
    small=dict(LENGTH=12, START=4),
)
