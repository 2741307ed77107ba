"""Bridges to other implementations: Dive into Deep Learning's `d2l`, and torch."""

from typing import Any

from torch import nn
from torch.nn.parameter import is_lazy

from d2lattn.multihead import MultiHeadAttention


def from_d2l(mha: Any) -> MultiHeadAttention:
    """Make the same multi-head attention as a `d2l.MultiHeadAttention`, with a copy of its weights.

    `ours(q, k, v, valid_lens=n)` gives the numbers of `mha(q, k, v, n)`, but for a length of 0:
    the output of attention is 0 there, where d2l averages the padding. Dtype, device, dropout,
    training mode and requires_grad are kept.

    Args:
        mha: `d2l.torch.MultiHeadAttention`, or a class with its W_q, W_k, W_v, W_o, num_heads and
            attention.dropout.

    Example:
        >>> import torch
        >>> from d2lattn_book.real import load_d2l
        >>> theirs, x = load_d2l().MultiHeadAttention(100, 5, 0.5).eval(), torch.randn(2, 4, 100)
        >>> expected = theirs(x, x, x, None)
        >>> torch.allclose(from_d2l(theirs)(x), expected, atol=1e-6)
        True
    """
    names = ("W_q", "W_k", "W_v", "W_o")
    parts: list[Any] = [getattr(mha, name, None) for name in names]
    if not all(isinstance(part, nn.Linear) for part in parts):
        raise ValueError(f"mha must be a d2l.MultiHeadAttention, got {type(mha).__name__}")
    for name, part in zip(names, parts, strict=True):
        if is_lazy(part.weight):
            raise ValueError(
                f"mha must have its weights, but {name} is lazy and has seen no input yet: call "
                "mha(queries, keys, values, None) once, then convert it"
            )
    pairs = [(part.weight, part.bias) for part in parts]
    return _equal_module(pairs, mha.num_heads, mha.attention.dropout.p, mha)


def from_torch(mha: nn.MultiheadAttention) -> MultiHeadAttention:
    """Make the same multi-head attention as an `nn.MultiheadAttention`, with a copy of its weights.

    Three things differ in the call: ours takes (batch, length, width) whatever `batch_first` is;
    a boolean mask means True = may attend here, and the opposite there; `need_weights` is False
    unless asked for and gives the weights of every head, before dropout, not their mean.

    Its input weights may be packed or separate. Dtype, device, dropout, training mode and
    requires_grad are kept.

    Equivalent to:
        mha(q, k, v, attn_mask=~mask) is ours(q, k, v, attn_mask=mask), for batch_first=True.

    Example:
        >>> import torch
        >>> theirs = torch.nn.MultiheadAttention(8, 2, batch_first=True).eval()
        >>> x = torch.randn(2, 4, 8)
        >>> torch.allclose(from_torch(theirs)(x), theirs(x, x, x)[0], atol=1e-6)
        True
    """
    if not isinstance(mha, nn.MultiheadAttention):
        raise ValueError(f"mha must be a torch.nn.MultiheadAttention, got {type(mha).__name__}")
    for option, used in (
        ("add_bias_kv", mha.bias_k is not None),
        ("add_zero_attn", mha.add_zero_attn),
    ):
        if used:
            raise ValueError(
                f"mha must be made without {option}: it adds a key that is no input, which "
                f"MultiHeadAttention has no place for. Train or load one with {option}=False"
            )
    if mha.in_proj_weight is None:
        weights = [mha.q_proj_weight, mha.k_proj_weight, mha.v_proj_weight]
    else:
        weights = mha.in_proj_weight.chunk(3)
    biases = [None] * 3 if mha.in_proj_bias is None else mha.in_proj_bias.chunk(3)
    pairs = [*zip(weights, biases, strict=True), (mha.out_proj.weight, mha.out_proj.bias)]
    return _equal_module(pairs, mha.num_heads, mha.dropout, mha)


def _equal_module(projections, num_heads, dropout, theirs):
    """Make MultiHeadAttention with copies of (weight, bias) for query, key, value and output."""
    *widths, embed_dim = (weight.shape[1] for weight, _ in projections)
    options = dict(zip(("qdim", "kdim", "vdim"), widths, strict=True), dropout=dropout, bias=True)
    ours = MultiHeadAttention(embed_dim, num_heads, **options)
    linears = (ours.q_proj, ours.k_proj, ours.v_proj, ours.out_proj)
    for linear, parameters in zip(linears, projections, strict=True):
        for name, x in zip(("weight", "bias"), parameters, strict=True):
            given = None if x is None else nn.Parameter(x.detach().clone(), x.requires_grad)
            setattr(linear, name, given)
    return ours.train(theirs.training)
