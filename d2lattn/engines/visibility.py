"""Who sees whom: a mask, a bias and causality in one object that fits the scores."""

import math

import torch

from d2lattn.arguments import check_bias, check_causal, check_mask
from d2lattn.tracing import data_dependent_ok


class Visibility:
    """Who may see whom, checked against the scores once.

    Query i may see key j if mask[..., i, j] is True, bias[..., i, j] is not -inf and, if
    `query_offset` is a number, j <= query_offset + i. Holding one is the proof that its parts fit
    the scores, so no engine checks them again; `block` and `at` cut out parts that fit as well.

    Args:
        shape, device: of the scores, (..., L, S).
        attn_mask, attn_bias, is_causal, query_offset: as in `attention`.
        may_be_empty (bool): whether a query may be left without a key; when absent, True with any
            mask or bias. False, where the caller knows it, saves a search.

    Attributes:
        mask: boolean tensor or None. bias: floating tensor or None.
        query_offset (int): the key position of query 0, or None if the future is not hidden.

    Example:
        >>> device = torch.device("cpu")
        >>> Visibility((2, 3), device, is_causal=True, query_offset=1).allowed().int()
        tensor([[1, 1, 0],
                [1, 1, 1]], dtype=torch.int32)
    """

    __slots__ = ("bias", "device", "mask", "may_be_empty", "query_offset", "shape")

    def __init__(
        self,
        shape,
        device,
        attn_mask=None,
        attn_bias=None,
        is_causal=False,
        query_offset=None,
        *,
        may_be_empty=None,
    ):
        check_causal(is_causal, query_offset, shape)
        if attn_mask is not None:
            check_mask(attn_mask, shape, device)
        if attn_bias is not None:
            check_bias(attn_bias, shape, device)
        self.shape, self.device, self.mask, self.bias = shape, device, attn_mask, attn_bias
        self.query_offset = _reach((query_offset or 0) if is_causal else None, shape[-1])
        if may_be_empty is None:
            may_be_empty = attn_mask is not None or attn_bias is not None
        self.may_be_empty = may_be_empty

    def has_mask(self):
        """Whether more than causality decides who is seen, so that a query may be left alone."""
        return self.mask is not None

    def hides_nothing(self):
        """Whether every query may see every key, as nothing says otherwise."""
        return self.mask is None and self.bias is None and self.query_offset is None

    def shows_every_key(self):
        """Whether each key is seen by some query for certain: then there is none to neutralise."""
        past = self.query_offset is None or self.query_offset + self.shape[-2] >= self.shape[-1]
        return past and self.mask is None and self.bias is None

    def hides_all(self):
        """Whether no query may see any key, as far as one may look."""
        if self.query_offset is not None and self.query_offset + self.shape[-2] <= 0:
            return True
        return self.mask is not None and data_dependent_ok(self.mask) and not self.mask.any()

    def allowed(self):
        """Mask and causality in one boolean tensor that broadcasts to the scores, or None."""
        if self.query_offset is None:
            return self.mask
        L, S = self.shape[-2:]
        past = torch.ones(L, S, dtype=torch.bool, device=self.device).tril(self.query_offset)
        return past if self.mask is None else self.mask & past

    def hide(self, scores, in_place=False):
        """Add the bias; where a key is hidden put -inf, which exp turns into 0."""
        hidden, allowed = None, self.allowed()
        if self.bias is not None:
            added = self.bias.to(scores.dtype)
            scores = scores.add_(added) if in_place else scores + added
            hidden = added == -math.inf  # also where the score is NaN
        if allowed is not None:
            hidden = ~allowed if hidden is None else ~allowed | hidden
        if hidden is None:
            return scores
        return (scores.masked_fill_ if in_place else scores.masked_fill)(hidden, -math.inf)

    def unseen_queries(self):
        """Queries that may see no key by mask and causality, (..., L or 1, 1), or None if all see
        one. To look saves the passes that repair such rows; where one may not, all are repaired."""
        allowed = self.allowed() if self.may_be_empty else None
        if allowed is None:
            return None
        seen = allowed.any(-1, keepdim=True)
        return None if data_dependent_ok(seen) and seen.all() else ~seen

    def unseen_keys(self):
        """Keys that no query may see: boolean (..., S) with the axes of mask or bias."""
        allowed = self.allowed()
        if self.bias is not None:
            present = self.bias.detach() > -math.inf
            allowed = present if allowed is None else allowed & present
        return ~allowed.any(-2)

    def block(self, rows, keys):
        """The same for some queries and some keys: two slices with both ends given."""
        L, S = rows.stop - rows.start, keys.stop - keys.start
        offset = self.query_offset
        if offset is not None:
            offset = _reach(offset + rows.start - keys.start, S)
        mask, bias = (cut(x, rows, keys) for x in (self.mask, self.bias))
        return self._of_parts((*self.shape[:-2], L, S), mask, bias, offset)

    def at(self, index):
        """The same for one place of the first leading axes, as many as `index` has numbers."""
        axes = len(self.shape)
        mask, bias = (entry(x, index, axes) for x in (self.mask, self.bias))
        return self._of_parts(self.shape[len(index) :], mask, bias, self.query_offset)

    def up_to(self, lengths):
        """The same where each sequence ends at its length, for scores (B, H, L, S)."""
        mask = lengths.mask()[:, None].to(self.device)  # (B, 1, 1 or L, S)
        mask = mask if self.mask is None else mask & self.mask
        part = self._of_parts(self.shape, mask, self.bias, self.query_offset)
        part.may_be_empty = self.may_be_empty or lengths.shortest == 0
        return part

    def with_leading_axes(self, lead):
        """The same for scores (*lead, L, S), to which the shape broadcasts."""
        shape = (*lead, *self.shape[-2:])
        return self._of_parts(shape, self.mask, self.bias, self.query_offset)

    def _of_parts(self, shape, mask, bias, query_offset):
        part = object.__new__(Visibility)
        part.shape, part.device = shape, self.device
        part.mask, part.bias, part.query_offset = mask, bias, query_offset
        part.may_be_empty = self.may_be_empty or (query_offset is not None and query_offset < 0)
        return part


class Placed(Visibility):
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

    def has_mask(self):
        return self.is_causal

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

    def block(self, rows, keys):
        shape = (*self.shape[:-2], rows.stop - rows.start, keys.stop - keys.start)
        asking, asked, step = self.asking[rows], self.asked[keys], cut(self.step, rows, keys)
        return Placed(shape, self.device, asking, asked, self.is_causal, step)

    def at(self, index):
        step = entry(self.step, index, len(self.shape))
        shape = self.shape[len(index) :]
        return Placed(shape, self.device, self.asking, self.asked, self.is_causal, step)


def _reach(query_offset, S):
    """None for an offset from which query 0 sees all S keys: then so do the later ones."""
    return None if query_offset is not None and query_offset >= S - 1 > 0 else query_offset


def cut(x, rows, keys):
    """The given rows and keys of a mask or bias, as a view; an axis of size 1 stands for all."""
    if x is None:
        return None
    if x.shape[-2] > 1:
        x = x[..., rows, :]
    return x[..., keys] if x.shape[-1] > 1 else x


def entry(x, index, ndim):
    """x[index], where x may lack the first of `ndim` axes, and an axis of size 1 stands for all."""
    if x is None:
        return None
    own = index[ndim - x.ndim :]
    return x[tuple(i if size > 1 else 0 for i, size in zip(own, x.shape, strict=False))]
