"""`kernels.attention` in the interpreter, against the float64 loop, tile by tile.

`make test-kernel` runs it. What the interpreter cannot tell is asked of a GPU, in
tests/test_kernel_on_a_gpu.py.
"""

import subprocess
import sys

import pytest
import torch
from draws import worst
from oracles import CASES, SCALES, gradients, holes, loop, make, options_for

from d2lattn import MultiHeadAttention, attention, length_mask, window_mask
from d2lattn.engines.visibility import checked_call
from d2lattn_book import kernels
from d2lattn_book.kernels import kernel

B, H = 2, 3
TAKEN = [
    name
    for name in CASES | SCALES
    if not any(word in name for word in ("window", "bias", "a mask for", "mask of", "mask and"))
]


def run(inputs, tile=(16, 16), **options):
    names = ("attn_mask", "attn_bias", "is_causal", "query_offset", "scale")
    given = {name: options.get(name) for name in names}
    given["is_causal"] = options.get("is_causal", False)
    return kernel.attend(checked_call(*inputs, *given.values()), tile)


@pytest.mark.parametrize("case", TAKEN)
@pytest.mark.parametrize("tile", [(16, 16), (2, 4)], ids=str)
def test_outputs_and_gradients_are_those_of_the_loop(case, tile):
    sizes, options = options_for(case, torch.float64)
    inputs = make(B, H, **sizes, grad=True)
    output, _ = loop(*inputs, options)
    wanted = [output, *gradients(output, inputs)]
    leaves = [x.detach().float().requires_grad_() for x in inputs]
    got = run(leaves, tile, **options)
    assert got.dtype == torch.float32
    assert worst([got, *gradients(got, leaves)], wanted) < 2e-5


@pytest.mark.parametrize("L, S", [(1, 1), (3, 2), (31, 37), (32, 32), (33, 31), (67, 1)])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("tile", [(16, 32), (32, 16)], ids=str)
def test_blocks_that_are_full_and_blocks_that_are_not(L, S, causal, tile):
    """Prime lengths, the first block and the last, one more or one less than a block."""
    inputs = make(2, L=L, S=S, E=16, EV=16, dtype=torch.float32, seed=L + S, grad=True)
    options = dict(is_causal=causal, query_offset=3) if causal else {}
    ours, theirs = run(inputs, tile, **options), attention(*inputs, **options, engine="explicit")
    wanted = [theirs, *gradients(theirs, inputs)]
    assert worst([ours, *gradients(ours, inputs)], wanted) < 2e-5


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("case", ["no mask", "is_causal", "length 0"])
def test_half_errs_at_most_twice_as_much_as_the_formula_in_half(case, dtype):
    sizes, options = options_for(case, torch.float64)
    inputs = make(B, H, **sizes, dtype=dtype, grad=True)
    wide = [x.detach().double().requires_grad_() for x in inputs]
    exact, _ = loop(*wide, options)
    wanted = [exact, *gradients(exact, wide)]
    found = {}
    for engine in ("explicit", "kernels"):
        if engine == "kernels":
            got = kernels.attention(*inputs, **options)
        else:
            got = attention(*inputs, **options, engine=engine)
        assert got.dtype == dtype and not got.isnan().any()
        found[engine] = worst([got, *gradients(got, inputs)], wanted)
    assert found["kernels"] <= 2 * found["explicit"] + torch.finfo(dtype).eps


@pytest.mark.parametrize("width", [1, 3, 16, 17, 32, 64, 128])
def test_every_width_up_to_128(width):
    inputs = make(2, L=5, S=5, E=width, EV=max(1, width - 1), dtype=torch.float32, grad=True)
    ours, theirs = run(inputs), attention(*inputs, engine="explicit")
    wanted = [theirs, *gradients(theirs, inputs)]
    assert ours.shape == theirs.shape
    assert worst([ours, *gradients(ours, inputs)], wanted) < 2e-5


