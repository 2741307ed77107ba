"""Positions: clock hands, and arrows that turn with them."""

import math
from collections.abc import Sequence

import torch

from d2lattn.arguments import check_count, check_number
from d2lattn_book.host import on_the_host
from d2lattn_book.pictures.page import Figure, parts_of, rounded
from d2lattn_book.pictures.tables import plain_table

POSITIONS_PARTS = ("clocks", "turn")


@on_the_host
def positions(
    dim: int,
    *,
    base: float,
    length: int,
    a: int = 3,
    b: int = 7,
    parts: Sequence[str] = POSITIONS_PARTS,
) -> Figure:
    """Clock hands for two positions, and arrows that turn with them.

    Pair j stands at the angle i / base^(2j/dim) at position i (Vaswani et al. 2017, section 3.5);
    the same turn on a query and a key is RoPE (Su et al. 2021). The reader moves two positions, a
    of the query and b of the key, apart or together, and chooses pair and base.

    Args:
        dim (int): numbers in the encoding, even, from 2 to 32.
        base (float): above 1 and at most 1e9.
        length (int): positions, from 2 to 256.
        a, b (int): where the two positions begin; beyond the last, they stand on the last.
        parts: what is drawn, of "clocks" and "turn" (RoPE). Clocks are always drawn; alone, they
            are called clocks 1, 2, … instead of pairs 0, 1, …

    Raises:
        ValueError: an odd dim, a base not above 1, an unknown part, a number outside these limits.

    Cost:
        About 18 kB in the notebook.

    Example:
        >>> positions(8, base=10000.0, length=60)
        live positions: 4 clocks over 60 positions; base 10000, turns of 6.3 to 6283.2 positions
    """
    check_count("dim", dim, 2, 32)
    if dim % 2:
        raise ValueError(f"dim must be even, got {dim}")
    check_number("base", base, 1, 1e9)
    if base == 1:
        raise ValueError("base must be above 1, got 1")
    check_count("length", length, 2, 256)
    check_count("a", a, 0, 255)
    check_count("b", b, 0, 255)
    parts = parts_of(parts, POSITIONS_PARTS)
    only_clocks = parts == ["clocks"]
    slowest = 2 * math.pi * base ** ((dim - 2) / dim)
    line = (
        f"live positions: {dim // 2} clocks over {length} positions; base {base:g}, "
        f"turns of 6.3 to {slowest:.1f} positions"
    )
    data = {"dim": dim, "base": rounded(base), "length": length, "a": a, "b": b, "parts": parts}
    turns = [2 * math.pi * base ** (2 * j / dim) for j in range(dim // 2)]
    names = [f"clock {j + 1}" if only_clocks else f"pair {j}" for j in range(dim // 2)]
    table = plain_table(line, names, ["positions in one turn"], torch.tensor(turns)[:, None], 1)
    return Figure("positions", line, data, table)
