"""Several texts in one row of tokens: `Decoder.forward(tokens, segments=…)`."""

import functools
import random

import pytest
import torch
import torch.nn.functional as F
from torch.testing import assert_close

from d2lattn import Block, Cache, Decoder, GatedMLP, LatentAttention, MultiHeadAttention, attention
from d2lattn.engines.chunked import chunked_attention
from d2lattn.engines.fused import fused_attention
from d2lattn.engines.visibility import Call, Visibility, checked_visibility

V, LENGTHS = 23, [[5, 1, 7, 3], [2, 11, 2, 1]]  # two rows of 16 tokens
SEGMENTS = torch.tensor([[0] * 5 + [4] + [2] * 7 + [9] * 3, [1] * 2 + [0] * 11 + [7] * 2 + [-1]])
METHODS = [None, "learned", "sinusoidal", "rotary", "alibi"]
tight = functools.partial(assert_close, rtol=0, atol=1e-6)


def decoder(positions="learned", **options):
    given = dict(num_layers=2, num_heads=4, num_kv_heads=2, positions=positions) | options
    return Decoder(V, 24, **given)


def some_tokens(seed=0):
    return torch.randint(V, (2, 16), generator=torch.Generator().manual_seed(seed))


def texts(tokens):
    """Each text alone, as a row of its own."""
    return [part[None] for row, n in zip(tokens, LENGTHS, strict=True) for part in row.split(n)]


def latent_blocks(rope_dim):
    return lambda: Block(LatentAttention(24, 4, latent_dim=6, rope_dim=rope_dim), GatedMLP(24, 32))


def one_engine(name):
    return lambda: Block(MultiHeadAttention(24, 4, engine=name), GatedMLP(24, 32))


@pytest.mark.parametrize("positions", METHODS)
@pytest.mark.parametrize("options", [{}, dict(window=3), dict(window=3, sinks=2)])
def test_packed_texts_read_as_if_each_were_alone(positions, options):
    model, tokens = decoder(positions, **options), some_tokens()
    with torch.no_grad():
        packed = model(tokens, segments=SEGMENTS)
        alone = torch.cat([model(text) for text in texts(tokens)], 1)
    tight(packed.reshape(1, -1, V), alone)
    assert not torch.allclose(packed, model(tokens), atol=1e-3)  # without, they see each other


@pytest.mark.parametrize("engine", ["fused", "chunked", "explicit"])
def test_all_engines_keep_texts_apart(engine):
    model = Decoder(V, 24, num_layers=2, positions="rotary", block=one_engine(engine))
    alone = torch.cat([model(text) for text in texts(some_tokens())], 1)
    tight(model(some_tokens(), segments=SEGMENTS).reshape(1, -1, V), alone)


@pytest.mark.parametrize(("rope_dim", "positions"), [(0, "learned"), (2, "rotary")])
def test_latents_keep_texts_apart(rope_dim, positions):
    model = Decoder(V, 24, num_layers=2, positions=positions, block=latent_blocks(rope_dim))
    model.double()
    alone = torch.cat([model(text) for text in texts(some_tokens())], 1)
    tight(model(some_tokens(), segments=SEGMENTS).reshape(1, -1, V), alone)


@pytest.mark.parametrize("positions", METHODS)
@pytest.mark.parametrize("window", [None, 3])
def test_packed_training_has_the_gradients_of_separate_training(positions, window):
    model, tokens = decoder(positions, window=window), some_tokens()
    targets = tokens.roll(-1, 1)
    ends = torch.tensor([n for row in LENGTHS for n in row]).cumsum(0) - 1
    targets = targets.flatten().index_fill(0, ends, -100)  # a text's last token has no target
    F.cross_entropy(model(tokens, segments=SEGMENTS).flatten(0, 1), targets).backward()
    packed = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    asked = sum(text.shape[1] - 1 for text in texts(tokens))
    for text in texts(tokens):
        logits = model(text)[0, :-1]
        (F.cross_entropy(logits, text[0, 1:], reduction="sum") / asked).backward()
    for mine, wanted in zip(packed, (p.grad for p in model.parameters()), strict=True):
        tight(mine, wanted)


def test_weights_of_packed_texts_stay_inside_each():
    _, weights = decoder()(some_tokens(), segments=SEGMENTS, need_weights=True)
    same = SEGMENTS[:, :, None] == SEGMENTS[:, None]
    assert not weights.masked_select(~same[:, None]).any()
    assert_close(weights.sum(-1), torch.ones(weights.shape[:-1]))


