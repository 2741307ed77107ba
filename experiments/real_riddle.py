"""Does a real model know what *it* is, and does it depend on how one asks?"""

import random

import smollm
import torch
from experiment import Experiment

from d2lattn_book.language import stories


def run(variant, seed, steps):
    """How many of 16 riddles are right, and how sure the model is."""
    riddles = random.Random(seed).sample(list(stories.pronouns()), 16)
    nouns = {noun for _, noun in stories.pronouns()}
    margins, firsts = [], []
    for sentence, noun in riddles:
        first, second = (word for word in sentence if word in nouns)
        other = second if noun == first else first
        margins.append(ASKED[variant](sentence, noun, other))
        firsts.append((margins[-1] > 0) == (noun == first))
    right = sum(margin > 0 for margin in margins)
    return {
        "right of 16": float(right),
        "says the first noun": float(sum(firsts)),
        "mean margin, nats": sum(margins) / len(margins),
    }


def question(sentence, noun, other):
    """What was too tired? The nouns' scores as the next token."""
    asked = f"{begun(sentence)}. What was too {sentence[-1]}? The"
    return next_piece(asked, noun, other)


def put_in(sentence, noun, other):
    """The likelihood of the end of the sentence once the noun stands in the place of *it*."""
    return end(sentence, noun) - end(sentence, other)


def end_alone(sentence, noun, other):
    """The same without the story: *The street was too wide.*"""
    rest = " ".join(sentence[sentence.index("it") + 1 :])
    return told(f"The {noun}", f" {rest}.") - told(f"The {other}", f" {rest}.")


def end(sentence, noun):
    place = sentence.index("it")
    return told(f"{begun(sentence[:place])} the {noun}", f" {' '.join(sentence[place + 1 :])}.")


def told(text, rest):
    """The log of the probability of the rest after a text."""
    start = smollm.encode(text).shape[1]
    return -smollm.losses(smollm.encode(text + rest))[0, start - 1 :].sum().item()


@torch.no_grad()
def next_piece(text, noun, other):
    """How much likelier one noun is than the other after a text."""
    logits = smollm.model()(smollm.encode(text))[0, -1]
    return (logits[smollm.piece(noun)] - logits[smollm.piece(other)]).item()


def begun(sentence):
    text = " ".join(sentence)
    return text[0].upper() + text[1:]


ASKED = dict(question=question, put_in=put_in, end_alone=end_alone)
EXPERIMENT = Experiment(
    section="9.21",
    varies="how it is asked",
    held="16 of the book's riddles of two nouns and an *it*; what counts is which of the two nouns "
    "is likelier, or makes the rest likelier",
    control="the end alone, *The street was too wide*, without the story: what is right there "
    "needs no reading; and how often the first noun is said, half the time if the place is nothing",
    refuted="all ways of asking give the same share of right answers",
    variants={
        "question": "*What was too …? The*, next token",
        "put_in": "the likelihood of the end with the noun put in",
        "end_alone": "the same without the story",
    },
)
