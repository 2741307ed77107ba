"""SelfAttention and MultiHeadAttention: against a float64 loop over heads, masks and lengths."""

import copy
import math

import pytest
import torch
from draws import assert_close, generator
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from d2lattn import MultiHeadAttention, SelfAttention, attention_weights, causal_mask
from d2lattn.engines import fused
from d2lattn.multihead import attending

B, H, L, S, E = 2, 3, 5, 7, 12
ENGINES = ("explicit", "chunked", "fused")


def noise(*shape, seed=0, dtype=torch.float64):
    return torch.randn(*shape, generator=generator(seed)).to(dtype)


def random_mask(*shape, seed=3):
    return torch.rand(*shape, generator=generator(seed)) < 0.6


def module(*, seed=0, dtype=torch.float64, **options):
    """A module with widths 12 (model), 10 (query), 9 (key) and 8 (value), none like another."""
    widths = dict(qdim=10, kdim=9, vdim=8)
    made = MultiHeadAttention(E, H, **{**widths, **options}).to(dtype)
    for i, parameter in enumerate(made.parameters()):
        parameter.data = noise(*parameter.shape, seed=seed + 50 + i, dtype=dtype) / 3
    return made


def inputs(L=L, S=S, dtype=torch.float64):
    return [noise(B, *size, seed=7, dtype=dtype) for size in ((L, 10), (S, 9), (S, 8))]


@torch.no_grad()
def oracle(mha, query, key, value, visible):
    """The definition in loops. `visible` is a boolean (B, H, L, S)."""
    D = mha.head_dim
    Q, K, V = mha.q_proj(query), mha.k_proj(key), mha.v_proj(value)
    joined = torch.zeros_like(Q)
    weights = torch.zeros(visible.shape, dtype=Q.dtype)
    for b in range(Q.shape[0]):
        for h in range(mha.num_heads):
            columns = slice(h * D, (h + 1) * D)
            for i in range(Q.shape[1]):
                seen = visible[b, h, i]
                powers = (K[b, seen, columns] @ Q[b, i, columns] / D**0.5).exp()
                weights[b, h, i, seen] = powers / powers.sum()
                joined[b, i, columns] = weights[b, h, i, seen] @ V[b, seen, columns]
    return mha.out_proj(joined), weights


def spread(L, S, valid_lens=None, attn_mask=None, is_causal=False):
    """Who sees whom as (B, H, L, S), in loops."""
    visible = torch.ones(B, H, L, S, dtype=torch.bool)
    for b in range(B):
        for i in range(L):
            for j in range(S):
                length = S if valid_lens is None else valid_lens[b]
                length = length if torch.as_tensor(length).ndim == 0 else length[i]
                visible[b, :, i, j] = j < length and (not is_causal or j <= i)
    if attn_mask is not None:
        if attn_mask.ndim == 3:
            attn_mask = attn_mask.unsqueeze(1)
        visible &= attn_mask.expand(B, H, L, S)
    return visible


LENGTHS = torch.tensor([[1, 7, 0, 3, 5], [2, 2, 7, 4, 1]])
VISIBLE = {  # name -> (L, S, options): one of each kind, then combinations
    "all": (L, S, {}),
    "lengths (B,)": (L, S, dict(valid_lens=torch.tensor([3, 7]))),
    "lengths (B, L)": (L, S, dict(valid_lens=LENGTHS)),
    "a length of 0": (L, S, dict(valid_lens=torch.tensor([0, 4]))),
    "mask (L, S)": (L, S, dict(attn_mask=random_mask(L, S))),
    "mask (1, S)": (L, S, dict(attn_mask=random_mask(1, S))),
    "mask (B, L, S)": (L, S, dict(attn_mask=random_mask(B, L, S))),
    "mask (B, 1, S)": (L, S, dict(attn_mask=random_mask(B, 1, S))),
    "mask (B, H, L, S)": (L, S, dict(attn_mask=random_mask(B, H, L, S))),
    "mask (1, H, 1, S)": (L, S, dict(attn_mask=random_mask(1, H, 1, S))),
    "causal": (S, S, dict(is_causal=True)),
    "causal, lengths": (S, S, dict(is_causal=True, valid_lens=torch.tensor([3, 0]))),
    "mask, lengths": (
        L,
        S,
        dict(attn_mask=random_mask(B, H, L, S), valid_lens=torch.tensor([3, 6])),
    ),
    "everything": (
        S,
        S,
        dict(
            is_causal=True,
            attn_mask=random_mask(B, S, S),
            valid_lens=LENGTHS.repeat(1, 2)[:, :S],
        ),
    ),
}
every_case = pytest.mark.parametrize("case", VISIBLE)


