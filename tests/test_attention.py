"""Three engines, one formula: against a float64 loop, against torch, and against each other."""

import itertools
import math

import pytest
import torch
import torch.nn.functional as F
from draws import generator, worst
from hypothesis import given
from hypothesis import strategies as st
from oracles import (
    CASES,
    ENGINES,
    EV,
    SCALES,
    B,
    E,
    H,
    L,
    LargestOutput,
    S,
    assert_errs_at_most_twice,
    gradients,
    holes,
    loop,
    make,
    minus_infinity,
    naive,
    noise,
    options_for,
    spread,
    with_gradients,
)

from d2lattn import (
    MultiHeadAttention,
    attention,
    attention_scores,
    attention_weights,
    causal_mask,
    length_mask,
    masked_softmax,
)
from d2lattn.engines import chunked as chunked_engine
from d2lattn.engines import fused as fused_engine

HALVES = (torch.bfloat16, torch.float16)
DTYPES = (torch.float64, torch.float32, *HALVES)


every_engine = pytest.mark.parametrize("engine", ENGINES)
every_case = pytest.mark.parametrize("case", CASES | SCALES)


# The engines against the loop and against torch ---------------------------------------------------


@every_case
def test_all_engines_give_the_numbers_and_gradients_of_the_loop(case):
    sizes, options = options_for(case)
    inputs = make(B, H, **sizes, grad=True)
    bias = [options["attn_bias"].requires_grad_()] if "attn_bias" in options else []
    output, weights = loop(*inputs, options)
    wanted = with_gradients(output, [*inputs, *bias])
    ways = [(engine, None) for engine in ENGINES] + [("chunked", n) for n in (1, 2, 3, 100)]
    for (engine, chunk_size), dtype in itertools.product(ways, (torch.float64, torch.float32)):
        leaves = [x.detach().to(dtype).requires_grad_() for x in (*inputs, *bias)]
        given = options | dict(zip(["attn_bias"], leaves[3:], strict=bool(bias)))
        got = attention(*leaves[:3], **given, engine=engine, chunk_size=chunk_size)
        assert got.dtype == dtype
        tolerance = 1e-12 if dtype == torch.float64 else 2e-5
        assert worst(with_gradients(got, leaves), wanted) < tolerance, (engine, chunk_size, dtype)
    got = attention_weights(*inputs[:2], **options)
    assert worst([got], [weights]) < 1e-14


@every_case
def test_outputs_and_gradients_are_torchs(case):
    """What the loop is held to: a second opinion."""
    sizes, options = options_for(case)
    inputs = make(B, H, **sizes, seed=5, grad=True)
    mask, bias = spread(options, (B, H, sizes["L"], sizes["S"]))
    added = bias.masked_fill(~mask, -math.inf)
    seen = (added > -math.inf).any(-1, keepdim=True)  # torch promises nothing for the other rows
    added = added.masked_fill(~seen, 0)
    theirs = F.scaled_dot_product_attention(*inputs, attn_mask=added, scale=options.get("scale"))
    theirs = theirs.masked_fill(~seen, 0)
    ours = attention(*inputs, **options, engine="explicit")
    assert worst(with_gradients(ours, inputs), with_gradients(theirs, inputs)) < 1e-12


@every_engine
@pytest.mark.parametrize("dtype", HALVES)
def test_bias_gets_its_gradient_in_half_precision(engine, dtype):
    inputs = make(B, H, dtype=dtype)
    bias, mask = noise(H, 1, S, dtype=dtype).requires_grad_(), holes(L, S)
    wide = bias.detach().double().requires_grad_()
    output, _ = loop(*inputs, dict(attn_bias=wide, attn_mask=mask))
    got = gradients(attention(*inputs, attn_bias=bias, attn_mask=mask, engine=engine), [bias])
    # The sum over B·L = 10 terms is stored with 8 (bfloat16) or 11 bits.
    assert worst(got, gradients(output, [wide])) < 8 * torch.finfo(dtype).eps


