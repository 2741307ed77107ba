"""Attention over a text that no machine holds whole (chapter 11): context parallelism.

    ring_attention     each rank keeps its tokens; keys and values travel
    ring_parallel      a layer or a decoder whose attention is such a ring
    head_parallel      tokens are exchanged for heads, and back

A *rank* is one of R processes that `torchrun` started and that meet in a group of
`torch.distributed`, gloo on processors or nccl on GPUs:

    dist.init_process_group("gloo", timeout=timedelta(seconds=60))    # how long to wait for a rank
    output = ring_attention(query, key, value, is_causal=True)        # each rank gives its tokens

What one rank refuses with a ValueError, all refuse. Where one fails, or does not answer within the
group's timeout, the others stop with a ConnectionError.

Shapes: L_r tokens of rank r, L of all ranks together, E width of queries and keys, Ev of values.
"""

import contextlib
import functools
import math
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn

from d2lattn.arguments import check_positions, scores_shape, show
from d2lattn.attention import attention
from d2lattn.engines.chunked import backward_in_blocks, forward_in_blocks, merge
from d2lattn.engines.visibility import Call, Visibility
from d2lattn.multihead import Context, MultiHeadAttention, check_input
from d2lattn.positions import Positions, TokenPositions
from d2lattn.tracing import in_full_precision
from d2lattn.transformer import Decoder


class Ranks:
    """A group of ranks, and a count of what this one sends them.

    Everything here that takes a `group` takes one of these in its place.

    Args:
        group: a group of `torch.distributed`; when absent, that of all processes, or of this one
            alone where nobody called `init_process_group`.

    Attributes:
        rank, size (int): which one this is, and of how many.
        sent (int): bytes of keys, values, heads and gradients that it sent to others.
        computed (int): blocks of keys that its queries met, forward and backward.

    Example:
        >>> ranks = Ranks()
        >>> x = torch.randn(1, 4, 8)
        >>> output = ring_attention(x, x, x, group=ranks)
        >>> ranks.size, ranks.sent, ranks.computed
        (1, 0, 1)
    """

    def __init__(self, group: Any = None) -> None:
        ready = dist.is_available() and dist.is_initialized()
        self.group = dist.group.WORLD if group is None and ready else group
        self.rank = dist.get_rank(group) if ready else 0
        self.size = dist.get_world_size(group) if ready else 1
        self.sent: int = 0
        self.computed: int = 0

    def gather(self, mine: Any) -> list[Any]:
        """Collect what every rank gives, in their order; small things, which are pickled."""
        if self.size == 1:
            return [mine]
        everyone = [None] * self.size
        with self._waiting("to agree on the arguments"):
            dist.all_gather_object(everyone, mine, group=self.group)
        return everyone

    def pass_on(self, outgoing: Tensor, incoming: Tensor) -> Any:
        """Start to send a tensor to the next rank and to fill another from the rank before. What it
        returns waits until both are done and gives `incoming`."""
        group: Any = self.group
        ways = (dist.isend, outgoing, self.rank + 1), (dist.irecv, incoming, self.rank - 1)
        with self._waiting("to send a block round the ring"):
            works = [
                dist.P2POp(way, x, dist.get_global_rank(group, peer % self.size), group)
                for way, x, peer in ways
                if x.numel()  # a rank without tokens has no block
            ]
            works = dist.batch_isend_irecv(works) if works else []
        self.sent += outgoing.nbytes

        def wait():
            with self._waiting("for a block of the ring"):
                for work in works:
                    work.wait()
            return incoming

        return wait

    def exchange(self, parts: list[Tensor], sizes: list[int]) -> list[Tensor]:
        """Send part j to rank j, and get flat tensors of these sizes from all (all-to-all)."""
        if self.size == 1:
            return [parts[0].reshape(-1)]
        outgoing = torch.cat([part.reshape(-1) for part in parts])
        incoming, own = outgoing.new_empty(sum(sizes)), parts[self.rank]
        with self._waiting("to exchange tokens for heads"):
            given = [part.numel() for part in parts]
            dist.all_to_all_single(incoming, outgoing, sizes, given, group=self.group)
        self.sent += outgoing.nbytes - own.nbytes
        return list(incoming.split(sizes))

    @contextlib.contextmanager
    def _waiting(self, what):
        """Say what torch says of a rank that does not answer, once and by the same name."""
        try:
            yield
        except RuntimeError as error:
            raise ConnectionError(
                f"rank {self.rank} of {self.size} waited {what} and got no answer: another rank "
                f"was killed, hangs or has failed ({str(error).strip().splitlines()[0]})"
            ) from error


