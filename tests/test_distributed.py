"""Attention over ranks against attention in one process, and what happens when a rank fails."""

import functools
import itertools
import multiprocessing
import os
import re
import signal
import time
from unittest import mock

import pytest
import torch
import torch.distributed as dist
from ranks import PATIENCE, on_ranks

from d2lattn import (
    Decoder,
    LatentAttention,
    MultiHeadAttention,
    Positions,
    Ranks,
    attention,
    head_parallel,
    ring_attention,
    ring_parallel,
)

EXACT = {torch.float32: 1e-6, torch.float64: 1e-12}


def draw(length, dtype, width=(5, 5), lead=(2, 12), seed=0):
    generator = torch.Generator().manual_seed(seed)
    widths = width[0], width[0], width[1]
    return [torch.randn(*lead, length, w, dtype=dtype, generator=generator) for w in widths]


def shards(kind, length, size):
    """Each rank's positions: contiguous, striped, uneven, with empty ranks, at random."""
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


def error(got, want, whole=None):
    """The largest difference as a fraction of the largest entry of the whole."""
    whole = want if whole is None else whole
    return ((got - want).abs().max() / whole.abs().max()).item() if got.numel() else 0.0


def compare(call, tensors, places, **options):
    """The largest error of the output and of three gradients of `call` on this rank's tokens."""
    whole = [x.clone().requires_grad_() for x in tensors]
    want = attention(*whole, engine="explicit", **options)
    grad = torch.randn(want.shape, dtype=want.dtype, generator=torch.Generator().manual_seed(9))
    want.backward(grad)
    own = [x[..., places, :].clone().requires_grad_() for x in tensors]
    got = call(*own, **options)
    got.backward(grad[..., places, :])
    pairs = [(got, want), *((mine.grad, all_.grad) for mine, all_ in zip(own, whole, strict=True))]
    return max(error(mine, all_[..., places, :], all_) for mine, all_ in pairs)


# In each process ----------------------------------------------------------------------------------

KINDS = ("contiguous", "striped", "empty", "random")


def equalities(rank, size):
    """{what: (error, allowed)} for every way to split, both dtypes, causal or not."""
    errors = {}
    for dtype in EXACT:
        tensors = draw(29, dtype, width=(5, 7))
        for kind, is_causal in itertools.product(KINDS, (False, True)):
            places = shards(kind, 29, size)[rank]
            what, options = f"{kind} {dtype} {is_causal}", dict(is_causal=is_causal)
            ring = functools.partial(ring_attention, positions=places)
            errors[f"ring {what}"] = compare(ring, tensors, places, **options), EXACT[dtype]
            if kind in ("contiguous", "empty"):
                for call in (ring_attention, head_parallel):
                    found = compare(call, tensors, places, **options)
                    errors[f"{call.__name__} {what}"] = found, EXACT[dtype]
    return errors


def blocks_of_several_tiles(rank, size):
    """A text that is longer than the blocks of the engine, so that their borders are met."""
    tensors, ring = draw(1300, torch.float64, width=(3, 2), lead=(1,)), ring_attention
    found = []
    for kind in ("contiguous", "striped"):
        places = shards(kind, 1300, size)[rank]
        ring = functools.partial(ring_attention, positions=places)
        found.append(compare(ring, tensors, places, is_causal=True))
    return {"output and gradients": (max(found), 1e-12)}


def half_precision(rank, size):
    """Errors of ring and formula in bfloat16 against float32, of output and key gradient."""
    places = shards("striped", 40, size)[rank]
    exact = [x.requires_grad_() for x in draw(40, torch.bfloat16)]
    wide = [x.detach().float().requires_grad_() for x in exact]
    mine = [x.detach()[..., places, :].clone().requires_grad_() for x in exact]
    outputs = [attention(*x, engine="explicit", is_causal=True) for x in (wide, exact)]
    outputs.append(ring_attention(*mine, positions=places, is_causal=True))
    for output in outputs:
        output.float().sum().backward()
    assert outputs[2].dtype == mine[1].grad.dtype == torch.bfloat16
    want, plain = outputs[0][..., places, :], outputs[1][..., places, :]
    rows = [x[1].grad[..., places, :] for x in (wide, exact)]
    return {
        "output": (error(outputs[2], want), 2 * error(plain, want)),
        "key": (error(mine[1].grad, rows[0]), 2 * error(rows[1], rows[0])),
    }


