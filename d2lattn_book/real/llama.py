"""Models of the Llama family in the book's parts: other people's weights, our code.

    x = x + attention(norm(x));  x = x + W_d (silu(W_g norm(x)) ∘ W_u norm(x))

Touvron et al. 2023 ("LLaMA", section 2.2): RMSNorm, rotary positions and a gated MLP; heads that
share keys and values came later (Ainslie et al. 2023). SmolLM2 is such a model (`pretrained`).

A model comes from `transformers` or out of a GGUF file, the format of ggml. Both name the same
matrices in their own way, and differ in one thing: which features of a query and a key turn
together. GGUF and this package pair neighbours (2j, 2j+1), transformers pairs (j, j + D/2).
"""

import functools
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from d2lattn.arguments import check_count, check_number, kind, show
from d2lattn.multihead import MultiHeadAttention
from d2lattn.positions import Rotary
from d2lattn.transformer import Block, Decoder, GatedMLP

# Our name of a matrix, that of transformers, that of GGUF.
OUTSIDE = (
    ("embedding", "model.embed_tokens", "token_embd"),
    ("norm", "model.norm", "output_norm"),
    ("to_logits", "lm_head", "output"),
)
INSIDE = (  # of each layer
    ("attention_norm", "input_layernorm", "attn_norm"),
    ("attention.q_proj", "self_attn.q_proj", "attn_q"),
    ("attention.k_proj", "self_attn.k_proj", "attn_k"),
    ("attention.v_proj", "self_attn.v_proj", "attn_v"),
    ("attention.out_proj", "self_attn.o_proj", "attn_output"),
    ("mlp_norm", "post_attention_layernorm", "ffn_norm"),
    ("mlp.gate_proj", "mlp.gate_proj", "ffn_gate"),
    ("mlp.up_proj", "mlp.up_proj", "ffn_up"),
    ("mlp.down_proj", "mlp.down_proj", "ffn_down"),
)
# What else stands in a configuration, and what it must say for our parts to compute the same.
CONFIG_OPTIONS = {
    "model_type": "llama",
    "hidden_act": "silu",
    "pretraining_tp": 1,
    "rope_scaling": None,
}
GGUF_OPTIONS = {"general.architecture": "llama", "llama.rope.scaling.type": "none"}
CONFIG_SIZES = {
    "vocab_size": "vocab_size",
    "embed_dim": "hidden_size",
    "num_layers": "num_hidden_layers",
    "num_heads": "num_attention_heads",
    "mlp_dim": "intermediate_size",
    "eps": "rms_norm_eps",
    "max_len": "max_position_embeddings",
}
GGUF_SIZES = {
    "vocab_size": "llama.vocab_size",
    "embed_dim": "llama.embedding_length",
    "num_layers": "llama.block_count",
    "num_heads": "llama.attention.head_count",
    "num_kv_heads": "llama.attention.head_count_kv",
    "mlp_dim": "llama.feed_forward_length",
    "base": "llama.rope.freq_base",
    "eps": "llama.attention.layer_norm_rms_epsilon",
    "max_len": "llama.context_length",
}
# Widths of a head, which say nothing where they are those that the others imply.
GGUF_WIDTHS = (
    "llama.rope.dimension_count",
    "llama.attention.key_length",
    "llama.attention.value_length",
)


@dataclass(frozen=True)
class Sizes:
    """What a Llama is made of, under the names that `Decoder` and its parts have for it."""

    vocab_size: int
    embed_dim: int
    num_layers: int
    num_heads: int
    num_kv_heads: int
    mlp_dim: int
    max_len: int
    base: float = 10000.0
    eps: float = 1e-6
    bias: bool = False
    mlp_bias: bool = False
    tied: bool = False
    head_dim: int | None = None

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if name in ("base", "eps"):
                check_number(name, value, 0)
            elif value is not None and not isinstance(value, bool):
                check_count(name, value)

    def decoder(self) -> Decoder:
        """A model without numbers, on the device meta."""

        def block() -> Block:
            heads: dict[str, Any] = dict(num_kv_heads=self.num_kv_heads, head_dim=self.head_dim)
            attention = MultiHeadAttention(self.embed_dim, self.num_heads, **heads, bias=self.bias)
            mlp = GatedMLP(self.embed_dim, self.mlp_dim, bias=self.mlp_bias)
            return Block(attention, mlp, norm=norm)

        norm: Callable[[int], nn.Module] = functools.partial(nn.RMSNorm, eps=self.eps)
        with torch.device("meta"):
            return Decoder(
                self.vocab_size,
                self.embed_dim,
                num_layers=self.num_layers,
                block=block,
                norm=norm,
                positions=Rotary(self.base),
                max_len=self.max_len,
                tied=self.tied,
            )

    def filled(self, weights: Mapping[str, Tensor]) -> Decoder:
        """The model that holds these very tensors, by our names, in evaluation mode."""
        model = self.decoder()
        tied = {"to_logits.weight": weights["embedding.weight"]} if self.tied else {}
        model.load_state_dict({**weights, **tied}, assign=True)
        if self.tied:
            model.to_logits.weight = model.embedding.weight
        return model.eval()


