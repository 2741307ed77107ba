"""Attention over a text that no machine holds whole (chapter 11).

    ring_attention     each rank keeps its words; keys and values travel
    ring_parallel      a layer or a decoder whose attention is such a ring
    head_parallel      words are exchanged for heads, and back

A *rank* is one of R processes that were started together, by `torchrun` as a rule, and meet in a
group of `torch.distributed`: gloo on processors, nccl on GPUs. What is here says what is sent, and
when; torch sends it. A file of one's own begins so:

    dist.init_process_group("gloo", timeout=timedelta(seconds=60))    # how long to wait for a rank
    output = ring_attention(query, key, value, is_causal=True)        # each rank gives its words

and `torchrun --standalone --nproc-per-node 4 FILE` runs it in four processes. What one rank refuses
with a ValueError, all refuse. Where one fails, or does not answer within the group's timeout, the
others stop with a ConnectionError, and torchrun ends those that hang.

Shapes: L_r words of rank r, L of all ranks together, E width of queries and keys, Ev of values.
"""

import contextlib
import functools
import math
import pickle
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn

from d2lattn.arguments import (
    check_positions,
    check_value,
    scale_of,
    scores_shape,
    show,
)
from d2lattn.attention import attention
from d2lattn.engines.call import Call
from d2lattn.engines.chunked import backward_in_blocks, forward_in_blocks, merge
from d2lattn.engines.visibility import Visibility, cut, entry
from d2lattn.multihead import MultiHeadAttention, attending, check_input
from d2lattn.positions import Alibi, Positions, TokenPositions, alibi_slopes
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
        handshakes (int): bytes of the agreements before that, which hold no word of the text.
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
        if group is not None and (not ready or not isinstance(group, dist.ProcessGroup)):
            raise ValueError(
                "group must be a ProcessGroup of torch.distributed, to which this process belongs, "
                f"or Ranks, got {show(group)}"
            )
        self.group = dist.group.WORLD if group is None and ready else group
        self.rank = dist.get_rank(group) if ready else 0
        self.size = dist.get_world_size(group) if ready else 1
        self.sent: int = 0
        self.handshakes: int = 0
        self.computed: int = 0

    def gather(self, mine: Any) -> list[Any]:
        """Collect what every rank gives, in their order; small things, which are pickled."""
        if self.size == 1:
            return [mine]
        everyone = [None] * self.size
        with self._waiting("to agree on the arguments"):
            dist.all_gather_object(everyone, mine, group=self.group)
        self.handshakes += len(pickle.dumps(mine))
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
                if x.numel()  # a rank without words has no block
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
        with self._waiting("to exchange words for heads"):
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


class ShardSpec:
    """Who holds which words, and the proof that the ranks mean the same call.

    Made by all ranks together, in one exchange of small things. A rank whose arguments are refused
    comes too, so that no other waits for it in vain.

    Args:
        ranks (Ranks): the group.
        check: a function that checks the arguments of this rank and gives (how many words it has,
            their places or None, what must be the same on all ranks, by name).

    Attributes:
        lengths (list of int): words of each rank.
        step: of all heads (H, 1, 1), what a score is given for each place between query and key
            (ALiBi's -slope), or None.
    """

    def __init__(self, ranks, check):
        mine, error = None, None
        try:
            mine = check()
        except ValueError as refused:
            error = refused
        everyone = ranks.gather((None if error is None else str(error), mine))
        if error is not None:
            raise error
        for rank, (refused, _) in enumerate(everyone):
            if refused is not None:
                raise ValueError(f"rank {rank} has refused its arguments: {refused}")
        lengths, places, terms = zip(*(given for _, given in everyone), strict=True)
        _check_alike_everywhere(terms)
        self.ranks, self.lengths, self.step = ranks, list(lengths), None
        self._places = None if places[0] is None else places
        if self._places is not None:
            held, counts = torch.cat(self._places).unique(return_counts=True)
            if (counts > 1).any():
                raise ValueError(
                    "positions must be places in the whole text, each held by one rank and once, "
                    f"got {held[counts > 1][0].item()} more than once"
                )

    def places(self, rank=None):
        """Give the places (L_r,) of a rank's words in the whole text; this one's when absent."""
        rank = self.ranks.rank if rank is None else rank
        if self._places is not None:
            return self._places[rank]
        start = sum(self.lengths[:rank])
        return torch.arange(start, start + self.lengths[rank])

    def end(self):
        """Give the first place after the whole text."""
        if self._places is None:
            return sum(self.lengths)
        return max((int(held.max()) + 1 for held in self._places if len(held)), default=0)


