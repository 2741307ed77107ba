"""Latent attention: against a float64 loop, folded against unfolded, and what a cache must keep."""

import draws
import pytest
import torch
from draws import generator
from oracles import LargestOutput, linear, loop, turned
from torch import nn
from torch.nn.utils.parametrize import register_parametrization

from d2lattn import Cache, Decoder, LatentAttention

E, H, C, R, L = 12, 3, 5, 4, 7
every_rope = pytest.mark.parametrize("rope_dim", [0, R])
every_way = pytest.mark.parametrize("absorbed", [False, True])


def layer(dtype=torch.float64, seed=0, **options):
    module = LatentAttention(E, H, **{"latent_dim": C, "rope_dim": R, **options})
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator(seed)) / 2)
            seed += 1
    return module.to(dtype)


def noise(*shape, dtype=torch.float64, seed=9):
    return torch.randn(*(shape or (2, L)), E, generator=generator(seed)).to(dtype)


@torch.no_grad()
def oracle(module, x, is_causal):
    """Each head has keys and values of its own, made of the latent of the token (B, L, E)."""
    D, R, rows = E // H, module.rope_dim, linear(x, module.latent_proj)
    query, key, value = [], [], []
    for head in range(H):
        own = slice(head * D, head * D + D)
        asked = linear(x, module.q_proj)[..., head * (D + R) : (head + 1) * (D + R)]
        query.append(torch.cat([asked[..., :D], turned(asked[..., D:])], -1))
        known = linear(rows[..., :C], module.k_proj)[..., own]
        key.append(torch.cat([known, turned(rows[..., C:])], -1))
        value.append(linear(rows[..., :C], module.v_proj)[..., own])
    heads = (torch.stack(parts, 1) for parts in (query, key, value))
    found, weights = loop(*heads, dict(is_causal=is_causal))
    return linear(torch.cat(found.unbind(1), -1), module.out_proj), weights


@torch.no_grad()
@every_rope
@every_way
@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("bias", [False, True])
def test_it_is_the_loop_of_its_definition(rope_dim, absorbed, is_causal, bias):
    module, x = layer(rope_dim=rope_dim, bias=bias), noise()
    options = dict(is_causal=is_causal, absorbed=absorbed)
    output, weights = oracle(module, x, is_causal)
    draws.assert_close(module(x, **options), output, 1e-12)
    for got, want in zip(module(x, **options, need_weights=True), (output, weights), strict=True):
        draws.assert_close(got, want, 1e-12)


@torch.no_grad()
def test_a_folded_step_copies_no_latent_for_a_head():
    """Given one key for all heads, torch's kernel would spread it out: H·S·(C + R) numbers."""
    module, S = layer(torch.float32), 50
    query, latent = torch.rand(1, H, 1, E // H + R), torch.rand(1, 1, S, C + R)
    with LargestOutput() as seen:
        module.attend(query, latent, absorbed=True)
    assert 0 < seen.numel <= S * (C + R)


@torch.no_grad()
@every_rope
@every_way
def test_a_bias_is_added_to_the_scores(rope_dim, absorbed):
    """A bias alone, too: where nothing hides a token, heads are folded into queries."""
    module = layer(rope_dim=rope_dim)
    query, latent = module.project(noise())
    bias = torch.randn(H, L, L, generator=generator(5)).double()
    _, plain = module.attend(query, latent, need_weights=True)
    want = (plain.log() + bias).softmax(-1)
    _, _, value = module._made(query, latent)
    options = dict(attn_bias=bias, absorbed=absorbed)
    output, weights = module.attend(query, latent, need_weights=True, **options)
    draws.assert_close(weights, want, 1e-12)
    draws.assert_close(output, want @ value, 1e-12)
    draws.assert_close(module.attend(query, latent, **options)[0], want @ value, 1e-12)


def hooked(how):
    return lambda proj: getattr(proj, f"register_{how}")(
        lambda _, given, *out: 3 * (out or given)[0]
    )


MORE = {
    "bias": lambda proj: nn.Linear(C, E),
    "forward hook": hooked("forward_hook"),
    "forward pre-hook": hooked("forward_pre_hook"),
    "parametrization": lambda proj: register_parametrization(proj, "weight", nn.ReLU()),
}


@torch.no_grad()
@pytest.mark.parametrize("name", ["k_proj", "v_proj"])
@pytest.mark.parametrize("change", MORE.values(), ids=MORE)
def test_what_is_more_than_a_matrix_stays_with_a_cache(change, name):
    """In a whole pass the projections are called; token by token they were absorbed."""
    sizes = dict(num_layers=2, num_heads=H, attention=LatentAttention, latent_dim=C)
    model, tokens = Decoder(11, E, **sizes, init_std=1.0), torch.arange(6)[None]
    before, cache = model(tokens), Cache(model)
    for block in model.blocks:
        projection = getattr(block.attention, name)
        made = change(projection)
        setattr(block.attention, name, made if isinstance(made, nn.Module) else projection)
    whole = model(tokens)
    assert (whole - before).abs().max() > 0.01
    parts = [model(token, cache=cache) for token in tokens.split(1, 1)]
    draws.assert_close(torch.cat(parts, 1), whole, 1e-6)
    module, x = model.blocks[0].attention, noise(dtype=torch.float32)
    assert torch.equal(module(x, absorbed=True), module(x, absorbed=False))


@torch.no_grad()
@every_way
def test_bfloat16(absorbed):
    module, x = layer(torch.bfloat16), noise(dtype=torch.bfloat16)
    twin = layer()
    twin.load_state_dict({name: p.double() for name, p in module.state_dict().items()})
    got = module(x, is_causal=True, absorbed=absorbed)
    assert got.dtype == torch.bfloat16
    draws.assert_close(got.double(), twin(x.double(), is_causal=True), 0.05)
    with torch.autocast("cpu", torch.bfloat16):
        again = layer(torch.float32)(noise(dtype=torch.float32), is_causal=True, absorbed=absorbed)
    assert again.dtype == torch.bfloat16 and again.isfinite().all()


@torch.no_grad()
@every_way
def test_who_sees_no_word_finds_nothing(absorbed):
    module, mask = layer(), torch.ones(L, L, dtype=torch.bool)
    mask[2] = False
    output = module(noise(), attn_mask=mask, absorbed=absorbed)
    assert not output[:, 2].any() and output[:, 3].any()


def test_dropout_acts_in_training_only():
    module = layer(dropout=0.5)
    assert not torch.equal(module(noise()), module(noise()))
    assert torch.equal(module.eval()(noise()), module(noise()))
