"""Do ten vectors drawn at random do, to say ten symbols backwards (93)? Other draws, other lengths
of the vectors, longer texts, five times as many steps."""

import torch
from book import pages, tell

page = pages.functions("which_numbering")


def right(seed, count=10, size=1.0, **options):
    def task(number, generator):
        symbols = torch.randint(8, (number, count), generator=generator)
        return symbols, symbols.flip(1)

    rows = size * torch.randn(count, 32, generator=torch.Generator().manual_seed(seed))
    return page.train(page.adding(rows), seed=seed, task=task, **options)[1].double().mean().item()


for name, options in {
    "other draws": {},
    "a quarter as long": dict(size=0.25),
    "four times as long": dict(size=4.0),
    "twenty symbols": dict(count=20),
    "forty symbols": dict(count=40),
    "forty symbols, 600 steps": dict(count=40, steps=600),
}.items():
    tell(f"93, {name}: right of 1", [right(seed, **options) for seed in (100, 101, 102)])
