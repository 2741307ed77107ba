"""positions.py against float64 loops, step by step against the whole, and what it must refuse."""

import math

import pytest
import torch
from draws import assert_close, generator
from hypothesis import given
from hypothesis import strategies as st

import d2lattn
from d2lattn import (
    LearnedPositionalEncoding,
    PositionalEncoding,
    Rotary,
    alibi_bias,
    apply_rotary,
    shift_matrix,
    sinusoidal_encoding,
)
from d2lattn.positions import TokenPositions, _Table

B, H, L, S = 2, 3, 5, 7
HALF = (torch.float16, torch.bfloat16)
DTYPES = (*HALF, torch.float32, torch.float64)


def encoding_loop(length, dim, base=10000.0, offset=0):
    """The formula, one number at a time, in Python's float64."""
    P = torch.zeros(length, dim, dtype=torch.float64)
    for i in range(length):
        for column in range(dim):
            angle = (offset + i) / base ** (2 * (column // 2) / dim)
            P[i, column] = math.cos(angle) if column % 2 else math.sin(angle)
    return P


def rotary_loop(x, base=10000.0, offset=0, interleaved=True):
    """Each pair as a complex number times e^(iθ)."""
    x, dim = x.double(), x.shape[-1]
    turned = torch.zeros_like(x)
    for i in range(x.shape[-2]):
        for j in range(dim // 2):
            a, b = (2 * j, 2 * j + 1) if interleaved else (j, j + dim // 2)
            angle = (offset + i) / base ** (2 * j / dim)
            z = torch.complex(x[..., i, a], x[..., i, b]) * complex(
                math.cos(angle), math.sin(angle)
            )
            turned[..., i, a], turned[..., i, b] = z.real, z.imag
    return turned


# sinusoidal_encoding ------------------------------------------------------------------------------


@pytest.mark.parametrize("dim", [1, 2, 3, 8, 13, 32])
@pytest.mark.parametrize("base", [1.5, 100, 10000.0])
@pytest.mark.parametrize("offset", [0, 11])
def test_encoding_is_the_formula(dim, base, offset):
    P = sinusoidal_encoding(L, dim, base=base, offset=offset, dtype=torch.float64)
    assert_close(P, encoding_loop(L, dim, base, offset), within=1e-14)


@pytest.mark.parametrize("offset", [2**17 - 1, 999_999, 1_000_000])
@pytest.mark.parametrize("dim", [31, 32])
def test_far_positions_are_exact_in_float32(offset, dim):
    P = sinusoidal_encoding(2, dim, offset=offset, dtype=torch.float32)
    assert (P - encoding_loop(2, dim, offset=offset)).abs().max() < 1e-6
    x = torch.randn(2, 32, generator=generator())
    error = (apply_rotary(x, offset=offset) - rotary_loop(x, offset=offset)).abs().max()
    assert error < 1e-6 * x.abs().max()


@pytest.mark.parametrize("dtype", DTYPES)
def test_encoding_is_cast_last(dtype):
    exact = sinusoidal_encoding(3000, 16, dtype=torch.float64)
    wide = exact if dtype == torch.float64 else exact.float()
    assert torch.equal(sinusoidal_encoding(3000, 16, dtype=dtype), wide.to(dtype))


@given(
    length=st.integers(0, 40),
    dim=st.integers(1, 33),
    offset=st.integers(0, 2_000_000),
    cut=st.integers(0, 40),
    dtype=st.sampled_from(DTYPES),
)
def test_rows_do_not_depend_on_their_neighbours(length, dim, offset, cut, dtype):
    whole = sinusoidal_encoding(length, dim, offset=offset, dtype=dtype)
    cut = min(cut, length)
    parts = [
        sinusoidal_encoding(cut, dim, offset=offset, dtype=dtype),
        sinusoidal_encoding(length - cut, dim, offset=offset + cut, dtype=dtype),
    ]
    assert torch.equal(whole, torch.cat(parts))


def test_encoding_follows_torchs_defaults():
    assert sinusoidal_encoding(2, 4).dtype == torch.float32
    torch.set_default_dtype(torch.float64)
    try:
        assert sinusoidal_encoding(2, 4).dtype == torch.float64
    finally:
        torch.set_default_dtype(torch.float32)
    with torch.device("meta"):
        assert sinusoidal_encoding(2, 4).device.type == "meta"
    assert sinusoidal_encoding(2, 3).is_contiguous()


# PositionalEncoding -------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("dim", [1, 8, 13])
@pytest.mark.parametrize("max_len", [0, 6, 100])
def test_module_adds_the_encoding_at_once_and_step_by_step(dtype, dim, max_len):
    layer = PositionalEncoding(dim, max_len=max_len, base=500)
    x = torch.randn(B, 20, dim, generator=generator(), dtype=torch.float64).to(dtype)
    before = x.clone()
    y = layer(x, offset=3)
    assert y.dtype == dtype
    assert torch.equal(y, x + sinusoidal_encoding(20, dim, base=500, offset=3, dtype=dtype))
    steps = [layer(x[:, i : i + 1], offset=3 + i) for i in range(20)]
    assert torch.equal(torch.cat(steps, dim=1), y) and torch.equal(x, before)


def test_module_drops_in_training_only():
    layer = PositionalEncoding(50, 0.5)
    x = torch.ones(B, 40, 50)
    fraction = (layer(x) == 0).double().mean()
    assert 0.4 < fraction < 0.6
    assert torch.equal(layer.eval()(x), x + sinusoidal_encoding(40, 50))


# LearnedPositionalEncoding ------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_learned_adds_its_rows(dtype):
    layer = LearnedPositionalEncoding(9, 4)
    x = torch.randn(B, L, 4, generator=generator()).to(dtype)
    y = layer(x, offset=4)
    assert y.dtype == dtype
    for i in range(L):
        assert torch.equal(y[:, i], x[:, i] + layer.weight[4 + i].to(dtype))
    steps = [layer(x[:, i : i + 1], offset=i) for i in range(L)]
    assert torch.equal(torch.cat(steps, dim=1), layer(x))


def test_learned_is_a_parameter_with_small_numbers():
    layer = LearnedPositionalEncoding(300, 200)
    assert layer.state_dict().keys() == {"weight"}
    assert 0.019 < layer.weight.std() < 0.021
    layer(torch.zeros(B, L, 200)).sum().backward()
    assert torch.equal(layer.weight.grad[:, 0], torch.tensor([float(B)] * L + [0.0] * (300 - L)))


# shift_matrix -------------------------------------------------------------------------------------


@given(delta=st.integers(-300, 300), dim=st.integers(1, 16))
def test_shift_matrix_moves_every_row(delta, dim):
    dim = 2 * dim
    P = sinusoidal_encoding(700, dim, dtype=torch.float64)
    M = shift_matrix(delta, dim)
    moved = P @ M.T
    here = slice(max(0, -delta), 700 - max(0, delta))
    there = slice(here.start + delta, here.stop + delta)
    assert (moved[here] - P[there]).abs().max() < 1e-12
    assert M.dtype == torch.float64


def test_a_shift_may_be_of_a_part_of_a_position():
    quarter = shift_matrix(math.pi / 2, 2)  # ω = 1: sine becomes cosine, cosine becomes -sine
    expected = torch.tensor([[0.0, 1.0], [-1.0, 0.0]], dtype=torch.float64)
    assert_close(quarter, expected, within=1e-15)


# apply_rotary -------------------------------------------------------------------------------------


@pytest.mark.parametrize("interleaved", [True, False])
@pytest.mark.parametrize("offset", [0, 4])
@pytest.mark.parametrize("dim", [2, 6, 32])
def test_rotary_is_a_complex_product(interleaved, offset, dim):
    x = torch.randn(B, H, L, dim, generator=generator(), dtype=torch.float64)
    before = x.clone()
    options = dict(offset=offset, base=300.0, interleaved=interleaved)
    assert_close(apply_rotary(x, **options), rotary_loop(x, **options), within=1e-14)
    assert torch.equal(x, before)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("interleaved", [True, False])
def test_rotary_step_by_step_is_the_whole(dtype, interleaved):
    x = torch.randn(B, H, 20, 10, generator=generator()).to(dtype)
    whole = apply_rotary(x, offset=70_000, interleaved=interleaved)
    steps = [
        apply_rotary(x[..., i : i + 1, :], offset=70_000 + i, interleaved=interleaved)
        for i in range(20)
    ]
    assert torch.equal(torch.cat(steps, dim=-2), whole)
    assert whole.dtype == dtype and whole.shape == x.shape


@pytest.mark.parametrize("dtype", HALF)
def test_rotary_in_half_precision_rounds_once(dtype):
    x = torch.randn(H, 3000, 8, generator=generator()).to(dtype)
    assert torch.equal(apply_rotary(x), apply_rotary(x.float()).to(dtype))


@pytest.mark.parametrize("interleaved", [True, False])
def test_rotary_has_the_right_gradient(interleaved):
    x = torch.randn(2, 3, 4, generator=generator(), dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: apply_rotary(x, offset=2, interleaved=interleaved), x)


# alibi_bias ---------------------------------------------------------------------------------------


def slopes(num_heads):
    return -alibi_bias(num_heads, 2)[:, 1, 0].double()


@pytest.mark.parametrize(
    ("num_heads", "exponents"),
    [
        (1, [8]),
        (2, [4, 8]),
        (8, [1, 2, 3, 4, 5, 6, 7, 8]),
        (16, [k / 2 for k in range(1, 17)]),
        (3, [4, 8, 2]),  # 2 heads, then the first of 4
        (6, [2, 4, 6, 8, 1, 3]),  # 4 heads, then the first and third of 8
        (12, [1, 2, 3, 4, 5, 6, 7, 8, 0.5, 1.5, 2.5, 3.5]),
    ],
)
def test_alibi_slopes_follow_the_papers_rule(num_heads, exponents):
    expected = torch.tensor([2.0**-e for e in exponents], dtype=torch.float64)
    torch.testing.assert_close(slopes(num_heads), expected, rtol=1e-7, atol=0)


def test_alibi_slopes_are_distinct_and_below_one():
    for num_heads in range(1, 40):
        found = slopes(num_heads)
        assert len(found.unique()) == num_heads and 0 < found.min() <= found.max() < 1


def test_alibi_is_slope_times_distance():
    bias = alibi_bias(H, L)
    assert bias.shape == (H, L, L) and bias.dtype == torch.float32
    for h, slope in enumerate([2**-4, 2**-8, 2**-2]):
        for i in range(L):
            for j in range(L):
                assert bias[h, i, j].item() == -slope * abs(i - j)


def test_alibi_refuses_positions_that_it_cannot_compare():
    model = d2lattn.Decoder(7, 8, num_layers=1, num_heads=2, positions="alibi")
    where = TokenPositions(0, 2, positions=torch.tensor([3, 9]))
    with pytest.raises(ValueError, match=r'^positions="alibi" is for tokens in a row'):
        model.read(torch.tensor([[1, 2]]), where, is_causal=True)


# Rotations of a pass ------------------------------------------------------------------------------


def test_a_turn_is_that_of_each_tensor_whatever_came_before():
    """Keys may be more than queries, wider, or of another dtype."""
    turn = Rotary(base=50.0).rotation(TokenPositions(2, 3))
    for shape, dtype in [((1, 4), torch.float32), ((5, 4), torch.float32), ((5, 6), torch.float64)]:
        x = torch.randn(2, *shape, dtype=dtype)
        assert torch.equal(turn(x), apply_rotary(x, offset=2, base=50.0))


def test_tables_of_turns_grow_and_carry_a_gradient_whatever_mode_made_them():
    """A model that was asked in inference mode can still be trained."""
    rotary = Rotary()
    with torch.inference_mode():
        rotary.rotation(TokenPositions(0, 3))(torch.randn(3, 4))
    for first, dtype in [
        (0, torch.float32),
        (61, torch.float32),
        (200, torch.float32),
        (5, torch.float64),
    ]:
        x = torch.randn(2, 3, 4, dtype=dtype, requires_grad=True)
        turned = rotary.rotation(TokenPositions(first, 3))(x)
        assert torch.equal(turned, apply_rotary(x, offset=first))
        turned.sum().backward()


def test_tables_that_another_thread_makes_shorter_are_not_used():
    class Shared(_Table):
        def __setattr__(self, name, value):
            if name == "ready" and value is not None:
                value = value[0], value[1][:, :1]
            super().__setattr__(name, value)

    rotary, x = Rotary(), torch.randn(1, 70, 4)
    rotary._table = Shared(rotary._turns_of, 100)
    assert torch.equal(rotary.rotation(TokenPositions(0, 70))(x), apply_rotary(x))


def test_a_far_word_builds_no_table_of_all_before_it_and_an_odd_width_is_refused():
    rotary, x = Rotary(), torch.randn(1, 1, 4)
    far = rotary.rotation(TokenPositions(2**20, 1))(x)
    assert torch.equal(far, apply_rotary(x, offset=2**20)) and rotary._table.ready is None
    with pytest.raises(ValueError, match="the width of x must be even"):
        rotary.rotation(TokenPositions(0, 1))(torch.randn(1, 1, 5))


# Places that do not stand in a row ----------------------------------------------------------------


@pytest.mark.parametrize("width", [6, 7])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_places_in_any_order_are_rows_of_the_whole(dtype, width):
    """As the shards of a text on several machines: bit for bit what the whole has there."""
    x = torch.randn(2, 9, width, generator=generator(0)).to(dtype)
    places = torch.tensor([7, 0, 3, 8])
    added = [PositionalEncoding(width, max_len=5), LearnedPositionalEncoding(9, width)]
    for layer in added:
        got = layer.add(x[:, places], TokenPositions(0, 4, positions=places))
        assert torch.equal(got, layer(x)[:, places])
        none = TokenPositions(0, 0, positions=places[:0])
        assert layer.add(x[:, :0], none).shape == (2, 0, width)
    if width % 2 == 0:
        turned = apply_rotary(x[:, places], positions=places)
        assert torch.equal(turned, apply_rotary(x)[:, places])


@pytest.mark.parametrize("start", [None, torch.zeros(1, 3), torch.tensor([[0, 0, 2]])])
def test_dropout_acts_on_the_sums_wherever_a_text_starts(start):
    layer, x = PositionalEncoding(8, dropout=1.0).train(), torch.ones(1, 3, 8)
    where = TokenPositions(0, 3, start=None if start is None else start.long())
    assert not layer.add(x, where).any()
    assert torch.equal(layer.eval().add(x, where)[:, -1], layer(x, offset=0)[:, -1]) == (
        start is None or not start.any()
    )