def _check_alike_everywhere(terms):
    for name in dict.fromkeys(name for one in terms for name in one):
        values = [one.get(name) for one in terms]
        if any(value != values[0] for value in values):
            raise ValueError(
                f"{name} must be the same on all ranks, got {show(values, 300)} "
                f"on ranks 0 to {len(values) - 1}"
            )


def checked_positions(positions, length):
    """Check the places of so many words: int64, on the CPU, alone in memory, since they will be
    sent; None if they are not given."""
    if positions is None:
        return None
    if torch.is_tensor(positions):
        positions = positions.detach().cpu()
    check_positions(positions, length)
    return positions.long().clone()


def as_ranks(group):
    """Take ranks as they are; of a group, or None, make its own."""
    return group if isinstance(group, Ranks) else Ranks(group)


def wants_gradient(x):
    """Tell whether a backward pass may come through here, for which all ranks must be there."""
    return torch.is_grad_enabled() and x.requires_grad


def handshake_terms(function, x, is_causal, positions):
    """Collect what must be the same on all ranks for any `function`, by name."""
    return {
        "the function": function,
        "dtype": str(x.dtype),
        "is_causal": is_causal,
        "whether positions are given": positions is not None,
    }


def _check_layer(layer):
    if not isinstance(layer, MultiHeadAttention):
        raise ValueError(f"layer must be a MultiHeadAttention, got {type(layer).__name__}")


def unsupported_when_sharded(layer):
    """Refuse what a layer of attention does on one machine only, by name."""
    _check_layer(layer)
    for name in ("forward", "attend"):
        _check_own(layer, name, MultiHeadAttention)
    dropout = layer.dropout if layer.training else 0.0
    options = dict(sink_logit=layer.sink is not None, dropout=dropout)
    for name, value in options.items():
        _check_left_out(name, value)


def _check_left_out(name, value):
    """Refuse an argument that has a value."""
    if torch.is_tensor(value) or value not in (None, False, 0):
        raise ValueError(f"{name} must be left out over several ranks, got {show(value)}")


def _check_own(module, name, *kinds):
    """Refuse a method that is not that of these classes: what it hides or adds would be lost."""
    method = getattr(getattr(module, name), "__func__", None)
    if method not in [getattr(kind, name) for kind in kinds]:
        names = " or ".join(kind.__name__ for kind in kinds)
        got = f"one of {type(module).__name__}'s own"
        raise ValueError(f"{name} must be that of {names} over several ranks, got {got}")


def _agree(function, query, key, value, is_causal, scale, group, *, positions=None, check=None):
    """Agree on the shard of a call of a function below; `check` is one more look, or None."""
    parts = query, key, value

    def look():
        L, S = scores_shape(query, key)[-2:]
        check_value(query, key, value)
        if len({x.shape[:-2] for x in parts}) > 1 or L != S:
            raise ValueError(
                "query, key and value must have the same leading axes and be of the same words, "
                f"got {[tuple(x.shape) for x in parts]}"
            )
        if check is not None:
            check()
        terms = handshake_terms(function, query, is_causal, positions)
        terms["the leading axes"] = tuple(query.shape[:-2])
        terms["the widths of query and value"] = query.shape[-1], value.shape[-1]
        terms["scale"] = scale_of(scale, query)
        terms["which of query, key and value want gradients"] = [wants_gradient(x) for x in parts]
        return L, checked_positions(positions, L), terms

    return ShardSpec(as_ranks(group), look)


