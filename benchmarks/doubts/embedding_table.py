"""The table of SmolLM2's vectors asked with other words than *bat* and *apple* (40), and one step
of the formula with other sentences than the one on pie (41)."""

from collections import Counter

import torch
from book import real

model, tokenizer = real.loaded()
table = model.embedding.weight.detach()
WORDS = """
dog cat horse bird mouse fish tree river mountain house door window table chair book paper
water fire milk bread cheese sugar tea wine king queen doctor teacher child mother father friend
summer winter spring morning night day music song dance game ball bank light plant car road train
city country school church money gold silver red green blue black white big small old new young
run walk eat drink sleep write read sing think know love hate give take good bad
""".split()  # noqa: SIM905
SENTENCES = """He baked a pie with a sweet apple
In the orchard we picked an apple
For dessert the child ate an apple
A worm had eaten into the apple
She works as a software engineer at apple
Investors sold their stock in apple
The girl swung the bat
The owl chased the bat
He borrowed the money from a bank
Boil the pasta in salted water
The old man sat on a chair
The dog wanted to drink the milk""".splitlines()

lengths = table.norm(dim=-1)
longest = lengths.argsort(descending=True)[:5].tolist()
print("the longest vectors:", *(f"{tokenizer.decode([i])!r} {lengths[i]:.2f}" for i in longest))
winners = Counter()
for word in WORDS:
    ids = tokenizer.encode(f" {word}").ids
    if len(ids) == 1:
        best = int((table @ table[ids[0]]).argmax())
        winners["itself" if best == ids[0] else tokenizer.decode([best])] += 1
print("40: who scores highest with one of", winners.total(), "words:", dict(winners.most_common(8)))

print("41: what the last word takes from itself in one step, and who comes next")
for sentence in SENTENCES:
    tokens = real.encode(sentence)[0]
    scores = table[tokens] @ table[tokens[-1]]
    shares = torch.softmax(scores, dim=0)
    second = int(shares[:-1].argmax())
    word = tokenizer.decode([int(tokens[second])])
    print(
        f"  {sentence:45} itself {shares[-1]:.2f} (score {scores[-1]:.1f}), then{word} "
        f"{shares[second]:.2f} (score {scores[second]:.1f})"
    )
