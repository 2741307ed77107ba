"""Exercises of chapter 5: CNN, RNN and self-attention compared."""

import torch

from d2lattn_book.exercises.checking import FunctionExercise, named_values

# Layers to take apart: (1, n, d) -> (1, n, d), every dependency visible at any input.


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


def smallest_kernel(n):
    return n // 2 + 1  # 2(k - 1) + 1 >= n


def neighbours_only(n, d, r):
    pairs = n * (2 * r + 1) - r * (r + 1)  # r + (r - 1) + … + 1 stick out at each end
    layers = -(-(n - 1) // r)  # rounded up
    return 4 * d * pairs, layers


def crossover(d, k):
    return max(1, d * (k - 4) // 2 + 1)  # n > d (k - 4) / 2


def connectivity_by_nudging(layer, n, d):
    generator = torch.Generator().manual_seed(1)  # leaves the reader's draws alone
    x = torch.randn(1, n, d, generator=generator)
    still = layer(x)
    connected = torch.zeros(n, n, dtype=torch.bool)
    for j in range(n):
        nudged = x.clone()
        nudged[0, j] += torch.randn(d, generator=generator)
        connected[:, j] = (layer(nudged) != still)[0].any(dim=-1)
    return connected


GROWTH = {  # by which factor, in a text twice as long, and why
    "parameters": (1, "The four matrices are d × d, however long the text is."),
    "typical size of an unscaled random score": (1, "A score is a sum of d products."),
    "FLOPs of the projections": (2, "Each token is multiplied by the same four matrices."),
    "FLOPs of scores and weighted averages": (4, "There are n² pairs of a query and a key."),
    "attention weights": (4, "Each head has a table with a row and a column per token."),
    "numbers in the KV cache": (2, "It keeps one key and one value per token, and no scores."),
    "sequential operations while reading": (1, "No token waits for another."),
    "steps to generate the text": (2, "A model generates one token per step."),
}


MISTAKES: dict[str, dict] = {
    "5.1": {
        "You left out the input at the position itself. A stack of no layers sees 1 input.": {
            "1 + sum": "sum"
        },
        "You ignored the dilations. Each layer adds (k − 1)·dilation.": {" * s for": " for"},
        "Each layer adds (k − 1)·dilation inputs, not k·dilation.": {"(k - 1) * s": "k * s"},
    },
    "5.2": {
        "With this k, one layer sees the whole sentence. Use both layers.": {"n // 2 + 1": "n"},
        "You left out the 1: the receptive field of two layers is 2(k − 1) + 1.": {
            "n // 2 + 1": "(n + 1) // 2 + 1"
        },
        "You rounded down, so the receptive field is too small for even n. Round up.": {
            "n // 2 + 1": "(n - 1) // 2 + 1"
        },
    },
    "5.3": {
        "Tokens near the ends have fewer than 2r + 1 neighbours. Subtract the missing pairs.": {
            " - r * (r + 1)": ""
        },
        "You left out the token itself. It attends to itself, too.": {"2 * r + 1": "2 * r"},
        "Return FLOPs first, then layers.": {"4 * d * pairs, layers": "layers, 4 * d * pairs"},
        "The FLOPs are right. Round the layers up.": {"-(-(n - 1) // r)": "(n - 1) // r"},
        "The FLOPs are right. In one layer information moves r positions, not 2r.": {
            "(n - 1) // r": "(n - 1) // (2 * r)"
        },
        "The FLOPs are right. One layer cannot connect all pairs.": {"-(-(n - 1) // r)": "1"},
        "Each pair costs 4d FLOPs: 2d for score and value each.": {"4 * d": "2 * d"},
    },
    "5.4": {
        "You left out the projections: attention costs 8nd² + 4n²d.": {"(k - 4)": "k"},
        "At this n both cost the same. Return the next n.": {" + 1)": ")"},
        "Where both cost the same, attention does not cost more yet. Return the next n.": {
            "d * (k - 4) // 2 + 1": "-(-d * (k - 4) // 2)"
        },
        "For k ≤ 4 attention costs more at any length, so return 1.": {
            "max(1, d * (k - 4) // 2 + 1)": "d * (k - 4) // 2 + 1"
        },
    },
    "5.6": {
        "autograd misses a dependency of one layer. Change the input, compare outputs.": {
            "(layer(nudged) != still)[0].any(dim=-1)": (
                "torch.autograd.functional.jacobian(layer, x)[0, :, :, 0, j].sum((1, 2)) != 0"
            )
        },
        "You change one channel of token j, but an output may depend on another channel. "
        "Change all d channels.": {
            "nudged[0, j] += torch.randn(d, generator=generator)": "nudged[0, j, 0] += 1"
        },
        "You compare only the first channel. Compare all d.": {"[0].any(dim=-1)": "[0, :, 0]"},
        "Your matrix is transposed. Row i is output i, column j is input j.": {
            "return connected": "return connected.T"
        },
        "Your matrix is not boolean. Use dtype=torch.bool.": {", dtype=torch.bool": ""},
    },
}
EXERCISES = {
    "5.1": FunctionExercise(
        receptive_field,
        lambda: [
            ((3, 3), (1, 1)),
            ((3, 5, 2), (1, 2, 1)),
            ((2, 2, 2, 2), (1, 2, 4, 8)),
            ((7,), (3,)),
        ],
        MISTAKES["5.1"],
    ),
    "5.2": FunctionExercise(
        smallest_kernel, lambda: [(2,), (5,), (6,), (7,), (9,), (64,), (101,)], MISTAKES["5.2"]
    ),
    "5.3": FunctionExercise(
        neighbours_only, lambda: [(10, 4, 2), (64, 8, 3), (9, 5, 8), (33, 2, 1)], MISTAKES["5.3"]
    ),
    "5.4": FunctionExercise(
        crossover, lambda: [(64, 7), (64, 3), (5, 5), (7, 9), (512, 31), (6, 4)], MISTAKES["5.4"]
    ),
    "5.5": named_values(GROWTH),
    "5.6": FunctionExercise(
        connectivity_by_nudging,
        lambda: [(layer, n, 3) for n in (4, 7) for layer in LAYERS],
        MISTAKES["5.6"],
    ),
}
