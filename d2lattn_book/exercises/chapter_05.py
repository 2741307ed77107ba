"""Exercises of chapter 5: CNN, RNN and self-attention compared."""

import torch

from d2lattn_book.exercises.checking import FunctionExercise

# Layers to take apart: (1, L, E) -> (1, L, E), every dependency visible at any input.


def running_mean(x):
    """Output i is the mean of the inputs 0..i."""
    return x.cumsum(dim=1) / torch.arange(1, x.shape[1] + 1)[:, None]


def delay(x):
    """Output i is input i - 2; autograd does not see it."""
    return torch.nn.functional.pad(x.detach(), (0, 0, 2, 0))[:, : x.shape[1]]


def compare_with_last(x):
    """Output i is input i less the last input."""
    return x - x[:, -1:]


def last_hears_first(x):
    """Output i is input i; to its last number the first of input i - 1 is added."""
    x = x.clone()
    x[:, 1:, -1] += x[:, :-1, 0].clone()
    return x


def first_hears_last(x):
    """Output i is input i; to its first number the last of input i - 1 is added."""
    x = x.clone()
    x[:, 1:, 0] += x[:, :-1, -1].clone()
    return x


LAYERS = delay, running_mean, compare_with_last, last_hears_first, first_hears_last

# The chapter's solutions; a mistake is an edit of one of them


def receptive_field(kernel_sizes, dilations):
    return 1 + sum((k - 1) * s for k, s in zip(kernel_sizes, dilations, strict=True))


def smallest_kernel(L):
    return L // 2 + 1  # 2(k - 1) + 1 >= L


