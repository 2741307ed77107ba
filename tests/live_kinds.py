"""A live figure of each kind, for node and for browsers: a new kind gets a row here."""

import base64
import html
import json
import math
import re

import torch
from torch import nn

from d2lattn import Block, Decoder
from d2lattn_book.pictures import live, maps

SENTENCE = ["the", "hungry", "cat", "found", "the", "milk"]
X = [[0, 0, 0.2], [1.5, 0, 0.5], [1.0, 1.6, 0], [0, 0.5, 1.0], [0, 0, 0.2], [0.3, 0, 1.8]]
PLANE = {
    "bake": (2, 0), "pie": (2, 0), "cinnamon": (3, 0), "charge": (0, 2), "phone": (0, 2),
    "adapter": (0, 3), "the": (0, 0), "with": (0, 0), "apple": (1, 1),
}  # fmt: skip
TOLD = ["bake the apple pie with cinnamon", "charge the apple phone with adapter"]
KEPT = [*SENTENCE, "and", "drank", "it"]


def normal(*shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(3))


def weights(*shape):
    return (2.5 * normal(*shape)).softmax(-1)


REPEATED = [*SENTENCE, "and", "the", "hungry", "dog", "found", "the", "cat"]


def model_maps(words=REPEATED, layers=3, heads=9, change=lambda model: None, **options):
    """All maps of a model with random weights that are larger than at the start of a training."""
    vocabulary = sorted({*words})
    sizes = dict(num_layers=layers, num_heads=heads, seed=3)
    model = Decoder(len(vocabulary), 4 * heads, **sizes).eval()
    with torch.no_grad():
        for block in model.blocks:
            block.attention.q_proj.weight *= 5
    change(model)
    return maps(model, " ".join(words), vocabulary, **options)


class Mean(nn.Module):
    """A part that mixes words, and has no map."""

    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.embed_dim, self.num_heads = embed_dim, num_heads

    def forward(self, x, **attending):
        return x.cumsum(1) / torch.arange(1, x.shape[1] + 1)[:, None]


def without_map(model, layer=1):
    """A layer of the model becomes one that has no map."""
    old = model.blocks[layer].attention
    model.blocks[layer] = Block(Mean(old.embed_dim, old.num_heads))


class Patches(nn.Module):
    """Attention between the patches of an image, after tokens that are none."""

    def __init__(self, before):
        super().__init__()
        self.before, self.embed = before, nn.Conv2d(3, 8, 4, stride=4)

    def forward(self, image):
        x = nn.functional.pad(self.embed(image).flatten(2).mT, (0, 0, self.before, 0))
        return nn.functional.scaled_dot_product_attention(4 * x[None], x[None], x[None])


def image_maps(before=1, **options):
    """The maps of an image of two lines of three patches."""
    return maps(Patches(before), normal(1, 3, 8, 12), **options)


def data_of(figure):
    """What a figure sends to the page."""
    return json.loads(html.unescape(re.search("data-live='([^']*)'", figure.html)[1]))


def sent_maps(figure):
    """(layers, H, L, L): the weights that travel, as the whole numbers that they are, of 255."""
    data = data_of(figure)
    raw = bytearray(base64.b64decode(data["weights"]["text"]))
    return torch.frombuffer(raw, dtype=torch.uint8).double().view(data["shape"])


FIGURES = {
    "attention": lambda: live.attention(X, tokens=SENTENCE),
    "heads": lambda: live.heads(weights(4, 6, 6), tokens=SENTENCE),
    "positions": lambda: live.positions(16, base=10000.0, length=60),
    "steps": lambda: live.steps([1.0, 3.0, -math.inf, 2.0, 4.0, 0.5], [10.0, 20, 5, -3, 8, 1]),
    "field": lambda: live.field(3, 3, dilated=True, causal=True),
    "words": lambda: live.words(
        [*PLANE], [*PLANE.values()], sentences=TOLD, query="apple", axes=("food", "technology")
    ),
    "reader": lambda: live.reader(
        Decoder(len(PLANE), 16, num_layers=2, num_heads=2, max_len=12, seed=3).eval(),
        list(PLANE),
        text=TOLD[0],
    ),
    "cache": lambda: live.cache(KEPT, step=7, kind="sinks"),
    "ring": lambda: live.ring(),
    "train": lambda: live.train(task="copy", compare={"layers": 1}),
}
KINDS = tuple(FIGURES)
