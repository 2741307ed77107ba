"""One head with projections: the formula, written out with the weights that the module holds."""

import pytest
import torch
from draws import generator
from oracles import linear, loop

from d2lattn import SelfAttention, causal_mask, length_mask

B, L, E, D, V = 2, 5, 11, 7, 3


def layer(*sizes, seed=0, dtype=torch.float64, **options):
    torch.manual_seed(seed)
    return SelfAttention(*(sizes or (E, D, V)), **options).to(dtype)


def tokens(*lead, L=L, E=E, dtype=torch.float64, seed=1):
    return torch.randn(*lead, L, E, generator=generator(seed)).to(dtype)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("kind", ["none", "causal", "lengths", "a row empty"])
def test_outputs_weights_and_gradients_are_those_of_the_formula(kind, bias):
    module, x = layer(bias=bias), tokens(B).requires_grad_()
    assert sum(p.numel() for p in module.parameters()) == (D + D + V) * (E + bias)
    options = {
        "none": {},
        "causal": dict(is_causal=True),
        "lengths": dict(attn_mask=length_mask([2, 5], L)),
        "a row empty": dict(attn_mask=causal_mask(L) & (torch.arange(L) != 2)[:, None]),
    }[kind]
    heads = [linear(x, part)[:, None] for part in (module.q_proj, module.k_proj, module.v_proj)]
    wanted, rows = (found[:, 0] for found in loop(*heads, options))
    output = module(x, **options)
    assert torch.allclose(output, wanted, atol=1e-12)
    again, weights = module(x, **options, need_weights=True)
    assert torch.allclose(again, wanted, atol=1e-12)
    assert torch.allclose(weights, rows, atol=1e-12)
    leaves = [x, *module.parameters()]
    for got in (output, again):
        for g, w in zip(
            torch.autograd.grad(got.square().sum(), leaves, retain_graph=True),
            torch.autograd.grad(wanted.square().sum(), leaves, retain_graph=True),
            strict=True,
        ):
            assert g.isfinite().all()
            assert torch.allclose(g, w, atol=1e-10)


def test_an_input_has_any_number_of_leading_dimensions():
    assert SelfAttention(10, 20, 25)(torch.randn(5, 10)).shape == (5, 25)
    assert SelfAttention(10)(torch.randn(2, 3, 5, 10)).shape == (2, 3, 5, 10)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_dtype_is_kept_and_nothing_is_stored(dtype):
    module, x = layer(dtype=dtype), tokens(B, dtype=dtype)
    attributes = set(vars(module))
    mask = length_mask([0, L], L)
    output, weights = module(x, attn_mask=mask, need_weights=True)
    assert output.dtype == weights.dtype == dtype
    assert output[0].eq(0).all()
    assert weights[0].eq(0).all()
    assert torch.allclose(weights[1].float().sum(-1), torch.ones(L), atol=0.02)
    assert set(vars(module)) == attributes
