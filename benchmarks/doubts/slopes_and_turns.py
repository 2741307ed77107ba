"""Is *five back* hard for ALiBi, and do *near* and *the latest* suit it (145)? Is RoPE harmed by
new lags, helped by a window, and by slower turns (194)?

New seeds throughout. ALiBi: another lag; three times the steps; four layers; an MLP. RoPE: two
heads of 32, and other turns that are made slower.
"""

import torch
from book import pages, tell

page = pages.functions("rope_beyond")
SEEDS = (100, 101)
five_back = page.TASKS["five back"]


def back(k):
    """The task of 7.7 for another lag."""

    def task(batch, length, generator):
        symbols = torch.randint(10, (batch, length), generator=generator)
        answers = symbols.roll(k, dims=-1)
        answers[:, :k] = page.SILENT
        return symbols, answers

    return task


def alibi(k=5, steps=400, method="ALiBi", **options):
    page.TASKS["five back"] = back(k)
    models = [page.train(method, steps=steps, seed=seed, **options) for seed in SEEDS]
    found = {task: [100 * page.accuracy(m, task, 32) for m in models] for task in page.TASKS}
    page.TASKS["five back"] = five_back
    return found


for name, options in {
    "as on the page": {},
    "one back": dict(k=1),
    "two back": dict(k=2),
    "three times the steps": dict(steps=1200),
    "four layers": dict(num_layers=4),
    "with an MLP": dict(mlp_dim=256),
    "control: RoPE, two back": dict(k=2, method="RoPE"),
}.items():
    for task, right in alibi(**options).items():
        task = task if task == "latest value" else f"{options.get('k', 5)} back"
        tell(f"145, ALiBi, {name}: {task}, % right", right)


def beyond(slow, **options):
    """Right at 128 as trained, behind a window of 32, and turned more slowly."""
    models = [page.train("RoPE", steps=400, seed=seed, **options) for seed in SEEDS]
    ways = {
        "as trained": lambda model, task: page.accuracy(model, task, 128),
        "window": lambda model, task: page.accuracy(model, task, 128, window=32),
    }
    if slow:
        ways["slower"] = lambda model, task: page.accuracy(page.Slowed(model, slow), task, 128)
    for task in page.TASKS:
        for way, right in ways.items():
            shares = [100 * right(model, task) for model in models]
            tell(f"  {task}, {way}, % right at 128", shares)


print("194, eight heads, the second pair four times slower")
beyond((1, 4, 1, 1))
print("194, eight heads, slow pairs twice slower")
beyond((1, 2, 2, 2))
print("194, two heads of 32")
beyond(None, num_heads=2)
