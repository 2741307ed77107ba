"""Masks: who may attend to whom.

Every mask is boolean and True means "may attend", so masks combine with `&`.
Axes: B batch, L queries, S keys. With heads, put an axis in between: `mask[:, None]`.

`Visibility` is what the engines are given: a mask, a bias and causality in one checked object.
"""

import math

import torch

from d2lattn.arguments import check_bias, check_choice, check_count, check_flag, check_mask, show


def length_mask(valid_lens, max_len):
    """Let every query see only the first `valid_lens` keys.

    mask[b, i, j] = (j < valid_lens[b]), or (j < valid_lens[b, i]) with one length per query.
    The name `valid_lens` is that of Dive into Deep Learning, section 11.3.

    Args:
        valid_lens: integers of shape (B,) or (B, L), each from 0 to max_len.
        max_len (int): the number of keys S.

    Returns:
        Boolean tensor on the device of `valid_lens`: (B, 1, S) for (B,), (B, L, S) for (B, L).

    Raises:
        ValueError: lengths that are not integers, have other axes or leave 0..max_len.

    Cost:
        B·S (or B·L·S) comparisons and bytes.

    Example:
        >>> length_mask(torch.tensor([1, 3]), 3).int()
        tensor([[[1, 0, 0]],
        <BLANKLINE>
                [[1, 1, 1]]], dtype=torch.int32)
    """
    check_count("max_len", max_len)
    return Lengths(valid_lens, max_len).mask()


def causal_mask(L, S=None, *, align=None, device=None):
    """Let query i see the keys up to its own position and none after it.

    "top-left": mask[i, j] = (j <= i): query 0 stands at key 0, as in training on a whole sequence.
    "bottom-right": mask[i, j] = (j <= i + S - L): the last query stands at the last key, as in
    decoding with S - L remembered keys. The two are the same when L = S; when they differ,
    libraries silently disagree, so `align` has to be given. (With L > S, bottom-right leaves the
    first L - S queries without a key; their attention output is 0.)

    Args:
        L (int): number of queries.
        S (int): number of keys; L when absent.
        align (str): "top-left" or "bottom-right"; may be left out when L = S.
        device: where to make the mask.

    Returns:
        Boolean tensor (L, S).

    Raises:
        ValueError: L ≠ S without `align`, an unknown `align`, or a size below 1.

    Cost:
        L·S bytes.

    Example:
        >>> causal_mask(2, 3, align="bottom-right").int()
        tensor([[1, 1, 0],
                [1, 1, 1]], dtype=torch.int32)
    """
    S = L if S is None else S
    check_count("L", L)
    check_count("S", S)
    if align is not None:
        check_choice("align", align, ("top-left", "bottom-right"))
    elif L != S:
        raise ValueError(
            f'align must be given when L and S differ, got L={L}, S={S}: "top-left" puts query 0 '
            'at key 0, "bottom-right" puts the last query at the last key'
        )
    diagonal = S - L if align == "bottom-right" else 0
    return torch.ones(L, S, dtype=torch.bool, device=device).tril(diagonal)


def window_mask(L, S=None, *, width, offset=0, device=None):
    """Let query i see the keys closer than `width` positions.

    mask[i, j] = (|offset + i - j| < width): width=1 is the diagonal, width=2 adds one neighbour on
    each side (the sliding window of Longformer, Beltagy et al. 2020, section 3.1).

    Args:
        L (int): number of queries.
        S (int): number of keys; L when absent.
        width (int): at least 1; a query sees at most 2·width - 1 keys.
        offset (int): the key position of query 0, from 0: with n remembered keys it is n.
        device: where to make the mask.

    Returns:
        Boolean tensor (L, S).

    Raises:
        ValueError: a size or a width below 1, a negative offset.

    Cost:
        L·S bytes.

    Example:
        >>> window_mask(3, width=2).int()
        tensor([[1, 1, 0],
                [1, 1, 1],
                [0, 1, 1]], dtype=torch.int32)
    """
    S = L if S is None else S
    check_count("L", L)
    check_count("S", S)
    check_count("width", width)
    check_count("offset", offset, least=0)
    queries = torch.arange(offset, offset + L, device=device)[:, None]  # (L, 1)
    keys = torch.arange(S, device=device)  # (S,)
    return (queries - keys).abs() < width