# The ring -----------------------------------------------------------------------------------------


class PlacedVisibility(Visibility):
    """Who sees whom by the places of the rows in a text that is spread over machines.

    Args:
        shape: that of the scores, (..., L, S). device: where they are.
        asking, asked: places of the queries (L,) and of the keys (S,), int64 on the CPU, where
            looking at them does not wait for a GPU.
        is_causal (bool): whether query i sees key j only if its place is not the later one.
        step: what a score is given for each place between the two (ALiBi's -slope), which
            broadcasts to (..., L, 1), or None.
    """

    __slots__ = ("asked", "asking", "is_causal", "step")

    def __init__(self, shape, device, asking, asked, is_causal, step=None):
        super().__init__(shape, device)
        self.asking, self.asked, self.is_causal, self.step = asking, asked, is_causal, step

    def hides_all(self):
        if 0 in self.shape[-2:]:
            return True
        return self.is_causal and bool(self.asking.max() < self.asked.min())

    def allowed(self):
        if not self.is_causal:
            return None
        return self.asked.to(self.device) <= self.asking.to(self.device)[:, None]

    def hide(self, scores, in_place=True):
        if self.step is not None:
            far = (self.asking[:, None] - self.asked).abs().to(self.device)
            scores += self.step.to(scores.dtype) * far
        if not self.is_causal or self.asking.min() >= self.asked.max():
            return scores
        return scores.masked_fill_(~self.allowed(), -math.inf)

    def part(self, rows, keys):
        shape = (*self.shape[:-2], rows.stop - rows.start, keys.stop - keys.start)
        asking, asked, step = self.asking[rows], self.asked[keys], cut(self.step, rows, keys)
        return PlacedVisibility(shape, self.device, asking, asked, self.is_causal, step)

    def at(self, index):
        step = entry(self.step, index, len(self.shape))
        shape = self.shape[len(index) :]
        return PlacedVisibility(shape, self.device, self.asking, self.asked, self.is_causal, step)


def ring_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    positions: Tensor | None = None,
    is_causal: bool = False,
    scale: float | None = None,
    group: Any = None,
) -> Tensor:
    """Let all words of a text attend to all, where each rank holds a shard of them.

    Every rank keeps its queries; the blocks of keys and values go round. With o_p and
    l_p = log Σ exp(s) over the keys of rank p, the output is `merge` of all (o_p, l_p):
    Σ_p exp(l_p - l) o_p, l = log Σ_p exp(l_p). (Liu, Zaharia & Abbeel 2023, "Ring Attention with
    Blockwise Transformers", arXiv 2310.01889.)

    Who sees whom is decided by the places of the words, so any shard is right: a piece of the text,
    every R-th word (striped: Brandon et al. 2023, arXiv 2311.09431), uneven pieces, none. A block
    that no query of a rank may see is passed on and not computed.

    The backward pass keeps none of the blocks: keys and values go round once more, and their
    gradients travel behind them until they are home. All ranks must run it. Gradients of weights
    are those of a rank's own words: who trains adds them up.

    Args:
        query, key: floating tensors (..., L_r, E) of this rank's words, L_r from 0.
        value: floating tensor (..., L_r, Ev).
        positions: integers (L_r,), the places of these words in the whole text, in any order; when
            absent, rank 0 holds its beginning, rank 1 what follows, and so on.
        is_causal (bool): a word sees itself and those at earlier places.
        scale (float): 1/√E when absent.
        group: of the ranks, see `Ranks`.

    Returns:
        Tensor (..., L_r, Ev) of the query's dtype.

    Raises:
        ConnectionError: a rank that does not answer within the group's timeout.

    Cost:
        2·L_r·L·(E + Ev) FLOPs a rank, about half if causal, for each leading index. The graph
        keeps query, key, value, output and logsumexp of this rank; at the peak some 13 tensors of
        their size are alive beside them forward, 20 backward, however many ranks there are. Sent a
        rank, with equal shards: (R - 1)·L_r·(E + Ev) numbers forward, twice that backward, where
        gradients go as float32 at least: three times the bytes in half precision. Each call begins
        with a handshake of some hundred bytes, and 8 for each word where positions are given.

    Equivalent to:
        attention(query, key, value, is_causal=...) of the whole text, and this rank's rows of it.

    Example:
        >>> x = torch.randn(2, 6, 4)  # one process is a ring of one
        >>> output = ring_attention(x, x, x, is_causal=True)
        >>> torch.allclose(output, attention(x, x, x, is_causal=True), atol=1e-6)
        True
    """
    given = query, key, value, is_causal, scale, group
    shard = _agree("ring_attention", *given, positions=positions)
    return ring(query, key, value, shard, is_causal, scale_of(scale, query))


