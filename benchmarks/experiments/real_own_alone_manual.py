"""Is a token that sees only itself a sink in another text, too?

Written down before the run. Predicted: it takes more than 0.1 of the weights and brings the loss
back; one that also sees the first does not. Refuted by what would have refuted *real_own_alone* on
the book's prose.
"""

import real

EXPERIMENT = real.on_the_manual(
    "real_own_alone",
    rows=["all", "alone", "no_first", "alone_no_first", "with_first_no_first"],
    passages_a_draw=2,
)