class Visibility:
    """Who may see whom: a mask, a bias and causality, checked against the scores once.

    Query i may see key j if mask[..., i, j] is True, bias[..., i, j] is not -inf and, if `first` is
    a number, j <= first + i. Holding one is the proof that its parts fit the scores, so no engine
    checks them again; `block` cuts out a part, which needs no check either.

    Args:
        shape: that of the scores, (..., L, S).
        device: where the scores are.
        attn_mask, attn_bias, is_causal, query_offset: as in `attention`.

    Attributes:
        mask: boolean tensor or None. bias: floating tensor or None.
        first (int): the key position of query 0, or None if the future is not hidden.
        may_be_empty (bool): whether a query may be left without a key. Whoever knows better than
            the mask can tell sets it to False and saves a search.

    Raises:
        ValueError: a mask that is not boolean or does not fit, a bias likewise, is_causal with
            L ≠ S and no query_offset, a query_offset below 0 or without is_causal.

    Example:
        >>> Visibility((2, 3), "cpu", is_causal=True, query_offset=1).allowed().int()
        tensor([[1, 1, 0],
                [1, 1, 1]], dtype=torch.int32)
    """

    __slots__ = ("bias", "device", "first", "mask", "may_be_empty", "shape")

    def __init__(
        self,
        shape,
        device,
        *,
        attn_mask=None,
        attn_bias=None,
        is_causal=False,
        query_offset=None,
    ):
        check_flag("is_causal", is_causal)
        if query_offset is not None:
            check_count("query_offset", query_offset, least=0)
            if not is_causal:
                raise ValueError(f"query_offset is for is_causal=True, got {query_offset} without")
        elif is_causal and shape[-2] != shape[-1]:
            L, S = shape[-2:]
            raise ValueError(
                f"is_causal=True needs as many queries as keys, got L={L}, S={S}, or query_offset, "
                f"the key position of query 0 ({S - L} if the last query stands at the last key), "
                'or attn_mask=causal_mask(L, S, align="top-left") or "bottom-right"'
            )
        device = torch.device(device)
        if attn_mask is not None:
            check_mask(attn_mask, shape, device)
        if attn_bias is not None:
            check_bias(attn_bias, shape, device)
        self.shape, self.device, self.mask, self.bias = shape, device, attn_mask, attn_bias
        self.first = (query_offset or 0) if is_causal else None
        if self.first is not None and self.first >= shape[-1] - 1 > 0:
            self.first = None  # query 0 sees all keys, so do the later ones
        self.may_be_empty = attn_mask is not None or attn_bias is not None

    def allowed(self):
        """Mask and causality in one boolean tensor that broadcasts to the scores, or None."""
        if self.first is None:
            return self.mask
        L, S = self.shape[-2:]
        past = torch.ones(L, S, dtype=torch.bool, device=self.device).tril(self.first)
        return past if self.mask is None else self.mask & past

    def hide(self, scores):
        """Add the bias; where a key is hidden put -inf, which exp turns into 0."""
        if self.bias is not None:
            scores = scores + self.bias.to(scores.dtype)
        allowed = self.allowed()
        return scores if allowed is None else scores.masked_fill(~allowed, -math.inf)

    def hide_(self, scores):
        """`hide` that writes into the scores."""
        if self.bias is not None:
            scores += self.bias.to(scores.dtype)
        allowed = self.allowed()
        return scores if allowed is None else scores.masked_fill_(~allowed, -math.inf)

    def block(self, rows, keys):
        """The same for some queries and some keys: two slices with both ends given."""
        L, S = rows.stop - rows.start, keys.stop - keys.start
        first = None if self.first is None else self.first + rows.start - keys.start
        if first is not None and first >= S - 1:
            first = None  # query 0 of the block sees all its keys, so do the later ones
        mask, bias = (cut(x, rows, keys) for x in (self.mask, self.bias))
        return self._of_parts((*self.shape[:-2], L, S), mask, bias, first)

    def at(self, index):
        """The same for one place of the first leading axes, as many as `index` has numbers."""
        lead = len(self.shape)
        mask, bias = (entry(x, index, lead) for x in (self.mask, self.bias))
        return self._of_parts(self.shape[len(index) :], mask, bias, self.first)

    def up_to(self, lengths):
        """The same where each sequence ends at its length, for scores (B, H, L, S)."""
        mask = lengths.mask()[:, None].to(self.device)  # (B, 1, 1 or L, S)
        mask = mask if self.mask is None else mask & self.mask
        part = self._of_parts(self.shape, mask, self.bias, self.first)
        part.may_be_empty = self.may_be_empty or lengths.shortest == 0
        return part

    def with_leading_axes(self, lead):
        """The same for scores (*lead, L, S), to which the shape broadcasts."""
        return self._of_parts((*lead, *self.shape[-2:]), self.mask, self.bias, self.first)

    def _of_parts(self, shape, mask, bias, first):
        part = object.__new__(Visibility)
        part.shape, part.device = shape, self.device
        part.mask, part.bias, part.first = mask, bias, first
        part.may_be_empty = self.may_be_empty or (first is not None and first < 0)
        return part

    def hides_all(self):
        """Whether no query may see any key, as far as one may look."""
        if self.first is not None and self.first + self.shape[-2] <= 0:
            return True
        return self.mask is not None and may_look(self.mask) and not self.mask.any()

    def unseen_queries(self):
        """Queries that may see no key by mask and causality, (..., L or 1, 1), or None if all see
        one. To look saves the passes that repair such rows; where one may not, all are repaired."""
        if not self.may_be_empty:
            return None
        allowed = self.allowed()
        if allowed is None:
            return None
        seen = allowed.any(-1, keepdim=True)
        return None if may_look(seen) and seen.all() else ~seen

    def unseen_keys(self):
        """Keys that no query may see: boolean (..., S) with the axes of mask or bias."""
        allowed = self.allowed()
        if self.bias is not None:
            present = self.bias.detach() > -math.inf
            allowed = present if allowed is None else allowed & present
        return ~allowed.any(-2)

    def hides_nothing(self):
        """Whether every query may see every key, as nothing says otherwise."""
        return self.mask is None and self.bias is None and self.first is None


