"""Which of a real model's pairs must turn more slowly in a text longer than it was made for?"""

import functools

import real
import torch
from experiment import Experiment

from d2lattn_book.real import trace
from d2lattn_book.real.edits import turn

SEGMENTS, SEGMENT = 8, 256
JUDGED = SEGMENTS * SEGMENT
END, TRAINED = 12000, 8192
BASE, PAIRS, NEVER_ROUND = 100000.0, 32, 20  # pairs from 20 on make no whole turn in 8,192


def run(variant, seed, steps):
    """The nats of the same 256 tokens as in real_long, all 12,000 in sight."""
    return {"nats": judged(variant)[seed].item()}


@functools.cache
def judged(variant):
    """The losses of eight segments of 256 tokens that end the first 12,000, (8,)."""
    text = real.prose()[:END]
    edits = [turn(functools.partial(turned, slowed=SLOWED[variant]))]
    options = dict(keep=[], rows=slice(-JUDGED - 1, -1), edits=edits)
    told = trace(real.model(), text[None], **options).logits[0].log_softmax(-1)
    return -told.gather(1, text[-JUDGED:, None])[:, 0].view(SEGMENTS, SEGMENT).mean(1)


def turned(x, slowed):
    """x (1, H, L, D) turned at positions 0, 1, …, the slowed pairs by 8,192 / 12,000 as much."""
    speeds = BASE ** -(torch.arange(PAIRS).double() / PAIRS)
    speeds[slowed] *= TRAINED / END
    angles = torch.arange(x.shape[-2]).double()[:, None] * speeds  # (L, D/2)
    turns = torch.polar(torch.ones_like(angles), angles).to(torch.complex64)
    pairs = torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(pairs * turns).flatten(-2)


SLOWED = {"slow": slice(NEVER_ROUND, None), "fast": slice(None, NEVER_ROUND)}
EXPERIMENT = Experiment(
    section="7.15",
    varies="which pairs turn by 8,192/12,000 of their speed: the 12 that make no whole turn within "
    "8,192 positions, or the 20 others",
    held="the 2,048 tokens of real_long, at the end of 12,000, all of which are in sight; "
    "nothing is trained",
    control="real_long at 8,192 and 12,000, turned as in training; and the 20 other pairs slowed "
    "in the place of the 12",
    refuted="with the 12 slowed the loss stays where it was at 12,000, so that what was wrong "
    "there was the number of keys; or the 20 others do as well",
    variants={"slow": "the 12 slow pairs slowed", "fast": "the 20 others slowed"},
    small=dict(END=300, TRAINED=200, SEGMENT=16, JUDGED=128),
    run=run,
    steps=None,
    seeds=8,
)
