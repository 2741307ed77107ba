"""What the live figures refuse: one table of wrong arguments, a figure after the other."""

import math

import pytest
import torch
from test_live_maps import TEXT, WORDS
from test_live_maps import decoder as mapped
from test_live_reader import VOCABULARY, decoder
from torch import nn

from d2lattn import Decoder
from d2lattn_book.pictures import live, maps


class OtherNorm(nn.Module):
    def forward(self, x):
        return x


def changed(**parts):
    model = decoder()
    for name, part in parts.items():
        setattr(model.blocks[0], name, part)
    return model


SHARES = [[[0.5, 0.5], [0.1, 0.9]]]
GIVEN = {  # what a figure is made from, and arguments that are right
    "attention": (live.attention, dict(x=[[1.0], [2.0]], tokens=["a", "b"])),
    "heads": (live.heads, dict(weights=SHARES, tokens=["a", "b"])),
    "steps": (live.steps, dict(scores=[1.0, 2.0], values=[1.0, 2.0])),
    "positions": (live.positions, dict(dim=8, base=10.0, length=9)),
    "field": (live.field, dict(kernel=3, depth=2, dilated=False, causal=True)),
    "words": (live.words, dict(vocabulary=["a", "b"], x=[[1, 2], [3, 4]], sentences=["a b"])),
    "reader": (
        live.reader, dict(model=decoder(), vocabulary=VOCABULARY, text="the dog", stop="."),
    ),
    "maps": (maps, dict(model=mapped(), text=TEXT, tokenizer=WORDS)),
    "cache": (live.cache, dict(tokens=["a", "b"])),
    "ring": (live.ring, {}),
    "train": (live.train, dict(task="back")),
}  # fmt: skip
REFUSED = {
    "attention": [
        (dict(x=[[1.0], [math.nan]]), "x must be finite, got nan"),
        (dict(x=[1.0, 2.0]), r"x must have axes \(tokens, numbers\), got shape \(2,\)"),
        (dict(x=[[1.0]] * 13, tokens=["a"] * 13), "x must have at most 12 tokens, got 13"),
        (dict(x=[[1.0] * 9] * 2), "x must have at most 8 numbers, got 9"),
        (dict(x=[[1.0], [-2e6]]), r"x must lie within ±1e\+06, got 2e\+06"),
        (dict(tokens=["a"]), "tokens must fit the 2 rows of x, got 1"),
        (dict(x=[[1.0], [2j]]), "x must hold real numbers, got complex128"),
        (dict(tokens="ab"), "tokens must be a list of strings, got 'ab'"),
        (dict(scale=0), "scale must be"),
        (dict(scale=math.inf), "scale must be a finite number"),
        (dict(mask="diagonal"), "mask must be one of"),
        (dict(parts=["menus"]), r"parts must be of \('temperature', .*, 'mask'\), got 'menus'"),
    ],
    "heads": [
        (dict(weights=[[[0.5, 0.6], [0.1, 0.9]]]), "and each row must have the sum 1"),
        (dict(weights=[[0.5, 0.5], [0.1, 0.9]]), "weights must have axes"),
        (dict(weights=torch.full((17, 2, 2), 0.5)), "at most 16 heads, got 17"),
        (dict(weights=torch.full((1, 65, 65), 1 / 65)), "at most 64 tokens, got 65"),
        (dict(weights=torch.eye(50).expand(25, 1, 50, 50)), "at most 50000 numbers, got 62500"),
        (dict(tokens=["a"]), "tokens must fit the 2 rows of weights, got 1"),
        (dict(key_tokens=["a"]), "key_tokens must fit the 2 columns of weights, got 1"),
        (dict(weights=[[[0.5, 0.25, 0.25]] * 2]), "key_tokens must name the 3 columns"),
        (dict(names=["a", "b"]), "names must fit the 1 heads, got 2"),
        (dict(query="c"), "query must be a position from -2 to 1 or a word"),
        (dict(head="head 2"), "head must be a position from -1 to 0 or a word"),
        (dict(step=1), "step must be a position from -1 to 0"),
        (dict(weights=[SHARES] * 3, names=["a"]), "names must be a pair"),
        (dict(weights=[SHARES] * 501), "weights must have at most 500 steps, got 501"),
        (dict(weights=[SHARES] * 3, names=(["a"], None)), "names must fit the 3 steps, got 1"),
    ],
    "steps": [
        (dict(scores=[1.0, math.inf]), "scores must be finite or -inf, got inf"),
        (dict(values=[1.0, -math.inf]), "values must be finite, got -inf"),
        (dict(values=[1.0]), "values must fit the 2 scores, got 1"),
        (dict(scores=[1.0] * 13, values=[1.0] * 13), "scores must have at most 12 scores, got 13"),
        (dict(scores=[1.0], values=[[1.0] * 5]), "values must have at most 4 numbers, got 5"),
    ],
    "positions": [
        (dict(dim=7), "dim must be even, got 7"),
        (dict(dim=34), "dim must be an integer of at most 32"),
        (dict(base=1), "base must be above 1"),
        (dict(base=math.nan), "base must be a finite number"),
        (dict(length=257), "length must be an integer of at most"),
        (dict(parts=["curves"]), "parts must be of"),
    ],
    "field": [
        (dict(kernel=2, causal=False), "kernel must be odd unless causal, got 2"),
        (dict(kernel=11), "kernel must be an integer of at most 9"),
        (dict(depth=6), "depth must be an integer of at most 5"),
    ],
    "words": [
        (dict(x=[[1, 2]]), r"x must have two numbers for each of the 2 words, got shape \(1, 2\)"),
        (dict(x=[[1, 2, 3]] * 2), "x must have at most 2 numbers, got 3"),
        (dict(x=[[1, float("nan")]] * 2), "x must be finite, got nan"),
        (dict(vocabulary=["a", "a"]), "vocabulary must hold different words, got 'a' twice"),
        (dict(vocabulary=["a", "b c"]), "must hold words without white space, got 'b c'"),
        (dict(vocabulary=[str(k) for k in range(65)]), "vocabulary must have at most 64 words"),
        (dict(sentences="a b"), "sentences must be a list of strings, got 'a b'"),
        (dict(sentences=["a c"]), "sentences must hold words of the vocabulary, got 'c'"),
        (dict(sentences=["a", ""]), "sentences must have 1 to 12 words, got 0"),
        (dict(sentences=["a " * 13]), "sentences must have 1 to 12 words, got 13"),
        (dict(query="c"), "query must be a position from -2 to 1 or a word"),
        (dict(axes=["one"]), "axes must hold 2 strings, got 1"),
    ],
    "reader": [
        (dict(model=nn.Linear(2, 2)), "model must be a Decoder, got Linear"),
        (dict(model=changed(mlp_norm=OtherNorm())), "model must be made of .* got .*OtherNorm"),
        (dict(model=changed(mlp_norm=nn.LayerNorm(16, eps=1e-3))), "own parts, .*got .*0.001"),
        (dict(model=Decoder(1000, 256, num_layers=1, num_heads=2)), "at most 140000 weights"),
        (dict(model=Decoder(27, 16, num_layers=1, num_heads=2, init_std=1e6)), "float16 holds"),
        (dict(vocabulary=["a"]), "vocabulary must hold 27 strings, got 1"),
        (dict(vocabulary=[*VOCABULARY[:-1], "b\ufeff"]), r"without white space, got 'b\\ufeff'"),
        (dict(text="the tiger"), "text must hold words of the vocabulary, got 'tiger'"),
        (dict(text=""), "text must have 1 to 9 words, got 0"),
        (dict(text="dog " * 10), "text must have 1 to 9 words, got 10"),
        (dict(text=["dog"]), r"text must be a string, got \['dog'\]"),
        (dict(choices="dog"), "choices must be a list of strings, got 'dog'"),
        (dict(choices=["the tiger"]), "choices must hold words of the vocabulary, got 'tiger'"),
        (dict(temperature=2.5), "temperature must be a finite number from 0 to 2, got 2.5"),
        (dict(stop="!"), "stop must be a word of the vocabulary, got '!'"),
        (dict(head=(0, 9)), r"head must be a pair \(layer, head\) below .*, got \(0, 9\)"),
        (dict(head=[0, 1]), r"head must be a pair .*, got \[0, 1\]"),
    ],
    "maps": [
        (dict(model=nn.Linear(2, 2)), "model must be of d2lattn or transformers, .*, got Linear"),
        (dict(text=""), "text must have 1 to 256 words, got 0"),
        (dict(text="the"), "text must have 2 to 256 tokens, got 1"),
        (dict(text=[0] * 257), "text must have 2 to 256 tokens, got 257"),
        (dict(text="the elephant"), "text must hold words of the vocabulary, got 'elephant'"),
        (dict(text="the \ud800"), "text must hold text that UTF-8 can write"),
        (dict(text=[0.5, 1.0]), r"text must be a string, or the numbers .*, got \[0\.5, 1\.0\]"),
        (dict(text=[[0, 1], [2, 3]]), r"text must be .* a batch of one, got shape \(2, 2\)"),
        (dict(text=None), "text must be what the model reads, got None"),
        (dict(text=[0, 6]), "text must have tokens from 0 to 5, which the model knows, got 6: is"),
        (dict(tokenizer=None), "tokenizer must be given where text is a string, got None"),
        (dict(tokenizer=7), "tokenizer must be one of tokenizers or transformers, .* got 7"),
        (dict(tokenizer=["the", "the"]), "tokenizer must hold different words, got 'the' twice"),
        (dict(layers=[3]), "layers must be among 0, 1, 2, got 3"),
        (dict(layers=[-1]), "layers must be an integer of at least 0, got -1"),
        (dict(layers=[]), r"layers must be a list of layers from 0, got \[\]"),
        (dict(layers=1), "layers must be a list of layers from 0, got 1"),
        (dict(layers=[0, 0]), "layers must name each once, got 0 twice"),
        (dict(heads=[4]), "heads must be among 0, 1, 2, 3, got 4"),
        (dict(heads="all"), "heads must be a list of heads from 0, got 'all'"),
        (dict(query="elephant"), "query must be a position from -12 to 11 or a word"),
    ],
    "cache": [
        (dict(tokens=[]), "tokens must hold at least 1 string"),
        (dict(tokens=["a"] * 17), "tokens must hold at most 16 words, got 17"),
        (dict(kinds=["full", "linear"]), r"kinds must be one of \('full', .*\), got 'linear'"),
        (dict(kinds=["full", "full"]), "kinds must hold different words, got 'full' twice"),
        (dict(kind="state", kinds=["full"]), "kind must be a position from -1 to 0 or a word"),
        (dict(num_kv_heads=3), "num_kv_heads must divide num_heads=8, got 3"),
        (dict(head_dim=5000), "head_dim must be an integer of at most 4096, got 5000"),
        (dict(num_heads=0), "num_heads must be an integer of at least 1, got 0"),
        (dict(rope_dim=-1), "rope_dim must be an integer of at least 0"),
        (dict(sinks=-1), "sinks must be an integer of at least 0"),
        (dict(window=0), "window must be an integer of at least 1, got 0"),
        (dict(step=0), "step must be an integer of at least 1, got 0"),
        (dict(step=3), "step must be an integer of at most 2, got 3"),
    ],
    "ring": [
        (dict(ranks=1), "ranks must be an integer of at least 2, got 1"),
        (dict(ranks=5), "ranks must be an integer of at most 4, got 5"),
        (dict(block_size=7), "block_size must be an integer of at most 6, got 7"),
        (dict(ranks=2, block_size=13), "block_size must be an integer of at most 12, got 13"),
        (dict(split="zigzag"), r"split must be one of \('contiguous', 'striped'\), got 'zigzag'"),
        (dict(step=4), "step must be an integer of at most 3, got 4"),
    ],
    "train": [
        (dict(task="guess"), "task must be one of"),
        (dict(model=[1]), "model must be a dict of settings"),
        (dict(model={"depth": 1}), "model must have keys of"),
        (dict(model={"layers": 3}), r"model\['layers'\] must be one of \(1, 2\), got 3"),
        (dict(model={"mask": 1}), r"model\['mask'\] must be one of"),
        (dict(compare={"rate": 0}), r"compare\['rate'\] must be"),
        (dict(compare={"seed": 0}), r"compare\['seed'\] must be"),
        (dict(compare={"heads": 2, "mlp": True}), "compare must change one setting"),
    ],
}


@pytest.mark.parametrize(
    "kind, change, message", [(kind, *row) for kind, rows in REFUSED.items() for row in rows]
)
def test_a_figure_refuses(kind, change, message):
    make, given = GIVEN[kind]
    with pytest.raises(ValueError, match=message):
        make(**given | change)