def ring(query, key, value, shard, is_causal, scale):
    """Do the same, agreed upon. Heads (..., H, L_r, E) over (..., Hkv, L_r, E): those of a group
    are more queries at the same places to the keys they share, which so travel once."""
    lead, (rows, width) = key.shape[:-2], query.shape[-2:]
    group = query.shape[:-2].numel() // max(lead.numel(), 1)
    asking = query.reshape(*lead, group * rows, width)
    step = shard.step
    if step is not None:  # (H, 1, 1) -> (Hkv, n·L_r, 1)
        step = step.reshape(lead[-1], group, 1).repeat_interleave(rows, -2)
    output = _Ring.apply(asking, key, value, shard, (is_causal, scale, step))
    return output.reshape(*query.shape[:-1], value.shape[-1])


class _Ring(torch.autograd.Function):
    """Two rounds: keys and values alone, then keys and values with their gradients behind them."""

    @staticmethod
    def forward(ctx, query, key, value, shard, rest):
        ctx.shard, ctx.rest = shard, rest
        wide = torch.promote_types(query.dtype, torch.float32)
        shape = *query.shape[:-1], value.shape[-1]
        output = query.new_zeros(shape, dtype=wide)
        logsumexp = query.new_full(query.shape[:-1], -torch.inf, dtype=wide)
        with in_full_precision(query):
            for owner, *block in _round(shard, key, value):
                call = _meeting(shard, owner, query, *block, *rest)
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
        with in_full_precision(query):
            for owner, *block in _round(shard, key, value):
                packed = query.new_zeros(sum(x.numel() for x in block), dtype=wide)
                grads = _unpack(packed, *block)
                call = _meeting(shard, owner, query, *block, *ctx.rest)
                if call is not None:
                    backward_in_blocks(call, given, (grad_query, *grads, None))
                if owner == shard.ranks.rank:
                    own = packed
                    continue
                if behind is not None:  # what the ranks before have to give to these words
                    packed += behind()
                length = shard.lengths[owner - 1]  # what the rank before holds now
                behind = shard.ranks.pass_on(packed, _room(packed, key, value, length))
        if behind is not None:
            own += behind()
        grad_key, grad_value = _unpack(own, key, value)
        grads = (x.to(query.dtype) for x in (grad_query, grad_key, grad_value))
        return *grads, None, None


def _round(shard, key, value):
    """(owner, keys, values) of all ranks, this one's first; sending the next block overlaps with
    computing on this one."""
    ranks = shard.ranks
    packed = _pack(key, value) if ranks.size > 1 else None
    for step in range(ranks.size):
        owner, last = (ranks.rank - step) % ranks.size, step == ranks.size - 1
        if not last:
            wait = ranks.pass_on(packed, _room(packed, key, value, shard.lengths[owner - 1]))
        yield owner, *((key, value) if step == 0 else _unpack(packed, key, value))
        if not last:
            packed = wait()


