"""Does a word get one vector for each of its senses, and does it take training?"""

import pages
import torch
import torch.nn.functional as F
from experiment import Experiment
from torch import nn

page = pages.functions("apple")


def run(variant, seed, steps):
    model = page.seeded(len(page.vocab), 32, layers=2, heads=1, length=7, seed=seed)
    if variant == "trained":
        page.train(model, page.gaps(seed), steps)
    model.to_logits = nn.Identity()
    with torch.no_grad():
        apples = model(page.numbered(page.held_out, page.vocab))[:, 1]
    cosines = F.cosine_similarity(apples[:, None], apples, dim=-1)
    fruit = torch.arange(8) >= 4
    same = fruit[:, None] == fruit
    others = same & ~torch.eye(8, dtype=torch.bool)
    return {
        "cosine, same sense": cosines[others].mean().item(),
        "cosine, two senses": cosines[~same].mean().item(),
        "two groups": (cosines[same].min() > cosines[~same].max()).item(),
    }


EXPERIMENT = Experiment(
    section="9.2",
    varies="whether the weights are trained",
    held="the eight held-out sentences, two blocks of width 32, learning rate 0.003, 64 a step",
    control="random weights mix sentences, too, and would do if mixing alone made two groups",
    refuted="an apple of one sense is nearer to one of the other sense than to one of its own",
    steps=300,
    variants={"trained": "trained", "random": "random weights"},
)
