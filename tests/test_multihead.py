"""SelfAttention and MultiHeadAttention: against a float64 loop over heads, masks and lengths."""

import pytest
import torch
from draws import assert_close, worst
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import (
    CASES,
    ENGINES,
    OF_LAYERS,
    B,
    H,
    L,
    S,
    holes,
    layer_loop,
    noise,
    options_for,
    with_gradients,
)

from d2lattn import MultiHeadAttention, attention_weights, causal_mask
from d2lattn.engines import chunked, fused
from d2lattn.multihead import Context

E = 12


def module(*, embed_dim=E, heads=H, seed=0, dtype=torch.float64, **options):
    """A module with widths 12 (model), 10 (query), 9 (key) and 8 (value), none like another."""
    widths = dict(qdim=10, kdim=9, vdim=8)
    made = MultiHeadAttention(embed_dim, heads, **{**widths, **options}).to(dtype)
    for i, parameter in enumerate(made.parameters()):
        parameter.data = noise(*parameter.shape, seed=seed + 50 + i, dtype=dtype) / 3
    return made


def inputs(L=L, S=S, dtype=torch.float64):
    return [noise(B, *size, seed=7, dtype=dtype) for size in ((L, 10), (S, 9), (S, 8))]


KINDS = {
    "plain": dict(bias=True),
    "shared keys": dict(num_kv_heads=1),
    "head_dim": dict(num_kv_heads=1, head_dim=5),
    "qk_norm": dict(qk_norm=True),
    "gate": dict(gate=True),
    "sink_logit": dict(sink_logit=True),
    "all": dict(qk_norm=True, gate=True, sink_logit=True, num_kv_heads=1, bias=True),
}


def seen(options):
    """What `forward` is given of a case: what it has no name for is said by a context."""
    near = {"attn_bias", "query_offset", "window"}
    return dict(context=Context(**options)) if near & options.keys() else options


ROWS = [(case, kind) for case in CASES | OF_LAYERS for kind in ("plain", "all")]
ROWS += [(case, kind) for case in ("everything", "length 0") for kind in KINDS]


# Numbers ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("case", "kind"), dict.fromkeys(ROWS))
def test_every_engine_is_the_loop_in_numbers_and_gradients(monkeypatch, case, kind):
    sizes, options = options_for(case)
    mha = module(**KINDS[kind])
    leaves = [x.requires_grad_() for x in (*inputs(**sizes), *mha.parameters())]
    leaves += [options["attn_bias"].requires_grad_()] if "attn_bias" in options else []
    output, expected = layer_loop(mha, *leaves[:3], options)
    wanted = with_gradients(output, leaves)
    for mha.engine, scores in [(engine, 2**18) for engine in ENGINES] + [("chunked", 4)]:
        monkeypatch.setattr(chunked, "SCORES", scores)  # so few that there are several blocks
        monkeypatch.setattr(chunked, "LEAST", 2)
        assert worst(with_gradients(mha(*leaves[:3], **seen(options)), leaves), wanted) < 1e-11
        got, weights = mha(*leaves[:3], **seen(options), need_weights=True)
        assert worst([got, weights], [output, expected]) < 1e-12


def test_key_and_value_default_to_what_stands_before():
    mha = module(qdim=E, kdim=E, vdim=E)
    x, y = noise(B, L, E), noise(B, S, E, seed=1)
    assert torch.equal(mha(x), mha(x, x, x))
    assert torch.equal(mha(x, y), mha(x, y, y))


@settings(max_examples=15)
@given(lengths=st.lists(st.integers(0, 300), min_size=B, max_size=B), causal=st.booleans())
def test_a_length_is_that_of_each_query(lengths, causal):
    mha, x = module(qdim=E, kdim=E, vdim=E), noise(B, 300, E)
    masked = mha(x, valid_lens=torch.tensor(lengths)[:, None].expand(B, 300), is_causal=causal)
    cut = mha(x, valid_lens=torch.tensor(lengths), is_causal=causal)
    assert_close(cut, masked, within=1e-12)


