"""How far does a real model read, and what helps beyond the length that it was trained for?"""

import functools

import smollm
import torch
from experiment import Experiment

from d2lattn_book.real import trace
from d2lattn_book.real.edits import see, turn

SEGMENTS, SEGMENT = 8, 256
JUDGED = SEGMENTS * SEGMENT
END, TRAINED = 12000, 8192
SPEEDS = 100000.0 ** -(torch.arange(32).double() / 32)
NEVER_ROUND = 20  # pairs from 20 on make no whole turn in 8,192


def run(variant, seed, steps):
    """The nats of the same 256 tokens, with more or less text before them."""
    return {"nats": judged(variant)[seed].item()}


@functools.cache
def judged(variant):
    """The losses of eight segments of 256 tokens that end the first 12,000, (8,)."""
    length, edits = ASKED[variant]()
    text = smollm.prose()[END - length : END]
    found = trace(smollm.model(), text[None], keep=[], rows=slice(-JUDGED - 1, -1), edits=edits)
    told = -found.logits[0].log_softmax(-1).gather(1, text[-JUDGED:, None])[:, 0]
    return told.view(SEGMENTS, SEGMENT).mean(1)


def near():
    """Keys that are 8,192 and more places back are hidden, but for the first."""
    rows, columns = torch.arange(END)[:, None], torch.arange(END)
    return [see((columns <= rows) & ((columns > rows - TRAINED) | (columns == 0)))]


def slowed(pairs):
    """These pairs turn by 8,192 / 12,000 as much."""
    speeds = SPEEDS.clone()
    speeds[pairs] *= TRAINED / END
    return [turn(lambda x: smollm.turned(x, torch.arange(x.shape[-2]), speeds))]


ASKED = {
    "8192": lambda: (TRAINED, []),
    "12000": lambda: (END, []),
    "12000_near_first": lambda: (END, near()),
    "slow": lambda: (END, slowed(slice(NEVER_ROUND, None))),
    "fast": lambda: (END, slowed(slice(None, NEVER_ROUND))),
}
EXPERIMENT = Experiment(
    section="7.15",
    varies="how much text stands before the tokens that are judged, and beyond 8,192, the file's "
    "own context_length, whether keys that far back are hidden, or which pairs turn by "
    "8,192/12,000 of their speed: the 12 that make no whole turn within 8,192 positions, or the "
    "20 others",
    held="the same 2,048 tokens, the last of the first 12,000 of the text, in eight segments of "
    "256, which are the draws; with 8,192 and more in one pass that ends with them all, so that "
    "they have 6,144 to 8,191 and 9,952 to 11,999 before them",
    control="keys 8,192 places back and more hidden, but for the first, which is the sink: if RoPE "
    "fails for the new offsets, as the toy of section 7.8 does, this repairs it; and the 20 other "
    "pairs slowed in the place of the 12",
    refuted="12,000 tokens cost no more than 8,192, or hiding the new offsets helps nothing; with "
    "the 12 slowed the loss stays where it was, or the 20 others do as well",
    variants={
        "8192": "8,192",
        "12000": "12,000",
        "12000_near_first": "12,000, the last 8,192 and the first in sight",
        "slow": "12,000, the 12 slow pairs slowed",
        "fast": "12,000, the 20 others slowed",
    },
    small=dict(END=300, TRAINED=200, SEGMENT=16, JUDGED=128),
)
