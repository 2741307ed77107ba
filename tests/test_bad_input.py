"""Bad input, module by module: a ValueError that names the argument, the rule and what was got.

A row is an id, a call and a pattern of the message. To add some, write them into the list of their
module, one by one or with `counts`, `flags`, `numbers` and `others`, which try the usual mistakes
on one argument, and put a new list into ROWS.
"""

import functools
import math
import os
import re
import types
import warnings

import matplotlib as mpl

mpl.use("Agg")

import ipywidgets
import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode

from d2lattn import (
    MLP,
    Alibi,
    Block,
    Cache,
    Decoder,
    Encoder,
    GatedMLP,
    LatentAttention,
    LearnedPositionalEncoding,
    MultiHeadAttention,
    PositionalEncoding,
    Ranks,
    Rotary,
    SelfAttention,
    alibi_bias,
    apply_rotary,
    arguments,
    attention,
    attention_weights,
    causal_mask,
    comparison,
    delta_attention,
    generate,
    head_parallel,
    length_mask,
    linear_attention,
    lsh_attention,
    masked_softmax,
    merge,
    partial_attention,
    ring_attention,
    ring_parallel,
    sample,
    shift_matrix,
    sinusoidal_encoding,
    tensor_parallel,
    window_attention,
    window_mask,
)
from d2lattn.interop import from_d2l, from_gpt2, from_torch
from d2lattn.sparse import lsh_buckets, lsh_mask
from d2lattn.training import fit
from d2lattn.transformer import plain_block as block
from d2lattn_book import cluster
from d2lattn_book.pictures import drawings, interact, live, plots
from d2lattn_book.pictures.arrays import to_numpy

NAN, INF, HUGE = math.nan, math.inf, 2**63
NOT_A_COUNT = {
    "a float": 2.0,
    "a bool": True,
    "NaN": NAN,
    "infinity": INF,
    "negative": -1,
    "2**63": HUGE,
    "more digits than Python prints": 10**5000,
    "a string": "3",
    "a list": [3],
    "a tensor": torch.tensor(3),
    "nothing": None,
}
NOT_A_FLAG = {"one": 1, "a string": "yes", "nothing": None, "a list": [True]}
NOT_A_NUMBER = {"NaN": NAN, "infinity": -INF, "a string": "1", "a bool": True, "a list": [1.0]}


def counts(what, call, least=1):
    """Rows for an argument that is an integer, named last in `what`."""
    name = what.split()[-1]
    wrong = NOT_A_COUNT | ({"zero": 0} if least else {})
    return others(what, call, wrong, rf"^{name} must be an integer of at (least|most) .*, got ")


def flags(what, call):
    """Rows for an argument that is True or False."""
    return others(what, call, NOT_A_FLAG, rf"^{what.split()[-1]} must be True or False, got ")


def numbers(what, call, wrong=()):
    """Rows for an argument that is a finite number."""
    name = what.split()[-1]
    return others(
        what, call, NOT_A_NUMBER | dict(wrong), rf"^{name} must be a finite number.*, got "
    )


def others(what, call, wrong, message):
    """A row for each value of the dict `wrong`."""
    return [
        (f"{what}: {kind}", functools.partial(call, value), message)
        for kind, value in wrong.items()
    ]


# Tensors of another kind --------------------------------------------------------------------------


def kinds_of(x):
    """What is a tensor, and yet is refused, by name: x as torch may keep it otherwise."""
    rows = list(x.reshape(-1, *x.shape[-2:]))
    given = {
        "sparse": x.to_sparse(),
        "nested": torch.nested.nested_tensor(rows),
        "jagged": torch.nested.nested_tensor(rows, layout=torch.jagged),
    }
    if x.is_floating_point():
        given["of sparse rows"] = x.flatten(0, -2).to_sparse_csr()
        given["quantised"] = quantised(x)
        given["of 8 bits"] = x.to(torch.float8_e4m3fn)
        given["for another library"] = x.to_mkldnn()
    return given


def quantised(x):
    """As long as torch has them, which says that it will not for ever."""
    if not hasattr(torch, "quantize_per_tensor"):
        return x.byte()
    return torch.quantize_per_tensor(x, 1, 0, torch.quint8)


with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # torch calls some of them prototypes, and others of the past
    OTHER_KINDS = kinds_of(torch.rand(2, 3, 4))
    NO_MASKS = kinds_of(torch.ones(2, 3, 3, dtype=torch.bool))
    NO_TOKENS = kinds_of(torch.ones(2, 3, dtype=torch.int64))
    QUANTISED = quantised(torch.tensor([1.0, 2.0]))
OTHER_RULE = "must be a (dense|floating) tensor( of 16 bits at least)?, got "
NO_INTEGERS = {
    "sparse": torch.tensor([1, 2]).to_sparse(),
    "quantised": QUANTISED,
    "of 8 bits": torch.tensor([1.0, 2.0]).to(torch.float8_e4m3fn),
}
DENSE = torch.rand(2, 3, 4)
GREAT = 2**40  # no machine holds so many rows of anything
FIT_RULE = "must let .* fit into memory, got .*, which would take [0-9,]+ of [0-9,]+ bytes$"


def roomy(**options):
    return Decoder(7, 8, **dict(num_layers=1, num_heads=2, positions="rotary") | options)


def kept(x):
    """A layer with a memory of the right kind or not."""
    return LatentAttention(4, 2, latent_dim=3)(torch.ones(1, 5, 4), update_cache=x)


def offsets(what, call, rows):
    """Rows for a place so far away that torch cannot count to its last row."""
    name, wrong = what.split()[-1], {"at the end": HUGE - 1, "near it": HUGE - rows}
    return others(
        what, call, wrong, rf"^{name} must be an integer of at most 2\*\*63 - 1 - {rows}, "
    )


