"""What `cache_bytes` counts, beside the caches of transformers itself, on shapes alone.

Each model is built at its full size on the device meta, reads some words there, and what its cache
holds is counted, layer by layer. Runs with `make test-libraries`.
"""

import json
import warnings

import pytest
import torch
from test_cards import CONFIGS, SOURCES, UNKNOWN_FIELDS, read
from torch import nn
from transformers import CONFIG_MAPPING, AutoModelForCausalLM, BambaConfig
from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES

from d2lattn_book.cards import cache_bytes

WORDS = 300
LEFT_OUT = {
    **dict.fromkeys(("glm-4-9b", "phi-3-small", "qwen-7b"), "has its class beside its weights"),
    **dict.fromkeys(("mimo-7b", "nemotron-super-49b"), "has its class beside its weights"),
    "deepseek-v4.1-flash": "has no class in transformers",
    "glm-5.3-flash.class": "reads images as well: no causal class",
    "internlm2-7b": "has its class beside its weights",
    "dbrx.class": "cannot be built from its own defaults",
    "recurrent-gemma.class": "keeps its states in its layers",
    "minimax.class": "keeps its states in another cache",
    "bamba.class": "has no layer with attention; with some it is tried below",
}
# Models whose files name a class of their own, and the class here that reads them.
CLASSES = {"kimi_k2": "deepseek_v3", "kimi_k3": "kimi_linear", "minimax_m3": "minimax_m3_vl_text"}
BUILT = [name for name in SOURCES if name not in LEFT_OUT]
PAIRS = ("gpt_oss", "llama4_text")  # whose MLP returns two things
# What a class says for a field that the file does not have, or the file otherwise.
OTHERWISE = {
    "gemma-4-e2b": "layer_types are 5 to 1 if they are absent",
}


def config_of(name):
    """The config of transformers, without fields that it may refuse and that keep nothing."""
    dropped = ("model_type", "quantization_config", "auto_map", "time_step_limit", "hidden_act")
    fields, kind = read(name), read(name)["model_type"]
    if kind in CLASSES:
        fields, kind = fields.get("text_config", fields), CLASSES[kind]
    return CONFIG_MAPPING[kind](**{k: v for k, v in fields.items() if k not in dropped})


# Classes whose own cache holds something else than is counted, without a warning of ours.
SILENT = {
    "minimax": "keeps its states in another cache",
}


class Left(nn.Module):
    """In the place of an MLP, which keeps nothing."""

    def __init__(self, pair):
        super().__init__()
        self.pair = pair

    def forward(self, x, *others, **more):
        return (x, x) if self.pair else x


@torch.no_grad()
def cache_of(config):
    """The cache after WORDS words."""
    config = config.get_text_config(decoder=True)
    config._attn_implementation = "eager"
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config).eval()
        for module in list(model.modules()):
            for name in ("mlp", "feed_forward", "block_sparse_moe", "ffn"):
                if hasattr(module, name):
                    setattr(module, name, Left(config.model_type in PAIRS))
        tokens = torch.zeros(1, WORDS, dtype=torch.long)
        return model(tokens, use_cache=True).past_key_values.layers


def numbers(layer):
    """Sizes of the tensors of a layer of theirs; keys that are values, too, count once."""
    held = [getattr(layer, name, None) for name in ("keys", "indexer_keys", "idx_keys")]
    if getattr(layer, "values", None) is not getattr(layer, "keys", None):
        held.append(layer.values)
    for name in ("conv_states", "recurrent_states", "compressed_kv"):
        held += (getattr(layer, name, None) or {}).values()
    return sorted(x.numel() for x in held if torch.is_tensor(x) and x.numel())


def expected(layer, window, kernel):
    """The same of ours, as they hold it: a row of a window less, one before a convolution more."""
    held = []
    for part, rows, width, _ in layer.pieces:
        theirs = rows - 1 if rows == window else rows
        held.append(width * (kernel if part == "conv" else theirs))
    return sorted(held)


def assert_alike(counted, config):
    config = config.get_text_config(decoder=True)
    window = getattr(config, "sliding_window", None)
    kernels = ("linear_conv_kernel_dim", "conv_kernel", "mamba_d_conv", "conv_L_cache")
    kernels += ("conv_kernel_size",)
    kernel = next((getattr(config, k) for k in kernels if hasattr(config, k)), None)
    theirs = cache_of(config)
    assert len(theirs) == len(counted.layers)
    for i, (layer, held) in enumerate(zip(counted.layers, theirs, strict=True)):
        ours = expected(layer, window, kernel)
        if config.model_type == "deepseek_v4" and layer.kind == "window":
            ours *= 2  # one row is key and value; here they keep it twice
        assert numbers(held) == ours, (i, layer)


@pytest.mark.filterwarnings("ignore:config has fields")
@pytest.mark.parametrize("name", [name for name in BUILT if name != "gemma-4-e2b"])
def test_the_cache_of_a_model_of_full_size(name):
    assert_alike(cache_bytes(CONFIGS / f"{name}.json", tokens=WORDS), config_of(name))


def test_no_causal_class_of_transformers_is_counted_wrong_in_silence():
    """All that there are, in their defaults: those that can be counted and built on meta."""
    alike, wrong = [], []
    for kind in sorted(set(MODEL_FOR_CAUSAL_LM_MAPPING_NAMES) - {"zamba"}):  # which takes minutes
        try:
            config = CONFIG_MAPPING[kind]().get_text_config(decoder=True)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                counted = cache_bytes(config, tokens=WORDS)
            assert_alike(counted, config)
            alike.append(kind)
        except AssertionError:
            wrong += [] if counted.unknown else [kind]
        except Exception:  # refused here, or not to be built there, each in its own way
            continue
    assert set(wrong) == set(SILENT)
    assert len(alike) >= 115


def test_layers_with_attention_named_by_their_numbers():
    config = BambaConfig(attn_layer_indices=[9, 18, 27])
    counted = cache_bytes(config, tokens=WORDS)
    assert [i for i, layer in enumerate(counted.layers) if layer.kind == "full"] == [9, 18, 27]
    assert_alike(counted, config)


@pytest.mark.filterwarnings("ignore:config has fields")
@pytest.mark.parametrize(
    "name", [n for n in SOURCES if read(n)["model_type"] in {*CONFIG_MAPPING, *CLASSES}]
)
def test_a_config_of_transformers_says_the_same_as_its_file(name):
    """Although it spells some fields anew."""
    file = cache_bytes(CONFIGS / f"{name}.json", tokens=10**5)
    own = cache_bytes(config_of(name), tokens=10**5)
    assert (own.total == file.total) == (name not in OTHERWISE)
    if name not in UNKNOWN_FIELDS:
        assert own.unknown == ()


def test_the_classes_still_have_these_defaults():
    """Those of another version may differ; then the stored ones may stay as they are."""
    for name, source in SOURCES.items():
        if "class" in source:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                fields = json.loads(config_of(name).to_json_string(use_diff=False))
            for field in ("num_hidden_layers", "num_attention_heads", "n_layers", "n_head"):
                assert fields.get(field) == read(name).get(field), (name, field)
