"""What is left of the positions and of the rank of the tokens after twelve layers at random?"""

import pages
from experiment import Experiment

page = pages.functions("deep_stack")
KINDS = {
    "bare": ("attention alone", 1.0),
    "skip": ("with skip", 1.0),
    "mlp": ("with skip and MLP", 1.0),
    "no_positions": ("with skip and MLP", 0.0),
}


def run(variant, seed, steps):
    """The share of variance that position explains, in percent, and the rank."""
    kind, loudness = KINDS[variant]
    signal, rank = page.through_stack(kind, seed=seed, loudness=loudness)
    measured = {f"signal, {layer} layers": 100 * signal[layer] for layer in (0, 3, 12)}
    return {**measured, **{f"rank, {layer} layers": rank[layer] for layer in (0, 3, 12)}}


EXPERIMENT = Experiment(
    section="7.17",
    varies="what a layer consists of",
    held="64 texts of 32 random words, width 64, the encoding added once before the first layer, "
    "new random weights in each layer",
    control="no encoding added: the signal must be about one in 64, since the mean of 64 texts is "
    "not quite 0",
    refuted="a signal that skip connections keep whole, or lose as attention alone does",
    variants={
        "bare": "attention alone",
        "skip": "with skip",
        "mlp": "with skip and MLP",
        "no_positions": "with skip and MLP, no encoding",
    },
    seeds=16,
)