OTHERS = [
    *others(
        "attention, query",
        lambda x: attention(x, DENSE, DENSE),
        OTHER_KINDS,
        f"^query {OTHER_RULE}",
    ),
    *others(
        "attention, key", lambda x: attention(DENSE, x, DENSE), OTHER_KINDS, f"^key {OTHER_RULE}"
    ),
    *others(
        "attention, value",
        lambda x: attention(DENSE, DENSE, x),
        OTHER_KINDS,
        f"^value {OTHER_RULE}",
    ),
    *others("attention, all", lambda x: attention(x, x, x), OTHER_KINDS, f"^query {OTHER_RULE}"),
    *others(
        "attention_weights, attn_bias",
        lambda x: attention_weights(DENSE, DENSE, attn_bias=x),
        OTHER_KINDS,
        f"^attn_bias {OTHER_RULE}",
    ),
    *others("masked_softmax, scores", masked_softmax, OTHER_KINDS, f"^scores {OTHER_RULE}"),
    *others("apply_rotary, x", apply_rotary, OTHER_KINDS, f"^x {OTHER_RULE}"),
    *others("PositionalEncoding, x", PositionalEncoding(4), OTHER_KINDS, f"^x {OTHER_RULE}"),
    *others("SelfAttention, x", SelfAttention(4), OTHER_KINDS, f"^x {OTHER_RULE}"),
    *others(
        "MultiHeadAttention, query", MultiHeadAttention(4, 2), OTHER_KINDS, f"^query {OTHER_RULE}"
    ),
    *others(
        "LatentAttention, x", LatentAttention(4, 2, latent_dim=3), OTHER_KINDS, f"^x {OTHER_RULE}"
    ),
    *others("Block, x", block(4, 2), OTHER_KINDS, f"^x {OTHER_RULE}"),
    *others("ConvLayer, x", comparison.ConvLayer(4, 3), OTHER_KINDS, f"^x {OTHER_RULE}"),
    *others("sample, logits", sample, OTHER_KINDS, f"^logits {OTHER_RULE}"),
    *others(
        "window_attention, value",
        lambda x: window_attention(DENSE, DENSE, x, width=2),
        OTHER_KINDS,
        f"^value {OTHER_RULE}",
    ),
    *others(
        "linear_attention, query",
        lambda x: linear_attention(x, DENSE, DENSE),
        OTHER_KINDS,
        f"^query {OTHER_RULE}",
    ),
    *others(
        "lsh_attention, qk",
        lambda x: lsh_attention(x, DENSE, num_buckets=2, num_rounds=1),
        OTHER_KINDS,
        f"^qk {OTHER_RULE}",
    ),
    *others(
        "ring_attention, query",
        lambda x: ring_attention(x, DENSE, DENSE),
        OTHER_KINDS,
        f"^query {OTHER_RULE}",
    ),
    *others(
        "attention, attn_mask",
        lambda x: attention(DENSE, DENSE, DENSE, attn_mask=x),
        NO_MASKS,
        "^attn_mask must be a dense tensor, got ",
    ),
    *others(
        "MultiHeadAttention, attn_mask",
        lambda x: MultiHeadAttention(4, 2)(DENSE, attn_mask=x),
        NO_MASKS,
        "^attn_mask must be a dense tensor, got ",
    ),
    (
        "Block, head_mask: sparse",
        lambda: block(4, 2)(DENSE, head_mask=torch.ones(2).bool().to_sparse()),
        "^head_mask must be a dense tensor, got ",
    ),
    *others(
        "length_mask, valid_lens",
        lambda x: length_mask(x, 5),
        NO_INTEGERS,
        "^valid_lens must (hold integers|be a dense tensor), got ",
    ),
    *others(
        "generate, left_padding",
        lambda x: generate(roomy(), torch.zeros(2, 3).long(), steps=1, left_padding=x),
        NO_INTEGERS,
        "^left_padding must (hold integers|be a dense tensor), got ",
    ),
    *others(
        "apply_rotary, positions",
        lambda x: apply_rotary(DENSE[:, :2], positions=x),
        NO_INTEGERS,
        "^positions must be a (dense tensor|tensor of integers), got ",
    ),
    (
        "lsh_mask, buckets: sparse",
        lambda: lsh_mask(torch.zeros(1, 4).long().to_sparse(), chunk_size=2),
        "^buckets must be a dense tensor, got ",
    ),
    (
        "sinusoidal_encoding, dtype: of 8 bits",
        lambda: sinusoidal_encoding(3, 4, dtype=torch.float8_e4m3fn),
        "^dtype must be a floating dtype of 16 bits at least, got ",
    ),
    (
        "live.cache, dtype: of 8 bits",
        lambda: live.cache(["a"], dtype=torch.float8_e5m2),
        "^dtype must be a floating dtype of 16 bits at least, got ",
    ),
    *others(
        "Decoder, tokens",
        lambda x: roomy()(x),
        NO_TOKENS,
        "^tokens must be a dense tensor, got ",
    ),
    *others(
        "compose, steps",
        comparison.compose,
        {"nested": NO_MASKS["nested"], "a list of sparse ones": [torch.eye(3).bool().to_sparse()]},
        "^steps must be a dense tensor, got ",
    ),
    (
        "compose, steps: one bool",
        lambda: comparison.compose(torch.tensor(True)),
        "^steps must be a list of .*, got ",
    ),
    (
        "Block, head_mask: nested",
        lambda: block(4, 2)(DENSE, head_mask=NO_MASKS["nested"]),
        "^head_mask must be a dense tensor, got ",
    ),
    (
        "Decoder, left_padding: of a dtype without numbers",
        lambda: roomy()(
            torch.zeros(2, 3).long(), left_padding=torch.ones(2).byte().view(torch.bits8)
        ),
        "^left_padding must hold integers, got torch.bits8",
    ),
    (
        "lsh_mask, buckets: no round",
        lambda: lsh_mask(torch.zeros(0, 4).long(), chunk_size=2),
        "^buckets must be of at least one round, got ",
    ),
    (
        "MultiHeadAttention.attend, value: no batch",
        lambda: MHA.attend(*[torch.zeros(2, 3, 5, 2)] * 2, torch.zeros(0, 3, 5, 2)),
        "^query, key and value must have the same batch size, .*, got ",
    ),
    (
        "Block, update_cache: gives nothing",
        lambda: block(4, 2)(DENSE, update_cache=lambda key, value: None),
        "^update_cache must give keys and values, got None",
    ),
    # Shapes alone beside numbers
    (
        "LatentAttention.attend, latent: on meta",
        lambda: latent().attend(torch.ones(1, 2, 5, 2), torch.ones(1, 1, 5, 3, device="meta")),
        "^latent must have the dtype and device of query .*, got ",
    ),
    (
        "LearnedPositionalEncoding, x: on meta",
        lambda: LearnedPositionalEncoding(5, 4)(DENSE.to("meta")),
        "^x must be on the table's cpu, got meta",
    ),
    (
        "apply_rotary, positions: on meta",
        lambda: apply_rotary(DENSE, positions=torch.arange(3, device="meta")),
        "^positions must hold values, got ",
    ),
    (
        "LearnedPositionalEncoding, positions: on meta",
        lambda: LearnedPositionalEncoding(5, 4)(DENSE, positions=torch.arange(3, device="meta")),
        "^positions must hold values, got ",
    ),
    (
        "ring_attention, positions: on meta",
        lambda: ring_attention(DENSE, DENSE, DENSE, positions=torch.arange(3, device="meta")),
        "^positions must hold values, got ",
    ),
    (
        "MultiHeadAttention, valid_lens: on meta",
        lambda: MultiHeadAttention(4, 2)(DENSE, valid_lens=torch.ones(2, device="meta").long()),
        "^valid_lens must hold values, got ",
    ),
    (
        "Decoder, valid_lens: on meta",
        lambda: roomy()(torch.zeros(2, 3).long(), valid_lens=torch.ones(2, device="meta").long()),
        "^valid_lens must hold values, got ",
    ),
    (
        "Decoder, left_padding: on meta",
        lambda: roomy()(torch.zeros(2, 3).long(), left_padding=torch.ones(2, device="meta").long()),
        "^left_padding must hold values, got ",
    ),
    (
        "Decoder, head_mask: on meta",
        lambda: roomy()(torch.zeros(2, 3).long(), head_mask=torch.ones(1, 2, device="meta").bool()),
        "^head_mask must hold values, got ",
    ),
    # Places
    *offsets("window_mask query_offset", lambda x: window_mask(3, width=2, query_offset=x), 3),
    *offsets("alibi_bias query_offset", lambda x: alibi_bias(2, 3, query_offset=x), 3),
    *offsets("sinusoidal_encoding offset", lambda x: sinusoidal_encoding(3, 4, offset=x), 3),
    *offsets("apply_rotary offset", lambda x: apply_rotary(DENSE, offset=x), 3),
    *offsets("PositionalEncoding offset", lambda x: PositionalEncoding(4)(DENSE, x), 3),
    *offsets(
        "LatentAttention query_offset",
        lambda x: LatentAttention(4, 2, latent_dim=3, rope_dim=2)(
            DENSE, is_causal=True, query_offset=x
        ),
        3,
    ),
    *counts(
        "LatentAttention, query_offset",
        lambda x: LatentAttention(4, 2, latent_dim=3, rope_dim=2)(
            DENSE, is_causal=True, query_offset="none" if x is None else x
        ),
        least=0,
    ),
    # Sizes
    ("alibi_bias: large", lambda: alibi_bias(GREAT, 2), f"^num_heads and L and S {FIT_RULE}"),
    ("causal_mask: large", lambda: causal_mask(GREAT), f"^L and S {FIT_RULE}"),
    ("window_mask: large", lambda: window_mask(2, HUGE - 1, width=1), f"^L and S {FIT_RULE}"),
    ("length_mask: large", lambda: length_mask([1], HUGE - 1), f"^max_len {FIT_RULE}"),
    (
        "sinusoidal_encoding: long",
        lambda: sinusoidal_encoding(GREAT, 4),
        f"^length and dim {FIT_RULE}",
    ),
    (
        "sinusoidal_encoding: wide",
        lambda: sinusoidal_encoding(0, HUGE - 1),
        f"^length and dim {FIT_RULE}",
    ),
    ("shift_matrix: large", lambda: shift_matrix(1, GREAT), f"^dim {FIT_RULE}"),
    (
        "PositionalEncoding: large",
        lambda: PositionalEncoding(GREAT),
        f"^max_len and embed_dim {FIT_RULE}",
    ),
    (
        "LearnedPositionalEncoding: large",
        lambda: LearnedPositionalEncoding(GREAT, GREAT),
        f"^max_len and embed_dim {FIT_RULE}",
    ),
    (
        "SelfAttention: large",
        lambda: SelfAttention(GREAT),
        f"^embed_dim and head_dim and value_dim {FIT_RULE}",
    ),
    (
        "MultiHeadAttention: large",
        lambda: MultiHeadAttention(4, 2, kdim=HUGE - 1),
        f"^embed_dim and qdim and kdim and vdim {FIT_RULE}",
    ),
    (
        "LatentAttention: large",
        lambda: LatentAttention(4, 2, latent_dim=HUGE - 1),
        f"^embed_dim and latent_dim and rope_dim {FIT_RULE}",
    ),
    ("Block: large", lambda: block(4, 2, mlp_dim=HUGE - 1), f"^embed_dim and mlp_dim {FIT_RULE}"),
    (
        "ConvLayer: large",
        lambda: comparison.ConvLayer(GREAT, 3),
        f"^embed_dim and kernel_size {FIT_RULE}",
    ),
    (
        "ConvLayer, dilation: large",
        lambda: comparison.ConvLayer(4, 3, dilation=HUGE - 1)(DENSE),
        f"^dilation and kernel_size {FIT_RULE}",
    ),
    (
        "Decoder, num_layers: large",
        lambda: roomy(num_layers=10**9),
        f"^vocab_size and .*num_layers and .* {FIT_RULE}",
    ),
    (
        "Decoder, latent_dim: large",
        lambda: roomy(attention=LatentAttention, latent_dim=GREAT, rope_dim=2),
        f"^vocab_size and .*latent_dim {FIT_RULE}",
    ),
    (
        "Decoder, mlp_dim: large",
        lambda: roomy(mlp_dim=GREAT),
        f"^vocab_size and .*mlp_dim {FIT_RULE}",
    ),
    (
        "Decoder, vocab_size: large",
        lambda: Decoder(GREAT, GREAT, num_layers=1, num_heads=1),
        f"^vocab_size and embed_dim {FIT_RULE}",
    ),
    (
        "Cache: large",
        lambda: Cache(roomy(), max_len=HUGE - 1),
        f"^batch_size and max_len {FIT_RULE}",
    ),
    (
        "generate, steps: many",
        lambda: generate(roomy(window=2), torch.zeros(1, 1).long(), steps=GREAT),
        f"^steps {FIT_RULE}",
    ),
    (
        "lsh_buckets, num_rounds: many",
        lambda: lsh_buckets(DENSE, num_buckets=2, num_rounds=GREAT),
        f"^num_rounds {FIT_RULE}",
    ),
    (
        "connectivity, n: large",
        lambda: comparison.connectivity(LAYER, GREAT, 2),
        f"^n and d {FIT_RULE}",
    ),
    (
        "conv_connectivity, n: large",
        lambda: comparison.conv_connectivity(GREAT, 3),
        f"^n {FIT_RULE}",
    ),
    (
        "count_flops, n: large",
        lambda: comparison.count_flops(LAYER, HUGE - 1, 2),
        f"^n and d {FIT_RULE}",
    ),
    (
        "matmul_chain, n: large",
        lambda: comparison.matmul_chain(LAYER, HUGE - 1, 2),
        f"^n and d {FIT_RULE}",
    ),
    # The rest
    *[
        (
            f"{call.__name__}, device: {device!r}",
            functools.partial(call, *given, device=device, **options),
            "^device must be one that torch knows, got ",
        )
        for call, given, options in (
            (causal_mask, (3,), {}),
            (window_mask, (3,), dict(width=2)),
            (alibi_bias, (2, 3), {}),
            (sinusoidal_encoding, (3, 4), {}),
        )
        for device in ("gpu", "tpu", "", -1, ["cpu"])
    ],
    *counts("PositionalEncoding, embed_dim", PositionalEncoding),
    (
        "LatentAttention, update_cache: a string",
        lambda: kept("x"),
        "^update_cache must be a function or a module, got 'x'",
    ),
    (
        "Block, rotate: a string",
        lambda: block(4, 2)(DENSE, rotate="x"),
        "^rotate must be a function or a module, got 'x'",
    ),
    (
        "Block, update_cache: a list",
        lambda: block(4, 2)(DENSE, update_cache=[]),
        r"^update_cache must be a function or a module, got \[\]",
    ),
    (
        "Decoder, cache: what only stores",
        lambda: roomy()(torch.zeros(1, 3).long(), cache=types.SimpleNamespace(store=print)),
        "^cache must be a Cache, got SimpleNamespace",
    ),
    (
        "from_gpt2, source: a number for a name",
        lambda: from_gpt2({0: DENSE}),
        "^source must name its weights by strings, got 0",
    ),
    (
        "Ranks.exchange, parts: none",
        lambda: Ranks().exchange([], []),
        "^parts and sizes must be 1, one for each rank, got 0 and 0",
    ),
    *numbers(
        "generate without steps, temperature",
        lambda x: generate(roomy(), torch.zeros(1, 3).long(), steps=0, temperature=x),
        {"negative": -1},
    ),
    *counts(
        "generate without steps, top_k",
        lambda x: generate(
            roomy(), torch.zeros(1, 3).long(), steps=0, top_k="none" if x is None else x
        ),
    ),
    (
        "generate without steps, top_k: too many",
        lambda: generate(roomy(), torch.zeros(1, 3).long(), steps=0, top_k=8),
        "^top_k must be an integer of at most 7, got 8",
    ),
    (
        "generate without steps, generator: a seed",
        lambda: generate(roomy(), torch.zeros(1, 3).long(), steps=0, generator=1),
        "^generator must be a torch.Generator, got ",
    ),
]

# Clusters -----------------------------------------------------------------------------------------

MACHINE, WIDE = cluster.Machine(1e12, 1e11, 1e-6), cluster.Layer(4096, 32, 8, 128)
NOT_A_SPEED = {
    **{k: v for k, v in NOT_A_NUMBER.items() if k != "a list"},
    "zero": 0,
    "beyond every double": 10**400,
}
CLUSTER = [
    row
    for call in (cluster.ring_cost, cluster.heads_cost, cluster.both_cost)
    for row in [
        *counts(f"{call.__name__} ranks", lambda x, call=call: call(MACHINE, WIDE, x)),
        *others(
            f"{call.__name__} machine",
            lambda x, call=call: call(x, WIDE, 8),
            {
                "nothing": None,
                "a name": "H100, NVLink",
                "a tuple": (1.0, 1.0, 0.0),
                "a layer": WIDE,
            },
            "^machine must be a Machine, got ",
        ),
        *others(
            f"{call.__name__} layer",
            lambda x, call=call: call(MACHINE, x, 8),
            {"nothing": None, "a number": 8, "a machine": MACHINE},
            "^layer must be a Layer, got ",
        ),
        (
            f"{call.__name__}: a machine of zeros",
            lambda call=call: call(cluster.Machine(0, 0, 0), WIDE, 8),
            "^flops must be a number above 0, got 0",
        ),
        *[
            row
            for name in ("flops", "bandwidth")
            for row in others(
                f"{call.__name__} {name}",
                lambda x, call=call, name=name: call(MACHINE._replace(**{name: x}), WIDE, 8),
                NOT_A_SPEED,
                f"^{name} must be a number above 0, got ",
            )
        ],
        *numbers(
            f"{call.__name__} latency",
            lambda x, call=call: call(MACHINE._replace(latency=x), WIDE, 8),
            {"negative": -1},
        ),
    ]
] + [
    (
        "both_cost ranks: another multiple",
        lambda: cluster.both_cost(MACHINE, WIDE, 12),
        "^ranks must be a multiple of heads_over, 8, got 12",
    ),
    (
        "ring_cost ranks: many",
        lambda: cluster.ring_cost(MACHINE, cluster.Layer(GREAT, 1, 1, 1), GREAT),
        f"^ranks {FIT_RULE}",
    ),
]

