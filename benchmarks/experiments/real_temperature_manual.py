"""What does a factor on a real model's scores cost in another text?

Written down before the run. Predicted: factors of 8 and 1/8 cost more than two nats, ½ and 2
between 0.2 and 1, ½ more than 2 from the 64th token on. Refuted by what would have refuted
*real_temperature* on the book's prose.
"""

import real

EXPERIMENT = real.on_the_manual(
    "real_temperature",
    rows=["eighth", "half", "all", "double", "eightfold"],
    passages_a_draw=2,
)
