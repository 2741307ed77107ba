"""Which vector between the blocks does the answer under the gap rest on?

Written down before the run; what made us ask were seven other seeds, in three of which the answer
moved. The page exchanges the vector of *apple* between the two blocks, in one training, sees no
change, and concludes that the answer does not rest on it. Its missing control: exchange that of
*sour*, on which the page says it rests. Predicted: swapping *apple* moves the probability of a
fruit below a half in at least one of eight trainings, swapping *sour* in none, and swapping the
gap's own vector in most, since the first block has brought the topic there already. Refuted if
*apple* moves it in none, so that the page's sentence holds, or if *sour* moves it in half or more.
"""

import pages
import torch
from experiment import Experiment

page = pages.functions("apple_exchanged")
PLACES = {"as it is": [], "*apple* exchanged": [1], "*sour*": [0], "the gap": [2]}


def run(variant, seed, steps):
    """Whether a fruit is likely under the gap of *sour apple ▢*, with vectors of *fast apple ▢*."""
    model = page.seeded(len(page.vocab), 32, layers=2, heads=1, length=7, seed=seed)
    page.train(model, page.gaps(seed), steps)
    probs = {name: fruit(model, places) for name, places in PLACES.items()}
    below = {f"below a half, {name}": prob < 0.5 for name, prob in probs.items()}
    return probs | below


@torch.no_grad()
def fruit(model, places):
    """As the page's own function has it, at any number of places."""
    after_fruit = {s[2] for s in page.sentences if s[0] in ("ripe", "fresh", "sweet", "sour")}
    pair = page.numbered([[word, "apple", *"▢▢▢▢▢"] for word in ("sour", "fast")], page.vocab)
    x = model.blocks[0](model.embedding(pair) + model.position.weight[:7], is_causal=False)
    for place in places:
        x[0, place] = x[1, place]
    logits = model.to_logits(model.norm(model.blocks[1](x, is_causal=False)))
    probs = logits[0, 2].softmax(-1)
    return probs[[page.vocab.index(word) for word in after_fruit]].sum().item()


EXPERIMENT = Experiment(
    section="9.2",
    varies="which vectors of *sour apple ▢* are exchanged between the two blocks for those of "
    "*fast apple ▢*",
    held="the training of the page, and its function; the gap that is asked is the first of five",
    control="the vector of *sour*: if the answer rested on it where it does not rest on *apple*, "
    "its exchange would have to move it; and none, from where counts what moves",
    refuted="exchanging *apple* moves the answer in no training, or exchanging *sour* in half of "
    "them or more",
    steps=300,
    seeds=16,
    plan={"trained": {1: 16}},
    variants={"trained": "the probability of a fruit"},
)
