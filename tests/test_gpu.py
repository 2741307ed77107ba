"""The package on another device than the CPU.

On a GPU with `pytest -m gpu`, where there is one; always on a pretended device
(tests/fake_device.py), which shows what would be left on the CPU and how often the host would wait,
not what kernels do.
"""

import os
import re
import subprocess
import sys

import fake_device
import pytest
import report
import torch
from draws import worst
from formula import assert_errs_at_most_twice, naive, with_gradients
from torch import nn

from d2lattn import (
    Cache,
    Decoder,
    LatentAttention,
    MultiHeadAttention,
    attention,
    causal_mask,
    connectivity,
    default_device,
    generate,
    length_mask,
    ring_attention,
)
from d2lattn.comparison import conv_connectivity
from d2lattn.interop import from_torch
from d2lattn.training import fit
from d2lattn_book import digits
from d2lattn_book.exercises import verdict
from d2lattn_book.language import encoder_decoder, next_word, own_text, words
from d2lattn_book.pictures import drawings, live

# torch's engine of gradients counts the devices when it first runs in a process: a device that is
# pretended later has no place in it. So these tests run in a process of their own.
ALONE = "D2LATTN_PRETEND" in os.environ
pretended_here = pytest.mark.skipif(not ALONE, reason="runs in a process of its own")

on_a_gpu = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA GPU"),
]

B, H, L, S, D = 2, 3, 37, 53, 16
TOLERANCE = {torch.float32: 2e-5, torch.float16: 2e-3, torch.bfloat16: 2e-2}
every_dtype = pytest.mark.parametrize("dtype", TOLERANCE)


@pytest.fixture(
    params=[
        pytest.param("cuda", marks=on_a_gpu),
        pytest.param("pretend", marks=pretended_here),
    ]
)
def device(request):
    if request.param == "cuda":
        yield torch.device("cuda", 0)
        return
    with fake_device.device() as made:
        yield made


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


def test_module_equals_torch(device):
    theirs = nn.MultiheadAttention(48, H, batch_first=True).to(device).eval()
    x, mask = noise(B, S, 48).to(device), causal_mask(S, device=device)
    expected = theirs(x, x, x, attn_mask=~mask, need_weights=False)[0]
    torch.testing.assert_close(from_torch(theirs)(x, attn_mask=mask), expected, rtol=0, atol=2e-5)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA GPU")
@pytest.mark.parametrize("engine", ["chunked", "fused"])
def test_long_sequences_need_no_square_memory(engine):
    n = 16_384
    query, key, value = (noise(1, 2, n, 64, seed=i, dtype=torch.bfloat16).cuda() for i in range(3))
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    attention(query, key, value, is_causal=True, engine=engine)
    peak = torch.cuda.max_memory_allocated() - before
    assert peak < 2 * n * n * 2 / 4  # a quarter of the scores of both heads in bfloat16


def test_mask_on_another_device_is_named(device):
    mha, x = MultiHeadAttention(48, H).to(device), noise(B, S, 48).to(device)
    with pytest.raises(ValueError, match=f"attn_mask must be on {device}"):
        mha(x, attn_mask=causal_mask(S))


@torch.no_grad()
@pytest.mark.parametrize("positions", [None, "learned", "sinusoidal", "rotary", "alibi"])
def test_decoder_moves_and_equals_the_cpu(device, positions):
    options = dict(num_layers=2, num_heads=4, num_kv_heads=2, window=9, positions=positions)
    model = Decoder(11, 32, **options).eval()
    tokens = torch.randint(11, (B, 17), generator=torch.Generator().manual_seed(0))
    padding = torch.tensor([0, 11])
    real = torch.arange(17) >= padding[:, None]
    expected = model(tokens, left_padding=padding)[real]
    said = generate(model, tokens, steps=5, temperature=0, left_padding=padding)
    model.to(device)
    got = model(tokens.to(device), left_padding=padding)[
        real.to(device)
    ]  # padding may stay on the CPU
    torch.testing.assert_close(got.cpu(), expected, rtol=0, atol=1e-4)
    cache = Cache(model, B)
    own = [padding.clamp(0, 9), padding.sub(9).clamp(0, 8)]
    parts = zip(tokens.to(device).split([9, 8], dim=1), own, strict=True)
    got = torch.cat([model(part, cache=cache, left_padding=n) for part, n in parts], dim=1)
    torch.testing.assert_close(got[real.to(device)].cpu(), expected, rtol=0, atol=1e-4)
    own = [torch.Generator("cuda")] if device.type == "cuda" else []
    for generator in (None, torch.Generator(), *own):
        options = dict(steps=5, left_padding=padding, generator=generator)
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
        run = fit(model, batches, steps=5, every=2, progress=False)
        assert all(
            next(m.parameters()).device.type == torch.device(place).type
            for m in run.snapshots.values()
        )
        histories.append(run.history)
    assert histories[1] == pytest.approx(histories[0], abs=1e-3)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA GPU")
