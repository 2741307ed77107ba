"""Do SmolLM2's losses at half and at double scores keep their order under two more roundings?

Written down before the run, as one of ten differences in nats that pages tell. *real_rounded* shows
that one more error of the file's size moves a loss by a fifth of a nat, as much as some of these
differences. But it may move both losses that are compared. So here is the difference itself, with
the file and with each of two errors drawn once for all, on the same passages. A sentence whose
difference changes its sign in the mean of the draws under either error is none about SmolLM2, and
is mended: this one was. Refuted if a difference of a quarter of a nat and more does.
"""

import contextlib

import smollm
from experiment import Experiment, functions_of

from d2lattn_book.real.edits import scale_scores

rounded_once_more = functions_of("real_rounded").rounded_once_more


def run(variant, seed, steps):
    """Half the scores against double ones, with the file and with each of two more errors."""
    errors = (contextlib.nullcontext(), rounded_once_more(0), rounded_once_more(1))
    file, one, another = (difference(seed, error) for error in errors)
    return {
        "the file": file,
        "one more error": one,
        "another": another,
        "the sign of the file's": one * file > 0 and another * file > 0,
    }


def difference(seed, error):
    with error:
        tokens = smollm.passages(seed, 1, 128)
        half, double = (smollm.nats(tokens, scale_scores(factor), start=64) for factor in (0.5, 2))
    return half - double


EXPERIMENT = Experiment(
    section="1.9",
    varies="the weights, as in the file or with one of two errors as large as its rounding, drawn "
    "once for all",
    held="each draw judges the same passage of 128 tokens, from the 65th on, with the file and "
    "with both errors",
    control="the file itself, which must show what *real_temperature* shows",
    refuted="a difference of a quarter of a nat and more changes its sign in the mean of the draws "
    "under either error",
    variants={"halved_scores": "scores × ½ against scores × 2"},
)