def test_a_row_may_be_longer_than_a_learned_table_and_a_text_may_not():
    model = decoder(max_len=11)
    assert model(some_tokens(), segments=SEGMENTS).shape == (2, 16, V)
    with pytest.raises(IndexError, match="index 10 is out of bounds"):
        decoder(max_len=10)(some_tokens(), segments=SEGMENTS)


def test_a_number_that_comes_back_is_refused():
    with pytest.raises(ValueError, match=r"^segments must be equal numbers side by side, got one"):
        decoder()(some_tokens(), segments=SEGMENTS.where(SEGMENTS != 9, 0))


def test_no_mask_of_a_long_row_is_built(monkeypatch):
    """Of 4,096 tokens in texts of 256 each call sees 512 queries and the keys that these reach."""
    model, seen = decoder("rotary", num_layers=1), []
    allowed = Visibility.allowed
    monkeypatch.setattr(Visibility, "allowed", lambda self: seen.append(allowed(self)) or seen[-1])
    tokens = torch.zeros(1, 4096, dtype=torch.int64)
    with torch.no_grad():
        model(tokens, segments=torch.arange(4096)[None] // 256)
    assert {mask.numel() for mask in seen} == {512 * 512}


@pytest.mark.parametrize("size", [1, 3, 16, None])
@pytest.mark.parametrize("offset", [0, 4])
@pytest.mark.parametrize("window", [None, 5])
def test_starts_of_single_words_in_blocks(size, offset, window, monkeypatch):
    """Block by block, place by place of the leading axes: what the formula gives."""
    monkeypatch.setattr("d2lattn.engines.chunked.SCORES", 9)
    monkeypatch.setattr("d2lattn.engines.chunked.LEAST", 2)
    draw = functools.partial(torch.randn, generator=torch.Generator().manual_seed(1))
    q, k, v = draw(2, 3, 11, 4), draw(2, 3, 11 + offset, 4), draw(2, 3, 11 + offset, 4)
    at, keys = offset + torch.arange(11)[:, None], torch.arange(11 + offset)
    before = torch.randint(9, (2, 11), generator=torch.Generator().manual_seed(2))
    starts = (at.T - before).clamp(min=0)
    seen = dict(is_causal=True, query_offset=offset, window=window, starts=starts)
    visible = checked_visibility((2, 3, 11, 11 + offset), q.device, **seen)
    call = Call(q, k, v, visible, 0.5)
    mask = (keys <= at) & (keys > at - (window or 99)) & (keys >= starts[:, None, :, None])
    wanted = attention(q, k, v, attn_mask=mask, scale=0.5, engine="explicit")
    tight(chunked_attention(call, size), wanted)
    tight(fused_attention(call), wanted)
    assert not visible.hides_all() and visible.part(slice(0, 5), slice(9, 10)).hides_all()
    narrow = dict(is_causal=True, query_offset=4, starts=torch.tensor([[4, 5]]))
    past = checked_visibility((1, 1, 2, 6), q.device, **narrow).part(slice(0, 2), slice(0, 5))
    assert past.unseen_queries(past.allowed()).flatten().tolist() == [False, True]


@torch.no_grad()
@pytest.mark.parametrize("seed", range(40))
def test_a_cropped_cache_reads_on_as_if_the_words_had_never_come(seed):
    """With windows, sinks and shared keys: right, or refused once some were let go."""
    draw = random.Random(seed)
    window = draw.choice([None, 2, 3, 5])
    sinks = 0 if window is None else draw.choice([0, 1, 2])
    kept = dict(window=window, sinks=sinks, num_kv_heads=draw.choice([1, 2, 4]))
    model = decoder(draw.choice(METHODS), **kept)
    tokens, more, length = some_tokens(seed), some_tokens(seed + 99)[:, :4], draw.randint(1, 9)
    cache, crop = Cache(model, 2), draw.randint(0, length)
    model(tokens[:, :length], cache=cache)
    if window is not None and length > sinks + window and 0 < crop < length:
        with pytest.raises(ValueError, match=f"^length must be 0 or stay {length}, .* got {crop}"):
            cache.crop(crop)
        crop = length
    cache.crop(crop)
    assert cache.length == crop
    with pytest.raises(ValueError, match=f"^length must be an integer of at most {crop}, "):
        cache.crop(crop + 1)
    whole = torch.cat([tokens[:, :crop], more], 1)
    wanted = model(whole)[:, crop:]
    tight(model(more, cache=cache), wanted, atol=5e-6)
