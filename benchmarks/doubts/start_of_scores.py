"""Divided scores with larger steps, or from longer vectors: are they saturated before anything is
learned (177)? The model of 3.2."""

import torch
from book import tell

from d2lattn_book.language import next_word, words

SEEDS = range(100, 108)
PROMPT = "the dog chased the cat what a scared".split()  # noqa: SIM905


def largest(seed, *, width=64, start=1.0, divisor=None, rate=0.03, steps=10):
    """The largest share of the last word before the first step and after some, and how many of 20
    new sentences end right then."""
    scale = 1 / (divisor or width**0.5)
    model = next_word.NextWord(words.vocabulary(), width, scale=scale, seed=seed)
    with torch.no_grad():
        model.embedding.weight *= start
        model.position.weight *= start
    run = next_word.teach(model, seed, steps=steps, learning_rate=rate, every=steps)
    shares = [run.snapshots[step].read(PROMPT)[1][-1].max().item() for step in (0, steps)]
    return *shares, 20 * run.model.accuracy(run.held_out)


for name, changed in {
    "as on the page": {},
    "undivided": dict(divisor=1),
    "rate 0.1": dict(rate=0.1),
    "rate 0.1, width 256": dict(rate=0.1, width=256),
    "vectors five times as long": dict(start=5.0),
    "vectors five times as long, width 256": dict(start=5.0, width=256),
}.items():
    runs = [largest(seed, **changed) for seed in SEEDS]
    tell(f"177, {name}: largest share before", [before for before, _, _ in runs])
    tell("  after 10 steps", [after for _, after, _ in runs])
    tell("  right of 20 then", [r for *_, r in runs])