# Comparison ---------------------------------------------------------------------------------------

STEP = torch.eye(3, dtype=torch.bool)
NOT_STEPS = {
    "none": [],
    "a string": "ab",
    "a number": 3,
    "nothing": None,
    "of numbers": [torch.eye(3)],
    "of lists": [[[True]]],
    "not square": [torch.ones(3, 2, dtype=torch.bool)],
    "of unequal size": [STEP, torch.eye(2, dtype=torch.bool)],
    "one axis": [torch.ones(3, dtype=torch.bool)],
    "three axes": torch.ones(1, 3, 3, 3, dtype=torch.bool),
    "empty": [torch.ones(0, 0, dtype=torch.bool)],
    "on meta": [STEP.to("meta")],
}
NOT_A_UNIT = {
    "a layer too high": (2, 0),
    "a position too far": (1, 3),
    "negative": (-1, 0),
    "bools": (True, False),
    "floats": (1.0, 2.0),
    "one number": 1,
    "three numbers": (1, 2, 0),
    "a string": "11",
    "none": (None, None),
}
UNIT_RULE = r"^unit must be \(0\.\.1, 0\.\.2\), got "
NOT_A_LAYER = {"nothing": None, "a string": "RNN", "a tensor": torch.zeros(1, 3, 2)}
STEPS_RULE = r"^steps must (be|hold) .*, got "
LAYER = nn.Linear(2, 2)
CONV = comparison.ConvLayer(4, 3)
NOT_TOKENS = {
    "a list": [[[1.0] * 4]],
    "integers": torch.ones(1, 5, 4, dtype=torch.int64),
    "one axis": torch.ones(4),
    "two axes": torch.ones(5, 4),
    "another width": torch.ones(1, 5, 3),
    "another dtype": torch.ones(1, 5, 4, dtype=torch.float64),
    "another device": torch.ones(1, 5, 4, device="meta"),
    "nothing": None,
}

COMPARISON = [
    *counts("conv_cost n", lambda n: comparison.conv_cost(n, 4, 3)),
    *counts("conv_cost d", lambda d: comparison.conv_cost(5, d, 3)),
    *counts("conv_cost k", lambda k: comparison.conv_cost(5, 4, k)),
    ("conv_cost k: even", lambda: comparison.conv_cost(5, 4, 2), "^k must be odd unless causal"),
    *flags("conv_cost dilated", lambda dilated: comparison.conv_cost(5, 4, 3, dilated=dilated)),
    *flags("conv_cost causal", lambda causal: comparison.conv_cost(5, 4, 3, causal=causal)),
    *counts("rnn_cost n", lambda n: comparison.rnn_cost(n, 4)),
    *counts("rnn_cost d", lambda d: comparison.rnn_cost(5, d)),
    *others(
        "rnn_cost cell",
        lambda cell: comparison.rnn_cost(5, 4, cell=cell),
        {"another": "gru", "a class": nn.LSTM, "a list": ["rnn"], "nothing": None},
        r"^cell must be one of \('rnn', 'lstm'\), got ",
    ),
    *counts("attention_cost n", lambda n: comparison.attention_cost(n, 4)),
    *counts("attention_cost d", lambda d: comparison.attention_cost(5, d)),
    *flags(
        "attention_cost projections",
        lambda projections: comparison.attention_cost(5, 4, projections=projections),
    ),
    *counts("layers_to_connect n", lambda n: comparison.layers_to_connect(n, 3)),
    *counts("layers_to_connect k", lambda k: comparison.layers_to_connect(5, k)),
    *flags("layers_to_connect causal", lambda c: comparison.layers_to_connect(5, 3, causal=c)),
    *flags("layers_to_connect dilated", lambda d: comparison.layers_to_connect(5, 3, dilated=d)),
    *counts("ConvLayer embed_dim", lambda d: comparison.ConvLayer(d, 3)),
    *counts("ConvLayer kernel_size", lambda k: comparison.ConvLayer(4, k)),
    *counts("ConvLayer dilation", lambda r: comparison.ConvLayer(4, 3, dilation=r)),
    *flags("ConvLayer causal", lambda causal: comparison.ConvLayer(4, 3, causal=causal)),
    *others("ConvLayer.forward x", CONV, NOT_TOKENS, "^x must have .*, got |^x must be .*, got "),
    *others(
        "connectivity layer",
        lambda layer: comparison.connectivity(layer, 3, 2),
        NOT_A_LAYER,
        "^layer must be a function or a module, got ",
    ),
    *counts("connectivity n", lambda n: comparison.connectivity(LAYER, n, 2)),
    *counts("connectivity d", lambda d: comparison.connectivity(LAYER, 3, d)),
    *counts("connectivity samples", lambda s: comparison.connectivity(LAYER, 3, 2, samples=s)),
    (
        "connectivity layer: on meta",
        lambda: comparison.connectivity(nn.Linear(2, 2, device="meta"), 3, 2),
        "^layer must hold numbers, got weights on the device meta",
    ),
    (
        "connectivity layer: a buffer on meta",
        lambda: comparison.connectivity(nn.BatchNorm1d(2, affine=False, device="meta"), 3, 2),
        "^layer must hold numbers, got weights on the device meta",
    ),
    *others(
        "connectivity layer: returns",
        lambda result: comparison.connectivity(lambda x: result, 3, 2),
        {
            "nothing": None,
            "a list": [1],
            "no tuple of tensors": (3,),
            "an empty tuple": (),
            "fewer positions": torch.ones(1, 2, 2),
            "one axis": torch.ones(3),
        },
        r"^layer must map \(1, 3, 2\) to \(1, 3, width\), got ",
    ),
    (
        "connectivity layer: no gradient",
        lambda: comparison.connectivity(torch.zeros_like, 3, 2),
        "^layer must be differentiable, got an output without a gradient",
    ),
    *counts("conv_connectivity n", lambda n: comparison.conv_connectivity(n, 3)),
    *counts("conv_connectivity k", lambda k: comparison.conv_connectivity(5, k)),
    *counts("conv_connectivity dilation", lambda r: comparison.conv_connectivity(5, 3, dilation=r)),
    *flags("conv_connectivity causal", lambda c: comparison.conv_connectivity(5, 3, causal=c)),
    *others("compose steps", comparison.compose, NOT_STEPS, STEPS_RULE),
    *others("count_layers steps", comparison.count_layers, NOT_STEPS, STEPS_RULE),
    *flags("count_layers causal", lambda causal: comparison.count_layers(STEP, causal=causal)),
    *others(
        "receptive_field steps",
        lambda steps: comparison.receptive_field(steps, (0, 0)),
        NOT_STEPS,
        STEPS_RULE,
    ),
    *others(
        "receptive_field unit",
        lambda unit: comparison.receptive_field([STEP], unit),
        NOT_A_UNIT | {"nothing": None},
        UNIT_RULE,
    ),
    *others(
        "receptive_field within",
        lambda within: comparison.receptive_field([STEP], (0, 0), within=within),
        {"another size": torch.eye(2).bool(), "numbers": torch.eye(3), "a string": "ab"},
        r"^within must be boolean \(3, 3\) tensors, got ",
    ),
    *counts("count_flops n", lambda n: comparison.count_flops(LAYER, n, 2)),
    *counts("count_flops d", lambda d: comparison.count_flops(LAYER, 3, d)),
    *others(
        "count_flops layer",
        lambda layer: comparison.count_flops(layer, 3, 2),
        NOT_A_LAYER,
        "^layer must be a function or a module, got ",
    ),
    *counts("matmul_chain n", lambda n: comparison.matmul_chain(LAYER, n, 2)),
    *counts("matmul_chain d", lambda d: comparison.matmul_chain(LAYER, 3, d)),
    *others(
        "matmul_chain layer",
        lambda layer: comparison.matmul_chain(layer, 3, 2),
        NOT_A_LAYER,
        "^layer must be a function or a module, got ",
    ),
]

# Plots --------------------------------------------------------------------------------------------

NOT_REAL = {
    "complex": torch.ones(2, 2, dtype=torch.complex64),
    "strings": [["a", "b"]],
    "ragged": [[1.0], [1.0, 2.0]],
    "on meta": torch.ones(2, 2, device="meta"),
    "nothing": None,
    "a dict": {},
}
WRONG_SHAPES = {"a number": 1.0, "one axis": [1.0], "four axes": np.ones((1, 1, 1, 1))}
NO_CELL = {"no row": np.ones((0, 3)), "no column": np.ones((3, 0)), "no cell": []}
NOT_NAMES = {
    "half a letter": ["the", "\ud83d"],
    "too many": list("abc"),
    "too few": ["a"],
    "none": [],
    "a string": "ab",
    "zero": 0,
    "negative": -1,
    "a float": 1.5,
}


def matrix(**options):
    return plots.heatmap(np.eye(2), **options)


def stack(**options):
    return plots.heatmaps(np.ones((2, 2, 2)), **options)


def curve(**options):
    return plots.lines([1, 2], {"a": [3, 4]}, **options)


