"""Who sees whom: a mask, a bias, causality and a window in one object that fits the scores."""

import math

import torch

from d2lattn.arguments import check_bias, check_causal, check_mask
from d2lattn.tracing import data_dependent_ok


class Visibility:
    """Who may see whom, checked against the scores once.

    Query i may see key j if mask[..., i, j] is True, bias[..., i, j] is not -inf and, if
    `query_offset` is a number, j <= query_offset + i; with a window, j > query_offset + i - window
    too. Holding one is the proof that its parts fit the scores, so no engine checks them again;
    `part` and `at` cut out parts that fit as well.

    Args:
        shape, device: of the scores, (..., L, S).
        attn_mask, attn_bias, is_causal, query_offset: as in `attention`.
        window: with is_causal, how many keys a query sees, the last of which is its own: an int, or
            integers (B, L) for scores (B, H, L, S).
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

    __slots__ = ("bias", "device", "mask", "may_be_empty", "query_offset", "shape", "window")

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
        self.query_offset = _reach(query_offset or 0, window, shape[-1]) if is_causal else None
        if torch.is_tensor(window):
            window = window[:, None, :, None].to(device)  # (B, 1, L, 1)
        self.window, self.may_be_empty = window, may_be_empty

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
        """Give the first key that a window of these queries reaches, as far as one may look."""
        if not torch.is_tensor(self.window):
            return 0 if self.window is None else self.query_offset + rows.start - self.window + 1
        if not data_dependent_ok(self.window):
            return 0
        own = torch.arange(rows.start, rows.stop)[:, None] + self.query_offset  # (l, 1)
        return int((own - cut(self.window, rows, slice(None))).min()) + 1

    def _narrowest(self):
        """Give a number of keys that is in every window."""
        return 1 if torch.is_tensor(self.window) else self.window

    def allowed(self):
        """Mask, causality and window in one boolean tensor that broadcasts to the scores, or
        None."""
        if self.query_offset is None:
            return self.mask
        L, S = self.shape[-2:]
        near = torch.ones(L, S, dtype=torch.bool, device=self.device).tril(self.query_offset)
        if self.window is not None:
            own = torch.arange(L, device=self.device)[:, None] + self.query_offset  # (L, 1)
            near = near & (torch.arange(S, device=self.device) > own - self.window)
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

    def unseen_queries(self):
        """Give queries that may see no key by mask and causality, (..., L or 1, 1), or None if all
        see one. To look saves the passes that repair such rows; where one may not, all are
        repaired."""
        L, S = self.shape[-2:]
        may_be_empty = self.may_be_empty
        if self.query_offset is not None and not may_be_empty:
            narrow = self.window is not None and self.query_offset + L - self._narrowest() >= S
            may_be_empty = self.query_offset < 0 or narrow
        allowed = self.allowed() if may_be_empty else None
        if allowed is None:
            return None
        seen = allowed.any(-1, keepdim=True)
        return None if data_dependent_ok(seen) and seen.all() else ~seen

    def part(self, rows, keys):
        """Give the same for some queries and some keys: two slices with both ends given."""
        offset = self.query_offset
        L, S = rows.stop - rows.start, keys.stop - keys.start
        if offset is not None:
            offset = _reach(offset + rows.start - keys.start, self.window, S)
        parts = (cut(x, rows, keys) for x in (self.mask, self.bias, self.window))
        return self._of_parts((*self.shape[:-2], L, S), *parts, offset)

    def at(self, index):
        """Give the same for one place of the first leading axes, as many as `index` has numbers."""
        axes = len(self.shape)
        parts = (entry(x, index, axes) for x in (self.mask, self.bias, self.window))
        return self._of_parts(self.shape[len(index) :], *parts, self.query_offset)

    def masked(self, mask):
        """Make the same with a mask beside it, which the caller has checked."""
        part = self._of_parts(self.shape, mask, self.bias, self.window, self.query_offset)
        part.may_be_empty = True
        return part

    def with_leading_axes(self, lead):
        """Give the same for scores (*lead, L, S), to which the shape broadcasts."""
        shape = (*lead, *self.shape[-2:])
        return self._of_parts(shape, self.mask, self.bias, self.window, self.query_offset)

    def _of_parts(self, shape, mask, bias, window, query_offset):
        part = object.__new__(Visibility)
        part.shape, part.device, part.mask, part.bias = shape, self.device, mask, bias
        part.query_offset, part.window = query_offset, window
        part.may_be_empty = self.may_be_empty
        return part


def _reach(query_offset, window, S):
    """Give the offset, or None where query 0 sees all S keys: then so do the later ones."""
    return None if window is None and query_offset >= S - 1 else query_offset


def cut(x, rows, keys):
    """Cut rows and keys out of a mask, bias or window, as a view; size 1 stands for all."""
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