def from_llama(
    source: nn.Module | Mapping[str, Tensor] | str | Path, *, config: Any = None
) -> Decoder:
    """Make our `Decoder` of a model of the Llama family, with a copy of its weights.

    `ours(tokens)` gives the logits of the source, which transformers calls LlamaForCausalLM. The
    decoder is in evaluation mode, of the source's dtype and device; what comes out of a GGUF file,
    whose weights may have 4 bits, is float32. Its queries and keys turn neighbouring features.

    Args:
        source: a LlamaForCausalLM, its state dict, or the path of a GGUF file (read with the
            package gguf).
        config: with a state dict, the LlamaConfig or a dict with its entries.

    Raises:
        ValueError: by the name of what is missing, or of what our parts do not have: another
            activation, scaled rotations.

    Cost:
        A copy of the weights; a GGUF file is read whole, about 4 s for 135 million weights.

    Example:
        >>> from_llama({"lm_head.weight": torch.zeros(5, 8)}, config={"model_type": "llama"})
        Traceback (most recent call last):
        ValueError: config must have vocab_size, got one without
    """
    if config is not None and not isinstance(source, Mapping):
        raise ValueError(f"source must be a state dict where config is given, got {kind(source)}")
    if isinstance(source, (str, Path)):
        sizes, weights, _ = read_gguf(source)
        return sizes.filled(weights)
    if isinstance(source, Mapping):
        state = dict(source)
    elif isinstance(source, nn.Module) and hasattr(source, "config"):
        state, config = source.state_dict(), source.config
    else:
        raise ValueError(
            "source must be a LlamaForCausalLM, a state dict with its config or the path of a "
            f"GGUF file, got {kind(source)}"
        )
    state = {name: x for name, x in state.items() if not str(name).endswith("rotary_emb.inv_freq")}
    head, embedding = (state.get(f"{name}.weight") for name in ("lm_head", "model.embed_tokens"))
    tied = head is None or (torch.is_tensor(embedding) and torch.equal(head, embedding))
    sizes = _sizes_of_config(config, tied)
    weights = _renamed(state, sizes, 1, "model.layers.{}.")
    for name, x in weights.items():
        if ".q_proj" in name or ".k_proj" in name:
            weights[name] = _neighbours(x, sizes.head_dim or sizes.embed_dim // sizes.num_heads)
        else:
            weights[name] = x.detach().clone()
    return sizes.filled(weights)


def read_gguf(path: str | Path) -> tuple[Sizes, dict[str, Tensor], dict[str, Any]]:
    """Read a GGUF file of the Llama family: sizes, float32 weights by our names, and all its
    entries, in which the tokenizer is."""
    import gguf

    if not Path(path).is_file():
        raise ValueError(f"source must be the path of a GGUF file, got {path}: there is none")
    try:
        reader = gguf.GGUFReader(path)
        entries = {name: field.contents() for name, field in reader.fields.items()}
    except Exception as error:  # whatever a damaged or foreign file makes of the reader
        raise ValueError(f"source must be a whole GGUF file, got {path}: {error}") from None
    tensors = {x.name: x for x in reader.tensors}
    sizes = _sizes_of_gguf(entries, tensors)
    state = {}
    for name, x in tensors.items():
        try:
            numbers = gguf.quants.dequantize(x.data, x.tensor_type)
        except NotImplementedError:
            raise ValueError(
                f"source must hold types that the package gguf reads, got {x.tensor_type.name} "
                f"for {name}"
            ) from None
        state[name] = torch.from_numpy(numbers.astype("float32"))  # a copy: the file may be closed
    return sizes, _renamed(state, sizes, 2, "blk.{}."), entries


def _renamed(state, sizes, column, layer):
    """The tensors by our names, each of the shape that the model has for it, and none left over."""
    wanted = sizes.decoder().state_dict()
    names = {row[0]: row[column] for row in OUTSIDE}
    for i in range(sizes.num_layers):
        names |= {f"blocks.{i}.{row[0]}": layer.format(i) + row[column] for row in INSIDE}
    weights, used = {}, set()
    for name, parameter in wanted.items():
        part, _, last = name.rpartition(".")
        theirs = f"{names[part]}.{last}"
        used.add(theirs)
        if part == "to_logits" and sizes.tied:
            continue
        x = state.get(theirs)
        if x is None:
            raise ValueError(f"source must hold the weights of a Llama, got no {theirs}")
        if not torch.is_tensor(x) or not x.is_floating_point():
            raise ValueError(f"source must hold floating tensors, got {kind(x)} for {theirs}")
        if x.shape != parameter.shape:
            raise ValueError(
                f"source must hold a {theirs} of shape {(*parameter.shape,)}, got {(*x.shape,)}"
            )
        weights[name] = x
    if others := sorted(set(state) - used):
        raise ValueError(
            f"source must hold the weights of a Llama and no others, got {show(others[0])} "
            f"({len(others)} of them), for which the model has no place"
        )
    return weights


def _neighbours(x, width):
    """Rows (H·D, ...) whose pairs are (j, j + D/2) -> rows whose pairs are (2j, 2j+1)."""
    return x.detach().unflatten(0, (-1, 2, width // 2)).transpose(1, 2).flatten(0, 2).clone()


def _sizes_of_config(config, tied):
    """Of a LlamaConfig, or of a dict with its entries."""
    if config is None:
        raise ValueError("config must be given with a state dict, got None")
    if not isinstance(config, Mapping) and not hasattr(config, "hidden_size"):
        raise ValueError(f"config must be a LlamaConfig or a dict, got {show(config)}")
    given = dict(config) if isinstance(config, Mapping) else dict(vars(config))
    if hasattr(config, "model_type"):
        given["model_type"] = config.model_type  # which transformers keeps on the class
    if given.get("model_type") is None:
        raise ValueError("config must have model_type, got one without")
    _check_options("config", given, CONFIG_OPTIONS)
    found = _found("config", given, CONFIG_SIZES)
    rope = given.get("rope_parameters") or {}
    if rope.get("rope_type", "default") != "default":
        raise ValueError(f"config must have rotations of type 'default', got {show(rope)}")
    found["base"] = rope.get("rope_theta", given.get("rope_theta"))
    if found["base"] is None:
        raise ValueError("config must have rope_theta, got one without")
    heads = given.get("num_key_value_heads")
    found["num_kv_heads"] = found["num_heads"] if heads is None else heads
    bias, mlp_bias = (bool(given.get(name)) for name in ("attention_bias", "mlp_bias"))
    found["head_dim"] = given.get("head_dim")
    return Sizes(**found, bias=bias, mlp_bias=mlp_bias, tied=tied)


def _sizes_of_gguf(entries, tensors):
    _check_options("source", entries, GGUF_OPTIONS)
    if "token_embd.weight" in tensors:
        entries.setdefault("llama.vocab_size", int(tensors["token_embd.weight"].shape[-1]))
    entries.setdefault("llama.attention.head_count_kv", entries.get("llama.attention.head_count"))
    known = {*GGUF_OPTIONS, *GGUF_SIZES.values(), *GGUF_WIDTHS}
    for name, value in entries.items():
        if name.startswith("llama.") and name not in known:
            raise ValueError(
                f"source must be a plain Llama, got {name}={show(value)}, for which our parts have "
                "no place"
            )
    found = _found("source", entries, GGUF_SIZES)
    names = dict(bias="blk.0.attn_q.bias", mlp_bias="blk.0.ffn_up.bias")
    biases = {ours: theirs in tensors for ours, theirs in names.items()}
    width = entries.get(GGUF_WIDTHS[0]) or found["embed_dim"] // found["num_heads"]
    for name in GGUF_WIDTHS:
        if entries.get(name, width) != width:
            got = entries[name]
            raise ValueError(f"source must have {name}={width}, the width of a head, got {got}")
    return Sizes(**found, **biases, head_dim=width, tied="output.weight" not in tensors)


def _check_options(owner, given, options):
    """That an option that is given says what our parts do."""
    for name, known in options.items():
        if given.get(name, known) != known:
            raise ValueError(f"{owner} must have {name}={known!r}, got {show(given[name])}")


def _found(owner, given, names):
    """Our name -> the value that stands under theirs."""
    if missing := [theirs for theirs in names.values() if given.get(theirs) is None]:
        raise ValueError(f"{owner} must have {missing[0]}, got one without")
    return {ours: given[theirs] for ours, theirs in names.items()}
