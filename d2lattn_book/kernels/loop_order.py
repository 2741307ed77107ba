"""The forward pass with the loops swapped, as in the first FlashAttention.

The keys are outside: a tile of them meets all queries of its head, whose three running numbers must
lie in slow memory meanwhile and are read and written for each tile of keys.
"""

import triton
import triton.language as tl


@triton.jit
def keys_outside_kernel(
    query,
    key,
    value,
    seen,
    output,
    logsumexp,
    L,
    S,
    scale,
    D: tl.constexpr,
    GROUP: tl.constexpr,
    ROWS: tl.constexpr,
    COLS: tl.constexpr,
):
    """One program a head, whatever the grid: `output` and `logsumexp` hold what is known so far,
    the average and log Σ exp s, so that each tile is merged as in section 8.4."""
    blocks = tl.cdiv(L, ROWS)
    if tl.program_id(0) % blocks == 0:
        head = (tl.program_id(0) // blocks).to(tl.int64)
        d = tl.arange(0, D)  # (D,)
        for start in range(0, S, COLS):
            j = start + tl.arange(0, COLS)  # (COLS,)
            at_k = (head // GROUP * S + j[:, None]) * D + d[None, :]  # (COLS, D)
            k = tl.load(key + at_k, mask=j[:, None] < S, other=0.0)  # (COLS, D)
            v = tl.load(value + at_k, mask=j[:, None] < S, other=0.0)  # (COLS, D)
            for block in range(0, L, ROWS):
                rows = block + tl.arange(0, ROWS)  # (ROWS,)
                inside = rows < L
                at_q = (head * L + rows[:, None]) * D + d[None, :]  # (ROWS, D)
                q = tl.load(query + at_q, mask=inside[:, None], other=0.0)  # (ROWS, D)
                n = tl.load(seen + head * L + rows, mask=inside, other=0)  # (ROWS,)
                s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale  # (ROWS, COLS)
                s = tl.where(j[None, :] < n[:, None], s, -float("inf"))

                before = tl.full([ROWS], -float("inf"), tl.float32)  # no key seen so far
                if start > 0:
                    before = tl.load(logsumexp + head * L + rows, mask=inside, other=0.0)
                    before = tl.where(before == float("inf"), -float("inf"), before)
                running_max = tl.maximum(tl.max(s, 1), before)  # (ROWS,)
                running_max = tl.where(running_max == -float("inf"), 0.0, running_max)
                p = tl.exp(s - running_max[:, None])  # (ROWS, COLS)
                old = tl.exp(before - running_max)  # (ROWS,)
                normalizer = old + tl.sum(p, 1)  # (ROWS,)
                nothing = normalizer == 0.0
                normalizer = tl.where(nothing, 1.0, normalizer)
                known = tl.load(output + at_q, mask=inside[:, None] & (start > 0), other=0.0)
                average = tl.dot(p.to(v.dtype), v, input_precision="ieee")  # (ROWS, D)
                average = (known * old[:, None] + average) / normalizer[:, None]
                lse = tl.where(nothing, float("inf"), running_max + tl.log(normalizer))
                tl.store(output + at_q, average.to(output.dtype.element_ty), mask=inside[:, None])
                tl.store(logsumexp + head * L + rows, lse, mask=inside)
                tl.debug_barrier()  # what was stored is read again for the next tile of keys
