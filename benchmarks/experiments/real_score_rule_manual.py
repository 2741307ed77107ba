"""Do a real model's scores spread in another text as in this book's prose?

Written down before the run. Predicted: after the rotation less than half of what the rule says, and
more than one and a half times with the means removed. Refuted by what would have refuted
*real_score_rule* on the book's prose.
"""

import real

EXPERIMENT = real.on_the_manual(
    "real_score_rule",
    rows=["lead", "centred", "rotated", "rotated_centred", "at_random"],
    seeds=16,
)
