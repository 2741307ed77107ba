"""Does one MLP of a real model make the sink?

Written down before the run. The stream of a first token is said to be far longer than others
("massive activations", Sun et al. 2024). The lead: one layer's MLP writes most of it, so that
without what this one MLP adds at the first place alone, no head rests there any more. Refuted if
no single layer's MLP, silent at the first place, brings the first token's weight below half of what
it was, or if the same silence at the ninth place does as much to the weights of the first.
"""

import functools

import smollm
from experiment import Experiment

from d2lattn_book.real import trace
from d2lattn_book.real.edits import Edit

LENGTH, FROM = 96, 32
# (how many layers after the maker, the place)
SILENT = {"maker": (0, 0), "before": (-1, 0), "after": (1, 0), "maker_ninth": (0, 8)}


def run(variant, seed, steps):
    """The weight of the first token and the loss; the layer is chosen on other texts."""
    tokens, edits, layer = smollm.passages(seed, 4, LENGTH), [], -1
    if variant != "all":
        farther, place = SILENT[variant]
        layer = maker(seed) + farther
        edits = [silent(layer, place)]
    seen = trace(smollm.model(), tokens, keep=["weights"], edits=edits)
    return {
        "layer": float(layer),
        "nats": smollm.told(seen.logits[:, FROM:], tokens),
        "weight of the first token": seen.weights[..., FROM:, 0].mean(),
    }


@functools.cache
def maker(seed):
    """The layer whose MLP adds most to the length of the first token's stream, on other texts."""
    tokens = smollm.passages(10**6 + seed, 2, 16)
    added = trace(smollm.model(), tokens, keep=["from_mlp"]).from_mlp
    return int(added[:, :, 0].norm(dim=-1).mean(1)[:-1].argmax())  # the last only speaks


def silent(layer, place):
    """The MLP of a layer adds nothing at one place."""

    def change(x, _):
        x = x.clone()
        x[:, place] = 0
        return x

    return Edit("from_mlp", change, [layer])


EXPERIMENT = Experiment(
    section="10.1",
    varies="whose MLP adds nothing at one place: that of the layer that adds the longest vector "
    "to the first token's stream (but for the last layer), or of the layers beside it",
    held="four passages of 96 tokens; weights and loss of the tokens after the 32nd; layers "
    "counted from 0, −1 is none; the layer is chosen on other passages",
    control="the layers before and after it at the first place, and the same layer at the ninth",
    refuted="the weight of the first token does not fall below half of what it was, or the control "
    "at the ninth place takes as much",
    variants={
        "all": "all MLPs",
        "maker": "that MLP silent at the first place",
        "before": "the MLP of the layer before",
        "after": "the MLP of the layer after",
        "maker_ninth": "that MLP silent at the ninth place",
    },
)
