"""Costs and connectivity of CNN, RNN and attention, held against counts made in other ways."""

import math
from collections import deque

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from d2lattn.attention import attention
from d2lattn.masks import window_mask
from d2lattn.multihead import MultiHeadAttention, SelfAttention
from d2lattn_book.comparison import (
    FORMULAS,
    ConvLayer,
    LayerCost,
    LayerFormula,
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

SIZES = [(1, 1), (5, 7), (13, 4), (64, 8)]  # n, d


def multiply_adds(kind, n, d, k=None):
    """FLOPs counted one multiply-add at a time, in the loops that a textbook would write."""
    count = 0

    def row_times_matrix():
        nonlocal count
        for _ in range(d):  # each number of the result
            for _ in range(d):  # each term of its sum
                count += 2

    for _ in range(n):
        if kind == "conv":
            for _ in range(k):
                row_times_matrix()
        if kind == "rnn":
            for _ in ("W x", "U h"):
                row_times_matrix()
        if kind == "lstm":
            for _ in ("input gate", "forget gate", "output gate", "candidate"):
                for _ in ("W x", "U h"):
                    row_times_matrix()
        if kind == "projections":
            for _ in ("query", "key", "value", "output"):
                row_times_matrix()
        if kind in ("attention", "projections"):
            for _ in range(n):
                for _ in range(d):
                    count += 2  # the score
                for _ in range(d):
                    count += 2  # the weighted sum
    return count


def torch_flops(run, n, d):
    with FlopCounterMode(display=False) as counter:
        run(torch.empty(1, n, d, device="meta"))
    return counter.get_total_flops()


def shortest_paths(edges, start):
    """Breadth-first search: node -> number of edges from `start`."""
    distance, queue = {start: 0}, deque([start])
    while queue:
        node = queue.popleft()
        for after in edges(node):
            if after not in distance:
                distance[after] = distance[node] + 1
                queue.append(after)
    return distance


def walked_layers(n, k, dilated, causal, most):
    """layers_to_connect by walking every input upwards tap by tap, with sets; None if > most."""
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
    return None


# FLOPs --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "d"), SIZES[:3])
def test_flops_equal_a_count_by_loops(n, d):
    for k in (1, 3, 5):
        assert conv_cost(n, d, k).flops == multiply_adds("conv", n, d, k)
    assert rnn_cost(n, d).flops == multiply_adds("rnn", n, d)
    assert rnn_cost(n, d, cell="lstm").flops == multiply_adds("lstm", n, d)
    assert attention_cost(n, d, projections=False).flops == multiply_adds("attention", n, d)
    assert attention_cost(n, d).flops == multiply_adds("projections", n, d)


@pytest.mark.parametrize("dilation", [1, 2])
@pytest.mark.parametrize("k", [1, 3, 7])
@pytest.mark.parametrize(("n", "d"), SIZES)
def test_conv_flops_equal_torch(n, d, k, dilation):
    conv = nn.Conv1d(d, d, k, padding="same", dilation=dilation, device="meta")
    assert conv_cost(n, d, k).flops == torch_flops(lambda x: conv(x.mT), n, d)
    assert conv_cost(n, d, k).flops == count_flops(ConvLayer(d, k, dilation=dilation), n, d)
    causal = ConvLayer(d, k + 1, dilation=dilation, causal=True)
    assert conv_cost(n, d, k + 1, causal=True).flops == count_flops(causal, n, d)


@pytest.mark.parametrize(("cell", "kind"), [("rnn", nn.RNN), ("lstm", nn.LSTM)])
@pytest.mark.parametrize(("n", "d"), SIZES)
def test_recurrent_flops_equal_torch(n, d, cell, kind):
    on_meta = kind(d, d, batch_first=True, device="meta")
    assert rnn_cost(n, d, cell=cell).flops == torch_flops(on_meta, n, d)
    assert rnn_cost(n, d, cell=cell).flops == count_flops(kind(d, d, batch_first=True), n, d)
    assert count_flops(on_meta, n, d) == torch_flops(on_meta, n, d)


@pytest.mark.parametrize("engine", ["explicit", "fused"])
@pytest.mark.parametrize(("n", "d"), SIZES)
def test_attention_flops_equal_torch(n, d, engine):
    def plain(x):
        return attention(x, x, x, engine=engine)

    bare, projected = attention_cost(n, d, projections=False).flops, attention_cost(n, d).flops
    assert bare == torch_flops(plain, n, d) == count_flops(plain, n, d)
    one_head = nn.Sequential(SelfAttention(d), nn.Linear(d, d))
    assert projected == count_flops(one_head, n, d)
    if d % 4 == 0:
        assert projected == count_flops(MultiHeadAttention(d, 4, engine=engine), n, d)
        theirs = nn.MultiheadAttention(d, 4, batch_first=True, device="meta")
        assert projected == torch_flops(lambda x: theirs(x, x, x), n, d)


def test_the_quadratic_term_leads_from_n_above_2d():
    for d in (1, 8, 64):
        for n, leads in ((2 * d - 1, False), (2 * d, False), (2 * d + 1, True)):
            quadratic = attention_cost(n, d, projections=False).flops
            assert (quadratic > attention_cost(n, d).flops - quadratic) == leads


# Sequential operations and path lengths -----------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 9, 700])
def test_sequential_operations_equal_the_chain_in_the_graph(n):
    d = 3
    assert matmul_chain(ConvLayer(d, 3), n, d) == conv_cost(n, d, 3).sequential_ops == 1
    for cell, kind in (("rnn", nn.RNN), ("lstm", nn.LSTM)):
        waiting = matmul_chain(kind(d, d, batch_first=True), n, d)
        assert waiting == rnn_cost(n, d, cell=cell).sequential_ops == n
    # Attention has a constant number: scores and sum, then two projections around them.
    assert matmul_chain(lambda x: attention(x, x, x, engine="explicit"), n, d) == 2
    assert matmul_chain(MultiHeadAttention(d, 1, engine="explicit"), n, d) == 4
    assert attention_cost(n, d).sequential_ops == 1


@pytest.mark.parametrize("n", [1, 2, 5, 33])
def test_path_lengths_equal_a_search_in_the_unrolled_graph(n):
    def recurrence(node):
        kind, t = node
        return [("h", t)] if kind == "x" else [("h", t + 1)] * (t + 1 < n)

    from_first = shortest_paths(recurrence, ("x", 0))
    assert from_first["h", n - 1] == rnn_cost(n, 2).max_path_length

    def all_pairs(node):
        kind, _ = node
        return [("y", i) for i in range(n)] if kind == "x" else []

    from_first = shortest_paths(all_pairs, ("x", 0))
    assert max(from_first.values()) == attention_cost(n, 2).max_path_length


def test_numbers_of_the_claims():
    assert layers_to_connect(1024, 3, causal=True) == 512
    assert layers_to_connect(1024, 3, causal=True, dilated=True) == 7
    assert layers_to_connect(1024, 3) == 1023
    assert layers_to_connect(5, 3, causal=True) == 2
    assert layers_to_connect(5, 3) == 4


@pytest.mark.parametrize(
    ("k", "causal"), [*((k, True) for k in range(2, 8)), *((k, False) for k in (3, 5, 7))]
)
def test_closed_form_equals_boolean_composition(k, causal):
    for n in range(1, 65):
        contiguous = conv_connectivity(n, k, causal=causal)
        assert count_layers(contiguous, causal=causal) == layers_to_connect(n, k, causal=causal)
        dilated = [conv_connectivity(n, k, dilation=k**i, causal=causal) for i in range(8)]
        want = layers_to_connect(n, k, causal=causal, dilated=True)
        assert count_layers(dilated, causal=causal) == want


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8, 9, 10, 16, 17])
def test_closed_form_equals_a_walk_with_sets(n):
    for k in range(1, 8):
        for causal in (True, False) if k % 2 else (True,):
            for dilated in (False, True):
                got = layers_to_connect(n, k, dilated=dilated, causal=causal)
                walked = walked_layers(n, k, dilated, causal, most=n)
                assert got == (math.inf if walked is None else walked)


