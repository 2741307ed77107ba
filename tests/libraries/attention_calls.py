"""The attention calls of seven libraries behind one signature. Runs with `make test-libraries`.

Each function takes torch tensors whose axes stand as its library wants them, and gives one back.
What it cannot be asked for raises `Absent`. Module-like calls get identities as their matrices, so
that a head is a slice of the input.
"""

import functools
import os
import tempfile

os.environ["KERAS_BACKEND"] = "torch"  # before keras is imported
os.environ["KERAS_HOME"] = tempfile.mkdtemp()  # where it writes its settings, else at home
os.environ["JAX_PLATFORMS"] = "cpu"

import flax.nnx as nnx
import jax
import jax.numpy as jnp
import keras
import onnx
import onnxruntime
import torch
from torch.nn import functional as F
from torch.nn.attention import flex_attention as flex
from transformers import LlamaConfig, MistralConfig
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.models.gpt_oss import modeling_gpt_oss
from transformers.models.llama.modeling_llama import LlamaAttention
from transformers.models.mistral.modeling_mistral import MistralModel

import d2lattn

HEADS = 6  # of every call that has projections


class Absent(Exception):
    """The call has no such argument."""


def absent(**asked):
    for name, value in asked.items():
        if value:
            raise Absent(name)


def to_jax(x):
    return None if x is None else jnp.asarray(x.numpy())


def here(q, k, v, *, mask=None, causal=False, window=None, dropout=0.0, sink=None):
    absent(sink=sink is not None)
    if window:
        mask = d2lattn.causal_mask(q.shape[-2]) & d2lattn.window_mask(q.shape[-2], width=window)
    return d2lattn.attention(q, k, v, attn_mask=mask, is_causal=causal, dropout_p=dropout)


def function(q, k, v, *, mask=None, causal=False, window=None, dropout=0.0, sink=None):
    absent(window=window, sink=sink is not None)
    gqa = q.shape[1] != k.shape[1]
    return F.scaled_dot_product_attention(
        q, k, v, attn_mask=mask, is_causal=causal, dropout_p=dropout, enable_gqa=gqa
    )


def module(q, k, v, *, mask=None, causal=False, window=None, dropout=0.0, sink=None, weights=True):
    absent(window=window, heads=q.shape[-1] != k.shape[-1], sink=sink not in (None, 0))
    width = q.shape[-1]
    layer = torch.nn.MultiheadAttention(
        width, HEADS, bias=False, dropout=dropout, add_zero_attn=sink is not None
    ).eval()
    layer.in_proj_weight.data = torch.eye(width).repeat(3, 1)
    layer.out_proj.weight.data = torch.eye(width)
    mask = None if mask is None else mask[0, 0].expand(q.shape[0], k.shape[0])
    return layer(q, k, v, attn_mask=mask, is_causal=causal, need_weights=weights)[0]


def flex_attention(q, k, v, *, mask=None, causal=False, window=None, dropout=0.0, sink=None):
    absent(causal=causal, window=window, dropout=dropout, sink=sink is not None)
    sizes = q.shape[-2], k.shape[-2]
    blocks = None
    if mask is not None:
        table = mask.expand(1, 1, *sizes)[0, 0]

        def may_attend(b, h, i, j):
            return table[i, j]

        blocks = flex.create_block_mask(may_attend, None, None, *sizes, device="cpu")
    gqa = q.shape[1] != k.shape[1]
    return flex.flex_attention(q, k, v, block_mask=blocks, enable_gqa=gqa)


def jax_attention(q, k, v, *, mask=None, causal=False, window=None, dropout=0.0, sink=None):
    absent(dropout=dropout, sink=sink is not None)
    q, k, v, mask = map(to_jax, (q, k, v, mask))
    options = dict(mask=mask, is_causal=causal or bool(window), local_window_size=window)
    return torch.tensor(jax.nn.dot_product_attention(q, k, v, **options).tolist())


def flax_attention(q, k, v, *, mask=None, causal=False, window=None, dropout=0.0, sink=None):
    absent(window=window, sink=sink is not None)
    q, k, v, mask = map(to_jax, (q, k, v, mask))
    flax_attention.draws += 1
    options = dict(mask=mask, is_causal=causal, dropout_rate=dropout)
    rng = jax.random.key(flax_attention.draws)
    return torch.tensor(nnx.dot_product_attention(q, k, v, dropout_rng=rng, **options).tolist())


