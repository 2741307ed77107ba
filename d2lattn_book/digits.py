"""Digits that people wrote, 8 × 8 pixels each: pictures, for a chapter that needs no words.

The test set of "Optical Recognition of Handwritten Digits" (Alpaydin & Kaynak 1998, UCI Machine
Learning Repository, https://doi.org/10.24432/C50P49), licence CC BY 4.0. It was made from forms of
the NIST: 32 × 32 black and white pixels, of which each 4 × 4 were counted. Stored as it is, the 64
counts and the label as bytes; nothing is scaled or left out.
"""

import hashlib
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

DIGITS = Path(__file__).parent / "data" / "digits.npz"
# Of all counts, then all labels.
SHA256 = "87ff0c9e40dc7e2c0e34e7257799c2e3f3aec1a016363bb11cad869ec428a826"


def load() -> tuple[Tensor, Tensor]:
    """All 1,797 digits: pictures (1797, 8, 8) and the digits they show, (1797,).

    In the order of the file, in which 13 people wrote one after the other.

    Returns:
        (pictures, labels): float32, how much ink, from 0 to 1 in steps of 1/16; int64, 0 to 9.

    Raises:
        RuntimeError: the stored file is not that of the book.

    Example:
        >>> pictures, labels = load()
        >>> pictures.shape, labels[:5].tolist()
        (torch.Size([1797, 8, 8]), [0, 1, 2, 3, 4])
    """
    with np.load(DIGITS) as stored:
        counts, labels = stored["pictures"], stored["labels"]
    found = hashlib.sha256(counts.tobytes() + labels.tobytes()).hexdigest()
    if found != SHA256:
        raise RuntimeError(
            f"{DIGITS.name} must be that of the book, SHA-256 {SHA256[:12]}…, got {found[:12]}…"
        )
    return torch.tensor(counts).float() / 16, torch.tensor(labels).long()
