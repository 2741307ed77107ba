"""A decoder as it travels in a page: its sizes in words, its weights as float16 in one text.

What a live figure runs is told by name, and nothing else is let in.
"""

import base64
import inspect

import numpy as np
import torch
from torch import Tensor, nn

from d2lattn.positions import alibi_bias
from d2lattn.transformer import Decoder

MOST_WEIGHTS = 140_000  # two bytes each, in base64: 373 kB


def pack(model: Decoder) -> dict:
    """What `unpack` and live_js/reader/model.js make the decoder of again.

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
    if model.positions == "alibi":
        sent["slopes"] = (-alibi_bias(model.num_heads, 2)[:, 1, 0]).tolist()
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
    words, width = model.embedding.weight.shape
    block = model.blocks[0]
    mlp = block.mlp
    sizes = dict(
        vocab_size=words,
        embed_dim=width,
        num_layers=len(model.blocks),
        num_heads=model.num_heads,
        num_kv_heads=model.num_kv_heads,
        mlp_dim=mlp[0].out_features if isinstance(mlp, nn.Sequential) else 0,
        positions=model.positions,
        base=model.base,
        window=model.window,
        max_len=model.max_len,
        bias=getattr(block.attention.q_proj, "bias", None) is not None,
        tied=model.to_logits.weight is model.embedding.weight,
    )
    known = {*sizes, "dropout", "init_std", "seed"}
    for name, argument in inspect.signature(type(model)).parameters.items():
        mine = getattr(model, name, argument.default)
        if name not in known and mine != argument.default:
            raise ValueError(f"model must have {name}={argument.default!r}, got {mine!r}")
    twin = Decoder(**sizes)
    parts = zip(_parts(model), _parts(twin), strict=False)
    strange = [(got, wanted) for got, wanted in parts if got != wanted]
    if strange or len(_parts(model)) != len(_parts(twin)):
        got, wanted = strange[0] if strange else (_parts(model)[-1], "no more")
        raise ValueError(f"model must be made of Decoder's own parts, {wanted}, got {got}")
    return sizes


def _parts(model):
    """What each part of a model is, dropout aside."""
    parts = [f"{name} {type(part).__name__}" for name, part in model.named_modules() if name]
    kept = (nn.LayerNorm, nn.GELU, nn.Linear)
    looks = [repr(part) for part in model.modules() if isinstance(part, kept)]
    return parts + looks + [f"{name} {tuple(x.shape)}" for name, x in model.state_dict().items()]
