"""Which query sees which key: all that is said of it, checked once and held together.

`Visibility` holds it, and `Call` one call of attention with it. Public functions that make masks
are in `masks`.
"""

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from d2lattn.arguments import (
    broadcast,
    check_bias,
    check_causal,
    check_number,
    checked_lengths,
    checked_mask,
    scores_shape,
)
from d2lattn.tracing import data_dependent_ok


@dataclass(slots=True, eq=False)
class Visibility:
    """Which query sees which key of scores (..., L, S); `checked_visibility` makes one.

    Query i may see key j if mask[..., i, j] is True, bias[..., i, j] is not -inf and, if
    `query_offset` is a number, j <= query_offset + i; with a window, j > query_offset + i - window
    too; with starts, j >= starts[b, 0, i, 0]. Its parts fit the scores, so no engine checks them
    again; `part` cuts out parts that fit as well.

    Attributes:
        shape, device: of the scores.
        mask: boolean tensor or None. bias: floating tensor or None.
        query_offset (int): the key position of query 0, or None if no key is hidden by its place.
        window (int): how many keys a query sees, the last of which is its own.
        starts: integers (B, 1, L, 1) or None.
        may_be_empty (bool): whether mask, bias or lengths may leave a query without a key.
    """

    shape: tuple[int, ...]
    device: torch.device
    mask: Tensor | None = None
    bias: Tensor | None = None
    query_offset: int | None = None
    window: int | None = None
    starts: Tensor | None = None
    may_be_empty: bool = False

    def hides_nothing(self):
        """Tell whether every query may see every key, as nothing says otherwise."""
        return self.mask is None and self.bias is None and self.query_offset is None

    def hides_all(self):
        """Tell whether no query may see any key, as far as one may look."""
        if self.query_offset is not None:
            keys = self.keys_of(slice(0, self.shape[-2]))
            if keys.start >= keys.stop:
                return True
        return self.mask is not None and data_dependent_ok(self.mask) and not self.mask.any()

    def keys_of(self, rows):
        """Give the stretch of keys, a slice, that some queries may see by causality and window, as
        far as one may look."""
        first, last = 0, min(self.query_offset + rows.stop, self.shape[-1])
        if self.window is not None:
            first = self.query_offset + rows.start - self.window + 1
        if self.starts is not None and data_dependent_ok(self.starts) and self.starts.numel():
            first = max(first, int(cut(self.starts, rows, slice(None)).min()))
        return slice(min(max(first, 0), last), last)

    def allowed(self):
        """All of it but the bias in one boolean tensor that broadcasts to the scores, or None."""
        if self.query_offset is None:
            return self.mask
        L, S = self.shape[-2:]
        allowed = torch.ones(L, S, dtype=torch.bool, device=self.device).tril(self.query_offset)
        if self.window is not None:
            own = torch.arange(L, device=self.device)[:, None] + self.query_offset  # (L, 1)
            allowed = allowed & (torch.arange(S, device=self.device) > own - self.window)
        if self.starts is not None:
            allowed = allowed & (torch.arange(S, device=self.device) >= self.starts)
        return allowed if self.mask is None else self.mask & allowed

    def hide(self, scores, in_place=False):
        """Add the bias; where a key is hidden put -inf, which exp turns into 0."""
        allowed = self.allowed()
        if self.bias is not None:
            added = self.bias.to(scores.dtype)
            scores = scores.add_(added) if in_place else scores + added
        if allowed is None:
            return scores
        return (scores.masked_fill_ if in_place else scores.masked_fill)(~allowed, -math.inf)

    def unseen_queries(self, allowed):
        """Give queries that may see no key that is `allowed`, (..., L or 1, 1), or None if all see
        one. To look saves the passes that repair such rows; where one may not, all are
        repaired."""
        if allowed is None:
            return None
        if not self.may_be_empty:
            first, (L, S) = self.query_offset, self.shape[-2:]
            if first is None or 0 <= first <= S - L:  # each query has a key of its own place
                return None
        some = allowed.any(-1, keepdim=True)
        return None if data_dependent_ok(some) and some.all() else ~some

    def part(self, rows, keys):
        """Give the same for some queries and some keys: two slices with both ends given."""
        shape = (*self.shape[:-2], rows.stop - rows.start, keys.stop - keys.start)
        mask, bias, starts = (cut(x, rows, keys) for x in (self.mask, self.bias, self.starts))
        part = self.of(shape, mask, bias)
        part.starts = None if starts is None else starts - keys.start
        if self.query_offset is not None:
            part.place(self.query_offset + rows.start - keys.start)
        return part

    def place(self, query_offset):
        """Put query 0 at a key. If query 0 sees all keys, so do the later queries, as in decoding
        token by token: then no key is hidden by its place."""
        hides = query_offset < self.shape[-1] - 1
        hides = hides or self.window is not None or self.starts is not None
        self.query_offset = query_offset if hides else None

    def narrowed(self, mask):
        """Give the same with one mask more."""
        mask = mask if self.mask is None else mask & self.mask
        narrowed = self.of(self.shape, mask, self.bias)
        narrowed.may_be_empty = True
        return narrowed

    def of(self, shape, mask, bias):
        """Give the same of another shape, mask and bias."""
        same = self.query_offset, self.window, self.starts, self.may_be_empty
        return Visibility(shape, self.device, mask, bias, *same)


