"""How many keys does a head of a real model need in each row?

Written down before the run. The shares of a softmax are never 0, so that a map looks full. The
lead: eight keys in each row and head, those of the highest scores, do for nearly all, since most
shares are tiny: the loss rises by less than 0.1 nats although nine of ten keys are hidden. A map
that was an explanation would then be the short list. Refuted if the eight keys of the highest
scores cost 0.5 nats or more, or if eight others (the first piece, the piece itself, and six drawn
at random) cost less than a nat, since then any would do.
"""

import real
import torch
from experiment import Experiment

from d2lattn_book.real.edits import Edit, edited

LENGTH, FROM = 128, 64


def run(variant, seed, steps):
    """The loss of the second half of the texts, whose rows see 65 to 128 keys."""
    tokens = real.passages(seed, 2, LENGTH)
    if variant == "all":
        return {"nats": real.nats(tokens, start=FROM), "share of the keys kept": 1.0}
    kind, count = variant.split("_")
    generator, kept = torch.Generator().manual_seed(seed), []
    at = {}

    def note(name):
        def change(x, layer):
            at[name] = x
            return x

        return Edit(name, change)

    def few(seen, layer):
        query, key = at["query"], at["key"]
        key = key.repeat_interleave(query.shape[1] // key.shape[1], 1)
        scores = (query @ key.mT).masked_fill(~seen, -torch.inf)
        order = scores
        if kind == "random":
            order = torch.rand(scores.shape, generator=generator).masked_fill(~seen, -1)
            order[..., 0] = 2
            order.diagonal(dim1=-2, dim2=-1).fill_(2)
        best = order.topk(min(int(count), LENGTH), dim=-1).indices
        mask = torch.zeros_like(seen.contiguous()).scatter(-1, best, True) & seen
        shares = scores.div(query.shape[-1] ** 0.5).softmax(-1)
        kept.append((shares * mask).sum(-1)[..., FROM:].mean())
        return mask

    with edited(real.model(), note("query"), note("key"), Edit("visible", few)):
        told = real.losses(tokens)
    return {"nats": told[:, FROM - 1 :].mean(), "share of the keys kept": torch.stack(kept).mean()}


EXPERIMENT = Experiment(
    section="4.9",
    varies="how many keys each row of each of the 270 heads may see, and which: those of the "
    "highest scores, or the first piece, the asking piece itself and others drawn at random",
    held="two passages of 128 pieces; all rows are cut; the loss of the second half, whose rows "
    "have 65 to 128 keys; the softmax is taken anew among the keys that are kept",
    control="as many keys drawn at random, with the first piece and the asking one always among "
    "them: if they do as well, it does not matter which",
    refuted="the 8 keys of the highest scores cost 0.5 nats or more, or 8 others less than a nat",
    variants={
        "all": "all keys",
        "top_32": "the 32 of the highest scores",
        "top_16": "the 16",
        "top_8": "the 8",
        "top_4": "the 4",
        "top_2": "the 2",
        "top_1": "the one",
        "random_32": "32 with the first and itself, others at random",
        "random_8": "8",
    },
    run=run,
    steps=None,
    seeds=8,
)
