"""Why is the variance of a trained head's scores so much larger than d · var(q) · var(k)?"""

import pages
import torch
from experiment import Experiment

page = pages.functions("aligned")

WIDTHS = {"d16": 16, "d64": 64, "d256": 256}


def run(variant, seed, steps):
    """The variance of q·k over what section 3.1 says, before training, after it, and turned."""
    tokens, loads = page.lookup_batch(torch.Generator().manual_seed(1000 + seed), batch=256)
    layer = page.train_lookup(seed, steps, WIDTHS[variant])
    before = page.spread(page.train_lookup(seed, 0, WIDTHS[variant]), tokens)
    after = page.spread(layer, tokens)
    return {
        "before": before["measured"] / before["rule"],
        "after": after["measured"] / after["rule"],
        "after, keys turned": after["keys turned"] / after["rule"],
        "directions before": before["directions"],
        "directions after": after["directions"],
        "error": (layer(tokens) - loads).square().mean().item(),
    }


EXPERIMENT = Experiment(
    section="3.13",
    varies="the width of the head",
    held="the task (names of 8 numbers, 8 tokens), Adam, learning rate 0.01, batches of 32, "
    "queries and keys of different sentences",
    control="the keys turned by a random rotation, which keeps their variance and their number of "
    "directions: if the variance of q·k stays as large, few directions alone make it large",
    refuted="with the keys turned the variance of q·k stays far above the rule",
    steps=150,
    seeds=16,
    variants={"d16": "width 16", "d64": "width 64", "d256": "width 256"},
)
