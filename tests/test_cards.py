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
from d2lattn_book.cards.fields import PARTS

CONFIGS = Path(__file__).resolve().parent / "configs"
SOURCES = json.loads((CONFIGS / "sources.json").read_text(encoding="utf-8"))
KIB, MIB, GIB = 2**10, 2**20, 2**30
# Fields that are not understood, of those models that have any.
UNKNOWN_FIELDS = {
    "bamba.class": ("mamba_d_state",),
    "gemma-4-e2b": ("sliding_window, without a pattern of layers",),
    "phi-3-small": (
        "blocksparse_block_size",
        "blocksparse_homo_head_pattern",
        "blocksparse_num_local_blocks",
        "blocksparse_triton_kernel_block_size",
        "blocksparse_vert_stride",
        "dense_attention_every_n_layers",
    ),
}


def kept(name, words, **options):
    """What is kept, and the warnings that were given."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        return cache_bytes(CONFIGS / f"{name}.json", tokens=words, **options), said


def read(name):
    return json.loads((CONFIGS / f"{name}.json").read_text(encoding="utf-8"))


def pair(layers, heads, dim, words):
    """Keys and values in bfloat16."""
    return layers * 2 * heads * dim * 2 * words


def delta(layers, key_heads, value_heads, dim, of_state):
    """States of a delta rule, and three rows before a convolution of four."""
    state = value_heads * dim * dim * of_state
    return layers * (state + 3 * (2 * key_heads + value_heads) * dim * 2)


def mamba(layers, heads, dim, state, groups, of_state):
    inner = heads * dim
    return layers * (inner * state * of_state + 3 * (inner + 2 * groups * state) * 2)


BY_HAND = {
    # keys and values of all words
    "qwen3-8b": lambda n: pair(36, 8, 128, n),
    "qwen2.5-7b": lambda n: pair(28, 4, 3584 // 28, n),
    "mimo-7b": lambda n: pair(36, 8, 128, n),
    "qwen-7b": lambda n: pair(32, 32, 128, n),
    "glm-4-9b": lambda n: pair(40, 2, 128, n),
    "gpt2": lambda n: pair(12, 12, 768 // 12, n),
    "gpt-bigcode.class": lambda n: pair(12, 1, 768 // 12, n),
    "falcon-7b": lambda n: pair(32, 1, 4544 // 71, n),
    "mpt.class": lambda n: pair(24, 16, 2048 // 16, n),
    "dbrx.class": lambda n: pair(24, 1, 2048 // 16, n),
    "llama-3.1-8b": lambda n: pair(32, 8, 4096 // 32, n),
    "llama-3.1-405b": lambda n: pair(126, 8, 16384 // 128, n),
    "mistral-7b-v0.3": lambda n: pair(32, 8, 4096 // 32, n),
    "internlm2-7b": lambda n: pair(32, 8, 4096 // 32, n),
    "mixtral-8x7b": lambda n: pair(32, 8, 4096 // 32, n),
    "minimax-m2.7": lambda n: pair(62, 8, 128, n),
    "smollm3.class": lambda n: pair(36, 4, 2048 // 16, n),
    "phi-3-small": lambda n: pair(32, 8, 4096 // 32, n),
    "nemotron-super-49b": lambda n: pair(49, 8, 8192 // 64, n),  # of 80 layers 31 have none
    # windows, and chunks
    "gemma-2-9b": lambda n: pair(21, 8, 256, n) + pair(21, 8, 256, min(n, 4096)),
    "gemma-3-1b": lambda n: pair(4, 1, 256, n) + pair(22, 1, 256, min(n, 512)),
    "gemma-3-27b": lambda n: pair(10, 16, 128, n) + pair(52, 16, 128, min(n, 1024)),
    "gpt-oss-20b": lambda n: pair(12, 8, 64, n) + pair(12, 8, 64, min(n, 128)),
    "gpt-oss-120b": lambda n: pair(18, 8, 64, n) + pair(18, 8, 64, min(n, 128)),
    "exaone-4.0-32b": lambda n: pair(16, 8, 128, n) + pair(48, 8, 128, min(n, 4096)),
    "cohere2.class": lambda n: pair(10, 64, 128, n) + pair(30, 64, 128, min(n, 4096)),
    "llama-4-scout": lambda n: pair(12, 8, 128, n) + pair(36, 8, 128, min(n, 8192)),
    "llama-4-scout-nope": lambda n: pair(12, 8, 128, n) + pair(36, 8, 128, min(n, 8192)),
    # unequal heads, unequal widths, and layers that read the cache of another one
    "gemma-4-26b-a4b": lambda n: pair(5, 2, 512, n) + pair(25, 8, 256, min(n, 1024)),
    "gemma-4-31b-nvfp4": lambda n: pair(10, 4, 512, n) + pair(50, 16, 256, min(n, 1024)),
    "mimo-v2-flash": lambda n: 2 * (192 + 128) * (9 * 4 * n + 39 * 8 * min(n, 129)),
    "gemma-3n.class": lambda n: pair(4, 2, 256, n) + pair(16, 2, 256, min(n, 512)),
    "gemma-4-e2b": lambda n: pair(15, 1, 256, n),  # too much: which have windows is not said
    # latents and indexers
    "deepseek-v3": lambda n: 61 * (512 + 64) * 2 * n,
    "kimi-k2": lambda n: 61 * (512 + 64) * 2 * n,
    "minicpm3-4b": lambda n: 62 * (256 + 32) * 2 * n,
    "deepseek-v3.2": lambda n: 61 * (512 + 64 + 128) * 2 * n,
    "glm-5.1": lambda n: 78 * (512 + 64 + 128) * 2 * n,
    "glm-5.2": lambda n: 78 * (512 + 64) * 2 * n + 21 * 128 * 2 * n,
    "minimax-m3": lambda n: pair(60, 4, 128, n) + 57 * 128 * 2 * n,
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
    "qwen3.6-35b-a3b": lambda n: pair(10, 2, 256, n) + delta(30, 16, 32, 128, 4),
    "kimi-k3": lambda n: 24 * (512 + 64) * 2 * n + delta(69, 96, 96, 128, 4),
    "kimi-linear.class": lambda n: 6 * (512 + 64) * 2 * n + delta(21, 32, 32, 128, 4),
    "nemotron-3-nano": lambda n: pair(6, 2, 128, n) + mamba(23, 64, 64, 128, 8, 4),
    "nemotron-3-ultra": lambda n: pair(12, 2, 128, n) + mamba(48, 256, 64, 128, 8, 4),
    "nemotron-h-56b": lambda n: pair(10, 8, 128, n) + mamba(54, 256, 64, 256, 8, 4),
    "falcon-h1.class": lambda n: pair(32, 8, 128, n) + mamba(32, 128, 8, 256, 1, 4),
    "jamba-1.5-mini": lambda n: pair(4, 8, 128, n) + 28 * 8192 * (16 * 4 + 3 * 2),
    "minimax.class": lambda n: pair(16, 8, 128, n) + 16 * 32 * 128**2 * 4,
    "recurrent-gemma.class": lambda n: pair(8, 10, 256, min(n, 2048)) + 18 * 2560 * (4 + 3 * 2),
    "lfm2.5-vl-1.6b": lambda n: pair(6, 8, 2048 // 32, n) + 10 * 2 * 2048 * 2,
    "bamba.class": lambda n: pair(32, 8, 128, n),  # wrong: which layers attend is not said
}
FP8 = dict(latent=1 + 4 / 128, index=1 + 4 / 128)
GITHUB = "https://github.com/"
CALCULATOR = GITHUB + (
    "Eco-Sphere/kv-cache-calculator/blob/f60987598606e80c7e53687bf935e77ba0f31743/"
    "tests/kv_cache_expected.json"
)
# model, words, bytes of a number, what others say that is kept, within, their words and where
PUBLISHED = [
    ("llama-3.1-8b", 1, 2, 131_072, 0,
     "128 KiB per token, https://docs.rs/crate/kv-cache-size/0.1.1, README"),
    ("mixtral-8x7b", 2048, 2, 256 * MIB, 0, "256 MiB, llama.cpp's log in https://huggingface.co/"
     "dranger003/c4ai-command-r-v01-iMat.GGUF/discussions/6"),
    ("minimax-m2.7", 128, 2, 32_505_856, 0, f"total_bytes: 32505856, {CALCULATOR}"),
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
    # what one of four ranks allocates for a quarter of the heads, without use of the window
    ("mimo-v2-flash", 1, 2, 4 * 77.63 * GIB / 1_496_958, 4 * 0.005 * GIB / 1_496_958,
     f"SWAKVPool mem usage: 77.63 GB, swa size: 1496958, {GITHUB}sgl-project/sglang/pull/15464"),
]  # fmt: skip
# model, bytes of a number, by how much a word grows a long text, what does not grow, where
GROWTH = [
    ("kimi-k3", dict(state=4, conv=4), 27 * KIB, 69 * 1_683_456 * 4,
     "27.0 GiB at the model's 1M train context, 69 layers * 1,683,456 * 4 B, "
     f"{GITHUB}unslothai/unsloth/pull/7616"),
    # three rows whose repositories were not found out
    ("nemotron-3-ultra", 2, 12 * KIB, None,
     "12.0 KiB (Very low) over 12 attn layers, Model Summary of revision 624ba92"),
    ("gemma-4-26b-a4b", 2, 20_480, 209_715_200,
     "(20480, 209_715_200), test_peer_formulas of kv_bytes_per_token"),
    ("qwen3.6-35b-a3b", 2, 20_480, 30 * (3 * (2 * 16 * 128 + 32 * 128) * 2 + 32 * 128 * 128 * 4),
     "f == 30 * (conv + state), the same test"),
]  # fmt: skip


@pytest.mark.parametrize("name", SOURCES)
def test_the_count_is_that_by_hand(name):
    for words in (1, 5, 127, 600, 5000, 200_003):
        assert kept(name, words)[0].total == BY_HAND[name](words), words


@pytest.mark.parametrize(("name", "words", "size", "said", "within", "where"), PUBLISHED)
def test_the_count_is_what_others_published(name, words, size, said, within, where):
    assert abs(kept(name, words, bytes_per_number=size)[0].total - said) <= within, where


@pytest.mark.parametrize(("name", "size", "growth", "fixed", "where"), GROWTH)
def test_the_growth_is_what_others_published(name, size, growth, fixed, where):
    one, two = (kept(name, n, bytes_per_number=size)[0].total for n in (10**5, 10**5 + 1))
    assert two - one == growth, where
    assert fixed in (None, one - 10**5 * growth), where


@pytest.mark.parametrize("name", SOURCES)
def test_more_words_keep_no_less_and_in_the_end_grow_evenly(name):
    totals = [kept(name, words)[0].total for words in (1, 3, 128, 129, 512, 4097, 8193)]
    assert totals == sorted(totals)
    a, b, c = (kept(name, 2**14 * times)[0].total for times in (1, 2, 3))
    assert b - a == c - b


def test_at_least_ten_models_are_held_to_others():
    assert len({row[0] for row in (*PUBLISHED, *GROWTH)}) >= 10


def test_every_configuration_has_its_source_and_is_as_it_was_found():
    assert {path.stem for path in CONFIGS.glob("*.json")} == {"sources", *SOURCES}
    assert len([name for name in SOURCES if not name.endswith(".class")]) >= 40
    assert sum(bool(source.get("kept_aside")) for source in SOURCES.values()) == 5
    for name, source in SOURCES.items():
        text = (CONFIGS / f"{name}.json").read_bytes()
        assert hashlib.sha256(text).hexdigest() == source["sha256"], name
        whence = {"repository", "path", "commit"}, {"package", "version", "path"}
        whence += ({"package", "version", "class"},)
        assert any(keys <= source.keys() for keys in whence), name
        assert name.endswith(".class") == ("class" in source), name


@pytest.mark.parametrize("name", SOURCES)
def test_what_is_not_understood_is_named(name):
    counted, said = kept(name, 10)
    assert counted.unknown == UNKNOWN_FIELDS.get(name, ())
    assert len(said) == bool(counted.unknown)
    for field in counted.unknown:
        assert field in str(said[0].message) and field in str(counted)


def test_a_field_that_nobody_has_yet_is_named():
    base = read("qwen3-8b")
    for field in ("cross_layer_share", "num_meta_tokens", "kv_pool", "head_dim_v2", "memory_size"):
        for value in (4, 0, False, "all", [1], {"a": 1}):
            with pytest.warns(UserWarning, match=rf"does not know: {field}\. If one"):
                cache_bytes(base | {field: value}, tokens=5)
        for value in (None, "", [], {}):
            assert cache_bytes(base | {field: value}, tokens=5).unknown == ()
    with pytest.warns(UserWarning, match="add_cross_attention"):
        cache_bytes(base | dict(add_cross_attention=True), tokens=5)
    nested = read("kimi-k3")["text_config"]
    nested["linear_attn_config"] |= {"state_rank": 8}
    with pytest.warns(UserWarning, match=r"linear_attn_config\.state_rank"):
        cache_bytes(nested, tokens=5)
    with pytest.warns(UserWarning, match=r"layer_types: 'ring_attention'"):
        told = cache_bytes(base | dict(layer_types=["ring_attention"] * 36), tokens=5)
    assert told.total == BY_HAND["qwen3-8b"](5)  # the most that it can be


# Spellings ----------------------------------------------------------------------------------------

EVERY_FOURTH = [i % 4 == 3 for i in range(12)]
SIZES = dict(num_hidden_layers=12, hidden_size=64, num_attention_heads=4, num_key_value_heads=2)
STATE = dict(linear_num_value_heads=4, linear_num_key_heads=2, linear_key_head_dim=8)
STATE |= dict(linear_value_head_dim=8, linear_conv_kernel_dim=4)
WINDOW = dict(sliding_window=16)


def each(one, other):
    return [one if full else other for full in EVERY_FOURTH]


STATES_BETWEEN = [
    dict(layer_types=each("full_attention", "linear_attention")),
    dict(layers_block_type=each("attention", "mamba")),
    dict(hybrid_override_pattern="MMM*" * 3),
    dict(attn_type_list=each(1, 0)),
    dict(attn_layer_indices=[3, 7, 11]),
    dict(attn_layer_period=4, attn_layer_offset=3),
    dict(full_attention_interval=4),
    dict(linear_attn_config=dict(full_attn_layers=[4, 8, 12], kda_layers=[1, 2, 3, 5, 6, 7, 9])),
    dict(model_type="qwen3_next", head_dim=16),
    dict(layer_group_size=4),
]
WINDOWS_BETWEEN = [
    dict(layer_types=each("full_attention", "sliding_attention")),
    dict(sliding_window_pattern=4),
    dict(sliding_window_pattern="LLLG"),
    dict(global_attn_every_n_layers=4),
    dict(hybrid_layer_pattern=each(0, 1)),
    dict(model_type="cohere2"),
]


@pytest.mark.parametrize("spelling", STATES_BETWEEN)
def test_layers_with_states_are_found_in_every_spelling(spelling):
    told = cache_bytes(SIZES | STATE | spelling, tokens=100)
    assert [layer.kind for layer in told.layers] == each("full", "state")
    assert told.total == 3 * 100 * 2 * 32 * 2 + 9 * (4 * 8 * 8 * 4 + 3 * (4 * 8 + 2 * 16) * 2)
    assert told.unknown == ()


@pytest.mark.parametrize("spelling", WINDOWS_BETWEEN)
def test_layers_with_windows_are_found_in_every_spelling(spelling):
    told = cache_bytes(SIZES | WINDOW | spelling, tokens=100)
    assert [layer.kind for layer in told.layers] == each("full", "window")
    assert told.total == (3 * 100 + 9 * 16) * 2 * 32 * 2


@pytest.mark.parametrize(
    ("spelling", "windows"),
    [
        (dict(sliding_window=None), 0),
        (dict(use_sliding_window=False, max_window_layers=4), 0),
        (dict(use_sliding_window=True, max_window_layers=5), 7),  # the layers from the sixth on
        (dict(model_type="mistral"), 12),
    ],
)
def test_a_window_of_all_layers_of_some_or_of_none(spelling, windows):
    told = cache_bytes(SIZES | WINDOW | spelling, tokens=100)
    assert told.total == ((12 - windows) * 100 + windows * 16) * 2 * 32 * 2


def test_layers_without_places_look_at_all_and_the_others_into_chunks():
    chunks = SIZES | dict(attention_chunk_size=16)
    turned = [int(not full) for full in EVERY_FOURTH]
    for spelling in (dict(no_rope_layers=turned), dict(no_rope_layer_interval=4)):
        told = cache_bytes(chunks | spelling, tokens=100)
        assert [layer.kind for layer in told.layers] == each("full", "chunk")
        without = cache_bytes(SIZES | spelling, tokens=100)  # no chunks: all look at all
        assert {layer.kind for layer in without.layers} == {"full"}


def test_sizes_of_a_layer_may_stand_in_lists_and_in_its_own_fields():
    heads = [1, 2, 4] * 4
    told = cache_bytes(SIZES | dict(num_key_value_heads=heads), tokens=10)
    assert [layer.bytes for layer in told.layers] == [10 * 2 * 16 * 2 * h for h in heads]
    own = {"03": dict(num_key_value_heads=1, head_dim=64)}
    told = cache_bytes(SIZES | dict(head_dim=16, per_layer_config=own), tokens=10)
    assert told.layers[3].bytes == 10 * 2 * 64 * 2 and told.layers[2].bytes == 10 * 2 * 32 * 2


def test_a_layer_may_have_latents_of_its_own():
    latent = dict(num_hidden_layers=2, num_attention_heads=4, kv_lora_rank=512, qk_rope_head_dim=64)
    for own in ({"1": dict(kv_lora_rank=1024)}, {1: dict(kv_lora_rank=1024, qk_nope_head_dim=192)}):
        told = cache_bytes(latent | dict(per_layer_config=own), tokens=1)
        assert [layer.bytes for layer in told.layers] == [2 * (512 + 64), 2 * (1024 + 64)]
        assert told.unknown == ()
    own = {"1": dict(linear_num_value_heads=4)}  # what is read of the whole model alone is named
    with pytest.warns(UserWarning, match="per_layer_config: linear_num_value_heads"):
        cache_bytes(latent | dict(per_layer_config=own), tokens=1)


def test_an_indexer_may_be_shared_by_its_schedule():
    latent = SIZES | dict(kv_lora_rank=8, qk_rope_head_dim=4, index_head_dim=6)
    full = cache_bytes(latent, tokens=10)
    assert full.total == 12 * 10 * (8 + 4 + 6) * 2
    for spelling in (
        dict(index_topk_freq=4, index_skip_topk_offset=3),
        dict(index_topk_pattern="FFFSSSFSSSFS"),
        dict(indexer_types=["full" if i in (0, 1, 2, 6, 10) else "shared" for i in range(12)]),
    ):
        told = cache_bytes(latent | spelling, tokens=10)
        assert told.total == 10 * (12 * (8 + 4) + 5 * 6) * 2, spelling


def test_a_layer_that_reads_the_rows_of_another_one_keeps_its_own_index_at_most():
    """Mistral Large 4: for each layer the layer whose latents it reads."""
    latent = SIZES | dict(kv_lora_rank=8, qk_rope_head_dim=4, index_head_dim=6)
    told = counted(latent | dict(kv_source_layers=[i // 4 * 4 for i in range(12)]), 10)
    assert told.total == 10 * (3 * (8 + 4) + 12 * 6) * 2


# Families ----------------------------------------------------------------------------------------


def counted(config, words):
    """The bytes, without a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return cache_bytes(config, tokens=words)


