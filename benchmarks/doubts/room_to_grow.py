"""How far scores outgrow √d, with other steps and another optimiser, and whether a division by d
leaves more room (142). The model of 3.2."""

import torch
from book import tell

from d2lattn_book.language import next_word, words

SEEDS = range(100, 104)
tokens = next_word.NextWord(words.vocabulary()).encode([s[:-1] for s in words.sentences()])
seen = torch.ones(8, 8).tril().bool()


@torch.no_grad()
def sizes(model):
    """q·k over √d, the score that the softmax gets (roots of the mean squares), and the share of
    rows with more than 0.98 in one place."""
    x = model.position(model.embedding(tokens))
    products = (model.head.q_proj(x) @ model.head.k_proj(x).mT)[:, seen]
    largest = model(tokens, need_weights=True)[1][:, 1:].amax(-1)  # the first row sees one word
    root = products.square().mean().sqrt()
    return root / x.shape[-1] ** 0.5, root * model.scale, (largest > 0.98).double().mean()


def trained(seed, divide, *, width=64, rate=0.03, steps=200, sgd=False):
    scale = 1 / (width if divide == "d" else width**0.5)
    model = next_word.NextWord(words.vocabulary(), width, scale=scale, seed=seed)
    if not sgd:
        return sizes(
            next_word.teach(model, seed, steps=steps, learning_rate=rate, every=steps).model
        )
    optimizer, generator = (
        torch.optim.SGD(model.parameters(), lr=rate),
        torch.Generator().manual_seed(seed),
    )
    corpus = words.sentences()
    for _ in range(steps):
        loss = model.loss([corpus[i] for i in torch.randint(120, (32,), generator=generator)])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return sizes(model)


for name, changed in {
    "rate 0.003": dict(rate=0.003),
    "rate 0.01": dict(rate=0.01),
    "rate 0.03": {},
    "rate 0.1": dict(rate=0.1),
    "rate 0.003, 10 steps": dict(rate=0.003, steps=10),
    "rate 0.03, 10 steps": dict(steps=10),
    "rate 0.1, 10 steps": dict(rate=0.1, steps=10),
    "SGD, rate 0.1": dict(sgd=True, rate=0.1),
    "SGD, rate 1": dict(sgd=True, rate=1.0),
}.items():
    for divide in ("√d", "d"):
        runs = [trained(seed, divide, **changed) for seed in SEEDS]
        tell(f"142, {name}, divided by {divide}: q·k / √d", [size for size, _, _ in runs])
        tell("  what the softmax gets", [given for _, given, _ in runs])
        tell("  rows with 0.98 in one place", [full for *_, full in runs])
