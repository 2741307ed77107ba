"""What is a text worth to a real model whose words are whole and in no order?

Written down before the run; what made us ask were a few passages of other texts. real_order
shuffles *tokens*, which also takes words apart: *un* and *fold* are two tokens. Here whole words
are shuffled, each with its tokens in order. Predicted: they are worth something, 0.1 nats or more
better than none before, and much less than in order; and in another text as well. Refuted if whole
words help by less than 0.05 nats in either text, or as much as another passage's whole words do.
"""

import real
import torch
from experiment import Experiment

LENGTH, LAST = 128, 32


def run(variant, seed, steps):
    """Nats of the last 31 of 128 tokens, which always stand in order."""
    which, _, change = variant.partition("_")
    tokens = real.passages(seed, 4, LENGTH, which)
    generator = torch.Generator().manual_seed(seed)
    before, last = tokens[:, :-LAST], tokens[:, -LAST:]
    if change == "other":
        before = before.roll(1, dims=0)
    if change == "pieces":
        before = before[:, torch.randperm(LENGTH - LAST, generator=generator)]
    if change in ("words", "other"):
        before = torch.stack([words_shuffled(row, generator) for row in before])
    if change == "near":
        before = before[:, -16:]
    if change == "none":
        before = before[:, :0]
    told = real.losses(torch.cat([before, last], 1))[:, 1 - LAST :]
    return {
        "nats": told.mean(),
        "words of the 96": sum(len(words(row)) for row in tokens[:, :-LAST]) / 4,
    }


def words(row):
    """The tokens of each word: one that begins with a blank or a new line begins a word."""
    found = []
    for piece in row:
        begins = real.loaded()[1].decode([piece.item()])[:1].isspace()
        if begins or not found:
            found.append([])
        found[-1].append(piece)
    return [torch.stack(word) for word in found]


def words_shuffled(row, generator):
    """The same tokens, whole words in a random order."""
    whole = words(row)
    order = torch.randperm(len(whole), generator=generator).tolist()
    return torch.cat([whole[k] for k in order])


EXPERIMENT = Experiment(
    section="6.10",
    varies="the text, the book's prose or Python's manual; and what stands before the last 32 "
    "tokens: the 96 in order, their tokens shuffled, their whole words shuffled, the last 16 of "
    "them, or none",
    held="four passages of 128 tokens, as in real_order; the loss of the last 31, which always "
    "stand in order",
    control="the whole words of another passage, shuffled in the same way: if they help as much, "
    "it is not this text's words that help; and none before",
    refuted="whole words in a random order help by less than 0.05 nats against none, in either "
    "text, or no more than another passage's",
    variants={
        "prose_all": "prose, in order",
        "prose_pieces": "prose, tokens shuffled",
        "prose_words": "prose, whole words shuffled",
        "prose_other": "prose, another passage's words shuffled",
        "prose_near": "prose, the last 16 alone",
        "prose_none": "prose, none before",
        "manual_all": "manual, in order",
        "manual_pieces": "manual, tokens shuffled",
        "manual_words": "manual, whole words shuffled",
        "manual_other": "manual, another passage's words shuffled",
        "manual_near": "manual, the last 16 alone",
        "manual_none": "manual, none before",
    },
    run=run,
    steps=None,
    seeds=8,
)
