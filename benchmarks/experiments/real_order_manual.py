"""What does a real model make of the order of the words of another text?

Written down before the run. Predicted: shuffled pieces help by less than 0.2 nats, another passage
in order by more, doubling costs less than halving, and that less than no turn. Refuted by what
would have refuted *real_order* on the book's prose.
"""

import real

EXPERIMENT = real.on_the_manual(
    "real_order",
    rows=["all", "shuffled", "other", "other_shuffled", "nothing", "unturned", "doubled", "halved"],
    passages_a_draw=2,
)
