"""Is it the induction heads that read the next token off when a real model's mask is gone?

Written down before the run, after `real_mask` had refuted that a model trained with the mask does
not read the next token off without it. An induction head looks for a token that stands behind a
copy of the asking one. Without the mask the next token is such a token, behind the asking one
itself. The lead: the heads that look at it are those that go on with what was read before, found on
random tokens read twice. Without the twelve strongest the loss of tokens in sight goes back more
than half of the way to that with the mask, and random tokens are read off as prose is. Refuted if
these twelve take back less than half, or if twelve others of their layers take back as much.
"""

import functools

import real
import torch
from experiment import Experiment

from d2lattn_book.real import trace
from d2lattn_book.real.edits import heads_off, see

LENGTH, START, PERIOD = 64, 32, 48
ALL = torch.ones(LENGTH, LENGTH, dtype=torch.bool)
rows = torch.arange(START, LENGTH - 1)  # the next token is in sight
ASKING = torch.arange(PERIOD, 2 * PERIOD - 1)


def run(variant, seed, steps):
    """The loss of prose and of random tokens, with the mask and without, and who looks ahead."""
    prose, random = real.passages(seed, 6, LENGTH), real.noise(seed, 3, LENGTH)
    edits = [heads_off(*chosen(variant, seed))] if variant != "all" else []
    ahead = [*edits, see(ALL)]
    seen = trace(real.model(), prose, keep=["weights"], edits=ahead)
    right = seen.logits.argmax(-1)[:, rows] == prose[:, rows + 1]
    look = seen.weights[..., rows, rows + 1].mean((1, 3)).flatten() > 0.3  # (layers · H,)
    strongest = [layer * real.HEADS + head for layer, head in ranked(seed)[0][:12]]
    return {
        "prose, with the mask": real.nats(prose, *edits, start=START + 1),
        "without": real.nats(prose, *ahead, start=START + 1),
        "first guess right, %": 100 * right.double().mean(),
        "random tokens, with the mask": real.nats(random, *edits, start=START + 1),
        "without ": real.nats(random, *ahead, start=START + 1),
        "heads that give the next token 0.3": look.double().sum(),
        "of the 12 strongest": look[strongest].double().sum(),
    }


def chosen(variant, seed):
    """Pairs (layer, head) to switch off, from draws that nothing is judged on."""
    induction, previous = ranked(seed)
    kind, count = variant.split("_")
    order = (previous if kind.startswith("previous") else induction)[: int(count)]
    if not kind.endswith("others"):
        return order
    known, found = {*induction[:24], *previous[:12]}, []
    generator = torch.Generator().manual_seed(seed)
    for layer, _ in order:
        rest = [(layer, h) for h in range(real.HEADS) if (layer, h) not in known]
        found.append(rest[torch.randint(len(rest), (), generator=generator)])
        known.add(found[-1])
    return found


@functools.cache
def ranked(seed):
    """All heads by their weight for the token after the earlier copy, and for the token before."""
    twice = real.noise(10**6 + seed, 4, PERIOD).repeat(1, 2)
    weights = trace(real.model(), twice, keep=["weights"]).weights
    after = torch.arange(1, 2 * PERIOD)
    scores = weights[..., ASKING, ASKING - PERIOD + 1], weights[..., after, after - 1]
    orders = (x.mean((1, 3)).flatten().argsort(descending=True).tolist() for x in scores)
    return [[divmod(place, real.HEADS) for place in order] for order in orders]


EXPERIMENT = Experiment(
    section="9.23",
    varies="which heads are switched off: none; the strongest induction heads or previous-token "
    "heads, chosen on random tokens read twice, or as many others of the same layers",
    held="six passages of 64 tokens and three of random ones, the loss of the second half; the "
    "mask is there or taken away from all layers; the others are none of the 24 strongest "
    "induction heads and the 12 strongest previous-token heads",
    control="as many other heads of the same layers, which must leave the reading ahead as it was; "
    "and the loss with the mask: what rises there, too, is no matter of the mask",
    refuted="without the 12 strongest induction heads the loss without the mask goes back less "
    "than half of the way to that with it, or without 12 others as far",
    variants={
        "all": "all heads",
        "induction_4": "without the 4 strongest induction heads",
        "induction_12": "without the 12 strongest",
        "induction_24": "without the 24 strongest",
        "others_12": "without 12 others of their layers",
        "previous_1": "without the strongest previous-token head",
        "previous_4": "without the 4 strongest",
        "previousothers_4": "without 4 others of their layers",
    },
    run=run,
    steps=None,
    seeds=8,
)