# Low precision ------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", HALVES)
@every_case
def test_low_precision_errs_at_most_twice_as_much_as_the_formula(case, dtype):
    sizes, options = options_for(case, dtype)
    inputs = make(B, H, **sizes, dtype=dtype, grad=True)
    exact = [x.detach().double().requires_grad_() for x in inputs]
    formula = with_gradients(naive(*inputs, options), inputs)
    wanted = with_gradients(naive(*exact, options), exact)
    for engine in ENGINES:
        output = attention(*inputs, **options, engine=engine)
        assert output.dtype == dtype
        assert_errs_at_most_twice(with_gradients(output, inputs), formula, wanted)


@pytest.mark.parametrize("dtype", HALVES)
def test_weights_in_half_are_the_rounded_float32_weights(dtype):
    query, key, _ = make(B, H, dtype=dtype)
    mask = holes(L, S)
    wanted = attention_weights(query.float(), key.float(), attn_mask=mask).to(dtype)
    assert torch.equal(attention_weights(query, key, attn_mask=mask), wanted)


def test_float16_product_does_not_overflow_before_it_is_scaled():
    query = torch.full((1, 64), 36.0, dtype=torch.float16)
    key = torch.stack([query[0], query[0] / 2])
    assert (query.float() @ key.float().mT).max() > torch.finfo(torch.float16).max
    assert attention_scores(query, key).tolist() == [[10368.0, 5184.0]]
    value = torch.tensor([[1.0], [5.0]], dtype=torch.float16)
    for engine in ENGINES:
        assert attention(query, key, value, engine=engine).tolist() == [[1.0]]


def test_float32_product_does_not_overflow_before_it_is_scaled():
    query, key = torch.tensor([[1e19]]), torch.tensor([[1e20], [0.95e20]])
    scores = attention_scores(query, key, scale=2e-38)
    torch.testing.assert_close(scores, torch.tensor([[20.0, 19.0]]))
    for engine in ("explicit", "chunked"):  # torch's kernel scales the product
        got = attention(query, key, torch.tensor([[3.0], [5.0]]), scale=2e-38, engine=engine)
        torch.testing.assert_close(got, torch.tensor([[4 - math.tanh(0.5)]]))


@every_engine
@pytest.mark.parametrize("fill", [-1e6, 1e6])
def test_a_float32_bias_keeps_its_range_beside_float16(engine, fill):
    inputs = make(B, H, dtype=torch.float16)
    wanted, _ = loop(*inputs, {})  # the same number for all keys cancels
    got = attention(*inputs, attn_bias=torch.full((L, S), fill), engine=engine)
    assert got.dtype == torch.float16
    assert worst([got], [wanted]) < 0.1  # float32 leaves 1/16 of each score beside 10⁶


@every_engine
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_bias_may_be_of_any_floating_dtype(engine, dtype):
    inputs = make(B, H, dtype=dtype)
    for other in DTYPES:
        bias = noise(H, L, S, dtype=other)
        got = attention(*inputs, attn_bias=bias, engine=engine)
        wanted, _ = loop(*inputs, dict(attn_bias=bias))
        assert got.dtype == dtype
        assert worst([got], [wanted]) < (1e-5 if dtype == torch.float32 else 2e-2)


# Rows that see nothing, and numbers that pretend to be -inf ---------------------------------------


EMPTY = {
    "mask": dict(attn_mask=holes(L, S)),
    "mask of a batch": dict(attn_mask=length_mask([0, 7], S)[:, None]),
    "all": dict(attn_mask=torch.zeros(1, 1, dtype=torch.bool)),
    "bias": dict(attn_bias=minus_infinity(holes(L, S))),
    "bias and mask": dict(
        attn_bias=minus_infinity(torch.arange(S) > 3)[None],
        attn_mask=(torch.arange(S) < 4)[None] & torch.ones(L, 1, dtype=torch.bool),
    ),
    "bias of one column": dict(attn_bias=minus_infinity(torch.arange(L) > 3)[:, None]),
}


