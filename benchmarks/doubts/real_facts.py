"""Does the answer come up from layer 24 on, and is it hardly better than another before (312), in
facts that are told otherwise? And without the four heads and the one below them, can SmolLM2
not repeat what it has read (317), if it is prose, if the round is short, or if there are three?"""

import torch
from book import real, tell

from d2lattn.edits import edited, heads_off, lens, trace

SAME = """The capital of Poland is|Warsaw|Berlin
The capital of Portugal is|Lisbon|Madrid
The capital of Norway is|Oslo|Berlin
The capital of Cuba is|Havana|Madrid"""
TOLD = """The Eiffel Tower stands in the city of|Paris|Rome
Paris is the capital of|France|Italy
In Italy people speak|Italian|French
Shakespeare was born in|Strat|London
The author of Hamlet is William|Shakespeare|Dickens
The largest planet is|Jupiter|Mars"""
COPIED = """Paris, Rome, Paris, Rome, Paris, Rome,|Paris|London
My name is Tom. Your name is Anna. My name is|Tom|Anna
France: Paris. Italy: Rome. Japan: Tokyo. France:|Paris|Rome"""
POINTS = (6, 12, 18, 24, 27, 29, 30)


def ranks(prompt, *words):
    stream = trace(real.model(), real.encode(prompt), keep=["stream"], rows=[-1]).stream[:, 0, 0]
    with torch.no_grad():
        logits = lens(real.model(), stream)
    pieces = [real.loaded()[1].encode(f" {word}").ids[0] for word in words]
    return [[int((logits[n] > logits[n, p]).sum()) + 1 for n in POINTS] for p in pieces]


for name, lines in (("capitals, new", SAME), ("told otherwise", TOLD), ("in the text", COPIED)):
    print(f"312, {name}: rank after layers", *POINTS)
    for line in lines.splitlines():
        for word, found in zip(line.split("|")[1:], ranks(*line.split("|")), strict=True):
            print(f"  {line.split('|')[0][-40:]:40} {word:12}", *(f"{n:6}" for n in found))

model = real.model()
once = torch.randint(1000, 40_000, (1, 48), generator=torch.Generator().manual_seed(0))
shares = trace(model, once.repeat(1, 2), keep=["weights"]).weights[:, 0]  # as the page finds them
asks = torch.arange(48, 95)
after = shares[:, :, asks, asks - 47].mean(-1)
before = shares.diagonal(-1, 2, 3).mean(-1)
induction = [divmod(i, 9) for i in after.flatten().argsort(descending=True)[:4].tolist()]
previous = divmod(before.flatten().argmax().item(), 9)
print("317: heads", induction, "and", previous)


def second_round(once, rounds, *off):
    n = once.shape[1]
    told = real.losses(once.repeat(1, rounds), *([heads_off(*off)] if off else []))
    return told[:, -n + 4 :].mean().item()


def said_again(once, rounds, *off):
    """The share of pieces of the last round that are the likeliest."""
    tokens, n = once.repeat(1, rounds), once.shape[1]
    with torch.no_grad(), edited(model, *([heads_off(*off)] if off else [])):
        said = model(tokens)[:, :-1].argmax(-1) == tokens[:, 1:]
    return said[:, -n + 4 :].float().mean().item()


for name, draw, length, rounds in (
    ("pieces at random, new draws", real.noise, 48, 2),
    ("16 pieces at random", real.noise, 16, 2),
    ("three rounds", real.noise, 32, 3),
    ("prose", real.passages, 48, 2),
):
    for off, heads in (
        ("all heads", []),
        ("without the four", induction),
        ("without it", [previous]),
    ):
        seeds = range(100, 108 if draw is real.passages else 102)
        runs = [draw(seed, 2, length) for seed in seeds]
        tell(
            f"317, {name}, {off}: nats, last round", [second_round(x, rounds, *heads) for x in runs]
        )
        tell("   likeliest piece is right", [said_again(x, rounds, *heads) for x in runs])
    if draw is real.passages:
        first = [real.losses(x)[:, 3:].mean().item() for x in runs]
        tell("   the first round, all heads", first)
