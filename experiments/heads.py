"""Is a head needed that looks at the answer?"""

import pages
from experiment import Experiment

from d2lattn_book.real.edits import edited, heads_off

page = pages.functions("heads")


def run(variant, seed, steps):
    heads = {"one": 1, "four": 4}[variant]
    model = page.reader(-1, steps, heads=heads, seed=seed).model

    def right_without(*off):
        with edited(model, heads_off(*((0, head) for head in off))):
            return page.accuracy(model, -1)

    others = [[other for other in range(heads) if other != head] for head in range(heads)]
    return {
        "right": page.accuracy(model, -1),
        "right without one head, least": min(map(right_without, range(heads))),
        "right with one head alone, least": min(right_without(*off) for off in others),
        "right without any": right_without(*range(heads)),
    }


EXPERIMENT = Experiment(
    section="9.3",
    varies="the number of heads in the one layer",
    held="the sentences, the 600 held out, width 64, learning rate 0.003, asked at the last word",
    control="without any head nothing may be left but guessing among ten nouns",
    refuted="with four heads the answer breaks when one of them is switched off",
    steps=150,
    variants={"one": "one head", "four": "four heads"},
)
