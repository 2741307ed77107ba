"""Attention over ranks against attention in one process, and what happens when a rank fails."""

import pytest
import torch
from ranks import on_ranks, ranks_or_skip

from d2lattn import attention, head_parallel, ring_attention

EXACT = {torch.float32: 1e-6, torch.float64: 1e-12}


@pytest.fixture(scope="module", autouse=True)
def _group():
    ranks_or_skip()


def draw(length, dtype, width=(5, 5), lead=(2, 12), seed=0):
    generator = torch.Generator().manual_seed(seed)
    widths = width[0], width[0], width[1]
    return [torch.randn(*lead, length, w, dtype=dtype, generator=generator) for w in widths]


def shares(kind, length, size):
    """The places of each rank's words: contiguous, striped, uneven, with empty ranks, at random."""
    places = torch.arange(length)
    if kind == "contiguous":
        return list(places.tensor_split(size))
    if kind == "striped":
        return [places[rank::size] for rank in range(size)]
    if kind == "empty":  # the first and every other rank have nothing
        full = [rank for rank in range(size) if rank % 2] or [0]
        parts = dict(zip(full, places.tensor_split(len(full)), strict=True))
        return [parts.get(rank, places[:0]) for rank in range(size)]
    shuffled = places[torch.randperm(length, generator=torch.Generator().manual_seed(1))]
    ends = sorted((torch.arange(1, size) ** 2 * 2).clamp(max=length).tolist())
    return list(shuffled.tensor_split(ends))


def error_of(got, want):
    """The largest difference as a share of the largest entry."""
    return ((got - want).abs().max() / want.abs().max()).item() if got.numel() else 0.0


def compare(call, tensors, places, **options):
    """The largest error of the output and of three gradients of `call` on this rank's words."""
    whole = [x.clone().requires_grad_() for x in tensors]
    want = attention(*whole, engine="explicit", **options)
    grad = torch.randn(want.shape, dtype=want.dtype, generator=torch.Generator().manual_seed(9))
    want.backward(grad)
    own = [x[..., places, :].clone().requires_grad_() for x in tensors]
    got = call(*own, **options)
    got.backward(grad[..., places, :])
    pairs = [(got, want), *((mine.grad, all_.grad) for mine, all_ in zip(own, whole, strict=True))]
    scale = [x.abs().max() for _, x in pairs]
    return max(
        ((g - w[..., places, :]).abs().max() / s).item() if g.numel() else 0.0
        for (g, w), s in zip(pairs, scale, strict=True)
    )


# In each process ----------------------------------------------------------------------------------


def equalities(rank, size):
    """{what: (error, allowed)} for every way to split, both dtypes, causal or not."""
    errors = {}
    for dtype in EXACT:
        tensors = draw(29, dtype, width=(5, 7))
        for kind in ("contiguous", "striped", "empty", "random"):
            places = shares(kind, 29, size)[rank]
            for is_causal in (False, True):
                what = f"ring {kind} {dtype} causal={is_causal}"

                def ring(*own, at=places, **options):
                    return ring_attention(*own, positions=at, **options)

                options = dict(is_causal=is_causal, scale=0.7)
                errors[what] = compare(ring, tensors, places, **options), EXACT[dtype]
                if kind in ("contiguous", "empty"):
                    for call in (ring_attention, head_parallel):
                        what = f"{call.__name__} {kind} {dtype} causal={is_causal} by itself"
                        errors[what] = compare(call, tensors, places, **options), EXACT[dtype]
    return errors


CHECKS = [equalities]


def all_checks(rank, size):
    return {check.__name__: check(rank, size) for check in CHECKS}


@pytest.fixture(scope="module", params=[1, 2, 3, 4], ids="ranks={}".format)
def answers(request):
    """What all checks say on so many ranks, which start once."""
    got, _ = on_ranks(request.param, all_checks)
    for rank, answer in enumerate(got):
        assert isinstance(answer, dict), f"rank {rank}: {answer!r}"
    return got


def test_as_in_one_process(answers):
    for rank, answer in enumerate(answers):
        errors = answer["equalities"]
        assert len(errors) == 32
        wrong = {what: error for what, (error, allowed) in errors.items() if not error <= allowed}
        assert not wrong, f"rank {rank}"
