"""Does a real model need the first token of another text?

Written down before the run. Predicted: a window costs more than a nat, a window with the first
token less than 0.4, one with the second or the ninth repairs nothing, and to hide the first costs
nothing from all and more than half a nat later. Refuted by what would have refuted *real_sinks* on
the book's prose.
"""

import real

EXPERIMENT = real.on_the_manual(
    "real_sinks",
    rows=[
        "all",
        "window",
        "window_first",
        "window_second",
        "window_ninth",
        "hidden_first",
        "later_first",
        "value_first",
    ],
    passages_a_draw=2,
)
