"""Who can vote among neighbours at places that training never asked?"""

import pages
import torch
from experiment import Experiment

page = pages.functions("near_places")
TABLES = {
    "table": "learned table",
    "half": "learned table",
    "random": "random rows",
    "sines": "sines",
}


def run(variant, seed, steps):
    """What comes out right at the places asked and at the others, and how alike rows ended."""
    numberings = page.numberings(20, seed)
    if variant == "shuffled":
        order = torch.randperm(20, generator=torch.Generator().manual_seed(seed))
        rows = numberings["sines"][order]
    else:
        rows = numberings[TABLES[variant]]
    layer = page.adding(rows, learned=variant in ("table", "half"))
    if variant == "half":  # the rows of odd places stay as they begin, although they are keys
        layer.weight.register_hook(lambda gradient: gradient * (torch.arange(20) % 2 == 0)[:, None])
    model, right = page.train(layer, steps, seed, task=page.vote, asked=page.EVEN)
    unit = torch.nn.functional.normalize(model.position.weight.detach(), dim=1)
    return {
        "right at even places": right[:, page.EVEN].double().mean(),
        "right at odd places": right[:, page.ODD].double().mean(),
        "cosine of neighbours": (unit @ unit.T).diag(1).mean(),
    }


EXPERIMENT = Experiment(
    section="6.9",
    varies="the rows that are added to the words",
    held="the task, the loss at even places only, the model and the training of which_numbering",
    control="the sines dealt out to the places in another order: the same rows, and near places "
    "are no longer alike; it must fail at the odd places, or the vote does not need near; and a "
    "table whose odd rows stay as they begin, which cannot come near to others as keys",
    refuted="random rows or a learned table answer as well as the sines at the odd places, or "
    "fail at the even ones, too",
    steps=300,
    seeds=16,
    variants={
        "sines": "sines",
        "shuffled": "sines in another order",
        "random": "random rows",
        "table": "learned table",
        "half": "learned table, odd rows as they begin",
    },
)
