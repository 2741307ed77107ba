"""Masks against their definition, element by element, and every input that they refuse."""

import re

import pytest
import torch
from draws import assert_close
from hypothesis import given
from hypothesis import strategies as st

from d2lattn import (
    LatentAttention,
    MultiHeadAttention,
    SelfAttention,
    attention,
    causal_mask,
    length_mask,
    masked_softmax,
    window_mask,
)

SIZES = st.integers(1, 9)


@given(lens=st.lists(st.integers(0, 7), min_size=1, max_size=4))
def test_length_mask_with_one_length_per_sequence_and_per_query(lens):
    mask = length_mask(torch.tensor(lens), 7)
    assert mask.dtype == torch.bool
    assert mask.tolist() == [[[j < n for j in range(7)]] for n in lens]
    rows = torch.tensor(lens)[:, None].repeat(1, 5).clamp(max=torch.arange(3, 8))
    assert length_mask(rows, 7).tolist() == [
        [[j < n for j in range(7)] for n in row] for row in rows.tolist()
    ]


@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64])
@torch.no_grad()
def test_lengths_may_be_of_every_integer_type_beyond_its_range(dtype):
    lengths, x, layer = torch.tensor([100], dtype=dtype), torch.randn(1, 300, 6), LAYERS[1]
    assert length_mask(lengths, 300).sum() == 100
    for is_causal in (False, True):
        want = layer(x, valid_lens=[100], is_causal=is_causal)
        assert torch.equal(layer(x, valid_lens=lengths, is_causal=is_causal), want)


@given(L=SIZES, S=SIZES)
def test_causal_mask_in_both_alignments(L, S):
    top = causal_mask(L, S, align="top-left")
    bottom = causal_mask(L, S, align="bottom-right")
    assert top.dtype == bottom.dtype == torch.bool
    assert top.tolist() == [[j <= i for j in range(S)] for i in range(L)]
    assert bottom.tolist() == [[j <= i + S - L for j in range(S)] for i in range(L)]
    assert bottom[-1].all()  # the last query sees every key
    assert torch.equal(top, bottom) == (L == S)


@given(L=SIZES, S=SIZES, width=st.integers(1, 10))
def test_window_mask(L, S, width):
    mask = window_mask(L, S, width=width)
    assert mask.dtype == torch.bool
    assert mask.tolist() == [[abs(i - j) < width for j in range(S)] for i in range(L)]


def test_a_window_builds_no_table_of_distances():
    """Eight bytes a cell: at 8,192 tokens half a GiB, where the mask itself is 64 MiB."""
    with torch.profiler.profile(profile_memory=True, record_shapes=False) as seen:
        window_mask(1000, width=3)
    assert max(event.self_cpu_memory_usage for event in seen.events()) <= 1000**2


def test_masks_are_made_on_the_device_that_is_asked_for():
    assert causal_mask(3, device="meta").device.type == "meta"
    assert window_mask(3, width=2, device="meta").device.type == "meta"


LAYERS = SelfAttention(6), MultiHeadAttention(6, 2), LatentAttention(6, 2, latent_dim=3)
TAKE_A_MASK = [
    lambda x, attn_mask: attention(x, x, x, attn_mask=attn_mask),
    lambda x, attn_mask: attention(*[x[:, None]] * 3, attn_mask=attn_mask),  # heads
    lambda x, attn_mask: masked_softmax(x @ x.mT, attn_mask),
    *LAYERS,
]


@torch.no_grad()
@pytest.mark.parametrize("call", TAKE_A_MASK)
@pytest.mark.parametrize("batch", [2, 5])  # of 5 tokens each
def test_who_follows_the_message_for_a_mask_of_0_and_1_has_the_right_mask(call, batch):
    """torch.tril(torch.ones(L, L)), and the attention_mask (B, S) of transformers."""
    x, lengths = torch.randn(batch, 5, 6), torch.arange(batch) % 5 + 1
    padding, causal = length_mask(lengths, 5)[:, 0], causal_mask(5)
    alone = [call(x[b : b + 1], attn_mask=padding[b : b + 1]) for b in range(batch)]
    wanted = {
        0: (causal.float(), call(x, attn_mask=causal)),
        -1: (padding.long(), torch.cat(alone)),
    }
    for place, (mask, output) in wanted.items():
        with pytest.raises(ValueError, match="True = may attend") as error:
            call(x, attn_mask=mask)
        advice = re.findall(r"mask\.bool\(\)(?:\[.*?\])?", str(error.value))
        assert_close(call(x, attn_mask=eval(advice[place], dict(mask=mask))), output, 1e-6)
