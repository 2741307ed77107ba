"""Three narrow heads against one wide one, with other widths, steps and numbers of heads (189).

The page compares three heads in 12 channels with one in 32. Does the width decide, not the number?
"""

from book import pages, tell

page = pages.functions("hide_a_word")


def right(seed, **changed):
    """How many of 20 new sentences end right."""
    model, unseen, _ = page.train(seed, **changed)
    return 20 * model.accuracy(unseen)


for name, changed in {
    "three heads, 12 channels": dict(num_heads=3, width=12),
    "one head, 32 channels": dict(num_heads=1, width=32),
    "one head, 12 channels": dict(num_heads=1, width=12),
    "three heads, 33 channels": dict(num_heads=3, width=33),
    "three heads, 12 channels, 100 steps": dict(num_heads=3, width=12, steps=100),
    "one head, 32 channels, 100 steps": dict(num_heads=1, width=32, steps=100),
}.items():
    tell(f"189, {name}", [right(seed, **changed) for seed in range(100, 106)])
