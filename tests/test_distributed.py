"""Attention over ranks against attention in one process, and what happens when a rank fails."""

import contextlib
import functools
import itertools
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
from ranks import PATIENCE, on_ranks, ranks_or_skip

import d2lattn
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
from d2lattn_book import real
from d2lattn_book.real.pretrained import WEIGHTS

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
    return max(found)


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
    return [
        (error(outputs[2], want), error(plain, want)),
        (error(mine[1].grad, rows[0]), error(rows[1], rows[0])),
    ]


def bytes_and_blocks(rank, size):
    """What `Ranks` counts, what torch is given to send, and what the formulas say."""
    seen = dict(ring=0, heads=0)
    send, exchange = dist.batch_isend_irecv, dist.all_to_all_single

    def spy_send(works):
        seen["ring"] += sum(work.tensor.nbytes for work in works if work.op is dist.isend)
        return send(works)

    def spy_exchange(into, x, sizes, given, **options):
        seen["heads"] += x.nbytes - given[rank] * x.itemsize
        return exchange(into, x, sizes, given, **options)

    rows = []
    dist.batch_isend_irecv, dist.all_to_all_single = spy_send, spy_exchange
    for length, call in itertools.product((24, 29), (ring_attention, head_parallel)):
        lengths = [len(places) for places in shards("contiguous", length, size)]
        places, ranks = shards("contiguous", length, size)[rank], Ranks()
        own = [x[..., places, :].requires_grad_() for x in draw(length, torch.float32)]
        seen.update(ring=0, heads=0)
        output = call(*own, is_causal=True, group=ranks)
        forward, blocks = ranks.sent, ranks.computed
        output.sum().backward()
        token = 4 * 24 * 10  # bytes of a token's key and value: 2·12 leading, 5 + 5 wide
        if call is ring_attention:
            passed = token * (length - lengths[(rank + 1) % size])  # all blocks but the next rank's
            home = token * (length - lengths[rank])  # the gradients of all tokens but its own
            want = (passed, 2 * passed + home) if size > 1 else (0, 0)
        else:
            mine, others = lengths[rank], length - lengths[rank]
            before = 3 * 5 * 24 // size * 4 * mine * (size - 1)  # three tensors to the others
            after = 5 * 24 // size * 4 * others  # and the others' output to them
            back = 5 * 24 // size * 4 * (mine * (size - 1) + 3 * others)
            want = before + after, before + after + back
        told = seen["ring"] + seen["heads"]
        rows.append(((forward, ranks.sent, ranks.sent), (*want, told)))
        if call is ring_attention:
            rows.append(((blocks, ranks.computed), (rank + 1, 2 * (rank + 1))))
    dist.batch_isend_irecv, dist.all_to_all_single = send, exchange
    return rows


def nothing_kept(rank, size):
    """Bytes that the graph keeps, in tokens of a rank: query, key, value, output, logsumexp."""
    places = shards("contiguous", 24, size)[rank]
    own = [x[..., places, :].requires_grad_() for x in draw(24, torch.float32)]
    kept = []
    with torch.autograd.graph.saved_tensors_hooks(lambda x: kept.append(x.nbytes) or x, _same):
        ring_attention(*own, is_causal=True)
    return sum(kept) / (4 * 24 * (4 * 5 + 1) * len(places))


def _same(x):
    return x


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
        return 0.0
    group = dist.new_group([size - 2, size - 1])
    if rank < size - 2:
        return 0.0
    places = shards("striped", 9, 2)[rank - size + 2]
    options = dict(positions=places, group=group)
    ring = functools.partial(ring_attention, **options)
    found = compare(ring, draw(9, torch.float64), places, is_causal=True)
    heads, places = functools.partial(head_parallel, group=group), shards("contiguous", 9, 2)
    return max(found, compare(heads, draw(9, torch.float64), places[rank - size + 2]))


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
        with counting(theirs.ft_c, "all_gather_single", "permute_tensor") as sent[method]:
            output, normal = forward(group, 2, kernel, *plain, is_causal=True)
        more = (output, normal, True)
        grads = backward(group, 2, back, grad, "grad_out", *plain, *more, dropout_p=0.0)
        pairs = [(mine.detach(), output), *zip([x.grad for x in own], grads, strict=True)]
        errors += [error(*pair) for pair in pairs]
    return errors, sent


@contextlib.contextmanager
def counting(module, *names):
    """{name: how often it is called}, of functions of a module."""
    calls, found = dict.fromkeys(names, 0), {name: getattr(module, name) for name in names}

    def counted(name):
        def call(*arguments, **options):
            calls[name] += 1
            return found[name](*arguments, **options)

        return call

    for name in names:
        setattr(module, name, counted(name))
    try:
        yield calls
    finally:
        for name in names:
            setattr(module, name, found[name])