def bytes_and_blocks(rank, size):
    """What `Ranks` counts of 29 tokens and what torch is given to send, forward and backward, and
    how many blocks a rank computes. The formulas are in chapter 11."""
    rows = []
    for call in (ring_attention, head_parallel):
        places, ranks = shards("contiguous", 29, size)[rank], Ranks()
        own = [x[..., places, :].requires_grad_() for x in draw(29, torch.float32)]
        with (
            mock.patch.object(dist, "batch_isend_irecv", wraps=dist.batch_isend_irecv) as passed,
            mock.patch.object(dist, "all_to_all_single", wraps=dist.all_to_all_single) as given,
        ):
            output = call(*own, is_causal=True, group=ranks)
            blocks = ranks.computed
            output.sum().backward()
        works = [work for seen in passed.call_args_list for work in seen.args[0]]
        sent = sum(work.tensor.nbytes for work in works if work.op is dist.isend)
        for seen in given.call_args_list:
            _, outgoing, _, lengths = seen.args
            sent += outgoing.nbytes - lengths[rank] * outgoing.itemsize
        rows.append((ranks.sent, sent))
        computed = (rank + 1, 2 * (rank + 1)) if call is ring_attention else (0, 0)
        rows.append(((blocks, ranks.computed), computed))
    return rows


def nothing_kept(rank, size):
    """What the graph keeps more than this rank's query, key, value, output and logsumexp."""
    places = shards("contiguous", 24, size)[rank]
    own = [x[..., places, :].requires_grad_() for x in draw(24, torch.float32)]
    kept = []
    keep = torch.autograd.graph.saved_tensors_hooks
    with keep(lambda x: kept.append(x.nbytes) or x, lambda x: x):
        ring_attention(*own, is_causal=True)
    return {"bytes": (abs(sum(kept) - 4 * 24 * (4 * 5 + 1) * len(places)), 0)}


def layers(rank, size):
    """{what: (error, allowed)} of MultiHeadAttention and Decoder, weights' gradients included."""
    errors, generator = {}, torch.Generator().manual_seed(3)
    x = torch.randn(2, 13, 16, dtype=torch.float64, generator=generator)
    for options in (dict(), dict(num_kv_heads=2, qk_norm=True, gate=True), dict(num_kv_heads=1)):
        torch.manual_seed(0)
        layer = MultiHeadAttention(16, 4, **options).double()
        for kind, is_causal in itertools.product(("empty", "striped"), (False, True)):
            places, one = shards(kind, 13, size)[rank], dict(is_causal=is_causal)
            want = layer(x, **one)
            got = ring_parallel(layer, group=dist.group.WORLD)(
                x[:, places], positions=places, **one
            )
            what = f"heads {options} {kind} {is_causal}"
            errors[what] = gradients(layer, got, want, places), 1e-12
    tokens = torch.randint(11, (2, 13), generator=generator)
    sizes = dict(num_layers=2, num_heads=4, num_kv_heads=2)
    for method in (None, "learned", "sinusoidal", "rotary"):
        model = Decoder(11, 16, positions=method, bias=False, **sizes).double()
        for kind in ("contiguous", "random"):
            places, want = shards(kind, 13, size)[rank], model(tokens)
            where = None if kind == "contiguous" else places
            got = ring_parallel(model, group=Ranks())(tokens[:, places], positions=where)
            errors[f"decoder {method} {kind}"] = gradients(model, got, want, places), 1e-12
    return errors


def gradients(module, got, want, places):
    """The largest error of an output (B, L, E) and of all weights' gradients, summed over ranks."""
    grad = torch.randn(want.shape, dtype=want.dtype, generator=torch.Generator().manual_seed(5))
    weights = list(module.parameters())
    whole = torch.autograd.grad(want, weights, grad)
    own = torch.autograd.grad(got, weights, grad[:, places])
    for x in own:
        dist.all_reduce(x)
    found = [error(mine, all_) for mine, all_ in zip(own, whole, strict=True)]
    return max(error(got, want[:, places], want), *found)


