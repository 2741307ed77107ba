"""What does the MLP learn that attention alone does not?"""

import pages
from experiment import Experiment

page = pages.functions("facts")
OPTIONS = {
    "full": {},
    "none": dict(block=page.NoMLP),
    "three": dict(block=page.NoMLP, layers=3),
    "heads": dict(block=page.NoMLP, heads=4),
}


def run(variant, seed, steps):
    return {"facts known": page.known_facts(**OPTIONS[variant], seed=seed, steps=steps)}


EXPERIMENT = Experiment(
    section="9.4",
    varies="the MLP, the number of blocks and of heads",
    held="625 facts drawn anew for each seed, width 32, learning rate 0.01, 256 facts a step",
    control="three blocks without MLP, which have as many weights as one with it: if they learned "
    "as much, it would be the number of weights",
    refuted="a block without MLP learns as many facts as one with it",
    steps=300,
    variants={
        "full": "one block",
        "none": "one block without MLP",
        "three": "three blocks without MLP",
        "heads": "one block without MLP, four heads",
    },
)
