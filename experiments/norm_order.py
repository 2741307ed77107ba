"""Does a stack learn with the norm after the sum, as in 2017, or before the part, as in GPT-2?"""

import math

import torch
import torch.nn.functional as F
from experiment import Experiment
from torch import nn

from d2lattn import MLP, Block, Decoder, MultiHeadAttention
from d2lattn_book.language import stories, words

RISES = 50  # steps until the rate is reached, where it rises
CLIP = 1.0  # the longest gradient, where it is clipped
HOW = {"plain": "", "warm": ", warm-up", "clip": ", clipped"}
RATES = {"3": 3e-3, "10": 1e-2}


class NormAfter(Block):
    """x = norm(x + attention(x)), then x = norm(x + mlp(x))."""

    def forward(self, x, **attending):
        attending.pop("need_weights")
        x = self.attention_norm(x + self.attention(x, **attending))
        return self.mlp_norm(x + self.mlp(x))


def rows(sentences, vocab):
    """The sentences as numbers, 15 words each, filled up with full stops."""
    filled = [["."] + s + ["."] * (14 - len(s)) for s in sentences]
    return torch.tensor([[vocab.index(word) for word in sentence] for sentence in filled])


def model_of(order, vocab, seed):
    """Six blocks of one order, from the same first weights as those of the page."""
    kind = {"before": Block, "after": NormAfter}[order]

    def block():
        return kind(MultiHeadAttention(32, 4, bias=True), MLP(32))

    model = Decoder(vocab, 32, num_layers=6, block=block, max_len=15, seed=seed)
    if order == "after":
        model.norm = nn.Identity()  # the last block has normed already
    return model


def run(variant, seed, steps):
    order, rate, how = variant.split("_")
    told = stories.stories(4000)
    vocab = [".", *words.vocabulary(told)]
    read, fresh = rows(told, vocab), rows(stories.stories(1000, seed=1), vocab)
    model, generator = model_of(order, len(vocab), seed), torch.Generator().manual_seed(seed)
    optimizer = torch.optim.AdamW(model.parameters(), RATES[rate])
    for step in range(steps):
        if how == "warm":
            optimizer.param_groups[0]["lr"] = RATES[rate] * min(1, (step + 1) / RISES)
        drawn = read[torch.randint(len(read), (32,), generator=generator)]
        loss = F.cross_entropy(model(drawn[:, :-1]).flatten(0, 1), drawn[:, 1:].flatten())
        if not loss.isfinite():
            break
        optimizer.zero_grad()
        loss.backward()
        if how == "clip":
            nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        optimizer.step()
    with torch.no_grad():
        loss = F.cross_entropy(model(fresh[:, :-1]).transpose(1, 2), fresh[:, 1:]).item()
    failed = not math.isfinite(loss)
    loss = math.log(len(vocab)) if failed else loss
    return {"loss": loss, "learned (below 1)": loss < 1, "ended in NaN": failed}


VARIANTS = {
    f"{order}_{rate}_{how}": f"norm {order}, rate {RATES[rate]:g}{HOW[how]}"
    for order, rate, how in [
        ("before", "3", "plain"),
        ("after", "3", "plain"),
        ("before", "10", "plain"),
        *(("after", "10", how) for how in HOW),
    ]
}

EXPERIMENT = Experiment(
    section="9.11",
    varies="where the norm stands: before each part, or after the sum; the learning rate; whether "
    f"the rate rises in {RISES} steps (warm-up), whether gradients are clipped to length {CLIP:g}",
    held="first weights, sentences and their order, six layers of width 32, 4 heads, 32 sentences "
    "a step; with the norm after the sum there is no further one before the logits; a model that "
    "ends in NaN is given the loss of guessing",
    control="at the smaller rate the stack with the norm after the sum learns, or else it is just "
    "broken",
    refuted="at rate 0.01 as many trainings learn with the norm after the sum as with it before",
    steps=150,
    variants=VARIANTS,
    plan={name: {1: 8} for name in VARIANTS},
)
