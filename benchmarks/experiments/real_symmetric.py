"""Does a real model need that asking is not being found?

Written down before the run. One matrix for queries and keys makes the scores symmetric: i finds in
j what j finds in i. The expectation: the heads of this model need the other half of their scores,
the antisymmetric one. Refuted if symmetric scores in all layers cost less than half a nat, or no
more than the trained ones made smaller by as much.

Added later, and written down before their run: the scores of another head, either way round, in
the place of the mirror image. If they cost as much, the rise says that half of every score is
foreign to its head, and not that scores must differ in the two directions.
"""

import real
from experiment import Experiment

from d2lattn import causal_mask, masked_softmax
from d2lattn_book.real.edits import Edit, scale_scores

LENGTH, START = 128, 64
SCORES = {
    "by_hand": lambda q, k: q @ k.mT,
    "symmetric": lambda q, k: (q @ k.mT + k @ q.mT) / 2,
    "antisymmetric": lambda q, k: (q @ k.mT - k @ q.mT) / 2,
    "stranger": lambda q, k: (q @ k.mT + (k @ q.mT).roll(3, 1)) / 2,  # 3 heads share their keys
    "neighbour": lambda q, k: (q @ k.mT + (q @ k.mT).roll(3, 1)) / 2,
    "exchanged": lambda q, k: k @ q.mT,
    "queries": lambda q, k: alike(q @ q.mT, q @ k.mT),
    "keys": lambda q, k: alike(k @ k.mT, q @ k.mT),
}
SMALLER = {"all": 1, "smaller": 0.7, "half": 0.5}


def run(variant, seed, steps):
    """Nats, and the spread of the scores in a row over that of the trained ones."""
    tokens, spreads = real.passages(seed, 4, LENGTH), []
    if variant in SMALLER:
        edits, spreads = [scale_scores(SMALLER[variant])], [SMALLER[variant]]
    else:
        edits = with_scores(SCORES[variant], spreads)
    nats = real.nats(tokens, *edits, start=START)
    return {"nats": nats, "spread of the scores": float(sum(spreads) / len(spreads))}


def with_scores(change, spreads):
    """Edits that put change(queries, keys) in the place of the scores of all heads, both turned and
    (B, H, L, D); what they do to the spread in a row is put down."""
    at, seen = {}, causal_mask(LENGTH)

    def note(name):
        def keep(x, layer):
            at[name] = x.repeat_interleave(real.HEADS // x.shape[1], 1)
            return x

        return Edit(name, keep)

    def instead(heads, layer):
        query, key, value = at["query"], at["key"], at["value"]
        scores = change(query, key)
        spreads.append((spread(scores) / spread(query @ key.mT)).median().item())
        return masked_softmax(scores / query.shape[-1] ** 0.5, seen) @ value

    return [*map(note, ("query", "key", "value")), Edit("heads", instead)]


def spread(scores):
    """The deviation of the scores in a row, of a head (H,): rows of the second half, which see at
    least as many tokens."""
    return scores[..., START:, 1:START].std(-1).mean((0, 2))


def alike(scores, others):
    """Scores times a number for each head, so that they spread as others do."""
    return scores * (spread(others) / spread(scores))[:, None, None]


EXPERIMENT = Experiment(
    section="2.6",
    varies="the scores of all 270 heads: how much of q·k is taken, and who asks in it",
    held="the weights; four passages of 128 tokens, the loss of the second half; the rotation: the "
    "one who asks is turned to the place where it stands, whatever it asks with; the spread of a "
    "row's scores is a median of heads, and that of the trained ones is 1",
    control="the trained scores made smaller: symmetric ones spread less, and if they cost no more "
    "than that, the rest was not needed; the antisymmetric ones, which are the rest; and means "
    "with the scores of another head: if they cost as much, symmetry need not be what costs",
    refuted="symmetric scores cost less than half a nat, or no more than those times 0.7",
    variants={
        "all": "as trained",
        "by_hand": "the same, by hand",
        "smaller": "scores × 0.7",
        "half": "scores × ½",
        "symmetric": "their symmetric part",
        "antisymmetric": "their antisymmetric part",
        "stranger": "mean with another head's, mirrored",
        "neighbour": "mean with another head's",
        "exchanged": "W_q and W_k exchanged",
        "queries": "W_q for both, spread as trained",
        "keys": "W_k for both, spread as trained",
    },
    run=run,
    steps=None,
    seeds=8,
)
