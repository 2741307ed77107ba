"""How many bytes a model keeps of a text, read off its config.json (chapter 10).

Every family of models spells it its own way. What a field means stands in tables: NAMES has the
spellings of a size, PATTERNS, INDICES and PERIODS those of which layer is of which kind. What
stands in none of them is named in a warning.
"""

import json
import math
import os
import re
import warnings
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from d2lattn.arguments import check_count, check_number, show

# Kinds of layers, and what they keep of n words.
FULL, WINDOW, CHUNK = "full", "window", "chunk"  # a row for each, for the last W, for n of a chunk
INDEXED = "full, indexed"  # as full, and a key for an indexer
PACKED, THINNED = "compressed, indexed", "compressed"  # a window, and a row for several words
STATE, CONV, BOTH = "state", "convolution", "full and state"  # what does not grow
NOTHING, SHARED = "nothing", "shared"  # an MLP alone, and a layer that reads another one's cache

PARTS = ("keys", "values", "latent", "rotary", "index", "state", "conv")

# A size: its spellings, of which the first that is there and not null counts.
NAMES = {
    "layers": "num_hidden_layers n_layer n_layers num_layers",
    "width": "hidden_size n_embd d_model",
    "heads": "num_attention_heads n_head n_heads num_heads",
    "kv_heads": "num_key_value_heads num_kv_heads attn_config.kv_n_heads multi_query_group_num",
    "head_dim": "head_dim attention_head_dim kv_channels",
    "value_dim": "v_head_dim",
    "latent": "kv_lora_rank",
    "rotary": "qk_rope_head_dim",
    "index": "index_head_dim sparse_attention_config.sparse_index_dim",
    "window": "sliding_window attention_window_size sliding_window_size",
    "chunk": "attention_chunk_size",
    "window_kv_heads": "swa_num_key_value_heads",
    "window_head_dim": "swa_head_dim",
    "window_value_dim": "swa_v_head_dim",
    "full_kv_heads": "num_global_key_value_heads",
    "full_head_dim": "global_head_dim",
    "shared": "num_kv_shared_layers",
    "packed": "compress_rates.compressed_sparse_attention compress_rate_csa",
    "thinned": "compress_rates.heavily_compressed_attention compress_rate_hca",
    # what does not grow: delta rules, Mamba-2 and Mamba, a short convolution, an RG-LRU
    "delta_heads": "linear_num_value_heads",
    "delta_value_dim": "linear_value_head_dim",
    "delta_key_heads": "linear_num_key_heads",
    "delta_key_dim": "linear_key_head_dim",
    "kda_heads": "linear_attn_config.num_heads linear_num_heads",
    "kda_dim": "linear_attn_config.head_dim linear_head_dim",
    "mamba_heads": "mamba_num_heads mamba_n_heads",
    "mamba_dim": "mamba_head_dim mamba_d_head",
    "mamba_state": "ssm_state_size mamba_d_state",
    "mamba_groups": "n_groups mamba_n_groups",
    "mamba_inner": "mamba_d_ssm",
    "mamba_expand": "mamba_expand expand",
    "lru": "lru_width",
    "kernel": "linear_conv_kernel_dim linear_attn_config.short_conv_kernel_size conv_kernel "
    "mamba_d_conv conv_L_cache conv1d_width",
    "state_dtype": "mamba_ssm_dtype mamba_ssm_cache_dtype",
}
BY_NAME = {
    **dict.fromkeys(("full_attention", "attention", "indexed_attention"), FULL),
    **dict.fromkeys(("linear_attention", "mamba"), STATE),
    **dict.fromkeys(("moe", "mlp"), NOTHING),
    **dict(sliding_attention=WINDOW, chunked_attention=CHUNK, conv=CONV),
    **dict(minimax_m3_sparse=INDEXED, compressed_sparse_attention=PACKED),
    **dict(heavily_compressed_attention=THINNED),
}
# An entry for each layer, in a list or a word: what an entry stands for.
PATTERNS: dict[str, Mapping[Any, str]] = {
    "layer_types": BY_NAME,
    "layers_block_type": BY_NAME,
    "block_types": {"recurrent": STATE, "attention": WINDOW},
    "hybrid_override_pattern": {"M": STATE, "*": FULL, "-": NOTHING, "E": NOTHING},
    "sliding_window_pattern": {"L": WINDOW, "G": FULL},
    "hybrid_layer_pattern": {0: FULL, 1: WINDOW},
    "attn_type_list": {0: STATE, 1: FULL},
    "compress_ratios": {0: WINDOW, 4: PACKED, 128: THINNED},
    "sparse_attention_config.sparse_attention_freq": {0: FULL, 1: INDEXED},
    "no_rope_layers": {0: FULL, 1: CHUNK},
}
REPEATED = ("block_types", "sliding_window_pattern")  # written once, and then again and again
# The numbers of some layers: how the first layer is counted, their kind, that of all others.
INDICES = {
    "attn_layer_indices": (0, FULL, STATE),
    "full_attn_idxs": (0, FULL, CONV),
    "linear_attn_config.full_attn_layers": (1, FULL, STATE),
}
# One layer in so many, the last of them if no offset is given: its kind, that of the others.
PERIODS = {
    "attn_layer_period": (FULL, STATE),
    "full_attention_interval": (FULL, STATE),
    "sliding_window_pattern": (FULL, WINDOW),
    "no_rope_layer_interval": (FULL, CHUNK),
}
# Fields that some families leave out, and the value that their class in transformers has then.
DEFAULTS = {
    "gemma2": ("sliding_window_pattern", 2),
    "gemma3": ("sliding_window_pattern", 6),
    "gemma3_text": ("sliding_window_pattern", 6),
    "cohere2": ("sliding_window_pattern", 4),
    "llama4_text": ("no_rope_layer_interval", 4),
    "qwen3_next": ("full_attention_interval", 4),
}
WINDOWS_EVERYWHERE = ("mistral", "mixtral", "phi3", "starcoder2")  # if sliding_window is given
PARALLEL = ("falcon_h1",)  # a state beside attention in every layer
LIGHTNING = ("minimax", "minimax_text_01")  # a state of each head, of its width by its width
ONE_HEAD = ("falcon", "gpt_bigcode")  # where multi_query goes before the number of heads of keys
TEXT = ("text_config", "language_config", "llm_config")  # where a model of more than text has it
FLAT = ("attn_config", "linear_attn_config", "sparse_attention_config", "compress_rates")
STATES = ("delta_heads", "kda_heads", "mamba_state", "lru")  # one of which says how large
DTYPES = {"float32": 4, "bfloat16": 2, "float16": 2}
FLAGS = """multi_query multi_query_attention new_decoder_architecture use_sliding_window
    max_window_layers attn_layer_offset indexer_types index_topk_freq index_skip_topk_offset
    index_topk_pattern block_configs per_layer_config attention_k_eq_v quantization_config""".split()