@pytest.mark.parametrize("dilated", [False, True])
@pytest.mark.parametrize(("n", "k", "causal"), [(9, 3, True), (10, 3, True), (13, 3, False)])
def test_closed_form_equals_real_stacks(n, k, causal, dilated):
    layers = layers_to_connect(n, k, dilated=dilated, causal=causal)
    depth = 3 if layers == math.inf else layers
    stack = [ConvLayer(2, k, dilation=k**i if dilated else 1, causal=causal) for i in range(depth)]
    wanted = torch.ones(n, n, dtype=torch.bool)
    wanted = wanted.tril() if causal else wanted
    assert connectivity(nn.Sequential(*stack), n, 2).equal(wanted) == (layers != math.inf)
    assert not connectivity(nn.Sequential(*stack[:-1]), n, 2).equal(wanted)


def test_stacks_that_never_connect_say_so():
    assert layers_to_connect(4, 3, dilated=True) == math.inf
    assert layers_to_connect(2, 3, dilated=True) == 1  # one layer spans it all
    assert layers_to_connect(2, 1) == layers_to_connect(2, 1, dilated=True) == math.inf
    assert layers_to_connect(1, 1) == 0
    assert conv_cost(64, 2, 3, dilated=True).max_path_length == math.inf
    assert count_layers(conv_connectivity(5, 1)) == math.inf
    assert count_layers(conv_connectivity(5, 3, causal=True)) == math.inf  # never back in time
    rotation = torch.eye(5, dtype=torch.bool).roll(1, dims=0)
    assert count_layers(rotation) == math.inf  # never settles either
    assert count_layers([conv_connectivity(5, 3)] * 3) == math.inf