@pytest.mark.parametrize("offset", [0, 1, 250])
def test_padding_goes_with_an_offset(offset):
    """Queries that stand among the keys of before see up to their own place and their length."""
    mha, x, lengths = module(qdim=E, kdim=E, vdim=E), noise(B, 300, E), torch.tensor([280, 40])
    query, past = x[:, offset:], torch.ones(300, 300, dtype=torch.bool).tril()[offset:]
    mask = past & (torch.arange(300) < lengths[:, None, None])
    options = dict(is_causal=True, query_offset=offset)
    both = mha(query, x, valid_lens=lengths, context=Context(**options))
    assert_close(both, mha(query, x, attn_mask=mask), 1e-12)


def test_a_layer_may_hide_more_than_its_model():
    """As a block of one's own does in an encoder; where the model is causal already, it is once."""
    mha, x = module(qdim=E, kdim=E, vdim=E), noise(B, L, E)
    for model in (dict(attn_bias=torch.zeros(L, L)), dict(is_causal=True), {}):
        context = Context(**model)
        assert_close(mha(x, is_causal=True, context=context), mha(x, is_causal=True), 1e-12)


@pytest.mark.parametrize("num_kv_heads", [None, 1])
@pytest.mark.parametrize("queries", [0, L])
def test_an_empty_batch_and_no_query_give_an_empty_output(queries, num_kv_heads):
    mha, given = module(num_kv_heads=num_kv_heads), inputs(queries)
    assert mha(*given).shape == (B, queries, E)
    given, lengths = [x[:0] for x in given], torch.zeros(0, queries, dtype=torch.int64)
    for valid_lens in (lengths, torch.zeros(0, dtype=torch.int64)):
        output, weights = mha(*given, valid_lens=valid_lens, need_weights=True)
        assert (output.shape, weights.shape) == ((0, queries, E), (0, H, queries, S))
        assert mha(*given, valid_lens=valid_lens).shape == (0, queries, E)
    context = Context(is_causal=True, query_offset=0, window=1)
    assert mha(*given, context=context).shape == (0, queries, E)


# Weights and dropout ------------------------------------------------------------------------------


def test_weights_are_per_head_attached_and_before_dropout():
    mha = module(dropout=0.5).train()
    query, key, value = inputs()
    _, weights = mha(query, key, value, need_weights=True)
    torch.testing.assert_close(weights.sum(-1), torch.ones(B, H, L).double())
    Q, K = mha.q_proj(query), mha.k_proj(key)
    heads = [x.unflatten(-1, (H, -1)).transpose(1, 2) for x in (Q, K)]
    torch.testing.assert_close(weights, attention_weights(*heads))
    weights.square().sum().backward()
    assert mha.q_proj.weight.grad.abs().sum() > 0
    assert mha.v_proj.weight.grad is None


@pytest.mark.parametrize("need_weights", [False, True])
@torch.no_grad()
@pytest.mark.parametrize("engine", ENGINES)
def test_dropout_acts_in_training_only(engine, need_weights):
    mha = module(dropout=0.5, engine=engine)
    plain = module(engine=engine)

    def output(module):
        result = module(*inputs(), need_weights=need_weights)
        return result[0] if need_weights else result

    torch.testing.assert_close(output(mha.eval()), output(plain))
    mha.train()
    assert not torch.allclose(output(mha), output(mha))


# Grouped queries, and the parts of forward --------------------------------------------------------


@pytest.mark.parametrize("options", [{}, dict(is_causal=True), dict(attn_mask=holes(B, 4, S, S))])
def test_pairs_of_heads_share_keys(options):
    """Heads 0 and 1 the first ones, heads 2 and 3 the others."""
    mha, x = module(embed_dim=8, heads=4, num_kv_heads=2, qdim=8, kdim=8, vdim=8), noise(B, S, 8)
    expected = layer_loop(mha, x, x, x, options)
    for mha.engine in ENGINES:
        assert worst(mha(x, **options, need_weights=True), expected) < 1e-12
        assert worst([mha(x, **options)], expected[:1]) < 1e-12


