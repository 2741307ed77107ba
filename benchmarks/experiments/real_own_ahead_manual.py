"""Are the induction heads the ones that read ahead in another text, too?

Written down before the run. Predicted: without the twelve strongest more than half of the way back,
without twelve others less than a quarter. Refuted by what would have refuted *real_own_ahead* on
the book's prose.
"""

import real

EXPERIMENT = real.on_the_manual(
    "real_own_ahead",
    rows=["all", "induction_12", "others_12"],
    passages_a_draw=3,
)
