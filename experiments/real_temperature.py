"""What does a real model lose when all its scores are multiplied by a factor?"""

import smollm
from experiment import Experiment

from d2lattn_book.real.edits import scale_scores

FACTORS = {"eighth": 1 / 8, "half": 1 / 2, "less": 0.9, "all": 1, "double": 2, "eightfold": 8}


def run(variant, seed, steps):
    """Nats of a token, with less than 64 and with more tokens before it."""
    text, change = smollm.text_and_change(variant)
    tokens = smollm.passages(seed, dict(prose=4, manual=2)[text], 128, text)
    told = smollm.losses(tokens, scale_scores(FACTORS[change]))
    return {"nats": told.mean(), "tokens 64 to 127": told[:, 63:].mean()}


EXPERIMENT = Experiment(
    section="3.2",
    varies="the factor that the scores of all 270 heads get before the softmax: 8 is √d, as if "
    "nobody had divided by it, 1/8 as if one had divided by d; and the text, the book's prose or "
    "Python's manual",
    held="the weights, which were trained with the factor 1; four passages of 128 tokens of the "
    "prose, two of the manual",
    control="the factor 0.9: if it costs as much as ½ and 2, the model stands no change at all, "
    "and the size of the factor says nothing",
    refuted="the factor 8 or 1/8 costs less than a nat",
    variants={
        "eighth": "scores × 1/8",
        "half": "scores × ½",
        "less": "scores × 0.9",
        "all": "scores as they are",
        "double": "scores × 2",
        "eightfold": "scores × 8",
        "manual_half": "manual, scores × ½",
        "manual_all": "manual, scores as they are",
        "manual_double": "manual, scores × 2",
    },
)
