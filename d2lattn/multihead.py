"""Attention with projections: one head (chapter 2) and several (chapter 4).

Shapes: B batch, H heads, L queries, S keys, E width of the model, D = E / H width of a head.
"""

import math

import torch
import torch.nn.functional as F
from torch import nn

from d2lattn.attention import (
    ENGINES,
    attention,
    attention_weights,
    check_visibility,
    unchecked_attention,
    unchecked_weights,
)
from d2lattn.masks import check_count, check_lengths, unchecked_length_mask

# Below this many keys a padded batch is one masked call: the calls would cost more than the keys.
LEAST_KEYS_TO_CUT = 256


class SelfAttention(nn.Module):
    """One head of self-attention: each token asks, answers to a key, and hands over a value.

    Y = softmax(Q Kᵀ / √head_dim) V with Q = X Wqᵀ, K = X Wkᵀ, V = X Wvᵀ (Vaswani et al. 2017,
    section 3.2). The weights are stored as `nn.Linear` stores them: (out, in).

    Args:
        embed_dim (int): width of the tokens.
        head_dim (int): width of queries and keys; embed_dim when absent.
        value_dim (int): width of values and output; head_dim when absent.
        bias (bool): whether the projections add a bias.

    Raises:
        ValueError: a width below 1; in `forward`, what `attention` refuses.

    Cost:
        2·L·E·(2·head_dim + value_dim) + 2·L²·(head_dim + value_dim) FLOPs.

    Example:
        >>> layer = SelfAttention(10, 20, 25)
        >>> layer(torch.randn(5, 10)).shape
        torch.Size([5, 25])
    """

    def __init__(self, embed_dim, head_dim=None, value_dim=None, *, bias=False):
        super().__init__()
        head_dim = embed_dim if head_dim is None else head_dim
        value_dim = head_dim if value_dim is None else value_dim
        for name, width in dict(
            embed_dim=embed_dim, head_dim=head_dim, value_dim=value_dim
        ).items():
            check_count(name, width)
        self.q_proj = nn.Linear(embed_dim, head_dim, bias=bias)
        self.k_proj = nn.Linear(embed_dim, head_dim, bias=bias)
        self.v_proj = nn.Linear(embed_dim, value_dim, bias=bias)

    def forward(self, x, *, attn_mask=None, is_causal=False, need_weights=False):
        """x (..., L, E) -> output (..., L, value_dim), or (output, weights (..., L, L))."""
        embed_dim = self.q_proj.in_features
        if x.ndim < 2 or x.shape[-1] != embed_dim:
            raise ValueError(f"x must have shape (..., length, {embed_dim}), got {tuple(x.shape)}")
        query, key, value = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        visible = dict(attn_mask=attn_mask, is_causal=is_causal)
        if not need_weights:
            return attention(query, key, value, **visible)
        weights = attention_weights(query, key, **visible)
        return weights @ value, weights