PLOTS = [
    *others("heatmap matrix", plots.heatmap, NOT_REAL, "^matrix must hold .*, got "),
    *others(
        "heatmap matrix",
        plots.heatmap,
        WRONG_SHAPES | NO_CELL | {"three axes": np.ones((2, 2, 2))},
        r"^matrix must have two axes and a cell, got shape \(",
    ),
    *others("heatmap tokens", lambda t: matrix(tokens=t), NOT_NAMES, "^tokens must .*, got "),
    *others(
        "heatmap xticklabels",
        lambda names: matrix(xticklabels=names),
        NOT_NAMES,
        "^xticklabels must .*, got ",
    ),
    *others(
        "heatmap yticklabels",
        lambda names: matrix(yticklabels=names),
        NOT_NAMES,
        "^yticklabels must .*, got ",
    ),
    *numbers("heatmap vmin", lambda end: matrix(vmin=end)),
    *numbers("heatmap vmax", lambda end: matrix(vmax=end)),
    *numbers("heatmap center", lambda end: matrix(center=end)),
    ("heatmap vmin, vmax: reversed", lambda: matrix(vmin=2, vmax=1), "^vmax must be above vmin"),
    ("heatmap vmin, vmax: equal", lambda: matrix(vmin=1, vmax=1), "^vmax must be above vmin"),
    (
        "heatmap vmin, vmax: reversed, of a mask",
        lambda: plots.heatmap([[True]], vmin=2, vmax=1),
        "^vmax must be above vmin = 2.0, got 1.0",
    ),
    *others(
        "heatmap cmap",
        lambda cmap: matrix(cmap=cmap),
        {"unknown": "nope", "a number": 3, "a list": ["red"]},
        "^cmap must name a colour map of matplotlib, got ",
    ),
    *flags("heatmap annot", lambda flag: matrix(annot=flag)),
    *flags("heatmap cbar", lambda flag: matrix(cbar=flag)),
    *flags("heatmap square", lambda flag: matrix(square=flag)),
    *others(
        "heatmap fmt",
        lambda fmt: matrix(annot=True, fmt=fmt),
        {"of old": "%.2f", "of integers": "d", "a number": 2, "nothing": None},
        "^fmt must be a format of numbers such as '.2f', got ",
    ),
    *others("heatmaps stack", plots.heatmaps, NOT_REAL, "^stack must hold .*, got "),
    *others(
        "heatmaps stack",
        plots.heatmaps,
        WRONG_SHAPES | NO_CELL | {"two axes": np.eye(2), "no matrix": np.ones((0, 2, 2))},
        r"^stack must have three axes and a cell, got shape \(",
    ),
    *others(
        "heatmaps titles",
        lambda titles: stack(titles=titles),
        {"too many": list("abc"), "too few": ["a"], "a string": "ab", "a number": 3},
        "^titles must .*, got ",
    ),
    *others("heatmaps tokens", lambda t: stack(tokens=t), NOT_NAMES, "^tokens must .*, got "),
    *counts("heatmaps columns", lambda columns: stack(columns=columns)),
    *numbers("heatmaps cell_size", lambda s: stack(cell_size=s), {"zero": 0, "huge": 10**400}),
    *flags("heatmaps cbar", lambda flag: stack(cbar=flag)),
    *numbers("heatmaps vmin", lambda end: stack(vmin=end)),
    ("heatmaps vmin, vmax: reversed", lambda: stack(vmin=2, vmax=1), "^vmax must be above vmin"),
    *others(
        "lines x",
        lambda x: plots.lines(x, {"a": [1, 2]}),
        NOT_REAL | {"words": ["a", "b"]},
        "^x must (hold|have) .*, got ",
    ),
    *others(
        "lines x",
        lambda x: plots.lines(x, {"a": x}),
        {"empty": [], "two axes": np.eye(2), "a number": 1.0},
        r"^x must have one axis and a point, got shape \(",
    ),
    *others(
        "lines series",
        lambda series: plots.lines([1, 2], series),
        {"empty": {}, "a list": [[1, 2]], "a string": "ab", "nothing": None},
        "^series must be a dict name -> values with a curve, got ",
    ),
    *others(
        "lines series values",
        lambda y: plots.lines([1, 2], {"a": y}),
        NOT_REAL | {"too many": [1, 2, 3], "two axes": np.eye(2), "words": ["a", "b"]},
        "^series 'a' must (hold|have) .*, got ",
    ),
    *flags("lines markers", lambda flag: curve(markers=flag)),
    *others(
        "lines xscale",
        lambda scale: curve(xscale=scale),
        {"unknown": "lg", "a number": 2, "a bool": True, "a list": ["log"]},
        "^xscale must be one of .*'log'.*, got ",
    ),
    *others(
        "lines yscale",
        lambda scale: curve(yscale=scale),
        {"unknown": "lg", "empty": "", "a bool": False},
        "^yscale must be one of .*'log'.*, got ",
    ),
    *others("columns P", lambda P: plots.columns(P, [0]), NOT_REAL, "^P must hold .*, got "),
    *others(
        "columns P",
        lambda P: plots.columns(P, [0]),
        WRONG_SHAPES | NO_CELL,
        r"^P must have two axes \(length, dim\) and a cell, got shape \(",
    ),
    *others(
        "columns which",
        lambda which: plots.columns(np.eye(3), which),
        {
            "too large": [3],
            "2**63": [HUGE],
            "negative": -1,
            "a float": [0.5],
            "bools": [True, False],
            "a string": "1",
            "none": [],
            "two axes": [[0, 1]],
            "nothing": None,
        },
        "^which must be column numbers from 0 to 2, got ",
    ),
    (
        "columns which: ragged",
        lambda: plots.columns(np.eye(3), [[0], [0, 1]]),
        "^which must hold numbers that numpy takes, got ",
    ),
    *others("network steps", drawings.network, NOT_STEPS, STEPS_RULE),
    *others(
        "network unit", lambda unit: drawings.network([STEP], unit=unit), NOT_A_UNIT, UNIT_RULE
    ),
    *others(
        "network within",
        lambda within: drawings.network([STEP], within=within),
        {"another size": torch.eye(2).bool(), "numbers": torch.eye(3), "a string": "ab"},
        r"^within must be boolean \(3, 3\) tensors, got ",
    ),
    *others(
        "describe ax",
        plots.describe,
        {"nothing": None, "a string": "figure", "a list": [], "a matrix": np.eye(2)},
        "^ax must be a matplotlib Axes or Figure, got ",
    ),
    ("describe ax: empty", lambda: plots.describe(plt.subplots()[1]), "^ax must have something"),
    ("describe a figure: empty", lambda: plots.describe(plt.figure()), "^the figure must have"),
    *others(
        "to_numpy values",
        to_numpy,
        {"ragged": [[1], [1, 2]], "on meta": torch.ones(2, device="meta")},
        "^values must hold numbers that numpy takes, got ",
    ),
]

# Interact -----------------------------------------------------------------------------------------


def draw(size):
    return plots.heatmap([[float(size)]])


INTERACT = [
    *others(
        "controls choice",
        lambda choice: interact.controls(draw, size=choice),
        {
            "nothing": None,
            "a number": 3,
            "a float": 0.5,
            "a string": "ab",
            "one end": (1,),
            "four numbers": (1, 2, 3, 4),
            "reversed": (3, 1),
            "NaN": (0.0, NAN),
            "infinity": (0.0, INF),
            "beyond every double": (0, 10**400),
            "bools": (False, True),
            "strings": ("a", "b"),
            "a step of zero": (1, 3, 0),
            "a step backwards": (1, 3, -1),
            "an empty list": [],
            "an empty dict": {},
            "a class": object,
            "a range": range(3),
            "an array": np.arange(3),
            "a widget without a value": ipywidgets.Button(),
            "a box": ipywidgets.VBox(),
        },
        r"^size must be \(min, max\), \(min, max, step\), a list, .*, got ",
    ),
    *others(
        "controls draw",
        lambda draw: interact.controls(draw, size=(1, 3)),
        {"nothing": None, "a string": "draw", "a figure": plt.figure()},
        "^draw must be a function or a module, got ",
    ),
    *others(
        "controls draw: returns",
        lambda result: interact.controls(lambda size: result, size=(1, 3)),
        {"nothing": None, "a string": "figure", "a number": 3},
        "^draw must return an Axes or a Figure, got ",
    ),
    ("controls: no choice", lambda: interact.controls(draw), "^choices must name at least one"),
    (
        "controls: a choice that draw does not take",
        lambda: interact.controls(draw, sise=(1, 3)),
        r"^draw must take what choices name \(sise\), got: .*",
    ),
    (
        "controls: an argument without a choice",
        lambda: interact.controls(lambda size, name: draw(size), size=(1, 3)),
        r"^draw must take what choices name \(size\), got: .*'name'",
    ),
]

# The core -----------------------------------------------------------------------------------------

Q, K, V = torch.zeros(2, 3, 5, 4), torch.zeros(2, 3, 7, 4), torch.zeros(2, 3, 7, 6)
SQUARE = torch.zeros(2, 3, 5, 4)
MHA, X = MultiHeadAttention(6, 3), torch.zeros(2, 5, 6)
NOT_FLOATING = {
    "nothing": None,
    "a list": [[1.0]],
    "an array": np.zeros((5, 4)),
    "integers": torch.zeros(2, 3, 5, 4, dtype=torch.long),
    "booleans": torch.zeros(2, 3, 5, 4, dtype=torch.bool),
    "complex": torch.zeros(2, 3, 5, 4, dtype=torch.complex64),
    "one axis": torch.zeros(4),
    "a number": torch.tensor(1.0),
}
NOT_A_MASK = {
    "numbers": torch.ones(5, 7),
    "integers": torch.ones(5, 7, dtype=torch.long),
    "a list": [[True] * 7] * 5,
    "a bool": True,
    "one axis": torch.ones(7, dtype=torch.bool),
    "another length": torch.ones(5, 6, dtype=torch.bool),
    "transposed": torch.ones(7, 5, dtype=torch.bool),
    "another device": torch.ones(5, 7, dtype=torch.bool, device="meta"),
}
NOT_A_BIAS = {
    "booleans": torch.ones(5, 7, dtype=torch.bool),
    "integers": torch.ones(5, 7, dtype=torch.long),
    "a number": 1.0,
    "one axis": torch.zeros(7),
    "too many heads": torch.zeros(4, 5, 7),
    "another device": torch.zeros(5, 7, device="meta"),
}
NOT_A_SHARE = {**NOT_A_NUMBER, "negative": -0.1, "above 1": 1.1}
NOT_LENGTHS = {
    "a string": "ab",
    "strings": ["a", "b"],
    "ragged": [[1], [1, 2]],
    "a number": 3,
    "nothing in a list": [None, None],
    "numbers": [1.0, 2.0],
    "one number": [1.0],
    "bools": [True, False],
    "unsigned": torch.tensor([1, 2], dtype=torch.uint32),
    "complex": torch.tensor([1j, 2j]),
    "negative": [-1, 2],
    "beyond the keys": [1, 6],
    "three axes": [[[1]], [[2]]],
    "beyond int64": [2**63, 1],
}
NOT_A_DTYPE = {"a string": "float32", "integers": torch.int64, "a type": float, "a number": 32}
NO_ENGINE = {"another": "flash", "nothing": None, "a list": ["fused"], "a number": 0}
INPUT_RULE = "(a floating tensor|have shape|have the dtype and device of|have the same batch size)"

CORE = [
    *others(
        "attention, query", lambda x: attention(x, K, V), NOT_FLOATING, "^query must (be|have)"
    ),
    *others("attention, key", lambda x: attention(Q, x, V), NOT_FLOATING, "^key must (be|have)"),
    *others(
        "attention, value", lambda x: attention(Q, K, x), NOT_FLOATING, "^value must (be|have)"
    ),
    *others(
        "attention, attn_mask",
        lambda x: attention(Q, K, V, attn_mask=x),
        NOT_A_MASK,
        "^attn_mask must (be|have) .*, got ",
    ),
    *others(
        "attention_weights, attn_bias",
        lambda x: attention_weights(Q, K, attn_bias=x),
        NOT_A_BIAS,
        "^attn_bias must (be|broadcast) .*, got ",
    ),
    *flags("attention, is_causal", lambda x: attention(SQUARE, SQUARE, SQUARE, is_causal=x)),
    *numbers("attention, scale", lambda x: attention(Q, K, V, scale=x or "0"), {"huge": 10**400}),
    *others(
        "attention, dropout_p",
        lambda x: attention(Q, K, V, dropout_p=x),
        NOT_A_SHARE,
        "^dropout_p must be a finite number from 0 to 1, got ",
    ),
    *others(
        "attention, engine",
        lambda x: attention(Q, K, V, engine=x),
        NO_ENGINE,
        "^engine must be one of .*, got ",
    ),
    *others(
        "masked_softmax, scores",
        lambda x: masked_softmax(x),
        NOT_FLOATING,
        "^scores must (be|have) .*, got ",
    ),
    *counts("length_mask, max_len", lambda x: length_mask([1, 2], x)),
    *others(
        "length_mask, valid_lens",
        lambda x: length_mask(x, 5),
        NOT_LENGTHS,
        "^valid_lens must (hold|have|lie) .*, got ",
    ),
    *counts("causal_mask, L", lambda x: causal_mask(x, 3, align="top-left")),
    *counts("window_mask, width", lambda x: window_mask(3, width=x)),
    *counts(
        "window_mask, query_offset", lambda x: window_mask(3, width=1, query_offset=x), least=0
    ),
    *others(
        "causal_mask, align",
        lambda x: causal_mask(3, 4, align=x),
        {"another": "left", "a number": 1, "a list": []},
        "^align must be one of .*, got ",
    ),
    *counts("SelfAttention, embed_dim", lambda x: SelfAttention(x)),
    *flags("SelfAttention, bias", lambda x: SelfAttention(4, bias=x)),
    *others(
        "SelfAttention, x",
        lambda x: SelfAttention(6)(x),
        {**NOT_FLOATING, "another dtype": X.double(), "another device": X.to("meta")},
        f"^x must (be )?{INPUT_RULE}",
    ),
    *flags("SelfAttention, need_weights", lambda x: SelfAttention(6)(X, need_weights=x)),
    *counts("MultiHeadAttention, embed_dim", lambda x: MultiHeadAttention(x, 1)),
    *counts("MultiHeadAttention, num_heads", lambda x: MultiHeadAttention(6, x)),
    *counts("MultiHeadAttention, kdim", lambda x: MultiHeadAttention(6, 3, kdim=x or 0))[:8],
    *others(
        "MultiHeadAttention, num_kv_heads",
        lambda x: MultiHeadAttention(8, 4, num_kv_heads=x),
        {"none": 0, "a third": 3, "more": 8, "a float": 2.0, "a bool": True, "a string": "2"},
        "^num_kv_heads must (be|divide) .*, got ",
    ),
    *others(
        "MultiHeadAttention, dropout",
        lambda x: MultiHeadAttention(6, 3, dropout=x),
        NOT_A_SHARE,
        "^dropout must lie between 0 and 1, got ",
    ),
    *flags("MultiHeadAttention, bias", lambda x: MultiHeadAttention(6, 3, bias=x)),
    *others(
        "MultiHeadAttention, engine",
        lambda x: MultiHeadAttention(6, 3, engine=x),
        NO_ENGINE,
        "^engine must be one of .*, got ",
    ),
    *others(
        "mha, query",
        lambda x: MHA(x, X, X),
        {**NOT_FLOATING, "another dtype": X.double(), "another device": X.to("meta")},
        f"^query must (be )?{INPUT_RULE}",
    ),
    *others(
        "mha, value",
        lambda x: MHA(X, X, x),
        {k: v for k, v in NOT_FLOATING.items() if k != "nothing"} | {"half": X.half()},
        f"^value must (be )?{INPUT_RULE}",
    ),
    *others(
        "mha, valid_lens",
        lambda x: MHA(X, valid_lens=x),
        NOT_LENGTHS,
        "^valid_lens must (hold|have|lie) .*, got ",
    ),
    *flags("mha, need_weights", lambda x: MHA(X, need_weights=x)),
    *flags("mha, is_causal", lambda x: MHA(X, is_causal=x)),
    *others(
        "project, query",
        lambda x: MHA.project(x, X, X),
        NOT_FLOATING,
        f"^query must (be )?{INPUT_RULE}",
    ),
    *others(
        "attend, key",
        lambda x: MHA.attend(torch.zeros(2, 3, 5, 2), x, torch.zeros(2, 3, 7, 2)),
        NOT_FLOATING,
        f"^key must (be )?{INPUT_RULE}",
    ),
    *others("join, x", lambda x: MHA.join(x), NOT_FLOATING, "^x must (be|have) "),
    *others(
        "merge, logsumexps",
        lambda x: merge([Q], x),
        {
            "none": [],
            "two": [Q[..., 0]] * 2,
            "another shape": [Q],
            "a number": [1.0],
            "nothing": None,
            "booleans": [Q[..., 0] > 0],
            "integers": [Q[..., 0].long()],
        },
        "^(outputs and )?logsumexps must .*, got ",
    ),
    *others(
        "merge, outputs",
        lambda x: merge(x, [Q[..., 0]]),
        {"nothing": None},
        "^outputs must .*, got ",
    ),
    *others(
        "join of another dtype, x",
        lambda layer: layer.join(torch.zeros(1, 2, 3, 2, dtype=torch.float64)),
        {"heads": MultiHeadAttention(4, 2), "latent": LatentAttention(4, 2, latent_dim=3)},
        "^x must have the dtype and device of the module's weights",
    ),
    *counts(
        "partial_attention, chunk_size", lambda x: partial_attention(Q, K, V, chunk_size=x or 0)
    ),
]

