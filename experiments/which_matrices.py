"""Which of the three matrices does the model of the sentences need?"""

import pages
from experiment import Experiment

from d2lattn_book.language import next_word, words

page = pages.functions("which_matrices")
HUNGRY = "the dog found the milk what a hungry".split()  # noqa: SIM905
TASTY = [*HUNGRY[:-1], "tasty"]


def run(variant, seed, steps):
    """How many of 20 new sentences end right, and whether the map is the one the page shows."""
    model = next_word.NextWord(words.vocabulary(), seed=seed)
    page.take_out(model.head, variant)
    training = next_word.teach(model, seed, steps=steps)
    right = round(20 * model.accuracy(training.held_out))
    looks = [model.read(sentence)[1][-1].argmax() for sentence in (HUNGRY, TASTY)]
    return {
        "right of 20": right,
        "18 or more": right >= 18,
        "hungry looks most at dog, tasty at milk": looks == [1, 4],
    }


EXPERIMENT = Experiment(
    section="2.8",
    varies="what makes the scores and the values of the one head",
    held="words, places and last layer are learned; data, optimiser, learning rate, batch, 32 "
    "channels",
    control="no attention, and the mean with W_v: were they right as well, the sentences would "
    "need no scores at all, and the comparison of the others would say nothing",
    refuted="XXᵀ stays clearly behind the full model at every budget",
    steps=200,
    seeds=16,
    variants={
        "nothing": "no attention",
        "mean": "mean of all words before, no matrix",
        "mean_v": "mean of all words before, W_v",
        "xx": "XXᵀ, no matrix",
        "xx_v": "XXᵀ, W_v",
        "qk": "W_q and W_k, no W_v",
        "shared_v": "one W for queries and keys, W_v",
        "all": "all three",
    },
)