# Numbers ------------------------------------------------------------------------------------------


@every_case
@pytest.mark.parametrize("engine", ENGINES)
@torch.no_grad()
def test_equals_the_loop(case, engine):
    L, S, options = VISIBLE[case]
    mha, arguments = module(bias="lengths" in case, engine=engine), inputs(L, S)
    expected, expected_weights = oracle(mha, *arguments, spread(L, S, **options))
    output, weights = mha(*arguments, **options, need_weights=True)
    assert_close(mha(*arguments, **options), expected, within=1e-12)
    assert_close(output, expected, within=1e-12)
    assert_close(weights, expected_weights, within=1e-12)


@every_case
def test_gradients_are_those_of_the_explicit_engine(case):
    L, S, options = VISIBLE[case]
    found = {}
    for engine in ENGINES:
        mha = module(engine=engine, bias=True)
        arguments = [x.requires_grad_() for x in inputs(L, S)]
        (mha(*arguments, **options) * noise(B, L, E, seed=9)).sum().backward()
        found[engine] = [x.grad for x in (*arguments, *mha.parameters())]
    for engine in ENGINES:
        for gradient, expected in zip(found[engine], found["explicit"], strict=True):
            assert gradient.isfinite().all()
            assert_close(gradient, expected, within=1e-11)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_query_without_keys_gets_the_bias_alone(engine):
    mha = module(engine=engine, bias=True)
    output, weights = mha(*inputs(), valid_lens=[0, S], need_weights=True)
    assert weights[0].eq(0).all()
    for result in (output, mha(*inputs(), valid_lens=[0, S])):
        torch.testing.assert_close(result[0], mha.out_proj.bias.expand(L, E))


def test_key_and_value_default_to_what_stands_before():
    mha = module(qdim=E, kdim=E, vdim=E)
    x, y = noise(B, L, E), noise(B, S, E, seed=1)
    assert torch.equal(mha(x), mha(x, x, x))
    assert torch.equal(mha(x, y), mha(x, y, y))


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
    assert_close(mha(query, x, valid_lens=lengths, **options), mha(query, x, attn_mask=mask), 1e-12)


def test_padding_is_never_read():
    mha, arguments = module(qdim=E, kdim=E, vdim=E), noise(B, S, E)
    poisoned = arguments.clone()
    poisoned[0, 3:] = 1e30
    before, after = (mha(x[:, :3], x, valid_lens=[3, S]) for x in (arguments, poisoned))
    assert torch.equal(before, after)


@pytest.mark.parametrize("shape", [(0,), (0, L)])
def test_an_empty_batch_gives_an_empty_output(shape):
    lengths = torch.zeros(shape, dtype=torch.int64)
    arguments = [x[:0] for x in inputs()]
    assert module()(*arguments, valid_lens=lengths).shape == (0, L, E)
    output, weights = module()(*arguments, valid_lens=lengths, need_weights=True)
    assert (output.shape, weights.shape) == ((0, L, E), (0, H, L, S))


def test_padding_equals_truncation():
    mha, x = module(qdim=E, kdim=E, vdim=E), noise(B, S, E)
    for length in range(1, S + 1):
        padded = mha(x, valid_lens=[length, length], is_causal=True)[:, :length]
        assert_close(padded, mha(x[:, :length], is_causal=True), within=1e-12)


