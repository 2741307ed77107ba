"""GPT-2 (Radford et al. 2019) in the book's parts: other people's weights, our code."""

import re
from collections.abc import Mapping
from pathlib import Path

import torch
from torch import Tensor, nn

from d2lattn.arguments import kind, show
from d2lattn.transformer import Decoder

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