class Shard:
    """Who holds which tokens, and the proof that the ranks mean the same call.

    Made by all ranks together, in one exchange of small things. A rank whose arguments are refused
    comes too, so that no other waits for it in vain.

    Args:
        ranks (Ranks): the group.
        function (str), is_causal, positions: of the call.
        check: a function that checks the arguments of this rank and gives (how many tokens it has,
            a tensor of the dtype, what else must be the same on all ranks, by name).

    Attributes:
        lengths (list of int): tokens of each rank. stop (int): the place after the whole text.
        places: the places (L_r,) of each rank's tokens in the whole text, on the CPU.
    """

    def __init__(self, ranks, function, is_causal, positions, check):
        mine, error = None, None
        try:
            length, x, terms = check()
            if positions is not None:
                check_positions(positions, length)
                positions = positions.detach().cpu().long().clone()
            equal = {"the function": function, "dtype": str(x.dtype), "is_causal": is_causal}
            equal |= {"whether positions are given": positions is not None} | terms
            mine = length, positions, equal
        except ValueError as refused:
            error = refused
        everyone = ranks.gather((None if error is None else str(error), mine))
        if error is not None:
            raise error
        for rank, (refused, _) in enumerate(everyone):
            if refused is not None:
                raise ValueError(f"rank {rank} has refused its arguments: {refused}")
        lengths, places, terms = zip(*(given for _, given in everyone), strict=True)
        for name, first in terms[0].items():
            values = [one.get(name) for one in terms]
            if any(value != first for value in values):
                raise ValueError(
                    f"{name} must be the same on all ranks, got {show(values, 300)} "
                    f"on ranks 0 to {len(values) - 1}"
                )
        self.ranks, self.lengths = ranks, list(lengths)
        given = positions is not None
        self.places = places if given else torch.arange(sum(lengths)).split(self.lengths)
        held, counts = torch.cat(self.places).unique(return_counts=True)
        if (counts > 1).any():
            raise ValueError(
                "positions must be places in the whole text, each held by one rank and once, "
                f"got {held[counts > 1][0].item()} more than once"
            )
        self.stop = held[-1].item() + 1 if len(held) else 0


def as_ranks(group):
    """Take ranks as they are; of a group, or None, make its own."""
    return group if isinstance(group, Ranks) else Ranks(group)


def wants_gradient(x):
    """Tell whether a backward pass may come through here, for which all ranks must be there."""
    return torch.is_grad_enabled() and x.requires_grad


def refuse_layer(layer):
    """Refuse what a layer of attention does on one machine only, by name."""
    if not isinstance(layer, MultiHeadAttention):
        raise ValueError(f"layer must be a MultiHeadAttention, got {type(layer).__name__}")
    refuse_own(layer, MultiHeadAttention, "forward", "attend")
    dropout = layer.dropout if layer.training else 0.0
    refuse_given(sink_logit=layer.sink is not None, dropout=dropout)


def refuse_given(**given):
    """Refuse arguments that have a value."""
    for name, value in given.items():
        if torch.is_tensor(value) or value not in (None, False, 0):
            raise ValueError(f"{name} must be left out over several ranks, got {show(value)}")