POSITIONS = [
    *counts("sinusoidal_encoding, length", lambda x: sinusoidal_encoding(x, 4), least=0),
    *counts("sinusoidal_encoding, dim", lambda x: sinusoidal_encoding(3, x)),
    *counts("sinusoidal_encoding, offset", lambda x: sinusoidal_encoding(3, 4, offset=x), least=0),
    *numbers("sinusoidal_encoding, base", lambda x: sinusoidal_encoding(3, 4, base=x)),
    *others(
        "sinusoidal_encoding, dtype",
        lambda x: sinusoidal_encoding(3, 4, dtype=x),
        NOT_A_DTYPE,
        "^dtype must be a floating dtype, got ",
    ),
    *others(
        "apply_rotary, x", lambda x: apply_rotary(x), NOT_FLOATING, "^x must (be|have) .*, got "
    ),
    (
        "apply_rotary, x: no length",
        lambda: apply_rotary(X[0, 0]),
        r"^x must have shape \(\.\.\., length, width\), got \(",
    ),
    *flags("apply_rotary, interleaved", lambda x: apply_rotary(Q, interleaved=x)),
    *counts("apply_rotary, offset", lambda x: apply_rotary(Q, offset=x), least=0),
    *numbers("shift_matrix, delta", lambda x: shift_matrix(x, 4)),
    *counts("alibi_bias, num_heads", lambda x: alibi_bias(x, 3)),
    *counts("alibi_bias, L", lambda x: alibi_bias(2, x)),
    *counts("PositionalEncoding, max_len", lambda x: PositionalEncoding(4, max_len=x), least=0),
    *counts("LearnedPositionalEncoding, max_len", lambda x: LearnedPositionalEncoding(x, 4)),
    *others(
        "PositionalEncoding, dropout",
        lambda x: PositionalEncoding(4, x),
        NOT_A_SHARE,
        "^dropout must be a finite number from 0 to 1, got ",
    ),
    *others(
        "PositionalEncoding, x",
        lambda x: PositionalEncoding(4)(x),
        NOT_FLOATING,
        "^x must (be|have) .*, got ",
    ),
    *others(
        "from_torch, mha",
        from_torch,
        {"nothing": None, "ours": MHA, "a string": ""},
        "^mha must be ",
    ),
    *others(
        "from_d2l, mha", from_d2l, {"nothing": None, "ours": MHA, "a string": ""}, "^mha must be "
    ),
]


# Transformer --------------------------------------------------------------------------------------


def decoder(vocab_size=7, embed_dim=8, *, num_layers=2, num_heads=2, **options):
    return Decoder(vocab_size, embed_dim, num_layers=num_layers, num_heads=num_heads, **options)


def write(**options):
    return generate(MODEL, WORDS, **{**dict(steps=1), **options})


def train(batches=lambda step: (WORDS, WORDS), **options):
    return fit(MODEL, batches, **{**dict(steps=1, progress=False), **options})


@torch.no_grad()
def remember(tokens, cache):
    return MODEL(tokens, cache=cache)


MODEL, WORDS = decoder(), torch.tensor([[1, 2, 6], [0, 3, 3]])
READER = Encoder(7, 8, num_layers=2, num_heads=2)
FROZEN = decoder().requires_grad_(False)
NO_WORDS = {
    "a list": [[1, 2]],
    "floats": WORDS.float(),
    "int32": WORDS.int(),
    "one axis": WORDS[0],
    "three axes": WORDS[None],
    "no token": WORDS[:, :0],
    "a word too high": WORDS + 1,
    "negative": WORDS - 1,
    "another device": WORDS.to("meta"),
    "nothing": None,
}
NOT_TOKENS_OF_4 = {
    "a list": [[[1.0] * 4]],
    "integers": torch.ones(1, 5, 4, dtype=torch.int64),
    "two axes": torch.ones(5, 4),
    "another width": torch.ones(1, 5, 3),
}
NO_LENGTHS = {
    "floats": torch.tensor([1.0, 2.0]),
    "too long": [4, 1],
    "negative": [-1, 1],
    "one": [2],
    "a number": 2,
    "one for each token": torch.ones(2, 3, dtype=torch.int64),
    "a string": "12",
}
NO_HEADS = {
    "floats": torch.ones(2, 2),
    "a list": [[True, True]] * 2,
    "one layer": torch.ones(1, 2, dtype=torch.bool),
    "one axis": torch.ones(2, dtype=torch.bool),
}
NO_DECODER = {"nothing": None, "an encoder": READER, "a block": block(8, 2)}
LATENT = dict(attention=LatentAttention, latent_dim=4)
BLOCK = functools.partial(block, 8, 2)
BELOW_0 = {"negative": -0.5}
GIVEN = torch.ones(1, 5, 4)


def latent(**options):
    return LatentAttention(4, 2, latent_dim=3, **options)


