"""Do the heads that copy matter where another text comes twice?

Written down before the run. Predicted: without the four the right token is the likeliest in 0.6 to
0.85 of the cases, with them in more than 0.9. Refuted by what would have refuted *real_twice* on
the book's prose.
"""

import real

EXPERIMENT = real.on_the_manual("real_twice", rows=["all", "induction_4", "others_4"], seeds=16)