def test_a_repeated_layer_may_need_wielandts_bound():
    n = 5
    slowest = torch.eye(n, dtype=torch.bool).roll(1, dims=0)
    slowest[1, n - 1] = True  # a cycle with one shortcut: the slowest of all primitive matrices
    assert count_layers(slowest) == (n - 1) ** 2 + 1


# Connectivity -------------------------------------------------------------------------------------


@given(
    n=st.integers(1, 7),
    k=st.integers(1, 4),
    dilation=st.integers(1, 3),
    causal=st.booleans(),
)
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


def test_connectivity_of_other_layers():
    n, d = 7, 4
    every, lower = torch.ones(n, n, dtype=torch.bool), torch.ones(n, n, dtype=torch.bool).tril()
    for rnn in (nn.RNN, nn.LSTM, nn.GRU):
        assert connectivity(rnn(d, d, batch_first=True), n, d).equal(lower)
    assert connectivity(SelfAttention(d), n, d).equal(every)
    assert connectivity(lambda x: attention(x, x, x, is_causal=True), n, d).equal(lower)
    window = window_mask(n, width=2)
    assert connectivity(lambda x: attention(x, x, x, attn_mask=window), n, d).equal(window)
    pointwise = nn.Sequential(nn.Linear(d, d), nn.ReLU(), nn.Dropout(0.9), nn.LayerNorm(d))
    assert connectivity(pointwise, n, d).equal(torch.eye(n, dtype=torch.bool))


def test_rounding_is_no_connection():
    """Who sees one key alone takes all from it, whatever the score."""

    class Before(SelfAttention):
        def forward(self, x):
            return super().forward(x, attn_mask=before)

    before = torch.eye(6, dtype=torch.bool).roll(1, 0)
    for seed in range(5):
        torch.manual_seed(seed)
        assert torch.equal(connectivity(Before(4), 6, 4), before)


def test_connectivity_survives_a_long_recurrence():
    n = 64  # gradients of about 1e-20 here
    connected = connectivity(nn.RNN(2, 2, batch_first=True), n, 2, samples=1)
    assert connected.equal(torch.ones(n, n, dtype=torch.bool).tril())


def test_more_samples_see_past_a_dead_relu():
    n = 6
    alive = connectivity(torch.relu, n, 1, samples=1)
    assert not alive.equal(torch.eye(n).bool())  # some inputs are negative
    assert connectivity(torch.relu, n, 1, samples=12).equal(torch.eye(n).bool())


def test_a_convolution_works_under_autocast():
    layer = ConvLayer(4, 3)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert layer(layer(torch.ones(1, 5, 4))).dtype == torch.bfloat16


def test_rows_are_outputs_and_columns_inputs():
    connected = connectivity(lambda x: x.roll(1, dims=1), 5, 2)  # output i is input i - 1
    assert connected[3, 2] and not connected[2, 3]


def test_layers_are_left_as_they_were():
    layer = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.5))
    connectivity(layer, 3, 2)
    count_flops(layer, 3, 2)
    matmul_chain(layer, 3, 2)
    weight = layer[0].weight
    assert layer.training and weight.grad is None
    assert (weight.dtype, weight.device.type) == (torch.float32, "cpu")


