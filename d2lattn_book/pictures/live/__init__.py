"""Live figures: pictures that recompute in the browser, without a kernel and without a network.

Each function returns a `Figure`, which a notebook shows.
"""

from d2lattn_book.pictures.live.attention.figure import attention
from d2lattn_book.pictures.live.cache.figure import cache
from d2lattn_book.pictures.live.field.figure import field
from d2lattn_book.pictures.live.heads.figure import heads
from d2lattn_book.pictures.live.positions.figure import positions
from d2lattn_book.pictures.live.reader.figure import reader
from d2lattn_book.pictures.live.ring.figure import ring
from d2lattn_book.pictures.live.steps.figure import steps
from d2lattn_book.pictures.live.train.figure import train
from d2lattn_book.pictures.live.words.figure import words
from d2lattn_book.pictures.page import Figure

__all__ = [
    "Figure",
    "attention",
    "cache",
    "field",
    "heads",
    "positions",
    "reader",
    "ring",
    "steps",
    "train",
    "words",
]
