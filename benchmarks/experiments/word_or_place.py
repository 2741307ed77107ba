"""Does *hungry* find *dog* by its word or by its place?"""

import pages
from experiment import Experiment

from d2lattn_book.language import next_word

page = pages.functions("word_or_place")
HUNGRY = "the dog found the milk what a hungry".split()  # noqa: SIM905


def run(variant, seed, steps):
    """By how much the score of the wanted noun is larger: through the word, through the place."""
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
    return measured


EXPERIMENT = Experiment(
    section="2.3",
    varies="whether the model has been trained",
    held="the sentence, data, optimiser, learning rate, batch, 32 channels",
    control="the untrained model: were both parts on the right side there as often, it would be "
    "chance",
    refuted="one of the two parts is near 0, or against the right noun, in most seeds",
    steps=200,
    seeds=16,
    variants={"trained": "trained", "untrained": "before training"},
    run=run,
)
