"""Bridges to other implementations: Dive into Deep Learning's `d2l`, torch, and GPT-2."""

import importlib.util
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.parameter import is_lazy

from d2lattn.arguments import kind, show
from d2lattn.multihead import MultiHeadAttention
from d2lattn.transformer import Decoder

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
    "regex",  # D2L's rewrite, smolix/d2l-neu
)
# What the options of a `transformers` GPT-2 must be for our decoder to compute the same.
GPT2_OPTIONS = {
    "activation_function": ("gelu_new", "gelu_pytorch_tanh"),
    "layer_norm_epsilon": (1e-5,),
    "scale_attn_weights": (True,),
    "scale_attn_by_inverse_layer_idx": (False,),
    "add_cross_attention": (False,),
}
# Its parts of a block, and ours; all but the norms store their matrix as (in, out).
GPT2_PARTS = {
    "ln_1": "attention_norm",
    "attn.c_proj": "attention.out_proj",
    "ln_2": "mlp_norm",
    "mlp.c_fc": "mlp.0",
    "mlp.c_proj": "mlp.2",
}


def load_d2l() -> ModuleType:
    """Import `d2l.torch`, also where packages it imports are missing or do not match torch.

    d2l 1.0.3 imports torchvision, scipy and others at its top. Attention needs none of them, so
    one that cannot be imported is replaced while d2l loads, and using it raises an ImportError
    that names it, as does this function without d2l. `sys.modules` is left as it was.

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


def from_d2l(mha: Any) -> MultiHeadAttention:
    """Make the same multi-head attention as a `d2l.MultiHeadAttention`, with a copy of its weights.

    `ours(q, k, v, valid_lens=n)` gives the numbers of `mha(q, k, v, n)`, but for a length of 0:
    the output of attention is 0 there, where d2l averages the padding. Dtype, device, dropout,
    training mode and requires_grad are kept.

    Args:
        mha: `d2l.torch.MultiHeadAttention`, or a class with its W_q, W_k, W_v, W_o, num_heads and
            attention.dropout.

    Example:
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
    widths = [part.out_features for part in parts]
    if set(widths) != {parts[-1].in_features}:
        raise ValueError(f"mha must have one width after {', '.join(names)}, got {widths}")
    num_heads = getattr(mha, "num_heads", None)
    dropout = getattr(getattr(mha, "attention", None), "dropout", None)
    if num_heads is None or not isinstance(dropout, nn.Dropout):
        raise ValueError(
            "mha must have num_heads and attention.dropout, as a d2l.MultiHeadAttention, "
            f"got {type(mha).__name__}"
        )
    return _equal_module([(part.weight, part.bias) for part in parts], num_heads, dropout.p, mha)


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
        >>> theirs = torch.nn.MultiheadAttention(8, 2, batch_first=True).eval()
        >>> x = torch.randn(2, 4, 8)
        >>> torch.allclose(from_torch(theirs)(x), theirs(x, x, x)[0], atol=1e-6)
        True
    """
    if not isinstance(mha, nn.MultiheadAttention):
        raise ValueError(f"mha must be a torch.nn.MultiheadAttention, got {type(mha).__name__}")
    if type(mha).forward is not nn.MultiheadAttention.forward:  # as torch's quantizable one
        raise ValueError(
            "mha must compute what torch.nn.MultiheadAttention does, got "
            f"{type(mha).__name__} with a forward of its own"
        )
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


def from_gpt2(
    source: nn.Module | Mapping[str, Tensor] | str | Path, *, num_heads: int | None = None
) -> Decoder:
    """Make GPT-2 (Radford et al. 2019) our `Decoder`, with a copy of its weights.

    It reads the weights as `transformers` names them: `ours(tokens)` gives the logits of its
    GPT2LMHeadModel. There is no dropout, and the decoder is in evaluation mode, of the source's
    dtype and device.

    Args:
        source: a GPT2LMHeadModel or GPT2Model, its state dict, or the path of a safetensors file.
        num_heads (int): where the source does not tell it; width / 64 when absent, as in all sizes
            of GPT-2 that were published.

    Example:
        >>> from_gpt2({"wte.weight": torch.zeros(5, 8)})
        Traceback (most recent call last):
        ValueError: source must hold the weights of GPT-2, got no wpe.weight
    """
    state, config = _gpt2_source(source)
    for name in state:
        if not isinstance(name, str):
            raise ValueError(f"source must name its weights by strings, got {show(name)}")
    state = {name.removeprefix("transformer."): tensor for name, tensor in state.items()}
    layers = {int(found[1]) for name in state if (found := re.match(r"h\.(\d+)\.", name))}
    weights = _gpt2_weights(state, max(len(layers), 1))
    embedding = weights["embedding.weight"]
    (vocab_size, embed_dim), head = embedding.shape, weights["to_logits.weight"]
    if config is not None and num_heads not in (None, config.n_head):
        raise ValueError(
            f"num_heads must be left out or that of the source, {config.n_head}, got {num_heads}"
        )
    if num_heads is None and config is not None:
        num_heads = config.n_head
    if num_heads is None and embed_dim % 64:
        raise ValueError(
            "num_heads must be given, for the weights do not tell it and the width is no multiple "
            f"of 64, got a width of {embed_dim}"
        )
    ours = Decoder(
        vocab_size,
        embed_dim,
        num_layers=len(layers),
        num_heads=embed_dim // 64 if num_heads is None else num_heads,
        mlp_dim=weights["blocks.0.mlp.0.bias"].numel(),
        max_len=len(weights["position.weight"]),
        tied=torch.equal(head, embedding),
    )
    for name, parameter in ours.state_dict().items():
        if weights[name].shape != parameter.shape:
            raise ValueError(
                f"source must hold weights that fit a width of {embed_dim}, but for our {name} of "
                f"shape {tuple(parameter.shape)} got {tuple(weights[name].shape)}"
            )
    ours.to(embedding.device, embedding.dtype).load_state_dict(weights)
    return ours.eval()


def _gpt2_source(source):
    """Give the state dict, and the options if it has some."""
    if isinstance(source, (str, Path)):
        from safetensors import SafetensorError
        from safetensors.torch import load_file

        if not Path(source).is_file():
            raise ValueError(
                f"source must be the path of a safetensors file, got {source}: there is none"
            )
        try:
            return load_file(source), None
        except SafetensorError as error:
            raise ValueError(f"source must be a safetensors file, got {source}: {error}") from None
    if isinstance(source, Mapping):
        return source, None
    config = getattr(source, "config", None)
    if not isinstance(source, nn.Module) or not hasattr(config, "n_head"):
        raise ValueError(
            "source must be a GPT2LMHeadModel, a state dict or the path of a safetensors file, "
            f"got {type(source).__name__}"
        )
    for option, known in GPT2_OPTIONS.items():
        if getattr(config, option, known[0]) not in known:
            raise ValueError(
                f"source must have {option} {' or '.join(map(repr, known))}, "
                f"got {show(getattr(config, option))}"
            )
    return source.state_dict(), config


def _gpt2_weights(state, layers):
    """Turn GPT-2's names and layout into those of `Decoder`."""

    used = set()

    def take(name, axes):
        used.add(name)
        if name not in state:
            raise ValueError(f"source must hold the weights of GPT-2, got no {name}")
        tensor = state[name]
        if not torch.is_tensor(tensor) or not tensor.is_floating_point():
            raise ValueError(f"source must hold floating tensors, got {kind(tensor)} for {name}")
        if tensor.ndim != axes:
            raise ValueError(
                f"source must hold a {name} with {axes} axes, got shape {tuple(tensor.shape)}"
            )
        return tensor

    weights = {"embedding.weight": take("wte.weight", 2), "position.weight": take("wpe.weight", 2)}
    tied = "lm_head.weight" not in state
    weights["to_logits.weight"] = take("wte.weight" if tied else "lm_head.weight", 2)
    for part in ("weight", "bias"):
        weights[f"norm.{part}"] = take(f"ln_f.{part}", 1)
        for layer in range(layers):
            ours = f"blocks.{layer}."
            for theirs, name in GPT2_PARTS.items():
                axes = 2 if part == "weight" and not theirs.startswith("ln") else 1
                weights[f"{ours}{name}.{part}"] = take(f"h.{layer}.{theirs}.{part}", axes).t()
            axes = 2 if part == "weight" else 1
            packed = take(f"h.{layer}.attn.c_attn.{part}", axes).t()  # 3·E rows
            for name, own in zip(("q_proj", "k_proj", "v_proj"), packed.chunk(3), strict=True):
                weights[f"{ours}attention.{name}.{part}"] = own
    # Older files hold each layer's causal mask, and some the tied embedding twice.
    others = [n for n in state if n not in used and not n.endswith((".attn.bias", "masked_bias"))]
    if others:
        raise ValueError(
            f"source must hold the weights of GPT-2 and no others, got {show(others[0])} "
            f"({len(others)} of them), for which the model has no place"
        )
    return weights


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


class _StandIn(ModuleType):
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