@every_engine
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("why", EMPTY)
def test_a_row_that_sees_nothing_gives_0_and_finite_gradients(why, dtype, engine):
    inputs = make(B, H, dtype=dtype, grad=True)
    options = dict(EMPTY[why])
    bias = None
    if "attn_bias" in options:
        bias = options["attn_bias"].to(dtype).requires_grad_()
        options["attn_bias"] = bias
    mask, added = spread(options, (B, H, L, S))
    unseen = ~(mask & (added > -math.inf)).any(-1)  # (B, H, L)
    assert unseen.any()
    weights = attention_weights(*inputs[:2], **options)
    assert weights[unseen].eq(0).all()
    assert (weights[~unseen].double().sum(-1) - 1).abs().lt(0.01).all()

    for chunk_size in (2, None) if engine == "chunked" else (None,):
        output = attention(*inputs, **options, engine=engine, chunk_size=chunk_size)
        assert output[unseen].eq(0).all()
        assert output.isfinite().all()
        found = gradients(output, inputs if bias is None else [*inputs, bias])
        assert all(gradient.isfinite().all() for gradient in found)
        assert found[0][unseen].eq(0).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_masked_softmax_of_an_empty_row(dtype):
    scores = noise(2, 3, dtype=dtype).requires_grad_()
    weights = masked_softmax(scores, torch.tensor([[True, False, True], [False] * 3]))
    assert weights[1].tolist() == [0, 0, 0]
    assert weights[0, 1] == 0
    (gradient,) = gradients(weights, [scores])
    assert gradient.isfinite().all()
    assert gradient[1].tolist() == [0, 0, 0]
    assert gradient[0, 1] == 0
    # Without a mask no masked_fill wipes the gradient of a NaN that was repaired too late.
    scores = torch.full((2, 3), -math.inf, dtype=dtype, requires_grad=True)
    weights = masked_softmax(scores)
    assert weights.eq(0).all()
    assert gradients(weights, [scores])[0].eq(0).all()


@every_engine
@pytest.mark.parametrize("low", [-1e6, -1e9, -1e30])
def test_a_real_score_far_below_the_usual_fill_beats_a_masked_one(engine, low):
    query, key = torch.tensor([[1.0]]), torch.tensor([[low], [0.0]])
    value, mask = torch.tensor([[3.0], [100.0]]), torch.tensor([[True, False]])
    assert attention(query, key, value, attn_mask=mask, engine=engine).item() == 3
    assert masked_softmax(key.mT, mask).tolist() == [[1, 0]]


@every_engine
def test_two_smallest_numbers_added_are_a_row_without_keys(engine):
    smallest = torch.full((L, S), torch.finfo(torch.float32).min)
    inputs = make(B, H, dtype=torch.float32, grad=True)
    output = attention(*inputs, attn_bias=smallest + smallest, engine=engine)
    assert output.eq(0).all()
    assert all(g.isfinite().all() for g in gradients(output, inputs))
    # One alone is a number like others: equal for all keys, it drowns the scores.
    output = attention(*inputs, attn_bias=smallest, attn_mask=holes(L, S), engine=engine)
    assert output.isfinite().all()


@every_engine
@pytest.mark.parametrize("dtype", DTYPES)
def test_scores_beyond_the_range_of_exp(engine, dtype):
    query, key = torch.tensor([[100.0]], dtype=dtype), torch.tensor([[90.0], [100.0]], dtype=dtype)
    value = torch.tensor([[1.0], [2.0]], dtype=dtype)
    assert attention(query, key, value, engine=engine).item() == 2
    assert attention(-query, key, value, engine=engine).item() == 1


# Properties ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "case", ["length 0", "bias with -inf, a row empty", "bias, mask and is_causal"]
)
def test_torchs_kernels_are_never_given_a_row_without_keys(case, monkeypatch):
    """Today's CPU kernel gives 0 for such a row; others give NaN, and an older torch did."""
    kernel = F.scaled_dot_product_attention

    def watched(query, key, value, attn_mask=None, **options):
        seen = attn_mask if attn_mask.dtype == torch.bool else attn_mask > -math.inf
        assert seen.any(-1).all()
        return kernel(query, key, value, attn_mask=attn_mask, **options)

    monkeypatch.setattr(F, "scaled_dot_product_attention", watched)
    sizes, options = options_for(case, torch.float64)
    attention(*make(B, H, **sizes), **options)