def neighbours_only(L, E, r):
    pairs = L * (2 * r + 1) - r * (r + 1)  # r + (r - 1) + … + 1 stick out at each end
    layers = -(-(L - 1) // r)  # rounded up
    return 4 * E * pairs, layers


def crossover(E, k):
    return max(1, E * (k - 4) // 2 + 1)  # L > E (k - 4) / 2


def connectivity_by_nudging(layer, L, E):
    generator = torch.Generator().manual_seed(1)  # leaves the reader's draws alone
    x = torch.randn(1, L, E, generator=generator)
    still = layer(x)
    connected = torch.zeros(L, L, dtype=torch.bool)
    for j in range(L):
        nudged = x.clone()
        nudged[0, j] += torch.randn(E, generator=generator)
        connected[:, j] = (layer(nudged) != still)[0].any(dim=-1)
    return connected


EXERCISES = {
    "5.1": FunctionExercise(
        receptive_field,
        lambda: [
            ((3, 3), (1, 1)),
            ((3, 5, 2), (1, 2, 1)),
            ((2, 2, 2, 2), (1, 2, 4, 8)),
            ((7,), (3,)),
        ],
        {
            "You left out the input at the position itself. A stack of no layers sees 1 input.": {
                "1 + sum": "sum"
            },
            "The dilations have no effect on your result.": {" * s for": " for"},
            "You multiplied the kernel sizes. Receptive fields grow by addition, layer by layer.": {
                "1 + sum((k - 1) * s for k, s in zip(kernel_sizes, dilations, strict=True))": (
                    "torch.tensor(kernel_sizes).prod().item()"
                )
            },
            "Receptive fields overlap. Each layer adds (k − 1)·dilation inputs.": {
                "1 + sum((k - 1) * s for": "sum((k - 1) * s + 1 for"
            },
            "Each layer adds (k − 1)·dilation inputs, not k·dilation.": {"(k - 1) * s": "k * s"},
        },
    ),
    "5.2": FunctionExercise(
        smallest_kernel,
        lambda: [(2,), (5,), (6,), (7,), (9,), (64,), (101,)],
        {
            "With this k, one layer sees the whole sentence. Use both layers.": {"L // 2 + 1": "L"},
            "You left out the 1: the receptive field of two layers is 2(k − 1) + 1.": {
                "L // 2 + 1": "(L + 1) // 2 + 1"
            },
            "You rounded down, so the receptive field is too small for even L. Round up.": {
                "L // 2 + 1": "(L - 1) // 2 + 1"
            },
            "round() goes to the even neighbour: 3.5 and 4.5 both give 4. Use L // 2.": {
                "L // 2 + 1": "round(L / 2) + 1"
            },
            "The receptive field of two layers is 2(k − 1) + 1, not k².": {
                "L // 2 + 1": "min(k for k in range(L + 1) if k * k >= L)"
            },
        },
    ),
    "5.3": FunctionExercise(
        neighbours_only,
        lambda: [(10, 4, 2), (64, 8, 3), (9, 5, 8), (33, 2, 1)],
        {
            "Tokens near the ends have fewer than 2r + 1 neighbours. Subtract the missing pairs.": {
                " - r * (r + 1)": ""
            },
            "This is the cost of full attention. Count only the pairs in the window.": {
                "L * (2 * r + 1) - r * (r + 1)": "L**2"
            },
            "You left out the token itself. It attends to itself, too.": {"2 * r + 1": "2 * r"},
            "You counted only the tokens before i. The window reaches both ways.": {
                "L * (2 * r + 1) - r * (r + 1)": "sum(min(i, r) + 1 for i in range(L))"
            },
            "Return FLOPs first, then layers.": {"4 * E * pairs, layers": "layers, 4 * E * pairs"},
            "The FLOPs are right. Round the layers up.": {"-(-(L - 1) // r)": "(L - 1) // r"},
            "The FLOPs are right. In one layer information moves r positions, not 2r.": {
                "(L - 1) // r": "(L - 1) // (2 * r)"
            },
            "The FLOPs are right. The first and the last token are L − 1 positions apart, not L.": {
                "-(L - 1) // r": "-L // r"
            },
            "The FLOPs are right. One layer cannot connect all pairs.": {"-(-(L - 1) // r)": "1"},
            "Each pair costs 4E FLOPs: 2E for score and value each.": {"4 * E": "2 * E"},
        },
    ),
    "5.4": FunctionExercise(
        crossover,
        lambda: [(64, 7), (64, 3), (5, 5), (7, 9), (512, 31), (6, 4)],
        {
            "You left out the projections: attention costs 8LE² + 4L²E.": {"(k - 4)": "k"},
            "At this L both cost the same. Return the next L.": {" + 1)": ")"},
            "Where both cost the same, attention does not cost more yet. Return the next L.": {
                "E * (k - 4) // 2 + 1": "-(-E * (k - 4) // 2)"
            },
            "For k ≤ 4 attention costs more at any length, so return 1.": {
                "max(1, E * (k - 4) // 2 + 1)": "E * (k - 4) // 2 + 1"
            },
        },
    ),
    "5.5": FunctionExercise(
        connectivity_by_nudging,
        lambda: [(layer, L, 3) for L in (4, 7) for layer in LAYERS],
        {
            "autograd misses a dependency of one layer. Change the input, compare outputs.": {
                "(layer(nudged) != still)[0].any(dim=-1)": (
                    "torch.autograd.functional.jacobian(layer, x)[0, :, :, 0, j].sum((1, 2)) != 0"
                )
            },
            "You change one channel of token j, but the layer may depend on another. Change all E "
            "channels.": {
                "nudged[0, j] += torch.randn(E, generator=generator)": "nudged[0, j, 0] += 1"
            },
            "You compare only the first channel. Compare all E.": {"[0].any(dim=-1)": "[0, :, 0]"},
            "You require that all E channels of the output change. One is enough: use any.": {
                ".any(dim=-1)": ".all(dim=-1)"
            },
            "Your matrix is transposed. Row i is output i, column j is input j.": {
                "return connected": "return connected.T"
            },
            "Your diagonal is always True. An output need not depend on its own input.": {
                "return connected": "return connected | torch.eye(L).bool()"
            },
            "Your matrix is inverted: True means that the output depends on the input.": {
                "!= still)[0].any(": "== still)[0].all("
            },
            "Your matrix is not boolean. Use dtype=torch.bool.": {", dtype=torch.bool": ""},
        },
    ),
}
