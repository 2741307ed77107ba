"""Attention as three kernels to read, one program for each block (appendix 92).

    forward     online softmax: a block of queries meets the keys tile by tile
    keys        a block of keys and values meets the queries again: dV = Pᵀ dO, dK = dSᵀ Q
    queries     a block of queries meets the keys again: dQ = dS K

with P = exp(S - log Σ exp S) and dS = P ∘ (dO Vᵀ - δ), δ = Σ dO ∘ O, a number for each query.

A mask is one number for each query, which sees its first `seen` keys: a causal mask makes it the
position plus one, a length the length, both the smaller of the two. Later tiles are not visited.

Sources: Dao et al. 2022, "FlashAttention", algorithms 1 and 4; Dao 2023, "FlashAttention-2",
section 3.1, for the order of the loops.
"""

import torch
import torch.nn.functional as F
import triton
import triton.language as tl

# Whether Triton's interpreter, not a GPU, runs the kernels below: settled when they are defined.
INTERPRETED = triton.knobs.runtime.interpret
WIDTHS = (16, 32, 64, 128)
DTYPES = (torch.float32, torch.float16, torch.bfloat16)


# The kernels -------------------------------------------------------------------------------------
# Pointers are those of the first number of (heads, L, D), (heads / GROUP, S, D) and (heads, L).
# Programs are numbered head by head, along one axis: of the others CUDA takes 65,535 at the most.