def _meeting(shard, owner, query, key, value, is_causal, scale, step):
    """Give the call of this rank's queries over the keys of a rank, or None if none may see any."""
    asking, asked = shard.places(), shard.places(owner)
    asking = asking.repeat(query.shape[-2] // max(len(asking), 1))  # heads that share keys
    shape = *query.shape[:-1], key.shape[-2]
    visible = PlacedVisibility(shape, query.device, asking, asked, is_causal, step)
    if visible.hides_all():
        return None
    shard.ranks.computed += 1
    return Call(query, key, value, visible, scale)


def _pack(key, value):
    """Pack keys and values in one flat tensor, which is one message."""
    return torch.cat([key.reshape(-1), value.reshape(-1)])


def _room(packed, key, value, length):
    """Make an empty tensor for `length` words."""
    numbers = sum(x.shape[:-2].numel() * x.shape[-1] for x in (key, value))
    return packed.new_empty(length * numbers)


def _unpack(packed, key, value):
    """Cut views out of a packed tensor, in shape as keys and values but for the number of words."""
    sizes = [x.shape[:-2].numel() * x.shape[-1] for x in (key, value)]
    words = packed.numel() // max(sum(sizes), 1)
    parts = zip(packed.split([words * size for size in sizes]), (key, value), strict=True)
    return tuple(part.view(*x.shape[:-2], words, x.shape[-1]) for part, x in parts)


# A layer, or a whole decoder, in a ring -----------------------------------------------------------


def ring_parallel(module: Any, *, group: Any = None) -> nn.Module:
    """Put a layer or a decoder over ranks that have the same weights and hold one text together.

    Each rank gives its own words and gets what the module alone would say of them, having read the
    whole text: `ring_attention` is in the place of attention, and all else concerns one word at a
    time. As with DistributedDataParallel, the module is held and not changed.

    Args:
        module: a `MultiHeadAttention`, or a `Decoder` made of such; without sink_logit, active
            dropout, window. Subclasses keep the methods that decide which query sees which key:
            `forward` and `attend` of the layer, `forward` of the decoder, and the `bias` of
            `Positions` or `Alibi`; a block of your own adds no mask and no bias.
        group: of the ranks, see `Ranks`.

    Returns:
        A module. Of a layer it takes words (B, L_r, E), is_causal and positions, of a decoder
        tokens (B, L_r) and positions; these are those of `ring_attention`, and with a decoder of
        the method of positions, too. All layers share one handshake.

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
        unsupported_when_sharded(layer)
        self.layer, self.ranks = layer, ranks

    def forward(self, x, *, is_causal=False, positions=None):
        layer = self.layer

        def look():
            unsupported_when_sharded(layer)
            check_input("x", x, layer.q_proj)
            return x.shape[1], *_layer_terms(layer, x, x, is_causal, positions)

        shard = ShardSpec(self.ranks, look)
        with attending([layer], lambda *_: functools.partial(_attend_in_ring, shard)):
            return layer(x, is_causal=is_causal)


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
            layer, weight = model.blocks[0].attention, model.embedding.weight
            where, terms = _layer_terms(layer, tokens, weight, True, positions)
            terms["num_layers"] = len(model.blocks)
            terms["the method of positions"] = repr(model.position)
            return tokens.shape[1], where, terms

        shard = ShardSpec(self.ranks, look)
        most = model.position.max_len
        if most is not None and shard.end() > most:  # all ranks say so
            raise ValueError(
                f"a learned table of max_len={most} has no row for the positions from {most} on, "
                f"got a text up to position {shard.end() - 1}"
            )
        if isinstance(model.position, Alibi):  # (H, 1, 1)
            shard.step = -alibi_slopes(model.num_heads, device=tokens.device)[:, None, None]
        places = shard.places().to(tokens.device)
        where = TokenPositions(0, tokens.shape[1], positions=places)
        layers = [block.attention for block in model.blocks]
        with attending(layers, lambda *_: functools.partial(_attend_in_ring, shard)):
            return model.read(tokens, where, is_causal=True)

    def _check_parts(self):
        model = self.decoder
        _check_left_out("window", model.window)
        _check_own(model, "forward", Decoder)
        _check_own(model.position, "bias", Positions, Alibi)
        for block in model.blocks:
            unsupported_when_sharded(block.attention)
            if self.training:
                _check_left_out("dropout", block.dropout.p)


def _attend_in_ring(shard, query, key, value, *, is_causal, **seen):
    """Do as `MultiHeadAttention.attend`, over the keys of all ranks: their positions alone say
    which query sees which key."""
    for name, given in seen.items():
        _check_left_out(name, given)
    return ring(query, key, value, shard, is_causal, 1 / math.sqrt(query.shape[-1])), None


def _layer_terms(layer, x, weight, is_causal, positions):
    """Give this rank's places, checked, and what must be the same on all ranks."""
    terms = handshake_terms(type(layer).__name__, weight, is_causal, positions)
    sizes = len(x), layer.embed_dim, layer.num_heads, layer.num_kv_heads
    terms["batch size, embed_dim, num_heads and num_kv_heads"] = sizes
    learning = sum(map(wants_gradient, (x, *layer.parameters())))
    terms["how many of input and weights want gradients"] = learning
    return checked_positions(positions, x.shape[1]), terms


# Heads instead of words ---------------------------------------------------------------------------


def head_parallel(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    is_causal: bool = False,
    scale: float | None = None,
    group: Any = None,
) -> Tensor:
    """Let all words of a text attend to all: words are exchanged for heads, and back.

    Each rank holds all H heads of its words, an all-to-all later H/R heads of all words, and
    attends as one machine does. A second one brings the output back to the words (Jacobs et al.
    2023, "DeepSpeed Ulysses", arXiv 2309.14509). So does the backward pass, the other way round.

    Args:
        query, key: floating tensors (..., H, L_r, E) of this rank's words, L_r from 0; rank 0 holds
            the beginning of the text, rank 1 what follows, and so on.
        value: floating tensor (..., H, L_r, Ev).
        is_causal, scale: as in `attention`.
        group: of the ranks, see `Ranks`; R must divide H.

    Returns:
        Tensor (..., H, L_r, Ev) of the query's dtype.

    Cost:
        2·(H/R)·L²·(E + Ev) FLOPs a rank, about half if causal. Memory of L words of H/R heads. Sent
        a rank, with equal shards: (R - 1)/R · H·L_r·2·(E + Ev) numbers forward, and as many
        backward: the more ranks, the less, whereas in the ring it is the same.

    Equivalent to:
        attention(query, key, value, is_causal=...) of the whole text, and this rank's rows of it.

    Example:
        >>> x = torch.randn(2, 6, 4)
        >>> output = head_parallel(x, x, x)
        >>> torch.allclose(output, attention(x, x, x), atol=1e-6)
        True
    """
    ranks = as_ranks(group)

    def check():
        if query.ndim < 3 or query.shape[-3] % ranks.size:
            raise ValueError(
                f"query, key and value must have a number of heads that {ranks.size} ranks divide, "
                f"(..., heads, length, width), got {tuple(query.shape)}"
            )

    shard = _agree("head_parallel", query, key, value, is_causal, scale, ranks, check=check)
    parts = (_Exchange.apply(x, shard, True) for x in (query, key, value))
    return _Exchange.apply(attention(*parts, is_causal=is_causal, scale=scale), shard, False)


class _Exchange(torch.autograd.Function):
    """All heads of some words for some heads of all, or back: each is the gradient of the other."""

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
