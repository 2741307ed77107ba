"""Block, Encoder, Decoder and Cache: against a loop over tokens, and against themselves.

The loop is float64 and knows nothing of batches, masks or caches: a token is asked, one head after
the other, what it finds in the tokens it sees. MODELS is what goes together: there the cache and a
packed row must say what the whole text says.
"""

import copy
import functools
import math
import sys

import draws
import pytest
import torch
from draws import generator
from oracles import layer_loop, linear, turned
from torch import nn

from d2lattn import (
    MLP,
    Cache,
    Decoder,
    Encoder,
    LatentAttention,
    LearnedPositionalEncoding,
    MultiHeadAttention,
    PositionalEncoding,
    Rotary,
    generate,
)
from d2lattn.positions import Alibi
from d2lattn.transformer import POSITIONS, plain_block
from d2lattn_book import audit
from d2lattn_book.pictures.live.reader.packed import pack

B, L, V, E, H, LAYERS = 3, 11, 17, 24, 4, 2
KINDS = {
    "plain": {},
    "grouped": dict(num_kv_heads=2),
    "all": dict(num_kv_heads=1, qk_norm=True, gate=True, sink_logit=True),
    "latent": dict(attention=LatentAttention, latent_dim=5),
}
WINDOWS = {"no window": {}, "window": dict(window=3), "sinks": dict(window=3, sinks=2)}
METHODS = [None, *POSITIONS]
# Each window beside each kind and each way to say positions, not each of all three.
MODELS = {
    f"{kind}, {window}, {positions}": {**KINDS[kind], **WINDOWS[window], "positions": positions}
    for w, window in enumerate(WINDOWS)
    for p, positions in enumerate(METHODS)
    for kind in [list(KINDS)[(p + w) % 4]]
}
every_model = pytest.mark.parametrize("options", MODELS.values(), ids=MODELS)
every_method = pytest.mark.parametrize("positions", METHODS)


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
    turned = "latent_dim" in options and options.get("positions") == "rotary"
    return noisy(kind(V, E, **{**sizes, **options}, **(dict(rope_dim=4) if turned else {})))


def assert_close(got, expected, within=1e-5):
    draws.assert_close(got, expected.to(got.dtype), within)


# The loop -----------------------------------------------------------------------------------------


def seen_by(model, L):
    """Who may see whom by window and sinks alone, (L, L)."""
    far = (torch.arange(L)[:, None] - torch.arange(L)).abs()
    return (far < (model.window or L)) | (torch.arange(L) < model.sinks)


def oracle(model, tokens, *, is_causal):
    """Logits (L, V) of one sequence (list of int), in float64, from the weights alone."""
    model, L = copy.deepcopy(model).double(), len(tokens)
    seen = dict(is_causal=is_causal, attn_mask=seen_by(model, L))
    if isinstance(model.position, Alibi):
        far = (torch.arange(L)[:, None] - torch.arange(L)).abs()
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


ONE_BY_ONE = [
    *(dict(positions=p, num_kv_heads=2, window=3, base=50.0) for p in METHODS),
    *(dict(positions=p) for p in METHODS),
    dict(positions="rotary", window=3, sinks=1, **KINDS["all"]),
    dict(mlp_dim=0),
    dict(mlp_dim=5),
    dict(bias=False),
    dict(tied=True),
]


@torch.no_grad()
@pytest.mark.parametrize("kind", [Encoder, Decoder])
@pytest.mark.parametrize("options", ONE_BY_ONE, ids=str)
def test_the_logits_are_those_of_the_loop(kind, options):
    model, tokens = decoder(kind, **options), some_tokens(2, 7)
    expected = [oracle(model, row.tolist(), is_causal=kind is Decoder) for row in tokens]
    assert_close(model(tokens), torch.stack(expected))
    named = [name for name, _ in model.named_parameters() if "bias" in name]
    assert bool(named) == options.get("bias", True)


# What goes together -------------------------------------------------------------------------------


@torch.no_grad()
@every_model
@pytest.mark.parametrize(("length", "kept"), [(9, 4), (9, 0), (9, 9), (3, 1), (5, 4)])
def test_a_cropped_cache_reads_on_as_if_the_words_had_never_come(options, length, kept):
    """Right, or refused once a window has let go of what the next token sees."""
    model, tokens, more = decoder(**options), some_tokens(), some_tokens(B, 4, seed=9)
    cache = Cache(model, B)
    model(tokens[:, :length], cache=cache)
    if model.window and length > model.window + model.sinks and 0 < kept < length:
        with pytest.raises(ValueError, match=f"^length must be 0 or stay {length}, .* got {kept}"):
            cache.crop(kept)
        kept = length
    cache.crop(kept)
    with pytest.raises(ValueError, match=f"^length must be an integer of at most {kept}, "):
        cache.crop(kept + 1)
    whole = torch.cat([tokens[:, :kept], more], 1)
    assert_close(model(more, cache=cache), model(whole)[:, kept:])


