"""Does *hungry* find *dog* by its word or by its place?"""

import pages
from experiment import Experiment

from d2lattn_book.language import next_word

page = pages.functions("word_or_place")
HUNGRY = "the dog found the milk what a hungry".split()  # noqa: SIM905


def run(variant, seed, steps):
    """Where the wanted noun has its lead from, whom it looks at most, and what is said."""
    training = next_word.train(seed, steps=steps)
    model = training.snapshots[0] if variant == "untrained" else training.model
    measured = {}
    for asks, one, other in (("hungry", "dog", "milk"), ("tasty", "milk", "dog")):
        word, place = page.lead(model, [*HUNGRY[:-1], asks], one, other)
        measured |= {
            f"{asks}: by the word": word,
            f"{asks}: by the place": place,
            f"{asks}: both are for {one}": word > 0 and place > 0,
            f"{asks}: more by the place": place > word,
        }
    looks, says = zip(*(answer(model, asks) for asks in ("hungry", "tasty")), strict=True)
    named = says == ("dog", "milk")
    return measured | {
        "hungry looks most at dog, tasty at milk": looks == (1, 4),
        "both are named": named,
        "named, though one looks elsewhere": named and looks != (1, 4),
    }


def answer(model, asks):
    """(the position at which it looks most, the word that it says)."""
    says, weights = model.read([*HUNGRY[:-1], asks])
    return weights[-1].argmax().item(), says


EXPERIMENT = Experiment(
    section="2.10",
    varies="whether the model has been trained",
    held="the sentence, data, optimiser, learning rate, batch, 32 channels",
    control="the untrained model: were both parts on the right side there as often, it would be "
    "chance",
    refuted="one of the two parts is near 0, or against the right noun, in most seeds",
    steps=200,
    seeds=16,
    variants={"trained": "trained", "untrained": "before training"},
)
