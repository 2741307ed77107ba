"""Which query sees which key: all that is said of it, checked once and held together.

`Visibility` holds it, and `Call` one call of attention with it. Public functions that make masks
are in `masks`.
"""

import math

import torch
import torch.nn.functional as F
from torch import Tensor

from d2lattn.arguments import (
    INTEGERS,
    broadcast,
    check_bias,
    check_boolean_mask,
    check_causal,
    check_lengths,
    check_mask,
    check_number,
    check_on,
    fits,
    kind,
    scores_shape,
    show,
)
from d2lattn.tracing import data_dependent_ok


class Visibility:
    """Who may see whom, checked against the scores once.

    Query i may see key j if mask[..., i, j] is True, bias[..., i, j] is not -inf and, if
    `query_offset` is a number, j <= query_offset + i; with a window, j > query_offset + i - window
    too; with starts, j >= starts[b, i]. Holding one is the proof that its parts fit the scores, so
    no engine checks them again; `part` and `at` cut out parts that fit as well.

    Args:
        shape, device: of the scores, (..., L, S).
        attn_mask, attn_bias, is_causal, query_offset: as in `attention`.
        window (int): with is_causal, how many keys a query sees, the last of which is its own.
        starts: with is_causal, integers (B, L) for scores (B, H, L, S): the first key of the text
            that a query belongs to, where several texts stand in a row.
        may_be_empty (bool): whether a query may be left without a key; when absent, True with any
            mask or bias. False, where the caller knows it, saves a search.

    Attributes:
        mask: boolean tensor or None. bias: floating tensor or None.
        query_offset (int): the key position of query 0, or None if no key is hidden by its place:
            without is_causal, or where query 0 sees all keys already, as in writing word by word.

    Example:
        >>> device = torch.device("cpu")
        >>> Visibility((2, 3), device, is_causal=True, query_offset=1).allowed().int()
        tensor([[1, 1, 0],
                [1, 1, 1]], dtype=torch.int32)
    """

    __slots__ = ("bias", "device", "mask", "may_be_empty", "query_offset", "shape", "starts")
    __slots__ += ("window",)

    def __init__(
        self,
        shape,
        device,
        attn_mask=None,
        attn_bias=None,
        is_causal=False,
        query_offset=None,
        window=None,
        *,
        starts=None,
        may_be_empty=None,
    ):
        if is_causal is not False or query_offset is not None or window is not None:
            check_causal(is_causal, query_offset, window, shape)
        if attn_mask is not None:
            check_mask(attn_mask, shape, device)
        if attn_bias is not None:
            check_bias(attn_bias, shape, device)
        if may_be_empty is None:
            may_be_empty = attn_mask is not None or attn_bias is not None
        self.shape, self.device, self.mask, self.bias = shape, device, attn_mask, attn_bias
        self.window, self.may_be_empty = window, may_be_empty
        self.starts = None if starts is None else starts[:, None, :, None]  # (B, 1, L, 1)
        self.query_offset = self._reach(query_offset or 0) if is_causal else None

    def hides_nothing(self):
        """Tell whether every query may see every key, as nothing says otherwise."""
        return self.mask is None and self.bias is None and self.query_offset is None

    def hides_all(self):
        """Tell whether no query may see any key, as far as one may look."""
        if self.query_offset is not None:
            first = self._first(slice(0, self.shape[-2]))
            if self.query_offset + self.shape[-2] <= 0 or first >= self.shape[-1]:
                return True
        return self.mask is not None and data_dependent_ok(self.mask) and not self.mask.any()

    def keys_of(self, rows):
        """Give the stretch of keys, a slice, that some queries may see by causality and window."""
        last = min(self.query_offset + rows.stop, self.shape[-1])
        return slice(min(max(self._first(rows), 0), last), last)

    def _first(self, rows):
        """Give the first key that some of these queries reach, as far as one may look."""
        first = 0 if self.window is None else self.query_offset + rows.start - self.window + 1
        if self.starts is not None and data_dependent_ok(self.starts) and self.starts.numel():
            first = max(first, int(cut(self.starts, rows, slice(None)).min()))
        return first

    def _reach(self, query_offset):
        """Give the offset, or None where query 0 sees all keys: then so do the later ones."""
        narrow = self.window is not None or self.starts is not None
        return query_offset if narrow or query_offset < self.shape[-1] - 1 else None

    def allowed(self):
        """All of it but the bias in one boolean tensor that broadcasts to the scores, or None."""
        if self.query_offset is None:
            return self.mask
        L, S = self.shape[-2:]
        near = torch.ones(L, S, dtype=torch.bool, device=self.device).tril(self.query_offset)
        if self.window is not None:
            own = torch.arange(L, device=self.device)[:, None] + self.query_offset  # (L, 1)
            near = near & (torch.arange(S, device=self.device) > own - self.window)
        if self.starts is not None:
            near = near & (torch.arange(S, device=self.device) >= self.starts)
        return near if self.mask is None else self.mask & near

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
        L, S = self.shape[-2:]
        may_be_empty = self.may_be_empty
        if self.query_offset is not None and not may_be_empty:
            least = 1 if self.starts is not None else self.window  # keys that each query sees
            narrow = least is not None and self.query_offset + L - least >= S
            may_be_empty = self.query_offset < 0 or narrow
        if allowed is None or not may_be_empty:
            return None
        seen = allowed.any(-1, keepdim=True)
        return None if data_dependent_ok(seen) and seen.all() else ~seen

    def part(self, rows, keys):
        """Give the same for some queries and some keys: two slices with both ends given."""
        shape = (*self.shape[:-2], rows.stop - rows.start, keys.stop - keys.start)
        parts = [cut(x, rows, keys) for x in (self.mask, self.bias, self.starts)]
        if self.starts is not None:
            parts[2] = parts[2] - keys.start
        part = self._of_parts(shape, *parts, self.query_offset)
        if self.query_offset is not None:
            part.query_offset = part._reach(self.query_offset + rows.start - keys.start)
        return part

    def at(self, index):
        """Give the same for one place of the first leading axes, as many as `index` has numbers."""
        axes = len(self.shape)
        parts = (entry(x, index, axes) for x in (self.mask, self.bias, self.starts))
        return self._of_parts(self.shape[len(index) :], *parts, self.query_offset)

    def masked(self, mask):
        """Make the same with one mask more, which the caller has checked."""
        mask = mask if self.mask is None else mask & self.mask
        part = self._of_parts(self.shape, mask, self.bias, self.starts, self.query_offset)
        part.may_be_empty = True
        return part

    def with_leading_axes(self, lead):
        """Give the same for scores (*lead, L, S), to which the shape broadcasts."""
        shape = (*lead, *self.shape[-2:])
        return self._of_parts(shape, self.mask, self.bias, self.starts, self.query_offset)

    def _of_parts(self, shape, mask, bias, starts, query_offset):
        part = object.__new__(Visibility)
        part.shape, part.device, part.mask, part.bias = shape, self.device, mask, bias
        part.query_offset, part.window, part.starts = query_offset, self.window, starts
        part.may_be_empty = self.may_be_empty
        return part


