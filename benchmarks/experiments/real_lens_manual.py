"""When does the lens read what a real model will say in another text?

Written down before the run. Predicted: behind 24 to 29 of 30 layers in the median, a little earlier
than in the prose, as more of it is easy. Refuted by what would have refuted *real_lens* on the
book's prose.
"""

import real

EXPERIMENT = real.on_the_manual("real_lens", rows=["prose"], seeds=16)
