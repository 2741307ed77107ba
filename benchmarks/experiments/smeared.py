"""Can one layer go on in the second round if a key takes the key before it along?"""

import pages
import torch
from experiment import Experiment
from torch import nn

from d2lattn import Decoder, MultiHeadAttention, fit

page = pages.functions("smeared")


class Smeared(MultiHeadAttention):
    """A key is a mixture of itself and the key before it, one learned number a head."""

    def project(self, query, key, value):
        q, k, v = super().project(query, key, value)  # (B, H, L, D)
        before = torch.cat([k[:, :, :1], k[:, :, :-1]], dim=2)
        mix = self.mix.sigmoid()[:, None, None]
        return q, (1 - mix) * k + mix * before, v


def run(variant, seed, steps):
    """The page's one layer with two heads, as it is or with such keys; the period varies."""
    sizes = dict(num_layers=1, num_heads=2, mlp_dim=0, max_len=page.LENGTH, seed=seed)
    model = Decoder(page.SYMBOLS, 32, **sizes)
    if variant == "smeared":
        attention = model.blocks[0].attention
        attention.__class__, attention.mix = Smeared, nn.Parameter(torch.zeros(2))
    batches = page.repeating(False, False, torch.Generator().manual_seed(seed))
    fit(model, batches, steps=steps, learning_rate=5e-3)
    return {"predicted": page.predicted(model)}


EXPERIMENT = Experiment(
    section="9.6",
    varies="whether each key is mixed with the key before it, by one learned number a head",
    held="one layer, two heads, attention only; sequences with a period that varies, steps, rate "
    "and first weights as on the page",
    control="the same layer with plain keys, trained in the same loop",
    refuted="with such keys the layer predicts the second round no better than without",
    steps=700,
    seeds=8,
    plan={"plain": {1: 8}, "smeared": {1: 8}},
    variants={"plain": "plain keys", "smeared": "keys that take their neighbour along"},
    run=run,
)