def cut(x, rows, keys):
    """Cut rows and keys out of a mask, bias or starts, as a view; size 1 stands for all."""
    if not torch.is_tensor(x):
        return x
    if x.shape[-2] > 1:
        x = x[..., rows, :]
    return x[..., keys] if x.shape[-1] > 1 else x


def entry(x, index, ndim):
    """x[index], where x may lack the first of `ndim` axes, and an axis of size 1 stands for all."""
    if not torch.is_tensor(x):
        return x
    own = index[ndim - x.ndim :]
    return x[tuple(i if size > 1 else 0 for i, size in zip(own, x.shape, strict=False))]


def first_keys(valid_lens: Tensor | list[int], num_keys: int) -> Tensor:
    """`masks.length_mask` for any number of keys, which in a graph has no value yet."""
    lengths = check_lengths(valid_lens, num_keys)
    ends = lengths[:, None, None] if lengths.ndim == 1 else lengths[..., None]
    return torch.arange(num_keys, device=ends.device) < ends


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


def mask_of_heads(shape, device, attn_mask, valid_lens=None):
    """Put a mask and lengths into one mask that fits the scores (B, H, L, S), or None: (B, L, S) ->
    (B, 1, L, S)."""
    B, _, L, S = shape
    if attn_mask is not None:
        check_boolean_mask("attn_mask", attn_mask, (B, L, S))
        wanted = shape if attn_mask.ndim == 4 else (B, L, S)
        if attn_mask.ndim not in (2, 3, 4) or not fits(attn_mask, wanted):
            raise ValueError(
                f"attn_mask must have shape (L, S) = {(L, S)}, (B, L, S) = {(B, L, S)} or "
                f"(B, H, L, S) = {shape}, each size full or 1, got {tuple(attn_mask.shape)}; "
                "a mask (B, S) of padding is written mask[:, None]"
            )
        check_on("attn_mask", attn_mask, device)
        attn_mask = attn_mask[:, None] if attn_mask.ndim == 3 else attn_mask
    if valid_lens is None:
        return attn_mask
    real = first_keys(valid_lens, S)  # (B, 1 or L, S)
    given = torch.as_tensor(valid_lens).shape
    if given != (B,) and given != (B, L):  # no `in`, as in `fits`
        raise ValueError(
            f"valid_lens must have shape (B,) = {(B,)} or (B, L) = {(B, L)}, got {tuple(given)}"
        )
    real = real[:, None].to(device)  # (B, 1, 1 or L, S)
    return real if attn_mask is None else real & attn_mask


