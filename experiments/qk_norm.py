"""Does QK-norm let a model learn with steps that are too large without it?"""

import pages
from experiment import Experiment

page = pages.functions("qk_norm")

RATES = {"01": 0.01, "03": 0.03, "10": 0.1}


def run(variant, seed, steps):
    """How many of the 20 held-out sentences it completes."""
    kind, rate = variant.split("_")
    options = dict(rate=RATES[rate], steps=steps, normalise=kind in ("norm", "bare"))
    options |= dict(factors=kind != "bare", scale=1 / 64 if kind == "byd" else None)
    right = page.train_normalised(seed, **options)
    return {"right of 20": right, "18 or more": right >= 18}


EXPERIMENT = Experiment(
    section="3.2",
    varies="the learning rate, and whether queries and keys are normalised",
    held="sentences, width 64, scores divided by √d but in the last variant, AdamW, decay 0.1, "
    "batches of 32",
    control="the same model without QK-norm at the same learning rates: if it learns at 0.1 as "
    "well, 0.1 is no large step and QK-norm helps nothing; divided by d: if that learns as well, "
    "QK-norm is one remedy of several",
    refuted="with QK-norm as few of the sentences are right at the learning rate 0.1 as without",
    steps=200,
    seeds=16,
    variants={
        "plain_01": "learning rate 0.01, without",
        "norm_01": "learning rate 0.01, QK-norm",
        "plain_03": "learning rate 0.03, without",
        "norm_03": "learning rate 0.03, QK-norm",
        "plain_10": "learning rate 0.1, without",
        "norm_10": "learning rate 0.1, QK-norm",
        "bare_10": "learning rate 0.1, QK-norm without learned factors",
        "byd_10": "learning rate 0.1, without, divided by d",
    },
)
