"""What would a real model lose if four machines passed too little round the ring?

Written down before the run. 64 pieces are shared out to four ranks, 16 in a row each, and a ring
that stops after m messages lets a rank see its own pieces and those of the m ranks before it. The
expectation for the last rank: each message less costs something, the last one least, since what is
far back matters least, and without any message its pieces cost at least half a nat more. Refuted if
leaving out the last message costs less than 0.02 nats, which one would not miss; or if the blocks
of another text do as well as its own, since then any keys would do; or if the first piece of the
text alone, on which many heads rest, makes up for all the messages but 0.1 nats.
"""

import real
import torch
from experiment import Experiment

from d2lattn.edits import edited, see

RANKS, SHARE = 4, 16
LENGTH = RANKS * SHARE
MESSAGES = {"three": 3, "two": 2, "one": 1, "none": 0, "first": 0}
rows, columns = torch.arange(LENGTH)[:, None], torch.arange(LENGTH)


def run(variant, seed, steps):
    """The loss of what the pieces of the last rank say of the next one."""
    tokens = real.passages(seed, 8, LENGTH + 1)
    if variant == "other":  # the first three blocks are those of the next passage
        before = tokens[:, : LENGTH - SHARE].roll(1, 0)
        tokens = torch.cat([before, tokens[:, LENGTH - SHARE :]], 1)
    seen = (columns <= rows) & (rows // SHARE - columns // SHARE <= MESSAGES.get(variant, 3))
    if variant == "first":
        seen[:, 0] = True
    with torch.no_grad(), edited(real.model(), see(seen)):
        logits = real.model()(tokens[:, :-1])[:, -SHARE:].log_softmax(-1)  # (8, 16, pieces)
    told = -logits.gather(2, tokens[:, -SHARE:, None])[..., 0]  # (8, 16)
    return {"nats": told.mean(), "nats, the last piece": told[:, -1].mean()}


EXPERIMENT = Experiment(
    section="11.13",
    varies="after how many messages the ring stops, and so whose keys the last rank sees",
    held="eight passages of 64 pieces, four ranks with 16 pieces in a row each, all layers alike; "
    "the loss of what the last rank's pieces say of the next one; nothing is trained",
    control="the first piece of the text beside a rank's own pieces, without any message; and all "
    "three messages with the blocks of another passage: as many keys, which tell nothing",
    refuted="without the last message the loss rises by less than 0.02 nats; or another text's "
    "blocks do as well as its own; or the first piece alone makes up for all messages but 0.1 nats",
    variants={
        "three": "three messages, all blocks",
        "two": "two messages",
        "one": "one message",
        "none": "no message, its own pieces alone",
        "first": "no message, its own pieces and the first of the text",
        "other": "three messages, with blocks of another text",
    },
    run=run,
    steps=None,
    seeds=8,
)