def test_a_shortened_card_of_a_family_with_states_takes_what_is_absent_from_its_class():
    """Qwen3.5 27B without `layer_types` and sizes of states, as sgl-project/ome shortens it."""
    config = dict(model_type="qwen3_5", num_hidden_layers=62, hidden_size=5120)
    config |= dict(num_attention_heads=24, num_key_value_heads=4)
    told = counted(config, 100_000)
    assert told.total == pair(15, 4, 256, 100_000) + delta(47, 16, 32, 128, 4) == 6_244_876_288
    assert "full_attention_interval is absent: 4, as in the class of qwen3_5" in told.notes
    assert told.notes[0].startswith(
        "as in the class of qwen3_5, where absent: head_dim 256, linear"
    )


@pytest.mark.parametrize("family", ["bert", "roberta", "modernbert", "electra"])
def test_an_encoder_is_refused_unless_it_says_that_it_decodes(family):
    with pytest.raises(ValueError, match=rf"^config must be that of a decoder, got .* {family}$"):
        cache_bytes(SIZES | dict(model_type=family, is_decoder=False), tokens=5)
    told = cache_bytes(SIZES | dict(model_type=family, is_decoder=True), tokens=5)
    assert told.total == pair(12, 2, 16, 5)


def test_a_model_of_states_alone_keeps_the_same_of_any_text():
    """Mamba-Codestral 7B, a Mamba-2, and Mamba 2.8B, as they are published for transformers."""
    two = dict(model_type="mamba2", num_hidden_layers=64, hidden_size=4096, num_heads=128)
    two |= dict(head_dim=64, state_size=128, n_groups=8, expand=2, conv_kernel=4)
    one = dict(model_type="mamba", num_hidden_layers=64, hidden_size=2560, state_size=16)
    one |= dict(intermediate_size=5120, expand=2, conv_kernel=4)
    by_hand = mamba(64, 128, 64, 128, 8, 4), 64 * 5120 * (16 * 4 + 3 * 2)
    for config, size in zip((two, one), by_hand, strict=True):
        assert counted(config, 5).total == counted(config, 100_000).total == size


