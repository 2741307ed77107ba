"""Where numbers are made."""

import torch


def default_device() -> torch.device:
    """Find the fastest device torch can use here: cuda, then mps, then cpu.

    On mps torch's causal kernel may leak in half precision; `attention` does not use it there.

    Example:
        >>> default_device().type in ("cuda", "mps", "cpu")
        True
    """
    if torch.cuda.is_available():
        return torch.device("cuda")
    if torch.backends.mps.is_available():
        return torch.device("mps")
    return torch.device("cpu")
