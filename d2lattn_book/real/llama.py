"""Llama and the families that came of it, in the book's parts: other people's weights, our code.

    x = x + attention(norm(x));  x = x + W_d (silu(W_g norm(x)) ∘ W_u norm(x))

Touvron et al. 2023 ("LLaMA", section 2.2): RMSNorm, rotary positions and a gated MLP; heads that
share keys and values came later (Ainslie et al. 2023). SmolLM2 is such a model (`pretrained`).

What the others do differently:

    Llama 3.1, 3.2   the slow rotations are slowed further, for longer texts
    Qwen2            queries, keys and values have a bias, the output projection has none
    Qwen3            a norm of each head's queries and keys; heads have a width of their own
    Mistral, Phi-3   a token may see a window only; Phi-3 stores several matrices as one
    OLMo-2           norms after the parts, x + norm(attention(x)), and of all queries, all keys

A model comes from `transformers` or out of a GGUF file, the format of ggml. Both name the same
matrices in their own way, and differ in one thing: which features of a query and a key are rotated
together. GGUF and this package pair neighbours (2j, 2j+1), transformers pairs (j, j + D/2).
"""

import functools
import json
import math
from collections.abc import Mapping
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
    ("attention.q_norm", "self_attn.q_norm", "attn_q_norm"),
    ("attention.k_norm", "self_attn.k_norm", "attn_k_norm"),
    ("mlp_norm", "post_attention_layernorm", "ffn_norm"),
    ("mlp.gate_proj", "mlp.gate_proj", "ffn_gate"),
    ("mlp.up_proj", "mlp.up_proj", "ffn_up"),
    ("mlp.down_proj", "mlp.down_proj", "ffn_down"),
    # The norms of OLMo-2, each of which follows a matrix.
    ("attention.q_proj.1", "self_attn.q_norm", "attn_q_norm"),
    ("attention.k_proj.1", "self_attn.k_norm", "attn_k_norm"),
    ("attention.out_proj.1", "post_attention_layernorm", "post_attention_norm"),
    ("mlp.down_proj.1", "post_feedforward_layernorm", "post_ffw_norm"),
)
FAMILIES = ("llama", "mistral", "olmo2", "phi3", "qwen2", "qwen3")  # model_type in a config.json
# What else stands in a configuration, and what it must say for our parts to compute the same.
CONFIG_OPTIONS = {
    "hidden_act": "silu",
    "pretraining_tp": 1,
    "use_sliding_window": False,  # of Qwen's later layers alone
    "partial_rotary_factor": 1.0,
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


class Llama3Rotary(Rotary):
    """Rotations of Llama 3.1 and 3.2: slow pairs of features turn more slowly (Dubey et al. 2024).

    A pair that makes fewer than `low_freq_factor` turns within the texts of the first training
    (`original_max_position_embeddings` tokens) turns 1/`factor` as fast; with more than
    `high_freq_factor` turns it stays as it is, and in between it changes linearly.

    Args:
        scaling: these four entries of a config.json.
    """

    def __init__(self, base: float, scaling: Mapping[str, Any]) -> None:
        super().__init__(base)
        self.frequencies = functools.partial(self._slowed, self.frequencies, scaling)

    @staticmethod
    def _slowed(frequencies, scaling, dim, device):
        plain = frequencies(dim, device)  # (D/2,) radians per position
        low, high = scaling["low_freq_factor"], scaling["high_freq_factor"]
        turns = scaling["original_max_position_embeddings"] * plain / (2 * math.pi)
        kept = ((turns - low) / (high - low)).clamp(0, 1)
        return plain * (kept + (1 - kept) / scaling["factor"])


@dataclass(frozen=True)
class Sizes:
    """What a model is made of, under the names that `Decoder` and its parts have for it."""

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
    window: int | None = None
    scaling: Mapping[str, Any] | None = None  # as `Llama3Rotary` takes it
    family: str = "llama"

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if name in ("base", "eps"):
                check_number(name, value, 0)
            elif value is not None and not isinstance(value, (bool, str, Mapping)):
                check_count(name, value)

    @property
    def head_width(self) -> int:
        return self.head_dim or self.embed_dim // self.num_heads

    def block(self) -> Block:
        norm = functools.partial(nn.RMSNorm, eps=self.eps)
        sizes: dict[str, Any] = dict(num_kv_heads=self.num_kv_heads, head_dim=self.head_dim)
        options: dict[str, Any] = dict(bias=self.bias, qk_norm=self.family == "qwen3")
        attention = MultiHeadAttention(self.embed_dim, self.num_heads, **sizes, **options)
        mlp = GatedMLP(self.embed_dim, self.mlp_dim, bias=self.mlp_bias)
        if self.family == "qwen2":
            attention.out_proj.register_parameter("bias", None)
        if self.family == "qwen3":
            attention.q_norm.eps = attention.k_norm.eps = self.eps
        if self.family != "olmo2":
            return Block(attention, mlp, norm=norm)
        # A norm after a matrix is a part of the projection, so that what a part adds is its output.
        for part, name in (
            (attention, "q_proj"),
            (attention, "k_proj"),
            (attention, "out_proj"),
            (mlp, "down_proj"),
        ):
            matrix = getattr(part, name)
            setattr(part, name, nn.Sequential(matrix, norm(matrix.out_features)))
        return Block(attention, mlp, norm=nn.Identity)

    def decoder(self) -> Decoder:
        """A model without numbers, on the device meta."""
        with torch.device("meta"):
            return Decoder(
                self.vocab_size,
                self.embed_dim,
                num_layers=self.num_layers,
                block=self.block,
                norm=functools.partial(nn.RMSNorm, eps=self.eps),
                positions=Llama3Rotary(self.base, self.scaling)
                if self.scaling
                else Rotary(self.base),
                window=self.window,
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

    `ours(tokens)` gives the logits of the source, which transformers calls LlamaForCausalLM,
    MistralForCausalLM, Phi3ForCausalLM, Qwen2ForCausalLM, Qwen3ForCausalLM or Olmo2ForCausalLM. The
    decoder is in evaluation mode, of the source's dtype and device; what comes out of a GGUF file,
    whose weights may have 4 bits, is float32. Its queries and keys turn neighbouring features.

    Args:
        source: such a model, its state dict, a folder with config.json and model*.safetensors, as
            the Hub has it, or the path of a Llama's GGUF file (read with the package gguf).
        config: with a state dict, the model's configuration or a dict with its entries.

    Raises:
        ValueError: by the name of what is missing, or of what our parts do not have: another
            family, another activation, rotations scaled in another way, windows in some layers.

    Cost:
        A copy of the weights; a GGUF file is read whole, about 4 s for 135 million weights.

    Example:
        >>> from_llama({"lm_head.weight": torch.zeros(5, 8)}, config={"model_type": "llama"})
        Traceback (most recent call last):
        ValueError: config must have vocab_size, got one without
    """
    if config is not None and not isinstance(source, Mapping):
        raise ValueError(f"source must be a state dict where config is given, got {kind(source)}")
    if isinstance(source, (str, Path)) and not Path(source).is_dir():
        sizes, weights, _ = read_gguf(source)
        return sizes.filled(weights)
    if isinstance(source, (str, Path)):
        state, config = _read_folder(Path(source))
    elif isinstance(source, Mapping):
        state = dict(source)
    elif isinstance(source, nn.Module) and hasattr(source, "config"):
        state, config = source.state_dict(), source.config
    else:
        raise ValueError(
            "source must be a LlamaForCausalLM or its like, a state dict with its config, a folder "
            f"or the path of a GGUF file, got {kind(source)}"
        )
    state = {name: x for name, x in state.items() if not str(name).endswith("rotary_emb.inv_freq")}
    head, embedding = (state.get(f"{name}.weight") for name in ("lm_head", "model.embed_tokens"))
    tied = head is None or (torch.is_tensor(embedding) and torch.equal(head, embedding))
    sizes = _sizes_of_config(config, tied)
    if sizes.family == "phi3":
        state = _unpacked(state, sizes)
    weights = _renamed(state, sizes, 1, "model.layers.{}.")
    for name, x in weights.items():
        if ".q_" in name or ".k_" in name:  # projections and their norms
            weights[name] = _neighbours(x, sizes.head_width)
        else:
            weights[name] = x.detach().clone()
    return sizes.filled(weights)


def _read_folder(folder):
    """(state dict, config) of a model as transformers saves it."""
    from safetensors.torch import load_file

    files = sorted(folder.glob("model*.safetensors"))
    if not files or not (folder / "config.json").is_file():
        raise ValueError(
            f"source must be a folder with config.json and model*.safetensors, got {folder}"
        )
    state = {name: x for file in files for name, x in load_file(file).items()}
    return state, json.loads((folder / "config.json").read_text(encoding="utf-8"))


def _unpacked(state, sizes):
    """Phi-3's weights with queries, keys and values apart, and the two halves of the MLP."""
    queries, keys = (n * sizes.head_width for n in (sizes.num_heads, sizes.num_kv_heads))
    packed = {
        "qkv_proj": dict(q_proj=queries, k_proj=keys, v_proj=keys),
        "gate_up_proj": dict(gate_proj=sizes.mlp_dim, up_proj=sizes.mlp_dim),
    }
    apart = {}
    for name, x in state.items():
        part = name.split(".")[-2]
        rows = packed.get(part, {part: len(x)})
        for own, matrix in zip(rows, x.split(list(rows.values())), strict=True):
            apart[name.replace(part, own)] = matrix
    return apart


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
        theirs = f"{names[part.removesuffix('.0')]}.{last}"
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
    family = given.get("model_type")
    if family not in FAMILIES:
        got = "one without" if family is None else show(family)
        raise ValueError(f"config must have model_type one of {FAMILIES}, got {got}")
    rope = given.get("rope_parameters") or given.get("rope_scaling") or {}
    _check_options("config", given | rope, CONFIG_OPTIONS)
    if others := {*(given.get("layer_types") or ())} - {"full_attention"}:
        raise ValueError(f"config must have layers of one type, got {show(others)}")
    found = _found("config", given, CONFIG_SIZES)
    method = rope.get("rope_type", rope.get("type", "default"))
    if method not in ("default", "llama3"):
        raise ValueError(f"config must have rotations 'default' or 'llama3', got {show(rope)}")
    names = ("factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings")
    if method == "llama3":
        found["scaling"] = _found("config", rope, {name: name for name in names})
    found["base"] = rope.get("rope_theta", given.get("rope_theta"))
    if found["base"] is None:
        raise ValueError("config must have rope_theta, got one without")
    heads = given.get("num_key_value_heads")
    found["num_kv_heads"] = found["num_heads"] if heads is None else heads
    bias = family == "qwen2" or bool(given.get("attention_bias"))
    mlp_bias, found["head_dim"] = bool(given.get("mlp_bias")), given.get("head_dim")
    if family in ("mistral", "phi3"):
        found["window"] = given.get("sliding_window")
    return Sizes(**found, bias=bias, mlp_bias=mlp_bias, tied=tied, family=family)


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