@given(L=st.integers(1, 6), S=st.integers(1, 6), share=st.floats(0, 1), seed=st.integers(0, 10_000))
def test_rows_of_weights_sum_to_1_or_0(L, S, share, seed):
    query, key, _ = make(B, H, L=L, S=S, seed=seed)
    mask = torch.rand(B, H, L, S, generator=generator(seed)) < share
    weights = attention_weights(query, key, attn_mask=mask)
    assert (weights >= 0).all()
    assert weights[~mask].eq(0).all()
    assert torch.allclose(weights.sum(-1), mask.any(-1).double(), atol=1e-14)
    assert torch.equal(weights, masked_softmax(attention_scores(query, key), mask))


# Shapes and dtypes --------------------------------------------------------------------------------


@every_engine
@pytest.mark.parametrize(
    ("query_lead", "key_lead", "value_lead", "lead"),
    [
        ((), (), (), ()),
        ((2,), (2,), (2,), (2,)),
        ((2, 3, 4), (2, 3, 4), (2, 3, 4), (2, 3, 4)),
        ((2, 3), (), (1, 3), (2, 3)),
        ((), (3,), (2, 1), (2, 3)),
        ((0, 3), (0, 3), (0, 3), (0, 3)),
    ],
)
def test_leading_axes_broadcast(engine, query_lead, key_lead, value_lead, lead):
    query, key, value = (
        make(*axes, seed=i)[i] for i, axes in enumerate((query_lead, key_lead, value_lead))
    )
    full = [x.expand(*lead, *x.shape[-2:]) for x in (query, key, value)]
    mask = holes(L, S)
    for options in ({}, dict(attn_mask=mask), dict(attn_bias=noise(L, S), attn_mask=mask)):
        got = attention(query, key, value, **options, engine=engine)
        assert got.shape == (*lead, L, EV)
        assert torch.allclose(got, naive(*full, options), atol=1e-13)


@every_engine
def test_a_mask_of_as_many_axes_as_the_scores_where_the_value_has_more(engine):
    query, key, _ = make(H)
    value = make(B, H)[2]
    mask = holes(H, L, S)
    whole = [x.expand(B, -1, -1, -1) for x in (query, key)]
    wanted = naive(*whole, value, {"attn_mask": mask[None]})
    got = attention(query, key, value, attn_mask=mask, engine=engine)
    assert worst([got], [wanted]) < 1e-13


@every_engine
@pytest.mark.parametrize("sizes", [dict(L=0), dict(S=0), dict(L=0, S=0), dict(EV=0)])
def test_empty_sizes(engine, sizes):
    query, key, value = make(B, H, **sizes, grad=True)
    causal = query.shape[-2] == key.shape[-2]
    output = attention(query, key, value, is_causal=causal, engine=engine)
    assert output.shape == (B, H, query.shape[-2], value.shape[-1])
    assert output.eq(0).all()
    for gradient, x in zip(
        gradients(output, [query, key, value]), (query, key, value), strict=True
    ):
        assert gradient.shape == x.shape
        assert gradient.eq(0).all()
    weights = attention_weights(query, key, is_causal=causal)
    assert weights.shape == (B, H, query.shape[-2], key.shape[-2])


@every_engine
@pytest.mark.parametrize("dtype", DTYPES)
def test_inputs_are_never_changed(engine, dtype):
    tensors = [*make(B, H, L=S, dtype=dtype), noise(H, S, S, dtype=dtype), holes(B, 1, S, S)]
    copies = [(x.clone(), x._version) for x in tensors]
    leaves = [x.requires_grad_() for x in tensors[:4]]
    output = attention(
        *leaves[:3], attn_bias=leaves[3], attn_mask=tensors[4], is_causal=True, engine=engine
    )
    gradients(output, leaves)
    weights = attention_weights(*leaves[:2], attn_bias=leaves[3], attn_mask=tensors[4])
    gradients(weights, leaves)
    gradients(masked_softmax(leaves[3], tensors[4][0]), leaves)
    for x, (copy, version) in zip(tensors, copies, strict=True):
        assert torch.equal(x, copy)
        assert x._version == version


