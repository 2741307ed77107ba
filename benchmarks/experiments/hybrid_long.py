"""Do four layers with a small state recall many pairs if they train longer?"""

from experiment import Experiment, load

HYBRID = load("hybrid")


def run(variant, seed, steps):
    """The share of right answers in 64 new texts."""
    return HYBRID.run(variant, seed, steps)


EXPERIMENT = Experiment(
    section="10.15",
    varies="the number of steps, up to 25 times that of `hybrid`",
    held="four layers of delta with keys of width 8, and all else of the experiment `hybrid`",
    control="the state stays as it is, 8 rows for 32 pairs: if longer training brings the answers, "
    "it was not the size of the state that was missing after 400 steps",
    refuted="after 2000 steps fewer than 0.9 are right",
    steps=400,
    seeds=8,
    variants={"delta": "four of delta, keys of width 8"},
    run=run,
)
