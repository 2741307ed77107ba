"""What a model keeps of a text, read off configurations that others have published.

They lie in tests/configs as they were found, with their sources in sources.json; those named
*.class are the defaults of a class of transformers, no model that was published. The counts are
held to arithmetic written out here (BY_HAND), to numbers that others have published or measured
(PUBLISHED), to our own `Cache`, and in tests/libraries to the caches of transformers.
"""

import hashlib
import json
import warnings
from pathlib import Path

import pytest
import torch

from d2lattn import Cache, Decoder, LatentAttention
from d2lattn_book.cards import cache_bytes

CONFIGS = Path(__file__).resolve().parent / "configs"
SOURCES = json.loads((CONFIGS / "sources.json").read_text(encoding="utf-8"))
KIB, MIB, GIB = 2**10, 2**20, 2**30
# Fields that are not understood, of those models that have any.
UNKNOWN_FIELDS = {"gemma-4-e2b": ("sliding_window, without a pattern of layers",)}


def kept(config, tokens, **options):
    """What is kept by a config, or by that of a stored model, and the warnings that were given."""
    config = CONFIGS / f"{config}.json" if isinstance(config, str) else config
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        return cache_bytes(config, tokens=tokens, **options), said


def read(name):
    return json.loads((CONFIGS / f"{name}.json").read_text(encoding="utf-8"))


def pair(layers, heads, dim, tokens):
    """Keys and values in bfloat16."""
    return layers * 2 * heads * dim * 2 * tokens


def delta(layers, key_heads, value_heads, dim, of_state):
    """States of a delta rule, and three rows before a convolution of four."""
    state = value_heads * dim * dim * of_state
    return layers * (state + 3 * (2 * key_heads + value_heads) * dim * 2)