@triton.jit
def forward_kernel(
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
    """ROWS queries of a head keep a running maximum m, Σ exp(s - m) and an accumulator."""
    blocks = tl.cdiv(L, ROWS)
    head = (tl.program_id(0) // blocks).to(tl.int64)
    rows = tl.program_id(0) % blocks * ROWS + tl.arange(0, ROWS)  # (ROWS,)
    cols = tl.arange(0, COLS)  # (COLS,)
    d = tl.arange(0, D)  # (D,)
    inside = rows < L
    at_q = (head * L + rows[:, None]) * D + d[None, :]  # (ROWS, D)

    q = tl.load(query + at_q, mask=inside[:, None], other=0.0)  # (ROWS, D)
    n = tl.load(seen + head * L + rows, mask=inside, other=0)  # (ROWS,)
    running_max = tl.full([ROWS], -float("inf"), tl.float32)
    normalizer = tl.zeros([ROWS], tl.float32)
    accumulator = tl.zeros([ROWS, D], tl.float32)

    for start in range(0, tl.max(n), COLS):
        j = start + cols
        at_k = (head // GROUP * S + j[:, None]) * D + d[None, :]  # (COLS, D)
        k = tl.load(key + at_k, mask=j[:, None] < S, other=0.0)  # (COLS, D)
        v = tl.load(value + at_k, mask=j[:, None] < S, other=0.0)  # (COLS, D)

        s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale  # (ROWS, COLS)
        s = tl.where(j[None, :] < n[:, None], s, -float("inf"))

        new = tl.maximum(running_max, tl.max(s, 1))  # (ROWS,)
        reference = tl.where(new == -float("inf"), 0.0, new)  # no key seen so far
        rescale = tl.exp(running_max - reference)
        p = tl.exp(s - reference[:, None])  # (ROWS, COLS)
        normalizer = normalizer * rescale + tl.sum(p, 1)
        new_values = tl.dot(p.to(v.dtype), v, input_precision="ieee")  # (ROWS, D)
        accumulator = accumulator * rescale[:, None] + new_values
        running_max = new

    nothing = normalizer == 0.0
    normalizer = tl.where(nothing, 1.0, normalizer)
    lse = tl.where(nothing, float("inf"), running_max + tl.log(normalizer))
    o = (accumulator / normalizer[:, None]).to(output.dtype.element_ty)
    tl.store(output + at_q, o, mask=inside[:, None])
    tl.store(logsumexp + head * L + rows, lse, mask=inside)


@triton.jit
def keys_kernel(
    query,
    key,
    value,
    seen,
    logsumexp,
    grad_output,
    delta,
    grad_key,
    grad_value,
    L,
    S,
    scale,
    D: tl.constexpr,
    GROUP: tl.constexpr,
    ROWS: tl.constexpr,
    COLS: tl.constexpr,
):
    """COLS keys of a KV head gather dK and dV from all queries that see them, of all GROUP heads
    that share it."""
    blocks = tl.cdiv(S, COLS)
    kv_head = (tl.program_id(0) // blocks).to(tl.int64)
    j = tl.program_id(0) % blocks * COLS + tl.arange(0, COLS)  # (COLS,)
    d = tl.arange(0, D)  # (D,)
    at_k = (kv_head * S + j[:, None]) * D + d[None, :]  # (COLS, D)
    k = tl.load(key + at_k, mask=j[:, None] < S, other=0.0)  # (COLS, D)
    v = tl.load(value + at_k, mask=j[:, None] < S, other=0.0)  # (COLS, D)
    dk = tl.zeros([COLS, D], tl.float32)
    dv = tl.zeros([COLS, D], tl.float32)

    for head in range(kv_head * GROUP, kv_head * GROUP + GROUP):
        for start in range(0, L, ROWS):
            rows = start + tl.arange(0, ROWS)  # (ROWS,)
            inside = rows < L
            n = tl.load(seen + head * L + rows, mask=inside, other=0)  # (ROWS,)
            if tl.max(n) > tl.min(j):  # else no query of the tile sees a key of the block
                at_q = (head * L + rows[:, None]) * D + d[None, :]  # (ROWS, D)
                at_row = head * L + rows
                q = tl.load(query + at_q, mask=inside[:, None], other=0.0)  # (ROWS, D)
                do = tl.load(grad_output + at_q, mask=inside[:, None], other=0.0)  # (ROWS, D)
                lse = tl.load(logsumexp + at_row, mask=inside, other=0.0)  # (ROWS,)
                row_delta = tl.load(delta + at_row, mask=inside, other=0.0)  # (ROWS,)

                s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale  # (ROWS, COLS)
                s = tl.where(j[None, :] < n[:, None], s, -float("inf"))
                p = tl.exp(s - lse[:, None])  # (ROWS, COLS)
                dp = tl.dot(do, tl.trans(v), input_precision="ieee")  # (ROWS, COLS)
                ds = p * (dp - row_delta[:, None])  # (ROWS, COLS)
                dv += tl.dot(tl.trans(p.to(do.dtype)), do, input_precision="ieee")
                dk += tl.dot(tl.trans(ds.to(q.dtype)), q, input_precision="ieee")

    dk = (dk * scale).to(grad_key.dtype.element_ty)
    tl.store(grad_key + at_k, dk, mask=j[:, None] < S)
    tl.store(grad_value + at_k, dv.to(grad_value.dtype.element_ty), mask=j[:, None] < S)


@triton.jit
def queries_kernel(
    query,
    key,
    value,
    seen,
    logsumexp,
    grad_output,
    delta,
    grad_query,
    L,
    S,
    scale,
    D: tl.constexpr,
    GROUP: tl.constexpr,
    ROWS: tl.constexpr,
    COLS: tl.constexpr,
):
    """ROWS queries of a head gather dQ from the keys that they see."""
    blocks = tl.cdiv(L, ROWS)
    head = (tl.program_id(0) // blocks).to(tl.int64)
    rows = tl.program_id(0) % blocks * ROWS + tl.arange(0, ROWS)  # (ROWS,)
    cols = tl.arange(0, COLS)  # (COLS,)
    d = tl.arange(0, D)  # (D,)
    inside = rows < L
    at_q = (head * L + rows[:, None]) * D + d[None, :]  # (ROWS, D)
    at_row = head * L + rows

    q = tl.load(query + at_q, mask=inside[:, None], other=0.0)  # (ROWS, D)
    do = tl.load(grad_output + at_q, mask=inside[:, None], other=0.0)  # (ROWS, D)
    n = tl.load(seen + at_row, mask=inside, other=0)  # (ROWS,)
    lse = tl.load(logsumexp + at_row, mask=inside, other=0.0)  # (ROWS,)
    row_delta = tl.load(delta + at_row, mask=inside, other=0.0)  # (ROWS,)
    dq = tl.zeros([ROWS, D], tl.float32)

    for start in range(0, tl.max(n), COLS):
        j = start + cols
        at_k = (head // GROUP * S + j[:, None]) * D + d[None, :]  # (COLS, D)
        k = tl.load(key + at_k, mask=j[:, None] < S, other=0.0)  # (COLS, D)
        v = tl.load(value + at_k, mask=j[:, None] < S, other=0.0)  # (COLS, D)

        s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale  # (ROWS, COLS)
        s = tl.where(j[None, :] < n[:, None], s, -float("inf"))
        p = tl.exp(s - lse[:, None])  # (ROWS, COLS)
        dp = tl.dot(do, tl.trans(v), input_precision="ieee")  # (ROWS, COLS)
        ds = p * (dp - row_delta[:, None])  # (ROWS, COLS)
        dq += tl.dot(ds.to(k.dtype), k, input_precision="ieee")

    dq = (dq * scale).to(grad_query.dtype.element_ty)
    tl.store(grad_query + at_q, dq, mask=inside[:, None])


# From a call of attention to the kernels, and back -----------------------------------------------


def attend(call, tile=None):
    """Compute softmax(Q Kᵀ · scale, over the first keys that a query may see) V by the kernels."""
    check_call(call)
    lead, group = call.lead, shared_heads(call)
    width = max(call.query.shape[-1], call.value.shape[-1])
    width = next(w for w in WIDTHS if w >= width)
    keys = (*lead[:-1], 1) if group > 1 else lead
    parts = zip((call.query, call.key, call.value), (lead, keys, keys), strict=True)
    query, key, value = (_flat(x, axes, width) for x, axes in parts)
    seen = keys_seen(call).expand(*lead, -1).reshape(query.shape[:2]).contiguous()
    output = _Kernels.apply(query, key, value, seen, call.scale, group, tile or tile_of(query))
    return output[..., : call.value.shape[-1]].reshape(*lead, -1, call.value.shape[-1])


def forward(query, key, value, seen, *, scale, group=1, tile=(32, 32), kernel=None):
    """Run the forward kernel, or one of the same arguments, over (heads, L, D): the output and the
    log-sum-exp (heads, L), which is inf for a query that sees nothing."""
    (heads, L, D), S = query.shape, key.shape[1]
    output, logsumexp = torch.empty_like(query), query.new_empty(heads, L, dtype=torch.float32)
    given = query, key, value, seen, output, logsumexp, L, S, scale, D, group, *tile
    (kernel or forward_kernel)[(heads * triton.cdiv(L, tile[0]),)](*given)
    return output, logsumexp


def backward(
    query,
    key,
    value,
    seen,
    output,
    logsumexp,
    grad,
    *,
    scale,
    group=1,
    tile=(32, 32),
    kernels=None,
):
    """Run both backward kernels, or two of the same arguments: the gradients of query, key and
    value."""
    for_keys, for_queries = kernels or (keys_kernel, queries_kernel)
    (heads, L, D), S, (rows, cols) = query.shape, key.shape[1], tile
    delta = (grad.float() * output.float()).sum(-1)  # (heads, L)
    dq, dk, dv = (torch.empty_like(x) for x in (query, key, value))
    given = query, key, value, seen, logsumexp, grad, delta
    sizes = L, S, scale, D, group, rows, cols
    for_keys[(heads // group * triton.cdiv(S, cols),)](*given, dk, dv, *sizes)
    for_queries[(heads * triton.cdiv(L, rows),)](*given, dq, *sizes)
    return dq, dk, dv


class _Kernels(torch.autograd.Function):
    @staticmethod
    def forward(ctx, query, key, value, seen, scale, group, tile):
        ctx.options = dict(scale=scale, group=group, tile=tile)
        wide = [_readable(x) for x in (query, key, value)]
        output, logsumexp = forward(*wide, seen, **ctx.options)
        ctx.save_for_backward(*wide, seen, output, logsumexp)
        return output.to(query.dtype)

    @staticmethod
    def backward(ctx, grad):
        if torch.is_grad_enabled():  # create_graph=True
            raise ValueError(
                "create_graph must be False, got True: the kernels have a first derivative only "
                '(d2lattn.attention with engine="explicit" has a second)'
            )
        saved = ctx.saved_tensors
        found = backward(*saved, _readable(grad.contiguous()), **ctx.options)
        return *(g.to(grad.dtype) for g in found), None, None, None, None


def keys_seen(call):
    """Count the first keys that each query sees, int32 (..., L): by causality and by a mask that
    is a length."""
    (L, S), visible = call.visible.shape[-2:], call.visible
    seen = torch.full((L,), S, device=visible.device)
    if visible.mask is not None:
        seen = visible.mask.expand(*visible.mask.shape[:-1], S).sum(-1)  # (..., L or 1)
        if not torch.equal(visible.mask.expand(*seen.shape, S), _first(seen, S)):
            raise ValueError(
                "attn_mask must let each query see its first keys and no others, as length_mask "
                "and causal_mask do, got a mask with holes"
            )
    if visible.query_offset is not None:
        places = visible.query_offset + torch.arange(1, L + 1, device=visible.device)
        seen = torch.minimum(seen, places)
    return seen.clamp(0, S).to(torch.int32).expand(*seen.shape[:-1], L)


def _first(count, S):
    return torch.arange(S, device=count.device) < count[..., None]


def shared_heads(call):
    """Count the query heads that share a KV head: query (..., Hkv, G, L, D) with key and value
    (..., Hkv, 1, S, D). Any other broadcasting copies the keys."""
    lead, keys = call.lead, call.key.shape[:-2]
    grouped = keys == call.value.shape[:-2] == (*lead[:-1], 1) and call.query.shape[:-2] == lead
    return lead[-1] if lead and grouped else 1


def tile_of(query):
    """Choose the (queries, keys) of a program: 16 or more, as a product on a GPU needs, and at most
    8 KiB of keys, so that two or three tiles of each fit on every GPU that Triton supports."""
    bytes_of_row = query.shape[-1] * query.element_size()
    size = max(16, min(64, 8192 // bytes_of_row))
    return size, size


def check_call(call):
    """Refuse what these kernels do not compute."""
    if call.query.device.type == "cpu" and not INTERPRETED:
        raise ValueError(
            "query must be on a GPU, unless the environment variable TRITON_INTERPRET=1 was set "
            f"before the kernels were imported, got a tensor on {call.query.device} without it"
        )
    if call.query.dtype not in DTYPES:
        dtypes = ", ".join(map(str, DTYPES))
        raise ValueError(f"query must be one of {dtypes}, got {call.query.dtype}")
    if torch._C._are_functorch_transforms_active():
        raise ValueError(
            "query must come from outside torch.func, got one that it transforms: the kernels are "
            "opaque to it, d2lattn.attention is not"
        )
    for name, x in (("query", call.query), ("value", call.value)):
        if x.shape[-1] > WIDTHS[-1]:
            raise ValueError(f"{name} must have at most {WIDTHS[-1]} channels, got {x.shape[-1]}")


def _flat(x, lead, width):
    """(..., n, d) -> (heads, n, width) in one piece of memory, with channels of 0 at the end."""
    x = x.expand(*lead, *x.shape[-2:]).reshape(-1, *x.shape[-2:])
    return F.pad(x, (0, width - x.shape[-1])).contiguous()


def _readable(x):
    """bfloat16 as float32 for the interpreter, which keeps it as integers and multiplies these."""
    return x.float() if INTERPRETED and x.dtype == torch.bfloat16 else x