def test_default_device_is_the_gpu():
    assert default_device().type == "cuda"


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA GPU")
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


# How often the host waits -------------------------------------------------------------------------

LAYERS = {
    "rotary": dict(positions="rotary"),
    "alibi, window": dict(positions="alibi", window=9, sinks=2),
    "latent": dict(positions="rotary", attention=LatentAttention, latent_dim=6, rope_dim=4),
    "gate, norms, sink": dict(qk_norm=True, gate=True, sink_logit=True),
}


@pytest.fixture
def pretended():
    if not ALONE:
        pytest.skip("runs in a process of its own")
    with fake_device.device() as made:
        yield made


@pytest.mark.skipif(ALONE, reason="this is that process")
def test_the_package_on_the_pretended_device():
    """All tests of this file that need no GPU, in a process of their own."""
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:nbval", "-m", "not gpu"]
    command = [sys.executable, "-m", "pytest", *options, __file__]
    alone = dict(os.environ, D2LATTN_PRETEND="1")
    done = subprocess.run(command, env=alone, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-1000:]
    passed = re.search(r"(\d+) passed", done.stdout)
    assert int(passed[1]) > 100 and " 1 skipped" in done.stdout  # this one, there


@pytest.mark.parametrize("engine", ["explicit", "chunked", "fused"])
@pytest.mark.parametrize("how", ["nothing", "mask", "lengths", "causal"])
def test_attention_never_waits_for_the_device(pretended, engine, how):
    query, key, value = (noise(B, H, n, D, seed=n).to(pretended) for n in (L, S, S))
    options = {
        k: v.to(pretended) if torch.is_tensor(v) else v for k, v in hidden(L, S)[how].items()
    }
    with fake_device.counted() as counts:
        attention(query, key, value, **options, engine=engine)
    assert (counts.waits, counts.sent, counts.made) == ([], 0, {fake_device.NAME})


@pytest.mark.parametrize("lengths_on", ["cpu", "device"])
def test_the_module_waits_at_most_for_its_lengths(pretended, lengths_on):
    """Lengths are read to see that they fit: on the CPU for nothing, on the device by a wait."""
    mha, x = MultiHeadAttention(48, H).to(pretended), noise(B, S, 48).to(pretended)
    lengths = torch.tensor([S, 11]).to(pretended if lengths_on == "device" else "cpu")
    for options, waits in (({}, 0), (dict(valid_lens=lengths), int(lengths_on == "device"))):
        with fake_device.counted() as counts:
            mha(x, is_causal=True, **options)
        assert len(counts.waits) <= waits, counts.waits
        assert counts.made == {fake_device.NAME} or options


@torch.no_grad()
@pytest.mark.parametrize("padding_on", [None, "cpu", "device"])
@pytest.mark.parametrize("cached", [False, True])
@pytest.mark.parametrize("options", LAYERS.values(), ids=LAYERS)
def test_the_decoder_waits_at_most_for_its_padding(pretended, options, cached, padding_on):
    """Padding is read to see that it fits: on the CPU for nothing, on the device by one wait."""
    model = Decoder(11, 32, num_layers=2, num_heads=4, **options).eval().to(pretended)
    tokens = torch.arange(10).view(2, 5).to(pretended)
    padding = torch.tensor([0, 2]).to(pretended if padding_on == "device" else "cpu")
    cache = Cache(model, 2) if cached else None
    with fake_device.counted() as counts:
        model(tokens, cache=cache, left_padding=padding if padding_on else None)
    assert len(counts.waits) == (padding_on == "device"), counts.waits
    assert fake_device.NAME in counts.made and (padding_on == "cpu" or len(counts.made) == 1)


@torch.no_grad()
@pytest.mark.parametrize(
    "how",
    [dict(temperature=0), dict(), dict(top_k=3), dict(top_p=0.9), dict(min_p=0.1)],
    ids=str,
)
@pytest.mark.parametrize("options", LAYERS.values(), ids=LAYERS)
def test_a_step_of_writing_waits_for_nothing(pretended, options, how):
    """A text is written to its end, greedy or drawn, before the host has to know a word of it."""
    model = Decoder(11, 32, num_layers=2, num_heads=4, **options).eval().to(pretended)
    tokens = torch.arange(8).view(1, 8).to(pretended)
    costs = []
    for steps in (1, 6):
        with fake_device.counted() as counts:
            generate(model, tokens, steps=steps, **how)
        assert counts.made == {fake_device.NAME}
        costs.append(len(counts.waits))
    per_step = (costs[1] - costs[0]) / 5
    assert per_step == 0, f"{per_step} waits a word"


