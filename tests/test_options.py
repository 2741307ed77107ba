"""What is off by default: QK-norm, gate, sink logit, sinks beside a window, latents.

Each against the loop of its formula in float64, and a table of what goes together: there the cache
must say what the whole text says, and what does not go together is refused by name.
"""

import itertools
import warnings
from functools import partial

import draws
import pytest
import torch
from draws import generator
from oracles import layer_loop, noisy

from d2lattn import Cache, Decoder, Encoder, LatentAttention, MultiHeadAttention, generate
from d2lattn.engines import chunked
from d2lattn.transformer import POSITIONS
from d2lattn_book.pictures.packed import pack

B, L, E, H, V = 2, 9, 12, 3, 11
OPTIONS = {
    "qk_norm": dict(qk_norm=True),
    "gate": dict(gate=True),
    "sink_logit": dict(sink_logit=True),
    "all": dict(qk_norm=True, gate=True, sink_logit=True),
}
every_option = pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)


def noise(*shape, seed=1):
    return torch.randn(*shape, E, generator=generator(seed), dtype=torch.float64)


# The layer ----------------------------------------------------------------------------------------


@torch.no_grad()
def test_long_padding_changes_nothing():
    lengths, x = torch.tensor([300, 4]), noise(B, 300)
    mha = noisy(MultiHeadAttention(E, H, **OPTIONS["all"]).double())
    draws.assert_close(mha(x, valid_lens=lengths)[1, :4], mha(x[1:, :4])[0], 1e-12)


@torch.no_grad()
@every_option
def test_bfloat16(options):
    mha = noisy(MultiHeadAttention(E, H, **options)).to(torch.bfloat16)
    twin, x = MultiHeadAttention(E, H, **options).double(), noise(B, L).to(torch.bfloat16)
    twin.load_state_dict({name: p.double() for name, p in mha.state_dict().items()})
    got = mha(x, is_causal=True)
    assert got.dtype == torch.bfloat16
    draws.assert_close(got.double(), twin(x.double(), is_causal=True), 0.05)
    mha, x = mha.float(), x.float()
    with torch.autocast("cpu", torch.bfloat16), warnings.catch_warnings():
        warnings.simplefilter("error")  # as when a norm is given what is not of its weights' dtype
        got = mha(x, is_causal=True)
    assert got.dtype == torch.bfloat16
    draws.assert_close(got.double(), twin(x.double(), is_causal=True), 0.05)


@pytest.mark.parametrize("engine", ["chunked", "fused"])
def test_it_compiles(engine):
    torch.compiler.reset()
    mha = noisy(MultiHeadAttention(E, H, engine=engine, **OPTIONS["all"]))
    compiled = torch.compile(lambda x: mha(x, is_causal=True), fullgraph=True, backend="eager")
    draws.assert_close(
        compiled(noise(B, L).float()), mha(noise(B, L).float(), is_causal=True), 1e-6
    )


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
    more = set(MultiHeadAttention(E, H, **OPTIONS["all"]).state_dict())
    assert {"q_norm.weight", "k_norm.weight", "gate_proj.weight", "sink"} < more


# A sink in blocks ---------------------------------------------------------------------------------


@pytest.mark.parametrize("dropout", [0.0, 0.4])
def test_gradcheck_of_a_sink_in_blocks(monkeypatch, dropout):
    """What is dropped is dropped in the backward pass, too; else a loop says more."""
    monkeypatch.setattr(chunked, "SCORES", 4)
    monkeypatch.setattr(chunked, "LEAST", 2)
    mha = MultiHeadAttention(E, H, engine="chunked", dropout=dropout, sink_logit=True).double()

    def function(x, *_):
        torch.manual_seed(0)  # the same weights are dropped in each call
        return mha(x, is_causal=True)

    leaves = noise(1, 4).requires_grad_(), *mha.parameters()
    assert torch.autograd.gradcheck(function, leaves, fast_mode=True)


@torch.no_grad()
@pytest.mark.parametrize("dtype, within", [(torch.float32, 1e-6), (torch.bfloat16, 0.02)])
def test_large_scores_under_a_sink_in_blocks(monkeypatch, dtype, within):
    """exp would overflow; a sink far above or below all scores takes all or nothing."""
    monkeypatch.setattr(chunked, "SCORES", 9)
    monkeypatch.setattr(chunked, "LEAST", 2)
    query, key, value = (x.unflatten(-1, (H, -1)).transpose(1, 2).to(dtype) for x in noise(3, B, 7))
    mha = MultiHeadAttention(E, H, engine="chunked", sink_logit=True)
    mha.sink += torch.tensor([1e4, -1e4, 300.0])
    got, _ = mha.attend(30 * query, 30 * key, value)
    mha.engine = "explicit"
    want, _ = mha.double().attend(*(x.double() for x in (30 * query, 30 * key, value)))
    assert got.dtype == dtype and got.isfinite().all()
    draws.assert_close(got.double(), want, within)


