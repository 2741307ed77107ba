"""Is a head needed that looks at the answer?"""

import pages
import torch
from experiment import Experiment

page = pages.functions("heads")


def run(variant, seed, steps):
    heads = {"one": 1, "four": 4}[variant]
    model = page.reader(-1, steps, heads=heads, seed=seed).model
    each = torch.eye(heads, dtype=torch.bool)[:, None]  # (heads, layers, heads)
    without = [page.accuracy(model, -1, head_mask=~head) for head in each]
    alone = [page.accuracy(model, -1, head_mask=head) for head in each]
    none = torch.zeros(1, heads, dtype=torch.bool)
    return {
        "right": page.accuracy(model, -1),
        "right without one head, least": min(without),
        "right with one head alone, least": min(alone),
        "right without any": page.accuracy(model, -1, head_mask=none),
    }


EXPERIMENT = Experiment(
    section="9.3",
    varies="the number of heads in the one layer",
    held="the sentences, the 600 held out, width 64, learning rate 0.003, asked at the last word",
    control="without any head nothing may be left but guessing among ten nouns",
    refuted="with four heads the answer breaks when one of them is switched off",
    steps=150,
    seeds=8,
    variants={"one": "one head", "four": "four heads"},
    run=run,
)
