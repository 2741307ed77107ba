"""Which new sentences does each model of the first sitting finish?"""

import collections

import pages
import torch
import torch.nn.functional as F
from experiment import Experiment
from torch import nn

page = pages.functions("sitting")
KINDS = ("hungry", "tasty", "fierce", "scared", "strong", "heavy")


class PlacedMean(page.Placed):
    """It knows positions and asks nothing: every weight is that of a mean."""

    def weights(self, x):
        later = torch.ones(x.shape[1], x.shape[1]).triu(1).bool()
        return torch.zeros(later.shape).masked_fill(later, -torch.inf).softmax(-1)


class Bare(page.Placed):
    """Each vector is its own query, key and value."""

    def __init__(self, words):
        super().__init__(words)
        self.query = self.key = self.value = nn.Identity()


class ByPlace(page.Placed):
    """A key tells where its word stands, and nothing of the word."""

    def weights(self, x):
        keys = self.key(self.position.weight[: x.shape[1]])
        scores = self.query(x) @ keys.mT / x.shape[-1] ** 0.5
        later = torch.ones(scores.shape[-2:]).triu(1).bool()
        return scores.masked_fill(later, -torch.inf).softmax(-1)


class Unmasked(page.Placed):
    """Each word asks those behind it as well."""

    def weights(self, x):
        return (self.query(x) @ self.key(x).mT / x.shape[-1] ** 0.5).softmax(-1)


class Undivided(page.Placed):
    """Its scores are not divided by the root of d."""

    def weights(self, x):
        scores = self.query(x) @ self.key(x).mT
        later = torch.ones(scores.shape[-2:]).triu(1).bool()
        return scores.masked_fill(later, -torch.inf).softmax(-1)


class MeanThenMLP(page.Mean):
    """It asks nothing, and works on what the mean has brought."""

    def __init__(self, words, width=32):
        super().__init__(words, width)
        bend = nn.GELU(approximate="tanh")
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), bend, nn.Linear(4 * width, width))

    def forward(self, tokens):
        x = self.vectors(tokens)
        x = x + self.look(x)
        return self.to_logits(x + self.mlp(x))


def built(variant):
    models = {
        "last": page.LastWord,
        "mean": page.Mean,
        "mean_placed": PlacedMean,
        "mean_mlp": MeanThenMLP,
        "asks": page.SelfAttention,
        "placed": page.Placed,
        "bare": Bare,
        "by_place": ByPlace,
        "unmasked": Unmasked,
        "undivided": Undivided,
    }
    model = models.get(variant, page.Placed)(len(page.vocab))
    if variant == "one_matrix":
        model.key = model.query
    if variant == "query_only":
        model.key = nn.Identity()
    if variant == "no_value":
        model.value = nn.Identity()
    return model


def run(variant, seed, steps):
    learned, new = page.split(seed)
    model = page.fresh(built(variant), seed)
    page.train(model, page.drawn(learned, seed), steps, rate=0.03)
    said, loss = page.finish(model, new)
    right = said == new[:, -1]
    kinds = [page.vocab[i] for i in new[:, -2]]
    written = writing_loss(model, new)
    found = {"right of 20": right.sum().item(), "loss": loss, "loss, writing": written}
    for kind in KINDS:
        asked = [ok for ok, this in zip(right.tolist(), kinds, strict=True) if this == kind]
        found[f"{kind}, % right"] = 100 * sum(asked) / max(len(asked), 1)
    return found


@torch.no_grad()
def writing_loss(model, new):
    """The loss where no later word exists yet: each word is read with those before it alone."""
    said = torch.stack([model(new[:, :n])[:, -1] for n in range(1, new.shape[1])], dim=-1)
    return F.cross_entropy(said, new[:, 1:]).item()


EXPERIMENT = Experiment(
    section="0.5",
    varies="what a word may know of those before it; in the last rows also the matrices, the mask "
    "and the root of d",
    held="100 sentences to learn from, 20 new ones, width 32, 32 sentences a step, AdamW with a "
    "rate that falls from 0.03 to a twentieth; first weights of size 0.3; seeds draw the new "
    "sentences, too, but for the three of the page",
    control="the mean with positions, or else it is positions and not asking that finish them; the "
    "mean with an MLP behind it, or else it is the one matrix that reads it which fails; keys of "
    "positions alone, or else these sentences ask for words as well; and the "
    "loss where each word is read without those behind it, the same but for the model without mask",
    refuted="the mean finishes *hungry* as well as the model that asks, or the model that asks "
    "finishes *fierce* without positions",
    steps=800,
    variants={
        "last": "the last token",
        "mean": "the mean of all so far",
        "mean_placed": "the mean, with positions",
        "mean_mlp": "the mean, and an MLP",
        "asks": "attention",
        "placed": "attention, with positions",
        "one_matrix": "… one matrix for queries and keys",
        "query_only": "… the vector itself as key",
        "no_value": "… the vector itself as value",
        "bare": "… the vector itself as query, key and value",
        "by_place": "… keys of positions alone",
        "unmasked": "… without the mask",
        "undivided": "… scores not divided by √d",
    },
    plan=collections.defaultdict(lambda: {1: 8, 2: 8}),
)