@torch.no_grad()
@every_model
def test_generate_says_the_likeliest_word_after_word(options):
    model, prompt = decoder(**options), some_tokens(2, 5)
    expected = prompt
    for _ in range(9):
        expected = torch.cat([expected, model(expected)[:, -1:].argmax(-1)], dim=1)
    for use_cache in (True, False):
        got = generate(model, prompt, steps=9, temperature=0, use_cache=use_cache)
        assert torch.equal(got, expected)
    assert torch.equal(generate(model, prompt, steps=0), prompt)


TEXTS = [[5, 1, 3, 2], [11], [2, 9]]
SEGMENTS = torch.tensor([[0] * 5 + [4] + [2] * 3 + [9] * 2, [1] * 11, [7] * 2 + [-1] * 9])


def texts(tokens):
    """Each text alone, as a row of its own."""
    return [part[None] for row, n in zip(tokens, TEXTS, strict=True) for part in row.split(n)]


@torch.no_grad()
@every_model
def test_packed_texts_have_no_weights_for_one_another(options):
    model, tokens = decoder(**options), some_tokens()
    packed, weights = model(tokens, segments=SEGMENTS, need_weights=True)
    assert_close(packed, model(tokens, segments=SEGMENTS))
    same = SEGMENTS[:, :, None] == SEGMENTS[:, None]
    assert not weights.masked_select(~same[:, None]).any()


@every_model
def test_audit_finds_nothing(options):
    """Later tokens, padding, other texts and a cache change nothing."""
    model, order = decoder(**options), options["positions"] is not None

    def fresh():
        return functools.partial(model, cache=Cache(model, 3))

    report = audit.model(model, V, length=16, order=order, segments=True, cache=fresh)
    assert report.ok and "cache" not in report.not_tried, report
    encoder = decoder(Encoder, **options)
    audit.model(encoder, V, is_causal=False, order=order, valid_lens=True).assert_ok()


@every_model
def test_a_batch_of_nothing_has_logits_of_nothing(options):
    none = some_tokens(0, L)
    assert decoder(**options)(none, segments=none).shape == (0, L, V)
    assert decoder(Encoder, **options)(none, valid_lens=none[:, 0]).shape == (0, L, V)


@every_model
def test_gradients_reach_every_weight(options):
    model = decoder(**options)
    model(some_tokens())[0].square().sum().backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None and parameter.grad.isfinite().all(), name
        assert parameter.grad.abs().sum() > 0, name


@torch.no_grad()
@every_model
def test_the_dtype_is_that_of_the_weights(options):
    model, tokens = decoder(**options), some_tokens()
    exact = copy.deepcopy(model).double()
    assert exact(tokens).dtype == torch.float64
    assert_close(model(tokens), exact(tokens))
    half = copy.deepcopy(model).bfloat16()
    cache = Cache(half, B)
    assert half(tokens, cache=cache).dtype == cache.keys.dtype == torch.bfloat16
    assert (half(tokens).double() - exact(tokens)).abs().mean() < 0.05


@torch.no_grad()
@every_model
def test_a_cache_works_under_autocast(options):
    """It keeps float32; autocast computes queries, keys and values in bfloat16."""
    model, tokens = decoder(**options), some_tokens()
    cache, exact = Cache(model, B), model(tokens)
    with torch.autocast("cpu", torch.bfloat16):
        whole = model(tokens)
        parts = [model(part, cache=cache) for part in tokens.split([5, 1, 5], dim=1)]
        for use_cache in (True, False):
            assert generate(model, tokens, steps=4, use_cache=use_cache).shape == (B, L + 4)
    assert cache.keys.dtype == torch.float32 and whole.dtype == torch.bfloat16
    apart = torch.cat(parts, dim=1).float() - exact
    assert apart.abs().mean() < 1.5 * (whole.float() - exact).abs().mean()


# Weights, dropout, seeds --------------------------------------------------------------------------


