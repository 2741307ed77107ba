"""Attention as a memory of fixed size that is corrected token by token (chapter 10).

Sources: Schlag et al. 2021, "Linear Transformers Are Secretly Fast Weight Programmers", section
4.2; Yang et al. 2024, "Parallelizing Linear Transformers with the Delta Rule over Sequence Length",
section 3; Yang et al. 2025, "Gated Delta Networks", section 3.
"""

import torch
import torch.nn.functional as F
from torch import Tensor

from d2lattn.arguments import broadcast, check_as_many_keys, check_count, fits, scores_shape, show
from d2lattn.tracing import data_dependent_ok, in_full_precision


def delta_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    beta: Tensor,
    decay: Tensor | None = None,
    chunk_size: int | None = None,
    state: Tensor | None = None,
    need_state: bool = False,
) -> Tensor | tuple[Tensor, Tensor]:
    """The delta rule: a linear-attention state that each token corrects, with or without a decay.

    From S = 0, for each token t in turn,

        S ← decay_t S,   S ← S + β_t k_t (v_t - Sᵀk_t)ᵀ,   output_t = Sᵀq_t

    (Schlag et al. 2021, section 4.2; with the decay, Yang et al. 2025, section 3). Keys and queries
    are neither scaled nor normalised here. In chunks, the corrections U of a chunk, whose row t is
    β_t (v_t - Sᵀk_t), are found at once (the UT transform: Yang et al. 2024, section 3). With g_t
    the product of the decays up to t and G[t, s] = g_t / g_s for s <= t,

        (1 + A) U = β (V - g K S),   A[t, s] = β_t G[t, s] k_t·k_s for s < t,
        output = g Q S + (Q Kᵀ ∘ G) U,   S ← g_last S + Kᵀ (g_last / g) U.

    Args:
        query, key, value: floating tensors (..., L, E), (..., L, E), (..., L, Ev).
        beta: (..., L), from 0 to 2: how much of the error is corrected.
        decay: (..., L), above 0 and up to 1: what is kept; all when absent. On a GPU the bounds of
            beta and decay are not checked.
        chunk_size (int): tokens that are taken at once; when absent, one after the other.
        state: (..., E, Ev), what was returned for the tokens before; 0 when absent.
        need_state (bool): return the last state too.

    Returns:
        Tensor (..., L, Ev) of the query's dtype, or (output, state (..., E, Ev)), computed in at
        least float32, which is the dtype of the state.

    Example:
        >>> key, value = torch.tensor([[1.0], [1.0]]), torch.tensor([[5.0], [7.0]])
        >>> delta_attention(key, key, value, beta=torch.ones(2)).mT  # adding would give 5 and 12
        tensor([[5., 7.]])
    """
    wide, lead, L = _check(query, key, value, beta, decay)
    if chunk_size is not None:
        check_count("chunk_size", chunk_size)
    shape = (*lead, key.shape[-1], value.shape[-1])
    if state is None:
        state = key.new_zeros(shape, dtype=wide)
    if state.dtype != wide or state.shape[-2:] != shape[-2:] or not fits(state, shape):
        got = f"{state.dtype}, {tuple(state.shape)}"
        raise ValueError(f"state must be of {wide} and have shape {shape}, got {got}")
    q, k, v, beta = (
        x.to(wide).expand(*lead, *x.shape[-2:]) for x in (query, key, value, beta[..., None])
    )
    decay = torch.ones_like(beta) if decay is None else decay[..., None].to(wide).expand_as(beta)
    with in_full_precision(query):
        parts = (q, k, v, beta, decay, state.expand(shape))
        if chunk_size is None or L == 0:
            output, state = _word_by_word(*parts)
        else:
            output, state = _in_chunks(*parts, min(chunk_size, L))
    output = output.to(query.dtype)
    return (output, state) if need_state else output


def _word_by_word(query, key, value, beta, decay, state):
    outputs = [value[..., :0, :]]
    for t in range(query.shape[-2]):
        q, k, v, b, d = (x[..., t : t + 1, :] for x in (query, key, value, beta, decay))
        state = d * state
        state = state + k.mT @ (b * (v - k @ state))  # (..., E, 1) times (..., 1, Ev)
        outputs.append(q @ state)
    return torch.cat(outputs, -2), state


def _in_chunks(query, key, value, beta, decay, state, size):
    """Compute all chunks at once, as far as no state is needed, then chunk after chunk."""
    L = query.shape[-2]
    extra = -L % size  # tokens that write nothing and forget nothing
    padded = [F.pad(x, (0, 0, 0, extra)) for x in (query, key, value, beta)]
    padded.append(F.pad(decay, (0, 0, 0, extra), value=1.0))
    q, k, v, b, d = (x.unflatten(-2, (-1, size)) for x in padded)  # (..., L / C, C, width)
    # G multiplies each stretch s + 1 … t by itself (as the segment sum of Dao & Gu 2024,
    # "Transformers are SSMs", section 6, adds it): a quotient of two products loses the gradient of
    # small decays, and a logarithm of 1e-30 is rounded by 4e-6.
    later = torch.ones(size, size, dtype=torch.bool, device=d.device).tril(-1)  # t > s
    ratio = torch.where(later, d, 1.0).cumprod(-2).tril()
    g = d[..., :1, :] * ratio[..., :1]
    system = (b * ratio * (k @ k.mT)).tril(-1)
    right = torch.cat([b * v, b * g * k], -1)
    solved = torch.linalg.solve_triangular(system, right, upper=False, unitriangular=True)
    free, bound = solved.split([v.shape[-1], k.shape[-1]], -1)  # U = free - bound S
    mixed, asked = q @ k.mT * ratio, q * g
    written = k * ratio[..., -1:, :].mT
    outputs = []
    for c in range(q.shape[-3]):
        at = (..., c, slice(None), slice(None))
        corrections = free[at] - bound[at] @ state
        outputs.append(asked[at] @ state + mixed[at] @ corrections)
        state = g[at][..., -1:, :] * state + written[at].mT @ corrections
    return torch.cat(outputs, -2)[..., :L, :], state


def _check(query, key, value, beta, decay):
    """Give the dtype that is computed in, the leading axes and the number of tokens."""
    *_, L, S = scores_shape(query, key, value)
    check_as_many_keys(L, S)
    wide = torch.promote_types(query.dtype, torch.float32)
    gates = {"beta": beta} if decay is None else {"beta": beta, "decay": decay}
    for name, x in gates.items():
        if x.ndim == 0 or x.shape[-1] != L:
            raise ValueError(f"{name} must have shape (..., {L}), got {tuple(x.shape)}")
    rows = [x[..., None] for x in gates.values()]
    lead = broadcast(f"query, key, value, {' and '.join(gates)}", query, key, value, *rows)
    if data_dependent_ok(beta) and not ((beta >= 0) & (beta <= 2)).all():
        raise ValueError(f"beta must lie between 0 and 2, got {show(beta)}")
    if decay is not None and data_dependent_ok(decay) and not ((decay > 0) & (decay <= 1)).all():
        raise ValueError(f"decay must be above 0 and at most 1, got {show(decay)}")
    return wide, lead, L
