"""Can one matrix for queries and keys learn to look up by name?"""

import pages
from experiment import Experiment

page = pages.functions("lookup")


def run(variant, seed, steps):
    """The share of the signs of new tasks that come out right."""
    if variant == "mean":
        return {
            "signs right": page.signs_right(lambda tokens: tokens[..., 12:].mean(1, True), seed)
        }
    wide = variant == "shared_wide"
    layer = page.new_layer("shared_v" if wide else variant, seed, width=12 if wide else 6)
    page.descend(layer, steps, seed=100 + seed)
    return {"signs right": page.signs_right(layer, seed=200 + seed)}


EXPERIMENT = Experiment(
    section="2.5",
    varies="whether queries and keys have a matrix each",
    held="the task, W_v, plain gradient descent with the step 3.0, 32 tasks in a batch",
    control="one matrix of double height, which holds as many numbers as two: if it learned the "
    "task, the reason would be the count; and the mean of all tokens, which does not look up",
    refuted="one matrix for both gets as many signs right as two",
    steps=120,
    seeds=16,
    variants={
        "all": "W_q and W_k",
        "shared_v": "one W for both",
        "shared_wide": "one W for both, of 12 rows",
        "mean": "mean of all tokens",
    },
)
