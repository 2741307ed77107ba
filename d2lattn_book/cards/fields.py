"""How a config.json spells what a cache depends on (`cache_bytes` counts with it).

Every family of models has its own spelling. NAMES has those of a size; PATTERNS, INDICES and
PERIODS those of which layer is of which kind; WITHOUT and HARMLESS the fields that have no
influence on what is kept. A new family needs a line here, and seldom a line of code.
"""

import re
from collections.abc import Mapping
from typing import Any

# Kinds of layers, and what they keep of n tokens.
FULL, WINDOW, CHUNK = "full", "window", "chunk"  # a row for each, for the last W, for n of a chunk
INDEXED = "full, indexed"  # as full, and a key for an indexer
PACKED, THINNED = "compressed, indexed", "compressed"  # a window, and a row for several tokens
STATE, CONV, BOTH = "state", "convolution", "full and state"  # what does not grow
NOTHING, SHARED = "nothing", "shared"  # an MLP alone, and a layer that reads another one's cache

PARTS = ("keys", "values", "latent", "rotary", "index", "state", "conv")

# A size: its spellings, of which the first that is there and not null counts.
NAMES = {
    "layers": "num_hidden_layers n_layer n_layers num_layers",
    "width": "hidden_size n_embd d_model",
    "heads": "num_attention_heads n_head n_heads num_heads",
    "kv_heads": "num_key_value_heads num_kv_heads attn_config.kv_n_heads multi_query_group_num "
    "num_attention_groups",
    "head_dim": "head_dim attention_head_dim kv_channels",
    "value_dim": "v_head_dim",
    "latent": "kv_lora_rank",
    "rotary": "qk_rope_head_dim",
    "index": "index_head_dim sparse_attention_config.sparse_index_dim",
    "index_pool": "index_kpool",
    "window": "sliding_window attention_window_size sliding_window_size",
    "chunk": "attention_chunk_size",
    "window_kv_heads": "swa_num_key_value_heads attention_other_setting.num_attention_groups",
    "window_head_dim": "swa_head_dim attention_other_setting.head_dim",
    "window_value_dim": "swa_v_head_dim",
    "full_kv_heads": "num_global_key_value_heads",
    "full_head_dim": "global_head_dim",
    "shared": "num_kv_shared_layers",
    "packed": "compress_rates.compressed_sparse_attention compress_rate_csa compress_ratios",
    "thinned": "compress_rates.heavily_compressed_attention compress_rate_hca compress_ratios",
    # what does not grow: delta rules, Mamba-2 and Mamba, a short convolution, an RG-LRU
    "delta_heads": "linear_num_value_heads",
    "delta_value_dim": "linear_value_head_dim",
    "delta_key_heads": "linear_num_key_heads",
    "delta_key_dim": "linear_key_head_dim",
    "kda_heads": "linear_attn_config.num_heads linear_num_heads",
    "kda_dim": "linear_attn_config.head_dim linear_head_dim",
    "mamba_heads": "mamba_num_heads mamba_n_heads",
    "mamba_dim": "mamba_head_dim mamba_d_head",
    "mamba_state": "ssm_state_size mamba_d_state state_size",
    "mamba_groups": "n_groups mamba_n_groups",
    "mamba_inner": "mamba_d_ssm",
    "mamba_expand": "mamba_expand expand",
    "lru": "lru_width",
    "kernel": "linear_conv_kernel_dim linear_attn_config.short_conv_kernel_size "
    "short_conv_kernel_size conv_kernel mamba_d_conv conv_L_cache conv1d_width"
    " conv_kernel_size sconv_kernel_size",
    "state_dtype": "mamba_ssm_dtype mamba_ssm_cache_dtype",
}
# Of these a layer may have its own, in a list or in per_layer_config.
OF_A_LAYER = ("heads", "kv_heads", "head_dim", "value_dim", "latent", "rotary", "index", "window")
BY_NAME = {
    **dict.fromkeys(("full_attention", "attention", "indexed_attention"), FULL),
    **dict.fromkeys(("linear_attention", "mamba"), STATE),
    **dict.fromkeys(("moe", "mlp"), NOTHING),
    **dict(sliding_attention=WINDOW, chunked_attention=CHUNK, conv=CONV),
    **dict(hybrid=FULL, hybrid_sliding=WINDOW),
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
    "compress_ratios": {0: WINDOW, 1: PACKED, 2: PACKED, 4: PACKED, 128: THINNED},
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
    "global_attn_every_n_layers": (FULL, WINDOW),
    "layer_group_size": (FULL, STATE),
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
    **dict.fromkeys(
        ("qwen3_next", "qwen3_5", "qwen3_5_text", "qwen3_5_moe", "qwen3_5_moe_text"),
        ("full_attention_interval", 4),
    ),
    "bailing_hybrid": ("layer_group_size", 6),
}
# The same of the sizes of a family, for those that DEFAULTS gives states.
DEFAULT_SIZES = dict(
    head_dim=256,
    linear_num_value_heads=32,
    linear_num_key_heads=16,
    linear_key_head_dim=128,
    linear_value_head_dim=128,
    linear_conv_kernel_dim=4,
)
WITH_DEFAULT_SIZES = {
    family for family, of in DEFAULTS.items() if of[0] == "full_attention_interval"
}
TWICE_IN_WINDOWS = ("mimo_v2_flash",)  # whose windows have twice the heads, where none are given
WINDOWS_EVERYWHERE = ("mistral", "mixtral", "phi3", "starcoder2")  # if sliding_window is given
FOUR_CONVS = ("inkling_text", "inkling2_text")  # four short convolutions in each layer
PAIRS = ("longcat_flash",)  # attention stands twice in each of its num_layers
PARALLEL = ("falcon_h1",)  # a state beside attention in every layer
ALONE = ("mamba", "mamba2", "falcon_mamba")  # a state in every layer, and no attention at all
KDA_OF_HEADS = ("bailing_hybrid",)  # KDA with as many heads, as wide, as attention has
LIGHTNING = ("minimax", "minimax_text_01")  # a state of each head, of its width by its width
ONE_HEAD = ("falcon", "gpt_bigcode")  # where multi_query goes before the number of heads of keys
TEXT = ("text_config", "language_config", "llm_config")  # where a model of more than text has it
FLAT = (
    "attn_config",
    "attention_other_setting",
    "linear_attn_config",
    "sparse_attention_config",
    "compress_rates",
)
STATES = ("delta_heads", "kda_heads", "mamba_state", "lru")  # one of which says how large
DTYPES = {"float32": 4, "bfloat16": 2, "float16": 2}
_FLAGS = """multi_query multi_query_attention new_decoder_architecture use_sliding_window
    max_window_layers attn_layer_offset indexer_types index_topk_freq index_skip_topk_offset
    index_topk_pattern block_configs per_layer_config attention_k_eq_v quantization_config
    use_mla kv_source_layers kv_source_layer_ids"""
