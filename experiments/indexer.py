"""How many keys must a query read if an indexer chooses them?"""

import pages
from experiment import Experiment

page = pages.functions("indexer")

MODELS = {"wide": {}, "narrow": dict(heads=2, width=4), "untaught": dict(teach=False)}
ASKED = {"indexer": (1, 4, 16, 32), "dense": (1,), "random": (4, 16), "last": (4, 16)}


def run(variant, seed, steps):
    """The share of right answers with some of 64 keys, chosen by the indexer or a control."""
    model = page.train_lookup(seed, steps, **MODELS[variant])
    pairs = [(who, k) for who, ks in ASKED.items() for k in ks]
    return {f"{who}, {k}": page.right_with(model, k, who, 1000 + seed) for who, k in pairs}


EXPERIMENT = Experiment(
    section="10.9",
    varies="the indexer, and in the columns (fractions of right answers) what chooses how many",
    held="64 words with a letter each, 8 asked for; a dense layer of width 32, which reads the "
    "chosen keys; 32 sets a step, AdamW, 0.01; the indexer learns the dense map beside it",
    control="as many random keys, the last keys, and an indexer that was not taught; the best key "
    "of the dense map itself as the ceiling",
    refuted="the indexer's 4 keys give no more right answers than 4 random ones, or no more than "
    "those of an indexer that was not taught",
    steps=150,
    variants={
        "wide": "4 heads of width 8",
        "narrow": "2 heads of width 4",
        "untaught": "4 heads of width 8, not taught",
    },
)
