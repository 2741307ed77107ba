"""What stands between the entry and the engines: one call, who sees whom, whether to look."""

import functools
import importlib.util
import sys

import oracles
import pytest
import torch
import torch.utils.checkpoint

from d2lattn import (
    attention,
    attention_scores,
    attention_weights,
    linear_attention,
    masked_softmax,
)
from d2lattn.engines import chunked, fused
from d2lattn.engines.visibility import Call, checked_visibility

CPU = torch.device("cpu")
every_engine = pytest.mark.parametrize("engine", ("explicit", "chunked", "fused"))


noise = functools.partial(oracles.noise, seed=0, dtype=torch.float32)


def inputs(*shape, dtype=torch.float32):
    return [noise(*shape, seed=seed, dtype=dtype) for seed in range(3)]


def close(got, wanted, fraction):
    """Whether two tensors differ by at most this fraction of the largest entry."""
    return (got - wanted).abs().max() <= fraction * wanted.abs().max()


# The entry ----------------------------------------------------------------------------------------


def test_a_part_of_a_call_is_the_call_of_the_parts():
    query, key, value = inputs(2, 5, 4)
    mask, bias = noise(5, 5, seed=3) > 0, noise(2, 1, 5, seed=4)
    visible = checked_visibility((2, 5, 5), CPU, mask, bias, is_causal=True)
    part = Call(query, key, value, visible, 0.5).part(slice(2, 4), slice(1, 4))
    assert torch.equal(part.query, query[:, 2:4]) and torch.equal(part.value, value[:, 1:4])
    past = torch.ones(5, 5, dtype=torch.bool).tril()
    assert torch.equal(part.visible.allowed(), (mask & past)[2:4, 1:4])
    assert torch.equal(part.visible.bias, bias[..., 1:4])


# A kernel that leaks -----------------------------------------------------------------------------


def masks_once_per_four(query, key, value, attn_mask=None, is_causal=False, **rest):
    """torch's kernel, with what pytorch#195910 reports of Apple's GPUs in half precision."""
    if is_causal:
        rows = torch.arange(query.shape[-2])
        attn_mask = torch.arange(key.shape[-2]) <= (rows - rows % 4 + 3)[:, None]
    return TORCHS_KERNEL(query, key, value, attn_mask=attn_mask, **rest)


TORCHS_KERNEL = torch.nn.functional.scaled_dot_product_attention


@torch.no_grad()
def test_no_future_leaks_through_a_kernel_that_is_not_trusted(monkeypatch):
    """One cut in four does not see such a leak, and a test that makes only these passes it."""
    monkeypatch.setattr(torch.nn.functional, "scaled_dot_product_attention", masks_once_per_four)
    query, key, value = inputs(2, 3, 20, 8, dtype=torch.bfloat16)

    def moved(cut):
        later = [torch.cat([x[..., :cut, :], -10 * x[..., cut:, :]], -2) for x in whole]
        first, second = (attention(*x, is_causal=True)[..., :cut, :] for x in (whole, later))
        return not torch.equal(first, second)

    whole = query, key, value
    assert [cut for cut in range(1, 20) if not moved(cut)] == [4, 8, 12, 16]
    monkeypatch.setattr(fused, "LEAKS", (("cpu", torch.bfloat16),))
    assert not any(map(moved, range(1, 20)))


# What the backward pass needs ---------------------------------------------------------------------


@pytest.mark.parametrize("name", ["attn_mask", "attn_bias"])
def test_what_was_changed_before_the_backward_pass_is_refused(name):
    query, key, value = inputs(1, 4, 4)
    given = {name: noise(4, 4, seed=3) > 0 if name == "attn_mask" else noise(4, 4, seed=3)}
    output = attention(query.requires_grad_(), key, value, engine="chunked", **given)
    given[name].zero_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        output.sum().backward()


def test_rows_before_all_keys_of_a_part_get_0():
    query, key, value = inputs(1, 6, 4)
    call = Call(query, key, value, checked_visibility((1, 6, 6), CPU, is_causal=True), 0.5)
    part = call.part(slice(0, 6), slice(2, 6))
    output, logsumexp = chunked.attend_in_blocks(part)
    assert not output[:, :2].any() and torch.isneginf(logsumexp[:, :2]).all()
    assert output[:, 2:].isfinite().all()


# Precision under autocast -------------------------------------------------------------------------


@every_engine
@pytest.mark.parametrize("mode", [torch.enable_grad, torch.inference_mode])
def test_autocast_does_not_round_the_scores(engine, mode):
    tensors, mask = inputs(2, 3, 40, 16), torch.ones(40, 40).tril().bool()
    with mode():
        wanted = attention(*tensors, attn_mask=mask, engine=engine)
        with torch.autocast("cpu", torch.bfloat16):
            got = attention(*tensors, attn_mask=mask, engine=engine)
    assert got.dtype == torch.float32
    assert close(got, wanted, 1e-6)


def test_autocast_does_not_round_the_weights():
    query, key, value = inputs(2, 3, 40, 16)
    calls = {
        attention_scores: (query, key),
        attention_weights: (query, key),
        masked_softmax: (attention_scores(query, key),),
        functools.partial(linear_attention, is_causal=True): (query, key, value),
    }
    for function, given in calls.items():
        wanted = function(*given)
        with torch.autocast("cpu", torch.bfloat16):
            assert close(function(*given), wanted, 1e-6)


# Second derivatives, gradients of nothing --------------------------------------------------------


def test_a_second_derivative_says_which_engine_has_one():
    tensors = [x.requires_grad_() for x in inputs(1, 2, 5, 4)]
    loss = attention(*tensors, engine="chunked").square().sum()
    with pytest.raises(ValueError, match='"explicit" to be differentiated twice, got "chunked"'):
        torch.autograd.grad(loss, tensors, create_graph=True)


@pytest.mark.parametrize("use_reentrant", [False, True])
def test_a_checkpoint_is_no_second_derivative(use_reentrant):
    tensors = [x.requires_grad_() for x in inputs(1, 2, 5, 4)]
    kept = torch.utils.checkpoint.checkpoint(attention, *tensors, use_reentrant=use_reentrant)
    kept.sum().backward()
    got = [x.grad for x in tensors]
    wanted = torch.autograd.grad(attention(*tensors).sum(), tensors)
    assert all(close(a, b, 1e-6) for a, b in zip(got, wanted, strict=True))


@every_engine
@pytest.mark.parametrize("shape", [(0, 2, 5, 4), (1, 0, 5, 4)])
def test_an_empty_output_leaves_a_gradient_of_0_to_the_bias(engine, shape):
    bias = torch.zeros(5, 5, requires_grad=True)
    attention(*inputs(*shape), attn_bias=bias, engine=engine).sum().backward()
    assert torch.equal(bias.grad, torch.zeros(5, 5))
    bias.grad = None
    query, key, _ = inputs(1, 2, 5, 4)
    attention(query, key, query[..., :0], attn_bias=bias, engine=engine).sum().backward()
    assert torch.equal(bias.grad, torch.zeros(5, 5))


# What is wrong is named ---------------------------------------------------------------------------


def test_kernels_without_their_package_say_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "triton", None)
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    found = importlib.util.find_spec("d2lattn_book.kernels")
    kernels = importlib.util.module_from_spec(found)
    found.loader.exec_module(kernels)
    with pytest.raises(RuntimeError, match=r"wants triton.*pip install triton=="):
        kernels.attention(*torch.zeros(3, 2, 4))
