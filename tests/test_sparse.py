"""Window, linear and hashed attention: against float64 loops, and what they do with memory."""

import math

import draws
import oracles
import pytest
import torch
from draws import generator
from oracles import LargestOutput, results

from d2lattn import (
    Decoder,
    attention,
    linear_attention,
    lsh_attention,
    sparse,
    window_attention,
    window_mask,
)
from d2lattn.sparse import lsh_buckets

HALVES = (torch.bfloat16, torch.float16)


def make(*lead, n, E=3, EV=5, **options):
    return oracles.make(*lead, L=n, S=n, E=E, EV=EV, **options)


def unit(x):
    return x / x.norm(dim=-1, keepdim=True)


def assert_close(have, want):
    for a, b in zip(have, want, strict=True):
        draws.assert_close(a, b, within=1e-10)


def largest(call):
    with LargestOutput() as counted:
        call()
    return counted.numel


# Window -------------------------------------------------------------------------------------------


@pytest.fixture(params=[3, 128])
def block(request, monkeypatch):
    """Blocks so small that a short sequence has a middle, two ends and several calls."""
    monkeypatch.setattr(sparse, "BLOCK", request.param)


@pytest.mark.parametrize("is_causal", [False, True])
def test_window_equals_the_masked_formula_at_every_length(block, is_causal):
    for n in range(1, 41):
        tensors = make(2, n=n, seed=n)
        for width in {1, 2, 7, n - 1, n + 1} - {0}:
            options = dict(is_causal=is_causal)
            have = window_attention(*tensors, width=width, **options)
            options |= dict(attn_mask=window_mask(n, width=width), engine="explicit")
            assert_close([have], [attention(*tensors, **options)])


@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("n", [5, 19, 40])
@pytest.mark.parametrize("width", [1, 3, 8])
def test_window_has_the_gradients_of_the_masked_formula(block, width, n, is_causal):
    tensors = make(2, 3, n=n, seed=n)
    have = results(lambda *t: window_attention(*t, width=width, is_causal=is_causal), *tensors)
    options = dict(attn_mask=window_mask(n, width=width), is_causal=is_causal, engine="explicit")
    assert_close(have, results(lambda *t: attention(*t, **options), *tensors))


def test_window_takes_any_leading_axes_and_strides(monkeypatch):
    monkeypatch.setattr(sparse, "BLOCK", 4)
    query, key, value = make(2, 3, n=30)
    want = attention(query, key, value, attn_mask=window_mask(30, width=4), engine="explicit")
    crossed = [x.transpose(1, 2).contiguous().transpose(1, 2) for x in (query, key, value)]
    assert_close([window_attention(*crossed, width=4)], [want])
    output = window_attention(query[:1], key[:, :1], value, width=4)
    mask = window_mask(30, width=4)
    assert_close([output], [attention(query[:1], key[:, :1], value, attn_mask=mask)])


def test_window_builds_nothing_large():
    n = 8192
    with torch.no_grad():
        tensors = make(1, n=n, E=8, EV=8, dtype=torch.float32)
        with LargestOutput() as counted:
            window_attention(*tensors, width=64)
        inputs = {x.untyped_storage().data_ptr() for x in tensors}
        made = sorted(size for place, size in counted.sizes.items() if place not in inputs)
        assert made[-1] == n * 8  # nothing is larger than the output
    tensors = make(1, n=n, E=8, EV=8, dtype=torch.float32, grad=True)
    most = largest(lambda: window_attention(*tensors, width=64).sum().backward())
    assert most <= n * 8 * 4  # gradients of overlapping stretches, before they are summed


@torch.no_grad()
def test_a_decoder_with_a_window_builds_nothing_larger_than_without():
    """No mask (n, n), which would make a window dearer than none."""

    def numbers(window):
        sizes = dict(num_layers=1, num_heads=4, positions="rotary", window=window)
        model = Decoder(16, 64, **sizes).eval()
        return largest(lambda: model(torch.zeros(1, 4096, dtype=torch.int64)))

    assert numbers(16) <= numbers(None)


# Linear -------------------------------------------------------------------------------------------


def positive(x):
    return torch.where(x > 0, x + 1, x.exp())


def linear_loop(query, key, value, is_causal):
    """Token by token: what is in the sums, and what a query reads from them."""
    query, key = positive(query), positive(key)
    outputs = []
    for i in range(query.shape[-2]):
        seen = range(i + 1 if is_causal else key.shape[-2])
        weights = torch.stack([(query[..., i, :] * key[..., j, :]).sum(-1) for j in seen], -1)
        sums = sum(weights[..., j, None] * value[..., j, :] for j in seen)
        outputs.append(sums / weights.sum(-1, keepdim=True))
    return torch.stack(outputs, -2)


