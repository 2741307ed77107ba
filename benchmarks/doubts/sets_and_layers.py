"""Is one causal layer blind to the order of what came before, and do two always see it (190)?

Six words, then the five before the last in every order, with matrices of random size, without any
scores, with an MLP, with a window, and in SmolLM2 with all pieces at one position.
"""

import functools
import itertools

import torch
from book import real
from torch import nn

from d2lattn import MLP, Block, MultiHeadAttention, apply_rotary
from d2lattn.edits import trace, turn

L, E = 6, 8
X = torch.randn(1, L, E, dtype=torch.float64, generator=torch.Generator().manual_seed(100))
ORDERS = [torch.tensor([*order, L - 1]) for order in itertools.permutations(range(L - 1))]


def farthest(layers, x=X, **options):
    """By how much the last output moves, in the mean over all orders, and the least of them."""
    with torch.no_grad():

        def last(x):
            for layer in layers:
                x = layer(x, is_causal=True, **options)
            return x[0, -1]

        plain = last(x)
        moved = [(last(x[:, order]) - plain).abs().max().item() for order in ORDERS[1:]]
    return f"{sum(moved) / len(moved):9.1e} {min(moved):9.1e}"


def blocks(count, size=1.0, mlp=True):
    torch.manual_seed(100)
    found = [Block(MultiHeadAttention(E, 2), MLP(E) if mlp else nn.Identity()) for _ in range(2)]
    for block in found:
        for matrix in (block.attention.q_proj.weight, block.attention.k_proj.weight):
            matrix.data *= size
    return [block.double() for block in found[:count]]


print("190: how far the last output moves when the five before are put in another order")
print("                                        mean and least of 119 orders")
for count in (1, 2):
    print(f"  {count} layers                       ", farthest(blocks(count)))
    print(f"  {count} layers, scores times 0       ", farthest(blocks(count, 0.0)))
    print(f"  {count} layers, scores times 100     ", farthest(blocks(count, 10.0)))
    twins = X.clone()
    twins[0, :5] = X[0, 0]
    print(f"  {count} layers, five equal words     ", farthest(blocks(count), twins))
swapped = [torch.tensor([1, 0, 2, 3, 4, 5])]
ORDERS[1:] = swapped
print("  2 layers, first two exchanged  ", farthest(blocks(2)))

tokens = real.passages(100, 1, 24)
order = torch.cat(
    [torch.randperm(23, generator=torch.Generator().manual_seed(0)), torch.tensor([23])]
)
still = turn(functools.partial(apply_rotary, positions=torch.zeros(24).long(), base=100_000.0))
streams = [
    trace(real.model(), x, keep=["stream"], edits=[still]).stream[:, 0, -1]
    for x in (tokens, tokens[:, order])
]
moved = ((streams[0] - streams[1]).norm(dim=1) / streams[0].norm(dim=1)).tolist()
print("SmolLM2 at one position, 23 pieces shuffled: how far the last stream moves")
print("  after layer 1, 2, 3 and 30:", *(f"{moved[n]:.4f}" for n in (1, 2, 3, 30)))
