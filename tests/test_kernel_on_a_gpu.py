"""What Triton's interpreter cannot tell of the kernels of appendix 92, asked of a GPU.

Programs run one after the other there, numbers beyond a tensor may be read without harm, memory has
no limit, and a product of float32 is one of float32.
"""

import pytest
import torch

from d2lattn import attention
from d2lattn_book import kernels

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA GPU"),
]
DTYPES = {torch.float32: 2e-5, torch.float16: 2e-3, torch.bfloat16: 2e-2}


def draw(heads, L, S, D, dtype=torch.float32):
    generator = torch.Generator().manual_seed(0)
    sizes = (L, D), (S, D), (S, D)
    return [torch.randn(heads, *size, generator=generator).to("cuda", dtype) for size in sizes]


def with_gradients(function, inputs, **options):
    inputs = [x.detach().clone().requires_grad_() for x in inputs]
    output = function(*inputs, **options)
    output.float().square().sum().backward()
    return [output.detach(), *(x.grad for x in inputs)]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("D", [16, 40, 64, 128])
@pytest.mark.parametrize("causal", [False, True])
def test_the_numbers_and_that_the_tiles_fit_into_the_fast_memory(dtype, D, causal):
    inputs = draw(3, 131, 131, D, dtype)
    found = with_gradients(kernels.attention, inputs, is_causal=causal)
    wanted = with_gradients(
        attention, [x.double() for x in inputs], is_causal=causal, engine="explicit"
    )
    for got, want in zip(found, wanted, strict=True):
        assert (got - want).abs().max() <= DTYPES[dtype] * want.abs().max()


def test_programs_that_run_at_once_do_not_disturb_each_other():
    inputs = draw(16, 513, 513, 64)
    first, *others = (with_gradients(kernels.attention, inputs, is_causal=True) for _ in range(20))
    assert all(torch.equal(a, b) for other in others for a, b in zip(first, other, strict=True))


@pytest.mark.parametrize("L, S", [(1, 1), (31, 67), (65, 33)])
def test_nothing_beyond_the_ends_is_read_or_written(L, S):
    given, margin = draw(2, L, S, 64), 64 * 256
    backed = []
    for x in given:
        room = torch.full((x.numel() + 2 * margin,), float("nan"), device="cuda")
        room[margin:-margin] = x.flatten()
        backed.append(room[margin:-margin].view_as(x))
    seen = torch.full((2, L), S, dtype=torch.int32, device="cuda")
    options = dict(scale=0.125, tile=(32, 32))
    ours = [kernels.kernel.forward(*x, seen, **options)[0] for x in (given, backed)]
    assert torch.equal(*ours) and ours[0].isfinite().all()


def test_a_product_of_float32_is_no_tf32():
    query, key, value = draw(2, 64, 64, 128)
    query = query * 30  # scores in the hundreds, of which TF32 keeps three digits
    exact = attention(query.double(), key.double(), value.double(), engine="explicit")
    assert (kernels.attention(query, key, value) - exact).abs().max() < 1e-4
