"""Bridges to other implementations: Dive into Deep Learning's `d2l` package, and torch."""

import importlib.util
import sys
import types

import torch  # noqa: F401 (the examples use it)
from torch import nn
from torch.nn.parameter import is_lazy

from d2lattn.multihead import MultiHeadAttention

# What d2l.torch imports at its top for chapters that have nothing to do with attention.
D2L_IMPORTS = (
    "torchvision",
    "torchvision.transforms",
    "scipy",
    "scipy.spatial",
    "pandas",
    "PIL",
    "PIL.Image",
    "requests",
)


def load_d2l():
    """Import `d2l.torch`, also where packages it imports are missing or do not match torch.

    d2l 1.0.3 imports torchvision, scipy and others at its top. Attention needs none of them, so
    one that cannot be imported is replaced while d2l loads, and using it raises an ImportError
    that names it. `sys.modules` is left as it was, but for d2l itself.

    Returns:
        module: d2l.torch.

    Raises:
        ImportError: d2l is not installed; the message says how to install it.

    Example:
        >>> load_d2l().DotProductAttention.__name__
        'DotProductAttention'
    """
    if "d2l.torch" in sys.modules:
        return sys.modules["d2l.torch"]
    if importlib.util.find_spec("d2l") is None:
        raise ImportError(
            "d2l is not installed. Install it without its outdated pins: "
            "pip install --no-deps d2l==1.0.3"
        )
    stand_ins = {}
    for name in D2L_IMPORTS:
        before = set(sys.modules)
        try:
            importlib.import_module(name)
        except Exception:  # a torchvision for another torch fails with a RuntimeError, for one
            for half_loaded in set(sys.modules) - before:
                if half_loaded.partition(".")[0] == name.partition(".")[0]:
                    del sys.modules[half_loaded]
            stand_ins[name] = _StandIn(name)
            sys.modules[name] = stand_ins[name]
    try:
        return importlib.import_module("d2l.torch")
    finally:
        for name in stand_ins:
            del sys.modules[name]


def from_d2l(mha):
    """The same multi-head attention as a `d2l.MultiHeadAttention`, with a copy of its weights.

    `ours(q, k, v, valid_lens=n)` gives the numbers of `mha(q, k, v, n)`, but for a length of 0:
    the output of attention is 0 there, where d2l averages the padding.

    Args:
        mha: `d2l.torch.MultiHeadAttention`, or a class with its W_q, W_k, W_v, W_o, num_heads and
            attention.dropout.

    Returns:
        MultiHeadAttention of the same dtype, device, dropout, training mode and requires_grad.

    Raises:
        ValueError: another kind of object, or a lazy module that has not seen an input yet.

    Example:
        >>> theirs, x = load_d2l().MultiHeadAttention(100, 5, 0.5).eval(), torch.randn(2, 4, 100)
        >>> expected = theirs(x, x, x, None)
        >>> torch.allclose(from_d2l(theirs)(x), expected, atol=1e-6)
        True
    """
    names = ("W_q", "W_k", "W_v", "W_o")
    projections = [getattr(mha, name, None) for name in names]
    if not all(isinstance(projection, nn.Linear) for projection in projections):
        raise ValueError(f"mha must be a d2l.MultiHeadAttention, got {type(mha).__name__}")
    for name, projection in zip(names, projections, strict=True):
        if is_lazy(projection.weight):
            raise ValueError(
                f"mha must have its weights, but {name} is lazy and has seen no input yet: call "
                "mha(queries, keys, values, None) once, then convert it"
            )
    return _equal_module(
        [(projection.weight, projection.bias) for projection in projections],
        num_heads=mha.num_heads,
        dropout=mha.attention.dropout.p,
        training=mha.training,
    )


def from_torch(mha):
    """The same multi-head attention as an `nn.MultiheadAttention`, with a copy of its weights.

    Three things differ in the call: ours takes (batch, length, width) whatever `batch_first` is;
    a boolean mask means True = may attend here, and the opposite there; `need_weights` is False
    unless asked for and gives the weights of every head, before dropout, not their mean.

    Args:
        mha: `nn.MultiheadAttention`, its input weights packed or separate.

    Returns:
        MultiHeadAttention of the same dtype, device, dropout, training mode and requires_grad.

    Raises:
        ValueError: another kind of object, or one made with add_bias_kv or add_zero_attn.

    Equivalent to:
        mha(q, k, v, attn_mask=~mask) is ours(q, k, v, attn_mask=mask), for batch_first=True.

    Example:
        >>> theirs = torch.nn.MultiheadAttention(8, 2, batch_first=True).eval()
        >>> x = torch.randn(2, 4, 8)
        >>> torch.allclose(from_torch(theirs)(x), theirs(x, x, x)[0], atol=1e-6)
        True
    """
    if not isinstance(mha, nn.MultiheadAttention):
        raise ValueError(f"mha must be a torch.nn.MultiheadAttention, got {type(mha).__name__}")
    for option, used in dict(
        add_bias_kv=mha.bias_k is not None, add_zero_attn=mha.add_zero_attn
    ).items():
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
    return _equal_module(
        [*zip(weights, biases, strict=True), (mha.out_proj.weight, mha.out_proj.bias)],
        num_heads=mha.num_heads,
        dropout=mha.dropout,
        training=mha.training,
    )


def _equal_module(projections, *, num_heads, dropout, training):
    """MultiHeadAttention with copies of four pairs (weight, bias): query, key, value, output."""
    qdim, kdim, vdim, embed_dim = (weight.shape[1] for weight, _ in projections)
    ours = MultiHeadAttention(
        embed_dim,
        num_heads,
        dropout=dropout,
        bias=True,
        qdim=qdim,
        kdim=kdim,
        vdim=vdim,
    )
    linears = (ours.q_proj, ours.k_proj, ours.v_proj, ours.out_proj)
    for linear, parameters in zip(linears, projections, strict=True):
        for name, theirs in zip(("weight", "bias"), parameters, strict=True):
            copy = None  # a projection without a bias
            if theirs is not None:
                copy = nn.Parameter(theirs.detach().clone(), requires_grad=theirs.requires_grad)
            setattr(linear, name, copy)
    return ours.train(training)


class _StandIn(types.ModuleType):
    """A module that is not there: its attributes exist, using one raises an ImportError."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _StandIn(f"{self.__name__}.{name}")

    def __call__(self, *args, **kwargs):
        package = self.__name__.partition(".")[0]
        raise ImportError(
            f"{self.__name__} is needed here, but {package} cannot be imported: "
            f"install a {package} that matches torch"
        )
