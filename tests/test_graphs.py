"""What torch.compile and torch.export make of the package: one graph for any size and number."""

import functools

import oracles
import pytest
import torch
from draws import worst
from oracles import ENGINES, B, H, make, options_for
from torch import nn
from torch.utils._pytree import tree_leaves

import d2lattn as d
from d2lattn import attention, attention_weights

noise = functools.partial(oracles.noise, dtype=torch.float32)
ALL = dict(qk_norm=True, gate=True, sink_logit=True, num_kv_heads=1)


def causal(engine):
    """Of any length, with any scale and offset."""

    def function(query, key, value, scale, offset):
        options = dict(scale=scale, query_offset=offset, engine=engine)
        return attention(query, key, value, is_causal=True, **options)

    sizes = ((7, 0.5, 3), (9, 0.25, 2), (9, 0.125, 0), (13, 2.0, 9))
    return function, [(*noise(3, 2, n, 8), scale, offset) for n, scale, offset in sizes]


def rectangular(engine):
    sizes = ((2, 3, 5), (3, 7, 4))
    inputs = [(noise(n, L, 8), noise(n, S, 8), noise(n, S, 8, seed=2)) for n, L, S in sizes]
    return functools.partial(attention, engine=engine), inputs


def masks(x):
    """Of no device."""
    n = x.shape[1]
    return (d.window_mask(n, width=2) & d.causal_mask(n)) + d.alibi_bias(3, n)


def in_windows(x):
    """A batch as large as the width."""
    return d.window_attention(x, x, x, width=2)


HEAD = d.MultiHeadAttention(3, 1)


def padded(x):
    """A mask as long as a block."""
    return HEAD(x, valid_lens=torch.arange(1, len(x) + 1))


def delta(x, chunk_size):
    unit = x / x.norm(dim=-1, keepdim=True)
    gates = dict(beta=x[..., 0].sigmoid(), decay=x[..., 1].sigmoid())
    return d.delta_attention(x, unit, x, **gates, chunk_size=chunk_size)


def decoder(**options):
    return d.Decoder(17, 24, num_layers=2, num_heads=4, positions="rotary", **options).eval()


ANY_SIZE = [(noise(*shape, 3),) for shape in ((3, 5), (2, 7), (5, 9))]
TOKENS = [(torch.arange(2 * n).view(2, n) % 17,) for n in (9, 11)]
LATENT = dict(attention=d.LatentAttention, latent_dim=5, rope_dim=4)
COMPILED = {
    **{f"causal, {engine}": causal(engine) for engine in ENGINES},
    **{f"rectangular, {engine}": rectangular(engine) for engine in ENGINES},
    "masks": (masks, ANY_SIZE[:1]),
    "windows": (in_windows, ANY_SIZE),
    "padding": (padded, ANY_SIZE),
    "delta": (functools.partial(delta, chunk_size=None), ANY_SIZE[:1]),
    "delta in chunks": (functools.partial(delta, chunk_size=4), ANY_SIZE[:1]),
    "latent": (decoder(**LATENT), TOKENS[:1]),
    "blocks": (decoder(engine="chunked", **ALL), TOKENS[:1]),
    "all": (decoder(window=4, sinks=1, **ALL), TOKENS),
}


@torch.no_grad()
@pytest.mark.parametrize("name", COMPILED)
def test_it_compiles_into_one_graph_for_all_sizes_and_numbers(name):
    torch.compiler.reset()
    function, inputs = COMPILED[name]
    many = len(inputs) > 1
    compiled = torch.compile(function, fullgraph=True, dynamic=many, backend="eager")
    for given in inputs:
        assert worst(tree_leaves(compiled(*given)), tree_leaves(function(*given))) < 1e-6


class Called(nn.Module):
    """A function with its options as a module, which is what is exported."""

    def __init__(self, function, **options):
        super().__init__()
        self.function, self.options = function, options

    def forward(self, *inputs):
        return self.function(*inputs, **self.options)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("case", ["length 0", "bias, mask and is_causal"])
def test_functions_are_exported_strictly(case, engine):
    sizes, options = options_for(case, torch.float32)

    def both(query, key, value):
        weights = attention_weights(query, key, **options)
        return attention(query, key, value, **options, engine=engine), weights

    first, other = (tuple(make(B, H, **sizes, dtype=torch.float32, seed=i)) for i in range(2))
    exported = torch.export.export(Called(both), first, strict=True).module()
    assert worst(exported(*other), both(*other)) < 1e-6


BATCH, LENGTH = torch.export.Dim("batch"), torch.export.Dim("length", min=2, max=100)
LENGTHS = [torch.tensor([2, 7]), torch.tensor([30, 0, 17])]
MHA = d.MultiHeadAttention(8, 2).eval()
# module, its inputs to be exported with, others, the sizes that may change
EXPORTED = {
    "explicit": (
        Called(attention, engine="explicit"),
        [tuple(noise(3, 2, n, 8)) for n in (9, 31)],
        (({1: LENGTH},) * 3,),
    ),
    "padding": (
        Called(lambda x, lengths: MHA(x, valid_lens=lengths, need_weights=True)),
        [(noise(2, 7, 8), LENGTHS[0]), (noise(3, 30, 8), LENGTHS[1])],
        (({0: BATCH, 1: LENGTH}, {0: BATCH}),),
    ),
    "decoder": (decoder(window=4, sinks=1, num_kv_heads=2), TOKENS, ({1: LENGTH},)),
}


@torch.no_grad()
@pytest.mark.parametrize("name", EXPORTED)
def test_modules_are_exported_for_any_size(name):
    module, (first, other), shapes = EXPORTED[name]
    exported = torch.export.export(module, first, dynamic_shapes=shapes).module()
    assert worst(tree_leaves(exported(*other)), tree_leaves(module(*other))) < 1e-6