@every_case
def test_the_numbers_do_not_depend_on_whether_gradients_are_recorded(case):
    sizes, options = options_for(case, torch.float32)
    inputs = make(B, H, **sizes, dtype=torch.float32, grad=True)
    weights = attention_weights(*inputs[:2], **options)
    for without in (torch.no_grad, torch.inference_mode):
        with without():
            assert torch.equal(attention_weights(*inputs[:2], **options), weights)
            outputs = [attention(*inputs, **options, engine=engine) for engine in ENGINES]
        assert not any(output.requires_grad for output in outputs)
        assert worst(outputs, [weights @ inputs[2]] * 3) < 1e-5


def test_inference_mode_at_a_size_beyond_one_vector():
    query, key, _ = make(B, H, L=37, S=331, dtype=torch.float32)
    scores = attention_scores(query, key)
    with torch.inference_mode():
        assert torch.equal(attention_weights(query, key), scores.softmax(-1))
        weights = attention_weights(query, key, attn_mask=holes(37, 331))
    assert torch.equal(weights, masked_softmax(scores, holes(37, 331)))


@every_engine
def test_a_default_dtype_of_float64_changes_nothing(engine):
    inputs = make(B, H, dtype=torch.float32)
    wanted = attention(*inputs, engine=engine)
    torch.set_default_dtype(torch.float64)
    try:
        got = attention(*inputs, engine=engine)
    finally:
        torch.set_default_dtype(torch.float32)
    assert got.dtype == torch.float32
    assert torch.equal(got, wanted)


# Dropout ------------------------------------------------------------------------------------------


def dropped_weights(engine, p, *lead, seed=0, **options):
    """With the identity for values, the output is the matrix of weights after dropout."""
    torch.manual_seed(seed)
    query, key, _ = make(*lead)
    value = torch.eye(S, dtype=torch.float64).expand(*lead, S, S)
    dropped = attention(query, key, value, dropout_p=p, engine=engine, **options)
    return dropped, attention_weights(query, key, **options)


@every_engine
def test_dropout_zeroes_some_weights_and_divides_the_others(engine):
    dropped, weights = dropped_weights(engine, 0.3, B, H, attn_mask=holes(L, S))
    kept = dropped != 0
    assert kept.any()
    assert not kept[weights > 0].all()
    assert torch.allclose(dropped[kept], weights[kept] / 0.7, atol=1e-14)
    # The weights that are returned are those before dropout: their rows still sum to 1 (or to 0).
    assert torch.allclose(weights.sum(-1), holes(L, S).any(-1).double())


@every_engine
def test_dropout_keeps_the_expectation_and_drops_the_share(engine):
    query, key, _ = make()
    value = torch.eye(S, dtype=torch.float64)
    many, p = [x.expand(4000, *x.shape) for x in (query, key, value)], 0.25
    dropped = attention(*many, dropout_p=p, engine=engine)
    weights = attention_weights(query, key)
    deviation = weights * math.sqrt(p / (1 - p) / 4000)  # of a mean of 4000
    assert ((dropped.mean(0) - weights).abs() < 6 * deviation).all()
    assert abs((dropped == 0).double().mean().item() - 0.25) < 0.01


@every_engine
def test_dropout_of_0_and_1(engine):
    dropped, weights = dropped_weights(engine, 0.0, B, H)
    assert worst([dropped], [weights]) < 1e-14
    dropped, _ = dropped_weights(engine, 1, B, H)
    assert dropped.eq(0).all()


@every_engine
def test_gradients_see_the_same_dropout_as_the_output(engine):
    query, key, _ = make(B, H)
    value = torch.eye(S, dtype=torch.float64).expand(B, H, S, S).clone().requires_grad_()
    chunk = dict(chunk_size=2) if engine == "chunked" else {}
    output = attention(query, key, value, dropout_p=0.4, engine=engine, **chunk)
    ones = torch.ones_like(output)
    (gradient,) = torch.autograd.grad(output, value, ones)  # row j: what key j gave to all queries
    assert worst([gradient[..., 0]], [output.sum(-2)]) < 1e-13


@every_engine
def test_without_dropout_the_random_state_is_left_alone(engine):
    state = torch.get_rng_state()
    inputs = make(B, H, grad=True)
    gradients(attention(*inputs, engine=engine), inputs)
    assert torch.equal(torch.get_rng_state(), state)


# A query's place among the keys -------------------------------------------------------------------


