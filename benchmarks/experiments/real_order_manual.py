"""What are shuffled pieces and another passage worth to a real model in another text?

Written down before the run. Predicted: shuffled pieces help by less than 0.2 nats against none,
another passage in order by more, and shuffled not at all. Refuted by what would have refuted
*real_order* on the book's prose.
"""

import real

EXPERIMENT = real.on_the_manual(
    "real_order",
    rows=["shuffled", "other", "other_shuffled", "nothing"],
    passages_a_draw=2,
)
