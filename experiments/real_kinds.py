"""Are the queries and the keys of a real model alike, head by head?"""

import functools

import smollm
import torch
from experiment import Experiment

from d2lattn_book.real import trace

D, E = 64, 576


def run(variant, seed, steps):
    """How alike W_q and W_k of each of the 270 heads are, or the queries and keys of a text."""
    pairs = PAIRS[variant](seed)
    part = torch.stack([symmetric(q, k) for q, k in pairs])
    return {
        "symmetric, median": part.median(),
        "least": part.min(),
        "most": part.max(),
    }


def symmetric(q, k):
    """‖S‖² / ‖M‖² of M = qᵀk and S = (M + Mᵀ) / 2."""
    scores = q.T @ k
    return ((scores + scores.T) / 2).square().sum() / scores.square().sum()


@functools.cache
def weights():
    """W_q and W_k of each head, the factors of the layer's norm folded in: 270 pairs (64, 576)."""
    return [pair for block in smollm.model().blocks for pair in heads(block.attention, block)]


@torch.no_grad()
def heads(attention, block):
    scale = block.attention_norm.weight.double()
    W_q, W_k = ((p.weight.double() * scale).split(D) for p in (attention.q_proj, attention.k_proj))
    return [(q, W_k[head * len(W_k) // smollm.HEADS]) for head, q in enumerate(W_q)]


@functools.lru_cache(maxsize=1)
@torch.no_grad()
def of_text(seed):
    """Queries and keys of 576 tokens before the rotation, each number without its mean: 270 pairs
    (64, 576)."""
    tokens = smollm.passages(seed, 9, 1 + E // 9)
    stream, pairs = trace(smollm.model(), tokens, keep=["stream"]).stream, []
    for x, block in zip(stream, smollm.model().blocks, strict=False):
        y = block.attention_norm(x[:, 1:])  # the first token is another matter
        found = block.attention.project(y, y, y)[:2]  # (9, H, 64, D), (9, Hkv, 64, D)
        q, k = (z.permute(1, 3, 0, 2).flatten(2).double() for z in found)  # (H or Hkv, D, 576)
        q, k = (z - z.mean(-1, keepdim=True) for z in (q, k))
        pairs += zip(q, k.repeat_interleave(len(q) // len(k), 0), strict=True)
    return pairs


def other_keys(pairs):
    """Each query with the keys that the next group of three heads asks, in the same layer."""
    keys = [k for _, k in pairs]
    layers = range(0, len(keys), smollm.HEADS)
    moved = [k for at in layers for k in keys[at + 3 : at + smollm.HEADS] + keys[at : at + 3]]
    return [(q, k) for (q, _), k in zip(pairs, moved, strict=True)]


def drawn(seed):
    """As many pairs of Gaussian matrices."""
    generator = torch.Generator().manual_seed(seed)
    count = smollm.LAYERS * smollm.HEADS
    return torch.randn(count, 2, D, E, generator=generator, dtype=torch.double).unbind()


PAIRS = {
    "weights": lambda seed: weights(),
    "text": of_text,
    "text_other": lambda seed: other_keys(of_text(seed)),
    "drawn": drawn,
}
EXPERIMENT = Experiment(
    section="2.13",
    varies="what is compared: W_q and W_k of a head, or the queries and keys that 576 tokens of "
    "prose have there, before the rotation; or pairs that do not belong together",
    held="matrices of 64 × 576, with the factors of the layer's norm in the weights, and with the "
    "first token and the mean of each number left out of the text; the part of ‖M‖² that is "
    "symmetric in M = QᵀK, over 270 heads; the weights are the "
    "same for all seeds",
    control="matrices drawn at random, whose part must be .5, and the keys of another group of the "
    "same layer: if those are as much like the queries, it is no matter of the head",
    refuted="the median of the symmetric parts of the matrices lies above .75, nearer to one "
    "matrix for both than to two drawn at random",
    variants={
        "weights": "W_q and W_k of a head",
        "text": "queries and keys of prose",
        "text_other": "queries and another group's keys",
        "drawn": "drawn at random",
    },
    seeds=16,
)
