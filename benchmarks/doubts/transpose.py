"""The forgotten transpose with another length, other heads, and a mask: what the bug does (200),
and whether a change of the last word shows it (201)."""

import torch

from d2lattn import attention


def layer(X, matrices, H, transpose, causal):
    """Multi-head attention of (L, E), with the transpose or with the bug."""
    L, E = X.shape
    cut = (L, H, E // H) if transpose else (H, L, E // H)
    Q, K, V = ((X @ W.T).reshape(cut) for W in matrices[:3])
    if transpose:
        Q, K, V = (x.transpose(0, 1) for x in (Q, K, V))
    blend = attention(Q, K, V, is_causal=causal)
    joined = blend.transpose(0, 1) if transpose else blend
    return joined.reshape(L, E) @ matrices[3].T


def moved(L, E, H, causal, changed, transpose):
    """The words whose outputs change with the word `changed`."""
    generator = torch.Generator().manual_seed(0)
    X, *matrices = (
        torch.randn(n, E, generator=generator, dtype=torch.float64) for n in (L, E, E, E, E)
    )
    other = X.clone()
    other[changed] += 1
    difference = layer(other, matrices, H, transpose, causal) - layer(
        X, matrices, H, transpose, causal
    )
    return (difference.abs().amax(-1) > 1e-9).nonzero().flatten().tolist()


print("200: the words that head 0 gets without the transpose")
for L, E, H in ((8, 12, 3), (9, 12, 3), (8, 12, 4), (5, 12, 3), (8, 12, 1)):
    rows = torch.arange(L)[:, None].expand(L, E).reshape(H, L, E // H)[0].flatten()
    print(f"  {L} words, {H} heads of {E // H}:", rows.bincount(minlength=L).tolist())
print("201: the words whose outputs change, with the transpose and without")
for name, H, causal, changed in (
    ("no mask, the last word changed", 3, False, -1),
    ("causal mask, the last word changed", 3, True, -1),
    ("causal mask, the first word changed", 3, True, 0),
    ("no mask, one head, the last word", 1, False, -1),
):
    print(f"  {name}:", *(moved(8, 12, H, causal, changed, t) for t in (True, False)))
