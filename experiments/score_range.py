"""Do scores grow with the learning rate, and does the loss care?"""

import torch
import torch.nn.functional as F
from experiment import Experiment

from d2lattn import (
    Decoder,
    MultiHeadAttention,
    attention_scores,
    causal_mask,
    fit,
    masked_softmax,
)
from d2lattn_book.language import words


class SoftCapped(MultiHeadAttention):
    """Scores s become 20·tanh(s / 20), as in Gemma 2; every word sees those before it."""

    def attend(self, query, key, value, **seen):
        scores = 20 * torch.tanh(attention_scores(query, key) / 20)
        return masked_softmax(scores, causal_mask(query.shape[2])) @ value, None


RATES = {"003": 0.003, "01": 0.01, "10": 0.1}
KINDS = {"plain": {}, "norm": dict(qk_norm=True), "cap": dict(attention=SoftCapped)}
CALLED = {"plain": "without", "norm": "QK-norm", "cap": "soft cap 20"}


def largest_score(model, tokens):
    x, found = model.position(model.embedding(tokens)), []
    for block in model.blocks:
        q, k, _ = block.attention.project(*3 * [block.attention_norm(x)])  # (B, heads, L, 16)
        found.append((q @ k.mT / 4).tril().abs().max().item())
        x = block(x, is_causal=True)
    return max(found)


def train_at(rate, seed, steps, **options):
    """The largest score of a decoder, and its loss on 20 unseen sentences."""
    generator = torch.Generator().manual_seed(seed)
    vocab = words.vocabulary()
    rows = torch.tensor([[vocab.index(w) for w in s] for s in words.sentences()])  # (120, 9)
    rows = rows[torch.randperm(len(rows), generator=generator)]
    sizes = dict(num_layers=2, num_heads=2, max_len=8)
    model = Decoder(len(vocab), 32, seed=seed, **sizes, **options)

    def batch(step):
        some = rows[20:][torch.randint(100, (32,), generator=generator)]
        return some[:, :-1], some[:, 1:]

    fit(model, batch, steps=steps, learning_rate=rate, warmup=0)
    with torch.no_grad():
        loss = F.cross_entropy(model(rows[:20, :-1]).mT, rows[:20, 1:]).item()
        return largest_score(model, rows[:20, :-1]), loss


def run(variant, seed, steps):
    """The largest score, before a cap, and the loss on unseen sentences."""
    kind, rate = variant.split("_")
    largest, loss = train_at(RATES[rate], seed, steps, **KINDS[kind])
    return {"largest score": largest, "loss": loss}


EXPERIMENT = Experiment(
    section="10.16",
    varies="the learning rate, and what bounds the scores: nothing, QK-norm with learned factors, "
    "or a soft cap of 20 (at the rate 0.1)",
    held="a decoder of two layers, width 32, two heads; 100 of the 120 sentences, 32 a step; AdamW "
    "without warm-up; the loss on the other 20, at best about 0.6",
    control="the rates 0.003 and 0.01, at which scores stay small without help: if QK-norm lowers "
    "the loss there too, it is not for the large scores; and a soft cap, behind which the products "
    "may grow: if its loss is as high as without, the size of the products is the damage",
    refuted="at the rate 0.1 QK-norm leaves the largest score or the loss as they are without it, "
    "or it lowers the loss at 0.01 just as much",
    steps=100,
    variants={
        f"{kind}_{name}": f"{CALLED[kind]}, learning rate {rate}"
        for kind in KINDS
        for name, rate in RATES.items()
        if kind != "cap" or name == "10"
    },
)