class MultiHeadAttention(nn.Module):
    """Several heads of attention side by side, joined by one last projection.

    output = concat(head_1 … head_H) Woᵀ, head_h = attention(X_q Wqᵀ, X_k Wkᵀ, X_v Wvᵀ), each head
    on its own D = E / H columns of the projections (Vaswani et al. 2017, section 3.2.2). The
    weights are stored as `nn.Linear` stores them, (out, in); none depends on the number of heads.

    Args:
        embed_dim (int): width E of the output and of all heads together.
        num_heads (int): H, which must divide embed_dim.
        dropout (float): share of the attention weights set to 0 while training.
        bias (bool): whether the four projections add a bias.
        qdim, kdim, vdim (int): widths of query, key and value as they come in; E when absent.
        engine (str): "fused", "chunked" or "explicit", see `attention`.

    Raises:
        ValueError: a size below 1, heads that do not divide embed_dim, a dropout outside 0..1, an
            unknown engine; in `forward`, an argument that does not fit.

    Cost:
        2·B·E·(2·L·E + S·(kdim + vdim)) FLOPs to project, 4·B·L·S·E to attend, whatever H;
        4·E² parameters if all widths are E. Memory as `attention` says for the engine; a padded
        batch on the CPU costs what its keys cost.

    Example:
        >>> mha = MultiHeadAttention(100, 5)
        >>> x = torch.randn(2, 4, 100)
        >>> output, weights = mha(x, valid_lens=torch.tensor([3, 2]), need_weights=True)
        >>> output.shape, weights.shape
        (torch.Size([2, 4, 100]), torch.Size([2, 5, 4, 4]))
    """

    def __init__(
        self,
        embed_dim,
        num_heads,
        *,
        dropout=0.0,
        bias=False,
        qdim=None,
        kdim=None,
        vdim=None,
        engine="fused",
    ):
        super().__init__()
        widths = dict(qdim=qdim, kdim=kdim, vdim=vdim)
        widths = {name: embed_dim if width is None else width for name, width in widths.items()}
        for name, count in dict(embed_dim=embed_dim, num_heads=num_heads, **widths).items():
            check_count(name, count)
        if embed_dim % num_heads:
            raise ValueError(
                f"num_heads must divide embed_dim, got embed_dim={embed_dim}, num_heads={num_heads}"
            )
        if not 0 <= dropout <= 1:
            raise ValueError(f"dropout must lie between 0 and 1, got {dropout}")
        if engine not in ENGINES:
            raise ValueError(f"engine must be one of {ENGINES}, got {engine!r}")
        self.embed_dim, self.num_heads, self.head_dim = embed_dim, num_heads, embed_dim // num_heads
        self.dropout, self.engine = dropout, engine
        self.q_proj = nn.Linear(widths["qdim"], embed_dim, bias=bias)
        self.k_proj = nn.Linear(widths["kdim"], embed_dim, bias=bias)
        self.v_proj = nn.Linear(widths["vdim"], embed_dim, bias=bias)
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)

    def forward(
        self,
        query,
        key=None,
        value=None,
        *,
        valid_lens=None,
        attn_mask=None,
        is_causal=False,
        need_weights=False,
    ):
        """Attend from `query` to `key` and gather `value`.

        Whatever hides a key hides it: valid_lens, attn_mask and is_causal may be combined. A query
        that may see no key gets 0 from every head.

        Args:
            query: floating tensor (B, L, qdim).
            key: (B, S, kdim); the query when absent (self-attention).
            value: (B, S, vdim); the key when absent.
            valid_lens: integers (B,) or (B, L), each from 0 to S: only the first ones are seen.
            attn_mask: boolean, True = may attend; (L, S), (B, L, S) or (B, H, L, S), each size
                full or 1. Two axes always mean (L, S): a mask (B, S) of padding is written
                (B, 1, S), `mask[:, None]`. (When B = L its shape cannot betray it.)
            is_causal (bool): query i sees keys 0..i; needs L = S.
            need_weights (bool): return the weights too. They are those before dropout and are part
                of the graph: `detach()` them to keep them.

        Returns:
            Tensor (B, L, E) of the query's dtype, or (output, weights (B, H, L, S)).
        """
        key = query if key is None else key
        value = key if value is None else value
        self._check_inputs(query, key, value)
        shape = (query.shape[0], self.num_heads, query.shape[1], key.shape[1])  # (B, H, L, S)
        attn_mask = _with_heads(attn_mask, shape)
        check_visibility(shape, query.device, attn_mask, None, is_causal)
        hidden = dict(is_causal=is_causal, scale=1 / math.sqrt(self.head_dim))
        options = dict(dropout_p=self.dropout if self.training else 0.0, engine=self.engine)

        if valid_lens is not None:
            valid_lens = _check_batch(torch.as_tensor(valid_lens), shape)
            shortest = check_lengths(valid_lens, shape[3])
            if attn_mask is None and not need_weights and self._can_cut(query, key, valid_lens):
                return self._attend_to_lengths(query, key, value, valid_lens, **hidden, **options)
            # Query i sees key 0 at least, unless a length is 0 or a mask of the caller's hides it.
            hidden.update(empty_rows=attn_mask is not None or shortest == 0)
            visible = unchecked_length_mask(valid_lens, shape[3])[:, None].to(query.device)
            attn_mask = visible if attn_mask is None else visible & attn_mask  # (…, 1 or L, S)

        query = self._split_heads(self.q_proj(query))  # (B, H, L, D)
        key = self._split_heads(self.k_proj(key))  # (B, H, S, D)
        value = self._split_heads(self.v_proj(value))  # (B, H, S, D)
        hidden.update(attn_mask=attn_mask)
        if need_weights:
            weights = unchecked_weights(query, key, **hidden)
            kept = F.dropout(weights, self.dropout, self.training)
            return self._join_heads(kept @ value), weights
        return self._join_heads(unchecked_attention(query, key, value, **hidden, **options))

    def extra_repr(self):
        return f"num_heads={self.num_heads}, dropout={self.dropout}, engine={self.engine!r}"

    def _split_heads(self, x):
        """(..., L, E) -> (..., L, H, D) -> (..., H, L, D)."""
        return x.view(*x.shape[:-1], self.num_heads, self.head_dim).transpose(-3, -2)

    def _join_heads(self, x):
        """(B, H, L, D) -> (B, L, H, D) -> (B, L, E), projected."""
        return self.out_proj(x.transpose(1, 2).flatten(-2))

    def _check_inputs(self, query, key, value):
        for name, x, projection in (
            ("query", query, self.q_proj),
            ("key", key, self.k_proj),
            ("value", value, self.v_proj),
        ):
            if x.ndim != 3 or x.shape[2] != projection.in_features:
                raise ValueError(
                    f"{name} must have shape (batch, length, {projection.in_features}), "
                    f"got {tuple(x.shape)}"
                )
        if query.shape[0] != key.shape[0] or key.shape[:2] != value.shape[:2]:
            raise ValueError(
                "query, key and value must have the same batch size, and value one row for each "
                f"key, got {tuple(query.shape)}, {tuple(key.shape)} and {tuple(value.shape)}"
            )

    def _can_cut(self, query, key, valid_lens):
        """Whether keys past the lengths can be left out, which is cheaper than masking them.

        It takes someone to look at the lengths: not on a GPU, which would wait, nor in a graph.
        """
        return (
            not torch.compiler.is_compiling()
            and valid_lens.ndim == 1
            and valid_lens.numel() > 0
            and query.device.type == valid_lens.device.type == "cpu"
            and key.shape[1] >= LEAST_KEYS_TO_CUT
            and self.engine != "explicit"
        )

    def _attend_to_lengths(self, query, key, value, valid_lens, *, is_causal, **options):
        """A padded batch, each sequence with its own keys alone: the rest is not even projected."""
        lengths = valid_lens.tolist()
        queries = self.q_proj(query)
        keys = self.k_proj(_pack(key, lengths)).split(lengths)  # B tensors (length, E)
        values = self.v_proj(_pack(value, lengths)).split(lengths)
        outputs = []
        for q, k, v, length in zip(queries, keys, values, lengths, strict=True):
            q, k, v = (self._split_heads(x) for x in (q, k, v))  # (H, L or length, D)
            parts = [(q, False)]
            if is_causal:  # a query past the length sees all the keys that are left
                parts = [(q[:, :length], True), (q[:, length:], False)]
            for part, causal in parts:
                output = unchecked_attention(
                    part, k, v, attn_mask=None, is_causal=causal, **options
                )
                outputs.append(output.transpose(0, 1))  # (some of L, H, D)
        return self.out_proj(torch.cat(outputs).view(queries.shape))