def part_of_the_ranks(rank, size):
    """A group of the last two ranks, in which they have other numbers than in the whole."""
    if size < 3:
        return {}
    group = dist.new_group([size - 2, size - 1])
    if rank < size - 2:
        return {}
    places = shards("striped", 9, 2)[rank - size + 2]
    options = dict(positions=places, group=group)
    ring = functools.partial(ring_attention, **options)
    found = compare(ring, draw(9, torch.float64), places, is_causal=True)
    heads, places = functools.partial(head_parallel, group=group), shards("contiguous", 9, 2)
    return {
        "ring": (found, 1e-12),
        "heads": (compare(heads, draw(9, torch.float64), places[rank - size + 2]), 1e-12),
    }


SENDING = ("all_gather_single", "permute_tensor")  # torch's ways


def second_opinion(rank, size):
    """Errors of output and gradients against torch's own, given the kernel of the CPU: first as it
    comes, all keys gathered at once, then round a ring; and how often each has sent in the forward
    pass, by way.

    Its public entry, `context_parallel`, asks for kernels of GPUs and for one GPU a rank. What is
    behind it takes any kernel; it holds the tokens as it balances them, piece r and the r-th from
    the end, of 2·R pieces of equal length.
    """
    try:
        from torch.distributed.tensor.experimental._context_parallel import _attention as theirs

        forward, backward = (
            theirs._templated_ring_attention,
            theirs._templated_ring_attention_backward,
        )
        kernel = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu
        back = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward
    except (ImportError, AttributeError) as missing:
        return f"torch {torch.__version__} has no such ring: {missing}"
    pieces = torch.arange(12 * size).chunk(2 * size)
    places = torch.cat([pieces[rank], pieces[2 * size - 1 - rank]])
    own = [x[..., places, :].requires_grad_() for x in draw(12 * size, torch.float32)]
    mine = ring_attention(*own, positions=places, is_causal=True)
    grad = torch.ones_like(mine).cumsum(-1)
    mine.backward(grad)
    group, plain = dist.group.WORLD, [x.detach() for x in own]
    errors, sent = [], {}
    for method in (None, "allgather", "alltoall"):
        if method is not None:
            theirs.set_rotate_method(method)
        functions = {name: getattr(theirs.ft_c, name) for name in SENDING}
        seen = {name: mock.Mock(wraps=function) for name, function in functions.items()}
        with mock.patch.multiple(theirs.ft_c, **seen):
            output, normal = forward(group, 2, kernel, *plain, is_causal=True)
        sent[method] = {name: calls.call_count for name, calls in seen.items()}
        more = (output, normal, True)
        grads = backward(group, 2, back, grad, "grad_out", *plain, *more, dropout_p=0.0)
        pairs = [(mine.detach(), output), *zip([x.grad for x in own], grads, strict=True)]
        errors += [error(*pair) for pair in pairs]
    return errors, sent


X = torch.zeros(2, 12, 3, 4)
EVERYWHERE = dict(query=X, key=X, value=X)
# What rank 1 gives instead of what all others give, and what all are told.
DIFFERENT = {
    "dtype": (dict.fromkeys(EVERYWHERE, X.double()), "dtype must be the same .*float32.*float64"),
    "is_causal": (dict(is_causal=True), r"is_causal must be the same .*\[False, True"),
    "heads": (dict.fromkeys(EVERYWHERE, X.repeat(1, 2, 1, 1)), "leading axes must be the same"),
    "batch": (dict.fromkeys(EVERYWHERE, X[:1]), "leading axes must be the same"),
    "width": (
        dict(query=X[..., :2], key=X[..., :2]),
        r"widths of query and value must be the same .*\[\(4, 4\), \(2, 4",
    ),
    "positions": (dict(positions=torch.arange(3)), "whether positions are given must be the same"),
    "gradients": (dict(query=X.clone().requires_grad_()), "want gradients must be the same"),
    "a refusal": (
        dict(key=X[..., :2]),
        "rank 1 has refused its arguments: query and key must have",
    ),
    "another function": (dict(call=head_parallel), "function must be .*head_parallel"),
}