def test_causality_beside_a_mask_needs_no_square_mask_in_the_fused_engine():
    n = 4 * fused_engine.ROWS
    inputs = make(1, L=n, S=n, E=4, EV=6, dtype=torch.float32)
    with torch.no_grad(), LargestOutput() as seen:
        got = attention(*inputs, attn_mask=length_mask([n - 5], n), is_causal=True)
    assert seen.numel <= fused_engine.ROWS * n
    wanted = attention(*inputs, attn_mask=length_mask([n - 5], n) & causal_mask(n))
    assert worst([got], [wanted]) < 1e-5


# Scales, and numbers that are none ----------------------------------------------------------------


@every_engine
@pytest.mark.parametrize("scale", [0, -2])
def test_a_causal_scale_of_0_or_below(engine, scale):
    """With values as wide as keys torch has another kernel, which makes a NaN of a scale of 0."""
    inputs = make(B, H, L=S, EV=E, grad=True)
    wanted, _ = loop(*inputs, dict(is_causal=True, scale=scale))
    got = attention(*inputs, is_causal=True, scale=scale, engine=engine)
    assert worst(with_gradients(got, inputs), with_gradients(wanted, inputs)) < 1e-12


HUGE = 1e30  # a score of it is still finite in float32
HIDING = {  # every way to hide the keys from the fourth on from all five queries
    "mask": dict(attn_mask=(torch.arange(S) < 3)[None].expand(L, S)),
    "mask of one row": dict(attn_mask=(torch.arange(S) < 3)[None]),
    "mask of a batch": dict(attn_mask=length_mask([3, 3], S)[:, None]),
    "bias": dict(attn_bias=minus_infinity(torch.arange(S) < 3)[None]),
    "bias for each head": dict(attn_bias=minus_infinity(torch.arange(S) < 3).expand(H, 1, S)),
}


@every_engine
@pytest.mark.parametrize("how", HIDING)
def test_hidden_finite_numbers_never_matter(engine, how):
    query, key, value = make(B, H, dtype=torch.float32, seed=2)
    options = {k: v.float() if k == "attn_bias" else v for k, v in HIDING[how].items()}
    results = []
    for filler in (0.0, HUGE, -HUGE):
        for x in (key, value):
            x[..., 3:, :] = filler
        with torch.no_grad():
            results.append([attention(query, key, value, **options, engine=engine)])
        inputs = [x.clone().requires_grad_() for x in (query, key, value)]
        results[-1] += with_gradients(attention(*inputs, **options, engine=engine), inputs)
        results[-1] += with_gradients(attention_weights(*inputs[:2], **options), inputs[:2])
    assert all(worst(results[0], other) < 1e-5 for other in results[1:])


@every_engine
def test_numbers_past_the_last_query_never_matter(engine):
    query, key, value = make(B, H, L=3, dtype=torch.float32)
    wanted = attention(query, key[..., :4, :], value[..., :4, :], is_causal=True, query_offset=1)
    key[..., 4:, :] = value[..., 4:, :] = HUGE
    got = attention(query, key, value, is_causal=True, query_offset=1, engine=engine)
    assert worst([got], [wanted]) < 1e-6


@every_engine
def test_a_nan_in_a_hidden_value_reaches_the_output_as_it_does_in_torch(engine):
    query, key, value = make(B, H, dtype=torch.float32)
    mask = HIDING["mask"]["attn_mask"]
    value[..., 3, 0] = math.nan
    got = attention(query, key, value, attn_mask=mask, engine=engine)
    wanted = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    assert got[..., 0].isnan().all() and torch.equal(got.isnan(), wanted.isnan())


# Transforms and graphs ----------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["explicit", "fused"])
@pytest.mark.parametrize("over", ["mask", "all"])
@pytest.mark.parametrize("mode", [torch.enable_grad, torch.no_grad, torch.inference_mode])
def test_vmap(engine, over, mode):
    query, key, value = make(4, B)
    masks = holes(4, L, S)
    axes = (None, None, None, 0) if over == "mask" else 0

    def function(query, key, value, mask):
        output = attention(query, key, value, attn_mask=mask, engine=engine)
        return output, attention_weights(query, key, attn_mask=mask)

    arguments = (query[0], key[0], value[0]) if over == "mask" else (query, key, value)
    with mode():
        output, weights = torch.vmap(function, axes)(*arguments, masks)
    for i in range(4):
        parts = arguments if over == "mask" else [x[i] for x in arguments]
        wanted = function(*parts, masks[i])
        assert worst([output[i], weights[i]], wanted) < 1e-13