def checked_visibility(
    shape,
    device,
    attn_mask=None,
    attn_bias=None,
    is_causal=False,
    query_offset=None,
    window=None,
    *,
    valid_lens=None,
    starts=None,
    of_heads=False,
):
    """Check what is said of scores (..., L, S) and put it together: the one door of all masks.

    Args:
        attn_mask, attn_bias, is_causal, query_offset: as in `attention`.
        window (int): with is_causal, how many keys a query sees, the last of which is its own.
        valid_lens: as in `MultiHeadAttention.forward`, for scores (B, H, L, S).
        starts: with is_causal, integers (B, L) for scores (B, H, L, S): the first key of the text
            that a query belongs to, where several texts stand in a row.
        of_heads (bool): whether a mask may be (B, L, S) for scores (B, H, L, S).

    Example:
        >>> seen = dict(is_causal=True, query_offset=1)
        >>> checked_visibility((2, 3), torch.device("cpu"), **seen).allowed().int()
        tensor([[1, 1, 0],
                [1, 1, 1]], dtype=torch.int32)
    """
    if attn_mask is not None:
        attn_mask = checked_mask(attn_mask, shape, device, of_heads)
    if attn_bias is not None:
        check_bias(attn_bias, shape, device)
    may_be_empty = attn_mask is not None or attn_bias is not None
    if valid_lens is not None:
        real, some_empty = _real_keys(valid_lens, shape)
        may_be_empty = may_be_empty or some_empty or window is not None or starts is not None
        real = real.to(device)
        attn_mask = real if attn_mask is None else real & attn_mask
    starts = None if starts is None else starts[:, None, :, None]  # (B, 1, L, 1)
    parts = dict(window=window, starts=starts, may_be_empty=may_be_empty)
    visible = Visibility(shape, device, attn_mask, attn_bias, **parts)
    if is_causal or query_offset is not None or window is not None:
        check_causal(is_causal, query_offset, window, shape)
        visible.place(query_offset or 0)
    return visible


def cut(x, rows, keys):
    """Cut rows and keys out of a mask, bias or starts, as a view; size 1 stands for all."""
    if not torch.is_tensor(x):
        return x
    if x.shape[-2] > 1:
        x = x[..., rows, :]
    return x[..., keys] if x.shape[-1] > 1 else x


def in_window(
    queries: Tensor | int, keys: Tensor, width: int, sinks: int = 0, start: Tensor | int = 0
) -> Tensor:
    """Show the keys of a window, by positions that broadcast: |i - j| < width, and besides the
    `sinks` first ones from `start` on (those before `start` are the caller's to hide).

    Example:
        >>> in_window(torch.tensor([[4]]), torch.arange(5), 2, sinks=1).int()
        tensor([[1, 0, 0, 1, 1]], dtype=torch.int32)
    """
    near = (keys > queries - width) & (keys - width < queries)  # no table of distances
    return near | (keys < start + sinks) if sinks else near


def _real_keys(valid_lens, shape):
    """Give the mask (B, 1, 1 or L, S) of the keys that are no padding, for scores (B, H, L, S), and
    whether it may leave a query without a key."""
    B, _, L, S = shape
    lengths, shortest = checked_lengths(valid_lens, S)
    if lengths.shape != (B,) and lengths.shape != (B, L):  # no `in`, as in `fits`
        got = tuple(lengths.shape)
        raise ValueError(
            f"valid_lens must have shape (B,) = {(B,)} or (B, L) = {(B, L)}, got {got}"
        )
    lengths = lengths[:, None] if lengths.ndim == 1 else lengths
    real = torch.arange(S, device=lengths.device) < lengths[:, None, :, None]
    return real, shortest == 0


