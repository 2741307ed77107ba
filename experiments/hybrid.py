"""Do layers with a state recall many pairs, and what does one layer of softmax among them do?"""

import torch
import torch.nn.functional as F
from experiment import Experiment
from torch import nn

from d2lattn import delta_attention

PAIRS, KEYS, VALUES = 32, 64, 16  # in a text; words that can be keys, and values
WIDTH, BATCH, RATE = 32, 16, 5e-3
THRICE = dict.fromkeys((1, 2, 5), 8)
KINDS = {  # a letter for each layer: delta rule, softmax, no mixing; and the width of its keys
    "delta": ("dddd", 8),
    "hybrid": ("ddds", 8),
    "alone": ("nnns", 8),
    "wide": ("dddd", 32),
}


class Mixing(nn.Module):
    """One head of causal attention, with a softmax or with the delta rule."""

    def __init__(self, kind, width):
        super().__init__()
        self.kind = kind
        self.query, self.key = (nn.Linear(WIDTH, width, bias=False) for _ in range(2))
        self.value, self.output = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(2))
        self.beta = nn.Linear(WIDTH, 1)

    def forward(self, x):
        if self.kind == "n":
            return 0 * x
        query, key, value = self.query(x), self.key(x), self.value(x)
        if self.kind == "s":
            found = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        else:
            query, key = F.normalize(query, dim=-1), F.normalize(key, dim=-1)
            beta = self.beta(x).sigmoid()[..., 0]
            found = delta_attention(query, key, value, beta=beta, chunk_size=2 * PAIRS)
        return self.output(found)


class Model(nn.Module):
    """Four blocks; a word is the sum of a key's vector and a value's, or that of "which?"."""

    def __init__(self, kinds, width):
        super().__init__()
        self.keys, self.values = nn.Embedding(KEYS, WIDTH), nn.Embedding(VALUES + 1, WIDTH)
        self.mixing = nn.ModuleList(
            nn.Sequential(nn.RMSNorm(WIDTH), Mixing(k, width)) for k in kinds
        )
        self.mlps = nn.ModuleList(
            nn.Sequential(
                nn.RMSNorm(WIDTH),
                nn.Linear(WIDTH, 2 * WIDTH),
                nn.GELU(),
                nn.Linear(2 * WIDTH, WIDTH),
            )
            for _ in kinds
        )
        self.logits = nn.Linear(WIDTH, VALUES)

    def forward(self, key, value):
        x = self.keys(key) + self.values(value)
        for mixing, mlp in zip(self.mixing, self.mlps, strict=True):
            x = x + mixing(x)
            x = x + mlp(x)
        return self.logits(x)


def texts(count, generator):
    """(keys, values, answers): 32 pairs, then their keys in another order with "which?"."""
    keys = torch.rand(count, KEYS, generator=generator).argsort(1)[:, :PAIRS]
    values = torch.randint(VALUES, (count, PAIRS), generator=generator)
    order = torch.rand(count, PAIRS, generator=generator).argsort(1)
    asked = torch.full((count, PAIRS), VALUES)
    keys = torch.cat([keys, keys.gather(1, order)], 1)
    return keys, torch.cat([values, asked], 1), values.gather(1, order)


def run(variant, seed, steps):
    """The share of right answers in 64 new texts."""
    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(seed)
    model = Model(*KINDS[variant])
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE)
    for _ in range(steps):
        keys, values, answers = texts(BATCH, generator)
        logits = model(keys, values)[:, PAIRS:]
        loss = F.cross_entropy(logits.flatten(0, 1), answers.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    keys, values, answers = texts(64, generator)
    with torch.no_grad():
        right = (model(keys, values)[:, PAIRS:].argmax(-1) == answers).float().mean().item()
    return {"right": right, "above 0.9": right > 0.9}


EXPERIMENT = Experiment(
    section="10.15",
    varies="what mixes the words in each of four layers, and the width of its keys",
    held="32 pairs, each in one word, then 32 questions; 64 keys and 16 values, drawn anew for "
    "each text; width 32, one head, an MLP in each layer, AdamW, learning rate 0.005, batches of "
    "16; a delta rule has unit keys and a learned beta from 0 to 1",
    control="one layer of softmax without the three of delta: if it answers as well, the hybrid "
    "owes its answers to that layer; longer training of the four of delta: if it brings the "
    "answers, it was not the size of the state that was missing; delta with keys as wide as there "
    "are pairs: if it answers no better, it is not the size of the state either",
    refuted="with keys of width 8 four layers of delta answer as well as with a softmax among them",
    steps=80,
    plan={name: THRICE | ({25: 8} if name == "delta" else {}) for name in KINDS},
    variants={
        "delta": "four of delta, keys of width 8",
        "hybrid": "three of delta, then one softmax",
        "alone": "one softmax, after three layers that mix nothing",
        "wide": "four of delta, keys of width 32",
    },
)
