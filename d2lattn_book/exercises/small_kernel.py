"""The kernel of section 92.2 mended, to which the exercises of appendix 92 hold an answer."""

import math

import torch
import triton
import triton.language as tl

from d2lattn_book.kernels import variant


@triton.jit
def my_kernel(
    query,
    key,
    value,
    output,
    L,
    S,
    scale,
    D: tl.constexpr,
    ROWS: tl.constexpr,
    COLS: tl.constexpr,
):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)  # (ROWS,)
    d = tl.arange(0, D)  # (D,)
    at_q = rows[:, None] * D + d[None, :]  # (ROWS, D)
    q = tl.load(query + at_q, mask=rows[:, None] < L, other=0.0)  # (ROWS, D)
    running_max = tl.full([ROWS], -float("inf"), tl.float32)
    normalizer = tl.zeros([ROWS], tl.float32)
    accumulator = tl.zeros([ROWS, D], tl.float32)
    for start in range(0, S, COLS):
        j = start + tl.arange(0, COLS)  # (COLS,)
        at_k = j[:, None] * D + d[None, :]  # (COLS, D)
        k = tl.load(key + at_k, mask=j[:, None] < S, other=0.0)  # (COLS, D)
        v = tl.load(value + at_k, mask=j[:, None] < S, other=0.0)  # (COLS, D)
        s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale  # (ROWS, COLS)
        s = tl.where(j[None, :] < S, s, -float("inf"))
        new = tl.maximum(running_max, tl.max(s, 1))  # (ROWS,)
        p = tl.exp(s - new[:, None])  # (ROWS, COLS)
        rescale = tl.exp(running_max - new)  # (ROWS,)
        normalizer = normalizer * rescale + tl.sum(p, 1)
        accumulator = accumulator * rescale[:, None] + tl.dot(p, v, input_precision="ieee")
        running_max = new
    tl.store(output + at_q, accumulator / normalizer[:, None], mask=rows[:, None] < L)


HIDE = '        s = tl.where(j[None, :] < S, s, -float("inf"))\n'
LOADED = ", mask=j[:, None] < S, other=0.0)  # (COLS, D)"
STORED = ", mask=rows[:, None] < L)\n"
RAGGED = {  # what to tell the reader -> the edits that make this mistake
    "Keys past the end get the score 0, so each adds e⁰. Set their scores to −∞.": {HIDE: ""},
    "You load past the last key, where a NaN is. Mask the loads.": {LOADED: ")  # (COLS, D)"},
    "The last program writes past the end of the output. Add a mask to the store.": {STORED: ")\n"},
}
FORGOTTEN = {
    "You never rescale the running sums. Rescale them when a tile raises the maximum.": {
        "normalizer * rescale": "normalizer",
        "accumulator * rescale[:, None]": "accumulator",
    },
    "Rescale the accumulator, too.": {"accumulator * rescale[:, None]": "accumulator"},
    "Rescale the normalizer, too.": {"normalizer * rescale": "normalizer"},
    "Your factor is inverted. Multiply the old sums by e^(old − new).": {
        "tl.exp(running_max - new)": "tl.exp(new - running_max)"
    },
}


def outcome(kernel, L, S, seed=0, D=16, tile=(4, 8)):
    """What a kernel writes for some queries and keys between numbers that are not theirs: the
    output (L, D), and whether it left alone what lies behind it."""
    draw = torch.Generator().manual_seed(seed)
    query, key, value = (
        torch.full((n + 16, D), math.nan).index_copy_(
            0, torch.arange(n), 3 * torch.randn(n, D, generator=draw)
        )
        for n in (L, S, S)
    )
    output = torch.full((L + 16, D), 7.0)
    grid = (triton.cdiv(L, tile[0]),)
    kernel[grid](query, key, value, output, L, S, D**-0.5, D, *tile)
    return output[:L], bool((output[L:] == 7).all())


def same(one, other):
    return one[1] == other[1] and torch.allclose(one[0], other[0], atol=1e-4, equal_nan=True)


def problem(answer, mistakes, cases):
    """What is wrong with a kernel, or None."""
    if not hasattr(answer, "fn"):
        return f"a kernel is expected, with @triton.jit above it, got {type(answer).__name__}"
    found = [outcome(answer, *case) for case in cases]
    wanted = [outcome(my_kernel, *case) for case in cases]
    if all(map(same, found, wanted)):
        return None
    for message, edits in mistakes.items():
        wrong = variant(my_kernel, edits)
        if all(same(got, outcome(wrong, *case)) for got, case in zip(found, cases, strict=True)):
            return message
    for (L, S), got, want in zip(cases, found, wanted, strict=True):
        if not same(got, want):
            return f"With {L} queries and {S} keys in tiles of 4 × 8 your output is wrong."
    return None
