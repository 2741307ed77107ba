"""Attention, from softmax(XXᵀ)X to fused kernels, in code that is written to be read.

The modules mirror the chapters: `attention` and `masks` (chapters 1 to 3), `multihead` and
`interop` (4), `comparison` (5), `positions` (6 and 7). Importing d2lattn imports torch and nothing
heavier: `plots`, `interact` and `exercises` are imported by the chapter that uses them.
"""

import torch

from d2lattn.attention import attention, attention_scores, attention_weights, masked_softmax
from d2lattn.comparison import (
    attention_cost,
    connectivity,
    conv_cost,
    layers_to_connect,
    rnn_cost,
)
from d2lattn.masks import causal_mask, length_mask, window_mask
from d2lattn.multihead import MultiHeadAttention, SelfAttention
from d2lattn.positions import (
    LearnedPositionalEncoding,
    PositionalEncoding,
    alibi_bias,
    apply_rotary,
    shift_matrix,
    sinusoidal_encoding,
)

__version__ = "0.1.0"

__all__ = [
    "LearnedPositionalEncoding",
    "MultiHeadAttention",
    "PositionalEncoding",
    "SelfAttention",
    "alibi_bias",
    "apply_rotary",
    "attention",
    "attention_cost",
    "attention_scores",
    "attention_weights",
    "causal_mask",
    "check",
    "connectivity",
    "conv_cost",
    "default_device",
    "layers_to_connect",
    "length_mask",
    "masked_softmax",
    "rnn_cost",
    "shift_matrix",
    "sinusoidal_encoding",
    "window_mask",
]


def default_device():
    """The fastest device torch can use here: cuda, then mps, then cpu.

    Returns:
        torch.device: a device on which a tensor can be made right now.

    Example:
        >>> default_device().type in ("cuda", "mps", "cpu")
        True
    """
    if torch.cuda.is_available():
        return torch.device("cuda")
    if torch.backends.mps.is_available():
        return torch.device("mps")
    return torch.device("cpu")


def check(exercise, answer):
    """Print one line about an answer to an exercise: see `d2lattn.exercises.check`.

    Example:
        >>> check("1.1", None)
        1.1: not attempted yet
    """
    from d2lattn.exercises import check  # loaded on first use: only readers doing exercises need it

    check(exercise, answer)