flax_attention.draws = 0  # jax draws the same numbers from the same key


def keras_layer(q, k, v, *, mask=None, causal=False, window=None, dropout=0.0, sink=None):
    absent(sink=sink is not None)
    width, of_keys = q.shape[-1], k.shape[-1]
    each, kv_heads = width // HEADS, of_keys * HEADS // width
    options = dict(use_bias=False, dropout=dropout, sliding_window=window)
    if kv_heads == HEADS:
        layer = keras.layers.MultiHeadAttention(HEADS, each, **options)
    else:
        layer = keras.layers.GroupQueryAttention(each, HEADS, kv_heads, **options)
    layer.build(q.shape, v.shape, k.shape)
    eye, few = torch.eye(width), torch.eye(of_keys)
    kernels = [eye.view(width, HEADS, each)] + [few.view(of_keys, kv_heads, each)] * 2
    layer.set_weights([*kernels, eye.view(HEADS, each, width)])
    mask = None if mask is None else mask[:, 0]
    return layer(q, v, key=k, attention_mask=mask, use_causal_mask=causal or bool(window)).detach()


def transformers_model(q, k, v, *, mask=None, causal=False, window=None, dropout=0.0, sink=None):
    """The function that a model calls; cache, window and dropout are asked of a whole one."""
    absent(causal=causal, window=window, dropout=dropout)
    sizes = dict(num_attention_heads=q.shape[1], num_key_value_heads=k.shape[1])
    config = LlamaConfig(hidden_size=q.shape[1] * q.shape[-1], **sizes)
    layer = LlamaAttention(config, 0).eval()
    layer.is_causal = False
    if sink is not None:
        layer.sinks = torch.full((q.shape[1],), float(sink))
        hand, scale = modeling_gpt_oss.eager_attention_forward, layer.scaling
        return hand(layer, q, k, v, mask, scale)[0]
    return sdpa_attention_forward(layer, q, k, v, mask, scaling=layer.scaling)[0]


def onnx_attention(
    q, k, v, *, mask=None, causal=False, window=None, dropout=0.0, sink=None, past=None
):
    absent(dropout=dropout, sink=sink is not None)
    past_k, past_v = past or (None, None)
    inputs = {"Q": q, "K": k, "V": v, "mask": mask, "past_k": past_k, "past_v": past_v}
    given = {name: x.numpy() for name, x in inputs.items() if x is not None}
    kinds = {"bool": onnx.TensorProto.BOOL, "float32": onnx.TensorProto.FLOAT}
    attributes = dict(is_causal=int(causal or bool(window)), left_window_size=window or -1)
    node = onnx.helper.make_node(
        "Attention", [name if name in given else "" for name in inputs], ["Y"], **attributes
    )
    declared = [
        onnx.helper.make_tensor_value_info(name, kinds[str(x.dtype)], x.shape)
        for name, x in given.items()
    ]
    out = onnx.helper.make_tensor_value_info("Y", onnx.TensorProto.FLOAT, None)
    model = onnx.helper.make_model(
        onnx.helper.make_graph([node], "one", declared, [out]),
        opset_imports=[onnx.helper.make_opsetid("", 25)],
        ir_version=11,
    )
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=CPU)
    return torch.tensor(session.run(None, given)[0])


CPU = ["CPUExecutionProvider"]
CALLS = {
    "d2lattn.attention": here,
    "torch scaled_dot_product_attention": function,
    "torch nn.MultiheadAttention": module,
    "torch flex_attention": flex_attention,
    "JAX dot_product_attention": jax_attention,
    "flax nnx.dot_product_attention": flax_attention,
    "Keras MultiHeadAttention": keras_layer,
    "transformers, a model": transformers_model,
    "ONNX Attention": onnx_attention,
}


@functools.cache
def mistral(window, layers=1):
    """A small model with a window, whose attention is torch's function."""
    config = MistralConfig(
        vocab_size=23,
        hidden_size=24,
        intermediate_size=8,
        num_hidden_layers=layers,
        num_attention_heads=HEADS,
        num_key_value_heads=HEADS,
        sliding_window=window,
        attention_dropout=0.5,
        attn_implementation="sdpa",
    )
    torch.manual_seed(0)
    return MistralModel(config).eval()
