"""Multi-head attention of three libraries, with the same weights and the same visible keys."""

import enum
from typing import NamedTuple

import plain
import torch
from torch import nn

from d2lattn import MultiHeadAttention, causal_mask, length_mask
from d2lattn.interop import from_torch
from d2lattn_book.real import load_d2l

HEADS = 8
SHARES = (1024, 700, 400, 100)  # valid lengths of a padded batch, of 1024


class Size(NamedTuple):
    """Of the input x: (batch, length, width)."""

    batch: int
    length: int
    width: int

    def __str__(self):
        return f"{self.batch}, {self.length}, {self.width}"


class Seen(enum.Enum):
    """Which keys a query sees."""

    ALL = "all"
    PADDED = "padded"
    CAUSAL = "causal"


class Mode(enum.Enum):
    """Forward in evaluation and inference mode, or forward and backward in training."""

    FORWARD = "forward"
    BACKWARD = "forward+backward"


class Peer(enum.Enum):
    """One way to compute a layer."""

    OURS = "ours"
    FLOOR = "floor"
    TORCH = "torch"
    D2L = "D2L"


class Layers(NamedTuple):
    ours: MultiHeadAttention
    torch: nn.MultiheadAttention
    d2l: nn.Module


class Told(NamedTuple):
    """The same visible keys in the words of each: options, and for D2L its valid lengths."""

    ours: dict
    torch: dict
    d2l: torch.Tensor | None
    floor: dict


def layers(width):
    """The three modules with biases and the same weights."""
    torchs = nn.MultiheadAttention(width, HEADS, batch_first=True)
    ours = from_torch(torchs)
    d2l = load_d2l().MultiHeadAttention(width, HEADS, 0.0, bias=True)
    x = torch.zeros(1, 1, width)
    d2l(x, x, x, None)  # gives the lazy layers their weights
    names = dict(W_q="q_proj", W_k="k_proj", W_v="v_proj", W_o="out_proj")
    for theirs, mine in names.items():
        getattr(d2l, theirs).load_state_dict(getattr(ours, mine).state_dict())
    return Layers(ours, torchs, d2l)


def told(seen, size, device):
    """What each peer is told so that its queries see these keys."""
    n = size.length
    if seen is Seen.ALL:
        return Told({}, {}, None, {})
    if seen is Seen.CAUSAL:
        return Told(
            ours=dict(is_causal=True),
            torch=dict(attn_mask=~causal_mask(n, device=device), is_causal=True),
            d2l=torch.arange(1, n + 1, device=device).repeat(size.batch, 1),
            floor=dict(is_causal=True),
        )
    shares = [SHARES[b % len(SHARES)] for b in range(size.batch)]
    lengths = torch.tensor([share * n // 1024 for share in shares], device=device)
    mask = length_mask(lengths, n)  # (B, 1, n)
    return Told(
        ours=dict(valid_lens=lengths),
        torch=dict(key_padding_mask=~mask[:, 0]),
        d2l=lengths,
        floor=dict(attn_mask=mask[:, None]),
    )


def forwards(size, seen, mode, *, device="cpu", dtype=torch.float32):
    """An input that wants a gradient, and Peer -> its forward pass, without arguments."""
    ours, torchs, d2l = (
        layer.to(device, dtype).train(mode is Mode.BACKWARD) for layer in layers(size.width)
    )
    x = torch.randn(size, device=device, dtype=dtype, requires_grad=True)
    options = told(seen, size, device)
    return x, {
        Peer.OURS: lambda: ours(x, **options.ours),
        Peer.FLOOR: lambda: plain.layer(ours, x, **options.floor),
        Peer.TORCH: lambda: torchs(x, x, x, need_weights=False, **options.torch)[0],
        Peer.D2L: lambda: d2l(x, x, x, options.d2l),
    }
