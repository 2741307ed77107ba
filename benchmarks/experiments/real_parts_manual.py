"""Which part of which layer does a real model need for another text?

Written down before the run. Predicted: attention costs less than 0.1 nats in the median layer, no
residual connections more than five, and the MLP of layer 0 most. Refuted by what would have refuted
*real_parts* on the book's prose.
"""

import real

EXPERIMENT = real.on_the_manual(
    "real_parts",
    rows=["attention", "mlp", "mlp_mean", "residual"],
)
