"""Does a real model need that asking is not being found?

Written down before the run. One matrix for queries and keys makes the scores symmetric: i finds in
j what j finds in i. The expectation: the heads of this model need the other half of their scores,
the antisymmetric one. Refuted if symmetric scores in all layers cost less than half a nat, or no
more than the trained ones made smaller by as much.

Added later, and written down before their run: the scores of another head in the place of the
mirror image. If they cost as much, the rise says that half of every score is foreign to its head,
and not that scores must differ in the two directions. And a second text, of which more than a nat
was predicted.
"""

import smollm
from experiment import Experiment

from d2lattn import causal_mask, masked_softmax
from d2lattn_book.real.edits import scale_scores

LENGTH, START = 128, 64
SCORES = {
    "symmetric": lambda q, k: (q @ k.mT + k @ q.mT) / 2,
    "stranger": lambda q, k: (q @ k.mT + (k @ q.mT).roll(3, 1)) / 2,  # 3 heads share their keys
    "queries": lambda q, k: alike(q @ q.mT, q @ k.mT),
}
SMALLER = {"all": 1, "smaller": 0.7}


def run(variant, seed, steps):
    """Nats, and the spread of the scores in a row over that of the trained ones."""
    text, change = smollm.text_and_change(variant)
    tokens, spreads = smollm.passages(seed, dict(prose=4, manual=2)[text], LENGTH, text), []
    if change in SMALLER:
        edits, spreads = [scale_scores(SMALLER[change])], [SMALLER[change]]
    else:
        edits = with_scores(SCORES[change], spreads)
    nats = smollm.nats(tokens, *edits, start=START)
    return {"nats": nats, "spread of the scores": float(sum(spreads) / len(spreads))}


def with_scores(change, spreads):
    """Edits that put change(queries, keys) in the place of the scores of all heads, both turned and
    (B, H, L, D); what they do to the spread in a row is put down."""
    seen = causal_mask(LENGTH)

    def instead(heads, query, key, value):
        scores = change(query, key)
        spreads.append((spread(scores) / spread(query @ key.mT)).median().item())
        return masked_softmax(scores / query.shape[-1] ** 0.5, seen) @ value

    return smollm.with_parts(instead)


def spread(scores):
    """The deviation of the scores in a row, of a head (H,): rows of the second half, which see at
    least as many tokens."""
    return scores[..., START:, 1:START].std(-1).mean((0, 2))


def alike(scores, others):
    """Scores times a number for each head, so that they spread as others do."""
    return scores * (spread(others) / spread(scores))[:, None, None]


EXPERIMENT = Experiment(
    section="2.6",
    varies="the scores of all 270 heads: how much of q·k is taken, and who asks in it; and the "
    "text, the book's prose or Python's manual",
    held="the weights; four passages of 128 tokens of the prose, two of the manual, the loss of "
    "the second half; the rotation: the "
    "one who asks is turned to the place where it stands, whatever it asks with; the spread of a "
    "row's scores is a median of heads, and that of the trained ones is 1",
    control="the trained scores made smaller: symmetric ones spread less, and if they cost no more "
    "than that, the rest was not needed; and means with the scores of another head: if they cost "
    "as much, symmetry need not be what costs",
    refuted="symmetric scores cost less than half a nat, or no more than those times 0.7",
    variants={
        "all": "as trained",
        "smaller": "scores × 0.7",
        "symmetric": "their symmetric part",
        "stranger": "mean with another head's, mirrored",
        "queries": "W_q for both, spread as trained",
        "manual_all": "manual, as trained",
        "manual_symmetric": "manual, their symmetric part",
    },
)
