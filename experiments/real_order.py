"""What does a real model make of the order of its words?

Tokens that are shuffled take words apart, too: *un* and *fold* are two tokens. So whole words are
shuffled as well, each with its tokens in order; predicted before the run: they are worth 0.1 nats
or more against none before, and much less than in order. Predicted of the second text what the
book's prose gave: all places 500 further give the same loss, doubled places cost less than half a
nat, halved ones more than doubled, and without rotation the loss is above that with none before.
"""

import smollm
import torch
from experiment import Experiment

from d2lattn_book.real.edits import turn

LENGTH, LAST = 128, 32
SPEEDS = 100000.0 ** -(torch.arange(32).double() / 32)


def run(variant, seed, steps):
    """Nats of the last 31 of 128 tokens, whose order is never changed."""
    text, change = smollm.text_and_change(variant)
    tokens = smollm.passages(seed, 4, LENGTH, text)
    generator = torch.Generator().manual_seed(seed)
    before, last = tokens[:, :-LAST], tokens[:, -LAST:]
    if change.startswith("other"):
        before = before.roll(1, dims=0)
    if change in ("pieces", "other_shuffled"):
        before = before[:, torch.randperm(LENGTH - LAST, generator=generator)]
    if change == "far_shuffled":  # the last 16 stay
        places = torch.cat([torch.randperm(80, generator=generator), torch.arange(80, 96)])
        before = before[:, places]
    if change in ("words", "other_words"):
        before = torch.stack([words_shuffled(row, generator) for row in before])
    if change in BEFORE:
        before = before[:, LENGTH - LAST - BEFORE[change] :]
    told = smollm.losses(torch.cat([before, last], 1), *EDITS.get(change, []))
    return {"nats": told[:, 1 - LAST :].mean()}


def words(row):
    """The tokens of each word: one that begins with a blank or a new line begins a word."""
    found = []
    for piece in row:
        begins = smollm.loaded()[1].decode([piece.item()])[:1].isspace()
        if begins or not found:
            found.append([])
        found[-1].append(piece)
    return [torch.stack(word) for word in found]


def words_shuffled(row, generator):
    """The same tokens, whole words in a random order."""
    whole = words(row)
    order = torch.randperm(len(whole), generator=generator).tolist()
    return torch.cat([whole[k] for k in order])


def at(places):
    """Everybody stands at these places: turned by hand, since a half is no place for the model."""
    return [turn(lambda x: smollm.turned(x, places, SPEEDS))]


BEFORE = {"near": 16, "none": 0}
EDITS = {
    "unturned": [turn(None)],
    "later": at(torch.arange(LENGTH) + 500),
    "doubled": at(2 * torch.arange(LENGTH)),
    "halved": at(torch.arange(LENGTH) / 2),
}
EXPERIMENT = Experiment(
    section="7.9",
    varies="what stands before the last 32 tokens: the 96 in order, tokens or whole words of them "
    "shuffled, those of another passage, the last 16 alone, or none; or the places to which "
    "queries and keys are turned; and the text, the book's prose or Python's manual",
    held="four passages of 128 tokens; the loss of the last 31, which always stand in order",
    control="none before, and the tokens or whole words of another passage, in order and shuffled, "
    "from where counts what the passage's own are worth without their order; and all places 500 "
    "further, which must give the same to 1e-4",
    refuted="tokens before it in a random order are worth as much as in order; whole words in a "
    "random order help by less than 0.05 nats against none, in either text, or no more than "
    "another passage's; without rotation the loss stays as it was; in the manual, doubled places "
    "cost half a nat or more, or without rotation the loss is below that with none before",
    variants={
        "all": "in order",
        "pieces": "the 96 before shuffled",
        "far_shuffled": "the same, but for the last 16 of them",
        "words": "their whole words shuffled",
        "other": "the 96 of another passage",
        "other_shuffled": "those shuffled",
        "other_words": "the whole words of another passage shuffled",
        "near": "the last 16 alone",
        "none": "none before",
        "unturned": "no rotation",
        "later": "all places + 500",
        "doubled": "all places doubled",
        "halved": "all places halved",
        "manual_all": "manual, in order",
        "manual_pieces": "manual, the 96 before shuffled",
        "manual_words": "manual, whole words shuffled",
        "manual_other_words": "manual, another passage's words shuffled",
        "manual_near": "manual, the last 16 alone",
        "manual_none": "manual, none before",
        "manual_unturned": "manual, no rotation",
        "manual_later": "manual, all places + 500",
        "manual_doubled": "manual, all places doubled",
        "manual_halved": "manual, all places halved",
    },
)
