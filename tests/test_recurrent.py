"""The delta rule: against a float64 loop over numbers, in chunks, token by token, what it keeps."""

import draws
import pytest
import torch
from draws import generator

from d2lattn import delta_attention

CHUNKS = (None, 1, 3, 4, 13, 64)
every_chunk = pytest.mark.parametrize("chunk_size", CHUNKS)
every_decay = pytest.mark.parametrize("decays", [False, True])


def make(*lead, n=13, E=4, EV=3, dtype=torch.float64, decays=True, seed=0):
    draw = generator(seed)
    query, key, value = (torch.randn(*lead, n, w, generator=draw) for w in (E, E, EV))
    key = key / key.norm(dim=-1, keepdim=True)
    beta = 2 * torch.rand(*lead, n, generator=draw)
    decay = 1 - 0.9 * torch.rand(*lead, n, generator=draw)
    tensors = [x.to(dtype) for x in (query, key, value)]
    return tensors, dict(beta=beta.to(dtype), decay=decay.to(dtype) if decays else None)


def oracle(query, key, value, beta, decay):
    """One sequence, number by number, as the definition reads."""
    (L, E), EV = key.shape, value.shape[-1]
    S, outputs = [[0.0] * EV for _ in range(E)], []
    for t in range(L):
        d, b = 1.0 if decay is None else decay[t].item(), beta[t].item()
        S = [[d * x for x in row] for row in S]
        held = [sum(key[t, e].item() * S[e][j] for e in range(E)) for j in range(EV)]
        for e in range(E):
            for j in range(EV):
                S[e][j] += b * key[t, e].item() * (value[t, j].item() - held[j])
        outputs.append([sum(query[t, e].item() * S[e][j] for e in range(E)) for j in range(EV)])
    return torch.tensor(outputs, dtype=torch.float64), torch.tensor(S, dtype=torch.float64)


@every_chunk
@every_decay
def test_it_is_the_loop_of_its_definition(chunk_size, decays):
    tensors, gates = make(2, decays=decays)
    before = [x.clone() for x in tensors]
    output, state = delta_attention(*tensors, **gates, chunk_size=chunk_size, need_state=True)
    assert all(map(torch.equal, before, tensors))
    for i in range(2):
        decay = gates["decay"][i] if decays else None
        want, last = oracle(*(x[i] for x in tensors), gates["beta"][i], decay)
        draws.assert_close(output[i], want, 1e-12)
        draws.assert_close(state[i], last, 1e-12)


@pytest.mark.parametrize("parts", [[1] * 13, [5, 1, 7], [13]])
@pytest.mark.parametrize("chunk_size", [None, 4])
def test_going_on_with_a_state_is_the_whole(parts, chunk_size):
    tensors, gates = make(2, 3)
    expected, last = delta_attention(*tensors, **gates, need_state=True)
    state, outputs, start = None, [], 0
    for length in parts:
        at = slice(start, start + length)
        output, state = delta_attention(
            *(x[..., at, :] for x in tensors),
            **{name: x[..., at] for name, x in gates.items()},
            chunk_size=chunk_size,
            state=state,
            need_state=True,
        )
        outputs.append(output)
        start += length
    draws.assert_close(torch.cat(outputs, -2), expected, 1e-12)
    draws.assert_close(state, last, 1e-12)


@every_decay
@pytest.mark.parametrize("chunk_size", [None, 3])
def test_gradcheck(chunk_size, decays):
    tensors, gates = make(n=7, E=3, EV=2, decays=decays)
    state = torch.randn(3, 2, generator=generator(1)).double()
    gates = [0.1 + 0.9 * gates["beta"]] + ([0.5 + 0.4 * gates["decay"]] if decays else [])
    inputs = [x.clone().requires_grad_() for x in (*tensors, state, *gates)]

    def function(query, key, value, state, beta, decay=None):
        options = dict(beta=beta, decay=decay, state=state, chunk_size=chunk_size)
        return delta_attention(query, key, value, **options, need_state=True)

    assert torch.autograd.gradcheck(function, inputs)
    assert torch.autograd.gradgradcheck(function, inputs, fast_mode=True)


@pytest.mark.parametrize("chunk_size", [None, 16])
def test_bfloat16_is_rounded_once(chunk_size):
    """Input and output are bfloat16; what happens between, and the state, is float32."""
    tensors, gates = make(n=100, dtype=torch.bfloat16)
    exact = [x.double() for x in tensors], {name: x.double() for name, x in gates.items()}
    want, last = delta_attention(*exact[0], **exact[1], need_state=True)
    got, state = delta_attention(*tensors, **gates, chunk_size=chunk_size, need_state=True)
    assert got.dtype == torch.bfloat16 and state.dtype == torch.float32
    draws.assert_close(got.double(), want, 2**-8)
    draws.assert_close(state.double(), last, 1e-5)
    with torch.autocast("cpu", torch.bfloat16):
        again = delta_attention(*tensors, **gates, chunk_size=chunk_size)
    assert torch.equal(again, got)


@pytest.mark.parametrize("chunk_size", [None, 1, 8, 64])
@pytest.mark.parametrize("every", [1, 2])
@pytest.mark.parametrize("least", [1.0, 0.5, 1e-4, 1e-8, 1e-12, 1e-30])
def test_a_small_decay_has_its_gradient_in_chunks_too(least, every, chunk_size):
    """Values and gradients are those of the float64 loop, whether all tokens forget all but
    `least` or every second one, which must not round those of the others away."""
    tensors, gates = make(n=64, E=8, EV=5, dtype=torch.float32)
    decay = 1 - 0.1 * torch.rand(64, generator=generator(7))
    decay[::every] = least

    def results(dtype, chunk_size):
        inputs = [x.to(dtype).requires_grad_() for x in (*tensors, gates["beta"], decay)]
        options = dict(beta=inputs[3], decay=inputs[4], chunk_size=chunk_size, need_state=True)
        output, state = delta_attention(*inputs[:3], **options)
        loss = output.square().sum() + state.square().sum()
        return [output, state, *torch.autograd.grad(loss, inputs)]

    wanted = results(torch.float64, None)
    for got, want in zip(results(torch.float32, chunk_size), wanted, strict=True):
        assert (got - want).abs().max() <= 2e-6 * want.abs().max()


@pytest.mark.parametrize("chunk_size", [None, 4])
def test_leading_axes_broadcast_and_nothing_may_be_empty(chunk_size):
    (query, key, value), gates = make(2, 3)
    beta, decay = gates["beta"][:1, :1], gates["decay"][0, 0]
    got = delta_attention(query, key[:1], value, beta=beta, decay=decay, chunk_size=chunk_size)
    full = key[:1].expand_as(key), beta.expand(2, 3, 13), decay.expand(2, 3, 13)
    want = delta_attention(query, full[0], value, beta=full[1], decay=full[2])
    draws.assert_close(got, want, 1e-12)
    none = (query[..., :0, :], key[..., :0, :], value[..., :0, :])
    start = torch.ones(4, 3, dtype=torch.float64)
    output, state = delta_attention(
        *none, beta=beta[..., :0], state=start, chunk_size=chunk_size, need_state=True
    )
    assert output.shape == (2, 3, 0, 3) and torch.equal(state, start.expand(2, 3, 4, 3))
