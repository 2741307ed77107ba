"""Attention, from softmax(XXᵀ)X to fused kernels, in code that is written to be read.

What the book explains, in this order:

- `attention`: the formula on the first screen. `masks` say which query sees which key, `positions`
  where a token stands.
- `multihead` is project, attend, join; `latent` caches less per token; `sparse` gives something up
  to save time; `recurrent` keeps a state of fixed size.
- `transformer` stacks these parts; `cache` keeps keys and values, `generation` samples, `training`
  trains, `interop` converts, `distributed` shards a text over ranks.
- `engines`: one call, who sees whom, blocks and kernels. `arguments`: the rules of all of them.

It imports torch and nothing heavier. What the book's pages use beside it (a real model and a look
inside, other models' cards, kernels to read, pictures, sentences, exercises) is the package
`d2lattn_book`, which this one never imports.
"""

from d2lattn.attention import attention, attention_scores, attention_weights, masked_softmax
from d2lattn.cache import Cache
from d2lattn.devices import default_device
from d2lattn.distributed import Ranks, head_parallel, ring_attention, ring_parallel
from d2lattn.engines.chunked import merge, partial_attention
from d2lattn.generation import generate, sample
from d2lattn.interop import from_d2l, from_torch
from d2lattn.latent import LatentAttention
from d2lattn.masks import causal_mask, length_mask, window_mask
from d2lattn.multihead import MultiHeadAttention, SelfAttention
from d2lattn.positions import (
    LearnedPositionalEncoding,
    PositionalEncoding,
    Positions,
    Rotary,
    alibi_bias,
    apply_rotary,
    shift_matrix,
    sinusoidal_encoding,
)
from d2lattn.recurrent import delta_attention
from d2lattn.sparse import linear_attention, lsh_attention, window_attention
from d2lattn.training import fit
from d2lattn.transformer import MLP, Block, Decoder, Encoder, GatedMLP, RMSNorm

__version__ = "0.5.0"

__all__ = [
    "MLP",
    "Block",
    "Cache",
    "Decoder",
    "Encoder",
    "GatedMLP",
    "LatentAttention",
    "LearnedPositionalEncoding",
    "MultiHeadAttention",
    "PositionalEncoding",
    "Positions",
    "RMSNorm",
    "Ranks",
    "Rotary",
    "SelfAttention",
    "alibi_bias",
    "apply_rotary",
    "attention",
    "attention_scores",
    "attention_weights",
    "causal_mask",
    "default_device",
    "delta_attention",
    "fit",
    "from_d2l",
    "from_torch",
    "generate",
    "head_parallel",
    "length_mask",
    "linear_attention",
    "lsh_attention",
    "masked_softmax",
    "merge",
    "partial_attention",
    "ring_attention",
    "ring_parallel",
    "sample",
    "shift_matrix",
    "sinusoidal_encoding",
    "window_attention",
    "window_mask",
]
