"""Are norms needed for a large learning rate, or only a slow start?"""

import math

import pages
import torch
import torch.nn.functional as F
from experiment import Experiment

page = pages.functions("slow_start")
RISES = 50  # steps until the rate is reached


def train(model, batches, steps, learning_rate):
    """The loop of the page, with a rate that rises in a line to its height."""
    optimizer = torch.optim.AdamW(model.parameters(), learning_rate)
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate * min(1, (step + 1) / RISES)
        tokens, targets = batches(step)
        loss = F.cross_entropy(model(tokens).flatten(0, 1), targets.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


page.trained_decoder.__globals__["train"] = train  # which the page's trained_decoder calls


def run(variant, seed, steps):
    block = {"norms": page.NoNorms, "all": page.Block}[variant]
    _, loss = page.trained_decoder(block, steps=steps, seed=seed, learning_rate=1e-2)
    failed = math.isnan(loss)
    return {"loss": math.log(len(page.vocab_all)) if failed else loss, "ended in NaN": failed}


EXPERIMENT = Experiment(
    section="9.4",
    varies="whether six layers have norms, while the learning rate rises to 0.01 in 50 steps",
    held="first weights, sentences and their order, width 32, 4 heads, 32 sentences a step",
    control="the same without the rise is `norms_fast` and `all_fast` of the experiment parts",
    refuted="without norms trainings end in NaN all the same, or much worse than with them",
    steps=150,
    seeds=8,
    variants={"norms": "without norms, slow start", "all": "all parts, slow start"},
    run=run,
)
