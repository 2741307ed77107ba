"""Several texts in one row of tokens, beside tests/test_transformer.py: gradients and blocks."""

import functools

import pytest
import torch
import torch.nn.functional as F
from draws import assert_close
from test_transformer import (
    SEGMENTS,
    TEXTS,
    B,
    L,
    V,
    decoder,
    every_model,
    some_tokens,
    texts,
)

from d2lattn import attention
from d2lattn.engines.chunked import chunked_attention
from d2lattn.engines.fused import fused_attention
from d2lattn.engines.visibility import Call, Visibility, checked_visibility


@every_model
def test_packed_training_has_the_gradients_of_separate_training(options):
    model, tokens = decoder(**options).double(), some_tokens()
    targets = tokens.roll(-1, 1)
    ends = torch.tensor([n for row in TEXTS for n in row]).cumsum(0) - 1
    targets = targets.flatten().index_fill(0, ends, -100)  # a text's last token has no target
    F.cross_entropy(model(tokens, segments=SEGMENTS).flatten(0, 1), targets).backward()
    packed = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    asked = sum(text.shape[1] - 1 for text in texts(tokens))
    for text in texts(tokens):
        logits = model(text)[0, :-1]
        (F.cross_entropy(logits, text[0, 1:], reduction="sum") / asked).backward()
    for mine, wanted in zip(packed, (p.grad for p in model.parameters()), strict=True):
        assert_close(mine, wanted, within=1e-12)


def test_a_row_may_be_longer_than_a_learned_table_and_a_text_may_not():
    parts = torch.tensor([[0] * 4 + [1] * 7]).expand(B, L)
    assert decoder(max_len=7)(some_tokens(), segments=parts).shape == (B, L, V)
    with pytest.raises(IndexError, match="index 6 is out of bounds"):
        decoder(max_len=6)(some_tokens(), segments=parts)


def test_no_mask_of_a_long_row_is_built(monkeypatch):
    """Of 4,096 tokens in texts of 256 each call sees 512 queries and the keys that these reach."""
    model, seen = decoder(positions="rotary", num_layers=1), []
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
    assert_close(chunked_attention(call, size), wanted, within=1e-6)
    assert_close(fused_attention(call), wanted, within=1e-6)
    assert not visible.hides_all() and visible.part(slice(0, 5), slice(9, 10)).hides_all()
    narrow = dict(is_causal=True, query_offset=4, starts=torch.tensor([[4, 5]]))
    past = checked_visibility((1, 1, 2, 6), q.device, **narrow).part(slice(0, 2), slice(0, 5))
    assert past.unseen_queries(past.allowed()).flatten().tolist() == [False, True]