def test_step_spells_groups_of_heads_and_those_of_its_windows():
    """Step 3.5 and 3.7 Flash, whose list of layers goes on with those that guess ahead."""
    config = dict(model_type="step3p5", num_hidden_layers=45, num_attention_heads=64, head_dim=128)
    config |= dict(num_attention_groups=8, sliding_window=512, num_nextn_predict_layers=3)
    config["layer_types"] = 12 * (["full_attention"] + 3 * ["sliding_attention"])
    other = dict(attention_type="sliding_attention", num_attention_heads=96, true_head_dim=128)
    config["attention_other_setting"] = other | dict(num_attention_groups=8, head_dim=128)
    by_hand = pair(12, 8, 128, 100_000) + pair(33, 8, 128, 512)
    assert counted(config, 100_000).total == by_hand == 4_984_406_016
    config["attention_other_setting"] |= dict(num_attention_groups=4)
    assert counted(config, 100_000).total == by_hand - pair(33, 4, 128, 512)


def test_ling_has_full_layers_once_in_a_group_and_states_as_wide_as_its_heads():
    """Ling 3.0 tiny, as its maker spells it."""
    config = dict(model_type="bailing_hybrid", num_hidden_layers=24, num_attention_heads=16)
    config |= dict(hidden_size=1536, head_dim=128, kv_lora_rank=512, qk_rope_head_dim=64)
    config |= dict(layer_group_size=4, short_conv_kernel_size=4, kda_lower_bound=-5.0)
    by_hand = 6 * (512 + 64) * 2 * 100_000 + delta(18, 16, 16, 128, 4)
    assert counted(config, 100_000).total == by_hand == 710_737_920
    del config["layer_group_size"]  # 6, as in its class
    assert [layer.kind for layer in counted(config, 1).layers].count("full") == 4


