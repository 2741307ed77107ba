"""Attention with projections: one head (chapter 2)."""

import torch  # noqa: F401 (the examples use it)
from torch import nn

from d2lattn.attention import attention, attention_weights
from d2lattn.masks import check_count


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