@pytest.mark.parametrize("engine", ["explicit", "fused"])
def test_forward_mode_hessians_and_jacobians_of_torch_func(engine):
    query, key, value = make(1, L=3, S=3, E=2, EV=2)

    def function(query):
        return attention(query, key, value, is_causal=True, engine=engine).square().sum()

    hessian = torch.func.hessian(function)(query)
    wanted = torch.autograd.functional.hessian(
        lambda q: attention(q, key, value, is_causal=True, engine="explicit").square().sum(), query
    )
    assert worst([hessian], [wanted]) < 1e-10
    _, tangent = torch.func.jvp(function, (query,), (torch.ones_like(query),))
    assert abs(tangent - torch.func.grad(function)(query).sum()) < 1e-12


def test_what_an_engine_cannot_do_is_refused_clearly():
    inputs = make(1, L=3, S=3, grad=True)
    for transform in (torch.vmap, torch.func.grad):
        with pytest.raises(ValueError, match=r"engine must be .* inside torch.func"):
            transform(lambda q: attention(q, q, q, engine="chunked").sum())(inputs[0].detach())
    output = attention(*inputs, engine="explicit").square().sum()
    (first,) = torch.autograd.grad(output, inputs[0], create_graph=True)
    assert torch.autograd.grad(first.sum(), inputs[0])[0].isfinite().all()


@pytest.mark.parametrize("dtype", HALVES)
def test_masked_softmax_computes_in_float32(dtype):
    scores = noise(4, 300, dtype=dtype) * 5
    wanted = scores.float().softmax(-1).to(dtype)
    assert torch.equal(masked_softmax(scores), wanted)
    rounded = (scores - scores.amax(-1, keepdim=True)).exp()
    rounded = rounded / rounded.sum(-1, keepdim=True, dtype=dtype)
    assert not torch.equal(rounded, wanted)  # the difference can be seen at this size


# Memory -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("chunk_size", [None, 48])
def test_chunked_never_builds_queries_by_keys(chunk_size, causal):
    n, m = (1201, 1201) if causal else (1103, 1301)
    mask = length_mask([m - 5], m)
    sizes = dict(L=n, S=m, E=4, EV=6, dtype=torch.float32, grad=True)

    def largest(engine, **options):
        inputs = make(1, **sizes)
        with LargestOutput() as forward:
            output = attention(*inputs, attn_mask=mask, is_causal=causal, engine=engine, **options)
        with LargestOutput() as backward:
            output.sum().backward()
        return forward.numel, backward.numel

    assert all(numel >= n * m for numel in largest("explicit"))  # the watch does see it
    allowed = max(chunked_engine.SCORES if chunk_size is None else chunk_size**2, m * 6)
    assert all(numel <= allowed for numel in largest("chunked", chunk_size=chunk_size))


def test_chunked_builds_no_queries_by_keys_for_a_sink():
    n = 1201

    def largest(engine):
        mha, x = MultiHeadAttention(4, 1, engine=engine, sink_logit=True), noise(1, n, 4)
        with LargestOutput() as forward:
            output = mha(x.float().requires_grad_(), is_causal=True)
        with LargestOutput() as backward:
            output.sum().backward()
        return forward.numel, backward.numel

    assert all(numel >= n * n for numel in largest("explicit"))
    assert all(numel <= chunked_engine.SCORES for numel in largest("chunked"))


def test_chunked_keeps_no_weights_for_the_backward_pass():
    inputs = make(1, L=211, S=307, E=4, EV=6, dtype=torch.float32, grad=True)

    def kept(engine):
        sizes = {}

        def remember(x):
            sizes[x.data_ptr()] = x.numel()
            return x

        with torch.autograd.graph.saved_tensors_hooks(remember, lambda x: x):
            attention(*inputs, engine=engine)
        return sum(sizes.values())

    assert kept("explicit") >= 211 * 307
    assert kept("chunked") < 211 * 307 / 4


