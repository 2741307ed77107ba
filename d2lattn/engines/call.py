"""One call of attention: its arguments, checked at the entry and held together from there on."""

from torch import Tensor

from d2lattn.arguments import broadcast, check_number, check_value, scale_of, scores_shape
from d2lattn.engines.visibility import Visibility


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
    shape = scores_shape(query, key)
    check_value(query, key, value)
    check_number("dropout_p", dropout_p, 0, 1)
    visible = Visibility(shape, query.device, attn_mask, attn_bias, is_causal, query_offset)
    return Call(query, key, value, visible, scale_of(scale, query), dropout_p)