@pytest.mark.parametrize("causal", [False, True])
def test_heads_that_share_keys_read_them_from_one_place(causal, monkeypatch):
    query, key, value = make(2, 2, 3, L=9, S=9, E=16, EV=16, dtype=torch.float32, grad=True)
    key, value = (x[:, :, :1].detach().requires_grad_() for x in (key, value))
    inputs, shapes, forward = (query, key, value), [], kernel.forward

    def watched(*given, **options):
        shapes.append((given[1].shape, options["group"]))
        return forward(*given, **options)

    monkeypatch.setattr(kernel, "forward", watched)
    ours = kernels.attention(*inputs, is_causal=causal)
    theirs = attention(*inputs, is_causal=causal, engine="explicit")
    assert shapes == [((4, 9, 16), 3)]  # 4 heads of keys for 12 of queries
    wanted = [theirs, *gradients(theirs, inputs)]
    assert worst([ours, *gradients(ours, inputs)], wanted) < 2e-5


def test_leading_axes_broadcast_as_elsewhere():
    query, _, _ = make(2, 3, L=4, E=16, dtype=torch.float32)
    _, key, value = make(3, S=6, E=16, EV=16, dtype=torch.float32)
    ours = kernels.attention(query, key, value)
    torch.testing.assert_close(ours, attention(query, key, value), atol=1e-6, rtol=0)
    alone = kernels.attention(query[0, 0], key[0], value[0])
    torch.testing.assert_close(alone, ours[0, 0])


@pytest.mark.parametrize("kv_heads", [4, 2, 1])
def test_between_the_parts_of_a_layer_with_lengths_and_causality(kv_heads):
    torch.manual_seed(1)
    layer, lengths = MultiHeadAttention(32, 4, num_kv_heads=kv_heads), torch.tensor([7, 3])
    x, found = torch.randn(2, 7, 32, requires_grad=True), []
    for by_kernels in (False, True):
        if by_kernels:
            query, key, value = layer.project(x, x, x)
            query = query.unflatten(1, (kv_heads, -1))  # (B, Hkv, H / Hkv, L, D)
            mask = length_mask(lengths, 7)[:, None, None]  # (B, 1, 1, 1, S)
            options = dict(attn_mask=mask, is_causal=True)
            heads = kernels.attention(query, key[:, :, None], value[:, :, None], **options)
            output = layer.join(heads.flatten(1, 2))
        else:
            output = layer(x, valid_lens=lengths, is_causal=True)
        gradients = torch.autograd.grad(output.square().sum(), [x, layer.k_proj.weight])
        found.append((output, *gradients))
    torch.testing.assert_close(*found, atol=1e-4, rtol=1e-4)


def test_hidden_finite_numbers_never_matter():
    query, key, value = make(1, L=3, S=20, E=16, EV=16, dtype=torch.float32)
    mask = length_mask(torch.tensor([17]), 20)
    clean = kernels.attention(query, key, value, attn_mask=mask)
    key[:, 18], value[:, 19] = 1e30, -1e30
    assert torch.equal(kernels.attention(query, key, value, attn_mask=mask), clean)


def test_tiles_in_the_future_are_never_visited():
    """A tile of NaN would spoil whoever takes it in, with weights of 0 too: 0 · NaN is NaN."""
    query, key, value = make(1, L=64, S=64, E=16, EV=16, dtype=torch.float32)
    value[:, 48:] = float("nan")
    causal, whole = torch.arange(1, 65, dtype=torch.int32)[None], torch.full((1, 64), 64).int()
    for seen, finite in ((causal, 48), (whole, 0)):
        output, _ = kernel.forward(query, key, value, seen, scale=0.25, tile=(16, 16))
        assert output.isfinite().all(-1)[0].tolist() == [True] * finite + [False] * (64 - finite)


def test_the_log_sum_exp_is_that_of_the_scores():
    query, key, value = make(2, L=5, S=7, E=16, EV=16, dtype=torch.float32)
    seen = torch.tensor([[7, 1, 3, 0, 7]] * 2, dtype=torch.int32)
    _, found = kernel.forward(query, key, value, seen, scale=0.25, tile=(2, 4))
    scores = (0.25 * query @ key.mT).masked_fill(torch.arange(7) >= seen[..., None], -torch.inf)
    wanted = scores.logsumexp(-1).masked_fill(seen == 0, torch.inf)
    torch.testing.assert_close(found, wanted)


