"""What are a real model's heads worth alone and together in another text?

Written down before the run. Predicted: one head costs 0.01 nats on average, 40 more than 40 times
as much, and those that cost little on one other passage about as much as heads at random. Refuted
by what would have refuted *real_heads* on the book's prose.
"""

import real

EXPERIMENT = real.on_the_manual(
    "real_heads",
    rows=["each", "random_40", "least_40", "random_80", "mean_80"],
)