@pytest.mark.parametrize("listed", [True, False])
def test_trinity_has_its_full_layers_at_the_end_of_each_period(listed):
    """Trinity Mini, as its maker spells it, and as others shorten it, without the list."""
    config = dict(model_type="afmoe", num_hidden_layers=32, num_attention_heads=32, head_dim=128)
    config |= dict(hidden_size=2048, num_key_value_heads=4, sliding_window=2048)
    config |= dict(global_attn_every_n_layers=4, score_func="sigmoid", use_grouped_mm=True)
    config |= dict(num_expert_groups=1, num_limited_groups=1)
    if listed:
        config["layer_types"] = 8 * (3 * ["sliding_attention"] + ["full_attention"])
    by_hand = pair(8, 4, 128, 100_000) + pair(24, 4, 128, 2048)
    assert counted(config, 100_000).total == by_hand == 1_739_063_296


def test_a_size_of_0_is_as_good_as_absent():
    """DeepSeek-VL2 tiny, which has plain heads where others of its family have latents."""
    config = dict(model_type="deepseek_v2", num_hidden_layers=12, num_attention_heads=10)
    config |= dict(hidden_size=1280, num_key_value_heads=10, v_head_dim=0, use_mla=False)
    for latent in (None, 0, 512):
        assert (
            counted(config | dict(kv_lora_rank=latent), 1).total == pair(12, 10, 128, 1) == 61_440
        )


