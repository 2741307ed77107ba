"""Which reading of a map predicts what hiding a word does?"""

import functools

import pages
import torch
from experiment import Experiment

from d2lattn_book.language import words

page = pages.functions("readings")
SENTENCES = [sentence[:-1] for sentence in words.sentences() if "found" in sentence]  # 48


def run(variant, seed, steps):
    """One reading, beside what hiding each word does, in the mean over the sentences."""
    pairs = [(reading(variant, seed, steps, s), hiding(seed, steps, s)) for s in SENTENCES]
    same = sum(bool(read.argmax() == lost.argmax()) for read, lost in pairs)
    sizes = [(read.abs(), lost.abs()) for read, lost in pairs]
    return {
        "rank correlation with how much the logit changes": mean_correlation(sizes),
        "with what the logit loses": mean_correlation(pairs),
        "the word that costs most, right of 48": same,
    }


def reading(variant, seed, steps, sentence):
    """A number for each of the eight words, (8,)."""
    if variant == "stranger":
        return reading("weight", seed + 1, steps, sentence)
    weights, adds = parts(seed, steps, tuple(sentence))
    mean = weights.mean(dim=0)
    moved = adds - weights * adds.sum(dim=1, keepdim=True)  # it goes, the others get its weight
    return {
        "weight": lambda: mean,
        "rollout": lambda: (mean + torch.eye(8)[7]) / 2,
        "adds": lambda: adds.sum(dim=0),
        "exact": lambda: (moved / (1 - weights)).sum(dim=0),
        "shuffled": lambda: mean[order(48 * seed + SENTENCES.index(sentence))],
    }[variant]()


@functools.cache
@torch.enable_grad()
def reader(seed, steps):
    """The page's model with three heads, trained."""
    return page.train(seed, steps)[0]


@functools.cache
@torch.no_grad()
def parts(seed, steps, sentence):
    """Of each head and word: its weight and what the logit gets, both (H, 8).

    The logit is that of the word that the model says.
    """
    model = reader(seed, steps)
    x = model.position(model.embedding(model.encode([list(sentence)])))  # (1, 8, E)
    said, weights = model.read(list(sentence))
    values = model.head.project(x, x, x)[2][0]  # (H, 8, D)
    W_o = model.head.out_proj.weight.view(-1, *values.shape[::2])  # (E, H, D)
    sent = torch.einsum("hs,hsd,ehd->hse", weights[:, -1], values, W_o)
    return weights[:, -1], sent @ model.lm_head.weight[model.vocabulary.index(said)]


@torch.no_grad()
def hiding(seed, steps, sentence):
    """What the logit of the word that is said loses if one word is hidden from the last, (8,)."""
    model = reader(seed, steps)
    masks = torch.ones(9, 8, 8, dtype=torch.bool)  # True = may attend
    masks[range(8), -1, range(8)] = False
    tokens = model.encode([sentence])
    logits = torch.cat([model(tokens, attn_mask=mask)[:, -1] for mask in masks])
    said = logits[8].argmax()
    return logits[8, said] - logits[:8, said]


def order(seed):
    """The eight words in a random order."""
    return torch.randperm(8, generator=torch.Generator().manual_seed(seed))


def mean_correlation(pairs):
    """Spearman's rank correlation, from −1 to 1, in the mean over pairs of (8,)."""
    ranks = [torch.stack(pair).argsort(dim=-1).argsort(dim=-1).double() for pair in pairs]
    return sum(torch.corrcoef(both)[0, 1].item() for both in ranks) / len(ranks)


EXPERIMENT = Experiment(
    section="4.8",
    varies="what is read from the maps of the last word, as one number for each of the eight",
    held="models with three heads in 12 channels, the 48 sentences about what was found, the "
    "logit of the word that is said, one word at a time hidden from the last",
    control="shuffled weights, which must predict nothing; those of another model, which must "
    "predict less; and the change worked out by hand, which in one layer must predict all",
    refuted="no reading that looks at the values is better than the mean weight at telling what "
    "the logit loses",
    steps=400,
    seeds=16,
    variants={
        "weight": "mean weight of the heads",
        "rollout": "rollout: half the mean weight, half for the word itself",
        "adds": "what it adds to the logit",
        "exact": "control: each head's part over 1 − weight, hiding worked out",
        "stranger": "control: mean weight of the next seed's reader",
        "shuffled": "control: mean weight, shuffled",
    },
)