@torch.no_grad()
@pytest.mark.parametrize("kind", [Encoder, Decoder])
@pytest.mark.parametrize(("window", "sinks"), [(None, 0), (4, 0), (3, 1), (3, 2), (2, 30)])
def test_weights_are_those_that_were_used(kind, window, sinks):
    """Key j is seen iff it is near, or among the first ones."""
    model, tokens = decoder(kind, num_kv_heads=2, window=window, sinks=sinks), some_tokens()
    logits, weights = model(tokens, need_weights=True)
    assert_close(logits, model(tokens))
    assert weights.shape == (LAYERS, B, H, L, L)
    seen = seen_by(model, L)
    seen = seen.tril() if kind is Decoder else seen
    assert torch.equal(weights > 0, seen.expand_as(weights))
    assert_close(weights.sum(-1), torch.ones(LAYERS, B, H, L))


@torch.no_grad()
def test_cached_weights_are_the_last_rows_of_all():
    model, tokens = decoder(num_kv_heads=2, positions="rotary"), some_tokens()
    _, expected = model(tokens, need_weights=True)
    cache = Cache(model, B)
    model(tokens[:, :6], cache=cache)
    _, weights = model(tokens[:, 6:], cache=cache, need_weights=True)
    assert_close(weights, expected[..., 6:, :])


def test_a_sequence_of_padding_alone_is_harmless():
    model = decoder(Encoder)
    model(some_tokens(), valid_lens=torch.tensor([11, 0, 3])).sum().backward()
    assert all(p.grad is None or p.grad.isfinite().all() for p in model.parameters())


def test_dropout_acts_in_training_only_and_each_has_its_own_mode():
    model, tokens = decoder(dropout=0.5), some_tokens()
    assert torch.equal(model(tokens), model(tokens))
    model.train()
    assert not torch.equal(model(tokens), model(tokens))
    block, x = plain_block(8, 2, dropout=1.0).eval(), torch.randn(1, 3, 8)
    assert not torch.equal(block(x), x)
    block.dropout.train()
    assert torch.equal(block(x), x)


def test_a_seed_is_a_model_and_nothing_global_moves():
    state = torch.get_rng_state()
    make = functools.partial(Decoder, V, E, num_layers=1, num_heads=2)
    first, again, other = (make(seed=seed) for seed in (3, 3, 4))
    assert torch.equal(state, torch.get_rng_state())
    for name, x in first.state_dict().items():
        assert torch.equal(x, again.state_dict()[name])
        if name.endswith("proj.weight") or name == "embedding.weight":
            assert not torch.equal(x, other.state_dict()[name])
    more = make(seed=3, qk_norm=True, gate=True, sink_logit=True).blocks[0].attention
    assert torch.equal(more.q_proj.weight, first.blocks[0].attention.q_proj.weight)
    assert (more.q_norm.weight == 1).all() and not more.sink.any()


def test_the_weights_start_as_promised():
    model = Decoder(1000, 96, num_layers=2, num_heads=4, max_len=300, init_std=0.05)
    assert model.embedding.weight.std().item() == pytest.approx(0.05, rel=0.05)
    assert model.position.weight.std().item() == pytest.approx(0.05, rel=0.05)
    for mlp in (model.blocks[0].mlp, MLP(96)):
        assert mlp[0].weight.shape == (4 * 96, 96)
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


def test_the_page_s_reader_refuses_what_it_cannot_compute():
    for options in (dict(qk_norm=True), dict(gate=True), dict(sink_logit=True), KINDS["latent"]):
        with pytest.raises(ValueError, match=r"^model must be made of Decoder's own parts, "):
            pack(decoder(positions=None, **options))
    with pytest.raises(ValueError, match="model must have sinks=0, got 2"):
        pack(decoder(window=3, sinks=2))


