"""Models of the Llama family in our parts: the logits that transformers stored, and GGUF files.

tools/make_references.py says how the stored numbers were made. With transformers itself, live:
tests/libraries.
"""

import json
from pathlib import Path

import draws
import gguf
import numpy as np
import pytest
import torch
from draws import generator

from d2lattn_book.real import from_llama
from d2lattn_book.real.llama import Llama3Rotary, Sizes, _sizes_of_config

STORED = Path(__file__).with_name("llama_reference.npz")
CONFIGS = [  # as SMALL in tools/make_references.py
    dict(
        model_type="llama",
        vocab_size=v,
        hidden_size=e,
        num_hidden_layers=n,
        num_attention_heads=h,
        num_key_value_heads=kv,
        intermediate_size=m,
        max_position_embeddings=32,
        rms_norm_eps=1e-5,
        rope_theta=base,
        attention_bias=biases,
        mlp_bias=biases,
    )
    for v, e, n, h, kv, m, base, biases in [
        (23, 12, 2, 3, 3, 17, 10000.0, False),
        (31, 24, 3, 6, 2, 40, 500.0, False),
        (19, 16, 1, 4, 1, 21, 1e5, True),
    ]
]


def assert_close(got, expected, within=1e-5):
    draws.assert_close(got, expected, within=within)


@pytest.fixture(scope="module", params=range(3))
def stored(request):
    """(state dict, config, tokens, logits) of a small Llama, by transformers."""
    start = f"small/{request.param}/"
    with np.load(STORED) as file:
        found = {n.removeprefix(start): torch.from_numpy(file[n]) for n in file if start in n}
    tokens, logits = found.pop("tokens"), found.pop("logits")
    state = {name.removeprefix("state/"): x.float() for name, x in found.items()}
    return state, CONFIGS[request.param], tokens, logits


@torch.no_grad()
def test_the_logits_are_those_of_transformers(stored):
    state, config, tokens, logits = stored
    model = from_llama(state, config=config)
    assert logits.std() > 0.3 and not model.training
    assert_close(model(tokens), logits)
    assert (model.to_logits.weight is model.embedding.weight) == ("lm_head.weight" not in state)


def test_the_source_keeps_its_numbers_and_its_dtype(stored):
    state, config, *_ = stored
    before = {name: x.clone() for name, x in state.items()}
    model = from_llama({name: x.half() for name, x in state.items()}, config=config)
    assert {x.dtype for x in model.state_dict().values()} == {torch.float16}
    model = from_llama(state, config=config)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.fill_(7)
    assert all(torch.equal(before[name], x) for name, x in state.items())


# Out of a GGUF file -------------------------------------------------------------------------------

NAMES = {  # what ggml calls the parts that transformers calls so
    "model.embed_tokens": "token_embd",
    "model.norm": "output_norm",
    "lm_head": "output",
    "input_layernorm": "attn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "post_attention_layernorm": "ffn_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}