def refuse_own(module, kind, *names):
    """Refuse methods that are not those of this class: what they hide or add would be lost."""
    for name in names:
        if getattr(getattr(module, name), "__func__", None) is not getattr(kind, name):
            got = f"one of {type(module).__name__}'s own"
            raise ValueError(
                f"{name} must be that of {kind.__name__} over several ranks, got {got}"
            )


def _agree(function, query, key, value, is_causal, ranks, positions=None):
    """Agree on the shard of a call of a function below."""
    parts = query, key, value

    def look():
        L, S = scores_shape(query, key, value)[-2:]
        if len({x.shape[:-2] for x in parts}) > 1 or L != S:
            raise ValueError(
                "query, key and value must have the same leading axes and be of the same tokens, "
                f"got {[tuple(x.shape) for x in parts]}"
            )
        terms = {"the leading axes": tuple(query.shape[:-2])}
        terms["the widths of query and value"] = query.shape[-1], value.shape[-1]
        terms["which of query, key and value want gradients"] = [wants_gradient(x) for x in parts]
        return L, query, terms

    return Shard(ranks, function, is_causal, positions, look)


# The ring -----------------------------------------------------------------------------------------


class PlacedVisibility(Visibility):
    """Causality by the places of queries and keys in a text that is spread over machines.

    Args:
        shape: that of the scores, (..., L, S). device: where they are.
        asking, asked: places of the queries (L,) and of the keys (S,), int64 on the CPU, where
            looking at them does not wait for a GPU.
    """

    __slots__ = ("asked", "asking")

    def __init__(self, shape, device, asking, asked):
        super().__init__(shape, device)
        self.asking, self.asked = asking, asked

    def hides_all(self):
        return 0 in self.shape[-2:] or bool(self.asking.max() < self.asked.min())

    def allowed(self):
        if self.asking.min() >= self.asked.max():
            return None
        return self.asked.to(self.device) <= self.asking.to(self.device)[:, None]

    def part(self, rows, keys):
        shape = (*self.shape[:-2], rows.stop - rows.start, keys.stop - keys.start)
        return PlacedVisibility(shape, self.device, self.asking[rows], self.asked[keys])


def ring_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    positions: Tensor | None = None,
    is_causal: bool = False,
    group: Any = None,
) -> Tensor:
    """Attention over a sequence that is sharded across ranks (ring attention, Liu et al. 2023).

    Each rank keeps its queries; blocks of keys and values travel around the ring, and partial
    outputs are combined by a log-sum-exp merge. Any sharding works, contiguous, striped or uneven.
    Blocks that no query of a rank may see are passed on without being computed. In the backward
    pass keys and values go round again with their gradients, so all ranks must run it. Gradients of
    parameters cover a rank's own tokens only: sum them over ranks.

    Args:
        query, key, value: this rank's tokens, (..., L_r, E), (..., L_r, E), (..., L_r, Ev).
        positions: integers (L_r,), places in the whole sequence; by default contiguous shards.
        is_causal (bool): each token attends to itself and to earlier positions.
        group: the ranks, see `Ranks`.

    Returns:
        Tensor (..., L_r, Ev): this rank's rows of `attention` over the whole sequence.

    Raises:
        ConnectionError: a rank did not answer within the group's timeout.

    Example:
        >>> x = torch.randn(2, 6, 4)  # one process is a ring of one
        >>> output = ring_attention(x, x, x, is_causal=True)
        >>> torch.allclose(output, attention(x, x, x, is_causal=True), atol=1e-6)
        True
    """
    ranks = as_ranks(group)
    shard = _agree("ring_attention", query, key, value, is_causal, ranks, positions)
    return ring(query, key, value, shard, is_causal)


def ring(query, key, value, shard, is_causal):
    """Do the same, agreed upon. Heads (..., H, L_r, E) over (..., Hkv, L_r, E): those of a group
    are more queries at the same places to the keys they share, which so travel once."""
    lead, (rows, width) = key.shape[:-2], query.shape[-2:]
    group = query.shape[:-2].numel() // max(lead.numel(), 1)
    asking = query.reshape(*lead, group * rows, width)
    output = _Ring.apply(asking, key, value, shard, is_causal)
    return output.reshape(*query.shape[:-1], value.shape[-1])


