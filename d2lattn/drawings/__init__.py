"""Drawings made for one idea each; every function draws on one Axes and returns it."""

from d2lattn.drawings.blend import blend
from d2lattn.drawings.pull import pull
from d2lattn.drawings.shadows import shadows
from d2lattn.drawings.word_map import word_map

__all__ = ["blend", "pull", "shadows", "word_map"]
