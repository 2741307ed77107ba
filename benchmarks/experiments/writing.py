"""What do temperature and top-k do to the texts of a decoder?"""

import pages
import torch
from experiment import Experiment

page = pages.functions("writing")


def run(variant, seed, steps):
    block = page.NoAttention if variant == "no_attention" else page.Block
    model, _ = page.trained_decoder(block, layers=2, steps=steps, seed=seed)
    if variant == "no_attention":  # as the package's Decoder, which writes, has one
        with torch.no_grad():
            for block in model.blocks:
                for parameter in block.attention.parameters():
                    parameter.zero_()
    found = {}
    for name, how in {"0.5": (0.5,), "1": (1,), "2": (2,), "2, top-3": (2, 3)}.items():
        good, different = page.judged(model, *how)
        found |= {f"right at {name}": good, f"different at {name}": different}
    return found


EXPERIMENT = Experiment(
    section="9.5",
    varies="temperature and top-k; whether there is attention",
    held="two blocks of width 32, 4 heads, 32 sentences a step, learning rate 0.003, 300 texts",
    control="a model without attention knows the last word and its place alone: if it wrote "
    "sentences as well, they would show nothing",
    refuted="temperature 2 writes as many right sentences as temperature 1, or top-3 rescues none",
    steps=500,
    seeds=8,
    variants={"two": "two blocks", "no_attention": "two blocks without attention"},
    run=run,
)
