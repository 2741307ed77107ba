"""Does one head learn the rule of the two neighbours, or the pairs by heart?"""

import pages
from experiment import Experiment

page = pages.functions("unseen_pairs")
SIZES = {"one_16": (16, 1), "one_128": (128, 1), "two_16": (16, 2)}


def run(variant, seed, steps):
    """Trained to choose on 51 of the 64 pairs of eight symbols, tested on the other 13."""
    tokens, wanted = page.neighbours(8)
    seen, unseen = page.split_pairs(seed)
    options = dict(choose=True, steps=steps)
    size = SIZES[variant]
    mha = page.train_neighbours(tokens[seen], wanted[seen], *size, seed, **options)
    right = page.chosen(page.outputs(mha, tokens), wanted)
    return {"seen, right of 51": right[seen].sum(), "unseen, right of 13": right[unseen].sum()}


EXPERIMENT = Experiment(
    section="4.4",
    varies="heads and channels",
    held="eight symbols, which 51 pairs are seen (by the seed), Adam with a learning rate of 0.02",
    control="the pairs that were seen: if one head had not all of them right, it would not be the "
    "unseen ones that it fails at",
    refuted="one head gets as many unseen pairs right as two heads of the same width",
    steps=1000,
    variants={
        "one_16": "one head, 16 channels",
        "one_128": "one head, 128 channels",
        "two_16": "two heads, 16 channels",
    },
)
