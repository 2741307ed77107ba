"""Do new lags make SmolLM2 worse, and do slower turns and hiding far keys repair it (196)?

No long text: 128 pieces stand where they stood, and the 128 after them are moved on, so that every
lag between the two halves is as large as one likes. Judged are the last 96.
"""

import functools

import torch
from book import real, tell

from d2lattn import apply_rotary
from d2lattn.edits import see, turn

N, HALF = 256, 128
SEEDS = (100, 101, 102)
TURNS = 8192 * 100_000 ** (-torch.arange(32, dtype=torch.float64) / 32) / (2 * torch.pi)
print("196: pairs that never come round within 8,192:", int((TURNS < 1).sum()))


def at(jump):
    """Positions 0 to 127, and 127 + jump onwards."""
    return torch.arange(N) + jump * (torch.arange(N) >= HALF)


def placed(jump):
    return turn(functools.partial(apply_rotary, positions=at(jump), base=100_000.0))


def slowed(jump, by):
    """The same, the pairs that never come round turned `by` times more slowly."""
    angles = at(jump).double()[:, None] * 100_000 ** (-torch.arange(32, dtype=torch.float64) / 32)
    angles = torch.where(TURNS < 1, angles / by, angles).float()  # (N, 32)

    def rotate(x):  # (1, heads, pieces, 64): a channel and its neighbour are a pair
        a, b = x.unflatten(-1, (32, 2)).unbind(-1)
        cos, sin = angles.cos(), angles.sin()
        return torch.stack([a * cos - b * sin, b * cos + a * sin], dim=-1).flatten(-2)

    return turn(rotate)


def near():
    """The second half sees of the first only its first piece."""
    rows, columns = torch.arange(N)[:, None], torch.arange(N)
    return see((columns <= rows) & ((rows < HALF) | (columns >= HALF) | (columns == 0)))


def cost(*edits):
    return [real.nats(real.passages(s, 1, N), *edits, start=N - 96) for s in SEEDS]


tell("196, as they stand: nats", cost())
tell("turned by hand, no jump (control)", cost(slowed(0, 1)))
tell("the first half hidden but for its first piece", cost(near()))
for jump in (1000, 7000, 12_000, 30_000):
    tell(f"moved on by {jump:,}", cost(placed(jump)))
    if jump > 8192:
        by = 2 if jump < 16_384 else 4
        tell(f"  the twelve pairs turned {by} times more slowly", cost(slowed(jump, by)))
        tell("  the first half hidden but for its first piece", cost(placed(jump), near()))
