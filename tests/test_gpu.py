"""The package on another device than the CPU: on a GPU with `make test-device`.

Always on torch's device `meta`, whose tensors have a shape and no numbers: there nothing can wait
for a number, and what would be left on the CPU is refused.
"""

import pytest
import torch
from draws import worst
from oracles import assert_errs_at_most_twice, naive, with_gradients
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from d2lattn import (
    Cache,
    Decoder,
    LatentAttention,
    MultiHeadAttention,
    attention,
    causal_mask,
    generate,
    length_mask,
    ring_attention,
)
from d2lattn.training import fit
from d2lattn_book.comparison import connectivity, conv_connectivity
from d2lattn_book.exercises import verdict
from d2lattn_book.language import encoder_decoder, next_word, words
from d2lattn_book.pictures import drawings, live

on_a_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA GPU")

B, H, L, S, D = 2, 3, 37, 53, 16
TOLERANCE = {torch.float32: 2e-5, torch.float16: 2e-3, torch.bfloat16: 2e-2}
every_dtype = pytest.mark.parametrize("dtype", TOLERANCE)


@pytest.fixture(params=[pytest.param("cuda", marks=[pytest.mark.gpu, on_a_gpu])])
def device(request):
    return torch.device(request.param, 0)


@pytest.fixture(autouse=True)
def exact_products(monkeypatch):
    if torch.cuda.is_available():
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
def test_engines_equal_the_float64_formula(device, dtype, engine, how, length):
    """In half precision with at most twice the error of the formula, step by step, in it."""
    options = hidden(length, S)[how]
    sizes = enumerate((length, S, S))
    inputs = [noise(B, H, n, D, seed=i, dtype=dtype).requires_grad_() for i, n in sizes]
    exact = [x.detach().double().requires_grad_() for x in inputs]
    there = [x.detach().to(device).requires_grad_() for x in inputs]
    moved = {k: v.to(device) if torch.is_tensor(v) else v for k, v in options.items()}
    output = attention(*there, **moved, engine=engine)
    assert output.dtype == dtype and output.device == device
    got = [x.cpu() for x in with_gradients(output.cpu(), there)]
    wanted = with_gradients(naive(*exact, options), exact)
    if dtype == torch.float32:
        assert worst(got, wanted) <= TOLERANCE[dtype]
    else:
        assert_errs_at_most_twice(got, with_gradients(naive(*inputs, options), inputs), wanted)


@every_dtype
@pytest.mark.parametrize("need_weights", [False, True])
def test_module_moves_and_equals_the_cpu(device, dtype, need_weights):
    mha = MultiHeadAttention(48, H, bias=True).eval()
    x, lengths = noise(B, S, 48), torch.tensor([S, 11])
    options = dict(valid_lens=lengths, is_causal=True, need_weights=True)
    expected, expected_weights = mha(x, **options)
    moved = mha.to(device, dtype)
    for where in ("cpu", device):  # lengths may stay on the CPU, where data loaders make them
        options.update(valid_lens=lengths.to(where), need_weights=need_weights)
        result = moved(x.to(device, dtype), **options)
        output, weights = result if need_weights else (result, None)
        torch.testing.assert_close(output.cpu().float(), expected, rtol=0, atol=TOLERANCE[dtype])
        if need_weights:
            limit = TOLERANCE[dtype]
            torch.testing.assert_close(weights.cpu().float(), expected_weights, rtol=0, atol=limit)


@pytest.mark.gpu
@on_a_gpu
@pytest.mark.parametrize("engine", ["chunked", "fused"])
def test_long_sequences_need_no_square_memory(engine):
    n = 16_384
    query, key, value = (noise(1, 2, n, 64, seed=i, dtype=torch.bfloat16).cuda() for i in range(3))
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    attention(query, key, value, is_causal=True, engine=engine)
    peak = torch.cuda.max_memory_allocated() - before
    assert peak < 2 * n * n * 2 / 4  # a quarter of the scores of both heads in bfloat16


@torch.no_grad()
@pytest.mark.parametrize("positions", [None, "learned", "sinusoidal", "rotary", "alibi"])
def test_decoder_moves_and_equals_the_cpu(device, positions):
    options = dict(num_layers=2, num_heads=4, num_kv_heads=2, window=9, positions=positions)
    model = Decoder(11, 32, **options).eval()
    tokens = torch.randint(11, (B, 17), generator=torch.Generator().manual_seed(0))
    expected = model(tokens)
    said = generate(model, tokens, steps=5, temperature=0)
    model.to(device)
    torch.testing.assert_close(model(tokens.to(device)).cpu(), expected, rtol=0, atol=1e-4)
    cache = Cache(model, B)
    parts = tokens.to(device).split([9, 8], dim=1)
    got = torch.cat([model(part, cache=cache) for part in parts], dim=1)
    torch.testing.assert_close(got.cpu(), expected, rtol=0, atol=1e-4)
    for generator in (None, torch.Generator(), torch.Generator(device)):
        options = dict(steps=5, generator=generator)
        assert generate(model, tokens.to(device), **options, top_k=3).device == device
        greedy = generate(model, tokens.to(device), **options, temperature=0)
        assert torch.equal(greedy.cpu(), said)


