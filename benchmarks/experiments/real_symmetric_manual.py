"""Does a real model need in another text, too, that asking is not being found?

Written down before the run. Predicted: symmetric scores cost more than a nat, scores × 0.7 less
than half of one. Refuted by what would have refuted *real_symmetric* on the book's prose.
"""

import real

EXPERIMENT = real.on_the_manual(
    "real_symmetric",
    rows=["all", "smaller", "symmetric", "queries"],
    passages_a_draw=2,
)