def test_a_note_says_how_large_numbers_of_a_state_were_taken():
    said = "numbers of a state take"
    for name, note in (
        ("qwen3.6-35b-a3b", f"{said} 4 bytes, as the config says"),
        ("kimi-k3", f"{said} 4 bytes, the config gives no dtype: float32, as usual"),
    ):
        assert note in kept(name, 5)[0].notes
    assert not [note for note in kept("qwen3-8b", 5)[0].notes if said in note]
    free = kept("kimi-k3", 5, bytes_per_number=dict(state=2))[0]
    assert free.total == 24 * (512 + 64) * 2 * 5 + delta(69, 96, 96, 128, 2)


def test_fields_that_keep_nothing_are_not_cried_at():
    fields = dict(qk_layernorm=True, use_parallel_residual=True, layerdrop=0.1, mup_enabled=True)
    fields |= dict(use_unified_vision_chunk=True, embedding_size=64, num_dense_layers=2)
    fields |= dict(normalization_function="rmsnorm")
    assert counted(SIZES | fields, 5).total == pair(12, 2, 16, 5)


# What goes in, and what comes out -----------------------------------------------------------------


def test_a_configuration_may_come_in_any_form(tmp_path):
    class Config:
        def to_dict(self):
            return read("gemma-3-27b")

    (tmp_path / "config.json").write_text(json.dumps(read("gemma-3-27b")), encoding="utf-8")
    forms = (read("gemma-3-27b"), tmp_path, str(tmp_path / "config.json"), Config())
    totals = {cache_bytes(form, tokens=3000).total for form in forms}
    assert totals == {BY_HAND["gemma-3-27b"](3000)}


