"""Does another text notice when the heads that copy are switched off?

Written down before the run. The heads are those of *real_induction*, chosen on random tokens; only
the prose is another. Predicted: without the four the manual, which repeats itself more than prose
does, costs 0.05 to 0.3 nats more, and without four others as much. Refuted if without the four it
costs more than half a nat, so that one may not say that an ordinary text does not notice.
"""

import real
from experiment import Experiment

heads = real.beside("real_induction")
ROWS = ("all", "induction_4", "others_4", "previous_1")


def run(variant, seed, steps):
    """Nats of passages of the manual with heads off that random tokens have chosen."""
    off = heads.chosen(variant, seed)
    edits = [heads.heads_off(*off)] if off else []
    return {"nats of the manual": real.nats(real.passages(seed, 3, 96, "manual"), *edits)}


EXPERIMENT = Experiment(
    section="9.7",
    varies="which heads are switched off: none, those that *real_induction* chose, or as many "
    "others of the same layers",
    held="three passages of 96 tokens of the second text, Python's manual; the heads are chosen on "
    "four draws of 48 random tokens, read twice",
    control="as many other heads of the same layers",
    refuted="without the four strongest the manual costs more than half a nat more",
    variants={row: heads.EXPERIMENT.variants[row] for row in ROWS},
    run=run,
    steps=None,
    seeds=8,
)