# Sinks beside a window ----------------------------------------------------------------------------


def decoder(kind=Decoder, **options):
    sizes = dict(num_layers=2, num_heads=H, max_len=40, seed=1)
    model = kind(V, E, **{**sizes, **options})
    return noisy(model)


def tokens(length=L, batch=B, seed=4):
    return torch.randint(V, (batch, length), generator=generator(seed))


@torch.no_grad()
@pytest.mark.parametrize("sinks", [0, 1, 2, 30])
def test_a_word_sees_the_first_ones_and_the_last_ones(sinks):
    """Key j is seen iff j < s or t - w < j <= t."""
    model = decoder(window=3, sinks=sinks, positions="rotary")
    _, weights = model(tokens(), need_weights=True)
    for t, j in itertools.product(range(L), range(L)):
        assert ((weights[..., t, j] > 0) == (j <= t and (j < sinks or t - 3 < j))).all()


@torch.no_grad()
def test_an_encoder_sees_the_first_ones_too():
    _, weights = decoder(Encoder, window=2, sinks=1)(tokens(), need_weights=True)
    far = torch.arange(L)[:, None] - torch.arange(L)
    seen = (far.abs() < 2) | (torch.arange(L) < 1)
    assert torch.equal((weights > 0).all(0).all(0).all(0), seen)


@torch.no_grad()
def test_a_block_is_the_oracle_of_its_layer():
    """The options reach the layer, with the keys that a window and sinks leave."""
    model = decoder(window=3, sinks=1, num_layers=1, mlp_dim=0, positions=None, **OPTIONS["all"])
    model, ids = model.double(), tokens(batch=1)
    x = model.embedding(ids)[0]
    block = model.blocks[0]
    seen = [[j <= i and (j < 1 or i - 3 < j) for j in range(L)] for i in range(L)]
    asked = block.attention_norm(x)[None]
    x = x + layer_loop(block.attention, *[asked] * 3, dict(attn_mask=torch.tensor(seen)))[0][0]
    draws.assert_close(model(ids)[0], model.to_logits(model.norm(x)), 1e-12)


@torch.no_grad()
@pytest.mark.parametrize(("window", "sinks"), [(3, 0), (3, 2), (1, 1), (4, 20)])
def test_the_cache_keeps_just_what_the_last_word_sees(window, sinks):
    model, ids = decoder(window=window, sinks=sinks, positions="rotary"), tokens(30)
    cache = Cache(model, B)
    assert cache.keys.shape[3] == window + sinks
    assert cache.keys.nbytes + cache.values.nbytes == B * (window + sinks) * cache.bytes_per_token
    model(ids[:, :7], cache=cache)
    storage = cache.keys.data_ptr()
    for t in range(7, 30):
        model(ids[:, t : t + 1], cache=cache)
        wanted = {j for j in range(t + 1) if j < sinks or t - window < j}
        for row in cache.columns.tolist():
            kept = [j for j in row if j >= 0]
            assert len(kept) == len(set(kept)) and set(kept) == wanted
    assert cache.keys.data_ptr() == storage and cache.length == 30


@torch.no_grad()
def test_a_window_reads_on_without_an_end():
    """Past max_len, with rows for 4 tokens; positions go on, so only a learned table ends."""
    model, ids = decoder(window=3, sinks=1, positions="rotary", max_len=8), tokens(30)
    cache = Cache(model, B)
    parts = [model(part, cache=cache) for part in ids.split(1, 1)]
    draws.assert_close(torch.cat(parts, 1), model(ids), 1e-5)
    assert generate(model, ids, steps=20, temperature=0).shape == (B, 50)
    with pytest.raises(ValueError, match="it can hold 8 and holds 0, got 30 more"):
        model(ids, cache=Cache(model, B, max_len=8))
    with pytest.raises(ValueError, match="can hold 8"):
        learned = decoder(window=3, positions="learned", max_len=8)
        learned(ids, cache=Cache(learned, B))


