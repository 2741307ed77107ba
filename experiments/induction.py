"""Who predicts the second round, and by looking at what?"""

import pages
import torch
import torch.nn.functional as F
from experiment import Experiment

page = pages.functions("induction")


@torch.no_grad()
def losses(model, fixed):
    x, second = page.rounds(256, fixed, torch.Generator().manual_seed(10**6))
    loss = F.cross_entropy(model(x[:, :-1]).transpose(1, 2), x[:, 1:], reduction="none")
    return loss[~second].mean().item(), loss[second].mean().item()


def run(variant, seed, steps):
    layers, fixed = (2 if variant == "two" else 1), variant == "one_fixed"
    model = page.repeater(layers, fixed, steps, seed).model
    _, back, score = page.head_scores(model)
    first, second = losses(model, fixed)
    found = {
        "predicted": page.predicted(model, fixed),
        "loss in the first round": first,
        "in the second": second,
        "weight on itself, first layer": back[0],
        "one place back": back[1],
        "two": back[2],
        "induction score, last layer": score,
        "symbols copied": page.copied(model),
    }
    for name, shift in {"nothing": None, "two before": -2, "one before": -1, "copy": 0}.items():
        weight, right = page.replaced(model, shift)
        found |= {f"{name} exchanged: weight": weight, f"{name} exchanged: right": right}
    return found


EXPERIMENT = Experiment(
    section="9.6",
    varies="one layer with two heads or two layers with one; whether the period varies",
    held="24 symbols, 32 places, width 32, attention only, 32 sequences a step, learning rate "
    "0.005; one layer is asked in the second round only, which is easier",
    control="with a fixed period one layer must learn it, or it has not been trained enough; "
    "exchanging the symbols before the copy must leave the answer, or it is the neighbourhood "
    "that is looked for",
    refuted="one layer predicts the second round with a varying period; or the answer survives "
    "the exchange of the copy",
    steps=700,
    variants={
        "one_fixed": "one layer, period 16",
        "one": "one layer, period varies",
        "two": "two layers, period varies",
    },
)