# The cache ----------------------------------------------------------------------------------------


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
@pytest.mark.parametrize("options", WINDOWS.values(), ids=WINDOWS)
def test_an_error_leaves_the_cache_as_it_was(options):
    model, tokens = decoder(**options), some_tokens()
    cache = Cache(model, B)
    model(tokens[:, :4], cache=cache)
    broken = model.blocks[1].mlp.register_forward_pre_hook(lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        model(tokens[:, 4:], cache=cache)
    broken.remove()
    assert_close(model(tokens[:, 4:], cache=cache), model(tokens)[:, 4:])


@pytest.mark.parametrize("learns", ["", "k_proj", "v_proj"])
def test_a_cache_would_lose_gradients(learns):
    """Of all parameters, of the keys alone, of the values alone."""
    model, tokens = decoder(num_layers=1), some_tokens(1, L)
    for name, parameter in model.named_parameters():
        parameter.requires_grad_(learns in name)
    with pytest.raises(ValueError, match=r"torch.no_grad\(\)"):
        model(tokens, cache=Cache(model))
    model.requires_grad_(False)(tokens, cache=Cache(model))


@torch.no_grad()
@pytest.mark.parametrize(("window", "sinks"), [(3, 0), (3, 2), (1, 1), (4, 20)])
def test_the_cache_keeps_just_what_the_last_word_sees(window, sinks):
    """Past max_len; positions go on, so only a learned table ends."""
    model, ids = decoder(window=window, sinks=sinks, positions="rotary"), some_tokens(B, 30)
    cache, wanted = Cache(model, B), model(ids)
    assert cache.keys.shape[3] == window + sinks
    assert cache.keys.nbytes + cache.values.nbytes == B * (window + sinks) * cache.bytes_per_token
    model(ids[:, :7], cache=cache)
    storage = cache.keys.data_ptr()
    for t in range(7, 30):
        assert_close(model(ids[:, t : t + 1], cache=cache), wanted[:, t : t + 1])
        seen = {j for j in range(t + 1) if j < sinks or t - window < j}
        for row in cache.columns.tolist():
            kept = [j for j in row if j >= 0]
            assert len(kept) == len(set(kept)) and set(kept) == seen
    assert cache.keys.data_ptr() == storage and not cache._kept
    for learned in (decoder(window=3), decoder(window=3, positions="rotary")):
        with pytest.raises(ValueError, match="it can hold 8 and holds 0, got 30 more"):
            learned(ids, cache=Cache(learned, B, max_len=8))


@torch.no_grad()
def test_the_angles_of_a_pass_are_made_once(monkeypatch):
    made, module = [], sys.modules["d2lattn.positions"]
    angles = module._angles
    monkeypatch.setattr(module, "_angles", lambda *given: made.append(given) or angles(*given))
    decoder(positions="rotary", num_layers=3)(some_tokens())
    assert len(made) == 1


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
@pytest.mark.parametrize(
    ("kind", "numbers"), [("plain", 2 * E), ("grouped", E), ("all", E // 2), ("latent", 5 + 4)]
)
def test_bytes_per_token_is_what_is_stored(kind, numbers, dtype):
    cache = Cache(decoder(**KINDS[kind], positions="rotary").to(dtype), 5, max_len=7)
    assert cache.bytes_per_token == LAYERS * numbers * dtype.itemsize
    stored = sum(x.untyped_storage().nbytes() for x in (cache.keys, cache.values))
    assert stored == 5 * 7 * cache.bytes_per_token


def of_its_own(**hides):
    """A class of layers that hide keys in any model."""
    forward = functools.partialmethod(MultiHeadAttention.forward, **hides)
    return type("OfItsOwn", (MultiHeadAttention,), dict(forward=forward))


@torch.no_grad()
@pytest.mark.parametrize("window", [None, 3])
def test_a_layer_with_causality_of_its_own_reads_a_cache(window):
    model = decoder(window=window, attention=of_its_own(is_causal=True))
    tokens, cache = some_tokens(), Cache(model, B)
    got = torch.cat([model(part, cache=cache) for part in tokens.split(4, dim=1)], dim=1)
    assert_close(got, model(tokens))


@torch.no_grad()
@pytest.mark.parametrize("hides", [dict(attn_mask=torch.ones(1, 1).bool()), dict(valid_lens=[1])])
def test_a_mask_of_a_layer_is_refused_where_a_cache_keeps_no_order(hides):
    model = decoder(window=3, attention=of_its_own(**hides))
    with pytest.raises(ValueError, match="leave them out where a cache"):
        model(some_tokens(1, L), cache=Cache(model))


def test_a_layer_on_another_device_has_masks_of_its_own():
    model = decoder(window=3, positions="alibi")
    nn.ModuleList([model.blocks[1], model.norm, model.to_logits]).to("meta")
    model.blocks[1].register_forward_pre_hook(lambda block, given: given[0].to("meta"))
    assert model(some_tokens()).device.type == "meta"


def test_a_table_that_is_given_stays_and_ends_a_cache():
    """Its rows may have been trained elsewhere; a cache holds no more tokens than it has rows."""
    table = LearnedPositionalEncoding(6, 8)
    torch.nn.init.ones_(table.weight)
    model = Decoder(10, 8, num_layers=1, num_heads=2, positions=table)
    assert (model.position.weight == 1).all() and Cache(model).max_len == 6
