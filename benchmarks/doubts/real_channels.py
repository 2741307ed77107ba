"""Are the channels with a mean far from 0 many, and do they make numbers large without making
scores differ (167)? Pieces at random, and the means of a few channels taken off."""

import torch
from book import real, tell
from experiments import real_score_rule as rule


def ratios(pairs, channels):
    """The variance of q·k over the rule, median of the heads, if so many channels of a head (those
    with the largest means of their queries, and of their keys) lose their mean."""
    found = []
    for q, k in pairs:
        centred = []
        for x in (q[:, :, 1:].double(), k[:, :, 1:].double()):
            mean = x.mean((0, 2), keepdim=True)  # (1, H, 1, D)
            least = mean.abs().sort(descending=True).values[..., max(channels, 1) - 1, None]
            centred.append(x - mean * (mean.abs() >= least) * (channels > 0))
        (q, k), parts = centred, (0, 2, 3)
        found.append((q @ k.mT).var(parts) / (q.shape[-1] * q.var(parts) * k.var(parts)))
    return torch.stack(found).median()


def far(x):
    """The share of channels with a mean larger than their deviation, and of the whole mean square
    that of means, and of the means of the four largest."""
    x = x[:, :, 1:].double()
    mean, std = x.mean((0, 2)), x.std((0, 2))  # (H, D)
    square = mean.square().sort(descending=True).values
    whole = (mean.square() + std.square()).sum(-1)
    return (
        (mean.abs() > std).double().mean(),
        (square.sum(-1) / whole).median(),
        (square[:, :4].sum(-1) / square.sum(-1)).median(),
    )


for name, draw in (("prose, a new seed", real.passages), ("pieces at random", real.noise)):
    real.passages = draw
    rule.of_the_model.cache_clear()
    for turned, pairs in enumerate(rule.of_the_model(100)):
        place = ("before the rotation", "after it")[turned]
        print(f"167, {name}, {place}")
        for channels in (0, 4, 16, 64):
            ratio = ratios(pairs, channels)
            print(f"  ratio, {channels} of 64 means off: {ratio:.2f}", flush=True)
        found = [far(x) for pair in pairs for x in pair]
        above, means, four = (torch.stack(x) for x in zip(*found, strict=True))
        tell("  share of channels with a mean above their deviation", above)
        tell("  of the mean square, that of means", means)
        tell("  of that, the four largest channels of a head", four)
