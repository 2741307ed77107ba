"""What does a real model make of the order of its words?

The rows of the second text were written down before they were run. Predicted of them what the
book's prose gave: all places 500 further give the same loss, doubled places cost less than half a
nat, halved ones more than doubled, and without rotation the loss is above that with none before.
"""

import functools

import real
import torch
from experiment import Experiment

from d2lattn_book.real.edits import turn

LENGTH, LAST = 128, 32
BASE = 100000.0


def run(variant, seed, steps):
    """Nats of the last 32 of 128 tokens, whose order is never changed."""
    text = "manual" if variant.startswith("manual") else "prose"
    variant = variant.removeprefix("manual_")
    tokens = real.passages(seed, 4, LENGTH, text)
    generator = torch.Generator().manual_seed(seed)
    before, last = tokens[:, :-LAST], tokens[:, -LAST:]
    if variant == "nothing":
        return told(seed, text, last, 0)
    if variant.startswith("other"):
        before = before.roll(1, dims=0)
    if variant.endswith("shuffled") and variant != "far_shuffled":
        before = before[:, torch.randperm(LENGTH - LAST, generator=generator)]
    if variant == "far_shuffled":  # the last 16 stay
        places = torch.cat([torch.randperm(80, generator=generator), torch.arange(80, 96)])
        before = before[:, places]
    whole = torch.cat([before, last], 1)
    return told(seed, text, whole, LENGTH - LAST, *EDITS.get(variant, []))


def told(seed, text, tokens, start, *edits):
    """All of the last 32 but the first, which has nothing before it in one of the variants."""
    found = real.losses(tokens, *edits)[:, start:]
    moved = (found - as_is(seed, text)).abs().max()
    return {"nats": found.mean(), "moves a token's loss by up to": moved}


@functools.cache
def as_is(seed, text):
    """The losses in order, (4, 31)."""
    return real.losses(real.passages(seed, 4, LENGTH, text))[:, LENGTH - LAST :]


def at(places):
    """Everybody stands at these places: turned by hand, since a half is no place for the model."""
    return [turn(functools.partial(turned, places=places))]


def turned(x, places):
    """Pairs (2j, 2j+1) of x (..., L, D) times e^(i·place / BASE^(2j/D))."""
    speeds = BASE ** -(torch.arange(0, x.shape[-1], 2).double() / x.shape[-1])
    angles = places.double()[:, None] * speeds  # (L, D/2)
    pairs = torch.view_as_complex(x.double().unflatten(-1, (-1, 2)).contiguous())
    turns = torch.polar(torch.ones_like(angles), angles)
    return torch.view_as_real(pairs * turns).flatten(-2).to(x.dtype)


EDITS = {
    "as_ever": at(torch.arange(LENGTH)),
    "unturned": [turn(None)],
    "later": at(torch.arange(LENGTH) + 500),
    "doubled": at(2 * torch.arange(LENGTH)),
    "halved": at(torch.arange(LENGTH) / 2),
    "backwards": at(-torch.arange(LENGTH)),
}
EXPERIMENT = Experiment(
    section="7.9",
    varies="the order of the 96 tokens before the last 32; or the places to which queries and keys "
    "are turned; and the text, the book's prose or Python's manual",
    held="four passages of 128 tokens; the loss of the last 31, which always stand in order",
    control="none before, and the tokens of another passage in order and in a random one, from "
    "where counts what the passage's own are worth without their order; and all places 500 "
    "further, which must give the same to 1e-4",
    refuted="words before it in a random order are worth as much as in order, or without rotation "
    "the loss stays as it was; in the manual, doubled places cost half a nat or more, or without "
    "rotation the loss is below that with none before",
    variants={
        "all": "in order",
        "as_ever": "turned by hand",
        "shuffled": "the 96 before in a random order",
        "far_shuffled": "the same, but for the last 16 of them",
        "other": "the 96 of another passage",
        "other_shuffled": "those in a random order",
        "nothing": "none before",
        "unturned": "no rotation",
        "later": "all places + 500",
        "doubled": "all places doubled",
        "halved": "all places halved",
        "backwards": "all places negative",
        "manual_all": "manual, in order",
        "manual_nothing": "manual, none before",
        "manual_unturned": "manual, no rotation",
        "manual_later": "manual, all places + 500",
        "manual_doubled": "manual, all places doubled",
        "manual_halved": "manual, all places halved",
    },
    run=run,
    steps=None,
    seeds=8,
)
