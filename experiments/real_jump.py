"""Is it angles that no training had that harm a real model far back, in several texts and passages?

Written down before the run; what made us ask were two passages of two other texts. *real_long*
judges one stretch of one text, cut into eight. Here each draw is a passage of its own,
of 512 tokens, whose second half stands 11,488 positions later, so that it ends at 11,999: all its
keys in the first half are farther back than the 8,192 of the training. Predicted, for both texts:
the far half does harm against hiding it but for the first token; with the twelve slow pairs slowed
the harm is gone, but the far half is not worth what it is without a jump, so that slowing repairs
the damage and does not give the far text back; with the 20 others slowed the harm stays. Refuted if
in either text the jump costs no more than hiding, or slowing the twelve leaves half of the harm, or
the 20 others do as well.
"""

import smollm
import torch
from experiment import Experiment

from d2lattn_book.real.edits import see, turn

LENGTH, HALF, LAST = 512, 256, 11_999
SPEEDS = 100000.0 ** -(torch.arange(32).double() / 32)
NEVER_ROUND = 20  # pairs from 20 on make no whole turn in 8,192
rows, columns = torch.arange(LENGTH)[:, None], torch.arange(LENGTH)
HIDDEN = (columns <= rows) & ((rows < HALF) | (columns >= HALF) | (columns == 0))


def run(variant, seed, steps):
    """The nats of the second half of a passage."""
    which, _, change = variant.partition("_")
    tokens = smollm.passages(seed, 1, LENGTH, which)
    return {"nats": smollm.nats(tokens, *EDITS[change], start=HALF + 1)}


def far(slowed=slice(0, 0)):
    """The second half far behind the first; some pairs turned by 8,192/12,000 as much."""
    speeds, positions = SPEEDS.clone(), torch.arange(LENGTH)
    speeds[slowed] *= 8192 / 12000
    positions[HALF:] += LAST - LENGTH + 1
    return turn(lambda x: smollm.turned(x, positions, speeds))


EDITS = {
    "near": [],
    "far": [far()],
    "hidden": [far(), see(HIDDEN)],
    "slow": [far(slice(NEVER_ROUND, None))],
    "fast": [far(slice(None, NEVER_ROUND))],
}
SAID = {
    "near": "at its own positions",
    "far": "its second half 11,488 later",
    "hidden": "the same, the first half hidden but for its first token",
    "slow": "the same, all in sight, the 12 slow pairs slowed",
    "fast": "the 20 others slowed",
}
EXPERIMENT = Experiment(
    section="7.15",
    varies="the text; where the second half of a passage stands, what it sees of the first, and "
    "which pairs turn by 8,192/12,000 of their speed",
    held="a passage of 512 tokens, a draw of its own for each seed; the loss of the second half",
    control="the first half hidden, but for the first token, which is the sink: what costs more "
    "than that does harm; and the 20 other pairs slowed in the place of the 12",
    refuted="in either text the jump costs no more than hiding, or slowing the twelve leaves half "
    "of what it costs beyond that, or the 20 others do as well",
    variants={
        f"{which}_{change}": f"{which}, {said}"
        for which in ("prose", "manual")
        for change, said in SAID.items()
    },
)