X = torch.zeros(2, 12, 3, 4)
EVERYWHERE = dict(query=X, key=X, value=X)
# What rank 1 gives instead of what all others give, and what all are told.
DIFFERENT = {
    "dtype": (dict.fromkeys(EVERYWHERE, X.double()), "dtype must be the same .*float32.*float64"),
    "is_causal": (dict(is_causal=True), r"is_causal must be the same .*\[False, True"),
    "heads": (dict.fromkeys(EVERYWHERE, X.repeat(1, 2, 1, 1)), "leading axes must be the same"),
    "batch": (dict.fromkeys(EVERYWHERE, X[:1]), "leading axes must be the same"),
    "axes": (dict.fromkeys(EVERYWHERE, X[:, None]), "leading axes must be the same"),
    "width": (
        dict(query=X[..., :2], key=X[..., :2]),
        r"widths of query and value must be the same .*\[\(4, 4\), \(2, 4",
    ),
    "width of values": (
        dict(value=X[..., :2]),
        r"widths of query and value must be the same .*\[\(4, 4\), \(4, 2",
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


@pytest.mark.parametrize(("check", "count"), [(equalities, 32), (layers, 20)])
def test_as_in_one_process(answers, check, count):
    for rank, errors in enumerate(said(answers, check)):
        assert len(errors) == count
        wrong = {what: error for what, (error, allowed) in errors.items() if not error <= allowed}
        assert not wrong, f"rank {rank}"


def test_a_shard_of_several_blocks_is_right(answers):
    assert max(said(answers, blocks_of_several_tiles)) <= 1e-12


def test_half_precision_is_as_near_as_the_formula(answers):
    for pairs in said(answers, half_precision):
        for ring, formula in pairs:
            assert ring <= 2 * formula


def test_bytes_and_blocks_are_those_of_the_formula(answers):
    for rows in said(answers, bytes_and_blocks):
        assert len(rows) == 6
        for got, want in rows:
            assert got == want


def test_the_graph_keeps_this_ranks_tokens_alone(answers):
    assert said(answers, nothing_kept) == [1.0] * len(answers)


def test_some_of_the_ranks_are_a_group(answers):
    assert max(said(answers, part_of_the_ranks)) <= 1e-12


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


def real_together(rank, size):
    """Of 24 tokens of the real model: the largest error of this rank's logits and the largest
    logit, the bytes sent, and the pages of the file of weights that are this process's alone."""
    torch.set_num_threads(1)
    model, _ = real.load()
    tokens = torch.arange(1000, 1024)[None]  # (1, 24)
    pieces, ranks = torch.arange(24).chunk(2 * size), Ranks()
    places = torch.cat([pieces[rank], pieces[-1 - rank]])
    with torch.no_grad():
        mine = ring_parallel(model, group=ranks)(tokens[:, places], positions=places)
        whole = model(tokens)[:, places]
    return (mine - whole).abs().max().item(), whole.abs().max().item(), ranks.sent, own_pages()


def own_pages():
    """KiB of the mapped weights that this process has changed or has for itself; None off Linux."""
    smaps, found = Path("/proc/self/smaps"), None
    if not smaps.exists():
        return None
    for line in smaps.read_text(encoding="utf-8", errors="replace").splitlines():
        if re.match(r"[0-9a-f]+-[0-9a-f]+ ", line):
            weights = line.endswith(WEIGHTS)
        elif weights and line.startswith("Private_Dirty:"):
            found = (found or 0) + int(line.split()[1])
    return found


def test_two_read_a_real_model_as_one_does_from_one_file():
    if real.load()[0] is None:  # which puts the file there before both want it
        pytest.skip("the real model is not installed")
    for answer in on_ranks(2, real_together)[0]:
        assert isinstance(answer, tuple), answer
        error, largest, sent, own = answer
        assert error < 1e-4 * largest
        assert sent == 12 * 30 * 2 * 3 * 64 * 4  # tokens, layers, keys and values, heads, numbers
        assert own == 0 or sys.platform != "linux"


# What is for one machine --------------------------------------------------------------------------

TOKENS = torch.zeros(1, 3).long()


def heads(call=None, **options):
    layer = MultiHeadAttention(8, 2, **options)
    return ring_parallel(layer)(torch.zeros(1, 3, 8), **(call or {}))


def decoder(call=None, **options):
    model = Decoder(5, 8, num_layers=1, num_heads=2, **options)
    return ring_parallel(model)(TOKENS, **(call or {}))


ONE_MACHINE = {
    heads: {
        "sink_logit": dict(sink_logit=True),
        "dropout": dict(dropout=0.1),
    },
    decoder: {
        "window": dict(window=2),
        "sink_logit": dict(sink_logit=True),
        "dropout": dict(dropout=0.1),
    },
}
ROWS = [(make, name, wrong) for make, rows in ONE_MACHINE.items() for name, wrong in rows.items()]


@pytest.mark.parametrize(("make", "name", "wrong"), ROWS, ids=lambda x: getattr(x, "__name__", x))
def test_what_needs_one_machine_is_refused_by_name(make, name, wrong):
    with pytest.raises(ValueError, match=f"^{name} must be left out over several ranks, got "):
        make(**wrong)


OWN = [
    ("attend", MultiHeadAttention, lambda kind: kind(8, 2)),
    ("forward", MultiHeadAttention, lambda kind: kind(8, 2)),
    ("forward", Decoder, lambda kind: kind(5, 8, num_layers=1, num_heads=2)),
    ("bias", Positions, lambda kind: Decoder(5, 8, num_layers=1, num_heads=2, positions=kind())),
]


@pytest.mark.parametrize(("name", "kind", "make"), OWN)
def test_a_method_that_a_ring_would_drop_is_refused_by_name(name, kind, make):
    """The ring knows only positions, so it cannot keep a subclass's own mask or bias."""
    own = type("Own", (kind,), {name: lambda *given, **options: None})
    with pytest.raises(ValueError, match=f"^{name} must be that of .*{kind.__name__}.* got one of"):
        ring_parallel(make(own))


@pytest.mark.parametrize(
    "given",
    [dict(attn_mask=TOKENS == 0), dict(valid_lens=[2])],
    ids=lambda given: next(iter(given)),
)
def test_an_argument_that_a_ring_would_drop_is_refused_by_name(given):
    """As from a block of one's own, or a hook."""
    layer = MultiHeadAttention(8, 2)
    layer.register_forward_pre_hook(lambda _, x, seen: (x, seen | given), with_kwargs=True)
    with pytest.raises(ValueError, match=r"^(attn_mask|valid_lens) must be left out"):
        ring_parallel(layer)(torch.zeros(1, 3, 8), is_causal=True)


@pytest.mark.parametrize(
    "strange", [None, torch.nn.Linear(2, 2), LatentAttention(8, 2, latent_dim=3)]
)
def test_what_is_no_layer_of_heads_is_refused(strange):
    with pytest.raises(
        ValueError, match=r"^module must be a MultiHeadAttention or a Decoder, got "
    ):
        ring_parallel(strange)


def test_a_decoder_of_latents_is_refused():
    with pytest.raises(ValueError, match=r"^layer must be a MultiHeadAttention, got Latent"):
        decoder(attention=LatentAttention, latent_dim=3)


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


STARTED = """
import datetime, os, pathlib, signal, sys
import torch
import torch.distributed as dist
from d2lattn import Ranks, ring_attention

dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=5))
ranks, x = Ranks(), torch.randn(1, 4, 8, requires_grad=True)
output = ring_attention(x, x, x, group=ranks)
assert ranks.size == 2 and output.shape == x.shape
pathlib.Path(sys.argv[1], f"{ranks.rank} {os.getpid()}").touch()
dist.barrier()
if ranks.rank == 1:
    os.kill(os.getpid(), signal.SIGKILL)
ring_attention(x, x, x, group=ranks)
"""


def test_torchrun_leaves_nothing_running(tmp_path):
    """As a reader starts it: a first call in two processes, then one of them is killed."""
    ranks_or_skip()
    (tmp_path / "text.py").write_text(STARTED, encoding="utf-8")
    (tmp_path / "started").mkdir()
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    command += [str(tmp_path / "text.py"), str(tmp_path / "started")]
    paths = dict(PYTHONPATH=str(Path(d2lattn.__file__).parents[1]), OMP_NUM_THREADS="1")
    done = subprocess.run(
        command, capture_output=True, text=True, env=os.environ | paths, timeout=PATIENCE
    )
    assert done.returncode != 0 and "SIGKILL" in done.stderr, done.stderr
    started = dict(path.name.split() for path in (tmp_path / "started").iterdir())
    assert started.keys() == {"0", "1"}, done.stderr
    for number in started.values():
        with pytest.raises(ProcessLookupError):
            os.kill(int(number), 0)
