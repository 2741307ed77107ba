"""Do the news and the error take the same number of steps (47), and is the chain of a recurrent
layer always as long as the text (26)?

News: another first word, and whether the last output moves. Error: the gradient of the last output
at the first word. Both in other layers than those of 5.3: ReLU, a gate, two layers, both
directions, a sum around each layer; in float32 and over long texts, too.
"""

import torch
from torch import nn

from d2lattn import MultiHeadAttention
from d2lattn import comparison as cmp

E = 8


class Summed(nn.Module):
    """A causal convolution that is added to what it reads."""

    def __init__(self, dilation):
        super().__init__()
        self.layer = cmp.ConvLayer(E, 3, dilation=dilation, causal=True)

    def forward(self, x):
        return x + self.layer(x).relu()


def conv(dilation, bend):
    return [cmp.ConvLayer(E, 3, dilation=dilation, causal=True), bend()]


def moves(model, x):
    """(whether the last output moves with the first word, whether its gradient reaches it)."""
    x = x.clone().requires_grad_()

    def last_of(x):
        y = model(x)
        return (y[0] if isinstance(y, tuple) else y)[0, -1]

    last = last_of(x)
    other = x.detach().clone()
    other[0, 0] += 1
    news = bool((last_of(other) != last).any())
    return news, bool((torch.autograd.grad(last.sum(), x)[0][0, 0] != 0).any())


def first_depth(make, x):
    """From how many layers on the news arrives, and from how many the error does."""
    torch.manual_seed(0)
    layers, found = [], [None, None]
    for depth in range(1, 20):
        layers += make(depth)
        for i, arrived in enumerate(moves(nn.Sequential(*layers).to(x.dtype), x)):
            found[i] = found[i] or (depth if arrived else None)
        if all(found):
            return tuple(found)
    return tuple(found)


for L in (9, 17, 27):
    x = torch.randn(1, L, E, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    print(f"47: {L} words, layers until the news arrives, and the error")
    for name, make in {
        "contiguous, tanh": lambda depth: conv(1, nn.Tanh),
        "contiguous, ReLU": lambda depth: conv(1, nn.ReLU),
        "contiguous, each added to its input": lambda depth: [Summed(1)],
        "dilated 1, 3, 9": lambda depth: conv(3 ** (depth - 1), nn.Tanh),
        "attention": lambda depth: [MultiHeadAttention(E, 2)],
    }.items():
        print(f"  {name:36}", *first_depth(make, x))

print("47: float32, does the news arrive, and the error?")
for L in (20, 200, 1000):
    x = torch.randn(1, L, E, generator=torch.Generator().manual_seed(1))
    for kind in ("RNN", "LSTM"):
        torch.manual_seed(0)
        print(f"  {kind:5} over {L:4} words:", *moves(getattr(nn, kind)(E, E, batch_first=True), x))

print("26: the longest chain of products over 8, 16 and 32 words")
first = dict(batch_first=True)
for name, layer in {
    "GRU": nn.GRU(4, 4, **first),
    "RNN with ReLU": nn.RNN(4, 4, nonlinearity="relu", **first),
    "two layers": nn.LSTM(4, 4, num_layers=2, **first),
    "both directions": nn.LSTM(4, 2, bidirectional=True, **first),
}.items():
    print(f"  {name:16}", [cmp.matmul_chain(layer, L, 4) for L in (8, 16, 32)])
