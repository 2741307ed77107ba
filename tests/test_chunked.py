"""The engine in blocks at every length and chunk size, and the rule that joins partial results."""

import math

import draws
import oracles
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from oracles import noise, results

from d2lattn import attention, merge, partial_attention
from d2lattn.engines.chunked import attend_in_blocks
from d2lattn.engines.visibility import checked_call

INFINITY = math.inf


def make(L, S, *lead, seed=0):
    return oracles.make(*lead, L=L, S=S, E=3, EV=2, seed=seed)


def holes(*shape, seed=9):
    """A random mask with a row of False in it, and in a longer one a stretch of them."""
    mask = noise(*shape, seed=seed) < 0.4
    mask[..., shape[-2] // 2, :] = False
    mask[..., -shape[-2] // 4 :, :] = False
    return mask


def assert_close(have, want):
    for a, b in zip(have, want, strict=True):
        draws.assert_close(a, b, within=1e-10)


# Every length and every chunk size ----------------------------------------------------------------

KINDS = {
    "nothing": lambda n: {},
    "causal": lambda n: dict(is_causal=True),
    "mask": lambda n: dict(attn_mask=holes(n, n)),
    "mask of one row": lambda n: dict(attn_mask=noise(1, n, seed=4) < 0.5),
    "bias": lambda n: dict(attn_bias=noise(n, n, seed=5)),
    "bias with -inf, mask, causal": lambda n: dict(
        attn_bias=noise(n, n, seed=5).masked_fill(noise(n, n, seed=6) > 1, -INFINITY),
        attn_mask=holes(n, n),
        is_causal=True,
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_length_and_every_chunk_size_forward_and_backward(kind):
    """All lengths from 1 to 20, all chunk sizes from 1 to n + 1, against the explicit formula.

    Beyond a length of 12 each pair of a length and a chunk size is given to one of the six kinds.
    """
    turn = list(KINDS).index(kind)
    for n in range(1, 21):
        tensors, options = make(n, n, seed=n), KINDS[kind](n)
        bias = [options.pop("attn_bias")] if "attn_bias" in options else []

        def call(query, key, value, *bias, options=options, **engine):
            bias = dict(attn_bias=bias[0]) if bias else {}
            return attention(query, key, value, **bias, **options, **engine)

        want = results(lambda *t, call=call: call(*t, engine="explicit"), *tensors, *bias)
        for chunk in range(1, n + 2):
            if n > 12 and (n + chunk) % len(KINDS) != turn:
                continue
            function = lambda *t, call=call, c=chunk: call(*t, engine="chunked", chunk_size=c)  # noqa: E731
            assert_close(results(function, *tensors, *bias), want)


# Partial attention and its merging ----------------------------------------------------------------


def in_parts(query, key, value, sets, mask=None, bias=None, order=None):
    """Attention over each set of keys by itself, merged in the given order."""
    parts = []
    for keys in sets:
        cut = dict(
            attn_mask=None if mask is None else mask[..., keys],
            attn_bias=None if bias is None else bias[..., keys],
        )
        parts.append(partial_attention(query, key[..., keys, :], value[..., keys, :], **cut))
    parts = parts if order is None else [parts[p] for p in order]
    return merge(*zip(*parts, strict=True))


@given(st.data())
def test_any_split_merged_in_any_order_is_the_whole(data):
    """Keys are dealt out at random, some parts stay empty; gradients flow through both results."""
    S = data.draw(st.integers(1, 9))
    dealt = data.draw(st.lists(st.integers(0, 3), min_size=S, max_size=S))
    order = data.draw(st.permutations(range(4)))
    tensors = make(5, S, 2, seed=S)
    mask = holes(5, S) if data.draw(st.booleans()) else None
    bias = noise(2, 5, S, seed=3) if data.draw(st.booleans()) else None
    sets = [[j for j in range(S) if dealt[j] == p] for p in range(4)]
    have = results(lambda *t: in_parts(*t, sets, mask, bias, order), *tensors)
    options = dict(attn_mask=mask, attn_bias=bias)
    assert_close(have, results(lambda *t: partial_attention(*t, **options), *tensors))
    assert_close(have[:1], [attention(*tensors, engine="explicit", **options)])
    scores = tensors[0] @ tensors[1].mT / math.sqrt(3)
    scores = scores if bias is None else scores + bias
    scores = scores if mask is None else scores.masked_fill(~mask, -INFINITY)
    assert_close(have[1:2], [scores.logsumexp(-1)])


def in_blocks(query, key, value, size):
    return attend_in_blocks(checked_call(query, key, value, None, None, False, None, None), size)


def test_partial_attention_passes_gradcheck_through_both_results():
    tensors = [x.requires_grad_() for x in make(4, 6)]
    assert torch.autograd.gradcheck(lambda *t: in_blocks(*t, 2), tensors)
    sets = [[0, 3], [], [1, 2, 4, 5]]
    assert torch.autograd.gradcheck(lambda *t: in_parts(*t, sets), tensors)


@pytest.mark.parametrize("parts", [1, 2, 5])
def test_queries_that_no_part_gives_a_key_get_0_and_finite_results(parts):
    tensors = make(5, 6, 2)
    mask = holes(5, 6)
    empty = ~mask.any(-1)
    sets = [list(range(6))[p::parts] for p in range(parts)]
    output, logsumexp, *found = results(lambda *t: in_parts(*t, sets, mask), *tensors)
    assert (output[:, empty] == 0).all()
    assert (logsumexp[:, empty] == -INFINITY).all()
    assert logsumexp[:, ~empty].isfinite().all()
    assert all(x.isfinite().all() for x in found)
    assert (found[0][:, empty] == 0).all()
    nothing = results(lambda *t: in_parts(*t, [[], []]), *tensors)
    assert (nothing[1] == -INFINITY).all()
    assert all((x == 0).all() for x in (nothing[0], *nothing[2:]))


def test_large_scores_neither_overflow_nor_vanish():
    query, key, value = make(3, 8)
    for factor in (1e4, -1e4):
        output, logsumexp = in_parts(query * factor, key, value, [[0, 1, 2], [3, 4], [5, 6, 7]])
        assert_close([output], [attention(query * factor, key, value, engine="explicit")])
        assert logsumexp.isfinite().all()


def test_merge_keeps_the_dtype_of_the_outputs():
    output, logsumexp = torch.ones(2, 3, dtype=torch.bfloat16), torch.zeros(2)
    merged = merge([output, output], [logsumexp, logsumexp])
    assert [x.dtype for x in merged] == [torch.bfloat16, torch.float32]
    parts = [x.to(torch.bfloat16) for x in make(3, 4)]
    assert [x.dtype for x in partial_attention(*parts)] == [torch.bfloat16, torch.float32]


def test_merge_changes_none_of_its_inputs():
    outputs, logsumexps = list(noise(3, 4, 2)), list(noise(3, 4))
    before = [x.clone() for x in (*outputs, *logsumexps)]
    for x in merge(outputs, logsumexps):
        x.zero_()
    assert all(map(torch.equal, (*outputs, *logsumexps), before))
