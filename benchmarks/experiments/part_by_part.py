"""Does each part of a small Transformer lower the loss when it is added to those before it?"""

import pages
import torch
from experiment import Experiment

page = pages.functions("each_part")
TEXT = page.own_text.read()
VOCABULARY = sorted(set(TEXT))
TRAINING, HELD_OUT = (
    torch.tensor([VOCABULARY.index(c) for c in part]) for part in page.own_text.split(TEXT)
)
BLOCKS = {
    "heads": page.AttentionBlock,
    "mlp": page.MLPBlock,
    "two_blocks": page.MLPBlock,
    "residual": page.ResidualBlock,
    "one_residual": page.ResidualBlock,
}
LAYERS = {"two_blocks": 2, "residual": 2}


def run(variant, seed, steps):
    if variant == "one_head":
        model = page.Placed(len(VOCABULARY), width=64, length=page.LENGTH)
    else:
        model = page.Stack(len(VOCABULARY), BLOCKS[variant], LAYERS.get(variant, 1))
    page.fresh(model, seed, size=0.08)
    rows = TRAINING.unfold(0, page.LENGTH + 1, 1)
    page.train(model, page.drawn(rows, seed), steps, rate=0.005)
    return {
        "held-out loss": page.loss_on(model, HELD_OUT),
        "training loss": page.loss_on(model, TRAINING[:8000]),
        "parameters": sum(p.numel() for p in model.parameters()),
    }


PARTS = {
    "one_head": "attention with positions, as in 0.5",
    "heads": "… with four heads",
    "mlp": "… and an MLP",
    "two_blocks": "… in two blocks",
    "residual": "… the MLP's output added to its input",
    "one_residual": "the same in one block",
}
EXPERIMENT = Experiment(
    section="0.7",
    varies="how many of the parts of a Transformer the model has; the last part, the norms, makes "
    "it the model with all parts of each_part",
    held="the text, the width, the loop, the loss and the initial parameters of each_part",
    control="counting pairs (2.43) and groups of five letters (1.45); the residual connection in "
    "one block, too; and each_part with all parts (1.55) and without norms (1.61), where the "
    "embeddings start six times as large",
    refuted="a part that does not lower the mean loss of the row before it; seed 0 of most rows "
    "had been seen before the others were run",
    steps=600,
    seeds=8,
    variants=PARTS,
    run=run,
    plan={part: {1: 3} for part in PARTS},
)