@torch.no_grad()
def test_an_error_leaves_a_window_s_cache_as_it_was():
    model, ids = decoder(window=3, sinks=1), tokens()
    cache = Cache(model, B)
    model(ids[:, :5], cache=cache)
    model.blocks[1].mlp[0].register_forward_pre_hook(lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        model(ids[:, 5:], cache=cache)
    model.blocks[1].mlp[0]._forward_pre_hooks.clear()
    draws.assert_close(model(ids[:, 5:], cache=cache), model(ids)[:, 5:], 1e-5)


# What goes together -------------------------------------------------------------------------------

LATENT = dict(attention=LatentAttention, latent_dim=5)
KINDS = {
    "plain": {},
    "grouped": dict(num_kv_heads=1),
    **OPTIONS,
    "latent": LATENT,
}
WINDOWS = {"no window": {}, "window": dict(window=3), "sinks": dict(window=3, sinks=2)}
REFUSED = {
    "sinks": (dict(sinks=1), "^sinks is for a window, got sinks=1 without"),
    "rope_dim, learned": (dict(**LATENT, rope_dim=2), "^rope_dim is for positions="),
    "latents unturned": (dict(**LATENT, positions="rotary"), "^rope_dim is for positions="),
}
# Each window beside each kind and each way to say positions, not each of all three.
TABLE = [
    pytest.param({**KINDS[kind], **WINDOWS[window], "positions": positions}, id=f"{kind}, {window}")
    for w, window in enumerate(WINDOWS)
    for p, positions in enumerate([None, *POSITIONS])
    for kind in [("plain", "grouped", "all", "latent")[(p + w) % 4]]
]


def made(options):
    more = dict(rope_dim=4) if "latent_dim" in options and options["positions"] == "rotary" else {}
    return decoder(**options, **more)


@torch.no_grad()
@pytest.mark.parametrize("options", TABLE)
def test_cached_equals_uncached(options):
    """At once, in parts and token by token."""
    model, ids = made(options), tokens()
    expected = model(ids)
    for parts in ([L], [5, 1, 3], [1] * L):
        cache = Cache(model, B)
        got = [model(part, cache=cache) for part in ids.split(parts, 1)]
        draws.assert_close(torch.cat(got, 1), expected, 1e-5)


@torch.no_grad()
@pytest.mark.parametrize("options", TABLE)
def test_generate_says_the_same_with_a_cache_and_without(options):
    write = partial(generate, made(options), tokens(), steps=6, temperature=0)
    assert torch.equal(write(), write(use_cache=False))


@pytest.mark.parametrize(("options", "message"), REFUSED.values(), ids=REFUSED)
def test_what_does_not_go_together_is_refused_by_name(options, message):
    with pytest.raises(ValueError, match=message):
        decoder(**options)


def test_a_cache_of_another_window_is_refused():
    model = decoder(window=3, sinks=1)
    for other in (dict(window=3), dict(window=2, sinks=1), {}):
        with torch.no_grad(), pytest.raises(ValueError, match="must be made for this model"):
            model(tokens(), cache=Cache(decoder(**other), B))


@torch.no_grad()
def test_what_a_word_weighs_in_each_cache():
    """Layers · (2 · Hkv · D) numbers, layers · (C + R) of latents."""
    numbers = {"plain": 2 * E, "grouped": 2 * E // H, "qk_norm": 2 * E, "latent": 5 + 4}
    for kind, count in numbers.items():
        model = made({**KINDS[kind], "positions": "rotary"})
        assert Cache(model, B).bytes_per_token == 2 * count * 4


@pytest.mark.parametrize("kind", ["all", "latent"])
def test_gradients_reach_every_weight_and_it_compiles(kind):
    torch.compiler.reset()
    model = made({**KINDS[kind], **WINDOWS["sinks"], "positions": "rotary"})
    compiled = torch.compile(model, fullgraph=True, backend="eager")
    draws.assert_close(compiled(tokens()).detach(), model(tokens()).detach(), 1e-6)
    model(tokens()).square().sum().backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad.abs().max() > 0, name


@pytest.mark.parametrize("kind", ["qk_norm", "gate", "sink_logit", "latent"])
def test_the_page_s_reader_refuses_what_it_cannot_compute(kind):
    with pytest.raises(ValueError, match=r"^model must be made of Decoder's own parts, "):
        pack(made({**KINDS[kind], "positions": None}))
    with pytest.raises(ValueError, match="model must have sinks=0, got 2"):
        pack(decoder(window=3, sinks=2))


def test_a_seed_is_the_same_model_with_options_off_and_a_start_with_them_on():
    plain, other = (
        Decoder(V, E, num_layers=1, num_heads=H),
        Decoder(V, E, num_layers=1, num_heads=H, **OPTIONS["all"]),
    )
    attention = other.blocks[0].attention
    assert torch.equal(attention.q_norm.weight, torch.ones(E // H))
    assert torch.equal(attention.sink, torch.zeros(H))
    assert torch.equal(plain.blocks[0].attention.q_proj.weight, attention.q_proj.weight)
