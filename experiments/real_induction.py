"""Which heads of a real model go on with what it has read before?"""

import functools

import smollm
import torch
from experiment import Experiment

from d2lattn_book.real.edits import heads_off

PERIOD = 48


def run(variant, seed, steps):
    """Nats in the first and the second round with heads off that other draws have chosen."""
    off = chosen(variant, seed)
    edits = [heads_off(*off)] if off else []
    tokens = twice(seed)
    scores, _ = smollm.scored(tokens, PERIOD, *edits)
    told = smollm.losses(tokens, *edits)
    return {
        "heads off": float(len(off)),
        "nats, first round": told[:, 8 : PERIOD - 1].mean(),
        "second round": told[:, PERIOD + 3 :].mean(),
        "prose": smollm.nats(smollm.passages(seed, 3, 96), *edits),
        "heads that score above 0.3": float((scores > 0.3).sum()),
        "highest score": scores.max(),
    }


def chosen(variant, seed):
    """Pairs (layer, head) to switch off, from draws that nothing is judged on."""
    if variant == "all":
        return []
    induction, previous = (smollm.ranked(scores) for scores in scored_before(seed))
    kind, count = variant.split("_")
    order = (induction if kind in ("induction", "others") else previous)[: int(count)]
    if kind in ("induction", "previous"):
        return order
    known, found = {*induction[:24], *previous[:12]}, []
    generator = torch.Generator().manual_seed(seed)
    for layer, _ in order:  # as many others of the very layers
        rest = [(layer, h) for h in range(smollm.HEADS) if (layer, h) not in known]
        found.append(rest[torch.randint(len(rest), (), generator=generator)])
        known.add(found[-1])
    return found


@functools.cache
def scored_before(seed):
    """The scores of all heads on other draws, (induction, previous token), both (layers, H)."""
    return smollm.scored(twice(10**6 + seed), PERIOD)


def twice(seed):
    """48 tokens drawn at random, and once more, (4, 96)."""
    return smollm.noise(seed, 4, PERIOD).repeat(1, 2)


EXPERIMENT = Experiment(
    section="9.7",
    varies="which heads are switched off: none; those with the highest induction score (their mean "
    "weight for the token after the earlier copy), those that look at the previous token most, or "
    "as many others of the same layers",
    held="four draws of 48 tokens, read twice; the heads are chosen on four other draws; the "
    "others are none of the 24 strongest induction heads and the 12 strongest previous-token heads",
    control="as many other heads of the same layers, and prose: if either suffers as much, what is "
    "lost is not the copying",
    refuted="without the four the second round stays as it was, or without four others as bad",
    variants={
        "all": "all heads",
        "induction_4": "without the 4 strongest",
        "induction_12": "without the 12 strongest",
        "others_4": "without 4 others of their layers",
        "previous_1": "without the strongest previous-token head",
        "beside_1": "without another head of its layer (run on an Intel Xeon, 2026-11-30)",
    },
)