TRANSFORMER = [
    *counts("Block, embed_dim", lambda x: block(x, 2)),
    *counts("Block, num_heads", lambda x: block(8, x)),
    *counts("Block, mlp_dim", lambda x: block(8, 2, mlp_dim="none" if x is None else x), least=0),
    *others("Block, dropout", lambda x: block(8, 2, dropout=x), NOT_A_SHARE, "^dropout must "),
    *flags("Block, bias", lambda x: block(8, 2, bias=x)),
    *others("Block, x", block(4, 2), NOT_TOKENS_OF_4, "^x must (be|have) .*, got "),
    *others(
        "Block, x",
        block(4, 2),
        {"float64": torch.ones(1, 5, 4).double(), "another device": torch.ones(1, 5, 4).to("meta")},
        "^x must have the dtype and device of the block's weights .*, got ",
    ),
    (
        "Block, head_mask: what it is",
        lambda: block(4, 2)(torch.ones(1, 3, 4), head_mask=[True, False]),
        r"^head_mask must be a boolean tensor .*, got list$",
    ),
    (
        "drawings.one_answer, w_q: too wide",
        lambda: drawings.one_answer(["a"], np.eye(1), np.ones((9, 1)), *2 * [np.eye(1)], query="a"),
        r"^w_q must have 1 to \d rows, got 9$",
    ),
    *others(
        "Block, head_mask",
        lambda x: block(4, 2)(torch.ones(1, 3, 4), head_mask=x),
        {"floats": torch.ones(2), "two axes": torch.ones(1, 2, dtype=torch.bool)},
        r"^head_mask must be a boolean tensor \(heads,\) = \(2,\), .*, got ",
    ),
    *numbers("Block, soft_cap", lambda x: block(8, 2, soft_cap=x), {}),
    *others(
        "Block, soft_cap",
        lambda x: block(8, 2, soft_cap=x),
        {"zero": 0, "negative": -1.5},
        "^soft_cap must be above 0, got ",
    ),
    *flags("Block, qk_norm", lambda x: block(8, 2, qk_norm=x)),
    *flags("Block, gate", lambda x: block(8, 2, gate=x)),
    *flags("Block, sink_logit", lambda x: block(8, 2, sink_logit=x)),
    *others(
        "Block, attention",
        lambda x: Block(x),
        {"nothing": None, "a width": 8, "a class": MultiHeadAttention, "no layer": nn.Linear(4, 4)},
        "^attention must be a module such as .*, got ",
    ),
    *others("Block, mlp", lambda x: Block(MHA, x), {"a width": 8}, "^mlp must be a module .*, got"),
    *others("Block, norm", lambda x: Block(MHA, norm=x), {"a norm": 1}, "^norm must be a function"),
    *counts("MLP, embed_dim", lambda x: MLP(x)),
    *counts("MLP, mlp_dim", lambda x: MLP(8, "none" if x is None else x)),
    *flags("MLP, bias", lambda x: MLP(8, bias=x)),
    *counts("GatedMLP, embed_dim", lambda x: GatedMLP(x, 4)),
    *counts("GatedMLP, mlp_dim", lambda x: GatedMLP(4, x)),
    *flags("GatedMLP, bias", lambda x: GatedMLP(4, 4, bias=x)),
    *counts("Alibi, num_heads", lambda x: Alibi(x)),
    *flags("Rotary, interleaved", lambda x: Rotary(interleaved=x)),
    *others("Rotary, base", lambda x: Rotary(x), {"one": 1, "a word": "2"}, "^base must be "),
    *others(
        "Decoder, block",
        lambda x: Decoder(7, 8, num_layers=1, block=x),
        {"a block": 3, "another width": lambda: block(4, 2), "no block": lambda: MHA},
        "^block must .*, got ",
    ),
    *[
        (
            f"Decoder, block and {name}",
            lambda name=name: Decoder(7, 8, num_layers=1, block=BLOCK, **{name: 2}),
            f"^{name} must be left out with block",
        )
        for name in ("num_heads", "mlp_dim", "num_kv_heads")
    ],
    *counts("Decoder, rope_dim", lambda x: decoder(**LATENT, rope_dim=x), least=0),
    *counts("Decoder, sinks", lambda x: decoder(window=2, sinks=x), least=0),
    *others(
        "gated join, query",
        lambda x: MultiHeadAttention(4, 2, gate=True).join(torch.ones(1, 2, 3, 2), x),
        {"nothing": None, "too short": torch.ones(1, 2, 4), "narrow": torch.ones(1, 3, 2)},
        "^query must (be|have) .*, got ",
    ),
    *counts("LatentAttention, embed_dim", lambda x: LatentAttention(x, 2, latent_dim=3)),
    *counts("LatentAttention, num_heads", lambda x: LatentAttention(8, x, latent_dim=3)),
    *counts("LatentAttention, latent_dim", lambda x: LatentAttention(8, 2, latent_dim=x)),
    *counts("LatentAttention, rope_dim", lambda x: latent(rope_dim=x), least=0),
    ("LatentAttention: odd", lambda: latent(rope_dim=3), "^rope_dim must be even.* got 3"),
    ("LatentAttention: 3 of 8", lambda: LatentAttention(8, 3, latent_dim=3), "^num_heads must div"),
    *others("LatentAttention, dropout", lambda x: latent(dropout=x), NOT_A_SHARE, "^dropout must "),
    *flags("LatentAttention, bias", lambda x: latent(bias=x)),
    *flags(
        "LatentAttention.forward absorbed",
        lambda x: latent()(GIVEN, absorbed="none" if x is None else x),
    ),
    *flags("LatentAttention.forward is_causal", lambda x: latent()(GIVEN, is_causal=x)),
    *flags("LatentAttention.forward need_weights", lambda x: latent()(GIVEN, need_weights=x)),
    *others("LatentAttention.forward x", latent(), NOT_TOKENS_OF_4, "^x must (be|have) .*, got "),
    *others(
        "LatentAttention.forward attn_mask",
        lambda x: latent()(GIVEN, attn_mask=x),
        NOT_A_MASK | {"another batch": torch.ones(2, 5, 5, dtype=torch.bool)},
        "^attn_mask must .*, got ",
    ),
    *others(
        "LatentAttention.attend query",
        lambda x: latent().attend(x, torch.ones(1, 1, 5, 3)),
        NOT_FLOATING | {"other heads": torch.ones(1, 3, 5, 2), "wide": torch.ones(1, 2, 5, 3)},
        "^query must (be|have) .*, got ",
    ),
    *others(
        "LatentAttention.attend latent",
        lambda x: latent().attend(torch.ones(1, 2, 5, 2), x),
        NOT_FLOATING
        | {
            "of each head": torch.ones(1, 2, 5, 3),
            "wide": torch.ones(1, 1, 5, 4),
            "another batch": torch.ones(2, 1, 5, 3),
            "float64": torch.ones(1, 1, 5, 3).double(),
        },
        "^latent must (be|have) .*, got ",
    ),
    *others(
        "LatentAttention.join x",
        latent().join,
        NOT_FLOATING | {"other heads": torch.ones(1, 3, 5, 2)},
        "^x must (be|have) .*, got ",
    ),
    *counts("Decoder, vocab_size", lambda x: decoder(x)),
    *counts("Decoder, embed_dim", lambda x: decoder(7, x)),
    *counts("Decoder, num_layers", lambda x: decoder(num_layers=x)),
    *counts("Decoder, num_heads", lambda x: decoder(num_heads=x)),
    *counts("Decoder, max_len", lambda x: decoder(max_len=x)),
    *counts("Decoder, window", lambda x: decoder(window="none" if x is None else x)),
    *counts("Decoder, seed", lambda x: decoder(seed=x), least=0),
    *flags("Decoder, tied", lambda x: decoder(tied=x)),
    *flags("Decoder, bias", lambda x: decoder(bias=x)),
    *numbers("Decoder, base", lambda x: decoder(base=x)),
    *numbers("Decoder, init_std", lambda x: decoder(init_std=x), BELOW_0),
    *others(
        "Decoder, base", lambda x: decoder(base=x), {"one": 1, "a half": 0.5}, "^base must be above"
    ),
    *others(
        "Decoder, positions",
        lambda x: decoder(positions=x),
        {"unknown": "rope", "a bool": True, "empty": ""},
        "^positions must be one of .*'alibi'.*, got ",
    ),
    ("Decoder: odd heads turned", lambda: decoder(7, 6, positions="rotary"), "even width.* got "),
    *others("Decoder, tokens", MODEL, NO_WORDS, "^tokens must .*, got "),
    *others("Encoder, tokens", READER, NO_WORDS, "^tokens must .*, got "),
    *others(
        "Decoder, valid_lens", lambda x: MODEL(WORDS, valid_lens=x), NO_LENGTHS, "^valid_lens must "
    ),
    *others(
        "Decoder, left_padding",
        lambda x: MODEL(WORDS, left_padding=x),
        NO_LENGTHS,
        "^left_padding must .*, got ",
    ),
    *others(
        "Encoder, valid_lens",
        lambda x: READER(WORDS, valid_lens=x),
        NO_LENGTHS,
        "^valid_lens must .*, got ",
    ),
    *others(
        "Decoder, head_mask",
        lambda x: MODEL(WORDS, head_mask=x),
        NO_HEADS,
        r"^head_mask must be a boolean tensor \(layers, heads\) = \(2, 2\), .*, got ",
    ),
    *flags("Decoder, need_weights", lambda x: MODEL(WORDS, need_weights=x)),
    *others("Cache, model", Cache, NO_DECODER, "^model must be a Decoder, got "),
    *counts("Cache, batch_size", lambda x: Cache(MODEL, x)),
    *counts("Cache, max_len", lambda x: Cache(MODEL, max_len="none" if x is None else x)),
    ("Cache: past the table", lambda: Cache(MODEL, max_len=513), "^max_len must be at most 512, "),
    *others(
        "Decoder, cache",
        lambda x: remember(WORDS, x),
        {
            "of one sequence": Cache(MODEL, 1),
            "too small": Cache(MODEL, 2, max_len=2),
            "of another model": Cache(decoder(num_layers=1), 2),
            "a list": [],
            "a number": 8,
        },
        "^cache (must|is) .*, got ",
    ),
    *others(
        "sample, logits",
        sample,
        {
            "a list": [1.0],
            "integers": WORDS,
            "a number": torch.tensor(1.0),
            "no word": torch.ones(0),
            "NaN": torch.tensor([0.0, NAN]),
            "inf": torch.tensor([0.0, INF]),
            "-inf alone": torch.tensor([-INF, -INF]),
        },
        "^logits must .*, got ",
    ),
    *others(
        "sample, generator",
        lambda x: sample(torch.ones(3), generator=x),
        {"a seed": 3, "a string": "cpu"},
        "^generator must be a torch.Generator, got ",
    ),
    *numbers("sample, temperature", lambda x: sample(torch.ones(3), temperature=x), BELOW_0),
    *counts("sample, top_k", lambda x: sample(torch.ones(3), top_k="none" if x is None else x)),
    (
        "sample, top_k: too many",
        lambda: sample(torch.ones(3), top_k=4),
        "^top_k .*at most 3, got 4",
    ),
    *others("generate, model", lambda x: generate(x, WORDS, steps=1), NO_DECODER, "^model must "),
    *others("generate, tokens", lambda x: generate(MODEL, x, steps=1), NO_WORDS, "^tokens must "),
    *counts("generate, steps", lambda x: write(steps=x), least=0),
    *flags("generate, use_cache", lambda x: write(use_cache=x)),
    *numbers("generate, temperature", lambda x: write(temperature=x), BELOW_0),
    *others(
        "generate, left_padding",
        lambda x: write(left_padding=x),
        NO_LENGTHS | {"no prompt": [0, 3]},
        "^left_padding must .*, got ",
    ),
    *others(
        "fit, model",
        lambda x: fit(x, lambda step: (WORDS, WORDS), steps=1, progress=False),
        {"nothing": None, "no weights": torch.nn.ReLU(), "frozen": FROZEN},
        "^model must .*, got ",
    ),
    *others(
        "fit, what batches give",
        lambda x: train(lambda step: x),
        {"nothing": None, "a tensor": WORDS, "one": (WORDS,), "three": (WORDS, WORDS, WORDS)},
        r"^batches must give \(tokens, targets\), got ",
    ),
    ("fit, batches: of nothing", lambda: train(lambda: WORDS), r"^batches must .*, got one of \("),
    *others(
        "fit, targets",
        lambda x: train(lambda step: (WORDS, x)),
        {"too high": WORDS + 1, "negative": WORDS - 1, "floats": WORDS.float(), "a list": [[1]]},
        "^targets must .*, got ",
    ),
    *others(
        "fit, batches", train, {"a list": [(WORDS, WORDS)], "nothing": None}, "^batches must be a "
    ),
    *counts("fit, steps", lambda x: train(steps=x)),
    *counts("fit, every", lambda x: train(every="none" if x is None else x)),
    *counts("fit, warmup", lambda x: train(warmup=x), least=0),
    *numbers("fit, learning_rate", lambda x: train(learning_rate=x), BELOW_0),
    *numbers("fit, weight_decay", lambda x: train(weight_decay=x), BELOW_0),
    *numbers("fit, clip", lambda x: train(clip=x), BELOW_0),
    *flags("fit, progress", lambda x: train(progress=x)),
    *others(
        "from_gpt2, source",
        from_gpt2,
        {"nothing": None, "ours": MODEL, "no weights": {}, "a list": []},
        "^source must .*, got ",
    ),
]


# Recurrent ----------------------------------------------------------------------------------------

ONES = torch.ones(2, 5)


def corrected(query=SQUARE[0, :2], key=SQUARE[0, :2], value=SQUARE[0, :2], beta=ONES, **options):
    return delta_attention(query, key, value, beta=beta, **options)


NOT_A_GATE = {
    "nothing": None,
    "a number": 1.0,
    "a list": [1.0] * 5,
    "integers": torch.ones(5, dtype=torch.long),
    "float64": torch.ones(5).double(),
    "no axis": torch.tensor(1.0),
    "another length": torch.ones(4),
    "another device": torch.ones(5, device="meta"),
    "negative": -ONES,
    "NaN": NAN * ONES,
}
RECURRENT = [
    *others(
        "delta_attention, query", lambda x: corrected(x), NOT_FLOATING, "^query must (be|have)"
    ),
    *others(
        "delta_attention, key", lambda x: corrected(key=x), NOT_FLOATING, "^key must (be|have)"
    ),
    *others(
        "delta_attention, value",
        lambda x: corrected(value=x),
        NOT_FLOATING,
        "^value must (be|have)",
    ),
    (
        "delta_attention, key: more rows",
        lambda: corrected(key=K[0, :2], value=V[0, :2]),
        "^key must have as many rows as query, 5, got 7",
    ),
    *others(
        "delta_attention, beta",
        lambda x: corrected(beta=x),
        NOT_A_GATE | {"above 2": 2.5 * ONES},
        "^beta must .*, got ",
    ),
    *others(
        "delta_attention, decay",
        lambda x: corrected(decay=ONES if x is None else x),
        {**NOT_A_GATE, "zero": 0 * ONES, "above 1": 1.5 * ONES} | {"nothing": 1},
        "^decay must .*, got ",
    ),
    (
        "delta_attention, beta: other heads",
        lambda: corrected(beta=torch.ones(3, 5)),
        "^the leading axes of query, key, value, beta must broadcast, got ",
    ),
    *others(
        "delta_attention, state",
        lambda x: corrected(state=x),
        {
            "a list": [[0.0]],
            "integers": torch.zeros(4, 4, dtype=torch.long),
            "float64": torch.zeros(4, 4).double(),
            "one axis": torch.zeros(4),
            "another width": torch.zeros(4, 3),
            "other heads": torch.zeros(3, 4, 4),
            "too many axes": torch.zeros(1, 2, 4, 4),
            "another device": torch.zeros(4, 4, device="meta"),
        },
        "^state must .*, got ",
    ),
    *counts(
        "delta_attention, chunk_size",
        lambda x: corrected(chunk_size="none" if x is None else x),
    ),
    *flags("delta_attention, need_state", lambda x: corrected(need_state=x)),
]


