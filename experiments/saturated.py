"""Does dividing by √d keep a softmax from being saturated while it learns?"""

import torch
from experiment import Experiment

from d2lattn_book.language import next_word, words

DIVISORS = {"root": 8.0, "d": 64.0}
STEPS = 200
RATES = {"003": 0.003, "03": 0.03, "10": 0.1}


def run(variant, seed, steps):
    """The share of rows that give more than 0.98 to one word, before and after 200 steps."""
    divisor, rate = variant.removeprefix("by_").split("_")
    vocabulary, scale = words.vocabulary(), 1 / DIVISORS[divisor]
    model = next_word.NextWord(vocabulary, 64, scale=scale, seed=seed)
    before = saturated(model)
    next_word.teach(model, seed, steps=STEPS, every=STEPS, learning_rate=RATES[rate])
    return {"saturated at the start": before, "after 200 steps": saturated(model)}


@torch.no_grad()
def saturated(model):
    tokens = model.encode([sentence[:-1] for sentence in words.sentences()])
    weights = model(tokens, need_weights=True)[1][:, 1:]  # the first word sees itself alone
    return (weights.amax(-1) > 0.98).double().mean()


EXPERIMENT = Experiment(
    section="3.2",
    varies="the learning rate, and what q·k is divided by",
    held="sentences, width 64, batches of 32, 200 steps of AdamW; a row is saturated that gives "
    "more than 0.98 to one word",
    control="the start, and d = 64 in the place of √d: if as many rows are saturated there, it is "
    "not what the steps do",
    refuted="at the rate 0.1 less than half of the rows are saturated",
    seeds=16,
    variants={
        f"by_{divisor}_{rate}": f"divided by {name}, learning rate {number}"
        for rate, number in RATES.items()
        for divisor, name in {"root": "√d = 8", "d": "d = 64"}.items()
    },
    small=dict(STEPS=3),
)