def test_permuting_keys_changes_nothing_and_queries_permute_the_output():
    mha, (query, key, value) = module(), inputs()
    expected = mha(query, key, value)
    keys, queries = torch.randperm(S), torch.randperm(L)
    torch.testing.assert_close(mha(query, key[:, keys], value[:, keys]), expected)
    torch.testing.assert_close(mha(query[:, queries], key, value), expected[:, queries])


def test_one_head_is_self_attention():
    one, several = SelfAttention(E).double(), MultiHeadAttention(E, 1).double()
    for name in ("q_proj", "k_proj", "v_proj"):
        getattr(several, name).load_state_dict(getattr(one, name).state_dict())
    several.out_proj.weight.data = torch.eye(E).double()
    x = noise(B, L, E)
    torch.testing.assert_close(several(x, is_causal=True), one(x, is_causal=True))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_is_as_good_as_the_formula_in_it(dtype):
    exact, mha = module(), module(dtype=dtype, engine="explicit")
    expected = exact(*inputs())
    error = (mha(*inputs(dtype=dtype)).double() - expected).abs().max()
    mha.engine = "fused"
    output = mha(*inputs(dtype=dtype))
    assert output.dtype == dtype
    assert (output.double() - expected).abs().max() <= 2 * error


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
    many = [x.repeat(2000, 1, 1) for x in inputs()]
    result = mha(*many, need_weights=need_weights)
    result = result[0] if need_weights else result
    mean = result.unflatten(0, (2000, B)).mean(0)
    assert_close(mean, output(plain), within=0.15)


def test_inputs_stay_as_they_are():
    arguments, mask, lengths = inputs(), random_mask(B, L, S), torch.tensor([3, 7])
    before = copy.deepcopy((arguments, mask, lengths))
    module()(*arguments, attn_mask=mask, valid_lens=lengths, need_weights=True)
    module()(*arguments, valid_lens=lengths)
    for now, then in zip((*arguments, mask, lengths), (*before[0], *before[1:]), strict=True):
        assert torch.equal(now, then)


# Grouped queries, and the parts of forward --------------------------------------------------------