def starts_of(segments: Tensor, tokens: Tensor) -> Tensor:
    """`segments`, checked: int64 (B, L), the column in which the text of each token begins."""
    if not torch.is_tensor(segments) or segments.dtype not in INTEGERS:
        raise ValueError(f"segments must be a tensor of integers, got {kind(segments)}")
    if segments.shape != tokens.shape:
        got = tuple(segments.shape)
        raise ValueError(f"segments must have the shape of tokens {(*tokens.shape,)}, got {got}")
    begins = segments.diff(dim=1) != 0  # (B, L - 1)
    if data_dependent_ok(segments):
        different = (segments.sort(dim=1).values.diff(dim=1) != 0).sum(1)
        if (begins.sum(1) != different).any():
            raise ValueError(
                "segments must have the tokens of a text side by side, got a number that comes "
                f"back, {show(segments.tolist())}"
            )
    begins = F.pad(begins.to(tokens.device), (1, 0))
    return (begins * torch.arange(tokens.shape[1], device=tokens.device)).cummax(1).values


def seen_in_a_pass(where, ends, device, *, is_causal, window, sinks):
    """Say for all layers of a model which query sees which key, as arguments of `Visibility`.

    Tokens stand at the columns `where`; `ends` is a mask (B, 1, S) of those that count, or None.
    What is no band of causality, window and texts is written out as a mask: an encoder's window,
    first tokens that all see, and the keys of a cache that has let some go.
    """
    in_a_row, start, mask = where.key_columns is None, where.start, ends
    seen = dict(is_causal=is_causal and in_a_row)
    if seen["is_causal"]:
        seen["query_offset"] = where.first
    if seen["is_causal"] and not sinks:
        seen |= dict(window=window, starts=start)
    elif window is not None:
        # (S,), or (B, 1, S) of a cache that has let some go
        keys = torch.arange(where.stop, device=device) if in_a_row else where.key_columns[:, None]
        own, start = where.columns(device), 0 if start is None else start[..., None]  # (B, L, 1)
        mask = in_window(own, keys, window, sinks, start) & (keys >= start)
        mask = mask & (keys <= own) if is_causal else mask
        mask = mask if ends is None else mask & ends
    return seen | dict(attn_mask=mask if mask is None or mask.ndim == 2 else mask[:, None])


class Call:
    """What an engine is given: softmax(Q Kᵀ · scale + bias, over the keys a query may see) V.

    Who makes one has checked that its parts fit: no engine checks them again.

    Attributes:
        query (..., L, E), key (..., S, E), value (..., S, Ev): of one dtype and device; their
            leading axes broadcast.
        visible (Visibility): who may see whom.
        scale (float): the factor of the scores.
        dropout_p (float): share of the weights set to 0.
        sink (Tensor): a score that joins each query's softmax and has no value, which broadcasts to
            (..., 1, 1), or None.
    """

    __slots__ = ("dropout_p", "key", "query", "scale", "sink", "value", "visible")

    def __init__(self, query, key, value, visible, scale, dropout_p=0.0, sink=None):
        self.query, self.key, self.value, self.visible = query, key, value, visible
        self.scale, self.dropout_p, self.sink = scale, dropout_p, sink

    @property
    def lead(self):
        """The leading axes of the output, (*lead, L, Ev)."""
        lead = self.query.shape[:-2]
        if lead == self.key.shape[:-2] == self.value.shape[:-2]:
            return lead  # the usual case
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
    visible = Visibility(shape, query.device, attn_mask, attn_bias, is_causal, query_offset)
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else check_number("scale", scale)
    return Call(query, key, value, visible, scale, dropout_p)
