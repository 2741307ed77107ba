"""What does a ring that stops early cost in another text?

Written down before the run. Predicted: what a few passages had: two messages are better than none,
one is worse, and with the first token in sight both are within 0.3 nats of three; the page's *two
are still worse* is this book's prose. Refuted by what would have refuted *real_ring_cut_short* on
the book's prose.
"""

import real

EXPERIMENT = real.on_the_manual(
    "real_ring_cut_short",
    rows=["three", "two", "one", "none", "two_first", "one_first", "none_first", "other"],
    passages_a_draw=4,
    seeds=16,
)
