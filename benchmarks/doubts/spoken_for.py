"""Does what a word adds tell better than its share which way it spoke (233), in other models of 4.9
and in other sentences, too?"""

import functools

from book import tell
from experiments import readings

from d2lattn_book.language import words

train = readings.page.train
OTHERS = [sentence[:-1] for sentence in words.sentences() if "found" not in sentence]  # 72


def correlations(seed, variant, sentences, steps):
    """The rank correlation of a reading with what the logit loses, and with how much it changes."""
    pairs = [
        (readings.reading(variant, seed, steps, s), readings.hiding(seed, steps, s))
        for s in sentences
    ]
    sizes = [(read.abs(), lost.abs()) for read, lost in pairs]
    return readings.mean_correlation(pairs), readings.mean_correlation(sizes)


for name, sentences, changed, steps in (
    ("new seeds", readings.SENTENCES, {}, 400),
    ("the 72 other sentences", OTHERS, {}, 400),
    ("one head", readings.SENTENCES, dict(num_heads=1), 400),
    ("six heads", readings.SENTENCES, dict(num_heads=6), 400),
    ("24 channels", readings.SENTENCES, dict(width=24), 400),
    ("100 steps", readings.SENTENCES, {}, 100),
):
    readings.page.train = functools.partial(train, **changed)
    readings.reader.cache_clear()
    readings.parts.cache_clear()
    for variant in ("share", "adds"):
        runs = [correlations(seed, variant, sentences, steps) for seed in (100, 101, 102)]
        tell(f"233, {name}, {variant}: which way", [way for way, _ in runs])
        tell("  how much", [size for _, size in runs])
