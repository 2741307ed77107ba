"""Does clipping the gradient do at a larger learning rate what the norms do?"""

import math

import pages
import torch
import torch.nn.functional as F
from experiment import Experiment

page = pages.functions("clipped")


def train(model, batches, steps, learning_rate):
    """The loop of the page, with gradients of length 1 at most."""
    optimizer = torch.optim.AdamW(model.parameters(), learning_rate)
    for step in range(steps):
        tokens, targets = batches(step)
        loss = F.cross_entropy(model(tokens).flatten(0, 1), targets.flatten())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()


page.trained_decoder.__globals__["train"] = train  # which the page's trained_decoder calls


def run(variant, seed, steps):
    block = {"norms": page.NoNorms, "all": page.Block}[variant]
    _, loss = page.trained_decoder(block, steps=steps, seed=seed, learning_rate=1e-2)
    failed = math.isnan(loss)
    return {"loss": math.log(len(page.vocab_all)) if failed else loss, "ended in NaN": failed}


EXPERIMENT = Experiment(
    section="9.4",
    varies="whether six layers have norms, while gradients are clipped to length 1 and the "
    "learning rate is 0.01 from the first step on",
    held="first weights, sentences and their order, width 32, 4 heads, 32 sentences a step",
    control="the same without clipping is `norms_fast` and `all_fast` of the experiment parts",
    refuted="without norms trainings end in NaN all the same, or much worse than with them",
    steps=150,
    seeds=8,
    plan={"norms": {1: 8, 2: 4}, "all": {1: 8, 2: 4}},
    variants={"norms": "without norms, clipped", "all": "all parts, clipped"},
    run=run,
)
