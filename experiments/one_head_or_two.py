"""What can one head not do that two can: put out what stands at two places, or choose it?"""

import pages
from experiment import Experiment

page = pages.functions("one_head_or_two")
SIZES = {"one_8": (8, 1), "one_128": (128, 1), "two_8": (8, 2), "even": (128, 1)}


def run(variant, seed, steps):
    """Two trainings, one for each aim, on the 16 pairs of four symbols."""
    tokens, wanted = page.neighbours(4)
    if variant == "even":
        tokens[:, 1] = 0  # who asks is nothing: all scores are 0
    size = SIZES[variant]
    put_out = page.outputs(page.train_neighbours(tokens, wanted, *size, seed, steps=steps), tokens)
    chooser = page.train_neighbours(tokens, wanted, *size, seed, choose=True, steps=steps)
    return {
        "largest error": (put_out - wanted).abs().max(),
        "chosen right of 16": page.chosen(put_out, wanted).sum(),
        "trained to choose, right of 16": page.chosen(page.outputs(chooser, tokens), wanted).sum(),
    }


EXPERIMENT = Experiment(
    section="4.4",
    varies="heads and channels; the aim of the training (squared error, or cross-entropy)",
    held="the 16 sequences, Adam with a learning rate of 0.02, all sequences in each step",
    control="two heads, which must put out both symbols, or the task is too hard for any; and one "
    "head with even weights, which must fail to choose, or weights are not how one head does it",
    refuted="one head of some width comes as close as two heads, or cannot choose",
    steps=250,
    seeds=16,
    variants={
        "one_8": "one head, 8 channels",
        "one_128": "one head, 128 channels",
        "two_8": "two heads, 8 channels",
        "even": "one head, 128 channels, even weights",
    },
)