def test_fit_trains_where_the_model_is(device):
    """Batches are made on the CPU, and the losses are those of the CPU."""

    def batches(step):
        generator = torch.Generator().manual_seed(step)
        tokens = torch.randint(7, (16, 6), generator=generator)
        return tokens, tokens.flip(1)

    histories = []
    for place in ("cpu", device):
        model = Decoder(7, 16, num_layers=1, num_heads=2).to(place)
        run = fit(model, batches, steps=5, every=2)
        assert all(
            next(m.parameters()).device.type == torch.device(place).type
            for m in run.snapshots.values()
        )
        histories.append(run.history)
    assert histories[1] == pytest.approx(histories[0], abs=1e-3)


@pytest.mark.gpu
@on_a_gpu
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


# Nothing is left on the host, and nothing waits ---------------------------------------------------

LAYERS = {
    "rotary": dict(positions="rotary"),
    "alibi, window": dict(positions="alibi", window=9, sinks=2),
    "latent": dict(positions="rotary", attention=LatentAttention, latent_dim=6, rope_dim=4),
    "gate, norms, sink": dict(qk_norm=True, gate=True, sink_logit=True),
}


class OnlyThere(TorchDispatchMode):
    """Refuses every tensor that is made on another device than `meta`."""

    def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
        made = operation(*args, **(kwargs or {}))
        left = [x.device for x in tree_leaves(made) if torch.is_tensor(x) and not x.is_meta]
        assert not left, f"{operation} makes a tensor on {left}"
        return made


@torch.no_grad()
def test_nothing_is_left_on_the_host_and_nothing_waits():
    """A text is written to its end, greedy or drawn, before the host has to know a word of it."""
    tokens = torch.empty(2, 8, dtype=torch.int64, device="meta")
    for options in LAYERS.values():
        model = Decoder(11, 32, num_layers=2, num_heads=4, **options).eval().to("meta")
        with OnlyThere():
            model(tokens, cache=Cache(model, 2))
            assert generate(model, tokens, steps=2, temperature=0).shape == (2, 10)
    for how in ({}, {"top_k": 3}, {"top_p": 0.9}, {"min_p": 0.1}):
        with OnlyThere():
            generate(model, tokens, steps=2, **how)
    query, key, value = (torch.empty(B, H, n, D, device="meta") for n in (L, S, S))
    for engine in ("explicit", "chunked", "fused"):
        for shown in hidden(L, S).values():
            moved = {name: mask.to("meta") for name, mask in shown.items()}
            with OnlyThere():
                attention(query, key, value, **moved, engine=engine)


# A model and its data on a GPU ------------------------------------------------------------------


@pytest.fixture
def default(device):
    """The GPU as torch's default, as a reader may set it."""
    torch.set_default_device(device)
    yield device
    torch.set_default_device("cpu")


@pytest.mark.parametrize("tied", [False, True])
def test_a_model_is_made_on_the_default_device_with_the_weights_of_the_cpu(default, tied):
    def make():
        yield Decoder(11, 32, num_layers=1, num_heads=4, tied=tied).state_dict()
        yield next_word.NextWord(["a", "b"]).state_dict()

    there = list(make())
    torch.set_default_device("cpu")
    for got, want in zip(there, make(), strict=True):
        assert {x.device for x in got.values()} == {default}
        for name, x in want.items():
            torch.testing.assert_close(got[name].cpu(), x, rtol=0, atol=0)


def test_data_of_the_book_come_on_the_default_device(default):
    assert words.places()[1].device == words.word_vectors()[1].device == default
    run = next_word.train(steps=1)
    assert run.model.encode([["the", "dog"]]).device == default
    assert run.model.read(["the", "dog"])[1].device == default


def test_a_speller_reads_and_learns_where_it_was_moved(device):
    model = encoder_decoder.TransformerEncoderDecoder().to(device)
    ways = {"cat": [("K", "AE", "T")], "horse": [("HH", "AO", "R", "S")]}
    encoder_decoder.train(model, [*ways], ways, steps=2)
    assert model.right([*ways], ways).device == model.read("cat")[1].device == device


def test_what_is_judged_or_drawn_is_computed_on_the_host(default):
    """An exercise, who hears whom, a live figure: no generator and no mask of another device."""
    assert verdict("1.2", lambda *_: torch.zeros(1)).message.startswith("1.2: not yet: the shape")
    pick = torch.eye(16)  # an answer that lies on the device
    assert verdict("2.5", (20 * pick[6:12], pick[:6], pick[12:])).correct
    assert connectivity(nn.Linear(4, 4), 3, 4).device.type == "cpu"
    x = torch.arange(6.0).view(3, 2)
    assert live.attention(x, tokens=["a", "b", "c"], mask="causal").line
    drawings.network([conv_connectivity(4, 3)], unit=(1, 2))
