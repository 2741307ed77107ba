"""Which parts of the block do six layers need?"""

import math

import pages
from experiment import Experiment

page = pages.functions("parts")
BLOCKS = {
    "all": page.Block,
    "residual": page.NoResidual,
    "attention": page.NoAttention,
    "norms": page.NoNorms,
    "mlp": page.NoMLP,
}


def run(variant, seed, steps):
    part, _, how = variant.partition("_")
    options = {"": {}, "2": dict(layers=2), "fast": dict(learning_rate=1e-2)}[how]
    _, loss = page.trained_decoder(BLOCKS[part], steps=steps, seed=seed, **options)
    failed = math.isnan(loss)
    return {"loss": math.log(len(page.vocab_all)) if failed else loss, "ended in NaN": failed}


EXPERIMENT = Experiment(
    section="9.4",
    varies="which part is left out before training; in the last three rows also layers or rate",
    held="first weights, sentences and their order, width 32, 4 heads, 32 sentences a step, "
    "learning rate 0.003 if no other is named; a model that ends in NaN is given the loss of "
    "guessing",
    control="two layers without residual connections learn, or else it is not depth that they "
    "carry through; with norms the larger rate works, or else it is just too large",
    refuted="six layers learn as well without residual connections, or clearly worse without MLP",
    steps=150,
    variants={
        "all": "six layers, all parts",
        "residual": "without residual connections",
        "attention": "without attention",
        "norms": "without norms",
        "mlp": "without MLP",
        "residual_2": "two layers without residual connections",
        "all_fast": "all parts, learning rate 0.01",
        "norms_fast": "without norms, learning rate 0.01",
    },
)