BY_HAND = {
    # keys and values of all words
    "qwen3-8b": lambda n: pair(36, 8, 128, n),
    "qwen2.5-7b": lambda n: pair(28, 4, 3584 // 28, n),
    "gpt2": lambda n: pair(12, 12, 768 // 12, n),
    "llama-3.1-8b": lambda n: pair(32, 8, 4096 // 32, n),
    "mistral-7b-v0.3": lambda n: pair(32, 8, 4096 // 32, n),
    "smollm3.class": lambda n: pair(36, 4, 2048 // 16, n),
    # windows
    "gemma-2-9b": lambda n: pair(21, 8, 256, n) + pair(21, 8, 256, min(n, 4096)),
    "gemma-3-27b": lambda n: pair(10, 16, 128, n) + pair(52, 16, 128, min(n, 1024)),
    "gpt-oss-20b": lambda n: pair(12, 8, 64, n) + pair(12, 8, 64, min(n, 128)),
    "gpt-oss-120b": lambda n: pair(18, 8, 64, n) + pair(18, 8, 64, min(n, 128)),
    # unequal heads, unequal widths, and layers that read the cache of another one
    "gemma-4-31b-nvfp4": lambda n: pair(10, 4, 512, n) + pair(50, 16, 256, min(n, 1024)),
    "gemma-4-e2b": lambda n: pair(15, 1, 256, n),  # too much: which have windows is not said
    # latents and indexers
    "deepseek-v3": lambda n: 61 * (512 + 64) * 2 * n,
    "deepseek-v3.2": lambda n: 61 * (512 + 64 + 128) * 2 * n,
    "glm-5.1": lambda n: 78 * (512 + 64 + 128) * 2 * n,
    "glm-5.2": lambda n: 78 * (512 + 64) * 2 * n + 21 * 128 * 2 * n,
    "deepseek-v4-flash": lambda n: (
        2 * (43 * 512 * min(n, 128) + 21 * (512 + 128) * (n // 4) + 20 * 512 * (n // 128))
    ),
    "deepseek-v4.1-flash": lambda n: (  # 4 of 40 layers make compressed rows, all have a window
        2 * (40 * 512 * min(n, 128) + (512 + 128) * (3 * (n // 2) + n))
    ),
    # states
    "glm-5.3-flash.class": lambda n: (
        2 * 11 * (512 * n + 128 * (n // 16)) + delta(34, 64, 64, 128, 4)
    ),
    "qwen3-next-80b": lambda n: pair(12, 2, 256, n) + delta(36, 16, 32, 128, 4),
    "qwen3.5-397b": lambda n: pair(15, 2, 256, n) + delta(45, 16, 64, 128, 4),
    "kimi-k3": lambda n: 24 * (512 + 64) * 2 * n + delta(69, 96, 96, 128, 4),
    "kimi-linear.class": lambda n: 6 * (512 + 64) * 2 * n + delta(21, 32, 32, 128, 4),
}
FP8 = dict(latent=1 + 4 / 128, index=1 + 4 / 128)
GITHUB = "https://github.com/"
CALCULATOR = GITHUB + (
    "Eco-Sphere/kv-cache-calculator/blob/f60987598606e80c7e53687bf935e77ba0f31743/"
    "tests/kv_cache_expected.json"
)
# model, tokens, bytes of a number, what others say that is kept, within, their words and where
PUBLISHED = [
    ("llama-3.1-8b", 1, 2, 131_072, 0,
     "128 KiB per token, https://docs.rs/crate/kv-cache-size/0.1.1, README"),
    ("glm-5.1", 128, 2, 14_057_472, 0, f"total_bytes: 14057472, {CALCULATOR}"),
    ("glm-5.1", 8192, dict(latent=1, rotary=1), 531_628_032, 0,
     f"mla_fp8_indexer_bf16, total_bytes: 531628032, {CALCULATOR}"),
    ("gpt-oss-120b", 1, 2, 73_728, 0,
     f"73,728 bytes/token, matches vLLM log, {GITHUB}alvarobartt/hf-mem/issues/60"),
    ("gemma-4-31b-nvfp4", 1, 2, 880 * KIB, 0,
     f"KV Cache Size per Token (KiB) | 880, {GITHUB}redhat-performance/configiq/issues/112"),
    ("gemma-4-31b-nvfp4", 1, 1, 440 * KIB, 0,
     f"KV Cache Size per Token (KiB) | 440, {GITHUB}redhat-performance/configiq/issues/112"),
    ("deepseek-v3", 2**20, 2, 68.625 * GIB, 0, "68.625GiB at hypothetical 1m context, "
     "https://provide.ai/the-exact-kv-cache-usage-of-deepseek-v4/"),
    ("deepseek-v3", 160 * KIB, 2, 10.72 * GIB, 0.005 * GIB,
     "actually running V3.2 with llama.cpp ... 10.72GiB at 160k context, the same page"),
    # with the indexer's keys in fp8, too, and scales: 656 and 132 bytes
    ("deepseek-v3.2", 975_424, FP8, 43.67 * GIB, 0.005 * GIB,
     f"#tokens: 975424, KV size: 43.67 GB, {GITHUB}sgl-project/sglang/pull/11309"),
]  # fmt: skip
# model, bytes of a number, by how much a token grows a long text, what does not grow, where
GROWTH = [
    ("kimi-k3", dict(state=4, conv=4), 27 * KIB, 69 * 1_683_456 * 4,
     "27.0 GiB at the model's 1M train context, 69 layers * 1,683,456 * 4 B, "
     f"{GITHUB}unslothai/unsloth/pull/7616"),
]  # fmt: skip


@pytest.mark.parametrize("name", SOURCES)
def test_the_count_is_that_by_hand_of_a_file_as_it_was_found(name):
    for tokens in (1, 5, 127, 600, 5000, 200_003):
        counted, said = kept(name, tokens)
        assert counted.total == BY_HAND[name](tokens), tokens
    assert counted.unknown == UNKNOWN_FIELDS.get(name, ()) and len(said) == bool(counted.unknown)
    assert all(field in str(said[0].message) and field in str(counted) for field in counted.unknown)
    text = (CONFIGS / f"{name}.json").read_bytes()
    assert hashlib.sha256(text).hexdigest() == SOURCES[name]["sha256"]


@pytest.mark.parametrize(("name", "tokens", "size", "said", "within", "where"), PUBLISHED)
def test_the_count_is_what_others_published(name, tokens, size, said, within, where):
    assert abs(kept(name, tokens, bytes_per_number=size)[0].total - said) <= within, where


@pytest.mark.parametrize(("name", "size", "growth", "fixed", "where"), GROWTH)
def test_the_growth_is_what_others_published(name, size, growth, fixed, where):
    one, two = (kept(name, n, bytes_per_number=size)[0].total for n in (10**5, 10**5 + 1))
    assert two - one == growth and one - 10**5 * growth == fixed, where


EVERY_FOURTH = [i % 4 == 3 for i in range(12)]
SIZES = dict(num_hidden_layers=12, hidden_size=64, num_attention_heads=4, num_key_value_heads=2)
STATE = dict(linear_num_value_heads=4, linear_num_key_heads=2, linear_key_head_dim=8)
STATE |= dict(linear_value_head_dim=8, linear_conv_kernel_dim=4)
WINDOW = dict(sliding_window=16)
LATENT = SIZES | dict(kv_lora_rank=8, qk_rope_head_dim=4, index_head_dim=6)
OF_STATES = 3 * 100 * 2 * 32 * 2 + 9 * (4 * 8 * 8 * 4 + 3 * (4 * 8 + 2 * 16) * 2)
FIFTH, FIRST = [0, 1, 2, 6, 10], [i // 4 * 4 for i in range(12)]


def windows(few):
    """Bytes of 100 tokens, where so many layers have a window."""
    return ((12 - few) * 100 + few * 16) * 2 * 32 * 2


def names(other):
    return dict(layer_types=["full_attention" if full else other for full in EVERY_FOURTH])


@pytest.mark.parametrize(
    ("config", "total"),
    [
        (SIZES | STATE | names("linear_attention"), OF_STATES),
        (SIZES | STATE | dict(full_attention_interval=4), OF_STATES),
        (SIZES | STATE | dict(linear_attn_config=dict(full_attn_layers=[4, 8, 12])), OF_STATES),
        (SIZES | WINDOW | names("sliding_attention"), windows(9)),
        (SIZES | WINDOW | dict(sliding_window_pattern=4), windows(9)),
        (SIZES | WINDOW | dict(model_type="mistral"), windows(12)),
        (SIZES | dict(sliding_window=None), windows(0)),
        (SIZES | WINDOW | dict(use_sliding_window=False, max_window_layers=4), windows(0)),
        (SIZES | WINDOW | dict(use_sliding_window=True, max_window_layers=5), windows(7)),
        (SIZES | dict(num_key_value_heads=[1, 2, 4] * 4), 100 * 2 * 16 * 2 * 28),
        (SIZES | dict(model_type="bert", is_decoder=True), windows(0)),
        # which layers have an indexer of their own, and which rows of their own
        (LATENT, 100 * 12 * (8 + 4 + 6) * 2),
        (LATENT | dict(index_topk_freq=4, index_skip_topk_offset=3), 100 * (144 + 30) * 2),
        (
            LATENT | dict(indexer_types=["full" if i in FIFTH else "shared" for i in range(12)]),
            100 * (144 + 30) * 2,
        ),
        (LATENT | dict(kv_source_layers=FIRST), 100 * (3 * 12 + 72) * 2),  # as Mistral Large 4
    ],
)
def test_layers_are_found_in_every_spelling(config, total):
    counted, said = kept(config, 100)
    assert counted.total == total and not said


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        (dict(cross_layer_share=4), "cross_layer_share"),
        (dict(kv_pool=[1]), "kv_pool"),
        (dict(memory_size=0), "memory_size"),
        (dict(add_cross_attention=True), "add_cross_attention"),
        (dict(linear_attn_config=dict(state_rank=8)), "linear_attn_config.state_rank"),
        (STATE, "linear_num_value_heads"),  # and no layer is said to have a state
        (WINDOW, "sliding_window, without a pattern of layers"),
    ],
)
def test_a_field_that_nobody_knows_is_named(fields, said):
    counted, (warning,) = kept(SIZES | fields, 100)
    assert counted.unknown == (said,) and f"does not know: {said}. If" in str(warning.message)
    assert counted.total == windows(0)  # the most that it can be


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({}, r"^config must give num_hidden_layers or n_layer"),
        (SIZES | dict(num_hidden_layers="12"), r"^config: num_hidden_layers must be an integer"),
        (SIZES | dict(layer_types=["full_attention"]), r"^config must have an entry for all 12"),
        (SIZES | names("ring_attention"), r"^config: layer_types must have .*got 'ring_attention'"),
        (SIZES | dict(sliding_window_pattern=2), r"^config must give sliding_window or "),
        (SIZES | dict(full_attention_interval=4), r"^config must give the sizes of the states"),
        (SIZES | dict(linear_attn_config=3), r"^config: linear_attn_config must hold fields"),
        (SIZES | dict(is_encoder_decoder=True), r"^config must be that of a decoder"),
        (SIZES | dict(model_type="bert"), r"^config must be that of a decoder, got .* bert$"),
        (SIZES | dict(mamba_d_state=16), r"^config must be of a family .* got mamba_d_state, a fi"),
        (SIZES | dict(model_type="mimo_v2_flash"), r"^config must be of a family .* mimo_v2_flash"),
        (SIZES | dict(multi_query=True), r"^config must be of a family .* got multi_query, a fie"),
        (dict(num_hidden_layers=2), r"^config must give hidden_size or n_embd"),
        ({3: 4}, r"^config must be a dict, the path"),
        (Path("nowhere.json"), r"^config must be a dict, the path .*No such file"),
        (Path(__file__), r"^config must be a dict, the path .*Extra data"),
    ],
)
def test_a_configuration_that_says_too_little_or_is_of_another_kind_is_refused(config, message):
    with pytest.raises(ValueError, match=message):
        kept(config, 5)


def test_a_configuration_may_come_in_any_form(tmp_path):
    class Config:
        def to_dict(self):
            return read("gemma-3-27b")

    (tmp_path / "config.json").write_text(json.dumps(read("gemma-3-27b")), encoding="utf-8")
    forms = (read("gemma-3-27b"), tmp_path, tmp_path / "config.json", Config())
    totals = {cache_bytes(form, tokens=3000).total for form in forms}
    assert totals == {BY_HAND["gemma-3-27b"](3000)}


def test_bytes_of_a_number_may_differ_by_part():
    layer = kept("deepseek-v3.2", 1, bytes_per_number=FP8)[0].layers[0]
    assert [piece.part for piece in layer.pieces] == ["latent", "rotary", "index"]
    assert [piece.bytes for piece in layer.pieces] == [512 + 4 * 4, 64 * 2, 128 + 4]
    # States take what the file says or else float32, unless they are asked for by name.
    said = "numbers of a state take 4 bytes"
    for name, note in (("qwen3.5-397b", "as the config says"), ("kimi-k3", "the config gives no")):
        assert any(f"{said}, {note}" in line for line in kept(name, 5)[0].notes)
    half, free = (kept("kimi-k3", 5, bytes_per_number=n)[0].total for n in (1, dict(state=2)))
    assert half == 24 * (512 + 64) * 5 + 69 * 96 * 128 * (128 * 4 + 9)
    assert free == 24 * (512 + 64) * 2 * 5 + delta(69, 96, 96, 128, 2)
    # Of 5 numbers of 1.3 bytes a part is a byte: 7 of keys and 7 of values.
    small = dict(num_hidden_layers=1, num_attention_heads=1, head_dim=5, hidden_size=5)
    assert cache_bytes(small, tokens=1, bytes_per_number=1.3).total == 14
    with pytest.raises(ValueError, match=r"must have parts of .* got 'key'"):
        cache_bytes(small, tokens=1, bytes_per_number=dict(key=1))


def test_the_table():
    lines = str(kept("gemma-3-27b", 2048)[0]).splitlines()
    assert lines == [
        "layers                  kind    kept of each: rows × numbers              bytes of all",
        "0-4, 6-10 … 60-61 (52)  window  1,024 × 2,048 keys, 1,024 × 2,048 values   436,207,616",
        "5, 11 … 59 (10)         full    2,048 × 2,048 keys, 2,048 × 2,048 values   167,772,160",
        "                                2,048 tokens, 576.0 MiB                    603,979,776",
        "note: sliding_window_pattern is absent: 6, as in the class of gemma3_text",
    ]


def test_our_own_cache_is_as_large():
    tokens, sizes = 20, dict(num_hidden_layers=3, num_attention_heads=4, hidden_size=32)
    for options, fields in (
        (dict(num_kv_heads=2), dict(num_key_value_heads=2)),
        (dict(window=7), dict(model_type="mistral", sliding_window=7)),
        (
            dict(attention=LatentAttention, latent_dim=12, rope_dim=4),
            dict(kv_lora_rank=12, qk_rope_head_dim=4),
        ),
    ):
        model = Decoder(9, 32, num_layers=3, num_heads=4, positions="rotary", **options)
        cache = Cache(model, max_len=tokens)
        held = cache.keys.nbytes + cache.values.nbytes
        size = torch.float32.itemsize
        assert cache_bytes(sizes | fields, tokens=tokens, bytes_per_number=size).total == held
