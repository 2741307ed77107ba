"""How many keys does a head of a real model need in another text?

Written down before the run. Predicted: the 8 highest cost less than 0.3 nats, 8 others more than
two. Refuted by what would have refuted *real_own_few* on the book's prose.
"""

import real

EXPERIMENT = real.on_the_manual("real_own_few", rows=["all", "top_8", "random_8"], seeds=16)
