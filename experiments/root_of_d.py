"""When does a model need the √d between embedding and position, and when does it harm?"""

import pages
from experiment import Experiment
from torch import nn

page = pages.functions("root_of_d")
ROOT = 32**0.5
STARTS = {"quiet": (1 / ROOT, 1), "scaled": (1 / ROOT, ROOT), "plain": (1, 1), "loud": (1, ROOT)}


class Louder(nn.Module):
    """Multiply the words by a factor, then add their places."""

    def __init__(self, factor, position):
        super().__init__()
        self.factor, self.position = factor, position

    def forward(self, x):
        return self.position(self.factor * x)


def run(variant, seed, steps):
    """Symbols named rightly."""
    std, factor = STARTS[variant]
    layer = Louder(factor, page.adding(page.numberings(10)["sines"]))
    _, right = page.train(layer, steps, seed, embed_std=std)
    return {"right of 1": right.double().mean()}


EXPERIMENT = Experiment(
    section="6.7",
    varies="the deviation with which words start, and whether they are multiplied by √32",
    held="ten symbols backwards, sines, width 32, the model and the training of which_numbering",
    control="1/√d times √d and 1 times 1, words of one length by different ways: they must agree",
    refuted="words that start with deviation 1 and are multiplied by √32 learn as well as others",
    steps=120,
    seeds=16,
    variants={
        "quiet": "deviation 1/√d",
        "scaled": "deviation 1/√d, times √d",
        "plain": "deviation 1",
        "loud": "deviation 1, times √d",
    },
)
