"""What live figures refuse: what a reader who makes one of their own data gets wrong."""

import math

import pytest
import torch
from test_live_reader import VOCABULARY, decoder
from torch import nn

from d2lattn import Decoder
from d2lattn_book.pictures import live, maps

ONES = [[1.0], [2.0]]
EACH = [[[0.5, 0.5], [0.1, 0.9]]]
GIVEN = {  # what a figure is made from, and arguments that are right
    "attention": (live.attention, dict(x=ONES, tokens=["a", "b"])),
    "heads": (live.heads, dict(weights=EACH, tokens=["a", "b"])),
    "steps": (live.steps, dict(scores=[1.0, 2.0], values=[1.0, 2.0])),
    "positions": (live.positions, dict(dim=8, base=10.0, length=9)),
    "field": (live.field, dict(kernel=3, depth=2, dilated=False, causal=True)),
    "words": (live.words, dict(vocabulary=["a", "b"], x=[[1, 2], [3, 4]], sentences=["a b"])),
    "reader": (live.reader, dict(model=decoder(), vocabulary=VOCABULARY, text="the dog", stop=".")),
    "maps": (maps, dict(model=decoder(), text="the dog found", tokenizer=VOCABULARY)),
    "cache": (live.cache, dict(tokens=["a", "b"])),
    "ring": (live.ring, {}),
    "train": (live.train, dict(task="back")),
}
REFUSED = [
    ("attention", dict(x=[[1.0], [math.nan]]), "x must be finite, got nan"),
    ("attention", dict(x=[1.0, 2.0]), r"x must have axes \(tokens, numbers\), got shape \(2,\)"),
    ("attention", dict(x=[[1.0]] * 13, tokens=["a"] * 13), "x must have at most 12 tokens, got 13"),
    ("attention", dict(tokens=["a"]), "tokens must fit the 2 rows of x, got 1"),
    ("attention", dict(mask="diagonal"), "mask must be one of"),
    ("attention", dict(query="c"), "query must be a position from -2 to 1 or a word"),
    ("attention", dict(parts=["menus"]), r"parts must be of \('temperature', .*, 'mask'\)"),
    ("heads", dict(weights=[[[0.5, 0.6], [0.1, 0.9]]]), "and each row must have the sum 1"),
    ("heads", dict(weights=[[0.5, 0.5], [0.1, 0.9]]), "weights must have axes"),
    ("heads", dict(weights=torch.full((1, 65, 65), 1 / 65)), "at most 64 tokens, got 65"),
    ("heads", dict(weights=torch.eye(50).expand(25, 1, 50, 50)), "at most 50000 numbers, got"),
    ("heads", dict(weights=[[[0.5, 0.25, 0.25]] * 2]), "key_tokens must name the 3 columns"),
    ("heads", dict(names=["a", "b"]), "names must fit the 1 heads, got 2"),
    ("heads", dict(weights=[EACH] * 3, names=["a"]), "names must be a pair"),
    ("heads", dict(head="head 2"), "head must be a position from -1 to 0 or a word"),
    ("steps", dict(values=[1.0]), "values must fit the 2 scores, got 1"),
    ("positions", dict(dim=7), "dim must be even, got 7"),
    ("positions", dict(length=257), "length must be an integer of at most"),
    ("field", dict(kernel=2, causal=False), "kernel must be odd unless causal, got 2"),
    ("words", dict(x=[[1, 2]]), r"x must have two numbers for each of the 2 words, got shape"),
    ("words", dict(sentences=["a c"]), "sentences must hold words of the vocabulary, got 'c'"),
    ("words", dict(sentences=["a " * 13]), "sentences must have 1 to 12 words, got 13"),
    ("reader", dict(model=nn.Linear(2, 2)), "model must be a Decoder, got Linear"),
    ("reader", dict(model=Decoder(27, 256, num_layers=1, num_heads=2)), "at most 140000 weights"),
    ("reader", dict(text="the tiger"), "text must hold words of the vocabulary, got 'tiger'"),
    ("reader", dict(text="dog " * 10), "text must have 1 to 9 words, got 10"),
    ("reader", dict(choices=["the tiger"]), "choices must hold words of the vocabulary"),
    ("reader", dict(stop="!"), "stop must be a word of the vocabulary, got '!'"),
    ("reader", dict(head=(0, 9)), r"head must be a pair \(layer, head\) below .*, got \(0, 9\)"),
    ("maps", dict(text="the elephant"), "text must hold words of the vocabulary, got 'elephant'"),
    ("maps", dict(text=[0, 99]), r"tokens must lie between 0 and 26 .* got values from 0 to 99"),
    ("maps", dict(tokenizer=None), "tokenizer must be given where text is a string, got None"),
    ("maps", dict(layers=[3]), "layers must be among 0, 1, got 3"),
    ("maps", dict(heads="all"), "heads must be an integer of at least 0, got 'a'"),
    ("cache", dict(tokens=["a"] * 17), "tokens must hold at most 16 words, got 17"),
    ("ring", dict(ranks=5), "ranks must be an integer of at most 4, got 5"),
    ("ring", dict(split="zigzag"), r"split must be one of \('contiguous', 'striped'\)"),
    ("train", dict(task="guess"), "task must be one of"),
    ("train", dict(model={"depth": 1}), "model must have keys of"),
    ("train", dict(model={"layers": 3}), r"model\['layers'\] must be one of \(1, 2\), got 3"),
    ("train", dict(compare={"heads": 2, "mlp": True}), "compare must change one setting"),
]


@pytest.mark.parametrize("kind, change, message", REFUSED)
def test_a_figure_refuses(kind, change, message):
    make, given = GIVEN[kind]
    with pytest.raises(ValueError, match=message):
        make(**given | change)


@pytest.mark.parametrize(
    "part, why", [(nn.Identity(), "Identity"), (nn.LayerNorm(16, eps=1e-3), "0.001")]
)
def test_a_reader_refuses_what_the_page_does_not_compute(part, why):
    model = decoder()
    model.blocks[0].mlp_norm = part
    with pytest.raises(ValueError, match=f"Decoder's own parts, .* got .*{why}"):
        live.reader(model, VOCABULARY, text="the dog")
