"""Which of the words may be drawn: what do top-k, top-p and min-p do to a decoder's texts?"""

import functools

import torch
import torch.nn.functional as F
from experiment import Experiment

from d2lattn import Decoder, generate
from d2lattn_book.language import stories, words

TEMPERATURES = (0.5, 1.0, 1.5, 2.0)
TEXTS = 300
RULES = {
    "all": {},
    "top_k": dict(top_k=3),
    "top_p": dict(top_p=0.9),
    "min_p": dict(min_p=0.1),
}


TOLD = stories.stories(4000)
VOCAB = [".", *words.vocabulary(TOLD)]


@functools.cache  # one training for all the rules
def writer(seed, steps):
    """The decoder of section 9.5: two blocks, the first weights and the loop of the page."""
    filled = [["."] + s + ["."] * (14 - len(s)) for s in TOLD]
    rows = torch.tensor([[VOCAB.index(word) for word in sentence] for sentence in filled])
    model = Decoder(len(VOCAB), 32, num_layers=2, num_heads=4, max_len=15, seed=seed)
    optimizer = torch.optim.AdamW(model.parameters(), 3e-3)
    generator = torch.Generator().manual_seed(seed)
    for _ in range(steps):
        drawn = rows[torch.randint(len(rows), (32,), generator=generator)]
        loss = F.cross_entropy(model(drawn[:, :-1]).flatten(0, 1), drawn[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model


@functools.cache
def grammar():
    """What 40,000 draws bring up, and the sentences with pronouns."""
    found = {" ".join(sentence) for sentence in stories.stories(40_000)}
    return found | {" ".join(sentence) for sentence, _ in stories.pronouns()}


def run(variant, seed, steps):
    found = {}
    for temperature in TEMPERATURES:
        generator = torch.Generator().manual_seed(seed)
        how = dict(temperature=temperature, generator=generator, **RULES[variant])
        first = torch.zeros(TEXTS, 1).long()  # full stops
        rows = generate(writer(seed, steps), first, steps=14, **how)[:, 1:].tolist()
        texts = [" ".join(VOCAB[i] for i in row).partition(" .")[0] for row in rows]
        right = [text for text in texts if text in grammar()]
        found[f"right at {temperature:g}"] = len(right) / TEXTS
        found[f"right and different at {temperature:g}"] = len({*right}) / TEXTS
    return found


EXPERIMENT = Experiment(
    section="9.12",
    varies="which words may be drawn: all, the three likeliest, those of a nucleus of .9, or those "
    "with at least a tenth of the largest p; the temperature, by columns",
    held="two blocks of width 32, 4 heads, 32 sentences a step, learning rate 0.003, one training "
    "for the four rules of a seed; 300 texts, of which are counted those that are "
    "sentences of the grammar, and the different ones among them",
    control="all words at temperature 0.5: a rule that makes more texts right at a higher "
    "temperature, but fewer different ones than these, is worth no more than a lower temperature",
    refuted="at temperature 2 a nucleus has as many right sentences as min-p",
    steps=500,
    variants={
        "all": "all words",
        "top_k": "top-k, 3",
        "top_p": "top-p, .9",
        "min_p": "min-p, .1",
    },
    plan={name: {1: 4} for name in RULES},
)
