"""A text by letters: chapter 9's decoder on the text that is stored with the package.

What the chapter trains for twenty steps, `own_text.train_on`, for as long as a reader would; and
once on 5,000 letters alone, which it learns by heart.
"""

import math

from results import table

from d2lattn_book.language import own_text

TITLE = "A text that somebody wrote"
ON = ("processor",)
STEPS, EVERY = 500, 100
FEW, FEW_STEPS, FEW_EVERY = 5000, 250, 25
ORDERS = (2, 3, 4, 5, 6)
INTRODUCTION = (
    "`own_text.train_on(own_text.read(), steps=500)` of `d2lattn_book.language`, seed 0: a decoder "
    "of three layers of width 96, 4 heads and rotary positions reads the prose behind Python's "
    f"`help()` letter by letter, {STEPS} steps of 16 times 128 letters, learning rate 0.003. The "
    "last 8,000 letters are not read. Beside it `own_text.count`, which counts groups of letters. "
    f"At temperature 0.5 it goes on from *The*, once, with seed 0. Below, the same with the first "
    f"{FEW:,} letters alone, of which it reads 4,500, for {FEW_STEPS} steps."
)


def measure_part(quick, device):
    """What counting reaches, and the losses of two trainings and a text of the first."""
    text = own_text.read()
    steps, few_steps = (2, 2) if quick else (STEPS, FEW_STEPS)
    learner = own_text.train_on(text, steps=steps, every=EVERY)
    few = own_text.train_on(text[:FEW], steps=few_steps, every=FEW_EVERY)
    return {
        "letters": len(text),
        "weights": sum(p.numel() for p in learner.model.parameters()),
        "counted": {n: round(own_text.count(text, n), 4) for n in ORDERS},
        "learned": _curves(learner),
        "text": own_text.write(learner, "The ", letters=30 if quick else 400),
        "few": _curves(few),
        "few counted": {n: round(own_text.count(text[:FEW], n), 4) for n in ORDERS},
    }


def _curves(learner):
    """{steps: [loss on read letters, on unread ones]}."""
    pairs = zip(learner.read, learner.unread, strict=True)
    rounded = [[round(loss, 4) for loss in pair] for pair in pairs]
    return dict(zip(learner.steps, rounded, strict=True))


def section(data):
    parts = [f"{data['letters']:,} letters, {data['weights']:,} weights. Counting, unread letters:"]
    parts.append(_counts(data["counted"]))
    parts += ["Learning:", _table(data["learned"]), "What it writes after the last step:"]
    parts += [f"```text\n{data['text']}\n```", f"The first {FEW:,} letters alone, counted:"]
    parts += [_counts(data["few counted"]), "and learned:", _table(data["few"])]
    return "\n\n".join(parts)


def _counts(counted):
    rows = [[order, *_told(nats)] for order, nats in counted.items()]
    return table(["letters in a group", "nats", "bits", "perplexity"], rows)


def _table(curves):
    rows = [[step, f"{read:.2f}", *_told(unread)] for step, (read, unread) in curves.items()]
    return table(["steps", "read: nats", "unread: nats", "bits", "perplexity"], rows)


def _told(nats):
    return [f"{nats:.2f}", f"{nats / math.log(2):.2f}", f"{math.exp(nats):.1f}"]