READ = {*" ".join(NAMES.values()).split(), *PATTERNS, *INDICES, *PERIODS, *TEXT, *FLAT, *FLAGS}

# Fields without influence on what is kept: by parts of their names, and one by one.
WITHOUT = re.compile(
    r"(.*_)?(token_id|token_ids|token_index|dtype|act|bias|scale|scaling|norm|pdrop|prenorm)(_.*)?"
    r"|(min_|max_)?(vision|image|video|audio|boi|eoi|mm|media|projector|encoder|tile)(_.*)?"
    r"|(.*_)?(experts?|moe|routers?|routed|mlp|mtp|ffn|ff|swiglu|gegelu|intermediate|nextn)(_.*)?"
    r"|(.*_)?(rope|rotary|alibi|position|positions|mrope|dropout|init|initializer|softcapping)(_.*)?"
    r"|.*(_multipliers?|_activation|_penalty|_tiles|_tolerance|_embeddings|eps|epsilon|_vocab_size)"
    r"|(activation|altup|auto_map|architectures|summary|time_step|vocab|tokenizer|torch)(_.*)?"
)
HARMLESS = set(
    """model_type transformers_version _name_or_path name_or_path return_dict use_cache seq_aux
    tie_word_embeddings pretraining_tp ep_size max_seq_len max_length min_length model_max_length
    n_ctx n_positions seq_length initial_context_length id2label label2id attn_implementation _attn_implementation_autoset cache_implementation
    index_n_heads index_topk index_share_for_mtp_iteration q_lora_rank qk_nope_head_dim qk_head_dim o_lora_rank o_groups
    first_k_dense_replace decoder_sparse_step aux_loss_alpha n_group topk_group topk_method
    num_topk_group scoring_func norm_topk_prob use_grouped_topk hc_mult hc_sinkhorn_iters
    num_hash_layers query_pre_attn_scalar qk_norm_type use_qk_norm use_gemma_norm logits_soft_cap
    attn_output_gate attention_output_gate mla_use_output_gate mla_use_nope attn_res_block_size
    swa_num_attention_heads hidden_size_per_layer_input use_bidirectional_attention laurel_rank
    use_double_wide_mlp block_size block_dim block_ff_dim block_multiple_of conv_dim conv_dim_out
    block_auto_adjust_ff_dim block_use_swiglu block_use_xavier_init conv_use_xavier_init
    full_attn_alpha_factor full_attn_beta_factor linear_attn_alpha_factor linear_attn_beta_factor
    chunk_size mamba_chunk_size chunk_size_feed_forward mamba_dt_rank mamba_rms_norm parallel_attn
    use_mamba_kernels z_loss_coefficient expansion_ratio learned_pos_emb embedding_fraction
    use_pos_enc use_dynamic_ntk use_flash_attn use_logn_attn scale_attn_weights scoring_func
    scale_attention_softmax_in_fp32 attention_softmax_in_fp32 reorder_and_upcast_attn no_bias
    apply_query_key_layer_scaling post_layer_norm original_rope rmsnorm num_logits_to_keep
    fp32_residual_connection pad_sequence_to_multiple_of_64 task_specific_params ignore_index
    use_image_special_tokens use_associative_scan attn_temperature_tuning attn_scale floor_scale
    _sliding_window_pattern do_sample do_image_splitting downsample_factor use_thumbnail interleave_moe_layer_step
    temperature top_k top_p typical_p num_beams num_beam_groups num_return_sequences pruned_heads
    no_repeat_ngram_size length_penalty is_encoder_decoder attn_config.attn_type
    attn_config.attn_impl attn_config.alibi_bias_max linear_attn_config.kda_layers
    linear_attn_config.gate_lower_bound linear_attn_config.use_full_rank_gate
    sparse_attention_config.sparse_block_size sparse_attention_config.sparse_local_block
    sparse_attention_config.sparse_num_index_heads sparse_attention_config.sparse_topk_blocks
    sparse_attention_config.sparse_score_type sparse_attention_config.use_sparse_attention
    sparse_attention_config.sparse_disable_index_value""".split()
)


