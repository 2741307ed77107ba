"""How near two results must be to count as equal."""

import torch


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def size(expected):
    """The largest entry, and 1 where all are smaller.

    The tests draw numbers of about 1. Where such numbers cancel, little is left of them, but the
    rounding is still theirs.
    """
    return max(1.0, expected.abs().max().item() if expected.numel() else 0.0)


def assert_close(got, expected, within):
    """Equal to a fraction of the largest entry (see `size`); shapes and dtypes are equal, too."""
    torch.testing.assert_close(got, expected, rtol=0, atol=within * size(expected))


def worst(got, expected):
    """The largest difference between two lists of tensors, as a fraction of the largest entries."""
    weights = [
        (g.double() - e.double()).abs().max() / size(e) for g, e in zip(got, expected, strict=True)
    ]
    return torch.stack(weights).max().item()  # NaN if one is NaN; Python's max could lose it
