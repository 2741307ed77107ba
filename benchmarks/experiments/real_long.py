"""How far does a real model read, and what helps beyond the length that it was trained for?"""

import functools

import real
import torch
from experiment import Experiment

from d2lattn_book.real import trace
from d2lattn_book.real.edits import see

SEGMENTS, SEGMENT = 8, 256
JUDGED = SEGMENTS * SEGMENT
END, TRAINED = 12000, 8192


def run(variant, seed, steps):
    """The nats of the same 256 tokens, with more or less text before them."""
    return {"nats": judged(variant)[seed].item()}


@functools.cache
def judged(variant):
    """The losses of eight segments of 256 tokens that end the first 12,000, (8,)."""
    text = real.prose()[:END]
    if variant in SHORT:
        length = SHORT[variant]
        ends = range(END - JUDGED + SEGMENT, END + 1, SEGMENT)
        return torch.stack([told(text[end - length : end], SEGMENT).mean() for end in ends])
    length, edits = LONG[variant]()
    return told(text[-length:], JUDGED, edits).view(SEGMENTS, SEGMENT).mean(1)


def told(text, count, edits=()):
    """The losses of the last tokens, each predicted by the one before it."""
    found = trace(real.model(), text[None], keep=[], rows=slice(-count - 1, -1), edits=edits)
    return -found.logits[0].log_softmax(-1).gather(1, text[-count:, None])[:, 0]


def near():
    """Keys that are 8,192 and more places back are hidden, but for the first."""
    rows, columns = torch.arange(END)[:, None], torch.arange(END)
    return [see((columns <= rows) & ((columns > rows - TRAINED) | (columns == 0)))]


SHORT = {"512": 512, "2048": 2048}
LONG = {
    "8192": lambda: (TRAINED, []),
    "12000": lambda: (END, []),
    "12000_near_first": lambda: (END, near()),
}
EXPERIMENT = Experiment(
    section="7.15",
    varies="how much text stands before the tokens that are judged, and beyond 8,192, the file's "
    "own context_length, whether keys that far back are hidden",
    held="the same 2,048 tokens, the last of the first 12,000 of the text, in eight segments of "
    "256, which are the draws; with 8,192 and more in one pass that ends with them all, so that "
    "they have 6,144 to 8,191 and 9,952 to 11,999 before them",
    control="keys 8,192 places back and more hidden, but for the first, which is the sink: if RoPE "
    "fails for the new offsets, as the toy of section 7.8 does, this repairs it",
    refuted="12,000 tokens cost no more than 8,192, or hiding the new offsets helps nothing",
    variants={
        "512": "512 tokens",
        "2048": "2,048",
        "8192": "8,192",
        "12000": "12,000",
        "12000_near_first": "12,000, the last 8,192 and the first in sight",
    },
    small=dict(END=300, TRAINED=200, SEGMENT=16, JUDGED=128, SHORT={"512": 32, "2048": 64}),
    run=run,
    steps=None,
    seeds=8,
)
