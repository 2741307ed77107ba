"""Does the translator's verb find its German word, wherever that stands?"""

import pages
from experiment import Experiment

page = pages.functions("translator")


def run(variant, seed, steps):
    """Words right, and the weight that the verb gives to its German word in either order."""
    right, last, second = page.exam(*page.learn(seed, variant == "reads", steps))
    return {
        "words right": right,
        "verb to verb, with dass": last,
        "verb to verb, with heute": second,
        "above 0.9 in both": min(last, second) > 0.9,
    }


EXPERIMENT = Experiment(
    section="4.6",
    varies="whether the keys are made of German words and places, or of places alone",
    held="clauses, queries, values, optimiser, learning rate, weight decay, 64 clauses in a batch",
    control="keys of places alone: if its verb found the German verb in both orders, the bands "
    "would not show that words are read",
    refuted="the verb gives its German word less than 0.9 in one of the orders in most seeds",
    steps=150,
    seeds=16,
    variants={"reads": "keys of words and places", "places": "keys of places alone"},
)
