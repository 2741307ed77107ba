"""One matrix for queries and keys with another optimiser, another rate or start (86, 91).

86: does it stay a little above the mean of all tokens in the lookup of 2.5? 91: do the animals of
new threes stay at a half?
"""

import itertools

import torch
import torch.nn.functional as F
from book import pages, tell

from d2lattn import fit
from d2lattn_book.language import words

lookup = pages.functions("lookup")
circle = pages.functions("circle")


def learned(
    seed, variant="shared_v", *, width=6, steps=120, rate=3.0, adam=False, start=1, size=32
):
    """The share of signs right, the page's descent with one thing changed."""
    layer = lookup.new_layer(variant, seed, width=width)
    with torch.no_grad():
        for weight in layer.parameters():
            weight *= start
    kind = torch.optim.Adam if adam else torch.optim.SGD
    optimizer = kind(layer.parameters(), lr=rate)
    generator = torch.Generator().manual_seed(1000 + seed)
    for _ in range(steps):
        tokens, target = lookup.lookup_batch(size, generator)
        loss = F.mse_loss(layer(tokens), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return lookup.signs_right(layer, seed=2000 + seed)


def mean(seed):
    return lookup.signs_right(lambda tokens: tokens[..., 12:].mean(1, True), 2000 + seed)


def chased(seed, variant, *, steps=200, rate=0.03, decay=0.1, size=32, clip=1.0):
    """The share of animals right in threes that were seen, and in new ones; as `chase`."""
    model, generator = circle.runner(variant, seed), torch.Generator().manual_seed(seed)
    threes = list(itertools.combinations(words.ANIMALS, 3))
    order = torch.randperm(20, generator=generator).tolist()
    exams = [circle.circles([threes[i] for i in part], True) for part in (order[:16], order[16:])]

    def batches(step):
        rows = torch.randint(96, (size,), generator=generator)
        return [x[rows] for x in exams[0]]

    fit(model, batches, steps=steps, learning_rate=rate, warmup=0, weight_decay=decay, clip=clip)
    says = [(model(told).argmax(-1) == right)[:, circle.STAND] for told, right in exams]
    return [right.double().mean().item() for right in says]


tell("86, the mean of all tokens", [mean(seed) for seed in range(100, 104)])
for name, changed in {
    "as on the page, new seeds": {},
    "rate 0.5, 1,000 steps": dict(rate=0.5, steps=1000),
    "Adam, 0.01, 1,000 steps": dict(adam=True, rate=0.01, steps=1000),
    "Adam, 0.01, 16 rows, 3,000 steps": dict(adam=True, rate=0.01, steps=3000, width=16),
    "start four times as large": dict(start=4),
}.items():
    tell(f"86, {name}", [learned(seed, **changed) for seed in range(100, 104)])

for name, changed in {
    "as on the page, new seeds": {},
    "no weight decay": dict(decay=0.0),
    "batches of 8": dict(size=8),
    "batches of 96": dict(size=96),
    "gradient not clipped": dict(clip=1e9),
    "rate 0.01": dict(rate=0.01),
    "rate 0.1": dict(rate=0.1),
    "rate 0.003, 2,000 steps": dict(rate=0.003, steps=2000),
}.items():
    runs = [chased(seed, "shared_v", **changed) for seed in range(100, 106)]
    tell(f"91, {name}: new threes", [new for _, new in runs])
    tell("  threes it saw", [seen for seen, _ in runs])
runs = [chased(seed, "mean_v") for seed in range(100, 106)]
tell("91, equal shares: new threes", [new for _, new in runs])
