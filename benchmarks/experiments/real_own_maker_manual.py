"""Does the MLP of the same layer make the sink of another text?

Written down before the run. Predicted: layer 11, and the layers beside it leave the first token its
weight. Refuted by what would have refuted *real_own_maker* on the book's prose.
"""

import real

EXPERIMENT = real.on_the_manual(
    "real_own_maker",
    rows=["all", "maker", "before", "after"],
    passages_a_draw=2,
    seeds=16,
)