def starts_of(segments: Tensor, tokens: Tensor) -> Tensor:
    """`segments`, checked: int64 (B, L), the column in which the text of each token begins."""
    if segments.shape != tokens.shape:
        got = tuple(segments.shape)
        raise ValueError(f"segments must have the shape of tokens {(*tokens.shape,)}, got {got}")
    begins = F.pad(segments.to(tokens.device).diff(dim=1) != 0, (1, 0))  # (B, L)
    if data_dependent_ok(segments):
        texts = [len(set(row)) for row in segments.tolist()]
        if texts != (begins.sum(1) + 1).tolist():
            raise ValueError("segments must be equal numbers side by side, got one that comes back")
    return (begins * torch.arange(tokens.shape[1], device=tokens.device)).cummax(1).values


def seen_in_a_pass(where, device, is_causal, window, sinks):
    """Say for all layers of a model which query sees which key, as arguments of
    `checked_visibility`. Tokens stand at the columns `where`.

    In a decoder a query sees one stretch of keys, which numbers describe: query_offset, window and
    starts. All else is a mask: an encoder's window, sinks, and the keys of a cache with a window.
    """
    in_a_row, start = where.key_columns is None, where.start
    seen = dict(is_causal=True, query_offset=where.first) if is_causal and in_a_row else {}
    if seen and not sinks:
        return seen | dict(window=window, starts=start)
    if window is None:
        return seen
    # (S,), or (B, 1, S) of a cache that has let some go
    keys = torch.arange(where.stop, device=device) if in_a_row else where.key_columns[:, None]
    own, start = where.columns(device), 0 if start is None else start[..., None]  # (B, L, 1)
    mask = in_window(own, keys, window, sinks, start) & (keys >= start)
    return seen | dict(attn_mask=mask & (keys <= own) if is_causal else mask)


@dataclass(slots=True, eq=False)
class Call:
    """What an engine is given: softmax(Q Kᵀ · scale + bias, over the keys a query may see) V.

    Who makes one has checked that its parts fit: no engine checks them again.

    Attributes:
        query (..., L, E), key (..., S, E), value (..., S, Ev): of one dtype and device; their
            leading axes broadcast.
        scale (float): the factor of the scores.
        dropout_p (float): fraction of the weights set to 0.
        sink (Tensor): a score that joins each query's softmax and has no value, which broadcasts to
            (..., 1, 1), or None.
    """

    query: Tensor
    key: Tensor
    value: Tensor
    visible: Visibility
    scale: float
    dropout_p: float = 0.0
    sink: Tensor | None = None

    @property
    def lead(self):
        """The leading axes of the output, (*lead, L, Ev)."""
        return broadcast("query, key and value", self.query, self.key, self.value)

    def with_tensors(self, query, key, value, visible=None):
        """Make the same call of other tensors; without `visible` they have the shapes of these."""
        visible = self.visible if visible is None else visible
        return Call(query, key, value, visible, self.scale, self.dropout_p, self.sink)

    def part(self, rows, keys):
        """Give the call of some queries and some keys: two slices with both ends given."""
        if (rows, keys) == (slice(0, self.query.shape[-2]), slice(0, self.key.shape[-2])):
            return self
        visible = self.visible.part(rows, keys)
        query, key = self.query[..., rows, :], self.key[..., keys, :]
        return self.with_tensors(query, key, self.value[..., keys, :], visible)


def checked_call(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None,
    attn_bias: Tensor | None,
    is_causal: bool,
    query_offset: int | None,
    scale: float | None,
    dropout_p: float = 0.0,
) -> Call:
    """Check arguments as a reader gives them to `attention`, and put them together."""
    shape = scores_shape(query, key, value)
    if dropout_p:
        check_number("dropout_p", dropout_p, 0, 1)
    visible = checked_visibility(shape, query.device, attn_mask, attn_bias, is_causal, query_offset)
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else check_number("scale", scale)
    return Call(query, key, value, visible, scale, dropout_p)