def test_compose_equals_the_connectivity_of_a_stack():
    layers = [ConvLayer(3, 3, dilation=2), ConvLayer(3, 2, causal=True), nn.Linear(3, 3)]
    steps = [connectivity(layer, 11, 3) for layer in layers]
    assert compose(steps).equal(connectivity(nn.Sequential(*layers), 11, 3))
    first, second = (step.numpy().astype(int) for step in steps[:2])
    assert np.array_equal(compose(steps[:2]).numpy(), second @ first > 0)


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
def test_gradients_are_read_off_where_the_caller_has_switched_them_off(mode):
    n, d = 5, 3
    convolution = ConvLayer(d, 3)
    with mode():
        rnn = nn.RNN(d, d, batch_first=True)  # its weights are made without gradients, too
        assert connectivity(convolution, n, d).equal(conv_connectivity(n, 3))
        assert connectivity(lambda x: x, n, d).equal(torch.eye(n).bool())
        assert connectivity(rnn, n, d).equal(torch.ones(n, n).bool().tril())
        assert matmul_chain(rnn, n, d) == n


def test_a_layer_may_ignore_its_input():
    constant = nn.Parameter(torch.zeros(1, 1, 2, dtype=torch.float64))
    assert not connectivity(lambda x: constant.expand(1, 4, 2), 4, 2).any()


