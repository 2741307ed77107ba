"""How much of a real model's weights do the cheaper attentions find in another text?

Written down before the run. Predicted: hashing reads a fifth of the keys and finds half of the
weights; the window with the first four finds more. Refuted by what would have refuted
*real_cheaper* on the book's prose.
"""

import real

EXPERIMENT = real.on_the_manual("real_cheaper", rows=["model"], seeds=16)
