"""Does *it* add up votes, one of them the adjective's?"""

import pages
import torch
from experiment import Experiment

page = pages.functions("votes")
unmet, targets = page.answers_at(-1, page.new)
meant = targets[:, -1]
kinds = unmet.view(25, 2, 6, 2, 13)
other_noun = meant.view(25, 2, 6, 2).roll(1, 1).flatten()


def run(variant, seed, steps):
    place = {"last": -1, "it": -4}[variant]
    model = page.reader(place, steps, seed=seed).model
    same, other = (
        page.with_last_of(model, unmet, kinds.roll(1, dim).flatten(0, 3), place) for dim in (2, 1)
    )
    with torch.no_grad():
        weights = model(unmet, need_weights=True)[1][0, :, 0, place]
    return {
        "right": page.accuracy(model, place),
        "points at the right noun": page.points(model, place)[0],
        "weight of the right noun": weights[unmet == meant[:, None]].mean().item(),
        "of the other": weights[unmet == other_noun[:, None]].mean().item(),
        "of the last word": weights[:, -1].mean().item(),
        "right with a term of the same kind": (same == meant).float().mean().item(),
        "other noun with one of the other kind": (other == other_noun).float().mean().item(),
    }


EXPERIMENT = Experiment(
    section="9.3",
    varies="at which word the noun is asked",
    held="the sentences, the 600 held out, one layer with one head, width 64, learning rate 0.003",
    control="a term of another adjective of the same kind must change nothing; and at the last "
    "word, where the head itself turns, the exchanged term must not decide",
    refuted="with what an adjective of the other kind brings, the answer stays",
    steps=200,
    variants={"last": "asked at the last word", "it": "asked at *it*"},
)
