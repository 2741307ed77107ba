"""Block, Encoder, Decoder and Cache: against a loop over tokens, against torch, against themselves.

The loop is float64 and knows nothing of batches, masks or caches: a token is asked, one head after
the other, what it finds in the tokens it sees.
"""

import copy
import functools
import math
import sys

import draws
import pytest
import torch
import torch.nn.functional as F
from draws import generator
from oracles import layer_loop, linear, turned
from torch import nn
from torch.nn.utils.parametrize import register_parametrization

from d2lattn import (
    Cache,
    Decoder,
    Encoder,
    LearnedPositionalEncoding,
    MultiHeadAttention,
    PositionalEncoding,
    Rotary,
    generate,
    sample,
    window_mask,
)
from d2lattn.positions import Alibi
from d2lattn.transformer import POSITIONS, plain_block
from d2lattn_book.real.edits import edited, heads_off

B, L, V, E, H, LAYERS = 3, 11, 17, 24, 4, 2
LENGTHS = torch.tensor([11, 4, 7])
every_method = pytest.mark.parametrize("positions", [None, *POSITIONS])
every_share = pytest.mark.parametrize("num_kv_heads", [4, 2, 1])
every_window = pytest.mark.parametrize("window", [None, 3])


def some_tokens(*shape, seed=0):
    return torch.randint(V, shape or (B, L), generator=generator(seed))


def noisy(model, seed=5, std=0.5):
    """The model with biases, norms and embeddings far from where they start."""
    draw = generator(seed)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.ndim == 1:
                parameter += std * torch.randn(parameter.shape, generator=draw)
            elif name.startswith(("embedding", "position")):
                parameter.copy_(torch.randn(parameter.shape, generator=draw))
    return model.eval()


def decoder(kind=Decoder, **options):
    sizes = dict(num_layers=LAYERS, num_heads=H, max_len=20, seed=1)
    return noisy(kind(V, E, **{**sizes, **options}))


def assert_close(got, expected, within=1e-5):
    draws.assert_close(got, expected.to(got.dtype), within)


# The loop -----------------------------------------------------------------------------------------


def oracle(model, tokens, *, is_causal):
    """Logits (L, V) of one sequence (list of int), in float64, from the weights alone."""
    model, L = copy.deepcopy(model).double(), len(tokens)
    far = (torch.arange(L)[:, None] - torch.arange(L)).abs()
    seen = dict(is_causal=is_causal, attn_mask=far < (model.window or L))
    if isinstance(model.position, Alibi):
        slopes = [2 ** (-8 * (head + 1) / H) for head in range(H)]
        seen["attn_bias"] = torch.stack([-slope * far for slope in slopes])
    x = torch.stack(
        [place(model, model.embedding.weight[token], i) for i, token in enumerate(tokens)]
    )
    rotates = isinstance(model.position, Rotary)
    turn = functools.partial(turned, base=model.position.base) if rotates else lambda heads: heads
    for block in model.blocks:
        asked = [norm(x, block.attention_norm)[None]] * 3
        x = x + layer_loop(block.attention, *asked, seen, turn)[0][0]
        if block.mlp is not None:
            wide = linear(norm(x, block.mlp_norm), block.mlp[0])
            bent = wide / 2 * (1 + torch.tanh(math.sqrt(2 / math.pi) * (wide + 0.044715 * wide**3)))
            x = x + linear(bent, block.mlp[2])
    return linear(norm(x, model.norm), model.to_logits)


def norm(x, part):
    centred = x - x.mean(-1, keepdim=True)
    unit = centred / torch.sqrt((centred**2).mean(-1, keepdim=True) + 1e-5)
    return unit * part.weight + (0 if part.bias is None else part.bias)