class Piece(NamedTuple):
    """Rows of numbers that a layer keeps: `part` is one of PARTS."""

    part: str
    rows: int
    numbers: int
    bytes: int


class Layer(NamedTuple):
    """A layer and what it keeps: nothing, if it has no pieces."""

    kind: str
    pieces: tuple[Piece, ...]

    @property
    def bytes(self) -> int:
        return sum(piece.bytes for piece in self.pieces)


class CacheBytes(NamedTuple):
    """What `cache_bytes` returns. Printed it is a table, with equal layers in one row.

    Attributes:
        words (int): of how many words it is kept.
        layers: a `Layer` each, with its `kind`, its `bytes`, and its `pieces` (part, rows,
            numbers of a row, bytes).
        notes: what was taken from elsewhere than the fields, in words.
        unknown: names of fields that were not understood.
        total (int): the bytes of all layers.
    """

    words: int
    layers: tuple[Layer, ...]
    notes: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        return sum(layer.bytes for layer in self.layers)

    def __str__(self) -> str:
        places: dict[Layer, list[int]] = {}
        for place, layer in enumerate(self.layers):
            places.setdefault(layer, []).append(place)
        rows = [("layers", "kind", "kept of each: rows × numbers", "bytes of all")]
        for layer, where in places.items():
            kept = ", ".join(f"{p.rows:,} × {p.numbers:,} {p.part}" for p in layer.pieces)
            rows.append((_span(where), layer.kind, kept or "–", f"{len(where) * layer.bytes:,}"))
        rows.append(
            ("", "", f"{self.words:,} words, {self.total / 2**20:,.1f} MiB", f"{self.total:,}")
        )
        wide = [max(len(row[i]) for row in rows) for i in range(4)]
        lines = [
            f"{a:{wide[0]}}  {b:{wide[1]}}  {c:{wide[2]}}  {d:>{wide[3]}}".rstrip()
            for a, b, c, d in rows
        ]
        said = [f"note: {note}" for note in self.notes]
        said += [f"not understood: {', '.join(self.unknown)}"] if self.unknown else []
        return "\n".join(lines + said)

    __repr__ = __str__