def test_bytes_of_a_number_may_differ_by_part():
    layer = kept("deepseek-v3.2", 1, bytes_per_number=FP8)[0].layers[0]
    assert [piece.part for piece in layer.pieces] == ["latent", "rotary", "index"]
    assert [piece.bytes for piece in layer.pieces] == [512 + 4 * 4, 64 * 2, 128 + 4]
    half, whole = (kept("qwen3.6-35b-a3b", 100, bytes_per_number=size)[0] for size in (1, 2))
    states = [p for layer in half.layers for p in layer.pieces if p.part == "state"]
    assert all(piece.bytes == 4 * piece.numbers for piece in states) and len(states) == 30
    assert "numbers of a state take 4 bytes" in half.notes[0]
    four = sum(piece.bytes for piece in states)
    assert whole.total - four == 2 * (half.total - four)
    free = kept("qwen3.6-35b-a3b", 100, bytes_per_number=dict(state=2))[0]
    assert free.total == whole.total - four // 2
    for part in PARTS:
        assert cache_bytes(SIZES, tokens=9, bytes_per_number={part: 2}).total == 9 * 12 * 64 * 2


def test_part_of_a_byte_is_a_byte():
    """10 numbers of 1.3 bytes are 7 bytes of keys and 7 of values."""
    small = dict(num_hidden_layers=1, num_attention_heads=1, head_dim=5, hidden_size=5)
    assert cache_bytes(small, tokens=1, bytes_per_number=1.3).total == 14


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
    words, sizes = 20, dict(num_hidden_layers=3, num_attention_heads=4, hidden_size=32)
    for options, fields in (
        (dict(num_kv_heads=2), dict(num_key_value_heads=2)),
        (dict(window=7), dict(model_type="mistral", sliding_window=7)),
        (
            dict(attention=LatentAttention, latent_dim=12, rope_dim=4),
            dict(kv_lora_rank=12, qk_rope_head_dim=4),
        ),
    ):
        model = Decoder(9, 32, num_layers=3, num_heads=4, positions="rotary", **options)
        cache = Cache(model, max_len=words)
        held = cache.keys.nbytes + cache.values.nbytes
        size = torch.float32.itemsize
        assert cache_bytes(sizes | fields, tokens=words, bytes_per_number=size).total == held


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({}, r"^config must give num_hidden_layers or n_layer "),
        (SIZES | dict(num_hidden_layers="12"), r"^config: num_hidden_layers must be an integer"),
        (SIZES | dict(num_hidden_layers=10**9), r"^config must have at most 1,000,000 layers"),
        (SIZES | dict(layer_types=["full_attention"]), r"^config must have 12 entries in layer_t"),
        (SIZES | dict(sliding_window_pattern=2), r"^config must give sliding_window or "),
        (SIZES | dict(full_attention_interval=4), r"^config must give the sizes of the states"),
        (SIZES | dict(linear_attn_config=3), r"^config: linear_attn_config must hold fields"),
        (SIZES | dict(is_encoder_decoder=True), r"^config must be that of a decoder"),
        (SIZES | dict(block_configs=[{}]), r"^config: block_configs must each have attention"),
        (dict(num_hidden_layers=2), r"^config must give hidden_size or n_embd"),
        ({3: 4}, r"^config must be a dict, the path"),
    ],
)
def test_a_configuration_that_says_too_little_is_refused(config, message):
    with pytest.raises(ValueError, match=message):
        cache_bytes(config, tokens=5)


def test_a_file_that_is_none_is_refused(tmp_path):
    for path in (tmp_path / "nowhere.json", tmp_path):
        with pytest.raises(ValueError, match=r"^config must be a dict, the path .*No such file"):
            cache_bytes(path, tokens=5)
    (tmp_path / "config.json").write_text("[1", encoding="utf-8")
    with pytest.raises(ValueError, match=r"^config must be a dict, the path .*delimiter"):
        cache_bytes(tmp_path, tokens=5)


def test_attention_may_stand_twice_in_a_layer():
    """LongCat-Flash, as its class in transformers 5.23 gives it: 28 layers of two attentions."""
    config = dict(model_type="longcat_flash", num_layers=28, num_attention_heads=64)
    config |= dict(hidden_size=6144, kv_lora_rank=512, qk_rope_head_dim=64)
    found = cache_bytes(config, tokens=32_768)
    assert found.total == 56 * (512 + 64) * 2 * 32_768 == 2016 * 2**20
    assert "attention stands twice in each of num_layers" in found.notes