@pytest.mark.parametrize("is_causal", [False, True])
def test_linear_equals_the_loop_with_gradients(monkeypatch, is_causal):
    for n in (1, 2, 4, 7, 11, 32):
        tensors = make(2, n=n, seed=n)
        want = results(lambda *t: linear_loop(*t, is_causal), *tensors)
        for chunk in (1, 4, 128):
            monkeypatch.setattr(sparse, "CHUNK", chunk)
            have = results(lambda *t: linear_attention(*t, is_causal=is_causal), *tensors)
            assert_close(have, want)
    inputs = make(n=6, grad=True)
    function = lambda *t: linear_attention(*t, is_causal=is_causal)  # noqa: E731
    assert torch.autograd.gradgradcheck(function, inputs)


def test_linear_takes_other_lengths_of_keys_and_broadcasts():
    query, key, value = make(2, 3, n=7)
    output = linear_attention(query[:1, :, :4], key[:, :1], value)
    want = linear_loop(query[:1, :, :4], key[:, :1], value, False)
    assert_close([output], [want])
    want = linear_loop(query[:1], key[:, :1], value, True)
    assert_close([linear_attention(query[:1], key[:, :1], value, is_causal=True)], [want])
    none = linear_attention(query, key[:, :, :0], value[:, :, :0])
    assert torch.equal(none, torch.zeros_like(value))


def test_linear_keeps_small_weights_and_finite_gradients():
    query, key, value = make(n=4, dtype=torch.float32)
    alike = linear_attention(query - 30, key, value)  # elu(x) + 1 would be 0 in float32
    torch.testing.assert_close(
        alike, linear_loop(query.double() - 30, key.double(), value.double(), False).float()
    )
    found = results(linear_attention, query - 1000, key, value)
    assert all(x.isfinite().all() for x in found)
    assert (found[0] == 0).all()


@pytest.mark.parametrize("is_causal", [False, True])
def test_linear_builds_nothing_larger_than_its_inputs(is_causal):
    tensors = make(1, n=8192, E=8, EV=8, dtype=torch.float32, grad=True)
    call = lambda: linear_attention(*tensors, is_causal=is_causal)  # noqa: E731
    assert largest(lambda: call().sum().backward()) == 8192 * 8


# Hashing ------------------------------------------------------------------------------------------