def drawn(config, tied):
    """A state dict in transformers' names."""
    e, kv = config["hidden_size"], config["num_key_value_heads"]
    heads, m = config["num_attention_heads"], config["intermediate_size"]
    draw = generator(e)

    def normal(*shape):
        return torch.randn(*shape, generator=draw) / shape[-1] ** 0.5

    state = {"model.embed_tokens.weight": normal(config["vocab_size"], e)}
    state["model.norm.weight"] = 1 + normal(e)
    if not tied:
        state["lm_head.weight"] = normal(config["vocab_size"], e)
    shapes = {"self_attn.q_proj": (e, e), "self_attn.o_proj": (e, e)}
    shapes["mlp.down_proj"] = e, m
    shapes |= dict.fromkeys(["self_attn.k_proj", "self_attn.v_proj"], (kv * (e // heads), e))
    shapes |= dict.fromkeys(["mlp.gate_proj", "mlp.up_proj"], (m, e))
    for n in range(config["num_hidden_layers"]):
        start = f"model.layers.{n}."
        state |= {f"{start}{name}.weight": normal(*shape) for name, shape in shapes.items()}
        for norm in ("input_layernorm", "post_attention_layernorm"):
            state[f"{start}{norm}.weight"] = 1 + normal(e)
    return state


def written(path, state, config, kind=None, **more):
    """A GGUF file as llama.cpp's converter writes it: queries and keys turn neighbours."""
    writer = gguf.GGUFWriter(path, more.pop("architecture", "llama"))
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_head_count_kv(config["num_key_value_heads"])
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_rope_freq_base(config["rope_theta"])
    writer.add_context_length(config["max_position_embeddings"])
    for name, value in more.items():
        write = writer.add_string if isinstance(value, str) else writer.add_uint32
        write(name.replace("__", "."), value)
    for name, x in state.items():
        array = x.numpy().astype(np.float32)
        for part in ("q_proj", "k_proj"):
            if part in name:
                width = config["hidden_size"] // config["num_attention_heads"]
                halves = array.reshape(-1, 2, width // 2, array.shape[-1])
                array = np.ascontiguousarray(halves.swapaxes(1, 2)).reshape(array.shape)
        for theirs, ggml in NAMES.items():
            name = name.replace(theirs, ggml)
        name = name.replace("model.layers.", "blk.")
        if kind is None or array.ndim == 1:
            writer.add_tensor(name, array)
        else:
            packed = gguf.quants.quantize(array, kind)
            writer.add_tensor(name, packed, raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


WIDE = CONFIGS[1] | dict(hidden_size=64, num_attention_heads=4, intermediate_size=96)


@torch.no_grad()
@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize(("kind", "within"), [(None, 1e-5), ("F16", 1e-2), ("Q8_0", 5e-2)])
def test_a_gguf_file_is_read(tmp_path, tied, kind, within):
    state = drawn(WIDE, tied)
    kind = kind and gguf.GGMLQuantizationType[kind]
    model = from_llama(written(tmp_path / "small.gguf", state, WIDE, kind))
    tokens = torch.randint(31, (2, 9), generator=generator())
    expected = from_llama(state, config=WIDE)(tokens)
    assert expected.std() > 0.3
    assert_close(model(tokens), expected, within)
    assert {x.dtype for x in model.state_dict().values()} == {torch.float32}
    assert model.max_len == 32 and model.position.base == 500.0


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (dict(architecture="gpt2"), "general.architecture='llama', got 'gpt2'"),
        ({"llama.rope.scaling.type": "yarn"}, "llama.rope.scaling.type='none', got 'yarn'"),
        ({"llama.expert_count": 8}, "a plain Llama, got llama.expert_count=8"),
        ({"llama.attention.key_length": 8}, "llama.attention.key_length=16, .* got 8"),
    ],
)
def test_a_gguf_file_of_another_model_is_refused_by_name(tmp_path, more, said):
    path = written(tmp_path / "other.gguf", drawn(WIDE, True), WIDE, **more)
    with pytest.raises(ValueError, match=f"^source must .*{said}"):
        from_llama(path)


def test_a_damaged_file_is_refused(tmp_path):
    whole = written(tmp_path / "whole.gguf", drawn(WIDE, True), WIDE).read_bytes()
    for name, content in (
        ("cut", whole[: len(whole) // 2]),
        ("head", whole[:20]),
        ("empty", b""),
        ("foreign", b"PK" + whole[2:]),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ValueError, match=r"^source must be a whole GGUF file, got .*" + name):
            from_llama(tmp_path / name)
    with pytest.raises(ValueError, match=r"got .*nowhere: there is none"):
        from_llama(str(tmp_path / "nowhere"))


# What is refused ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("model_type", "granite", "model_type one of .*'llama', .*, got 'granite'"),
        ("model_type", None, "model_type one of .*, got one without"),
        ("hidden_act", "gelu", "hidden_act='silu', got 'gelu'"),
        ("rope_scaling", {"type": "linear"}, "rotations 'default' or 'llama3', got"),
        ("rope_parameters", {"rope_type": "yarn"}, "rotations 'default' or 'llama3', got"),
        ("rope_parameters", {"rope_type": "llama3"}, "factor, got one without"),
        ("rope_parameters", {"partial_rotary_factor": 0.75}, "partial_rotary_factor=1.0, got"),
        ("use_sliding_window", True, "use_sliding_window=False, got True"),
        ("layer_types", ["sliding_attention"], "layers of one type, got"),
        ("hidden_size", None, "hidden_size, got one without"),
        ("rope_theta", None, "rope_theta, got one without"),
        ("pretraining_tp", 2, "pretraining_tp=1, got 2"),
    ],
)
def test_an_option_that_would_give_other_numbers_is_refused(option, value, said):
    config = CONFIGS[0] | {option: value}
    with pytest.raises(ValueError, match=f"^config must have .*{said}"):
        from_llama(drawn(CONFIGS[0], True), config=config)


def test_weights_must_be_there_and_fit():
    state = drawn(CONFIGS[0], False)
    name = "model.layers.1.mlp.up_proj.weight"
    cases = [
        ({n: x for n, x in state.items() if n != name}, rf"got no {name}"),
        (state | {name: state[name].T}, rf"a {name} of shape \(17, 12\), got \(12, 17\)"),
        (state | {name: state[name].long()}, f"floating tensors, got torch.int64 for {name}"),
        (state | {"model.extra": state[name]}, r"no others, got 'model\.extra'"),
    ]
    for wrong, said in cases:
        with pytest.raises(ValueError, match=rf"^source must hold .*{said}"):
            from_llama(wrong, config=CONFIGS[0])
    with pytest.raises(ValueError, match=r"^config must be given with a state dict, got None"):
        from_llama(state)
    with pytest.raises(ValueError, match=r"^source must be a LlamaForCausalLM .* got int"):
        from_llama(3)
    with pytest.raises(ValueError, match=r"^source must be a state dict where config is given"):
        from_llama("a.gguf", config=CONFIGS[0])


PARAMETERS = {  # as their publishers count them
    "llama-3.1-8b": 8_030_261_248,
    "mistral-7b-v0.3": 7_248_023_552,
    "qwen2.5-7b": 7_615_616_512,
    "qwen3-8b": 8_190_735_360,
}


@pytest.mark.parametrize("name", PARAMETERS)
def test_a_published_config_gives_a_model_of_that_size(name):
    path = Path(__file__).with_name("configs") / f"{name}.json"
    config = json.loads(path.read_text(encoding="utf-8"))
    model = _sizes_of_config(config, tied=False).decoder()
    assert sum(x.numel() for x in model.parameters()) == PARAMETERS[name]
    layer = model.blocks[0].attention
    assert layer.head_dim == 128 and layer.qk_norm == ("qwen3" in name)
    assert (layer.q_proj.bias is not None) == ("qwen2" in name) and layer.out_proj.bias is None
    assert isinstance(model.position, Llama3Rotary) == ("llama" in name)


def test_sizes_are_checked():
    good = dict(vocab_size=5, embed_dim=8, num_layers=1, num_heads=2, num_kv_heads=1, mlp_dim=3)
    assert Sizes(**good, max_len=4).decoder().to_logits.weight.is_meta
    with pytest.raises(ValueError, match=r"^mlp_dim must be an integer of at least 1, got 0"):
        Sizes(**good | dict(mlp_dim=0), max_len=4)
    with pytest.raises(ValueError, match=r"^eps must be a finite number"):
        Sizes(**good, max_len=4, eps=float("nan"))
