"""Does SmolLM2 always write worse without its mask (175)? What the piece after the last costs, at
other lengths and in other texts."""

import torch
from book import real, tell

from d2lattn.edits import edited, see

everything = see(torch.ones(1, 1, dtype=torch.bool))


def twice(seed, count, length):
    """Pieces at random, and the same again."""
    return real.noise(seed, count, length // 2).repeat(1, 2)


@torch.no_grad()
def the_last(draw, seed, length, *edits):
    """What the piece costs that nobody has shown to the model."""
    tokens = draw(seed, 12, length + length % 2 + 2)
    tokens = tokens[:, : length + 1] if draw is not twice else tokens[:, :-1]
    with edited(real.model(), *edits):
        told = real.model()(tokens[:, :-1])[:, -1].log_softmax(-1)
    return -told.gather(1, tokens[:, -1:]).mean().item()


for name, draw, length in (
    ("prose, 64 pieces, new seeds", real.passages, 64),
    ("prose, 4 pieces", real.passages, 4),
    ("prose, 16 pieces", real.passages, 16),
    ("prose, 128 pieces", real.passages, 128),
    ("pieces at random, 64", real.noise, 64),
    ("random pieces said twice, 64", twice, 64),
):
    for mask, edits in (("with", []), ("without", [everything])):
        runs = [the_last(draw, seed, length, *edits) for seed in (100, 101)]
        tell(f"175, {name}: the last, {mask} the mask", runs)