def lsh_sets(buckets, chunk_size):
    """Per query the keys that it finds, from the definition: sort, cut, compare; buckets (R, n)."""
    n = buckets.shape[-1]
    found = [set() for _ in range(n)]
    for hashes in buckets.tolist():
        order = sorted(range(n), key=lambda i: (hashes[i], i))
        chunk = {i: place // chunk_size for place, i in enumerate(order)}
        for i in range(n):
            found[i] |= {
                j
                for j in range(n)
                if hashes[i] == hashes[j] and chunk[i] - chunk[j] in (0, 1) and i != j
            }
    return found


def lsh_loop(qk, value, found):
    outputs = []
    for i, keys in enumerate(found):
        keys = sorted(keys)
        if not keys:
            outputs.append(value[i])
            continue
        scores = torch.stack([qk[i] @ (qk[j] / qk[j].norm()) for j in keys])
        weights = (scores / math.sqrt(qk.shape[-1])).softmax(0)
        outputs.append(weights @ value[keys])
    return torch.stack(outputs)


def lsh_mask(buckets, chunk_size):
    """The same as a mask (n, n), in which a query that finds none sees itself."""
    mask = torch.zeros(2 * buckets.shape[-1:], dtype=torch.bool)
    for i, keys in enumerate(lsh_sets(buckets, chunk_size)):
        mask[i, list(keys or {i})] = True
    return mask


@pytest.mark.parametrize("num_buckets", [1, 2, 8])
@pytest.mark.parametrize("num_rounds", [1, 3])
def test_lsh_is_exact_attention_over_the_keys_it_finds(num_buckets, num_rounds):
    for n in (1, 2, 3, 5, 8, 13, 23, 40):
        qk, _, value = make(n=n, seed=n)
        hashing = dict(num_buckets=num_buckets, num_rounds=num_rounds)
        buckets = lsh_buckets(qk, generator=generator(n), **hashing)
        assert buckets.shape == (num_rounds, n)
        output = lsh_attention(qk, value, generator=generator(n), **hashing)
        found = lsh_sets(buckets, min(-(-2 * n // num_buckets), n))
        assert_close([output], [lsh_loop(qk, value, found)])


def test_lsh_has_the_gradients_of_the_masked_formula():
    qk, _, value = make(n=23)
    hashing = dict(num_buckets=4, num_rounds=3)
    mask = lsh_mask(lsh_buckets(qk, generator=generator(), **hashing), 12)
    function = lambda x, v: lsh_attention(x, v, generator=generator(), **hashing)  # noqa: E731
    want = results(
        lambda x, v: attention(x, unit(x), v, attn_mask=mask, engine="explicit"), qk, value
    )
    assert_close(results(function, qk, value), want)
    inputs = [x[:9].clone().requires_grad_() for x in (qk, value)]
    assert torch.autograd.gradcheck(function, inputs)


def test_lsh_repeats_with_a_generator_and_shares_rotations_among_leading_axes():
    qk, _, value = make(2, n=50, E=8)
    options = dict(num_buckets=8, num_rounds=2)
    first, again, other = (
        lsh_attention(qk, value, generator=generator(seed), **options) for seed in (1, 1, 2)
    )
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
    alone = lsh_attention(qk[1], value[1], generator=generator(1), **options)
    assert_close([alone], [first[1]])
    both = lsh_attention(qk[:, None], value[None], generator=generator(1), **options)
    assert both.shape == (2, 2, 50, 5)
    assert_close([both[1, 1]], [alone])


def test_buckets_are_in_range_and_follow_the_direction_alone():
    x = make(n=300, E=16)[0]
    for num_buckets in (1, 2, 64, 128, 8192):
        buckets = lsh_buckets(x, num_buckets=num_buckets, num_rounds=2, generator=generator())
        assert 0 <= buckets.min() <= buckets.max() < num_buckets
        same = lsh_buckets(7 * x, num_buckets=num_buckets, num_rounds=2, generator=generator())
        assert torch.equal(buckets, same)
        if num_buckets > 1:
            opposite = lsh_buckets(-x, num_buckets=num_buckets, num_rounds=2, generator=generator())
            assert (buckets != opposite).all()
            assert len(buckets[0].unique()) > min(num_buckets, 300) / 3


def test_a_vector_of_zeros_has_a_finite_gradient():
    qk, _, value = make(n=9)
    qk[4] = 0
    found = results(
        lambda x, v: lsh_attention(x, v, num_buckets=2, num_rounds=2, generator=generator()),
        qk,
        value,
    )
    assert all(x.isfinite().all() and x.abs().max() < 1e3 for x in found)
    key = torch.zeros(1, 3, requires_grad=True)  # it has no direction that could change
    sparse._unit(key).sum().backward()
    assert torch.equal(key.grad, torch.zeros(1, 3))


def test_lsh_builds_nothing_large():
    n, num_buckets = 4096, 256
    qk, _, value = make(1, n=n, E=8, EV=8, dtype=torch.float32, grad=True)
    call = lambda: lsh_attention(qk, value, num_buckets=num_buckets, num_rounds=2)  # noqa: E731
    assert largest(lambda: call().sum().backward()) <= n * 2 * (2 * n // num_buckets)


# All of them --------------------------------------------------------------------------------------

HASHING = dict(num_buckets=4, num_rounds=2)
CALLS = {
    "window": lambda q, k, v: window_attention(q, k, v, width=3),
    "window, causal": lambda q, k, v: window_attention(q, k, v, width=3, is_causal=True),
    "linear": linear_attention,
    "linear, causal": lambda q, k, v: linear_attention(q, k, v, is_causal=True),
    "lsh": lambda q, k, v: lsh_attention(q, v, **HASHING, generator=generator()),
}


def explicit_linear(query, key, value, is_causal):
    """The formula, step by step, with weights of the dtype of the inputs."""
    wide = torch.promote_types(query.dtype, torch.float32)
    weights = positive(query.to(wide)) @ positive(key.to(wide)).mT
    weights = weights.tril() if is_causal else weights
    return (weights / weights.sum(-1, keepdim=True)).to(value.dtype) @ value


def explicit_lsh(query, key, value):
    buckets = lsh_buckets(query, **HASHING, generator=generator())
    masks = [lsh_mask(buckets[:, b], 60) for b in range(len(query))]
    key = unit(query)
    return attention(query, key, value, attn_mask=torch.stack(masks), engine="explicit")


EXPLICIT = {
    "linear": lambda *t: explicit_linear(*t, False),
    "linear, causal": lambda *t: explicit_linear(*t, True),
    "lsh": explicit_lsh,
}


@pytest.mark.parametrize("name", EXPLICIT)
@pytest.mark.parametrize("dtype", HALVES)
def test_half_precision_is_as_exact_as_the_formula(dtype, name):
    halves = make(2, n=120, E=16, EV=16, dtype=dtype)
    want = EXPLICIT[name](*(x.double() for x in halves))
    have = CALLS[name](*halves)
    assert have.dtype == dtype
    allowed = 2 * (EXPLICIT[name](*halves).double() - want).abs().max()
    assert (have.double() - want).abs().max() <= allowed


@pytest.mark.parametrize("name", CALLS)
def test_of_hardly_anything(name):
    for batch, n in ((2, 1), (0, 30)):
        query, key, value = make(batch, n=n)
        output = CALLS[name](query, key, value)
        assert output.shape == value.shape and (n > 1 or output.allclose(value))
    if name != "lsh":
        assert CALLS[name](*make(2, n=0)).shape == (2, 0, 5)


@pytest.mark.parametrize("name", CALLS)
def test_inputs_are_never_changed(monkeypatch, name):
    monkeypatch.setattr(sparse, "BLOCK", 4)
    tensors = make(2, n=20)
    before = [x.clone() for x in tensors]
    with torch.no_grad():
        output = CALLS[name](*tensors)
    assert all(map(torch.equal, tensors, before))
    output.zero_()
    assert all(map(torch.equal, tensors, before))