# Pictures -----------------------------------------------------------------------------------------
# (What is no Axes and what is no query is refused by all of them alike: tests/pictures.)


def refused(draw, given, **wrong):
    """Rows for the arguments of a picture: a dict of wrong values each, or that and the rule."""
    rows = []
    for name, values in wrong.items():
        values, rule = values if isinstance(values, tuple) else (values, "must .*, got ")
        call = functools.partial(_changed, draw, given, name)
        rows += others(f"{draw.__name__} {name}", call, values, f"^{name} .*{rule}")
    return rows


def _changed(draw, given, name, value):
    return draw(**{**given, name: value})


NOT_WORDS = {"a string": "the dog", "a number": 3, "nothing": None, "none": []}
WORDS_RULE = NOT_WORDS, "must (be a list of strings|hold at least 1 string), got "
COUNT_RULE = NOT_A_COUNT | {"zero": 0}, "must be an integer of at (least|most) .*, got "
NUMBER_RULE = NOT_A_NUMBER, "must be a finite number.*, got "
FLAG_RULE = NOT_A_FLAG, "must be True or False, got "
SCALE_RULE = {"unknown": "lg", "made of functions": "function"}, "must be one of .*'log'.*, got "
NO_NUMBERS = {
    "strings": ["a", "b", "c"],
    "a string": "abc",
    "ragged": [[1.0], [1.0, 2.0]],
    "complex": [0.5j, 0.25j, 0.25j],
    "on meta": torch.ones(3, device="meta"),
}
NOT_SHARES = NO_NUMBERS | {
    "nothing": None,
    "two": [0.5, 0.5],
    "of another length": np.eye(2),
    "a sum of 2": [1.0, 0.5, 0.5],
    "negative": [1.5, -0.5, 0.0],
    "NaN": [NAN, 0.5, 0.5],
}
NOT_IN_PLANE = {
    "a column too many": np.ones((3, 3)),
    "one axis": [1, 2, 3],
    "ragged": [[0, 1], [1], [2, 3]],
    "strings": [["x", "y"]] * 3,
    "complex": [[1j, 2]] * 3,
    "NaN": [[0, 0], [1, NAN], [3, 1]],
    "infinity": [[0, 0], [1, INF], [3, 1]],
}
NOT_A_PAIR = {"nothing": None, "one number": [1], "three": (1, 2, 3), "NaN": (1, NAN), "text": "ab"}
PLACES = dict(words=["a", "bat", "slept"], x=[[0, 0], [1, 2], [3, 1]])
ASKED = PLACES | dict(query="bat")
BLENDED = ASKED | dict(weights=[1 / 3, 1 / 3, 1 / 3])
FOR_EACH_WORD = dict(words=WORDS_RULE, x=NOT_IN_PLANE | {"a row missing": np.ones((2, 2))})
NOT_CHOSEN = {"unknown": ["a", "cat"], "a letter": "t", "too far": [3], "a float": 1.5}
FLOW = dict(tokens=PLACES["words"], weights=[0.25, 0.5, 0.25], query=1)
CROSSED = dict(asking=["the", "dog"], answering=["Hund", "der", "hat"], query=1)
CROSSED["weights"] = CROSS = np.array([[0.1, 0.7, 0.2], [0.6, 0.3, 0.1]])
ONE = dict(words=["small", "cat"], x=[[0, 1], [1, 0]], w_q=[[0, 1], [0, 0]], w_k=np.eye(2))
ONE |= dict(w_v=[[10, 0]], query=0)
SPLIT = dict(tokens=["a", "bat"], weights=[[[1, 0], [0.5, 0.5]]], head_dim=2)
TURNED = dict(query=(1, 0), key=(1, 0), positions=(2, 1))
CURVES = dict(x=[1, 2], series={"RNN": [1, 2]})

PICTURES = [
    *refused(
        plots.flow,
        FLOW,
        weights=(NOT_SHARES, "must (hold|have|be shares).*, got "),
        scores=NO_NUMBERS | {"one": [1.0]},
        mask={"numbers": [1.0] * 3, "strings": ["a"] * 3, "a string": "abc", "one": [True]},
        values={"too few": ["x"], "a number": 3, "a string": "abc"},
        output={"a number": 3, "a list": ["cat"]},
        asker={"a number": 3, "a list": ["cat"]},
        fmt={"of old": "%.2f", "of integers": "d", "a number": 2, "nothing": None},
    ),
    *refused(plots.lines, CURVES, xscale=SCALE_RULE, yscale=SCALE_RULE),
    *refused(
        drawings.layer_lines,
        CURVES,
        x={"two axes": np.eye(2), "a number": 1},
        series={
            "too short": {"RNN": [1]},
            "none": {},
            "a list": [1, 2],
            "no layer": {"MLP": [1, 2]},
            "no name": {3: [1, 2]},
        },
        markers=FLAG_RULE,
        xscale=SCALE_RULE,
        yscale=SCALE_RULE,
    ),
    *refused(
        drawings.layer_points,
        {},
        points={
            "none": {},
            "a list": [(1, 2)],
            "no layer": {"MLP": (1, 2)},
            "of a number": {"RNN": 1},
            "of three": {"RNN": (1, 2, 3)},
            "at zero": {"RNN": (0, 1)},
            "of words": {"RNN": ("a", "b")},
            "ragged": {"RNN": [1, [2]]},
        },
    ),
    *refused(
        drawings.word_map,
        PLACES,
        **FOR_EACH_WORD,
        query=NOT_CHOSEN,
        output=NOT_CHOSEN,
        outline=NOT_CHOSEN,
    ),
    *refused(drawings.shadows, ASKED, **FOR_EACH_WORD),
    *refused(drawings.shadows, ASKED, query=({"no length": "a"}, "must have a length, got 'a'")),
    *refused(drawings.blend, BLENDED, **FOR_EACH_WORD, weights=NOT_SHARES),
    *refused(drawings.pull, BLENDED, **FOR_EACH_WORD, weights=NOT_SHARES, around=NOT_IN_PLANE),
    *refused(
        drawings.bottleneck, dict(read=["a"], written=["b"]), read=WORDS_RULE, written=WORDS_RULE
    ),
    *refused(
        drawings.cross_attention,
        CROSSED,
        asking=WORDS_RULE,
        answering=WORDS_RULE,
        weights={
            "transposed": CROSS.T,
            "twice": 2 * CROSS,
            "negative": CROSS - 0.2,
            "NaN": CROSS * NAN,
            "complex": CROSS * 1j,
            "a string": "shares",
        },
        gloss=({"a string": "the", "a number": 3, "two": ["a", "b"]}, "must .*, got "),
    ),
    *refused(drawings.staircase, {}, sentence=WORDS_RULE),
    *refused(drawings.staircase, {}, sentence=({"one word": ["the"]}, "at least 2 words, got ")),
    *refused(drawings.induction, {}, words=WORDS_RULE),
    *refused(
        drawings.induction,
        {},
        words=(
            {kind: list(kind) for kind in ("CAB", "CABB", "ACABA", "AA")},
            "must end in one that stands once before, but not just before, got ",
        ),
    ),
    *refused(
        drawings.model_map,
        {},
        chapter=(
            {
                "zero": 0,
                "negative": -1,
                "a float": 1.0,
                "a bool": True,
                "a string": "3",
                "more": 12,
            },
            "must be an integer of at (least 1|most 11), got ",
        ),
    ),
    *refused(
        drawings.projections,
        dict(embed_dim=2, head_dim=3, value_dim=4),
        embed_dim=COUNT_RULE,
        head_dim=COUNT_RULE,
        value_dim=COUNT_RULE,
    ),
    ("projections: 101", lambda: drawings.projections(2, 101, 4), "^head_dim must be .* most 100"),
    *refused(
        drawings.shared_heads,
        dict(num_heads=8, num_kv_heads=4),
        num_heads=COUNT_RULE,
        num_kv_heads=COUNT_RULE,
    ),
    ("shared_heads: 3 of 8", lambda: drawings.shared_heads(8, 3), "^num_kv_heads .* got 3 and 8$"),
    ("shared_heads: 4 of 2", lambda: drawings.shared_heads(2, 4), "^num_kv_heads .* got 4 and 2$"),
    *refused(
        drawings.kept,
        dict(num_heads=4, head_dim=4, num_kv_heads=2, latent_dim=6, rope_dim=2),
        num_heads=COUNT_RULE,
        head_dim=COUNT_RULE,
        num_kv_heads=COUNT_RULE,
        latent_dim=COUNT_RULE,
        rope_dim=NOT_A_COUNT | {"too many": 17},
    ),
    (
        "kept: 3 of 8",
        lambda: drawings.kept(8, 4, num_kv_heads=3, latent_dim=6),
        "^num_kv_heads .* got 3 and 8$",
    ),
    *refused(
        drawings.two_memories,
        dict(table=64, vectors=1),
        table=(NOT_A_NUMBER | {"zero": 0, "negative": -1.0}, "must be a number above 0, got "),
        vectors=(NOT_A_NUMBER | {"zero": 0, "negative": -1.0}, "must be a number above 0, got "),
    ),
    *refused(
        drawings.one_answer,
        ONE,
        words=NOT_WORDS | {"seven": list("abcdefg")},
        x=NO_NUMBERS | {"one row": [[0, 1]], "infinity": [[0, INF]] * 2, "wide": np.eye(2, 4)},
        w_q={"wide": np.eye(3), "another height": np.ones((1, 2)), "strings": [["a"]]},
        w_k={"high": np.ones((4, 2)), "nothing": None},
        w_v={"empty": np.ones((0, 2)), "complex": [[1j, 0]]},
    ),
    *refused(
        drawings.split_and_join,
        SPLIT,
        tokens=WORDS_RULE,
        weights=NO_NUMBERS
        | {
            "negative": [[[1.5, -0.5], [0, 1]]],
            "of three words": np.eye(3)[None],
            "no shares": [[[1.0, 1.0], [0.5, 0.5]]],
            "NaN": [[[NAN, 1.0], [0.5, 0.5]]],
        },
        head_dim=COUNT_RULE,
    ),
    *refused(
        drawings.stretching_fractions,
        dict(lengths=[5]),
        lengths={
            "none": [],
            "nothing": None,
            "a number": 5,
            "too short": [2],
            "a float": [5.0],
        },
    ),
    *refused(drawings.jumping_bits, {}, count=COUNT_RULE),
    *refused(
        drawings.turning_arrows,
        TURNED,
        query=NOT_A_PAIR | {"zero": (0, 0)},
        key=NOT_A_PAIR | {"zero": (0, 0)},
        positions=NOT_A_PAIR,
        speed=NUMBER_RULE,
    ),
    *refused(live.attention, dict(x=np.eye(3), tokens=list("abc")), x={"complex": np.eye(3) * 1j}),
    *refused(
        live.heads,
        dict(weights=np.eye(3)[None], tokens=list("abc")),
        weights={"complex": np.eye(3)[None] * 1j},
    ),
    *refused(
        live.words,
        dict(vocabulary=list("ab"), x=np.eye(2), sentences=["a b"]),
        vocabulary=NOT_WORDS | {"twice": list("aa")},
        x={"complex": np.eye(2) * 1j, "of three words": np.eye(3)[:, :2], "wide": np.eye(2, 3)},
        sentences={"one string": "a b", "another word": ["c"], "none": [], "empty": [""]},
        asks={"another word": "c", "too far": 2, "a bool": True},
        axes={"one": ["food"], "a number": 2},
    ),
    *refused(
        live.reader,
        dict(model=Decoder(2, 8, num_layers=1, num_heads=2), vocabulary=["a", "b"], text="a b"),
        model={"a module": torch.nn.Linear(2, 2), "nothing": None, "a name": "gpt2"},
        vocabulary=NOT_WORDS | {"three": list("abc"), "twice": list("aa")},
        text={
            "nothing": None,
            "a list": ["a"],
            "another word": "c",
            "empty": "",
            "long": "a " * 33,
        },
        stop={"another word": ".", "a number": 1},
    ),
    *refused(
        live.cache,
        dict(tokens=["a", "b"]),
        tokens=NOT_WORDS | {"seventeen": list("abcdefghijklmnopq")},
        kinds={"another": ["linear"], "none": [], "twice": ["full", "full"], "a number": 3},
        num_kv_heads=({"three": 3}, "must divide num_heads=8, got "),
        kind={"another": "linear", "a bool": True, "too far": 6},
        step=({"zero": 0, "three": 3, "a float": 1.5}, "must be an integer of at (least|most) "),
        **dict.fromkeys(
            ("num_heads", "head_dim", "latent_dim", "window", "num_layers"),
            ({"zero": 0, "huge": 5000, "a float": 1.5}, "must be an integer of at (least|most) "),
        ),
        **dict.fromkeys(
            ("rope_dim", "sinks"),
            ({"negative": -1, "a bool": True}, "must be an integer of at least 0, got "),
        ),
        dtype={"integers": torch.int8, "a name": "float32"},
    ),
    *refused(
        live.ring,
        {},
        ranks=(NOT_A_COUNT | {"one": 1, "five": 5}, "must be an integer of at (least|most) "),
        block_size=(NOT_A_COUNT | {"zero": 0, "seven": 7}, "must be an integer of at (least|most)"),
        causal=FLAG_RULE,
        split={"another": "zigzag", "a number": 1, "nothing": None},
        step=(NOT_A_COUNT | {"negative": -1, "four": 4}, "must be an integer of at (least|most) "),
    ),
]

