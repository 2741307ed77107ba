"""Costs and connectivity of CNN, RNN and attention, held against counts made in other ways."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from d2lattn.attention import attention
from d2lattn.masks import window_mask
from d2lattn.multihead import MultiHeadAttention, SelfAttention
from d2lattn_book.comparison import (
    ConvLayer,
    attention_cost,
    compose,
    connectivity,
    conv_connectivity,
    conv_cost,
    count_flops,
    count_layers,
    layers_to_connect,
    matmul_chain,
    receptive_field,
    rnn_cost,
)

# What layers cost ---------------------------------------------------------------------------------


def bare(engine):
    return lambda x: attention(x, x, x, engine=engine)


def torchs_heads(d):
    layer = nn.MultiheadAttention(d, 4, batch_first=True, device="meta")
    return lambda x: layer(x, x, x)


def unprojected(n, d):
    return attention_cost(n, d, projections=False)


# name -> (cost of n, d; FLOPs by hand; layers of width d that take as many).
COSTS = {
    "conv": (
        lambda n, d: conv_cost(n, d, 3),
        lambda n, d: 2 * 3 * n * d * d,
        [lambda d: ConvLayer(d, 3), lambda d: ConvLayer(d, 3, dilation=2)],
    ),
    "conv, causal": (
        lambda n, d: conv_cost(n, d, 4, causal=True),
        lambda n, d: 2 * 4 * n * d * d,
        [lambda d: ConvLayer(d, 4, dilation=2, causal=True)],
    ),
    "rnn": (
        rnn_cost,
        lambda n, d: 4 * n * d * d,
        [lambda d: nn.RNN(d, d, batch_first=True)],
    ),
    "lstm": (
        lambda n, d: rnn_cost(n, d, cell="lstm"),
        lambda n, d: 16 * n * d * d,
        [lambda d: nn.LSTM(d, d, batch_first=True)],
    ),
    "attention": (
        unprojected,
        lambda n, d: 4 * n * n * d,
        [lambda d: bare("explicit"), lambda d: bare("fused")],
    ),
    "attention, projected": (
        attention_cost,
        lambda n, d: 8 * n * d * d + 4 * n * n * d,
        [
            lambda d: nn.Sequential(SelfAttention(d), nn.Linear(d, d)),
            lambda d: MultiHeadAttention(d, 4, engine="explicit"),
            torchs_heads,
        ],
    ),
}


@pytest.mark.parametrize("name", COSTS)
@pytest.mark.parametrize(("n", "d"), [(1, 4), (13, 4), (64, 8)])
def test_flops_are_those_of_the_formula_and_of_real_layers(n, d, name):
    cost, by_hand, layers = COSTS[name]
    assert cost(n, d).flops == by_hand(n, d)
    assert [count_flops(layer(d), n, d) for layer in layers] == [by_hand(n, d)] * len(layers)


@pytest.mark.parametrize("n", [1, 2, 9, 700])
def test_sequential_operations_equal_the_chain_in_the_graph(n):
    d = 3
    assert matmul_chain(ConvLayer(d, 3), n, d) == conv_cost(n, d, 3).sequential_ops == 1
    for cell, kind in (("rnn", nn.RNN), ("lstm", nn.LSTM)):
        waiting, cost = matmul_chain(kind(d, d, batch_first=True), n, d), rnn_cost(n, d, cell=cell)
        assert waiting == cost.sequential_ops == cost.max_path_length == n
    # Attention has a constant number: scores and sum, then two projections around them.
    assert matmul_chain(bare("explicit"), n, d) == 2
    assert matmul_chain(MultiHeadAttention(d, 1, engine="explicit"), n, d) == 4
    assert attention_cost(n, d)[1:] == (1, 1)


WEIGHT = torch.ones(3, 3)
PRODUCTS = {
    "mm": lambda x: (x[0] @ WEIGHT)[None],
    "addmm": lambda x: torch.addmm(x[0], x[0], WEIGHT)[None],
    "bmm": lambda x: x @ WEIGHT[None],
    "baddbmm": lambda x: torch.baddbmm(x, x, WEIGHT[None]),
    "convolution": lambda x: nn.functional.conv1d(x.mT, WEIGHT[..., None]).mT,
    "fused attention": lambda x: bare("fused")(x[:, None])[:, 0],
}


@pytest.mark.parametrize("product", PRODUCTS.values(), ids=PRODUCTS)
def test_every_kind_of_product_counts_once_and_in_a_row_twice(product):
    assert matmul_chain(product, 4, 3) == 1
    assert matmul_chain(lambda x: product(product(x)), 4, 3) == 2
    assert matmul_chain(lambda x: product(x) + product(x), 4, 3) == 1  # neither waits
    assert matmul_chain(lambda x: x, 4, 3) == matmul_chain(nn.ReLU(), 4, 3) == 0


# How many layers connect all ----------------------------------------------------------------------


def walked_layers(n, k, dilated, causal, most):
    """layers_to_connect by walking every input upwards tap by tap, with sets; inf if > most."""
    taps = range(k) if causal else range(-(k // 2), k // 2 + 1)
    reached = [{j} for j in range(n)]  # where the signal of input j is now
    for layers in range(most + 1):
        if all(seen >= set(range(j if causal else 0, n)) for j, seen in enumerate(reached)):
            return layers
        dilation = k**layers if dilated else 1
        reached = [
            {i + t * dilation for i in seen for t in taps if 0 <= i + t * dilation < n}
            for seen in reached
        ]
    return math.inf


@pytest.mark.parametrize("dilated", [False, True])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8, 9, 10, 16, 17])
def test_closed_form_equals_a_walk_with_sets_and_boolean_products(n, dilated):
    for k in range(1, 8):
        for causal in (True, False) if k % 2 else (True,):
            want = walked_layers(n, k, dilated, causal, most=n)
            assert layers_to_connect(n, k, dilated=dilated, causal=causal) == want
            assert conv_cost(n, 2, k, dilated=dilated, causal=causal).max_path_length == want
            dilations = [k**i if dilated else 1 for i in range(2 * n if not dilated else 8)]
            stack = [conv_connectivity(n, k, dilation=d) for d in dilations] if k % 2 else None
            assert causal or count_layers(stack) == want


def test_a_stack_that_ends_too_soon_connects_nothing():
    assert count_layers([conv_connectivity(5, 3)] * 3) == math.inf


# Who reaches whom ---------------------------------------------------------------------------------


@given(n=st.integers(1, 7), k=st.integers(1, 4), dilation=st.integers(1, 3), causal=st.booleans())
def test_connectivity_of_a_convolution(n, k, dilation, causal):
    k = k if causal or k % 2 else k + 1
    want = torch.zeros(n, n, dtype=torch.bool)
    for i in range(n):
        for t in range(k):
            j = i - t * dilation if causal else i + (t - k // 2) * dilation
            if 0 <= j < n:
                want[i, j] = True
    layer = ConvLayer(2, k, dilation=dilation, causal=causal)
    assert conv_connectivity(n, k, dilation=dilation, causal=causal).equal(want)
    assert connectivity(layer, n, 2, samples=1).equal(want)


class Before(SelfAttention):
    """A query that sees one key alone takes all from it, whatever the score."""

    def forward(self, x):
        return super().forward(x, attn_mask=BEFORE)


N = 7
EYE, FULL = torch.eye(N, dtype=torch.bool), torch.ones(N, N, dtype=torch.bool)
NEAR, BEFORE = window_mask(N, width=2), EYE.roll(1, 0)
CONSTANT = nn.Parameter(torch.zeros(1, N, 4, dtype=torch.float64))
CONNECTED = {
    "RNN": (nn.RNN(4, 4, batch_first=True), FULL.tril()),
    "LSTM": (nn.LSTM(4, 4, batch_first=True), FULL.tril()),
    "attention": (SelfAttention(4), FULL),
    "causal": (lambda x: attention(x, x, x, is_causal=True), FULL.tril()),
    "window": (lambda x: attention(x, x, x, attn_mask=NEAR), NEAR),
    "rounding is no connection": (Before(4), BEFORE),
    "token by token": (
        nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Dropout(0.9), nn.LayerNorm(4)),
        EYE,
    ),
    "rows are outputs": (lambda x: x.roll(1, dims=1), BEFORE),
    "its input ignored": (lambda x: CONSTANT, ~FULL),
}


@pytest.mark.parametrize("name", CONNECTED)
@pytest.mark.parametrize("mode", [torch.enable_grad, torch.no_grad, torch.inference_mode])
def test_connectivity_of_other_layers_wherever_the_caller_stands(name, mode):
    layer, want = CONNECTED[name]
    with mode():
        assert connectivity(layer, N, 4).equal(want)
        assert matmul_chain(CONNECTED["RNN"][0], N, 4) == N


def test_small_gradients_and_dead_relus_count_as_connections():
    n = 64  # gradients of about 1e-20 here
    connected = connectivity(nn.RNN(2, 2, batch_first=True), n, 2, samples=1)
    assert connected.equal(torch.ones(n, n, dtype=torch.bool).tril())
    assert not connectivity(torch.relu, N, 1, samples=1).equal(EYE)  # some inputs are negative
    assert connectivity(torch.relu, N, 1, samples=12).equal(EYE)


def test_layers_are_left_as_they_were():
    layer = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.5))
    for count in (connectivity, count_flops, matmul_chain):
        count(layer, 3, 2)
    weight = layer[0].weight
    assert layer.training and weight.grad is None
    assert (weight.dtype, weight.device.type) == (torch.float32, "cpu")


def test_a_convolution_works_under_autocast():
    layer = ConvLayer(4, 3)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert layer(layer(torch.ones(1, 5, 4))).dtype == torch.bfloat16


def test_compose_equals_the_connectivity_of_a_stack():
    layers = [ConvLayer(3, 3, dilation=2), ConvLayer(3, 2, causal=True), nn.Linear(3, 3)]
    steps = [connectivity(layer, 11, 3) for layer in layers]
    assert compose(steps).equal(connectivity(nn.Sequential(*layers), 11, 3))
    first, second = (step.numpy() for step in steps[:2])
    both = second.astype(int) @ first.astype(int) > 0
    assert np.array_equal(compose([first, steps[1]]).numpy(), both)


def test_taps_may_lie_far_outside_the_sequence():
    for causal in (True, False):
        assert conv_connectivity(N, 3, dilation=2**62, causal=causal).equal(EYE)


def walked_field(steps, unit, within):
    """receptive_field by following one edge after the other, with a set of units."""
    found, todo = set(), [unit]
    while todo:
        layer, i = todo.pop()
        if (layer, i) not in found:
            found.add((layer, i))
            if layer:
                todo += [(layer - 1, j) for j in steps[layer - 1][i].nonzero()[0].tolist()]
                todo += [(layer, j) for j in within[i].nonzero()[0].tolist()]
    return found


@given(n=st.integers(1, 5), layers=st.integers(1, 3), density=st.floats(0, 0.6), data=st.data())
def test_a_receptive_field_is_what_a_walk_along_the_edges_reaches(n, layers, density, data):
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    *steps, within = rng.random((layers + 1, n, n)) < density
    unit = data.draw(st.integers(0, layers)), data.draw(st.integers(0, n - 1))
    field = receptive_field(steps, unit, within=within)
    assert field.shape == (layers + 1, n)
    assert {tuple(place) for place in field.nonzero().tolist()} == walked_field(steps, unit, within)


# What is refused ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: layers_to_connect(5, 4), "k must be odd unless causal .*, got 4"),
        (lambda: ConvLayer(4, 2), "kernel_size must be odd unless causal .*, got 2"),
        (
            lambda: connectivity(lambda x: x[:, 1:], 3, 2),
            r"layer must map \(1, 3, 2\) to \(1, 3, width\), got \(1, 2, 2\)",
        ),
        (lambda: connectivity(torch.zeros_like, 3, 2), "layer must be differentiable"),
        (lambda: connectivity(lambda x: x * torch.nan, 3, 2), "layer must have finite gradients"),
        (lambda: compose([]), "steps must hold at least one connectivity, got none"),
        (
            lambda: compose([EYE, EYE[:2, :2]]),
            r"steps must be boolean \(7, 7\) tensors, got torch.bool, \(2, 2\)",
        ),
        (lambda: receptive_field([EYE], (2, 0)), r"unit must be \(0..1, 0..6\), got \(2, 0\)"),
    ],
)
def test_errors_name_argument_rule_and_what_was_got(call, message):
    with pytest.raises(ValueError, match=message):
        call()