def disagreements(rank, size):
    """What each rank is told of what rank 1 gives."""
    told = {}
    for name, (wrong, _) in DIFFERENT.items():
        given = EVERYWHERE | dict(call=ring_attention) | (wrong if rank == 1 else {})
        told[name] = refusal(given.pop("call"), **given)
    told["held twice"] = refusal(ring_attention, X, X, X, positions=torch.arange(3))
    told["25 heads"] = refusal(head_parallel, *[torch.zeros(25, 3, 4)] * 3)
    long = Decoder(5, 8, num_layers=1, num_heads=2, max_len=4)
    told["learned"] = refusal(ring_parallel(long), torch.zeros(1, 3).long())
    other = Decoder(5, 8, num_layers=1 + (rank == 1), num_heads=2)
    told["layers"] = refusal(ring_parallel(other), torch.zeros(1, 3).long())
    layer = MultiHeadAttention(8, 2 + 2 * (rank == 1))
    told["layer"] = refusal(ring_parallel(layer), torch.zeros(1, 3, 8))
    return told


def refusal(call, *arguments, **options):
    try:
        call(*arguments, **options)
    except ValueError as error:
        return str(error)
    return "nothing was refused"


CHECKS = (
    equalities,
    blocks_of_several_tiles,
    half_precision,
    bytes_and_blocks,
    nothing_kept,
    layers,
    part_of_the_ranks,
    second_opinion,
    disagreements,
)


def all_checks(rank, size):
    return {check.__name__: check(rank, size) for check in CHECKS}


# What they say ------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=[1, 2, 3, 4], ids="ranks-{}".format)
def answers(request):
    """What all checks say on so many ranks, which start once."""
    got, _ = on_ranks(request.param, all_checks)
    for rank, answer in enumerate(got):
        assert isinstance(answer, dict), f"rank {rank}: {answer!r}"
    return got


def said(answers, check):
    return [answer[check.__name__] for answer in answers]


HELD = (equalities, layers, blocks_of_several_tiles, half_precision, nothing_kept)


@pytest.mark.parametrize("check", [*HELD, part_of_the_ranks])
def test_an_error_is_at_most_what_is_allowed(answers, check):
    for rank, errors in enumerate(said(answers, check)):
        wrong = {what: error for what, (error, allowed) in errors.items() if not error <= allowed}
        assert not wrong, f"rank {rank}"
    assert errors or len(answers) < 3


def test_bytes_and_blocks_are_those_of_the_formula(answers):
    for rows in said(answers, bytes_and_blocks):
        assert len(rows) == 4
        for got, want in rows:
            assert got == want


def test_torch_says_the_same_and_makes_a_ring_only_if_it_is_asked_to(answers):
    told = said(answers, second_opinion)
    if isinstance(told[0], str):
        pytest.skip(told[0])
    ranks = len(answers)
    gathered = dict(all_gather_single=min(ranks - 1, 1), permute_tensor=0)
    ring = dict(all_gather_single=0, permute_tensor=ranks - 1)
    for errors, sent in told:
        assert len(errors) == 12 and max(errors) < 2e-6
        assert sent == {None: gathered, "allgather": gathered, "alltoall": ring}


def test_what_differs_is_named_on_every_rank(answers):
    if len(answers) == 1:
        return
    wanted = {name: message for name, (_, message) in DIFFERENT.items()} | {
        "held twice": "positions must be places .* got 0 more than once",
        "25 heads": f"number of heads that {len(answers)} ranks divide",
        "learned": "no row for the positions from 4 on, got a text up to position",
        "layers": r"num_layers must be the same .*\[1, 2",
        "layer": "num_heads and num_kv_heads must be the same",
    }
    for rank, told in enumerate(said(answers, disagreements)):
        for name, message in wanted.items():
            own = name == "a refusal" and rank == 1
            message = "^query and key must have the same width" if own else message
            assert re.search(message, told[name]), f"rank {rank}, {name}: {told[name]}"


# What is for one machine --------------------------------------------------------------------------

TOKENS = torch.zeros(1, 3).long()


def heads(kind=MultiHeadAttention, given=None, **options):
    layer = kind(8, 2, **options)
    if given:  # as from a block of one's own, or a hook
        layer.register_forward_pre_hook(lambda _, x, seen: (x, seen | given), with_kwargs=True)
    return ring_parallel(layer)(torch.zeros(1, 3, 8), is_causal=True)


def decoder(kind=Decoder, **options):
    return ring_parallel(kind(5, 8, num_layers=1, num_heads=2, **options))(TOKENS)