class _Ring(torch.autograd.Function):
    """Two rounds: keys and values alone, then keys and values with their gradients behind them."""

    @staticmethod
    def forward(ctx, query, key, value, shard, is_causal):
        ctx.shard, ctx.is_causal = shard, is_causal
        wide = torch.promote_types(query.dtype, torch.float32)
        shape = *query.shape[:-1], value.shape[-1]
        output = query.new_zeros(shape, dtype=wide)
        logsumexp = query.new_full(query.shape[:-1], -torch.inf, dtype=wide)
        with in_full_precision(query):
            for owner, *block in _round(shard, key, value):
                call = _meeting(shard, owner, query, *block, is_causal)
                if call is not None:
                    part = torch.empty_like(output), torch.empty_like(logsumexp)
                    forward_in_blocks(call, *part)
                    output, logsumexp = merge((output, part[0]), (logsumexp, part[1]))
        ctx.save_for_backward(query, key, value, output, logsumexp)
        return output.to(query.dtype)

    @staticmethod
    def backward(ctx, grad_output):
        if torch.is_grad_enabled():  # create_graph=True
            raise ValueError("ring_attention has a first derivative only: its scores are not kept")
        query, key, value, output, logsumexp = ctx.saved_tensors
        shard, wide = ctx.shard, logsumexp.dtype
        grad_output = grad_output.to(wide)
        given = logsumexp, grad_output, (grad_output * output).sum(-1)
        grad_query, behind = torch.zeros_like(query, dtype=wide), None
        widths = key.shape[-1], value.shape[-1]
        with in_full_precision(query):
            for owner, *block in _round(shard, key, value):
                packed = query.new_zeros(*block[0].shape[:-1], sum(widths), dtype=wide)
                grads = packed.split(widths, -1)
                call = _meeting(shard, owner, query, *block, ctx.is_causal)
                if call is not None:
                    backward_in_blocks(call, given, (grad_query, *grads, None))
                if owner == shard.ranks.rank:
                    own = packed
                    continue
                if behind is not None:  # what the ranks before have to give to these tokens
                    packed += behind()
                length = shard.lengths[owner - 1]  # what the rank before holds now
                behind = shard.ranks.pass_on(packed, _room(packed, length))
        if behind is not None:
            own += behind()
        grad_key, grad_value = own.split(widths, -1)
        grads = (x.to(query.dtype) for x in (grad_query, grad_key, grad_value))
        return *grads, None, None


def _round(shard, key, value):
    """(owner, keys, values) of all ranks, this one's first; sending the next block overlaps with
    computing on this one."""
    ranks, packed = shard.ranks, torch.cat([key, value], -1)  # one message
    for step in range(ranks.size):
        owner, last = (ranks.rank - step) % ranks.size, step == ranks.size - 1
        if not last:
            wait = ranks.pass_on(packed, _room(packed, shard.lengths[owner - 1]))
        yield owner, *packed.split([key.shape[-1], value.shape[-1]], -1)
        if not last:
            packed = wait()


