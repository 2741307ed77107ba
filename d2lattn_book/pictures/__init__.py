"""What the chapters show: figures, drawings, and figures that move.

`maps` draws all attention maps of a model.
"""

from d2lattn_book.pictures.model_maps import maps

__all__ = ["maps"]