def own(kind, name):
    """A subclass with a method of its own, whose mask or bias a ring cannot keep."""
    return type("Own", (kind,), {name: lambda *given, **options: None})


OUT = "must be left out over several ranks, got"


@pytest.mark.parametrize(
    ("make", "options", "said"),
    [
        (heads, dict(sink_logit=True), f"sink_logit {OUT}"),
        (heads, dict(dropout=0.1), f"dropout {OUT}"),
        (heads, dict(given=dict(attn_mask=TOKENS == 0)), f"attn_mask {OUT}"),
        (heads, dict(given=dict(valid_lens=[2])), f"valid_lens {OUT}"),
        (heads, dict(kind=own(MultiHeadAttention, "attend")), "attend must be that of Multi"),
        (heads, dict(kind=own(MultiHeadAttention, "forward")), "forward must be that of Multi"),
        (decoder, dict(window=2), f"window {OUT}"),
        (decoder, dict(sink_logit=True), f"sink_logit {OUT}"),
        (decoder, dict(dropout=0.1), f"dropout {OUT}"),
        (decoder, dict(kind=own(Decoder, "forward")), "forward must be that of Decoder"),
        (decoder, dict(positions=own(Positions, "bias")()), "bias must be that of Positions"),
        (
            decoder,
            dict(attention=LatentAttention, latent_dim=3),
            "layer must be a MultiHeadAttention, got Latent",
        ),
        (
            ring_parallel,
            dict(module=torch.nn.Linear(2, 2)),
            "module must be a MultiHeadAttention or a Decoder, got Linear",
        ),
    ],
)
def test_what_a_ring_would_drop_or_cannot_do_is_refused_by_name(make, options, said):
    with pytest.raises(ValueError, match=f"^{said}"):
        make(**options)


def test_a_ring_trains_the_module_it_holds():
    """The parameters are the module's own, and the module itself does not know of a group."""
    layer = MultiHeadAttention(8, 2)
    ring = ring_parallel(layer)
    assert [id(p) for p in ring.parameters()] == [id(p) for p in layer.parameters()]
    ring(torch.randn(1, 3, 8)).sum().backward()
    assert layer.q_proj.weight.grad is not None


def test_a_ring_has_a_first_derivative_only():
    x = torch.randn(1, 3, 4, requires_grad=True)
    with pytest.raises(ValueError, match="ring_attention has a first derivative only"):
        torch.autograd.grad(ring_attention(x, x, x).sum(), x, create_graph=True)


# Faults -------------------------------------------------------------------------------------------


def fail(rank, size, how, when):
    """A ring in which rank 1 fails before it sends its `when`-th block."""
    x = torch.randn(1, 6, 4, requires_grad=True)
    ranks, first = Ranks(), Ranks.pass_on

    def pass_on(self, *block):
        ranks.blocks = getattr(ranks, "blocks", 0) + 1
        if rank == 1 and ranks.blocks == when:
            how()
        return first(self, *block)

    Ranks.pass_on = pass_on
    if rank == 1 and when == BEFORE:
        how()
    begin = time.perf_counter()
    try:
        ring_attention(x, x, x, group=ranks).sum().backward()
    except ConnectionError as error:
        error.seconds = time.perf_counter() - begin
        raise
    return "done"


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def hang():
    time.sleep(600)


BEFORE, FORWARD, BACKWARD = 0, 2, 4  # the handshake; the second block of a round


def raise_error():
    raise KeyError("a mistake of one's own")


@pytest.mark.parametrize(
    ("how", "when"),
    [(die, BEFORE), (die, FORWARD), (die, BACKWARD), (hang, BACKWARD), (raise_error, FORWARD)],
)
def test_a_rank_that_fails_ends_all(how, when):
    got, seconds = on_ranks(3, fail, how, when, timeout=1.0)
    for rank in (0, 2):
        assert isinstance(got[rank], ConnectionError), got[rank]
        wanted = f"rank {rank} of 3 waited .*got no answer: another rank was killed, hangs or"
        assert re.search(wanted, str(got[rank]))
        assert got[rank].seconds < 1 + 5  # the group's timeout, on a busy machine
    assert isinstance(got[1], KeyError) if how is raise_error else got[1] is None
    assert seconds < PATIENCE / 2 and not multiprocessing.active_children()