@pytest.fixture
def default(pretended):
    """The pretended device as torch's default, as a reader with a GPU may set it."""
    torch.set_default_device(pretended)
    yield pretended
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
    assert {x.device for x in digits.load()} == {default}
    run = next_word.train(steps=1)
    assert run.model.encode([["the", "dog"]]).device == default
    assert run.model.read(["the", "dog"])[1].device == default
    learner = own_text.train_on("the cat sat. " * 200, steps=1, embed_dim=8, progress=False)
    assert {x.device for x in learner.model.parameters()} == {default}
    assert len(own_text.write(learner, "the ", letters=5)) == 9


def test_a_speller_reads_and_learns_where_it_was_moved(pretended):
    model = encoder_decoder.TransformerEncoderDecoder().to(pretended)
    ways = {"cat": [("K", "AE", "T")], "horse": [("HH", "AO", "R", "S")]}
    encoder_decoder.train(model, [*ways], ways, steps=2)
    assert model.right([*ways], ways).device == model.read("cat")[1].device == pretended


def test_what_is_judged_or_drawn_is_computed_on_the_host(default):
    """An exercise, who hears whom, a live figure: no generator and no mask of another device."""
    assert verdict("1.2", lambda *_: torch.zeros(1)).message.startswith("1.2: not yet: the shape")
    pick = torch.eye(16)  # an answer that lies on the device
    assert verdict("2.5", (20 * pick[6:12], pick[:6], pick[12:])).correct
    assert connectivity(nn.Linear(4, 4), 3, 4).device.type == "cpu"
    x = torch.arange(6.0).view(3, 2)
    assert live.attention(x, tokens=["a", "b", "c"], mask="causal").line
    drawings.network([conv_connectivity(4, 3)], unit=(1, 2))


MEASURED = [name for name, part in report.PARTS.items() if {"processor", "GPU"} <= {*part.ON}]


@pytest.mark.parametrize("name", MEASURED)
def test_what_a_gpu_is_timed_with_runs_there(pretended, monkeypatch, name):
    """Each part at its smallest; this device has no tensors of the inference mode."""
    monkeypatch.setattr(torch, "inference_mode", torch.no_grad)
    part = report.PARTS[name]
    assert "\n| " in part.section(part.measure_part(True, fake_device.NAME))


def test_the_pretended_device_refuses_what_a_gpu_refuses(pretended):
    there, here = noise(3, 4).to(pretended), noise(3, 4)
    with pytest.raises(RuntimeError, match="expected all tensors on pretend:0"):
        there + here
    assert (there + here.sum()).device == pretended  # a single number may come from the CPU
    with fake_device.counted() as counts:
        there.sum().item()
        there[there > 0]
        (there > 0)[[0, 1]]
        there.cpu()
        there.add_(1)
        there.softmax(-1).multinomial(1)
    waits = ["_local_scalar_dense", "index.Tensor", "to the host", "multinomial"]
    assert counts.waits == waits
    with pytest.raises(TypeError, match="copied to the host"):
        there.numpy()
    with pytest.raises(RuntimeError, match="expected a generator on pretend:0"):
        torch.randn(2, generator=torch.Generator(), device=pretended)
    with pytest.raises(RuntimeError, match="driver must be 'gels' on pretend:0, got 'gelsd'"):
        torch.linalg.lstsq(there, there, driver="gelsd")
    assert torch.linalg.lstsq(there.T, there.T).solution.device == pretended
    ones = torch.ones(3, 2, device=pretended)  # which the CPU's own driver takes
    with pytest.raises(torch.linalg.LinAlgError, match="full rank"):
        torch.linalg.lstsq(ones, ones)


def test_the_pretended_device_follows_what_changes_a_tensor_in_its_place(pretended):
    x, row = noise(4, 2), noise(4)
    there = x.to(pretended)
    assert torch.equal((row.to(pretended) @ there).cpu(), row @ x)  # torch squeezes the product
    assert torch.equal(there[[2, 0]].cpu(), x[[2, 0]])  # a list of rows, made on the CPU
    assert torch.equal(torch.eye(3, device=pretended).cpu(), torch.eye(3))
    assert nn.Linear(2, 2).to(pretended).double()(there.double()).dtype == torch.float64
