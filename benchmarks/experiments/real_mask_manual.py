"""Does a real model without its mask read the next token off another text, too?

Written down before the run. Predicted: the loss in sight falls below half, comes back with the next
token hidden, and rises at the end. Refuted by what would have refuted *real_mask* on the book's
prose.
"""

import real

EXPERIMENT = real.on_the_manual(
    "real_mask",
    rows=["mask", "none", "all_but_next", "other"],
    passages_a_draw=6,
)
