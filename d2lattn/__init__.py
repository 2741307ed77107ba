"""Attention, from softmax(XXᵀ)X to fused kernels, in code that is written to be read.

A walk through the house, whose listing is the table of contents:

- `attention`: the formula on the first screen, and the one border at which arguments are checked.
- `masks` who may see whom, `positions` where a word stands, `comparison` what a layer costs.
- `multihead` is project, attend, join; `sparse` gives something up to save time; `recurrent`
  keeps a memory of fixed size.
- `transformer` stacks these parts; `generation` writes, `training` teaches, `interop` converts.
- `engines`, behind the border: a call, who sees whom, blocks and kernels. `arguments`: their rules.
- `pictures` draws, still and live; `language` holds the sentences; `exercises` answers readers.

Names of attention come from d2lattn itself, which imports torch and nothing heavier; pictures and
language come from their own packages.
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
from d2lattn.distributed import Ranks, head_parallel, ring_attention, tensor_parallel
from d2lattn.engines.chunked import merge, partial_attention
from d2lattn.generation import Cache, generate, sample
from d2lattn.interop import from_d2l, from_gpt2, from_torch, load_d2l
from d2lattn.latent import LatentAttention
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
from d2lattn.recurrent import delta_attention
from d2lattn.sparse import linear_attention, lsh_attention, lsh_quality, window_attention
from d2lattn.training import fit
from d2lattn.transformer import Block, Decoder, Encoder

__version__ = "0.2.0"

__all__ = [
    "Block",
    "Cache",
    "Decoder",
    "Encoder",
    "LatentAttention",
    "LearnedPositionalEncoding",
    "MultiHeadAttention",
    "PositionalEncoding",
    "Ranks",
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
    "delta_attention",
    "fit",
    "from_d2l",
    "from_gpt2",
    "from_torch",
    "generate",
    "head_parallel",
    "layers_to_connect",
    "length_mask",
    "linear_attention",
    "load_d2l",
    "lsh_attention",
    "lsh_quality",
    "masked_softmax",
    "merge",
    "partial_attention",
    "ring_attention",
    "rnn_cost",
    "sample",
    "shift_matrix",
    "sinusoidal_encoding",
    "tensor_parallel",
    "window_attention",
    "window_mask",
]


def default_device() -> torch.device:
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


def check(exercise: str, answer: object) -> None:
    """Print one line about an answer to an exercise: see `d2lattn.exercises.check`.

    Example:
        >>> check("1.1", None)
        1.1: not attempted yet
    """
    from d2lattn.exercises import check  # loaded on first use: only readers doing exercises need it

    check(exercise, answer)
