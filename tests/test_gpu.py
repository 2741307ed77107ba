"""What only a GPU can show. Run with `pytest -m gpu`; skipped where there is none."""

import pytest
import torch
from torch import nn

from d2lattn import (
    Cache,
    Decoder,
    MultiHeadAttention,
    attention,
    causal_mask,
    default_device,
    generate,
    length_mask,
    ring_attention,
)
from d2lattn.interop import from_torch
from d2lattn.training import fit

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA GPU"),
]

B, H, L, S, D = 2, 3, 37, 53, 16
TOLERANCE = {torch.float32: 2e-5, torch.float16: 2e-3, torch.bfloat16: 2e-2}
every_dtype = pytest.mark.parametrize("dtype", TOLERANCE)


@pytest.fixture(autouse=True)
def exact_products(monkeypatch):
    monkeypatch.setattr(torch.backends.cuda.matmul, "allow_tf32", False)


def noise(*shape, seed=0, dtype=torch.float32):
    x = torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    return x.to(dtype)


def hidden(L, S):
    """Every way to hide a key; the second sequence of the lengths sees nothing."""
    mask = noise(B, H, L, S, seed=5) > -0.5
    return {
        "nothing": {},
        "mask": dict(attn_mask=mask),
        "lengths": dict(attn_mask=length_mask(torch.tensor([S // 2, 0]), S)[:, None]),
        "causal": dict(is_causal=True)
        if L == S
        else dict(attn_mask=causal_mask(L, S, align="top-left")),
    }


@every_dtype
@pytest.mark.parametrize("engine", ["explicit", "chunked", "fused"])
@pytest.mark.parametrize("how", ["nothing", "mask", "lengths", "causal"])
@pytest.mark.parametrize("length", [L, S])
def test_engines_equal_the_float64_formula(dtype, engine, how, length):
    options = hidden(length, S)[how]
    inputs = [noise(B, H, n, D, seed=n, dtype=dtype) for n in (length, S, S)]
    exact = [x.double().requires_grad_() for x in inputs]
    expected = attention(*exact, **options, engine="explicit")
    expected.sum().backward()
    on_gpu = [x.cuda().requires_grad_() for x in inputs]
    options = {k: v.cuda() if torch.is_tensor(v) else v for k, v in options.items()}
    output = attention(*on_gpu, **options, engine=engine)
    output.sum().backward()
    assert output.dtype == dtype and output.is_cuda
    torch.testing.assert_close(output.cpu().double(), expected, rtol=0, atol=TOLERANCE[dtype])
    for got, want in zip(on_gpu, exact, strict=True):
        limit = TOLERANCE[dtype] * max(1, want.grad.abs().max().item())
        torch.testing.assert_close(got.grad.cpu().double(), want.grad, rtol=0, atol=limit)


@every_dtype
@pytest.mark.parametrize("need_weights", [False, True])
def test_module_moves_and_equals_the_cpu(dtype, need_weights):
    mha = MultiHeadAttention(48, H, bias=True).eval()
    x, lengths = noise(B, S, 48), torch.tensor([S, 11])
    options = dict(valid_lens=lengths, is_causal=True, need_weights=True)
    expected, expected_weights = mha(x, **options)
    moved = mha.to("cuda", dtype)
    for where in ("cpu", "cuda"):  # lengths may stay on the CPU, where data loaders make them
        options.update(valid_lens=lengths.to(where), need_weights=need_weights)
        result = moved(x.to("cuda", dtype), **options)
        output, weights = result if need_weights else (result, None)
        torch.testing.assert_close(output.cpu().float(), expected, rtol=0, atol=TOLERANCE[dtype])
        if need_weights:
            limit = TOLERANCE[dtype]
            torch.testing.assert_close(weights.cpu().float(), expected_weights, rtol=0, atol=limit)


def test_module_equals_torch():
    theirs = nn.MultiheadAttention(48, H, batch_first=True).cuda().eval()
    x, mask = noise(B, S, 48).cuda(), causal_mask(S, device="cuda")
    expected = theirs(x, x, x, attn_mask=~mask, need_weights=False)[0]
    torch.testing.assert_close(from_torch(theirs)(x, attn_mask=mask), expected, rtol=0, atol=2e-5)


@pytest.mark.parametrize("engine", ["chunked", "fused"])
def test_long_sequences_need_no_square_memory(engine):
    n = 16_384
    query, key, value = (noise(1, 2, n, 64, seed=i, dtype=torch.bfloat16).cuda() for i in range(3))
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    attention(query, key, value, is_causal=True, engine=engine)
    peak = torch.cuda.max_memory_allocated() - before
    assert peak < 2 * n * n * 2 / 4  # a quarter of the scores of both heads in bfloat16


def test_mask_on_another_device_is_named():
    mha, x = MultiHeadAttention(48, H).cuda(), noise(B, S, 48).cuda()
    with pytest.raises(ValueError, match="attn_mask must be on cuda"):
        mha(x, attn_mask=causal_mask(S))


@torch.no_grad()
@pytest.mark.parametrize("positions", [None, "learned", "sinusoidal", "rotary", "alibi"])
def test_decoder_moves_and_equals_the_cpu(positions):
    options = dict(num_layers=2, num_heads=4, num_kv_heads=2, window=9, positions=positions)
    model = Decoder(11, 32, **options).eval()
    tokens = torch.randint(11, (B, 17), generator=torch.Generator().manual_seed(0))
    padding = torch.tensor([0, 11])
    real = torch.arange(17) >= padding[:, None]
    expected = model(tokens, left_padding=padding)[real]
    said = generate(model, tokens, steps=5, temperature=0, left_padding=padding)
    model.cuda()
    got = model(tokens.cuda(), left_padding=padding)[real.cuda()]  # padding may stay on the CPU
    torch.testing.assert_close(got.cpu(), expected, rtol=0, atol=1e-4)
    cache = Cache(model, B)
    own = [padding.clamp(0, 9), padding.sub(9).clamp(0, 8)]
    parts = zip(tokens.cuda().split([9, 8], dim=1), own, strict=True)
    got = torch.cat([model(part, cache=cache, left_padding=n) for part, n in parts], dim=1)
    torch.testing.assert_close(got[real.cuda()].cpu(), expected, rtol=0, atol=1e-4)
    for generator in (None, torch.Generator(), torch.Generator("cuda")):
        options = dict(steps=5, left_padding=padding, generator=generator)
        assert generate(model, tokens.cuda(), **options, top_k=3).is_cuda
        greedy = generate(model, tokens.cuda(), **options, temperature=0)
        assert torch.equal(greedy.cpu(), said)


def test_fit_trains_where_the_model_is():
    """Batches are made on the CPU, and the losses are those of the CPU."""

    def batches(step):
        generator = torch.Generator().manual_seed(step)
        tokens = torch.randint(7, (16, 6), generator=generator)
        return tokens, tokens.flip(1)

    histories = []
    for device in ("cpu", "cuda"):
        model = Decoder(7, 16, num_layers=1, num_heads=2).to(device)
        run = fit(model, batches, steps=5, every=2, progress=False)
        assert all(next(m.parameters()).device.type == device for m in run.snapshots.values())
        histories.append(run.history)
    assert histories[1] == pytest.approx(histories[0], abs=1e-3)


def test_default_device_is_the_gpu():
    assert default_device().type == "cuda"


def test_a_ring_of_one_gpu_is_attention():
    """The places of the words stay on the CPU, where to look at them makes nobody wait."""
    places = torch.randperm(L, generator=torch.Generator().manual_seed(0))
    whole = [noise(B, H, L, D, seed=seed).cuda().requires_grad_() for seed in range(3)]
    own = [x.detach()[..., places.cuda(), :].requires_grad_() for x in whole]
    want = attention(*whole, is_causal=True, engine="explicit")
    got = ring_attention(*own, positions=places.cuda(), is_causal=True)
    want.sum().backward()
    got.sum().backward()
    limit = dict(rtol=0, atol=TOLERANCE[torch.float32])
    torch.testing.assert_close(got, want[..., places.cuda(), :], **limit)
    for mine, all_ in zip(own, whole, strict=True):
        torch.testing.assert_close(mine.grad, all_.grad[..., places.cuda(), :], **limit)
