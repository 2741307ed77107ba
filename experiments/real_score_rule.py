"""Do the scores of a real model spread more or less than the rule for independent numbers says?"""

import functools
import statistics

import pages
import smollm
import torch
from experiment import Experiment

from d2lattn_book.real.edits import Edit, edited

# (turned, centred, keys of another text turned at random)
MEASURES = {
    "lead": (False, False, False),
    "centred": (False, True, False),
    "rotated": (True, False, False),
    "rotated_centred": (True, True, False),
    "at_random": (False, True, True),
}
TOYS = {"toy": False, "toy_centred": True}


def run(variant, seed, steps):
    """The variance of q·k over what the rule says: medians over heads, and where it is above 1."""
    if variant in TOYS:
        layers = [measured(*of_the_toy(seed), TOYS[variant], True, False, seed)]
    else:
        turned, centred, at_random = MEASURES[variant]
        layers = [
            measured(q[:, :, 1:], k[:, :, 1:], centred, at_random, at_random, seed)
            for q, k in of_the_model(seed)[turned]
        ]
    ratios = torch.stack([ratio for ratio, _ in layers])  # (layers, H)
    medians = ratios.median(1).values
    return {
        "median of the heads": ratios.median(),
        "least median of a layer": medians.min(),
        "most": medians.max(),
        "first layer": medians[0],
        "heads above 1, %": 100 * (ratios > 1).double().mean(),
        "deviation of scores / √d": statistics.median(std.item() for _, std in layers),
    }


def measured(query, key, centred, other_text, at_random, seed):
    """Of heads (B, H, L, D), each in float64: the ratio (H,), and the median deviation of
    q·k / √D."""
    q, k = query.double(), key.double()
    D = q.shape[-1]
    if centred:
        q, k = (x - x.mean((0, 2), keepdim=True) for x in (q, k))
    if other_text:
        q = q.roll(1, dims=0)
    if at_random:
        draw = torch.randn(D, D, generator=torch.Generator().manual_seed(seed), dtype=q.dtype)
        k = k @ torch.linalg.qr(draw)[0]
    scores, parts = q @ k.mT, (0, 2, 3)
    ratio = scores.var(parts) / (D * q.var(parts) * k.var(parts))
    return ratio, (scores / D**0.5).std(parts).median()


@functools.lru_cache(maxsize=1)
def of_the_toy(seed):
    """(queries, keys) of the page's head, (256, 1, 8, 64), after its training."""
    page = pages.functions("aligned")
    tokens, _ = page.lookup_batch(torch.Generator().manual_seed(10**6 + seed), batch=256)
    layer = page.train_lookup(seed, 150)
    with torch.no_grad():
        return layer.q_proj(tokens)[:, None], layer.k_proj(tokens)[:, None]


@functools.lru_cache(maxsize=16)
def of_the_model(seed):
    """[before, after the rotation]: of each layer (queries, keys), both (4, 9, 96, 64)."""
    kept = []

    def watched(rotate, layer):
        def turn(x):
            turned = rotate(x)
            kept.append((x, turned))
            return turned

        return turn

    with torch.no_grad(), edited(smollm.model(), Edit("rotation", watched)):
        smollm.model()(smollm.passages(seed, 4, 96))
    pairs = list(zip(kept[::2], kept[1::2], strict=True))  # the queries come first
    group = smollm.HEADS // pairs[0][1][0].shape[1]
    return [[(q[i], k[i].repeat_interleave(group, 1)) for q, k in pairs] for i in (0, 1)]


EXPERIMENT = Experiment(
    section="3.13",
    varies="how it is measured: queries and keys before or after the rotation, as they are or "
    "without the mean of each channel; and the model, SmolLM2 or the page's toy of width 64 after "
    "150 steps",
    held="one program for all; four passages of 96 tokens without the first; all pairs of a query "
    "and a key in a head, the future too; the rule is d·var(q)·var(k) over all numbers of a head",
    control="queries of another text, and keys turned by a random rotation: the ratio must be 1, "
    "or the measure is at fault; and the toy, where the same program must find what the page says",
    refuted="with the means removed the median of the heads lies on the same side of 1 as without",
    variants={
        "lead": "before the rotation, as they are",
        "centred": "before, means removed",
        "rotated": "after the rotation, as they are",
        "rotated_centred": "after, means removed",
        "at_random": "before, means removed, other queries, keys turned at random",
        "toy": "toy of 3.13, as they are, other sentence",
        "toy_centred": "toy, means removed, other sentence",
    },
    seeds=16,
)
