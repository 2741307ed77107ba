"""Are queries and keys of a real model alike in another text as in this book's prose?

Written down before the run. Predicted: the symmetric part of what a text produces lies above that
of another group's keys, at 0.55 to 0.65. Refuted by what would have refuted *real_kinds* on the
book's prose.
"""

import real

EXPERIMENT = real.on_the_manual("real_kinds", rows=["text", "text_other"])
