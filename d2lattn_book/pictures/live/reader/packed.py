"""A decoder as it travels in a page: its sizes in words, its weights as float16 in one text.

What the page computes is told by name, and nothing else is let in.
"""

import base64
import itertools

import numpy as np
import torch
from torch import Tensor, nn

from d2lattn.positions import (
    Alibi,
    LearnedPositionalEncoding,
    PositionalEncoding,
    Rotary,
    alibi_slopes,
)
from d2lattn.transformer import Decoder

METHODS = {
    LearnedPositionalEncoding: "learned",
    PositionalEncoding: "sinusoidal",
    Rotary: "rotary",
    Alibi: "alibi",
}
MOST_WEIGHTS = 140_000  # two bytes each, in base64: 373 kB


def pack(model: Decoder) -> dict:
    """What `unpack` and model.js make the decoder of again.

    Args:
        model: a `Decoder` of at most 140,000 weights.

    Returns:
        dict: sizes (the arguments of `Decoder`), shapes (name -> shape), text (base64 of
        little-endian float16, one tensor after the other), slopes (of ALiBi, or nothing).

    Raises:
        ValueError: no decoder, one with a part or an option that the page cannot run, too many
            weights, or one that float16 does not hold.

    Example:
        >>> sent = pack(Decoder(10, 8, num_layers=1, num_heads=2))
        >>> sent["shapes"]["embedding.weight"]
        [10, 8]
    """
    if not isinstance(model, Decoder):
        raise ValueError(f"model must be a Decoder, got {type(model).__name__}")
    sizes = _sizes(model)
    state = {name: x.detach().cpu() for name, x in model.state_dict().items()}
    if sizes["tied"]:
        del state["to_logits.weight"]  # the embedding once more
    count = sum(x.numel() for x in state.values())
    if count > MOST_WEIGHTS:
        raise ValueError(f"model must have at most {MOST_WEIGHTS} weights, got {count}")
    rounded = {name: x.to(torch.float16) for name, x in state.items()}
    for name, x in rounded.items():
        if not x.isfinite().all():
            raise ValueError(
                f"model must have weights that float16 holds, got {state[name].abs().max()} "
                f"in {name}"
            )
    raw = b"".join(x.numpy().astype("<f2").tobytes() for x in rounded.values())
    sent = {"sizes": sizes, "shapes": {name: list(x.shape) for name, x in rounded.items()}}
    if sizes["positions"] == "alibi":
        sent["slopes"] = alibi_slopes(model.num_heads).tolist()
    return sent | {"text": base64.b64encode(raw).decode()}


def unpack(sent: dict) -> Decoder:
    """The decoder of what was packed: its weights are the rounded ones.

    Example:
        >>> model = Decoder(10, 8, num_layers=1, num_heads=2)
        >>> again, tokens = unpack(pack(model)), torch.tensor([[1, 2, 3]])
        >>> torch.allclose(again(tokens), model(tokens), atol=1e-2)
        True
    """
    whole = torch.from_numpy(np.frombuffer(base64.b64decode(sent["text"]), "<f2").copy())
    lengths = [int(np.prod(shape)) for shape in sent["shapes"].values()]
    parts = zip(sent["shapes"].items(), whole.split(lengths), strict=True)
    state: dict[str, Tensor] = {name: x.float().view(shape) for (name, shape), x in parts}
    model = Decoder(**sent["sizes"]).eval()
    if sent["sizes"]["tied"]:
        state["to_logits.weight"] = state["embedding.weight"]
    model.load_state_dict(state)
    return model


def _sizes(model):
    """The arguments that make such a decoder, if it is made of nothing but what they make."""
    if model.sinks:
        raise ValueError(f"model must have sinks=0, got {model.sinks}")
    words, width = model.embedding.weight.shape
    layer, mlp = model.blocks[0].attention, model.blocks[0].mlp
    sizes = dict(
        vocab_size=words,
        embed_dim=width,
        num_layers=len(model.blocks),
        num_heads=model.num_heads,
        num_kv_heads=getattr(layer, "num_kv_heads", model.num_heads),
        mlp_dim=mlp[0].out_features if isinstance(mlp, nn.Sequential) else 0,
        positions=METHODS.get(type(model.position)),
        base=getattr(model.position, "base", 10000.0),
        window=model.window,
        max_len=model.max_len,
        bias=getattr(layer.q_proj, "bias", None) is not None,
        tied=model.to_logits.weight is model.embedding.weight,
    )
    mine, twins = _parts(model), _parts(Decoder(**sizes))
    for got, wanted in itertools.zip_longest(mine, twins, fillvalue="no more"):
        if got != wanted:
            raise ValueError(f"model must be made of Decoder's own parts, {wanted}, got {got}")
    return sizes


def _parts(model):
    """What each part of a model is, dropout aside."""
    parts = [f"{name} {type(part).__name__}" for name, part in model.named_modules() if name]
    kept = (nn.LayerNorm, nn.GELU, nn.Linear, Rotary)
    looks = [repr(part) for part in model.modules() if isinstance(part, kept)]
    shapes = [f"{name} {tuple(x.shape)}" for name, x in model.state_dict().items()]
    return parts + looks + shapes
