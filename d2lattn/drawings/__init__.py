"""Drawings made for one idea each; every function draws on one Axes and returns it."""

from d2lattn.drawings.blend import blend
from d2lattn.drawings.cross_attention import cross_attention
from d2lattn.drawings.projections import projections
from d2lattn.drawings.pull import pull
from d2lattn.drawings.shadows import shadows
from d2lattn.drawings.sheet import sheet
from d2lattn.drawings.split_and_join import split_and_join
from d2lattn.drawings.staircase import staircase
from d2lattn.drawings.word_map import word_map

__all__ = [
    "blend",
    "cross_attention",
    "projections",
    "pull",
    "shadows",
    "sheet",
    "split_and_join",
    "staircase",
    "word_map",
]