@pytest.mark.parametrize("need_weights", [False, True])
def test_forward_is_project_attend_join(need_weights):
    mha, arguments = module(bias=True), inputs()
    query, key, value = mha.project(*arguments)
    assert query.shape == (B, H, L, E // H)
    assert key.shape == value.shape == (B, H, S, E // H)
    given = dict(attn_mask=holes(B, L, S), valid_lens=[3, 6], need_weights=need_weights)
    heads, weights = mha.attend(query, key, value, **given)
    wanted = mha(*arguments, **given)
    assert (weights is not None) == need_weights
    if need_weights:
        assert_close(weights, wanted[1], within=1e-13)
        wanted = wanted[0]
    assert_close(mha.join(heads), wanted, within=1e-13)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("case", ["no mask", "valid_lens", "mask (B, L, S)"])
@pytest.mark.parametrize(
    ("width", "offset"), [(1, S - L), (3, S - L), (600, S - L), (1, S - L + 1), (2, S + 3)]
)
def test_a_window_is_its_mask(case, engine, width, offset, monkeypatch):
    """Also of queries that stand among the keys of before or past them, where the windows of some
    end just before or far past the last key; over more rows than share a call."""
    monkeypatch.setattr(fused, "ROWS", 4)
    mha, arguments = module(engine=engine, bias=True), inputs(L, S)
    distance = torch.arange(L)[:, None] + offset - torch.arange(S)
    mask = (distance >= 0) & (distance < width)
    near = dict(is_causal=True, query_offset=offset, window=width)
    _, options = options_for(case)
    got = mha(*arguments, **seen(near | options))
    options["attn_mask"] = mask & options.get("attn_mask", torch.tensor(True))
    assert_close(got, mha(*arguments, **options), within=1e-12)
    x = [x.requires_grad_() for x in arguments]
    ways = seen(near), dict(attn_mask=mask)
    both = [torch.autograd.grad(mha(*x, **way).sin().sum(), x) for way in ways]
    for have, want in zip(*both, strict=True):
        assert_close(have, want, within=1e-12)


# Shapes of masks: which axis is which -------------------------------------------------------------


def test_a_mask_of_two_axes_is_queries_by_keys_also_when_the_batch_is_as_long():
    mha, x = MultiHeadAttention(E, H).double(), noise(L, L, E)  # B = L
    mask = causal_mask(L)
    torch.testing.assert_close(mha(x, attn_mask=mask), mha(x, is_causal=True))
    by_batch = mha(x, attn_mask=mask[:, None])  # (B, 1, S): the padding of each sequence
    torch.testing.assert_close(by_batch, mha(x, valid_lens=torch.arange(1, L + 1)))


def test_a_mask_of_three_axes_is_by_batch_also_when_there_are_as_many_heads():
    mha, x = MultiHeadAttention(E, H).double(), noise(H, L, E)  # B = H
    mask = holes(H, L, L)
    expected = [mha(x[b : b + 1], attn_mask=mask[b]) for b in range(H)]
    torch.testing.assert_close(mha(x, attn_mask=mask), torch.cat(expected))


# Errors -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("x", [noise(B, L, E), noise(0, L, E)])
def test_an_engine_that_is_set_later_is_checked(x):
    mha = module(qdim=E, kdim=E, vdim=E)
    mha.engine = "explcit"
    with pytest.raises(ValueError, match=r"^engine must be one of \(.*, got 'explcit'$"):
        mha(x)


# A module among modules ---------------------------------------------------------------------------


def test_learns_under_autocast():
    mha, x = MultiHeadAttention(E, H), noise(B, L, E, dtype=torch.float32)
    with torch.autocast("cpu", torch.bfloat16):
        output, _ = mha(x, valid_lens=[2, 5], need_weights=True)
        loss = output.float().square().mean() + mha(x, is_causal=True).float().square().mean()
    loss.backward()
    assert all(p.grad.isfinite().all() for p in mha.parameters())