def _pack(x, lengths):
    """The rows (B, S, E) that count, one sequence after the other: (sum of lengths, E)."""
    return torch.cat([rows[:length] for rows, length in zip(x, lengths, strict=True)])


def _with_heads(attn_mask, shape):
    """A mask that fits the scores (B, H, L, S): (B, L, S) -> (B, 1, L, S), others as they are."""
    if attn_mask is None:
        return None
    if not torch.is_tensor(attn_mask) or attn_mask.dtype != torch.bool:
        got = attn_mask.dtype if torch.is_tensor(attn_mask) else type(attn_mask).__name__
        raise ValueError(f"attn_mask must be a boolean tensor, True = may attend, got {got}")
    B, H, L, S = shape
    wanted = {2: (L, S), 3: (B, L, S), 4: (B, H, L, S)}.get(attn_mask.ndim, ())
    if len(wanted) != attn_mask.ndim or any(
        have not in (1, full) for have, full in zip(attn_mask.shape, wanted, strict=True)
    ):
        raise ValueError(
            f"attn_mask must have shape (L, S) = {(L, S)}, (B, L, S) = {(B, L, S)} or "
            f"(B, H, L, S) = {shape}, each size full or 1, got {tuple(attn_mask.shape)}; "
            "a mask (B, S) of padding is written mask[:, None]"
        )
    return attn_mask[:, None] if attn_mask.ndim == 3 else attn_mask


def _check_batch(valid_lens, shape):
    B, _, L, _ = shape
    if valid_lens.shape not in ((B,), (B, L)):
        raise ValueError(
            f"valid_lens must have shape (B,) = {(B,)} or (B, L) = {(B, L)}, "
            f"got {tuple(valid_lens.shape)}"
        )
    return valid_lens
