"""Half and double scores in SmolLM2 on other passages, other lengths and another text (169)."""

import inspect

import torch
from book import real, tell

from d2lattn.edits import scale_scores

manual = real.encode("\n\n".join(inspect.getdoc(getattr(torch, name)) or "" for name in (
    "einsum", "stft", "lobpcg", "svd_lowrank", "unique", "searchsorted", "bucketize", "quantile"
)))[0]  # fmt: skip


def of_the_manual(seed, count, length):
    """Passages of torch's own documentation."""
    generator = torch.Generator().manual_seed(seed)
    starts = torch.randint(len(manual) - length, (count,), generator=generator).tolist()
    return torch.stack([manual[start : start + length] for start in starts])


for name, draw, count, length in (
    ("other seeds", real.passages, 4, 128),
    ("32 pieces", real.passages, 16, 32),
    ("384 pieces", real.passages, 2, 384),
    ("another text, torch's documentation", of_the_manual, 4, 128),
    ("pieces at random", real.noise, 4, 128),
):
    for factor in (1, 0.5, 2):
        runs = [
            real.losses(draw(seed, count, length), *[scale_scores(factor)] * (factor != 1)).mean()
            for seed in (100, 101, 102)
        ]
        tell(f"{name}: scores × {factor}", runs)
