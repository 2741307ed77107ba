"""Numbers as bytes, as they travel in a page."""

import base64

import torch
from torch import Tensor


def in_bytes(whole: Tensor, bits: int) -> dict:
    """Whole numbers of 8 or 16 bits as they travel: little-endian, in base64."""
    raw = whole.numpy().astype("<u2" if bits == 16 else "u1").tobytes()
    return {"text": base64.b64encode(raw).decode(), "bits": bits}


def quantized(weights: Tensor) -> Tensor:
    """Weights (..., S) as whole numbers of 255: each is less than 1 off, and rows have the sum 255.

    All are rounded down, and what is missing goes to those that lost most. A row of zeros stays so.
    """
    sums = weights.sum(-1, keepdim=True)
    exact = 255 * weights / torch.where(sums > 0, sums, 1)
    whole = exact.floor()
    missing = 255 * (sums > 0) - whole.sum(-1, keepdim=True)
    rank = (exact - whole).argsort(dim=-1, descending=True, stable=True).argsort(-1)
    return (whole + (rank < missing)).to(torch.int64)
