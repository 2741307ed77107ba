"""Attention in less time, where something is given up (chapter 8).

`window_attention` gives up the distant keys, `linear_attention` the softmax, and `lsh_attention`
the certainty of finding the largest weights. None of them builds an n×n tensor.

Sources: Beltagy et al. 2020, "Longformer", section 3.1; Katharopoulos et al. 2020, "Transformers
are RNNs", section 3; Kitaev et al. 2020, "Reformer", section 2 and appendix A.
"""

import functools
import math

import torch
from torch import Tensor

from d2lattn.arguments import (
    broadcast,
    check_as_many_keys,
    check_count,
    expect,
    scores_shape,
    show,
)
from d2lattn.attention import attention, compute
from d2lattn.engines.chunked import merge, partial_attention
from d2lattn.engines.visibility import Call, Visibility
from d2lattn.tracing import in_full_precision

# Window ------------------------------------------------------------------------------------------

# Queries that share one set of keys: each scores up to BLOCK - 1 keys in vain, but the products
# are large enough to be fast.
BLOCK = 128


def window_attention(
    query: Tensor, key: Tensor, value: Tensor, *, width: int, is_causal: bool = False
) -> Tensor:
    """Sliding-window attention: each query attends to the keys closer than `width`, in O(n) time.

    weights[i, j] > 0 only where |i - j| < width, and j <= i if causal (Longformer: Beltagy et al.
    2020, section 3.1). A block of queries goes through torch's kernel together with the stretch of
    keys that it may see; stretches overlap and are views.

    Args:
        query, key, value: floating tensors (..., n, E), (..., n, E), (..., n, Ev).
        width (int): a query sees at most 2·width - 1 keys, or width if causal.
        is_causal (bool): hide the keys after the query.

    Returns:
        Tensor (..., n, Ev) of the query's dtype: that of `attention` with the mask
        `window_mask(n, width=width)`.

    Example:
        >>> x = torch.zeros(4, 1)  # all scores are alike
        >>> window_attention(x, x, torch.tensor([[0.0], [3.0], [6.0], [9.0]]), width=2).mT
        tensor([[1.5000, 3.0000, 6.0000, 7.5000]])
    """
    *_, n, S = scores_shape(query, key, value)
    check_as_many_keys(n, S)
    check_count("width", width)
    if width >= n:  # the window holds everything
        return attention(query, key, value, is_causal=is_causal)
    lead = broadcast("query, key and value", query, key, value)
    query, key, value = (x.expand(*lead, *x.shape[-2:]) for x in (query, key, value))
    before, after = width - 1, 0 if is_causal else width - 1
    piece = functools.partial(_window_piece, query, key, value, before, after)
    return torch.cat([piece(*place) for place in _window_pieces(n, before, after)], -2)


