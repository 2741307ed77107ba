"""`valid_lens`, checked once: how many keys of each sequence are real, the rest being padding."""

import torch

from d2lattn.arguments import INTEGERS, show
from d2lattn.tracing import are_finite, is_eager


class Lengths:
    """Integers (B,) or (B, L), each from 0 to max_len.

    Attributes:
        tensor: the lengths as int64: in a narrower type a sum or a difference of them could
            overflow. max_len (int): the number of keys.
        shortest (int): the least of them; 0 where it may not be looked at, and for an empty batch.
    """

    __slots__ = ("max_len", "shortest", "tensor")

    def __init__(self, valid_lens, max_len):
        if not torch.is_tensor(valid_lens):
            try:
                valid_lens = torch.as_tensor(valid_lens)
            except (TypeError, ValueError, RuntimeError):
                raise ValueError(f"valid_lens must hold integers, got {show(valid_lens)}") from None
            if valid_lens.numel() == 0:
                valid_lens = valid_lens.long()  # an empty list has no integers to tell its dtype
        if valid_lens.dtype not in INTEGERS:
            raise ValueError(f"valid_lens must hold integers, got dtype {valid_lens.dtype}")
        if valid_lens.ndim not in (1, 2):
            raise ValueError(
                f"valid_lens must have shape (B,) or (B, L), got {tuple(valid_lens.shape)}"
            )
        self.tensor, self.max_len, self.shortest = valid_lens.long(), max_len, 0
        if not is_eager() or valid_lens.numel() == 0 or valid_lens.device.type == "meta":
            return
        lengths = valid_lens.flatten().tolist()
        self.shortest, longest = min(lengths), max(lengths)
        if self.shortest < 0 or longest > max_len:
            raise ValueError(
                f"valid_lens must lie between 0 and {max_len} (the number of keys), got values "
                f"from {self.shortest} to {longest}"
            )

    def zero_padding(self, *tensors):
        """Tensors (B, S, E) with 0 past the lengths, if a NaN or an inf could do harm there."""
        if are_finite(*set(tensors)):
            return tensors
        seen = self.mask().any(1)[..., None]  # (B, S, 1)
        return tuple(x.masked_fill(~seen.to(x.device), 0) for x in tensors)

    def mask(self):
        """Boolean (B, 1, S) for (B,), (B, L, S) for (B, L)."""
        ends = self.tensor[:, None, None] if self.tensor.ndim == 1 else self.tensor[..., None]
        return torch.arange(self.max_len, device=ends.device) < ends
