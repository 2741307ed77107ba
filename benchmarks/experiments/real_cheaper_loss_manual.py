"""What do linear, hashed and fewer keys cost a real model in another text?

Written down before the run. Predicted: linear attention in all layers costs more than three nats,
in the last three less than 0.3, hashed keys no less than keys at random, one head of keys more than
three. Refuted by what would have refuted *real_cheaper_loss* on the book's prose.
"""

import real

EXPERIMENT = real.on_the_manual(
    "real_cheaper_loss",
    rows=["all", "hashed_four", "random_four", "linear", "linear_last", "one_kv", "exchanged"],
)
