"""How a config.json spells what a cache depends on (`cache_bytes` counts with it).

Every family of models has its own spelling. NAMES has those of a size; PATTERNS and PERIODS those
of which layer is of which kind; WITHOUT and HARMLESS the fields that have no influence on what is
kept, and REFUSED those of families that are not counted.
"""

import re
from collections.abc import Mapping
from typing import Any

# Kinds of layers, and what they keep of n tokens.
FULL, WINDOW = "full", "window"  # a row for each, for the last W
PACKED, THINNED = "compressed, indexed", "compressed"  # a window, and a row for several tokens
STATE, SHARED = "state", "shared"  # what does not grow, and a layer that reads another one's cache

PARTS = ("keys", "values", "latent", "rotary", "index", "state", "conv")

# A size: its spellings, of which the first that is there and not null counts.
NAMES = {
    "layers": "num_hidden_layers n_layer",
    "width": "hidden_size n_embd",
    "heads": "num_attention_heads n_head",
    "kv_heads": "num_key_value_heads",
    "value_dim": "v_head_dim",
    "latent": "kv_lora_rank",
    "rotary": "qk_rope_head_dim",
    "index": "index_head_dim",
    "index_pool": "index_kpool",
    "window": "sliding_window sliding_window_size",
    "full_kv_heads": "num_global_key_value_heads",
    "full_head_dim": "global_head_dim",
    "shared": "num_kv_shared_layers",
    "packed": "compress_rates.compressed_sparse_attention compress_ratios",
    "thinned": "compress_rates.heavily_compressed_attention compress_ratios",
    "delta_heads": "linear_num_value_heads",
    "delta_value_dim": "linear_value_head_dim",
    "delta_key_heads": "linear_num_key_heads",
    "delta_key_dim": "linear_key_head_dim",
    "kda_heads": "linear_attn_config.num_heads linear_num_heads",
    "kda_dim": "linear_attn_config.head_dim linear_head_dim",
    "kernel": "linear_conv_kernel_dim linear_attn_config.short_conv_kernel_size",
    "state_dtype": "mamba_ssm_dtype",
}
STATES = ("delta_heads", "kda_heads")
# An entry for each layer: what an entry stands for.
PATTERNS: dict[str, Mapping[Any, str]] = {
    "layer_types": {
        "full_attention": FULL,
        "indexed_attention": FULL,
        "sliding_attention": WINDOW,
        "linear_attention": STATE,
        "compressed_sparse_attention": PACKED,
        "heavily_compressed_attention": THINNED,
    },
    "compress_ratios": {0: WINDOW, 1: PACKED, 2: PACKED, 4: PACKED, 128: THINNED},
}
WHOLE_LAYERS = "linear_attn_config.full_attn_layers"
# One layer in so many, the last of them, is full: the kind of the others, and the number that the
# class of a family in transformers has where the file has none.
PERIODS = {"full_attention_interval": STATE, "sliding_window_pattern": WINDOW}
DEFAULTS = {"sliding_window_pattern": {"gemma2": 2, "gemma3": 6, "gemma3_text": 6}}
WINDOWS_EVERYWHERE = ("mistral", "mixtral", "phi3", "starcoder2")  # if sliding_window is given
TEXT = ("text_config", "language_config", "llm_config")  # where a model of more than text has it
FLAT = ("linear_attn_config", "compress_rates")
DTYPES = {"float32": 4, "bfloat16": 2, "float16": 2}
_FLAGS = """head_dim use_sliding_window max_window_layers indexer_types index_topk_freq
    index_skip_topk_offset attention_k_eq_v quantization_config kv_source_layers
    kv_source_layer_ids add_cross_attention"""
READ = {*" ".join(NAMES.values()).split(), *PATTERNS, WHOLE_LAYERS, *PERIODS, *TEXT, *FLAT}
READ |= {*_FLAGS.split()}
ENCODERS = ("albert", "bert", "deberta", "deberta-v2", "distilbert", "electra", "modernbert")
ENCODERS += ("roberta", "xlm-roberta")  # they keep nothing, unless `is_decoder` says otherwise
REFUSED = re.compile(
    r"(mamba|ssm|lru|rwkv|retention|conv|time_mix)_.*|state_size|(hybrid|block)_.*|.*_block_type"
    r"|block_configs|attn_(layer|type|config).*|n_layers|num_layers|d_model|multi_query.*"
    r"|new_decoder_architecture|attention_chunk_size|sparse_attention_config|per_layer_config"
    r"|model_type mimo_v2_flash"
)

# Fields without influence on what is kept: by parts of their names, and one by one.
WITHOUT = re.compile(
    r"(.*_)?(token_id|token_ids|token_index|dtype|act|bias|scale|scaling|norm|pdrop|prenorm)(_.*)?"
    r"|(min_|max_)?(vision|image|video|audio|boi|eoi|mm|media|projector|encoder|tile|patch)(_.*)?"
    r"|(candidate|dspark|engram|spatial_merge|projection_hidden)(_.*)?"
    r"|(.*_)?(experts?|moe|routers?|routed|mlp|mtp|ffn|ff|swiglu|gegelu|intermediate|nextn)(_.*)?"
    r"|(.*_)?(rope|rotary|alibi|position|positions|mrope|dropout|init|initializer|softcapping)(_.*)?"
    r"|.*(_multipliers?|_activation|_penalty|_tiles|_tolerance|_embeddings|eps|epsilon|_vocab_size)"
    r"|(activation|altup|auto_map|architectures|summary|time_step|vocab|tokenizer|torch)(_.*)?"
)
_HARMLESS = """
    _attn_implementation_autoset _name_or_path attn_implementation attn_output_gate
    attn_res_block_size attn_temperature_tuning aux_loss_alpha aux_loss_coef bf16
    cache_implementation chunk_size_feed_forward decoder_sparse_step do_sample early_stopping
    embedding_size ep_size first_k_dense_replace fp16 fp32 hc_mult hc_sinkhorn_iters
    hidden_size_per_layer_input id2label ignore_index index_kpool_always_select_tail
    index_n_heads index_source_layer_ids index_topk initial_context_length is_decoder
    is_encoder_decoder label2id layerdrop linear_lower_bound logits_soft_cap max_length
    max_seq_len min_length mla_use_nope mla_use_output_gate model_max_length model_type
    mup_enabled n_ctx n_group name_or_path no_repeat_ngram_size no_rope_layer_interval
    no_rope_layers normalization_function num_beam_groups num_beams num_dense_layers
    num_hash_layers num_logits_to_keep num_return_sequences o_groups o_lora_rank
    output_attentions output_gate_type output_hidden_states output_scores pretraining_tp
    pruned_heads q_lora_rank qk_head_dim qk_layernorm qk_nope_head_dim query_pre_attn_scalar
    remove_invalid_values reorder_and_upcast_attn residual_in_fp32 return_dict
    return_dict_in_generate score_func scoring_func seq_aux seq_length task_specific_params
    temperature tf_legacy_loss tie_encoder_decoder top_k top_p topk_group topk_method
    torchscript transformers_version typical_p use_bfloat16 use_bidirectional_attention
    use_cache use_flash_attn use_grouped_mm use_grouped_topk use_parallel_residual
    word_embed_proj_dim z_loss_coefficient
"""
HARMLESS = {*_HARMLESS.split()}
HARMLESS |= {f"linear_attn_config.{name}" for name in ("gate_lower_bound", "kda_layers")}
HARMLESS.add("linear_attn_config.use_full_rank_gate")
