"""Attention, from softmax(XXᵀ)X to fused kernels, in code that is written to be read.

A walk through the core, in the order in which a call runs:

1. `attention.attention` checks its arguments once, with the rules of `checks`.
2. `masks.Visibility` puts mask, bias and causality into one object: who may see whom. Holding one
   is the proof that it fits, so nothing behind this border checks again.
3. `attention.attend` hands query, key, value, that object, scale and dropout to an engine.
4. `attention.explicit_attention` is the formula: score, softmax, blend. It opens its file.
5. `chunked.chunked_attention` does the same block by block and never holds all scores.
6. `fused.fused_attention` calls torch's kernels and mends what they leave out.
7. `multihead.MultiHeadAttention.forward` is project, attend, join; between them a caller may rotate
   queries and keys, add a bias or keep a cache.
8. `positions` makes what is added, rotated or biased; `comparison` counts what layers cost;
   `sparse` gives something up to save time.
9. `transformer` stacks these parts into an encoder and a decoder, `generation` lets the decoder
   write, with a cache, and `training.fit` teaches either.
10. `interop` brings in the weights of D2L's and torch's modules, and of GPT-2.
11. `plots`, `flow`, `interact`, `words` and `exercises` serve the chapters, which import them.

Importing d2lattn imports torch and nothing heavier.
"""

import torch

from d2lattn.attention import attention, attention_scores, attention_weights, masked_softmax
from d2lattn.chunked import merge, partial_attention
from d2lattn.comparison import (
    attention_cost,
    connectivity,
    conv_cost,
    layers_to_connect,
    rnn_cost,
)
from d2lattn.generation import Cache, generate, sample
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
from d2lattn.sparse import linear_attention, lsh_attention, window_attention
from d2lattn.transformer import Block, Decoder, Encoder

__version__ = "0.1.0"

__all__ = [
    "Block",
    "Cache",
    "Decoder",
    "Encoder",
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
    "generate",
    "layers_to_connect",
    "length_mask",
    "linear_attention",
    "lsh_attention",
    "masked_softmax",
    "merge",
    "partial_attention",
    "rnn_cost",
    "sample",
    "shift_matrix",
    "sinusoidal_encoding",
    "window_attention",
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
