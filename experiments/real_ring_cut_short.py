"""What would a real model lose if four machines passed too little round the ring?

Written down before the first run. 64 tokens are sharded over four ranks, 16 in a row each, and a
ring that stops after m messages lets a rank see its own tokens and those of the m ranks before it.
The expectation for the last rank: each message less costs something, the last one least, since what
is far back matters least; and the blocks of another text do worse than its own. The first run had
it otherwise: one or two messages were worse than none. Without any, each share has a first token
that sees itself alone, as the first of a text does, on which many heads rest; with one or two, the
last rank sees no such token. So two rows were added, in which the first token of the text stays in
sight. Refuted if they do not repair it: if two messages then cost more than 0.3 nats beyond three,
or one more than none; or if another text's blocks do as well as its own.
"""

import smollm
import torch
from experiment import Experiment

from d2lattn_book.real.edits import edited, see

RANKS, SHARD = 4, 16
LENGTH = RANKS * SHARD
MESSAGES = {"two": 2, "one": 1, "none": 0}
rows, columns = torch.arange(LENGTH)[:, None], torch.arange(LENGTH)


def run(variant, seed, steps):
    """The loss of what the tokens of the last rank say of the next one."""
    text, change = smollm.text_and_change(variant)
    tokens = smollm.passages(seed, dict(prose=8, manual=4)[text], LENGTH + 1, text)
    if change == "other":  # the first three blocks are those of the next passage
        before = tokens[:, : LENGTH - SHARD].roll(1, 0)
        tokens = torch.cat([before, tokens[:, LENGTH - SHARD :]], 1)
    seen = (columns <= rows) & (
        rows // SHARD - columns // SHARD <= MESSAGES.get(change.removesuffix("_first"), 3)
    )
    if change.endswith("_first"):
        seen[:, 0] = True
    with torch.no_grad(), edited(smollm.model(), see(seen)):
        logits = smollm.model()(tokens[:, :-1])[:, -SHARD:].log_softmax(-1)  # (8, 16, tokens)
    told = -logits.gather(2, tokens[:, -SHARD:, None])[..., 0]  # (8, 16)
    return {"nats": told.mean(), "nats, the last token": told[:, -1].mean()}


EXPERIMENT = Experiment(
    section="11.11",
    varies="after how many messages the ring stops, and so whose keys the last rank sees; and the "
    "text, the book's prose or Python's manual",
    held="eight passages of 64 tokens of the prose, four of the manual; four ranks with 16 tokens "
    "in a row each, all layers alike; the loss of what the last rank's tokens say of the next one; "
    "nothing is trained",
    control="the first token of the text in sight as well, after two messages, one and none; and "
    "all three messages with the blocks of another passage: as many keys, which tell nothing",
    refuted="with the first token in sight two messages cost more than 0.3 nats beyond three, or "
    "one message more than none; or another text's blocks do as well as its own",
    variants={
        "three": "three messages, all blocks",
        "two": "two messages",
        "one": "one message",
        "none": "no message, its own tokens alone",
        "two_first": "two messages, and the first token of the text",
        "one_first": "one message, and the first token of the text",
        "none_first": "no message, and the first token of the text",
        "other": "three messages, with blocks of another text",
        "manual_three": "manual, three messages, all blocks",
        "manual_two": "manual, two messages",
        "manual_one": "manual, one message",
        "manual_none": "manual, no message",
        "manual_two_first": "manual, two messages, and the first token of the text",
    },
)