def without_unseen(key, value, visible):
    """Key and value with 0 in the rows of keys that no query may see, whatever stood there.

    A weight of 0 hides a number but not a NaN: 0 · NaN is NaN, in the output or in a gradient.
    (A key that only some queries may see is left as it is.)
    """
    if visible.hides_nothing():
        return key, value
    unseen = visible.unseen_keys()
    return tuple(
        x.masked_fill(_for_leading_axes(unseen, x.shape[:-2])[..., None], 0) for x in (key, value)
    )


def _for_leading_axes(unseen, lead):
    """(..., S) -> an axis that `lead` lacks or has once is shared: unseen there means by all."""
    while unseen.ndim - 1 > len(lead):
        unseen = unseen.all(0)
    for axis in range(-2, -unseen.ndim - 1, -1):
        if lead[axis + 1] == 1:
            unseen = unseen.all(axis, keepdim=True)
    return unseen


def may_look(*tensors):
    """Whether the values of tensors may decide what is done next.

    Not in a graph, which is made once for all values, nor inside torch.func's transforms, nor on a
    GPU, which would have to be waited for.
    """
    return outside_graphs() and all(x.device.type == "cpu" for x in tensors)


def are_finite(*tensors):
    """Whether one may look and no NaN and no inf is there: they would spoil the sum."""
    return may_look(*tensors) and all(math.isfinite(x.detach().sum()) for x in tensors)


def outside_graphs():
    """Whether operations run at once, as they stand: no compiling, no export, no torch.func."""
    return not torch.compiler.is_compiling() and not is_transformed()


def is_transformed():
    """Whether one of torch.func's transforms (vmap, grad, jvp, …) is at work."""
    return torch._C._are_functorch_transforms_active()


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


class Lengths:
    """`valid_lens`, checked once: integers (B,) or (B, L), each from 0 to max_len.

    Attributes:
        tensor: the lengths. max_len (int): the number of keys.
        shortest (int): the least of them; 0 where it may not be looked at, and for an empty batch.
    """

    __slots__ = ("max_len", "shortest", "tensor")

    def __init__(self, valid_lens, max_len):
        if not torch.is_tensor(valid_lens):
            try:
                valid_lens = torch.as_tensor(valid_lens)
            except (TypeError, ValueError, RuntimeError):
                raise ValueError(f"valid_lens must hold integers, got {show(valid_lens)}") from None
            if valid_lens.numel() == 0:
                valid_lens = valid_lens.long()  # an empty list has no integers to tell its dtype
        if valid_lens.dtype not in _INTEGERS:
            raise ValueError(f"valid_lens must hold integers, got dtype {valid_lens.dtype}")
        if valid_lens.ndim not in (1, 2):
            raise ValueError(
                f"valid_lens must have shape (B,) or (B, L), got {tuple(valid_lens.shape)}"
            )
        self.tensor, self.max_len, self.shortest = valid_lens, max_len, 0
        if not outside_graphs() or valid_lens.numel() == 0 or valid_lens.device.type == "meta":
            return
        lengths = valid_lens.flatten().tolist()
        if min(lengths) < 0 or max(lengths) > max_len:
            raise ValueError(
                f"valid_lens must lie between 0 and {max_len} (the number of keys), got values "
                f"from {min(lengths)} to {max(lengths)}"
            )
        self.shortest = min(lengths)

    def zero_padding(self, *tensors):
        """Tensors (B, S, E) with 0 past the lengths, if a NaN or an inf could do harm there."""
        if are_finite(*tensors):
            return tensors
        seen = self.mask().any(1)[..., None]  # (B, S, 1)
        return tuple(x.masked_fill(~seen.to(x.device), 0) for x in tensors)

    def mask(self):
        """Boolean (B, 1, S) for (B,), (B, L, S) for (B, L)."""
        ends = self.tensor[:, None, None] if self.tensor.ndim == 1 else self.tensor[..., None]
        return torch.arange(self.max_len, device=ends.device) < ends


_INTEGERS = (torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8)