def _meeting(shard, owner, query, key, value, is_causal):
    """Give the call of this rank's queries over the keys of a rank, or None if none may see any."""
    asking, asked = shard.places[shard.ranks.rank], shard.places[owner]
    asking = asking.repeat(query.shape[-2] // max(len(asking), 1))  # heads that share keys
    shape = *query.shape[:-1], key.shape[-2]
    visible = Visibility(shape, query.device)
    if is_causal:
        visible = PlacedVisibility(shape, query.device, asking, asked)
    if visible.hides_all():
        return None
    shard.ranks.computed += 1
    return Call(query, key, value, visible, 1 / math.sqrt(query.shape[-1]))


def _room(packed, length):
    """Make an empty tensor for `length` tokens."""
    return packed.new_empty(*packed.shape[:-2], length, packed.shape[-1])


# A layer, or a whole decoder, in a ring -----------------------------------------------------------


def ring_parallel(module: Any, *, group: Any = None) -> nn.Module:
    """Put a layer or a decoder over ranks that have the same weights and hold one text together.

    Each rank gives its own tokens and gets their rows of what the module alone would return, having
    read the whole text: attention is `ring_attention`, and all else concerns one token at a time.
    As with DistributedDataParallel, the module is held and not changed.

    Args:
        module: a `MultiHeadAttention`, or a `Decoder` made of such, without sink_logit, active
            dropout, window or ALiBi. Subclasses keep the methods that decide which query sees which
            key: `forward` and `attend` of the layer, `forward` of the decoder, `bias` of
            `Positions`; a block of your own adds no mask and no bias.
        group: the ranks, see `Ranks`.

    Returns:
        A module. Of a layer it takes tokens (B, L_r, E), is_causal and positions, of a decoder
        tokens (B, L_r) and positions, as in `ring_attention`. All layers share one handshake.

    Example:
        >>> from d2lattn import MultiHeadAttention
        >>> layer, x = MultiHeadAttention(8, 2), torch.randn(1, 5, 8)
        >>> ring = ring_parallel(layer)  # one process is a ring of one
        >>> torch.allclose(ring(x, is_causal=True), layer(x, is_causal=True), atol=1e-6)
        True
    """
    if not isinstance(module, (Decoder, MultiHeadAttention)):
        got = type(module).__name__
        raise ValueError(f"module must be a MultiHeadAttention or a Decoder, got {got}")
    wrapper = _RingDecoder if isinstance(module, Decoder) else _RingLayer
    return wrapper(module, as_ranks(group))


class _RingLayer(nn.Module):
    def __init__(self, layer, ranks):
        super().__init__()
        refuse_layer(layer)
        self.layer, self.ranks = layer, ranks

    def forward(self, x, *, is_causal=False, positions=None):
        layer = self.layer

        def look():
            refuse_layer(layer)
            check_input("x", x, layer.embed_dim)
            return x.shape[1], x, _layer_terms(layer, x)

        shard = Shard(self.ranks, type(layer).__name__, is_causal, positions, look)
        context = Context(attend=functools.partial(_attend_in_ring, shard))
        return layer(x, is_causal=is_causal, context=context)


class _RingDecoder(nn.Module):
    def __init__(self, decoder, ranks):
        super().__init__()
        self.decoder, self.ranks = decoder, ranks
        self._check_parts()

    def forward(self, tokens, *, positions=None):
        model = self.decoder

        def look():
            self._check_parts()
            model.check_tokens(tokens, least=0)
            terms = _layer_terms(model.blocks[0].attention, tokens)
            terms["num_layers"] = len(model.blocks)
            terms["the method of positions"] = repr(model.position)
            return tokens.shape[1], model.embedding.weight, terms

        shard = Shard(self.ranks, type(model).__name__, True, positions, look)
        most = model.position.max_len
        if most is not None and shard.stop > most:  # all ranks say so
            raise ValueError(
                f"a learned table of max_len={most} has no row for the positions from {most} on, "
                f"got a text up to position {shard.stop - 1}"
            )
        places = shard.places[self.ranks.rank].to(tokens.device)
        where = TokenPositions(0, tokens.shape[1], positions=places)
        attend = functools.partial(_attend_in_ring, shard)
        return model.read(tokens, where, is_causal=True, attend=attend)

    def _check_parts(self):
        model = self.decoder
        refuse_own(model, Decoder, "forward")
        refuse_own(model.position, Positions, "bias")
        for block in model.blocks:
            refuse_layer(block.attention)
            dropout = block.dropout.p if self.training else 0.0
            refuse_given(window=model.window, dropout=dropout)


def _attend_in_ring(shard, query, key, value, *, context, **seen):
    """Do as `MultiHeadAttention.attend`, over the keys of all ranks: their positions alone say
    which query sees which key."""
    seen |= context.seen
    is_causal, _ = seen.pop("is_causal"), seen.pop("query_offset", None)
    refuse_given(**seen)
    return ring(query, key, value, shard, is_causal), None


def _layer_terms(layer, x):
    """Give what must be the same of a layer on all ranks."""
    sizes = len(x), layer.embed_dim, layer.num_heads, layer.num_kv_heads
    learning = sum(map(wants_gradient, (x, *layer.parameters())))
    return {
        "batch size, embed_dim, num_heads and num_kv_heads": sizes,
        "how many of input and weights want gradients": learning,
    }


# Heads instead of tokens --------------------------------------------------------------------------


def head_parallel(
    query: Tensor, key: Tensor, value: Tensor, *, is_causal: bool = False, group: Any = None
) -> Tensor:
    """Attention over a sharded sequence: tokens are exchanged for heads, and back (Ulysses).

    Each rank holds all H heads of its tokens, after an all-to-all H/R heads of all tokens, and
    attends as one machine does. A second all-to-all brings the output back to the tokens (Jacobs et
    al. 2023, "DeepSpeed Ulysses"). So does the backward pass, the other way round.

    Args:
        query, key, value: this rank's tokens, (..., H, L_r, E), (..., H, L_r, E), (..., H, L_r,
            Ev), in contiguous shards.
        is_causal (bool): as in `attention`.
        group: the ranks, see `Ranks`; R must divide H.

    Returns:
        Tensor (..., H, L_r, Ev): this rank's rows of `attention` over the whole sequence.

    Example:
        >>> x = torch.randn(2, 6, 4)
        >>> output = head_parallel(x, x, x)
        >>> torch.allclose(output, attention(x, x, x), atol=1e-6)
        True
    """
    ranks = as_ranks(group)
    shard = _agree("head_parallel", query, key, value, is_causal, ranks)
    if query.ndim < 3 or query.shape[-3] % ranks.size:  # all ranks say so
        raise ValueError(
            f"query, key and value must have a number of heads that {ranks.size} ranks divide, "
            f"(..., heads, length, width), got {tuple(query.shape)}"
        )
    parts = (_Exchange.apply(x, shard, True) for x in (query, key, value))
    return _Exchange.apply(attention(*parts, is_causal=is_causal), shard, False)


class _Exchange(torch.autograd.Function):
    """All heads of some tokens for some heads of all, or back: each is the other's gradient."""

    @staticmethod
    def forward(ctx, x, shard, to_heads):
        ctx.shard, ctx.to_heads = shard, to_heads
        return (_to_heads if to_heads else _to_words)(x, shard)

    @staticmethod
    def backward(ctx, grad):
        return _Exchange.apply(grad, ctx.shard, not ctx.to_heads), None, None


def _to_heads(x, shard):
    """(..., H, L_r, D) -> (..., H/R, L, D)."""
    parts = [part.movedim(-3, 0) for part in x.chunk(shard.ranks.size, -3)]
    lead, D = parts[0].shape[:-2], x.shape[-1]
    sizes = [lead.numel() * length * D for length in shard.lengths]
    got = shard.ranks.exchange(parts, sizes)
    got = [part.view(*lead, n, D) for part, n in zip(got, shard.lengths, strict=True)]
    return torch.cat(got, -2).movedim(0, -3)


def _to_words(x, shard):
    """(..., H/R, L, D) -> (..., H, L_r, D)."""
    parts = [part.movedim(-3, 0) for part in x.split(shard.lengths, -2)]
    shape = parts[shard.ranks.rank].shape
    got = shard.ranks.exchange(parts, [shape.numel()] * shard.ranks.size)
    return torch.cat([part.view(shape) for part in got]).movedim(0, -3)
