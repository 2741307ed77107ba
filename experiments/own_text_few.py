"""From which step on does a decoder of characters get worse on what it has not read?"""

import pages
import torch
from experiment import Experiment

page = pages.functions("each_part")
TEXT = page.own_text.read()[:5000]
LETTERS = sorted(set(TEXT))
PARTS = page.own_text.split(TEXT)
READ, UNREAD = (torch.tensor([LETTERS.index(c) for c in part]) for part in PARTS)
EVERY = 50


def run(variant, seed, steps):
    """Losses at several points of one training, and the least of the held-out ones."""
    model, seen, new = page.fresh(page.Transformer(len(LETTERS)), seed, size=0.08), {}, {}

    def watch(step):
        if step % EVERY == 0:
            seen[step], new[step] = (page.loss_on(model, part) for part in (READ, UNREAD))

    rows = READ.unfold(0, page.LENGTH + 1, 1)
    page.train(model, page.drawn(rows, seed), steps, rate=5e-3, watch=watch)
    watch(steps)
    least = min(new, key=new.get)
    return {
        **{f"training loss, after {n}": seen[n] for n in range(EVERY, steps + 1, EVERY)},
        **{f"held-out loss, after {n}": new[n] for n in range(EVERY, steps + 1, EVERY)},
        "held-out loss, least": new[least],
        "after steps": least,
        "counting": min(page.own_text.count(TEXT, order) for order in range(2, 7)),
    }


EXPERIMENT = Experiment(
    section="9.18",
    varies="the steps, in one training of 300",
    held="the first 5,000 characters of the stored text, 4,500 for training and 500 held out; the "
    "Transformer and the loop of section 0.7, all else as in each_part; losses in nats per "
    "character",
    control="the training loss must go on falling where the held-out loss rises, or else "
    "the training itself went astray",
    refuted="the held-out characters cost least at the end",
    steps=300,
    variants={"few": "its first 5,000 characters"},
    plan={"few": {1: 3}},
)
