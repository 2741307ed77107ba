"""Why do the sentences learn faster with W_v?"""

import pages
from experiment import Experiment
from torch import eye, nn

from d2lattn import attention_weights
from d2lattn_book.language import next_word, words

page = pages.functions("which_matrices")


class TwoTables(next_word.NextWord):
    """A model with vectors of their own for the scores; what is taken is the x itself."""

    def __init__(self, words, seed):
        super().__init__(words, seed=seed)
        self.scored_by = next_word.NextWord(words, seed=seed + 1000)
        self.head.v_proj = nn.Identity()

    def forward(self, tokens, *, need_weights=False):
        x = self.position(self.embedding(tokens))
        asks = self.scored_by.position(self.scored_by.embedding(tokens))
        weights = attention_weights(asks, asks, is_causal=True)
        logits = self.lm_head(x + weights @ x)
        return (logits, weights) if need_weights else logits


def run(variant, seed, steps):
    """How many of 20 new sentences end right."""
    if variant == "two_tables":
        model = TwoTables(words.vocabulary(), seed)
    else:
        model = next_word.NextWord(words.vocabulary(), seed=seed)
        page.take_out(model.head, variant if variant == "xx" else "xx_v")
    if variant == "doubled":
        model.head.v_proj.requires_grad_(False).weight.copy_(2 * eye(32))
    held_out = next_word.teach(model, seed, steps=steps).held_out
    right = round(20 * model.accuracy(held_out))
    return {"right of 20": right, "18 or more": right >= 18}


EXPERIMENT = Experiment(
    section="2.8",
    varies="what is taken from a word, and whether the same vectors make the scores",
    held="scores XXᵀ; words, places and last layer are learned; data, optimiser, learning rate, "
    "batch, 32 channels",
    control="the values twice as long, with no matrix to be learned: were they slower, W_v would "
    "do more than to make them larger; and two tables, which part the two jobs without W_v",
    refuted="with two tables it learns as fast as with W_v, and with values twice as long it does "
    "not: then W_v helps since it parts what attracts the one who asks from what says the word",
    steps=200,
    seeds=16,
    plan={name: {1: 16, 2: 16} for name in ("xx", "xx_v", "doubled", "two_tables")},
    variants={
        "xx": "the x itself",
        "xx_v": "W_v",
        "doubled": "twice the x",
        "two_tables": "the x itself; other vectors make the scores",
    },
    run=run,
)