# Over ranks ---------------------------------------------------------------------------------------

NOT_PLACES = {
    "a list": [0, 1, 2],
    "of floats": torch.arange(3.0),
    "of bools": torch.ones(3, dtype=torch.bool),
    "too few": torch.arange(2),
    "two axes": torch.arange(3)[None],
    "negative": torch.tensor([0, -1, 2]),
}
NOT_A_GROUP = {"a number": 2, "a name": "gloo", "a list": [0, 1]}
ROW = torch.ones(2, 3, 4)  # two heads, three words


def over(call, **options):
    return call(**dict(query=ROW, key=ROW, value=ROW) | options)


RANKS = [
    row
    for call in (ring_attention, head_parallel)
    for name in ("query", "key", "value")
    for row in [
        *others(
            f"{call.__name__} {name}",
            lambda x, call=call, name=name: over(call, **{name: x}),
            {"nothing": None, "integers": torch.ones(2, 3, 4).long(), "one axis": torch.ones(4)},
            f"^{name} must (be|have) .*, got ",
        ),
        *others(
            f"{call.__name__}, shape of {name}",
            lambda x, call=call, name=name: over(call, **{name: x}),
            {"more words": torch.ones(2, 5, 4), "one head": ROW[:1], "an axis less": ROW[0]},
            "(same leading axes and be of the same words|one row for each key), got ",
        ),
    ]
] + [
    *flags("ring_attention is_causal", lambda x: over(ring_attention, is_causal=x)),
    *flags("head_parallel is_causal", lambda x: over(head_parallel, is_causal=x)),
    *numbers("ring_attention scale", lambda x: over(ring_attention, scale=x)),
    *numbers("head_parallel scale", lambda x: over(head_parallel, scale=x)),
    *others(
        "ring_attention positions",
        lambda x: over(ring_attention, positions=x),
        NOT_PLACES | {"twice": torch.tensor([0, 4, 4])},
        "^positions must .*, got ",
    ),
    *others(
        "Ranks group", lambda x: Ranks(x), NOT_A_GROUP, "^group must be a ProcessGroup .*, got "
    ),
    *others(
        "ring_attention group", lambda x: over(ring_attention, group=x), NOT_A_GROUP, "^group "
    ),
    *others("head_parallel group", lambda x: over(head_parallel, group=x), NOT_A_GROUP, "^group "),
    *others("ring_parallel group", lambda x: ring_parallel(MHA, group=x), NOT_A_GROUP, "^group "),
    *others(
        "ring_parallel module",
        ring_parallel,
        {"nothing": None, "a Linear": nn.Linear(4, 4), "latents": latent(), "an encoder": READER},
        "^layer must be a MultiHeadAttention, got ",
    ),
    *flags("ring_parallel is_causal", lambda x: ring_parallel(MHA)(X, is_causal=x)),
    (
        "head_parallel: no heads",
        lambda: head_parallel(*[ROW[0]] * 3),
        "number of heads that 1 ranks",
    ),
    *others(
        "MultiHeadAttention positions",
        lambda x: ring_parallel(MHA)(X[:, :3], positions=x),
        NOT_PLACES,
        "^positions must .*, got ",
    ),
    *others(
        "Decoder positions",
        lambda x: ring_parallel(decoder())(torch.zeros(1, 3).long(), positions=x),
        NOT_PLACES,
        "^positions must .*, got ",
    ),
    *others(
        "Decoder tokens",
        lambda x: ring_parallel(decoder())(x),
        {"nothing": None, "floats": torch.ones(1, 3), "one axis": torch.zeros(3).long()},
        "^tokens must .*, got ",
    ),
    (
        "Decoder: past the table",
        lambda: ring_parallel(decoder(max_len=2))(torch.zeros(1, 3).long()),
        "no row for the positions from 2 on, got a text up to position 2",
    ),
    *others(
        "tensor_parallel layer",
        lambda x: tensor_parallel(x),
        {"nothing": None, "a Linear": nn.Linear(4, 4), "latents": latent()},
        "^layer must be a MultiHeadAttention, got ",
    ),
    ("tensor_parallel: qk_norm", lambda: tensor_parallel(QK_NORMED), "^qk_norm must be left out"),
    ("tensor_parallel: sink_logit", lambda: tensor_parallel(SUNK), "^sink_logit must be left out"),
    *others(
        "apply_rotary, positions",
        lambda x: apply_rotary(ROW, positions=x),
        NOT_PLACES,
        "^positions must .*, got ",
    ),
    *others(
        "PositionalEncoding, positions",
        lambda x: PositionalEncoding(4)(ROW, positions=x),
        NOT_PLACES,
        "^positions must .*, got ",
    ),
    *others(
        "LearnedPositionalEncoding, positions",
        lambda x: LearnedPositionalEncoding(3, 4)(ROW, positions=x),
        NOT_PLACES,
        "^positions must .*, got ",
    ),
    (
        "LearnedPositionalEncoding, positions: past the table",
        lambda: LearnedPositionalEncoding(3, 4)(ROW, positions=torch.tensor([0, 1, 3])),
        "no row for the positions from 3 on, got positions 0 to 3",
    ),
    (
        "apply_rotary, positions and offset",
        lambda: apply_rotary(ROW, offset=1, positions=torch.arange(3)),
        "^offset must be 0 with positions, got 1",
    ),
]
QK_NORMED = MultiHeadAttention(4, 2, qk_norm=True)
SUNK = MultiHeadAttention(4, 2, sink_logit=True)

ROWS = {
    "core": CORE,
    "others": OTHERS,
    "cluster": CLUSTER,
    "ranks": RANKS,
    "pictures": PICTURES,
    "recurrent": RECURRENT,
    "transformer": TRANSFORMER,
    "positions": POSITIONS,
    "comparison": COMPARISON,
    "plots": PLOTS,
    "interact": INTERACT,
}
plt.close("all")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        pytest.param(call, message, id=f"{module}, {what}".replace("::", ":"))
        for module, rows in ROWS.items()
        for what, call, message in rows
    ],
)
def test_bad_input_is_a_value_error_that_says_what_is_wrong(call, message):
    with pytest.raises(ValueError) as error:
        call()
    assert re.search(message, str(error.value)), f"{error.value} does not match {message}"


def test_every_row_has_a_name_of_its_own():
    names = [(module, what) for module, rows in ROWS.items() for what, _, _ in rows]
    assert len(set(names)) == len(names) >= 100


# What is not bad ----------------------------------------------------------------------------------

ROTARY = dict(vocab_size=7, embed_dim=8, num_layers=1, num_heads=2, positions="rotary")
SCORES = torch.tensor([[0.0, 3.0, 1.0]])


def with_weights(x):
    """What a module or a model computes, which draws its weights anew."""
    torch.manual_seed(0)
    return x()


@pytest.mark.parametrize(
    "call",
    [
        lambda x: sinusoidal_encoding(3, 4, base=x),
        lambda x: apply_rotary(DENSE, base=x),
        lambda x: shift_matrix(x, 4),
        lambda x: shift_matrix(3, 4, base=x),
        lambda x: PositionalEncoding(4, base=x)(DENSE),
        lambda x: Decoder(**ROTARY, base=x)(torch.tensor([[1, 2]])),
        lambda x: Decoder(**ROTARY, init_std=x).embedding.weight,
        lambda x: MultiHeadAttention(4, 2, soft_cap=x)(DENSE),
        lambda x: attention(DENSE, DENSE, DENSE, scale=x),
        lambda x: sample(SCORES.expand(9, -1), temperature=x),
        lambda x: generate(Decoder(**ROTARY), torch.tensor([[1]]), steps=5, temperature=x),
    ],
)
def test_an_integer_of_more_than_64_bits_is_the_float(call):
    for great in (2**64, 10**30):
        with_integer, with_float = (
            with_weights(lambda x=x: call(x)) for x in (great, float(great))
        )
        assert with_integer.equal(with_float)


def test_what_takes_no_memory_may_be_of_any_size():
    with torch.device("meta"):
        model = Decoder(50257, 2**14, num_layers=90, num_heads=128, tied=True)  # 1 TB
        assert model.to_logits.weight is model.embedding.weight
        assert {x.device.type for x in model.parameters()} == {"meta"}
        assert alibi_bias(GREAT, 2).shape == (GREAT, 2, 2)
    assert causal_mask(2**25, device="meta").shape == (2**25, 2**25)
    with FakeTensorMode():
        assert window_mask(2**25, width=2).shape == (2**25, 2**25)


@pytest.mark.parametrize("device", ["cpu", "meta"])
@pytest.mark.parametrize("name", ["left_padding", "valid_lens"])
def test_a_model_of_shapes_alone_reads(name, device):
    words, lengths = torch.zeros(2, 3, dtype=torch.int64), torch.tensor([0, 2])
    model = decoder().to("meta")
    assert model(words.to("meta"), **{name: lengths.to(device)}).shape == (2, 3, 7)


def test_the_memory_of_the_machine_is_the_bound(monkeypatch):
    monkeypatch.setattr(arguments, "_memory_of_machine", lambda: 2**22)
    assert causal_mask(2**11, 2**11).all(-1).sum() == 1
    with pytest.raises(
        ValueError, match=r"L=2048, S=2049, which would take 4,196,352 of 4,194,304 "
    ):
        causal_mask(2**11, 2**11 + 1, align="top-left")


def test_without_sysconf_the_system_is_asked_what_it_promises(monkeypatch):
    monkeypatch.delattr(os, "sysconf", raising=False)
    held = arguments._memory_of_machine.__wrapped__()
    assert held == arguments.LARGEST or not arguments._can_take(held)
    assert arguments._can_take(min(held // 2, 2**30))


def test_a_batch_of_nothing_has_latents_of_nothing():
    assert latent()(torch.ones(0, 5, 4)).shape == (0, 5, 4)


def test_masks_of_no_device_compile():
    made = torch.compile(
        lambda x: (window_mask(len(x), width=2), causal_mask(len(x)), alibi_bias(3, len(x))),
        backend="eager",
        fullgraph=True,
    )(torch.ones(4))
    wanted = window_mask(4, width=2), causal_mask(4), alibi_bias(3, 4)
    assert all(x.equal(y) for x, y in zip(made, wanted, strict=True))
