"""Do the heads that copy tokens drawn at random say prose that comes twice, too?"""

import functools

import smollm
import torch
from experiment import Experiment

from d2lattn_book.real.edits import edited, heads_off

LENGTH = 48
LAST = 44  # tokens of the second round that are judged: its first ones say where it stands


def run(variant, seed, steps):
    """How often the likeliest token is the right one, and the nats, in the second round."""
    edits = [heads_off(*off[variant])] if variant in (off := heads()) else []
    tokens = smollm.passages(seed, 1, LENGTH).repeat(1, 2)
    with torch.no_grad(), edited(smollm.model(), *edits):
        said = smollm.model()(tokens)[:, :-1].argmax(-1) == tokens[:, 1:]
    told = smollm.losses(tokens, *edits)
    return {
        "likeliest is right": said[:, -LAST:].float().mean(),
        "nats, second round": told[:, -LAST:].mean(),
        "first round": told[:, 3 : LENGTH - 1].mean(),
    }


@functools.cache
def heads():
    """Pairs (layer, head) to switch off, chosen on tokens drawn at random."""
    tokens = smollm.noise(0, 1, LENGTH).repeat(1, 2)
    copying, before = (smollm.ranked(scores) for scores in smollm.scored(tokens, LENGTH))
    others = [(layer, (head + 4) % smollm.HEADS) for layer, head in copying[:4]]
    return {"induction_4": copying[:4], "previous_1": before[:1], "others_4": others}


EXPERIMENT = Experiment(
    section="9.7",
    varies="which heads are switched off: none; the four with the highest induction score; the "
    "head that looks at the previous token most; or four others of the layers of the four",
    held="passages of 48 tokens of prose, read twice; the heads are chosen on tokens drawn at "
    "random, as in *real_induction*",
    control="four others of the same layers, and the first round: if either suffers as much, what "
    "is lost is not the copying",
    refuted="without the four the second round of prose is lost as that of random tokens is",
    variants={
        "all": "all heads",
        "induction_4": "without the 4 strongest induction heads",
        "previous_1": "without the strongest previous-token head",
        "others_4": "without 4 others of their layers",
    },
    seeds=16,
)
