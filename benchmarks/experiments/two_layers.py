"""Do two layers point together where neither points alone?"""

import pages
from experiment import Experiment

page = pages.functions("two_layers")


def run(variant, seed, steps):
    run = page.reader(-4, steps if variant == "trained" else 1, layers=2, seed=seed)
    model = run.snapshots[steps if variant == "trained" else 0]
    first, second, product = page.points(model, -4)
    return {
        "right": page.accuracy(model, -4),
        "layer 0 points": first,
        "layer 1 points": second,
        "their product points": product,
    }


EXPERIMENT = Experiment(
    section="9.10",
    varies="whether the weights are trained",
    held="the sentences, the 600 held out, asked at *it*, one head a layer, width 64, learning "
    "rate 0.003",
    control="the product of two maps of random weights must not point",
    refuted="a layer points by itself, or the product does not",
    steps=200,
    variants={"trained": "two layers", "random": "two layers, random weights"},
)