def place(model, x, i):
    if isinstance(model.position, LearnedPositionalEncoding):
        return x + model.position.weight[i]
    if isinstance(model.position, PositionalEncoding):
        angles = [i / model.position.base ** (2 * (j // 2) / E) for j in range(E)]
        waves = [(math.cos if j % 2 else math.sin)(angle) for j, angle in enumerate(angles)]
        return x + torch.tensor(waves, dtype=torch.float64)
    return x


@torch.no_grad()
@pytest.mark.parametrize("kind", [Encoder, Decoder])
@every_method
@pytest.mark.parametrize(("num_kv_heads", "window"), [(2, 3), (4, None)])
def test_the_logits_are_those_of_the_loop(kind, positions, num_kv_heads, window):
    options = dict(positions=positions, num_kv_heads=num_kv_heads, window=window, base=50.0)
    model, tokens = decoder(kind, **options), some_tokens(2, 7)
    expected = [oracle(model, row.tolist(), is_causal=kind is Decoder) for row in tokens]
    assert_close(model(tokens), torch.stack(expected))


@torch.no_grad()
@pytest.mark.parametrize(
    "options", [dict(mlp_dim=0), dict(mlp_dim=5), dict(bias=False), dict(tied=True)], ids=str
)
def test_what_may_be_left_out(options):
    model, tokens = decoder(**options), some_tokens(1, 7)
    assert_close(model(tokens)[0], oracle(model, tokens[0].tolist(), is_causal=True))


def test_without_a_bias_there_is_none():
    for kind in (Encoder, Decoder):
        assert not [
            name for name, _ in decoder(kind, bias=False).named_parameters() if "bias" in name
        ]


@torch.no_grad()
def test_encoder_equals_torchs():
    """`nn.TransformerEncoder` with the norm first, on the same weights, padded."""
    ours = decoder(Encoder, positions=None)
    gelu = functools.partial(F.gelu, approximate="tanh")
    layer = nn.TransformerEncoderLayer(
        E, H, 4 * E, dropout=0.0, activation=gelu, batch_first=True, norm_first=True
    )
    theirs = nn.TransformerEncoder(layer, LAYERS, enable_nested_tensor=False).eval()
    for block, layer in zip(ours.blocks, theirs.layers, strict=True):
        mine = block.attention
        projections = (mine.q_proj, mine.k_proj, mine.v_proj)
        layer.self_attn.in_proj_weight.copy_(torch.cat([part.weight for part in projections]))
        layer.self_attn.in_proj_bias.copy_(torch.cat([part.bias for part in projections]))
        for to, source in [
            (layer.self_attn.out_proj, mine.out_proj),
            (layer.norm1, block.attention_norm),
            (layer.norm2, block.mlp_norm),
            (layer.linear1, block.mlp[0]),
            (layer.linear2, block.mlp[2]),
        ]:
            to.load_state_dict(source.state_dict())
    tokens = some_tokens()
    hidden = torch.arange(L) >= LENGTHS[:, None]  # torch: True = may not attend
    expected = ours.to_logits(
        ours.norm(theirs(ours.embedding(tokens), src_key_padding_mask=hidden))
    )
    got = ours(tokens, valid_lens=LENGTHS)
    assert_close(got[~hidden], expected[~hidden])


# Who sees whom ------------------------------------------------------------------------------------


@torch.no_grad()
@every_method
def test_a_decoder_never_looks_ahead(positions):
    model, tokens = decoder(positions=positions), some_tokens()
    changed = tokens.clone()
    changed[:, 6:] = (changed[:, 6:] + 1) % V
    before, after = model(tokens), model(changed)
    assert_close(after[:, :6], before[:, :6], 1e-6)
    assert (after[:, 6:] - before[:, 6:]).abs().max() > 0.1


@torch.no_grad()
@every_method
@every_window
def test_padding_changes_nothing(positions, window):
    options, tokens = dict(positions=positions, window=window), some_tokens()
    encoder, causal = decoder(Encoder, **options), decoder(**options)
    padded = [(encoder, encoder(tokens, valid_lens=LENGTHS)), (causal, causal(tokens))]
    for b, n in enumerate(LENGTHS.tolist()):
        for model, logits in padded:
            assert_close(logits[b, :n], model(tokens[b : b + 1, :n])[0])


def test_a_sequence_of_padding_alone_is_harmless():
    none = torch.tensor([11, 0, 3])
    model = decoder(Encoder)
    model(some_tokens(), valid_lens=none).sum().backward()
    assert all(p.grad is None or p.grad.isfinite().all() for p in model.parameters())


@every_method
@pytest.mark.parametrize("options", [{}, dict(window=3), dict(window=3, sinks=1)], ids=str)
def test_a_batch_of_nothing_has_logits_of_nothing(positions, options):
    none = some_tokens(0, L)
    options |= dict(positions=positions)
    assert decoder(**options)(none, segments=none).shape == (0, L, V)
    assert decoder(Encoder, **options)(none, valid_lens=none[:, 0]).shape == (0, L, V)


@torch.no_grad()
@pytest.mark.parametrize("kind", [Encoder, Decoder])
@every_share
def test_weights_are_those_that_were_used(kind, num_kv_heads):
    model, tokens = decoder(kind, num_kv_heads=num_kv_heads, window=4), some_tokens()
    logits, weights = model(tokens, need_weights=True)
    assert_close(logits, model(tokens))
    assert weights.shape == (LAYERS, B, H, L, L)
    seen = window_mask(L, width=4)
    seen = seen.tril() if kind is Decoder else seen
    assert torch.equal(weights > 0, seen.expand_as(weights))
    assert_close(weights.sum(-1), torch.ones(LAYERS, B, H, L))


def test_each_dropout_has_its_own_mode():
    block, x = plain_block(8, 2, dropout=1.0).eval(), torch.randn(1, 3, 8)
    assert not torch.equal(block(x), x)
    block.dropout.train()
    assert torch.equal(block(x), x)


@torch.no_grad()
# Ablation -----------------------------------------------------------------------------------------


@torch.no_grad()
def test_a_head_that_is_off_counts_as_0():
    model, tokens = decoder(num_kv_heads=2), some_tokens(1, 7)
    kept = torch.tensor([[True, False, True, True], [False, False, True, False]])
    silent = copy.deepcopy(model)
    for layer, head in (~kept).nonzero().tolist():
        silent.blocks[layer].attention.out_proj.weight[:, head * E // H : (head + 1) * E // H] = 0
    expected = oracle(silent, tokens[0].tolist(), is_causal=True)
    _, plain = model(tokens, need_weights=True)
    with edited(model, heads_off(*map(tuple, (~kept).nonzero().tolist()))):
        logits, weights = model(tokens, need_weights=True)
    assert_close(logits[0], expected)
    assert (logits - model(tokens)).abs().max() > 0.1
    assert_close(weights[0], plain[0])  # it looks, but is not heard


# Seeds and weights --------------------------------------------------------------------------------


def test_a_seed_is_a_model_and_nothing_global_moves():
    state = torch.get_rng_state()
    first, again, other = (Decoder(V, E, num_layers=1, num_heads=2, seed=s) for s in (3, 3, 4))
    assert torch.equal(state, torch.get_rng_state())
    for name, x in first.state_dict().items():
        assert torch.equal(x, again.state_dict()[name])
        if name.endswith("proj.weight") or name == "embedding.weight":
            assert not torch.equal(x, other.state_dict()[name])


def test_the_weights_start_as_promised():
    model = Decoder(1000, 96, num_layers=2, num_heads=4, max_len=300, init_std=0.05)
    assert model.embedding.weight.std().item() == pytest.approx(0.05, rel=0.05)
    assert model.position.weight.std().item() == pytest.approx(0.05, rel=0.05)
    for module in model.modules():
        if isinstance(module, nn.Linear):
            expected = nn.Linear(module.in_features, module.out_features).weight.std().item()
            assert module.weight.std().item() == pytest.approx(expected, rel=0.1)
            assert module.bias is None or not module.bias.any()
        if isinstance(module, nn.LayerNorm):
            assert (module.weight == 1).all() and not module.bias.any()


def test_a_tied_embedding_stays_tied():
    model = decoder(tied=True)
    for tied in (model, copy.deepcopy(model), copy.deepcopy(model).double()):
        assert tied.to_logits.weight is tied.embedding.weight
    untied = sum(p.numel() for p in decoder().parameters())
    assert untied - sum(p.numel() for p in model.parameters()) == V * E


@torch.no_grad()
@every_method
def test_the_dtype_is_that_of_the_weights(positions):
    model, tokens = decoder(positions=positions, num_kv_heads=2), some_tokens()
    exact = copy.deepcopy(model).double()
    assert exact(tokens).dtype == torch.float64
    assert_close(model(tokens), exact(tokens))
    half = copy.deepcopy(model).bfloat16()
    cache = Cache(half, B, max_len=L)
    assert half(tokens, cache=cache).dtype == cache.keys.dtype == torch.bfloat16
    assert (half(tokens).double() - exact(tokens)).abs().mean() < 0.05


def test_dropout_acts_in_training_only():
    model, tokens = decoder(dropout=0.5), some_tokens()
    assert torch.equal(model(tokens), model(tokens))
    model.train()
    assert not torch.equal(model(tokens), model(tokens))


def test_gradients_reach_every_weight():
    for positions in (None, *POSITIONS):
        model = decoder(positions=positions, num_kv_heads=2)
        model(some_tokens())[0].square().sum().backward()
        for name, parameter in model.named_parameters():
            assert parameter.grad is not None and parameter.grad.isfinite().all(), name
            assert parameter.grad.abs().sum() > 0, name


def test_a_learned_table_ends_and_the_others_do_not():
    long = some_tokens(1, 21)
    with pytest.raises(ValueError, match=r"learned table of max_len=20 .* got positions 0 to 20"):
        decoder()(long)
    for positions in (None, "sinusoidal", "rotary", "alibi"):
        assert decoder(positions=positions)(long).shape == (1, 21, V)


# The cache, beside tests/test_options.py ----------------------------------------------------------


@torch.no_grad()
def test_cached_weights_are_the_last_rows_of_all():
    model, tokens = decoder(num_kv_heads=2, positions="rotary"), some_tokens()
    _, expected = model(tokens, need_weights=True)
    cache = Cache(model, B)
    model(tokens[:, :6], cache=cache)
    _, weights = model(tokens[:, 6:], cache=cache, need_weights=True)
    assert_close(weights, expected[..., 6:, :])


@torch.no_grad()
def test_a_cache_keeps_rotated_keys_of_its_own_heads():
    model, tokens = decoder(positions="rotary", num_kv_heads=2), some_tokens()
    cache = Cache(model, B, max_len=13)
    model(tokens, cache=cache)
    assert cache.keys.shape == cache.values.shape == (LAYERS, B, 2, 13, E // H)
    assert cache.length == L and not cache.keys[..., L:, :].any()
    first = model.blocks[0]
    x = first.attention_norm(model.embedding(tokens))
    _, key, value = first.attention.project(x, x, x)
    assert_close(cache.values[0, :, :, :L], value, 1e-6)
    assert_close(cache.keys[0, :, :, 0], key[:, :, 0], 1e-6)  # position 0 is not rotated
    assert (cache.keys[0, :, :, 1:L] - key[:, :, 1:]).abs().max() > 0.1


@torch.no_grad()
def test_a_full_cache_is_refused_and_stays_as_it_was():
    model, tokens = decoder(), some_tokens(1, L)
    cache = Cache(model, max_len=8)
    model(tokens[:, :6], cache=cache)
    with pytest.raises(ValueError, match=r"it can hold 8 and holds 6, got 3 more"):
        model(tokens[:, 6:9], cache=cache)
    assert cache.length == 6
    assert_close(model(tokens[:, 6:8], cache=cache), model(tokens[:, :8])[:, 6:])
    with pytest.raises(ValueError, match=r"it can hold 8 and holds 8, got 1 more"):
        model(tokens[:, 8:9], cache=cache)


@torch.no_grad()
def test_an_error_leaves_the_cache_as_it_was():
    model, tokens = decoder(), some_tokens(1, L)
    cache = Cache(model)
    model(tokens[:, :4], cache=cache)
    broken = model.blocks[1].mlp.register_forward_pre_hook(lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        model(tokens[:, 4:], cache=cache)
    broken.remove()
    assert_close(model(tokens[:, 4:], cache=cache), model(tokens)[:, 4:])


@pytest.mark.parametrize("learns", [None, "k_proj", "v_proj"])
def test_a_cache_would_lose_gradients(learns):
    """Of all parameters, of the keys alone, of the values alone."""
    model, tokens = decoder(num_layers=1), some_tokens(1, L)
    for name, parameter in model.named_parameters():
        parameter.requires_grad_(learns is None or learns in name)
    with pytest.raises(ValueError, match=r"torch.no_grad\(\)"):
        model(tokens, cache=Cache(model))
    for parameter in model.parameters():
        parameter.requires_grad_(False)
    model(tokens, cache=Cache(model))


@torch.no_grad()
@pytest.mark.parametrize("window", [None, 3])
@every_method
def test_a_cache_works_under_autocast(positions, window):
    """It keeps float32; autocast computes queries, keys and values in bfloat16."""
    model, tokens = decoder(positions=positions, window=window), some_tokens()
    cache, exact = Cache(model, B), model(tokens)
    with torch.autocast("cpu", torch.bfloat16):
        whole = model(tokens)
        parts = [model(part, cache=cache) for part in tokens.split([5, 1, 5], dim=1)]
        for use_cache in (True, False):
            assert generate(model, tokens, steps=4, use_cache=use_cache).shape == (B, L + 4)
    assert cache.keys.dtype == torch.float32 and whole.dtype == torch.bfloat16
    apart = torch.cat(parts, dim=1).float() - exact
    assert apart.abs().mean() < 1.5 * (whole.float() - exact).abs().mean()


@torch.no_grad()
def test_the_angles_of_a_pass_are_made_once(monkeypatch):
    made, module = [], sys.modules["d2lattn.positions"]
    angles = module._angles
    monkeypatch.setattr(module, "_angles", lambda *given: made.append(given) or angles(*given))
    decoder(positions="rotary", num_layers=3)(some_tokens())
    assert len(made) == 1


@torch.no_grad()
@pytest.mark.parametrize("length", [4, 1, 0])
def test_a_cache_with_a_window_is_set_back_as_long_as_it_has_let_go_of_nothing(length):
    model, tokens = decoder(positions="rotary", window=4, sinks=1), some_tokens()
    cache, fresh = Cache(model, B), Cache(model, B)
    model(tokens[:, :5], cache=cache)
    cache.crop(length)
    if length:
        model(tokens[:, :length], cache=fresh)
    got, wanted = (
        torch.cat([model(part, cache=found) for part in tokens[:, 4:].split(2, 1)], 1)
        for found in (cache, fresh)
    )
    assert_close(got, wanted)
    with pytest.raises(
        ValueError, match=rf"^length must be 0 or stay {length + 7}, .*, got 1; copy"
    ):
        cache.crop(1)
    assert cache.length == length + 7
    cache.crop(0)
    assert_close(model(tokens, cache=cache), model(tokens))


@torch.no_grad()
@pytest.mark.parametrize(
    "options",
    [dict(positions="rotary", window=4, sinks=1, num_kv_heads=2), dict(positions="learned")],
    ids=lambda options: options["positions"],
)
def test_a_decoder_is_compiled_in_one_graph_and_exported_for_any_length(options):
    torch.compiler.reset()
    model, tokens = decoder(**options).float(), some_tokens()
    compiled = torch.compile(model, fullgraph=True, dynamic=True, backend="eager")
    length = torch.export.Dim("length", min=2, max=20)
    given = dict(dynamic_shapes=({1: length},))
    exported = torch.export.export(model, (tokens[:, :9].contiguous(),), **given).module()
    for made in (compiled, exported):
        for n in (9, tokens.shape[1]):
            assert_close(made(tokens[:, :n]), model(tokens[:, :n]), 1e-6)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_bytes_per_token_is_what_is_stored(dtype):
    for heads in (4, 2, 1):
        cache = Cache(decoder(num_kv_heads=heads).to(dtype), 5, max_len=7)
        assert cache.bytes_per_token == 2 * LAYERS * heads * (E // H) * dtype.itemsize
        stored = sum(x.untyped_storage().nbytes() for x in (cache.keys, cache.values))
        assert stored == 5 * 7 * cache.bytes_per_token


# Sampling -----------------------------------------------------------------------------------------

LOGITS = torch.tensor([1.0, -0.5, 0.3, 2.0, 0.0, -2.0])


def chi_square(counts, probabilities):
    """(statistic, what it passes once in 300,000 draws: Wilson and Hilferty 1931) where p > 0."""
    possible = probabilities > 0
    assert not counts[~possible].any()
    expected = (counts.sum() * probabilities)[possible]
    free = possible.sum().item() - 1
    limit = free * (1 - 2 / (9 * free) + 4.5 * math.sqrt(2 / (9 * free))) ** 3
    return ((counts[possible] - expected) ** 2 / expected).sum().item(), limit


def test_sample_at_the_ends():
    rows = LOGITS.expand(500, -1)
    assert (sample(rows, temperature=0) == 3).all()
    assert (sample(rows, top_k=1, temperature=5.0) == 3).all()
    for temperature in (1e-5, 1e-40, 1e-300):
        assert (sample(rows, temperature=temperature, generator=generator(0)) == 3).all()
    near = torch.tensor([0.0, 1e-4]).expand(500, -1)  # at 1e-5 the weights are as e^10 to 1
    assert sample(near, temperature=1e-5, generator=generator(0)).sum() > 490
    flat = sample(rows, temperature=1e300, generator=generator(0)).bincount(minlength=6)
    statistic, limit = chi_square(flat.double(), torch.full((6,), 1 / 6, dtype=torch.float64))
    assert statistic < limit
    hidden = LOGITS.masked_fill(LOGITS > 0, -math.inf)
    assert set(sample(hidden.expand(500, -1), generator=generator(0)).tolist()) <= {1, 4, 5}


def test_logits_from_which_nothing_can_be_drawn():
    finite = torch.zeros(2, 3)
    for bad in (math.nan, math.inf):
        logits = finite.clone()
        logits[1, 2] = bad
        for temperature, top_k in [(1.0, None), (1.0, 2), (0, None)]:
            with pytest.raises(
                ValueError, match=f"^logits must be numbers or -inf, .* got .* {bad}"
            ):
                sample(logits, temperature=temperature, top_k=top_k)
    logits = finite.clone()
    logits[0] = -math.inf
    with pytest.raises(ValueError, match=r"^logits must be .* not -inf alone, got .* -inf"):
        sample(logits)
    logits[0, 1] = -3.0
    assert sample(logits)[0] == 1


def test_logits_that_float32_cannot_hold():
    assert sample(torch.tensor([0.0, 1e300, 3.0], dtype=torch.float64)) == 1


def test_top_k_is_exact_also_among_equals():
    drawn = sample(torch.zeros(2000, 9), top_k=4, generator=generator(0))
    assert len(drawn.unique()) == 4


def may_be_drawn(logits, temperature, top_k, top_p, min_p):
    """The p of each token by the rules as written, one token after the other, in float64."""
    order = sorted(range(len(logits)), key=lambda i: -logits[i])[:top_k]
    powers = {i: math.exp((logits[i] - max(logits)) / temperature) for i in order}
    if top_p is not None:
        nucleus, together = {}, 0.0
        for i in order:
            if nucleus and together >= top_p:
                break
            nucleus[i] = powers[i]
            together += powers[i] / sum(powers.values())
        powers = nucleus
    if min_p is not None:
        most = max(powers.values())
        powers = {i: power for i, power in powers.items() if power >= min_p * most}
    p = [powers.get(i, 0.0) / sum(powers.values()) for i in range(len(logits))]
    return torch.tensor(p, dtype=torch.float64)


@pytest.mark.parametrize("temperature", [0.7, 2.0])
@pytest.mark.parametrize("top_k", [None, 4])
@pytest.mark.parametrize(
    ("top_p", "min_p"),
    [(None, None), (0.6, None), (0.9, None), (None, 0.1), (None, 0.4), (0.9, 0.3), (1.0, 0.0)],
)
def test_top_p_and_min_p_draw_from_what_the_rules_in_words_leave(temperature, top_k, top_p, min_p):
    rules = dict(temperature=temperature, top_k=top_k, top_p=top_p, min_p=min_p)
    drawn = sample(LOGITS.expand(20_000, -1), **rules, generator=generator(0))
    counts, p = drawn.bincount(minlength=6).double(), may_be_drawn(LOGITS.tolist(), **rules)
    assert ((counts > 0) == (p > 0)).all()
    if (p > 0).sum() > 1:
        statistic, limit = chi_square(counts, p)
        assert statistic < limit
        statistic, limit = chi_square(counts, p.sqrt() / p.sqrt().sum())
        assert statistic > limit  # the test can tell another temperature


def test_top_p_and_min_p_at_the_ends():
    rows = LOGITS.expand(500, -1)
    for alone in (dict(top_p=0), dict(top_p=1e-9), dict(min_p=1)):
        assert (sample(rows, **alone, temperature=9.0, generator=generator(0)) == 3).all()
    for all_of_them in (dict(top_p=1), dict(min_p=0)):
        free = sample(rows, temperature=3.0, generator=generator(0))
        assert torch.equal(
            sample(rows, **all_of_them, temperature=3.0, generator=generator(0)), free
        )
    equal = torch.zeros(2000, 8)  # the nucleus of .5 are four of eight, min-p parts no equals
    assert len(sample(equal, top_p=0.5, generator=generator(0)).unique()) == 4
    assert len(sample(equal, min_p=1, generator=generator(0)).unique()) == 8
    hidden = LOGITS.masked_fill(LOGITS > 0, -math.inf)
    drawn = sample(hidden.expand(500, -1), top_p=1, min_p=0, generator=generator(0))
    assert set(drawn.tolist()) <= {1, 4, 5}


def test_sample_keeps_the_leading_axes_and_the_generator_decides():
    logits = torch.randn(2, 3, 40, generator=generator(1))
    first, again, other = (sample(logits, generator=generator(s)) for s in (7, 7, 8))
    assert first.shape == (2, 3) and first.dtype == torch.int64
    assert torch.equal(first, again) and not torch.equal(first, other)
    assert sample(logits[0, 0]).shape == ()
    turned = logits.transpose(0, 1).contiguous().transpose(0, 1)  # the same, not in a row in memory
    assert torch.equal(sample(turned, generator=generator(7)), first)


@torch.no_grad()
@every_method
@every_window
def test_generate_says_the_likeliest_word_after_word(positions, window):
    model, prompt = decoder(positions=positions, window=window), some_tokens(2, 5)
    expected = prompt
    for _ in range(9):
        expected = torch.cat([expected, model(expected)[:, -1:].argmax(-1)], dim=1)
    for use_cache in (True, False):
        got = generate(model, prompt, steps=9, temperature=0, use_cache=use_cache)
        assert torch.equal(got, expected)
    assert torch.equal(generate(model, prompt, steps=0), prompt)


def test_prompts_of_unequal_length_are_refused():
    with pytest.raises(ValueError, match=r"^tokens must be one .* got a list: .* packed"):
        generate(decoder(), [[1, 2], [3]], steps=1)


@torch.no_grad()
def test_generate_draws_the_words_of_its_generator():
    model, prompt = decoder(), some_tokens(2, 5)
    options = dict(steps=12, temperature=1.5, top_k=5, top_p=0.9, min_p=0.05)
    states = torch.get_rng_state()
    first, again, plain, other = (
        generate(model, prompt, **options, generator=generator(seed), use_cache=use_cache)
        for seed, use_cache in [(0, True), (0, True), (0, False), (1, True)]
    )
    assert torch.equal(states, torch.get_rng_state())
    assert torch.equal(first, again) and torch.equal(first, plain)
    assert not torch.equal(first, other)
    for n in range(5, 17):  # each token is among the five most probable ones
        best = model(first[:, :n])[:, -1].topk(5).indices
        assert (best == first[:, n, None]).any(-1).all()


def test_generate_needs_no_gradients_and_touches_no_flag():
    """Other threads may train the model, or generate with it, at the same time."""
    model, prompt, modes = decoder(dropout=0.9).train(), some_tokens(1, 5), []
    model.blocks[0].mlp.append(nn.Dropout(0.9))  # a part of one's own
    model.blocks[0].register_forward_hook(
        lambda *_: modes.append([part.training for part in model.modules()])
    )
    register_parametrization(model.blocks[0].mlp[0], "weight", nn.Identity())
    said = generate(model, prompt, steps=9, temperature=0)
    assert len(modes) == 9 and all(map(all, modes))
    assert torch.equal(said, generate(model.eval(), prompt, steps=9, temperature=0))


def test_generate_fills_a_learned_table_and_no_more():
    model, prompt = decoder(), some_tokens(1, 11)
    assert generate(model, prompt, steps=10).shape == (1, 21)  # the last token is not read
    for use_cache, said in ((True, "at most 20, the rows"), (False, "no row for the positions")):
        with pytest.raises(ValueError, match=said):
            generate(model, prompt, steps=11, use_cache=use_cache)
    assert generate(decoder(positions="alibi"), prompt, steps=30).shape == (1, 41)


def test_a_table_that_is_given_stays_and_ends_a_cache():
    """Its rows may have been trained elsewhere; a cache holds no more tokens than it has rows."""
    table = LearnedPositionalEncoding(6, 8)
    torch.nn.init.ones_(table.weight)
    model = Decoder(10, 8, num_layers=1, num_heads=2, positions=table)
    assert (model.position.weight == 1).all() and Cache(model).max_len == 6


def test_a_cache_with_a_window_lets_go_of_what_a_pass_has_gathered():
    model = Decoder(10, 8, num_layers=2, num_heads=2, positions="rotary", window=4)
    cache = Cache(model)
    with torch.no_grad():
        model(torch.tensor([[1, 2, 3]]), cache=cache)
    assert not cache._kept


def of_its_own(**hides):
    """A class of layers that hide keys in any model."""
    forward = functools.partialmethod(MultiHeadAttention.forward, **hides)
    return type("OfItsOwn", (MultiHeadAttention,), dict(forward=forward))


@every_window
def test_a_layer_with_causality_of_its_own_reads_a_cache(window):
    model = decoder(window=window, attention=of_its_own(is_causal=True))
    tokens, cache = some_tokens(), Cache(model, B)
    with torch.no_grad():
        got = torch.cat([model(part, cache=cache) for part in tokens.split(4, dim=1)], dim=1)
    assert_close(got, model(tokens))


@pytest.mark.parametrize("hides", [dict(attn_mask=torch.ones(1, 1).bool()), dict(valid_lens=[1])])
def test_a_mask_of_a_layer_is_refused_where_a_cache_keeps_no_order(hides):
    model = decoder(window=3, attention=of_its_own(**hides))
    with torch.no_grad(), pytest.raises(ValueError, match="leave them out where a cache"):
        model(some_tokens(1, L), cache=Cache(model))


def test_a_layer_on_another_device_has_masks_of_its_own():
    model = decoder(window=3, positions="alibi")
    nn.ModuleList([model.blocks[1], model.norm, model.to_logits]).to("meta")
    model.blocks[1].register_forward_pre_hook(lambda block, given: given[0].to("meta"))
    assert model(some_tokens()).device.type == "meta"
