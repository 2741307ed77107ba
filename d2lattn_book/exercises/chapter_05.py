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
            "the unit itself is missing: a stack of no layers sees 1 input": {"1 + sum": "sum"},
            "the dilations have no effect": {" * s for": " for"},
            "the kernel sizes are multiplied: fields add up, layer by layer": {
                "1 + sum((k - 1) * s for k, s in zip(kernel_sizes, dilations, strict=True))": (
                    "torch.tensor(kernel_sizes).prod().item()"
                )
            },
            "the fields overlap: a layer adds (k − 1)·dilation inputs to the one that is there": {
                "1 + sum((k - 1) * s for": "sum((k - 1) * s + 1 for"
            },
            "a layer adds (k − 1)·dilation inputs, not k·dilation": {"(k - 1) * s": "k * s"},
        },
    ),
    "5.2": FunctionExercise(
        smallest_kernel,
        lambda: [(2,), (5,), (6,), (7,), (9,), (64,), (101,)],
        {
            "one layer alone sees the sentence with this k: use both": {"L // 2 + 1": "L"},
            "the field of two layers is 2(k − 1) + 1: the 1 is missing": {
                "L // 2 + 1": "(L + 1) // 2 + 1"
            },
            "rounded down: the field of two such layers is too short for even L": {
                "L // 2 + 1": "(L - 1) // 2 + 1"
            },
            "round() goes to the even neighbour, 3.5 and 4.5 both to 4: use L // 2": {
                "L // 2 + 1": "round(L / 2) + 1"
            },
            "two layers have the field 2(k − 1) + 1, not k²": {
                "L // 2 + 1": "min(k for k in range(L + 1) if k * k >= L)"
            },
        },
    ),
    "5.3": FunctionExercise(
        neighbours_only,
        lambda: [(10, 4, 2), (64, 8, 3), (9, 5, 8), (33, 2, 1)],
        {
            "tokens near the ends have fewer than 2r + 1 neighbours": {" - r * (r + 1)": ""},
            "this is the cost of full attention: only count the pairs in the window": {
                "L * (2 * r + 1) - r * (r + 1)": "L**2"
            },
            "a token attends to itself, too: these are its neighbours alone": {
                "2 * r + 1": "2 * r"
            },
            "only the tokens before i are counted: the neighbourhood reaches both ways": {
                "L * (2 * r + 1) - r * (r + 1)": "sum(min(i, r) + 1 for i in range(L))"
            },
            "the order is FLOPs, layers": {"4 * E * pairs, layers": "layers, 4 * E * pairs"},
            "the FLOPs are right; round the layers up": {"-(-(L - 1) // r)": "(L - 1) // r"},
            "the FLOPs are right; in one layer a signal moves r positions, not 2r": {
                "(L - 1) // r": "(L - 1) // (2 * r)"
            },
            "the FLOPs are right; the first and the last token are L − 1 positions apart, not L": {
                "-(L - 1) // r": "-L // r"
            },
            "the FLOPs are right; one layer does not connect all pairs any more": {
                "-(-(L - 1) // r)": "1"
            },
            "each pair costs a score and a term of the sum: 4E FLOPs, not 2E": {"4 * E": "2 * E"},
        },
    ),
    "5.4": FunctionExercise(
        crossover,
        lambda: [(64, 7), (64, 3), (5, 5), (7, 9), (512, 31), (6, 4)],
        {
            "the projections are missing: attention costs 8LE² + 4L²E": {"(k - 4)": "k"},
            "at this L the two cost the same: one more is needed": {" + 1)": ")"},
            "where the two cost the same, attention does not cost more yet: one more is needed": {
                "E * (k - 4) // 2 + 1": "-(-E * (k - 4) // 2)"
            },
            "for k ≤ 4 attention costs more at any length, so the answer is 1": {
                "max(1, E * (k - 4) // 2 + 1)": "E * (k - 4) // 2 + 1"
            },
        },
    ),
    "5.5": FunctionExercise(
        connectivity_by_nudging,
        lambda: [(layer, L, 3) for L in (4, 7) for layer in LAYERS],
        {
            "a layer may compute what autograd does not see (one here does): nudge, and compare": {
                "(layer(nudged) != still)[0].any(dim=-1)": (
                    "torch.autograd.functional.jacobian(layer, x)[0, :, :, 0, j].sum((1, 2)) != 0"
                )
            },
            "You change one channel of token j, but the layer may depend on another. Change all E "
            "channels.": {
                "nudged[0, j] += torch.randn(E, generator=generator)": "nudged[0, j, 0] += 1"
            },
            "a token has moved if any of its E numbers has: this watches the first alone": {
                "[0].any(dim=-1)": "[0, :, 0]"
            },
            "a token has moved if any of its E numbers has: all are asked for here": {
                ".any(dim=-1)": ".all(dim=-1)"
            },
            "the matrix is transposed: row i is output i, column j is input j": {
                "return connected": "return connected.T"
            },
            "the diagonal is always True here: an output need not see its own input": {
                "return connected": "return connected | torch.eye(L).bool()"
            },
            "the matrix says what does not depend: True means that the output moved": {
                "!= still)[0].any(": "== still)[0].all("
            },
            "the matrix is not boolean": {", dtype=torch.bool": ""},
        },
    ),
}