def cache_bytes(
    config: Any, *, words: int, bytes_per_number: float | Mapping[str, float] = 2
) -> CacheBytes:
    """The bytes that a decoder keeps of a text of so many words, layer by layer.

    total = Σ over layers Σ over pieces rows · numbers · bytes of a number

    A layer with attention keeps a row for each word: keys and values, 2 · Hkv · D numbers (or
    Hkv · (D + Dv)), or a latent and the rotary part beside it, C + R (DeepSeek-AI 2024, section
    2.1). With a window of W it keeps min(words, W) rows. An indexer keeps one key more. A layer
    with a state keeps it once, and the last kernel - 1 rows before a short convolution. A layer
    that compresses keeps a window and words // m rows. It is what must be kept of one sequence: a
    server rounds up to pages, may not honour windows, and copies latents to every device.

    Args:
        config: a config.json as it is: a dict, the path of the file or of its folder, or a config
            of transformers (an object with `to_dict`).
        words (int): tokens of the text.
        bytes_per_number: of all parts, or a dict of those that differ from 2: "keys", "values",
            "latent", "rotary", "index", "state", "conv". Scales count as parts of a byte: DeepSeek
            serves its latents in fp8 with a float32 for 128 numbers, and the keys of its indexer,
            dict(latent=1 + 4 / 128, index=1 + 4 / 128), 656 and 132 bytes. States take what the
            file says (`mamba_ssm_dtype`) unless they stand in a dict.

    Returns:
        CacheBytes: `total`, `layers`, `notes`, `unknown`; it prints as a table.

    Warns of fields that it does not know. Where a pattern of layers is not understood all words
    are counted, the most that it can be. Time and memory: O(layers).

    Example:
        >>> llama = dict(num_hidden_layers=32, num_attention_heads=32, hidden_size=4096)
        >>> llama["num_key_value_heads"] = 8
        >>> cache_bytes(llama, words=1024).total == 1024 * 32 * 2 * 8 * 128 * 2
        True
        >>> print(cache_bytes(llama, words=1024, bytes_per_number=1))
        layers  kind  kept of each: rows × numbers              bytes of all
        0-31    full  1,024 × 1,024 keys, 1,024 × 1,024 values    67,108,864
                      1,024 words, 64.0 MiB                       67,108,864
    """
    card = _Card(_read(config))
    check_count("words", words)
    sizes = _sizes(card, bytes_per_number)
    kinds = _kinds(card)
    if not {STATE, BOTH} & {*kinds}:  # sizes of a state, and no layer is known to have one
        card.puzzles += [card.find(size)[0] for size in STATES if card.get(size)]
    shared = card.count("shared", 0, least=0)
    kinds[len(kinds) - shared :] = [SHARED] * min(shared, len(kinds))
    layers = []
    for i, kind in enumerate(kinds):
        pieces = [
            Piece(part, rows, numbers, math.ceil(rows * numbers * sizes[part]))
            for part, rows, numbers in _pieces(card, i, kind, words, kinds)
        ]
        layers.append(Layer(kind, tuple(piece for piece in pieces if piece.bytes)))
    unknown = card.unknown()
    if unknown:
        warnings.warn(
            f"config has fields that cache_bytes does not know: {', '.join(unknown)}. If one of "
            "them changes what is kept, the count is wrong",
            stacklevel=2,
        )
    return CacheBytes(words, tuple(layers), tuple(card.notes), unknown)


# Reading ------------------------------------------------------------------------------------------