def _window_pieces(n, before, after):
    """(rows, their keys, number of blocks of rows): all whole blocks in the middle at once, where
    every query has its whole window (the gradient of each slice is as long as the whole tensor),
    and single blocks at the two ends, where the sequence cuts it off."""
    inner = max(n - before - after, 0) // BLOCK * BLOCK
    first = before if inner else 0
    last = first + inner
    for begin, end, size in ((0, first, 1), (first, last, n), (last, n, 1)):
        for start in range(begin, end, size * BLOCK):
            stop = min(start + size * BLOCK, end)
            keys = slice(max(start - before, 0), min(stop + after, n))
            yield slice(start, stop), keys, -(-(stop - start) // BLOCK)


def _window_piece(query, key, value, before, after, rows, keys, blocks):
    """Give the output of some rows, (..., rows, Ev): their blocks take the place of a batch."""
    query, key, value = query[..., rows, :], key[..., keys, :], value[..., keys, :]
    step = query.shape[-2] // blocks
    size = key.shape[-2] - (blocks - 1) * step  # keys of one block
    distance = torch.arange(step, device=query.device)[:, None] + (rows.start - keys.start)
    distance = distance - torch.arange(size, device=query.device)  # i - j, (step, size)
    mask = (distance <= before) & (distance >= -after)
    parts = [_stretches(x, n, step) for x, n in ((query, step), (key, size), (value, size))]
    shape = (*parts[0].shape[:-1], size)  # of the scores; each query sees itself
    visible = Visibility(shape, query.device, mask)
    output, _ = compute(Call(*parts, visible, 1 / math.sqrt(query.shape[-1])), "fused")
    return output.transpose(0, 1).reshape(*query.shape[:-1], value.shape[-1])


def _stretches(x, size, step):
    """(..., l, d) -> (blocks, leading axes in one, size, d): rows 0 .. size - 1, step .. step +
    size - 1, …, a view unless the leading axes cannot be one."""
    flat = x.reshape(math.prod(x.shape[:-2]), *x.shape[-2:])
    return flat.unfold(-2, size, step).permute(1, 0, 3, 2)


# Linear ------------------------------------------------------------------------------------------

CHUNK = 128  # tokens that the recurrence takes at one step


def linear_attention(
    query: Tensor, key: Tensor, value: Tensor, *, is_causal: bool = False
) -> Tensor:
    """Linear attention: no softmax, so the sums over the keys are made once, in O(n) time.

    output_i = φ(q_i) Σ_j φ(k_j)ᵀ v_j / φ(q_i) Σ_j φ(k_j)ᵀ with φ(x) = elu(x) + 1, over all j or,
    causal, over j <= i (Katharopoulos et al. 2020, equations 4 to 12). The two sums are a state of
    E·Ev + E numbers, whatever the length; the causal form is a recurrence over chunks.

    Args:
        query, key, value: floating tensors (..., L, E), (..., S, E), (..., S, Ev).
        is_causal (bool): query i sees the keys up to its own position; needs L = S.

    Returns:
        Tensor (..., L, Ev) of the query's dtype, summed in at least float32; 0 without keys.

    Example:
        >>> x = torch.zeros(3, 2)  # all weights are alike
        >>> linear_attention(x, x, torch.tensor([[0.0], [3.0], [6.0]]), is_causal=True).mT
        tensor([[0.0000, 1.5000, 3.0000]])
    """
    *_, L, S = scores_shape(query, key, value)
    wide = torch.promote_types(query.dtype, torch.float32)
    q, k, v = _positive(query.to(wide)), _positive(key.to(wide)), value.to(wide)
    with in_full_precision(query):
        if is_causal:
            check_as_many_keys(L, S)
            return _recurrence(q, k, v).to(query.dtype)
        state, total = k.mT @ v, k.sum(-2)[..., None]  # (..., E, Ev), (..., E, 1)
        return _share(q @ state, q @ total).to(query.dtype)


def _positive(x):
    """elu(x) + 1 = exp(x) below 0 and x + 1 above, which unlike elu(x) + 1 keeps a small exp(x)."""
    return x.clamp(max=0).exp() + x.relu()


def _recurrence(queries, keys, values):
    """Build the weights inside a chunk; all that went before comes from the state."""
    state = keys.new_zeros(keys.shape[-1], values.shape[-1])  # Σ φ(k)ᵀ v
    total = keys.new_zeros(keys.shape[-1], 1)  # Σ φ(k)ᵀ
    outputs = []
    for q, k, v in zip(*(x.split(CHUNK, -2) for x in (queries, keys, values)), strict=True):
        weights = (q @ k.mT).tril()  # (..., CHUNK, CHUNK)
        sums = weights @ v + q @ state
        outputs.append(_share(sums, weights.sum(-1, keepdim=True) + q @ total))
        state, total = state + k.mT @ v, total + k.sum(-2)[..., None]
    return torch.cat(outputs, -2)


def _share(sums, total):
    return sums / total.masked_fill(total == 0, 1)


# Hashing -----------------------------------------------------------------------------------------


def lsh_attention(
    qk: Tensor,
    value: Tensor,
    *,
    num_buckets: int,
    num_rounds: int,
    generator: torch.Generator | None = None,
) -> Tensor:
    """LSH attention: each query attends to the keys that are hashed into its bucket.

    Reformer (Kitaev et al. 2020, section 2), with shared queries and keys: q = x, k = x/‖x‖. In
    each round, positions are hashed by random rotations, sorted by (bucket, position) and cut into
    chunks of ⌈2·n / num_buckets⌉. Query i finds key j if they share a bucket and j is in the chunk
    of i or in the one before. With P_i the keys other than i that are found in any round,

        output_i = Σ_{j in P_i} exp(q_i·k_j/√E) v_j / Σ_{j in P_i} exp(q_i·k_j/√E),

    and v_i if P_i is empty. A key that N rounds find counts 1/N in each (appendix A).

    Args:
        qk: floating tensor (..., n, E), queries and keys in one.
        value: floating tensor (..., n, Ev) of the same dtype and device.
        num_buckets (int): a power of 2.
        num_rounds (int): how often to hash.
        generator: where the rotations come from, which all leading axes share.

    Returns:
        Tensor (..., n, Ev) of the dtype of qk, computed in at least float32.

    Example:
        >>> x = torch.tensor([[1.0, 0.0], [-2.0, 0.0], [3.0, 0.0], [-4.0, 0.0]])
        >>> generator = torch.Generator().manual_seed(0)
        >>> lsh_attention(x, x, num_buckets=2, num_rounds=1, generator=generator)[:, 0]
        tensor([ 3., -4.,  1., -2.])
    """
    scores_shape(qk, qk, value)
    sizes = dict(num_buckets=num_buckets, num_rounds=num_rounds)
    buckets = lsh_buckets(qk, **sizes, generator=generator)  # (R, ..., n)
    lead, n = broadcast("qk and value", qk, value), qk.shape[-2]
    wide = torch.promote_types(qk.dtype, torch.float32)
    query, value = (x.expand(*lead, *x.shape[-2:]).to(wide) for x in (qk, value))
    more = (1,) * (len(lead) - buckets.ndim + 2)  # leading axes of the values alone
    buckets = buckets.reshape(num_rounds, *more, *buckets.shape[1:]).expand(num_rounds, *lead, n)
    rounds, key = _Rounds(buckets, min(-(-2 * n // num_buckets), n)), _unit(query)
    parts = [_one_round(query, key, value, rounds, r) for r in range(num_rounds)]
    output, logsumexp = merge(*zip(*parts, strict=True))
    found = (logsumexp > -math.inf)[..., None]
    return torch.where(found, output, value).to(qk.dtype)


def _one_round(query, key, value, rounds, r):
    """Give the output (..., n, Ev) and logsumexp (..., n) over the keys found in round r."""
    i, j, real = rounds.chunks(r)  # (..., T, c), (..., T, 2·c), (T, 1, 2·c)
    times = sum(rounds.found(other, i, j).to(torch.int16) for other in range(len(rounds.order)))
    bias = times.to(query.dtype).log().neg_()  # a key that N rounds find counts 1/N in each
    bias.masked_fill_(~(rounds.found(r, i, j) & real), -math.inf)
    query, key, value = _rows(query, i), _rows(key, j), _rows(value, j)  # (..., T, c or 2·c, E)
    output, logsumexp = partial_attention(query, key, value, attn_bias=bias)
    place = rounds.place[r]  # back into the order of the sequence
    return _rows(output.flatten(-3, -2), place), _at(logsumexp.flatten(-2), place)


class _Rounds:
    """Buckets (R, ..., n), sorted by (bucket, position) and cut into chunks of c places.

    What a query finds in a round is a stretch of the sorted list: its own bucket, from the start of
    the chunk before to the end of its own chunk.

    Attributes:
        order: the position at each place of the list. place: the place of each position.
        first, last: the places where the stretch of each position begins and ends. All are
            integers (R, ..., n).
    """

    def __init__(self, buckets, chunk_size):
        self.chunk_size = chunk_size
        self.order = buckets.argsort(dim=-1, stable=True)
        self.place = self.order.argsort(dim=-1)
        ranked = buckets.gather(-1, self.order)
        start = self.place // chunk_size * chunk_size  # of the chunk
        first = torch.searchsorted(ranked, ranked).gather(-1, self.place)
        last = torch.searchsorted(ranked, ranked, right=True).gather(-1, self.place) - 1
        self.first = torch.maximum(first, start - chunk_size)
        self.last = torch.minimum(last, start + chunk_size - 1)

    def chunks(self, r):
        """Give the positions of each chunk's queries, (..., T, c), and of the keys in it and in the
        one before, (..., T, 2·c); which of these keys are no padding, (T, 1, 2·c)."""
        n, c = self.order.shape[-1], self.chunk_size
        places = torch.arange(-(-n // c) * c, device=self.order.device)
        order = self.order[r][..., places.clamp(max=n - 1)]
        queries, real = order.unflatten(-1, (-1, c)), (places < n).view(-1, 1, c)
        if len(real) == 1:  # no chunk before
            return queries, queries, real
        keys = torch.cat([queries.roll(1, -2), queries], -1)  # chunk 0 finds nothing in the last
        return queries, keys, torch.cat([real.roll(1, 0), real], -1)

    def found(self, r, i, j):
        """Tell whether queries at i (..., l) find keys at j (..., s) in round r: (..., l, s)."""
        first, last = (_at(x[r], i).int()[..., None] for x in (self.first, self.last))
        place = _at(self.place[r], j).int()[..., None, :]
        i, j = i.int()[..., None], j.int()[..., None, :]
        return (first <= place) & (place <= last) & (j != i)


def _at(x, index):
    """x (..., n) at index (..., l) or (..., T, l)."""
    return x.gather(-1, index.flatten(x.ndim - 1)).view(index.shape)


def _rows(x, index):
    """Take rows of x (..., n, d) at index (..., l) or (..., T, l): (..., l, d), (..., T, l, d)."""
    flat = index.flatten(x.ndim - 2)[..., None]
    return torch.take_along_dim(x, flat, -2).view(*index.shape, x.shape[-1])


def _unit(x):
    """x / ‖x‖, and 0 for 0, whose gradient is 0."""
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    norm = wide.norm(dim=-1, keepdim=True)
    return (wide / norm.masked_fill(norm == 0, math.inf)).to(x.dtype)


def lsh_buckets(
    x: Tensor, *, num_buckets: int, num_rounds: int, generator: torch.Generator | None = None
) -> Tensor:
    """Hash vectors so that similar directions tend to share a bucket.

    h(x) = argmax([xR, -xR]) with a random R of shape (E, b/2) gives b buckets (Andoni et al. 2015;
    Reformer, section 2). For more than 64 buckets several such hashes are the digits of one. Of x
    (..., n, E) it gives integers (num_rounds, ..., n) from 0 to num_buckets - 1.

    Example:
        >>> x = torch.tensor([[1.0, 2.0], [2.0, 4.0], [-1.0, -2.0]])
        >>> first, second, opposite = lsh_buckets(x, num_buckets=4, num_rounds=1)[0].tolist()
        >>> first == second, first == opposite
        (True, False)
    """
    expect("x", x, "... length width")
    check_count("num_buckets", num_buckets)
    if num_buckets & (num_buckets - 1):
        raise ValueError(f"num_buckets must be a power of 2, got {show(num_buckets)}")
    check_count("num_rounds", num_rounds)
    x = x.detach().to(torch.promote_types(x.dtype, torch.float32))
    device = x.device if generator is None else generator.device
    buckets = torch.zeros(num_rounds, *x.shape[:-1], dtype=torch.long, device=x.device)
    while num_buckets > 1:
        base = min(num_buckets, 64)
        shape = num_rounds, x.shape[-1], base // 2
        rotations = torch.randn(shape, generator=generator, device=device).to(x)
        for bucket, rotation in zip(buckets, rotations, strict=True):
            rotated = x @ rotation  # (..., n, base / 2)
            bucket.mul_(base).add_(torch.cat([rotated, -rotated], -1).argmax(-1))
        num_buckets //= base
    return buckets