READ = {*" ".join(NAMES.values()).split(), *PATTERNS, *INDICES, *PERIODS, *TEXT, *FLAT}
READ |= {*_FLAGS.split()}
READ_BY_LAYER = {*" ".join(NAMES[size] for size in OF_A_LAYER).split()}

# What reads a text in both directions and keeps nothing, unless `is_decoder` says otherwise.
_ENCODERS = """albert bert big_bird camembert canine convbert data2vec-text deberta deberta-v2
    distilbert electra ernie esm eurobert flaubert funnel ibert layoutlm longformer luke
    megatron-bert mobilebert modernbert mpnet mra nomic_bert nystromformer rembert roberta
    roberta-prelayernorm roc_bert roformer squeezebert xlm xlm-roberta xlm-roberta-xl xmod yoso"""
ENCODERS = {*_ENCODERS.split()}

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
    _attn_implementation_autoset _name_or_path _sliding_window_pattern afn
    apply_query_key_layer_scaling apply_residual_connection_post_layernorm att_impl_type
    attention_output_gate attention_softmax_in_fp32 attn_implementation attn_output_gate
    attn_res_block_size attn_scale attn_temperature_tuning aux_loss_alpha aux_loss_coef bf16
    block_auto_adjust_ff_dim block_dim block_ff_dim block_multiple_of block_size block_use_swiglu
    block_use_xavier_init cache_implementation chunk_size chunk_size_feed_forward conv_dim
    conv_dim_out conv_use_xavier_init decoder_sparse_step dim_model_base do_image_splitting
    do_sample downsample_factor early_stopping embedding_fraction embedding_size ep_size
    expansion_ratio first_k_dense_replace floor_scale for_llm_compressor fp16 fp32
    fp32_residual_connection full_attn_alpha_factor full_attn_beta_factor hc_mult hc_sinkhorn_iters
    hidden_size_per_layer_input id2label ignore_index index_block_size index_local_blocks
    index_n_heads index_share_for_mtp_iteration index_topk index_topk_blocks initial_context_length
    input_jitter_noise interleave_moe_layer_step is_decoder is_encoder_decoder kda_lower_bound
    kda_safe_gate label2id lambda_std_dev language_model_only laurel_rank layerdrop learned_pos_emb
    length_penalty linear_attn_alpha_factor linear_attn_beta_factor logits_soft_cap mamba_chunk_size
    mamba_dt_rank mamba_rms_norm max_length max_seq_len min_length mla_use_nope mla_use_output_gate
    model_max_length model_type mup_enabled n_ctx n_group n_positions name_or_path need_fp32_gate
    no_bias no_repeat_ngram_size norm_expert_weight norm_topk_prob normalization_function
    num_beam_groups num_beams num_dense_layers num_hash_layers num_limited_groups num_logits_to_keep
    num_return_sequences num_topk_group o_groups o_lora_rank original_rope output_attentions
    output_gate_type output_hidden_states output_scores pad_sequence_to_multiple_of_64 parallel_attn
    post_layer_norm pretraining_tp pruned_heads q_lora_rank qk_head_dim qk_layernorm
    qk_nope_head_dim qk_norm_type query_pre_attn_scalar remove_invalid_values
    reorder_and_upcast_attn residual_in_fp32 return_dict return_dict_in_generate rmsnorm
    scale_attention_softmax_in_fp32 scale_attn_weights score_func scoring_func seed seq_aux
    seq_length slow_but_exact swa_num_attention_heads task_specific_params temperature
    tf_legacy_loss tie_encoder_decoder tie_word_embeddings top_k top_p topk_group topk_method
    torchscript transformers_version typical_p use_associative_scan use_attention_gate use_bfloat16
    use_bidirectional_attention use_cache use_double_wide_mlp use_dynamic_ntk use_flash_attn
    use_gemma_norm use_grouped_mm use_grouped_topk use_head_wise_attn_gate use_image_special_tokens
    use_logn_attn use_mamba_kernels use_mambapy use_parallel_residual use_pos_enc use_qk_norm
    use_thumbnail use_unified_vision_chunk word_embed_proj_dim yarn_only_types z_loss_coefficient
    zero_centered d_rel gate_temp index_kpool_always_select_tail index_source_layer_ids
    linear_lower_bound log_scaling_alpha log_scaling_n_floor n_layers_per_attn_res_block
    number_of_conv_states qk_l2_clip_threshold rel_l2_clip_threshold
    out_hidden_size rel_extent
"""
_HARMLESS_IN_FLAT = """
    alibi_bias_max attn_impl attn_uses_sequence_id gate_lower_bound kda_layers prefix_lm qk_ln
    sparse_block_size sparse_disable_index_value sparse_local_block sparse_num_index_heads
    sparse_score_type sparse_topk_blocks true_head_dim use_full_rank_gate
"""
# These are harmless only if they say what they mostly say.
USUAL = {
    "add_cross_attention": False,
    "attn_config.attn_type": "multihead_attention",
    "attention_other_setting.attention_type": "sliding_attention",
    "sparse_attention_config.use_sparse_attention": True,
}
HARMLESS = {*_HARMLESS.split()}
HARMLESS |= {
    f"{inside}.{name}" for inside in FLAT for name in (_HARMLESS + _HARMLESS_IN_FLAT).split()
}
HARMLESS |= {"attention_other_setting.num_attention_heads"}  # heads of queries
