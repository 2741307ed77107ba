"""What `cache_bytes` counts, beside the caches of transformers itself, on shapes alone.

Each model is built at its full size on the device meta, reads some words there, and what its cache
holds is counted, layer by layer. Runs with `make test-libraries`.
"""

import warnings

import pytest
import torch
from test_cards import CONFIGS, SOURCES, read
from torch import nn
from transformers import CONFIG_MAPPING, AutoModelForCausalLM
from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES

from d2lattn_book.cards import cache_bytes

WORDS = 300
LEFT_OUT = ("deepseek-v4.1-flash", "glm-5.3-flash.class", "gemma-4-e2b")
# Models whose files name a class of their own, and the class here that reads them.
CLASSES = {"kimi_k3": "kimi_linear"}
BUILT = [name for name in SOURCES if name not in LEFT_OUT]
PAIRS = ("gpt_oss", "llama4_text")  # whose MLP returns two things


def config_of(name):
    """The config of transformers, without fields that it may refuse and that keep nothing."""
    dropped = ("model_type", "quantization_config", "auto_map", "time_step_limit", "hidden_act")
    fields, kind = read(name), read(name)["model_type"]
    if kind in CLASSES:
        fields, kind = fields.get("text_config", fields), CLASSES[kind]
    return CONFIG_MAPPING[kind](**{k: v for k, v in fields.items() if k not in dropped})


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
    kernel = getattr(config, "linear_conv_kernel_dim", None)
    theirs = cache_of(config)
    assert len(theirs) == len(counted.layers)
    for i, (layer, held) in enumerate(zip(counted.layers, theirs, strict=True)):
        ours = expected(layer, window, kernel)
        if config.model_type == "deepseek_v4" and layer.kind == "window":
            ours *= 2  # one row is key and value; here they keep it twice
        assert numbers(held) == ours, (i, layer)


@pytest.mark.filterwarnings("ignore:config has fields")
@pytest.mark.parametrize("name", BUILT)
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
    assert not wrong
    assert len(alike) >= 60
