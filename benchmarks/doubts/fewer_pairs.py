"""Two heads of 8 channels against one of 16 with fewer pairs to learn from, more or fewer symbols,
and other rates (210)."""

import torch
from book import pages, tell

from d2lattn import MultiHeadAttention

page = pages.functions("unseen_pairs")


def unseen(seed, heads, *, symbols=8, share=0.8, rate=0.02, steps=1000):
    """The share of unseen pairs that are named, and of those seen."""
    tokens, wanted = page.neighbours(symbols)
    order = torch.randperm(symbols**2, generator=torch.Generator().manual_seed(seed))
    seen, new = order.split([round(share * symbols**2), round((1 - share) * symbols**2)])
    sizes = dict.fromkeys(["qdim", "kdim", "vdim"], tokens.shape[2])
    mha = page.redraw(MultiHeadAttention(2 * symbols, heads, **sizes), seed).double()
    optimizer = torch.optim.Adam(mha.parameters(), lr=rate)
    for _ in range(steps):
        output = page.outputs(mha, tokens[seen]).reshape(-1, symbols)
        loss = torch.nn.functional.cross_entropy(output, wanted[seen].reshape(-1, symbols))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    right = page.chosen(page.outputs(mha, tokens), wanted).double()
    return right[new].mean(), right[seen].mean()


for name, changed in {
    "as on the page, new seeds": {},
    "half of the pairs are seen": dict(share=0.5),
    "a quarter of the pairs is seen": dict(share=0.25),
    "5 symbols": dict(symbols=5),
    "rate 0.1": dict(rate=0.1),
}.items():
    for heads in (1, 2):
        runs = [unseen(seed, heads, **changed) for seed in range(100, 104)]
        tell(f"210, heads: {heads}, {name}: unseen", [new for new, _ in runs])
        tell("  seen", [old for _, old in runs])
