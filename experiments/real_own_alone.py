"""Is the sink of a real model its first place, its first token, or who sees nobody but itself?

Written down before the run. Whoever sees only itself has softmax weights of 1 for itself, at any
place and with any rotation, so that its stream is exactly that of a first token. If it is this
stream that draws the weights, then a token in the middle that is made to see only itself takes a
sink's weight from those behind it, and a real first token that is hidden from the later ones costs
nothing as long as they have such another one. Refuted if a token in the middle that sees only
itself gets less than 0.1 of the weights of those behind it, or if it does not repair what hiding
the first token costs.
"""

import smollm
import torch
from experiment import Experiment

from d2lattn_book.real import trace
from d2lattn_book.real.edits import see

LENGTH, PLACE, FROM = 160, 40, 64
rows, columns = torch.arange(LENGTH)[:, None], torch.arange(LENGTH)
ALL = columns <= rows
ALONE = ALL & ((rows != PLACE) | (columns == PLACE))  # the token at PLACE sees itself only
BLIND = ALL & ((rows != PLACE) | (columns == PLACE) | (columns == 0))  # and the first token
MASKS = {
    "all": ALL,
    "alone": ALONE,
    "no_first": ALL & ((rows < FROM) | (columns != 0)),
    "alone_no_first": ALONE & ((rows < FROM) | (columns != 0)),
    "with_first_no_first": BLIND & ((rows < FROM) | (columns != 0)),
}


def run(variant, seed, steps):
    """The weights that tokens from the 65th on give, and their loss."""
    tokens = smollm.passages(seed, 3, LENGTH)
    late, edits = slice(FROM, None), [see(MASKS[variant])]
    seen = trace(smollm.model(), tokens, keep=["weights"], rows=late, edits=edits)
    weights = seen.weights.mean((0, 1, 2, 3))
    return {
        "nats": smollm.told(seen.logits, tokens),
        "weight of the first token": weights[0],
        "of the 41st": weights[PLACE],
        "of the 42nd": weights[PLACE + 1],
    }


EXPERIMENT = Experiment(
    section="10.1",
    varies="whether the 41st token sees only itself, itself and the first, or all before it; and "
    "whether the tokens from the 65th on see the first",
    held="three passages of 160 tokens; what stands at the 41st place is whatever the text has "
    "there; weights and loss of the tokens from the 65th on",
    control="the 41st token sees itself and the first token: it has lost as much of its context "
    "but for one key; if it gets a large weight as well, a sink is who has lost its context",
    refuted="a token that sees only itself gets less than 0.1 of the weights, or does not repair "
    "what hiding the first token costs",
    variants={
        "all": "all in sight",
        "alone": "the 41st sees only itself",
        "no_first": "the first hidden later",
        "alone_no_first": "the first hidden later, the 41st sees only itself",
        "with_first_no_first": "the first hidden later, the 41st sees itself and the first",
    },
)