def _read(config: Any) -> Mapping[str, Any]:
    """The fields of a config.json, however it comes."""
    rule = "config must be a dict, the path of a config.json, or have a method to_dict"
    found = config
    if isinstance(config, (str, os.PathLike)):
        path = os.path.join(config, "config.json") if os.path.isdir(config) else config
        try:
            with open(path, encoding="utf-8") as file:
                found = json.load(file)
        except (OSError, ValueError) as error:
            raise ValueError(f"{rule}, got {show(config)}: {error}") from None
    elif hasattr(config, "to_dict") and not isinstance(config, type):
        found = config.to_dict()
    if not isinstance(found, Mapping) or not all(isinstance(name, str) for name in found):
        raise ValueError(f"{rule}, got {show(config)}")
    return found


class _Card:
    """The fields of the model of text, those of FLAT under dotted names, and what is said of them."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        text = next((config[name] for name in TEXT if isinstance(config.get(name), Mapping)), {})
        self.fields = {**config, **text}
        for name in FLAT:
            inner = self.fields.get(name)
            if isinstance(inner, Mapping):
                self.fields |= {f"{name}.{key}": value for key, value in inner.items()}
        self.type = self.fields.get("model_type")
        self.notes: list[str] = []
        self.puzzles: list[str] = []
        own = self.fields.get("per_layer_config") or {}
        self.layers = {int(place): dict(fields) for place, fields in own.items()}
        told = set().union(*self.layers.values()) - READ
        self.puzzles += [f"per_layer_config: {field}" for field in sorted(told)]
        if self.fields.get("is_encoder_decoder"):
            raise ValueError("config must be that of a decoder, got is_encoder_decoder True")

    def find(self, name: str, layer: int | None = None) -> tuple[str, Any]:
        """The first spelling that is there and not null, and what it says, of a layer if asked."""
        spellings = NAMES.get(name, name).split()
        own = self.layers.get(layer, {})
        for fields in (own, self.fields):
            for field in spellings:
                value = fields.get(field)
                if isinstance(value, (list, tuple)) and layer is not None and layer < len(value):
                    value = value[layer]
                if value is not None:
                    return field, value
        return " or ".join(spellings), None

    def get(self, name: str) -> Any:
        return self.find(name)[1]

    def count(
        self, name: str, default: int | None = None, layer: int | None = None, least: int = 1
    ) -> int:
        """The same, which must be an integer."""
        field, value = self.find(name, layer)
        if value is None and default is None:
            raise ValueError(f"config must give {field}, got neither it nor another name of it")
        value = default if value is None else value
        check_count(f"config: {field}", value, least)
        return int(value)

    def unknown(self) -> tuple[str, ...]:
        """Fields that say something and stand in no table."""
        said = {k: v for k, v in self.fields.items() if v not in (None, False, "", [], {})}
        known = READ | HARMLESS
        known = known | {f"{name}.{field}" for name in FLAT for field in HARMLESS}
        strange = [k for k in said if k not in known and not WITHOUT.fullmatch(k.split(".")[-1])]
        return tuple(sorted({*self.puzzles, *strange}))


def _sizes(card: _Card, given: Any) -> dict[str, float]:
    """Bytes of a number, by part."""
    sizes: dict[str, float] = dict.fromkeys(PARTS, 2.0)
    if isinstance(given, Mapping):
        for part, size in given.items():
            if part not in PARTS:
                raise ValueError(f"bytes_per_number must have parts of {PARTS}, got {show(part)}")
            sizes[part] = check_number(f"bytes_per_number of {part}", size, least=0)
    else:
        sizes = dict.fromkeys(PARTS, check_number("bytes_per_number", given, least=0))
    stated = DTYPES.get(str(card.get("state_dtype")))
    if stated and not (isinstance(given, Mapping) and "state" in given):
        sizes["state"] = stated
        card.notes.append(f"numbers of a state take {stated} bytes, as the config says")
    scheme = (card.fields.get("quantization_config") or {}).get("kv_cache_scheme")
    if scheme:
        card.notes.append(f"the config asks for a cache of {scheme.get('num_bits')} bits a number")
    return sizes


# Which layer is of which kind ---------------------------------------------------------------------


def _kinds(card: _Card) -> list[str]:
    """A kind for each layer: by the first spelling that the config has."""
    if isinstance(card.get("block_configs"), list):
        return [_searched(card, block) for block in card.get("block_configs")]
    for field, table in PATTERNS.items():
        entries = card.get(field)
        if not isinstance(entries, (list, str)) or not entries or not _counts(card, field):
            continue
        layers = card.count("layers", len(entries))
        if field in REPEATED:
            entries = [entries[i % len(entries)] for i in range(layers)]
        if len(entries) < layers:
            raise ValueError(f"config must have {layers} entries in {field}, got {len(entries)}")
        return [_kind(card, field, entry, table) for entry in entries[:layers]]
    layers = card.count("layers")
    for field, (first, some, others) in INDICES.items():
        places = card.get(field)
        if places:
            return [some if i + first in places else others for i in range(layers)]
    for field, (one, others) in PERIODS.items():
        if card.get(field) is not None and _counts(card, field):
            return _periodic(layers, one, others, card.count(field), card.get("attn_layer_offset"))
    if card.type in DEFAULTS:
        field, period = DEFAULTS[card.type]
        card.notes.append(f"{field} is absent: {period}, as in the class of {card.type}")
        return _periodic(layers, *PERIODS[field], period)
    return _windows(card, layers)


def _kind(card: _Card, field: str, entry: Any, table: Mapping[Any, str]) -> str:
    if isinstance(entry, (str, int)) and entry in table:
        return table[entry]
    card.puzzles.append(f"{field}: {entry!r}")
    return FULL


def _counts(card: _Card, field: str) -> bool:
    """Layers without rotary places look into chunks only in models that have chunks."""
    return not field.startswith("no_rope") or card.get("chunk") is not None


def _periodic(
    layers: int, one: str, others: str, period: int, offset: int | None = None
) -> list[str]:
    last = period - 1 if offset is None else offset
    return [one if i % period == last else others for i in range(layers)]


def _windows(card: _Card, layers: int) -> list[str]:
    """Without a pattern: a window in all layers, in the last ones, or in none."""
    if card.type in PARALLEL:
        return [BOTH] * layers
    if card.get("window") is None or card.get("use_sliding_window") is False:
        return [FULL] * layers
    if card.get("use_sliding_window"):
        whole = card.count("max_window_layers", 0, least=0)
        return [FULL if i < whole else WINDOW for i in range(layers)]
    if card.type in WINDOWS_EVERYWHERE:
        return [WINDOW] * layers
    card.puzzles.append("sliding_window, without a pattern of layers")
    return [FULL] * layers


def _searched(card: _Card, block: Mapping[str, Any]) -> str:
    """A layer of a model whose layers were searched one by one (Nemotron)."""
    attention = block.get("attention", {})
    told = {k for k, v in attention.items() if v} - {"n_heads_in_group", "no_op"}
    told -= {"replace_with_linear"}
    card.puzzles += [f"block_configs: {name}" for name in sorted(told)]
    return NOTHING if attention.get("no_op") or attention.get("replace_with_linear") else FULL


# What a layer keeps -------------------------------------------------------------------------------

Kept = Iterable[tuple[str, int, int]]  # part, rows, numbers of a row


def _pieces(card: _Card, layer: int, kind: str, words: int, kinds: list[str]) -> Kept:
    if kind in (FULL, INDEXED, BOTH):
        yield from _rows(card, layer, words, "full" if WINDOW in kinds else "")
        if kind == INDEXED or (card.get("latent") and card.get("index") and _indexes(card, layer)):
            yield "index", words, card.count("index")
    if kind in (WINDOW, CHUNK):
        seen = min(words, card.count("window" if kind == WINDOW else "chunk"))
        packs = PACKED in kinds or THINNED in kinds
        yield from _one_row(card, seen) if packs else _rows(card, layer, seen, kind)
    if kind in (PACKED, THINNED):
        name, usual = ("packed", 4) if kind == PACKED else ("thinned", 128)
        blocks = words // card.count(name, usual)
        yield from _one_row(card, min(words, card.count("window")))
        yield from _one_row(card, blocks)
        if kind == PACKED:
            yield "index", blocks, card.count("index")
    if kind in (STATE, BOTH):
        state, channels, kernel = _state(card)
        yield "state", 1, state
        yield "conv", kernel - 1, channels
    if kind == CONV:
        yield "conv", card.count("kernel") - 1, card.count("width")


def _rows(card: _Card, layer: int, rows: int, of: str) -> Kept:
    """Keys and values, or latents; `of` is the kind whose heads may differ from the others'."""
    if card.get("latent"):
        yield "latent", rows, card.count("latent")
        yield "rotary", rows, card.count("rotary")
        return
    dim = card.count(f"{of}_head_dim", _head_dim(card, layer))
    value = card.count(f"{of}_value_dim", card.count("value_dim", dim))
    heads = card.count(f"{of}_kv_heads", _kv_heads(card, layer))
    yield "keys", rows, heads * dim
    yield "values", rows, heads * value


