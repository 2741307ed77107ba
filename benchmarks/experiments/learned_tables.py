"""Does a trained table show what the task needs, or how it began?"""

import pages
import torch
from experiment import Experiment

page = pages.functions("learned_tables")


def run(variant, seed, steps):
    """What comes out right, and how alike near and far rows ended."""
    task, start = variant.split("_")
    places = 10 if task == "backwards" else 20
    rows = page.numberings(places)["sines" if start == "sines" else "nothing"]
    options = {} if task == "backwards" else dict(task=page.vote, asked=slice(2, 18))
    model, right = page.train(page.adding(rows, learned=True), steps, seed, **options)
    unit = torch.nn.functional.normalize(model.position.weight.detach(), dim=1)
    cosines = unit @ unit.T
    far = cosines[*torch.triu_indices(places, places, offset=5)]
    return {
        "right of 1": right[:, options.get("asked", slice(None))].double().mean(),
        "cosine of neighbours": cosines.diag(1).mean(),
        "cosine at 5 places or more": far.mean(),
    }


EXPERIMENT = Experiment(
    section="6.9",
    varies="the task and the start of the table",
    held="all places are asked; the model and the training of which_numbering",
    control="ten symbols backwards from zeros, a task without near: if neighbours come out alike "
    "there, too, then the vote has taught nothing of near",
    refuted="after the vote from zeros neighbours are no more alike than far rows",
    steps=300,
    seeds=8,
    variants={
        "backwards_zeros": "backwards, from zeros",
        "backwards_sines": "backwards, from sines",
        "vote_zeros": "vote, from zeros",
    },
    run=run,
)