def grouped(num_kv_heads, **options):
    """Four heads of queries over fewer heads of keys, and the plain module that repeats those."""
    few = MultiHeadAttention(8, 4, num_kv_heads=num_kv_heads, bias=True, **options).double()
    plain = MultiHeadAttention(8, 4, bias=True, **options).double()
    state = {}
    for name, x in few.state_dict().items():
        rows = x.unflatten(0, (num_kv_heads, 2)) if name[:6] in ("k_proj", "v_proj") else None
        state[name] = (
            x if rows is None else rows.repeat_interleave(4 // num_kv_heads, 0).flatten(0, 1)
        )
    plain.load_state_dict(state)
    return few, plain


@pytest.mark.parametrize("num_kv_heads", [1, 2, 4])
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("need_weights", [False, True])
def test_fewer_key_heads_equal_the_module_that_repeats_them(num_kv_heads, engine, need_weights):
    few, plain = grouped(num_kv_heads, engine=engine)
    x = noise(B, S, 8)
    for options in (
        {},
        dict(is_causal=True),
        dict(valid_lens=[3, S]),
        dict(attn_mask=random_mask(B, 4, S, S)),
    ):
        got, wanted = (mha(x, **options, need_weights=need_weights) for mha in (few, plain))
        for g, w in zip(*((r if need_weights else (r,)) for r in (got, wanted)), strict=True):
            assert_close(g, w, within=1e-12)
    assert few.k_proj.weight.shape == few.v_proj.weight.shape == (2 * num_kv_heads, 8)


@pytest.mark.parametrize("num_kv_heads", [1, 2, 4])
def test_nothing_asks_nothing_with_fewer_heads_of_keys(num_kv_heads):
    mha = MultiHeadAttention(8, 4, num_kv_heads=num_kv_heads)
    assert mha(torch.zeros(2, 0, 8), torch.zeros(2, 3, 8)).shape == (2, 0, 8)
    output, weights = mha(torch.zeros(0, 3, 8), need_weights=True)
    assert (output.shape, weights.shape) == ((0, 3, 8), (0, 4, 3, 3))


def test_what_does_not_fit_is_named_beside_lengths():
    mha, x = MultiHeadAttention(8, 2), torch.randn(2, 3, 8)
    with pytest.raises(ValueError, match=r"^value must be a floating tensor"):
        mha(x, x, [1], valid_lens=[1, 2])
    with pytest.raises(ValueError, match="the same batch size"):
        mha(x, torch.full((3, 3, 8), math.nan), valid_lens=[1, 2])


def test_without_num_kv_heads_nothing_changes():
    torch.manual_seed(0)
    plain = MultiHeadAttention(E, H)
    torch.manual_seed(0)
    named = MultiHeadAttention(E, H, num_kv_heads=H)
    for name, x in plain.state_dict().items():
        assert torch.equal(x, named.state_dict()[name])


@every_case
@pytest.mark.parametrize("need_weights", [False, True])
def test_forward_is_project_attend_join(case, need_weights):
    L, S, options = VISIBLE[case]
    mha, arguments = module(bias=True), inputs(L, S)
    query, key, value = mha.project(*arguments)
    assert query.shape == (B, H, L, E // H)
    assert key.shape == value.shape == (B, H, S, E // H)
    visible = spread(L, S, **options)
    heads, weights = mha.attend(query, key, value, attn_mask=visible, need_weights=need_weights)
    wanted = mha(*arguments, **options, need_weights=need_weights)
    assert (weights is not None) == need_weights
    if need_weights:
        assert_close(weights, wanted[1], within=1e-13)
        wanted = wanted[0]
    assert_close(mha.join(heads), wanted, within=1e-13)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("case", ["all", "lengths (B,)", "mask (B, L, S)"])
@pytest.mark.parametrize("width", [1, 3, 600])
def test_a_window_is_its_mask(case, engine, width, monkeypatch):
    """Also of queries that stand among the keys of before, over more rows than share a call."""
    monkeypatch.setattr(fused, "ROWS", 4)
    mha, arguments, offset = module(engine=engine, bias=True), inputs(L, S), S - L
    distance = torch.arange(L)[:, None] + offset - torch.arange(S)
    mask = (distance >= 0) & (distance < width)
    seen = dict(is_causal=True, query_offset=offset, window=width)
    options = {**VISIBLE[case][2]}
    got = mha(*arguments, **seen, **options)
    options["attn_mask"] = mask & options.get("attn_mask", torch.tensor(True))
    assert_close(got, mha(*arguments, **options), within=1e-12)
    x = [x.requires_grad_() for x in arguments]
    both = [torch.autograd.grad(mha(*x, **o).sin().sum(), x) for o in (seen, dict(attn_mask=mask))]
    for have, want in zip(*both, strict=True):
        assert_close(have, want, within=1e-12)


def test_who_attends_otherwise_is_asked_and_then_forgotten():
    mha, (query, key, value) = module(), inputs()
    before = mha(query, key, value)

    def doubled(n, attend):
        return lambda *heads, **seen: (2 * attend(*heads, **seen)[0], None)

    with pytest.raises(ZeroDivisionError), attending([mha], doubled), attending([mha], doubled):
        assert_close(mha(query, key, value), 4 * before, within=1e-12)
        _ = 1 / 0
    assert torch.equal(mha(query, key, value), before) and "attend" not in vars(mha)


@pytest.mark.parametrize("num_kv_heads", [None, 1])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_cache_is_held_by_the_caller(num_kv_heads, engine):
    mha = MultiHeadAttention(E, H, num_kv_heads=num_kv_heads, engine=engine).double()
    x = noise(B, S, E)
    keys, values, outputs = [], [], []
    for start, stop in ((0, 3), (3, 4), (4, S)):
        query, key, value = mha.project(*[x[:, start:stop]] * 3)
        keys.append(key)
        values.append(value)
        seen = (torch.cat(parts, dim=2) for parts in (keys, values))
        heads, _ = mha.attend(query, *seen, is_causal=True, query_offset=start)
        outputs.append(mha.join(heads))
    assert_close(torch.cat(outputs, 1), mha(x, is_causal=True), within=1e-13)


@pytest.mark.parametrize("need_weights", [False, True])
def test_attend_takes_a_bias_for_each_head(need_weights):
    mha, bias = module(), noise(H, L, S)
    query, key, value = mha.project(*inputs())
    heads, _ = mha.attend(query, key, value, attn_bias=bias, need_weights=need_weights)
    weights = (query @ key.mT / (E // H) ** 0.5 + bias).softmax(-1)
    torch.testing.assert_close(heads, weights @ value)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("need_weights", [False, True])
@pytest.mark.parametrize("lengths", [[3, S], [[3] * L, [S] * L]])
def test_poison_in_the_padding_never_matters(engine, need_weights, lengths):
    results = []
    for filler in (0.0, math.nan, math.inf):
        mha = module(engine=engine, bias=True)
        query, *padded = inputs()
        for x in padded:
            x[0, 3:] = filler
        output = mha(query, *padded, valid_lens=lengths, need_weights=need_weights)
        output = output if need_weights else (output,)
        output[0].square().sum().backward()
        results.append([*output, *(p.grad for p in mha.parameters())])
    for zeros, *others in zip(*results, strict=True):
        for other in others:
            assert_close(other, zeros, within=1e-13)


# Shapes of masks: which axis is which -------------------------------------------------------------


def test_a_mask_of_two_axes_is_queries_by_keys_also_when_the_batch_is_as_long():
    mha, x = MultiHeadAttention(E, H).double(), noise(L, L, E)  # B = L
    mask = causal_mask(L)
    torch.testing.assert_close(mha(x, attn_mask=mask), mha(x, is_causal=True))
    by_batch = mha(x, attn_mask=mask[:, None])  # (B, 1, S): the padding of each sequence
    torch.testing.assert_close(by_batch, mha(x, valid_lens=torch.arange(1, L + 1)))


def test_a_mask_of_three_axes_is_by_batch_also_when_there_are_as_many_heads():
    mha, x = MultiHeadAttention(E, H).double(), noise(H, L, E)  # B = H
    mask = random_mask(H, L, L)
    expected = [mha(x[b : b + 1], attn_mask=mask[b]) for b in range(H)]
    torch.testing.assert_close(mha(x, attn_mask=mask), torch.cat(expected))


# Errors -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (dict(attn_mask=torch.ones(B, S).bool()), r"attn_mask .*\(2, 7\); a mask \(B, S\)"),
        (dict(attn_mask=torch.ones(H, L, S).bool()), r"attn_mask must have shape .*\(3, 5, 7\)"),
        (dict(attn_mask=torch.ones(B, L, 1, S).bool()), "attn_mask must have shape"),
        (dict(attn_mask=torch.ones(S).bool()), "attn_mask must have shape"),
        (dict(attn_mask=torch.ones(1, B, H, L, S).bool()), "attn_mask must have shape"),
        (dict(attn_mask=torch.zeros(L, S)), "attn_mask must be a boolean .* got torch.float32"),
        (dict(attn_mask=torch.ones(L, S).int()), "attn_mask must be a boolean .* got torch.int32"),
        (dict(attn_mask=[[True]]), "attn_mask must be a boolean .* got list"),
        (dict(valid_lens=torch.tensor([1, S + 1])), "valid_lens must lie between 0 and 7"),
        (dict(valid_lens=torch.tensor([-1, S])), "valid_lens must lie between 0 and 7"),
        (dict(valid_lens=torch.full((B, L), 8)), "valid_lens must lie between 0 and 7"),
        (dict(valid_lens=torch.tensor([1.0, 2.0])), "valid_lens must hold integers"),
        (dict(valid_lens=torch.tensor([True, False])), "valid_lens must hold integers"),
        (dict(valid_lens=torch.tensor([1, 2, 3])), r"valid_lens must have shape .* got \(3,\)"),
        (dict(valid_lens=torch.ones(B, S).int()), r"valid_lens must have shape .* got \(2, 7\)"),
        (dict(valid_lens=torch.ones(B, 1).int()), r"valid_lens must have shape .* got \(2, 1\)"),
        (dict(valid_lens=torch.tensor(3)), r"valid_lens must have shape .* got \(\)"),
        (dict(is_causal=True), "is_causal=True needs as many queries as keys"),
        (dict(is_causal=True, valid_lens=torch.tensor([3, 4])), "is_causal=True needs as many"),
    ],
)
@pytest.mark.parametrize("need_weights", [False, True])
def test_what_does_not_fit_is_named(options, message, need_weights):
    with pytest.raises(ValueError, match=message):
        module()(*inputs(), **options, need_weights=need_weights)


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        (((L, 10), (B, S, 9), (B, S, 8)), r"query must have shape \(batch, length, 10\)"),
        (((B, L, 9), (B, S, 9), (B, S, 8)), r"query must have shape .* got \(2, 5, 9\)"),
        (((B, L, 10), (B, S, 8), (B, S, 8)), "key must have shape"),
        (((B, L, 10), (B, S, 9), (B, S, 9)), "value must have shape"),
        (((B, L, 10), (B, S, 9), (B, L, 8)), "value one row for each key"),
        (((B, L, 10), (1, S, 9), (1, S, 8)), "the same batch size"),
        (((B, L, 10), (B, S, 9), (1, S, 8)), "the same batch size"),
    ],
)
def test_inputs_that_do_not_fit_are_named(shapes, message):
    with pytest.raises(ValueError, match=message):
        module()(*(noise(*shape) for shape in shapes))


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((100, 3), {}, "num_heads must divide embed_dim, got embed_dim=100, num_heads=3"),
        ((0, 1), {}, "embed_dim must be an integer of at least 1"),
        ((8, 0), {}, "num_heads must be"),
        ((8, 2.0), {}, "num_heads must be"),
        ((8, 2), dict(qdim=0), "qdim must be"),
        ((8, 2), dict(kdim=-1), "kdim must be"),
        ((8, 2), dict(vdim=True), "vdim must be"),
        ((8, 2), dict(dropout=1.5), "dropout must be a finite number from 0 to 1"),
        ((8, 2), dict(engine="flash"), "engine must be one of"),
    ],
)
def test_sizes_that_do_not_fit_are_named(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        MultiHeadAttention(*arguments, **options)


# A module among modules ---------------------------------------------------------------------------


def test_parameters_exist_from_the_start_and_do_not_depend_on_the_heads():
    counts = {
        heads: sum(p.numel() for p in MultiHeadAttention(E, heads).parameters())
        for heads in (1, 2, 3, 4, 6, 12)
    }
    assert set(counts.values()) == {4 * E * E}
    with_bias = MultiHeadAttention(E, H, bias=True, kdim=5, vdim=7)
    assert sum(p.numel() for p in with_bias.parameters()) == E * (E + 5 + 7 + E) + 4 * E


def test_state_dict_and_deepcopy():
    mha, other = module(bias=True), module(bias=True, seed=99)
    assert not torch.allclose(other(*inputs()), mha(*inputs()))
    assert torch.equal(copy.deepcopy(mha)(*inputs()), mha(*inputs()))
    other.load_state_dict(mha.state_dict())
    assert torch.equal(other(*inputs()), mha(*inputs()))


def test_deepcopy_after_a_call_with_weights():
    mha = module()
    mha(*inputs(), need_weights=True)
    assert torch.equal(copy.deepcopy(mha)(*inputs()), mha(*inputs()))


def test_moves_to_another_dtype_and_device():
    mha = module().to("cpu", torch.float32)
    assert mha(*inputs(dtype=torch.float32)).dtype == torch.float32
    shape = mha.to("meta")(*(x.to("meta").float() for x in inputs())).shape
    assert shape == (B, L, E)


def test_learns_under_autocast():
    mha, x = MultiHeadAttention(E, H), noise(B, L, E, dtype=torch.float32)
    with torch.autocast("cpu", torch.bfloat16):
        output, _ = mha(x, valid_lens=[2, 5], need_weights=True)
        loss = output.float().square().mean() + mha(x, is_causal=True).float().square().mean()
    loss.backward()
    assert all(p.grad.isfinite().all() for p in mha.parameters())


EXPORTED = {
    "all": {},
    "lengths": dict(valid_lens=torch.tensor([2, 7])),
    "lengths (B, L)": dict(valid_lens=LENGTHS.repeat(1, 2)[:, :S]),
    "causal": dict(is_causal=True),
    "a length of 0": dict(valid_lens=torch.tensor([0, 7]), need_weights=True),
    "everything": dict(
        valid_lens=torch.tensor([0, 7]),
        attn_mask=random_mask(B, S, S),
        is_causal=True,
        need_weights=True,
    ),
}


@pytest.mark.parametrize("case", EXPORTED)
def test_export(case):
    mha, x, options = module(qdim=E, kdim=E, vdim=E).eval(), noise(B, S, E), EXPORTED[case]
    exported = torch.export.export(mha, (x,), options).module()
    other = noise(B, S, E, seed=1)
    torch.testing.assert_close(exported(other, **options), mha(other, **options))


def test_export_for_any_batch_and_length():
    mha, lengths = module(qdim=E, kdim=E, vdim=E).eval(), torch.tensor([2, 7])
    batch, length = torch.export.Dim("batch"), torch.export.Dim("length")
    shapes = dict(query={0: batch, 1: length}, valid_lens={0: batch})
    exported = torch.export.export(
        mha, (noise(B, S, E),), dict(valid_lens=lengths), dynamic_shapes=shapes
    ).module()
    x, lengths = noise(3, 300, E), torch.tensor([300, 0, 17])
    torch.testing.assert_close(exported(x, valid_lens=lengths), mha(x, valid_lens=lengths))


def test_stands_in_a_transformer_block():
    """Pre-norm residual block: the output has the query's shape and takes a step of training."""
    norm, mha, x = nn.LayerNorm(E), MultiHeadAttention(E, H), noise(B, L, E, dtype=torch.float32)
    optimizer = torch.optim.SGD([*norm.parameters(), *mha.parameters()], lr=0.1)
    losses = []
    for _ in range(20):
        loss = (x + mha(norm(x), is_causal=True) - x.flip(-1)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0]


# SelfAttention ------------------------------------------------------------------------------------


def test_self_attention_is_the_formula():
    layer, x = SelfAttention(E, 4, 9, bias=True).double(), noise(B, L, E)
    query, key, value = layer.q_proj(x), layer.k_proj(x), layer.v_proj(x)
    scores = (query @ key.mT / 2).masked_fill(~causal_mask(L), -math.inf)
    expected = scores.softmax(-1)
    output, weights = layer(x, is_causal=True, need_weights=True)
    torch.testing.assert_close(weights, expected)
    torch.testing.assert_close(output, expected @ value)
    torch.testing.assert_close(layer(x, attn_mask=causal_mask(L)), expected @ value)
    assert output.shape == (B, L, 9)


def test_self_attention_refuses_other_widths():
    with pytest.raises(ValueError, match=r"x must have shape \(\.\.\., length, 12\), got \(5, 3\)"):
        SelfAttention(E)(torch.zeros(5, 3))
    with pytest.raises(ValueError, match="head_dim must be"):
        SelfAttention(E, 0)