def small(*lead, dtype=torch.float32, **sizes):
    return make(*lead, dtype=dtype, **sizes)


REFUSED = {  # what the refusal says -> what is asked
    "attn_mask must let each query see": lambda: kernels.attention(
        *small(2, 3), attn_mask=window_mask(5, 7, width=2)
    ),
    "attn_mask must let each": lambda: kernels.attention(*small(2, 3), attn_mask=holes(5, 7)),
    "query must have at most 128 channels, got 129": lambda: kernels.attention(*small(1, E=129)),
    "query must be one of .*, got torch.float64": lambda: kernels.attention(*make(1)),
    "query must come from outside torch.func": lambda: torch.func.vmap(kernels.attention)(
        *small(2, E=16, EV=16)
    ),
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_the_kernels_do_not_compute_is_refused(message):
    with pytest.raises(ValueError, match=message):
        REFUSED[message]()


def test_of_nothing_comes_0_with_its_gradient():
    query, _, _ = make(1, L=3, S=4, E=16, EV=16, dtype=torch.float32, grad=True)
    output = kernels.attention(query, query[:, :0], query[:, :0])
    output.sum().backward()
    assert output.shape == query.shape and not output.any() and not query.grad.any()


def test_a_second_derivative_is_refused():
    inputs = make(1, E=16, EV=16, dtype=torch.float32, grad=True)
    output = kernels.attention(*inputs)
    with pytest.raises(ValueError, match="create_graph must be False, got True"):
        torch.autograd.grad(output.square().sum(), inputs, create_graph=True)


def test_without_the_interpreter_a_cpu_is_refused(monkeypatch):
    monkeypatch.setattr(kernel, "INTERPRETED", False)
    with pytest.raises(ValueError, match=r"query must be on a GPU.*TRITON_INTERPRET=1"):
        kernels.attention(*make(1, dtype=torch.float32))


@pytest.mark.parametrize(("gpu", "asked", "interpreted"), [(1, "", 0), (1, "1", 1), (0, "", 1)])
def test_a_gpu_compiles_the_kernels_unless_the_interpreter_is_asked_for(
    gpu, asked, interpreted, monkeypatch
):
    """It is settled when they are imported, so a process of its own imports them."""
    monkeypatch.delenv("TRITON_INTERPRET")
    if asked:
        monkeypatch.setenv("TRITON_INTERPRET", asked)
    program = f"import torch; torch.cuda.is_available = lambda: {gpu == 1}\n"
    program += "from d2lattn_book import kernels; print(kernels.kernel.INTERPRETED)"
    command = [sys.executable, "-c", program]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert said == f"{interpreted == 1}\n"


def test_programs_are_numbered_along_one_axis_as_others_take_65535_of_them_at_most():
    grids = []

    class Launched:
        def __getitem__(self, grid):
            grids.append(grid)
            return lambda *given: None

    x, rows = torch.zeros(6, 40, 16), torch.zeros(6, 40)
    seen, shared = rows.int(), torch.zeros(3, 50, 16)
    options = dict(scale=1.0, group=2, tile=(16, 32))
    kernel.forward(x, shared, shared, seen, kernel=Launched(), **options)
    kernels_back = (Launched(), Launched())
    kernel.backward(x, shared, shared, seen, x, rows, x, kernels=kernels_back, **options)
    assert grids == [(6 * 3,), (3 * 2,), (6 * 3,)]


@pytest.mark.parametrize(("capability", "runs"), [((7, 5), False), ((8, 0), True), ((9, 0), True)])
def test_a_race_wants_a_gpu_that_triton_supports(capability, runs, monkeypatch, capsys):
    started = []
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda: capability)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda: "Tesla T4")
    monkeypatch.setattr(kernels.subprocess, "run", lambda *given, **more: started.append(given))
    kernels.race(kernel.forward_kernel)
    assert len(started) == runs
    assert ("Tesla T4 has compute capability 7.5" in capsys.readouterr().out) != runs
