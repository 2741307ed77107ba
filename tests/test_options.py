"""What is off by default in a layer: QK-norm, gate, sink logit.

Their numbers are in tests/test_multihead.py, their models in tests/test_transformer.py.
"""

import warnings

import draws
import pytest
import torch
from draws import generator
from oracles import noisy

from d2lattn import MultiHeadAttention
from d2lattn.engines import chunked

B, L, E, H = 2, 9, 12, 3
OPTIONS = {
    "qk_norm": dict(qk_norm=True),
    "gate": dict(gate=True),
    "sink_logit": dict(sink_logit=True),
    "all": dict(qk_norm=True, gate=True, sink_logit=True),
}


def noise(*shape, seed=1):
    return torch.randn(*shape, E, generator=generator(seed), dtype=torch.float64)


@torch.no_grad()
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_bfloat16(options):
    mha = noisy(MultiHeadAttention(E, H, **options)).to(torch.bfloat16)
    twin, x = MultiHeadAttention(E, H, **options).double(), noise(B, L).to(torch.bfloat16)
    twin.load_state_dict({name: p.double() for name, p in mha.state_dict().items()})
    wanted, got = twin(x.double(), is_causal=True), [mha(x, is_causal=True)]
    mha, x = mha.float(), x.float()
    with torch.autocast("cpu", torch.bfloat16), warnings.catch_warnings():
        warnings.simplefilter("error")  # as when a norm is given what is not of its weights' dtype
        got.append(mha(x, is_causal=True))
    for output in got:
        assert output.dtype == torch.bfloat16
        draws.assert_close(output.double(), wanted, 0.05)


@torch.no_grad()
def test_what_each_option_promises():
    x = 1e3 * noise(B, L)
    normed = MultiHeadAttention(E, H, qk_norm=True).double()
    query, key, _ = normed.project(x, x, x)
    assert (query @ key.mT).abs().max() <= E // H + 1e-9  # so scores stay within √D
    sunk = MultiHeadAttention(E, H, sink_logit=True).double()
    _, weights = sunk(0 * x, need_weights=True)
    draws.assert_close(weights, torch.full_like(weights, 1 / (L + 1)), 1e-12)
    gated = MultiHeadAttention(E, H, gate=True).double()
    plain = MultiHeadAttention(E, H).double()
    plain.load_state_dict(gated.state_dict(), strict=False)
    gated.gate_proj.weight.zero_()  # every gate is half open
    draws.assert_close(gated(x), plain(x) / 2, 1e-12)


def test_off_is_as_if_there_were_none():
    state = set(MultiHeadAttention(E, H, bias=True).state_dict())
    assert state == {f"{x}_proj.{y}" for x in ("q", "k", "v", "out") for y in ("weight", "bias")}
    assert not any("bias" in name for name in MultiHeadAttention(E, H).state_dict())
    more = set(MultiHeadAttention(E, H, **OPTIONS["all"]).state_dict())
    assert {"q_norm.weight", "k_norm.weight", "gate_proj.weight", "sink"} < more


# A sink in blocks ---------------------------------------------------------------------------------


@pytest.fixture
def blocks(monkeypatch):
    """So small that several hold a short text."""
    monkeypatch.setattr(chunked, "SCORES", 4)
    monkeypatch.setattr(chunked, "LEAST", 2)


@pytest.mark.parametrize("dropout", [0.0, 0.4])
def test_gradcheck_of_a_sink_in_blocks(blocks, dropout):
    """What is dropped is dropped in the backward pass, too; else a loop says more."""
    mha = MultiHeadAttention(E, H, engine="chunked", dropout=dropout, sink_logit=True).double()

    def function(x, *_):
        torch.manual_seed(0)  # the same weights are dropped in each call
        return mha(x, is_causal=True)

    leaves = noise(1, 4).requires_grad_(), *mha.parameters()
    assert torch.autograd.gradcheck(function, leaves, fast_mode=True)


@torch.no_grad()
@pytest.mark.parametrize("dtype, within", [(torch.float32, 1e-6), (torch.bfloat16, 0.02)])
def test_large_scores_under_a_sink_in_blocks(blocks, dtype, within):
    """exp would overflow; a sink far above or below all scores takes all or nothing."""
    query, key, value = (x.unflatten(-1, (H, -1)).transpose(1, 2).to(dtype) for x in noise(3, B, 7))
    mha = MultiHeadAttention(E, H, engine="chunked", sink_logit=True)
    mha.sink += torch.tensor([1e4, -1e4, 300.0])
    got, _ = mha.attend(30 * query, 30 * key, value)
    mha.engine = "explicit"
    want, _ = mha.double().attend(*(x.double() for x in (30 * query, 30 * key, value)))
    assert got.dtype == dtype and got.isfinite().all()
    draws.assert_close(got.double(), want, within)