# Errors -------------------------------------------------------------------------------------------


Q, K, V = (x.float() for x in make(B, H))
Q2, K2, V2 = (x[0, 0] for x in (Q, K, V))
ONES = torch.ones(L, S, dtype=torch.bool)
TWO = torch.ones(B, S).bool()
# What does not fit together; each argument by itself stands in tests/test_bad_input.py.
BAD = {
    "key, dtype": (lambda: attention(Q, K.double(), V), "key dtype float32 float64"),
    "key, device": (lambda: attention(Q, K.to("meta"), V), "key device cpu meta"),
    "value, dtype": (lambda: attention(Q, K, V.half()), "value dtype float32 float16"),
    "widths": (lambda: attention(Q, K[..., 1:], V), "query key width (2,3,5,11) (2,3,7,10)"),
    "width 0": (lambda: attention(Q[..., :0], K[..., :0], V), "width at_least_1 (2,3,5,0)"),
    "rows of value": (lambda: attention(Q, K, V[..., 1:, :]), "value each_key (2,3,6,13)"),
    "leading axes": (lambda: attention(Q, K[:, :2], V), "leading query key (2,3,5,11) (2,2,7,11)"),
    "leading, value": (lambda: attention(Q, K, V[:, :2]), "leading value broadcast (2,2,7,13)"),
    "mask, 0/1 floats": (dict(attn_mask=ONES.float()), "attn_mask boolean may_attend attn_bias"),
    "mask, lengths (B, S)": (dict(attn_mask=TWO), "attn_mask (5,7) (2,3,5,7) (2,7)"),
    "mask, three axes": (dict(attn_mask=TWO[:, None]), "attn_mask (5,7) (2,3,5,7) (2,1,7)"),
    "mask, more axes": (
        lambda: attention(Q2, K2, V2, attn_mask=ONES[None]),
        "attn_mask (5,7) (1,5,7)",
    ),
    "mask, larger batch": (
        lambda: attention(Q[:1], K[:1], V[:1], attn_mask=ONES.expand(2, 1, L, S)),
        "attn_mask (1,3,5,7) (2,1,5,7)",
    ),
    "mask, device": (dict(attn_mask=ONES.to("meta")), "attn_mask cpu meta"),
    "bias, bool": (dict(attn_bias=ONES), "attn_bias floating bool attn_mask"),
    "bias, one axis": (dict(attn_bias=torch.zeros(S)), "two_axes (7,)"),
    "bias, device": (dict(attn_bias=torch.zeros(L, S, device="meta")), "attn_bias cpu meta"),
    "is_causal, L and S": (
        dict(is_causal=True),
        "is_causal L=5,S=7 attn_mask=causal_mask(L,S, top-left bottom-right",
    ),
    "heads that share keys": (
        lambda: attention(*make(B, 6)[:1], *make(B, 3)[1:]),
        "query key broadcast (2,6,5,11) (2,3,7,11) key.repeat_interleave(2,dim=-3) num_kv_heads=3",
    ),
    "heads that share no number of keys": (
        lambda: attention(*make(B, 5)[:1], *make(B, 3)[1:]),
        "query key broadcast (2,5,5,11)and(2,3,7,11)",
    ),
    "query_offset, no causality": (dict(query_offset=2), "query_offset is_causal=True 2"),
}


@pytest.mark.parametrize("why", BAD)
def test_errors_name_the_argument_the_rule_and_what_was_got(why):
    call, words = BAD[why]
    with pytest.raises(ValueError) as error:
        call() if callable(call) else attention(Q, K, V, **call)
    text = str(error.value).replace(" ", "").replace("_", "")
    assert [word for word in words.split() if word.replace("_", "") not in text] == []


def test_an_offset_is_proposed_only_where_it_is_one():
    query, key, value = make(B, H)
    with pytest.raises(ValueError, match="query_offset=2 if the last query stands"):
        attention(query, key, value, is_causal=True)
    with pytest.raises(
        ValueError, match="key position of query 0, or attn_mask=causal_mask"
    ) as said:
        attention(key, query, query, is_causal=True)
    assert "-2" not in str(said.value)