def _one_row(card: _Card, rows: int) -> Kept:
    """A row that is key and value of all heads at once."""
    yield "latent", rows, card.count("head_dim")


def _head_dim(card: _Card, layer: int) -> int:
    if card.get("head_dim") is not None:
        return card.count("head_dim", layer=layer)
    return card.count("width") // card.count("heads", layer=layer)


def _kv_heads(card: _Card, layer: int) -> int:
    heads = card.count("heads", layer=layer)
    blocks = card.get("block_configs")
    if blocks:
        return heads // (blocks[layer]["attention"]["n_heads_in_group"] or heads)
    if card.type in ONE_HEAD and not card.get("new_decoder_architecture"):
        return 1 if card.get("multi_query") else heads
    if card.get("multi_query_attention") is False:
        return heads
    return card.count("kv_heads", heads, layer=layer)


def _indexes(card: _Card, layer: int) -> bool:
    """Whether this layer has an indexer, and does not use what another one's chose."""
    types = card.get("indexer_types") or card.get("index_topk_pattern")
    if types:
        return types[layer] in ("full", "F")
    first = card.count("index_skip_topk_offset", 2, least=0)
    return max(layer - first + 1, 0) % card.count("index_topk_freq", 1) == 0


def _state(card: _Card) -> tuple[int, int, int]:
    """Numbers of a state, channels of the convolution before it, and its kernel."""
    if card.get("delta_heads"):  # Gated DeltaNet
        heads, dim = card.count("delta_heads"), card.count("delta_key_dim")
        values = heads * card.count("delta_value_dim")
        return values * dim, values + 2 * card.count("delta_key_heads") * dim, card.count("kernel")
    if card.get("kda_heads"):  # Kimi Delta Attention
        heads, dim = card.count("kda_heads"), card.count("kda_dim")
        return heads * dim**2, 3 * heads * dim, card.count("kernel")
    if card.get("mamba_state"):
        width = card.count("width") * card.count("mamba_expand", 2)
        state, groups = card.count("mamba_state"), 0
        if card.get("mamba_heads"):  # Mamba-2
            inner, heads = card.count("mamba_inner", width), card.count("mamba_heads")
            told = card.get("mamba_dim")
            width = inner if told in (None, "auto") else heads * card.count("mamba_dim")
            groups = card.count("mamba_groups", 1)
        return width * state, width + 2 * groups * state, card.count("kernel")
    if card.get("lru"):
        return card.count("lru"), card.count("lru"), card.count("kernel")
    if card.type in LIGHTNING:
        return card.count("heads") * _head_dim(card, 0) ** 2, 0, 1
    raise ValueError("config must give the sizes of the states of its linear layers, got none")


def _span(places: list[int]) -> str:
    """0-3, 5, 7-8: at most four runs."""
    runs: list[list[int]] = []
    for place in places:
        if runs and place == runs[-1][1] + 1:
            runs[-1][1] = place
        else:
            runs.append([place, place])
    said = [str(a) if a == b else f"{a}-{b}" for a, b in runs]
    if len(said) > 4:
        said = [*said[:2], "…", said[-1], f"({len(places)})"]
    return ", ".join(said).replace(", …,", " …").replace(", (", " (")
