"""Which numbering of the places can one head of attention use to say ten symbols backwards?"""

import pages
import torch
from experiment import Experiment

page = pages.functions("which_numbering")
VARIANTS = {
    "nothing": "nothing",
    "integers": "integers",
    "fractions": "fractions",
    "thousandths": "thousandths",
    "bits": "bits",
    "hand": "one hand",
    "sines": "sines",
    "random": "random rows",
    "table": "learned table",
}


def run(variant, seed, steps):
    """Symbols named rightly, and what places look at first in a text of ten equal symbols."""
    rows = page.numberings(10, seed)[VARIANTS[variant]]
    layer = page.adding(rows, learned=variant == "table")
    model, right = page.train(layer, steps, seed)
    weights = model(torch.zeros(1, 10, dtype=torch.long))[1][0]
    favourites = weights.argmax(dim=-1).tolist()
    return {
        "right of 1": right.double().mean(),
        "places that somebody looks at first": len(set(favourites)),
        "none but the ends": set(favourites) <= {0, 9},
    }


EXPERIMENT = Experiment(
    section="6.8",
    varies="the rows that are added to the words, in all 32 columns",
    held="one layer of attention, eight symbols, batches of 64, Adam with learning rate 0.01; the "
    "rows are fixed, except for the learned table",
    control="random rows, which know nothing of order: if they solve the task, it says nothing for "
    "sines; and nothing at all, which can only name the commonest symbol",
    refuted="a numbering with one number looks at a place in the middle, or one hand does not "
    "solve the task",
    steps=120,
    seeds=16,
    variants=VARIANTS,
)