WEIGHT = torch.ones(3, 3)
PRODUCTS = {
    "mm": lambda x: (x[0] @ WEIGHT)[None],
    "addmm": lambda x: torch.addmm(x[0], x[0], WEIGHT)[None],
    "bmm": lambda x: x @ WEIGHT[None],
    "baddbmm": lambda x: torch.baddbmm(x, x, WEIGHT[None]),
    "convolution": lambda x: nn.functional.conv1d(x.mT, WEIGHT[..., None]).mT,
    "fused attention": lambda x: nn.functional.scaled_dot_product_attention(*[x[:, None]] * 3)[
        :, 0
    ],
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_every_kind_of_product_counts_once_and_in_a_row_twice(name):
    product = PRODUCTS[name]
    assert matmul_chain(product, 4, 3) == 1
    assert matmul_chain(lambda x: product(product(x)), 4, 3) == 2
    assert matmul_chain(lambda x: product(x) + product(x), 4, 3) == 1  # neither waits


def test_a_layer_that_multiplies_nothing_has_no_chain():
    assert matmul_chain(nn.Identity(), 4, 2) == matmul_chain(lambda x: x, 4, 2) == 0
    assert matmul_chain(nn.ReLU(), 4, 2) == matmul_chain(lambda x: x + 1, 4, 2) == 0


def test_taps_may_lie_far_outside_the_sequence():
    for causal in (True, False):
        far = conv_connectivity(5, 3, dilation=2**62, causal=causal)
        assert far.equal(torch.eye(5, dtype=torch.bool))


def walked_field(steps, unit, within):
    """receptive_field by following one edge after the other, with a set of units."""

    def below(node):
        layer, i = node
        if layer:
            yield from ((layer - 1, j) for j in range(len(steps[0])) if steps[layer - 1][i, j])
            yield from ((layer, j) for j in range(len(steps[0])) if within[i, j])

    return set(shortest_paths(below, unit))


@given(n=st.integers(1, 5), layers=st.integers(1, 3), density=st.floats(0, 0.6), data=st.data())
def test_a_receptive_field_is_what_a_walk_along_the_edges_reaches(n, layers, density, data):
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    *steps, within = rng.random((layers + 1, n, n)) < density
    unit = data.draw(st.integers(0, layers)), data.draw(st.integers(0, n - 1))
    field = receptive_field(steps, unit, within=within)
    assert field.shape == (layers + 1, n)
    assert {tuple(place) for place in field.nonzero().tolist()} == walked_field(steps, unit, within)


def test_a_receptive_field_without_steps_inside_the_layers_is_the_composition():
    steps = [conv_connectivity(7, 3, dilation=2), conv_connectivity(7, 2, causal=True)]
    for position in range(7):
        inputs = receptive_field(steps, (2, position))[0]
        assert inputs.equal(compose(steps)[position])


def test_arrays_connect_like_tensors():
    step = conv_connectivity(9, 3, causal=True)
    assert count_layers(step.numpy(), causal=True) == count_layers(step, causal=True) == 4
    assert compose([step.numpy(), step]).equal(compose([step, step]))


# The table ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "d", "k"), [(2, 3, 2), (9, 5, 3), (50, 8, 7), (64, 4, 4)])
def test_formulas_give_the_numbers(n, d, k):
    costs = {
        "CNN": conv_cost(n, d, k, causal=True),
        "CNN, dilated": conv_cost(n, d, k, causal=True, dilated=True),
        "RNN": rnn_cost(n, d),
        "LSTM": rnn_cost(n, d, cell="lstm"),
        "attention": attention_cost(n, d, projections=False),
        "attention, projected": attention_cost(n, d),
    }
    spelled = {"·": "*", "²": "**2", "−": "-", "⌈": "ceil(", "⌉": ")", "log_k(n)": "log(n, k)"}
    names = dict(n=n, d=d, k=k, ceil=lambda x: math.ceil(round(x, 9)), log=math.log)
    assert costs.keys() == FORMULAS.keys()
    for name, cost in costs.items():
        for symbols, number in zip(FORMULAS[name], cost, strict=True):
            for letter, python in spelled.items():
                symbols = symbols.replace(letter, python)
            assert eval(symbols, names) == number


@pytest.mark.parametrize(("n", "d"), SIZES)
def test_one_more_word_costs_and_keeps_what_chapter_5_says(n, d):
    """While it writes: a recurrent layer goes one step, attention asks what it has kept."""
    assert count_flops(nn.RNN(d, d, batch_first=True), 1, d) == 4 * d**2
    assert count_flops(nn.LSTM(d, d, batch_first=True), 1, d) == 16 * d**2
    assert nn.RNN(d, d)(torch.zeros(1, d))[1].numel() == d
    assert sum(kept.numel() for kept in nn.LSTM(d, d)(torch.zeros(1, d))[1]) == 2 * d
    kept = torch.zeros(2, 1, n - 1, d, device="meta")  # keys and values of the words before

    class Writer(nn.Module):
        def __init__(self):
            super().__init__()
            self.project = nn.ModuleList(nn.Linear(d, d) for _ in range(4))

        def forward(self, x):  # (1, 1, d): the newest word
            query, *new, out = self.project
            keys, values = (torch.cat([old, w(x)], dim=1) for old, w in zip(kept, new, strict=True))
            assert keys.numel() + values.numel() == 2 * n * d
            return out(attention(query(x), keys, values))

    assert count_flops(Writer(), 1, d) == 8 * d**2 + 4 * n * d
    for dilation in (1, 3):  # a causal convolution needs its last (k - 1) · dilation inputs
        seen = conv_connectivity(20, 3, dilation=dilation, causal=True)[-1]
        assert 19 - int(seen.nonzero()[0]) == 2 * dilation
        assert count_flops(ConvLayer(d, 3, dilation=dilation, causal=True), 1, d) == 2 * 3 * d**2


def test_the_table_in_symbols_has_the_fields_of_the_costs():
    assert LayerFormula._fields == LayerCost._fields
    assert all(isinstance(symbols, LayerFormula) for symbols in FORMULAS.values())
    assert all(isinstance(cost, str) for symbols in FORMULAS.values() for cost in symbols)


# Errors -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: layers_to_connect(5, 4), "k must be odd unless causal .*, got 4"),
        (lambda: conv_connectivity(5, 2), "k must be odd unless causal .*, got 2"),
        (lambda: ConvLayer(4, 2), "kernel_size must be odd unless causal .*, got 2"),
        (
            lambda: connectivity(lambda x: x[:, 1:], 3, 2),
            r"layer must map \(1, 3, 2\) to \(1, 3, width\), got \(1, 2, 2\)",
        ),
        (lambda: connectivity(torch.zeros_like, 3, 2), "layer must be differentiable"),
        (lambda: connectivity(lambda x: x * torch.nan, 3, 2), "layer must have finite gradients"),
        (lambda: compose([]), "steps must hold at least one connectivity, got none"),
        (lambda: count_layers([]), "steps must hold at least one connectivity, got none"),
        (lambda: count_layers(torch.ones(3, 3)), r"steps must be boolean \(3, 3\) tensors"),
        (
            lambda: compose([torch.eye(3).bool(), torch.eye(2).bool()]),
            r"steps must be boolean \(3, 3\) tensors, got torch.bool, \(2, 2\)",
        ),
    ],
)
def test_errors_name_argument_rule_and_what_was_got(call, message):
    with pytest.raises(ValueError, match=message):
        call()
