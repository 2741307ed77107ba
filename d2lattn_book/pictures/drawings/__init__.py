"""Drawings made for one idea each; every function draws on one Axes and returns it.

`ax` is where to draw, a new figure when absent. What does not fit is a ValueError that names the
argument.
"""

from d2lattn_book.pictures.drawings._bottleneck import bottleneck
from d2lattn_book.pictures.drawings._cross_attention import cross_attention
from d2lattn_book.pictures.drawings._encoder_decoder import encoder_decoder
from d2lattn_book.pictures.drawings._failing_positions import jumping_bits, stretching_fractions
from d2lattn_book.pictures.drawings._induction import induction
from d2lattn_book.pictures.drawings._kept import kept
from d2lattn_book.pictures.drawings._layers import layer_lines
from d2lattn_book.pictures.drawings._model_map import model_map
from d2lattn_book.pictures.drawings._network import network
from d2lattn_book.pictures.drawings._one_layer import one_layer
from d2lattn_book.pictures.drawings._projections import projections
from d2lattn_book.pictures.drawings._ranks import ranks
from d2lattn_book.pictures.drawings._shadows import shadows
from d2lattn_book.pictures.drawings._shared_heads import shared_heads
from d2lattn_book.pictures.drawings._single_output import single_output
from d2lattn_book.pictures.drawings._split_and_join import split_and_join
from d2lattn_book.pictures.drawings._staircase import staircase
from d2lattn_book.pictures.drawings._transformer_block import transformer_block
from d2lattn_book.pictures.drawings._turning_arrows import turning_arrows
from d2lattn_book.pictures.drawings._two_memories import two_memories
from d2lattn_book.pictures.drawings._weight_lines import weight_lines
from d2lattn_book.pictures.drawings._weighted_average import weighted_average
from d2lattn_book.pictures.drawings._word_map import word_map
from d2lattn_book.pictures.drawings._words_for_heads import words_for_heads

__all__ = [
    "bottleneck",
    "cross_attention",
    "encoder_decoder",
    "induction",
    "jumping_bits",
    "kept",
    "layer_lines",
    "model_map",
    "network",
    "one_layer",
    "projections",
    "ranks",
    "shadows",
    "shared_heads",
    "single_output",
    "split_and_join",
    "staircase",
    "stretching_fractions",
    "transformer_block",
    "turning_arrows",
    "two_memories",
    "weight_lines",
    "weighted_average",
    "word_map",
    "words_for_heads",
]
