"""Undivided scores with still smaller steps, and with more of them (138), in the model of 3.2."""

from book import tell

from d2lattn_book.language import next_word

SEEDS = range(100, 108)


def right(seed, divisor, rate, steps):
    """How many of 20 new sentences end right."""
    options = dict(embed_dim=64, scale=1 / divisor, learning_rate=rate, every=steps)
    run = next_word.train(seed, steps=steps, **options)
    return 20 * run.model.accuracy(run.held_out)


for rate, steps in ((0.003, 1000), (0.001, 1000), (0.001, 3000)):
    for name, divisor in (("1", 1), ("√d", 8)):
        runs = [right(seed, divisor, rate, steps) for seed in SEEDS]
        tell(f"138, rate {rate}, {steps} steps, divided by {name}: right of 20", runs)
