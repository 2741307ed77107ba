"""Exercises of chapter 6: positional encoding."""

import math

import torch

from d2lattn.positions import sinusoidal_encoding
from d2lattn_book.exercises.checking import (
    FunctionExercise,
    OpenExercise,
    ValueExercise,
    called,
    calls,
    is_starter,
    named_values,
    noise,
)


def _batches():
    *batches, P = noise((2, 5, 4), (1, 9, 4), (3, 3, 4), (9, 4))
    return [(batch, P) for batch in batches]


def _one_by_one(answer, length, dim):
    """Whether more functions are called for more positions."""
    return len(called(answer, 20 * length, dim)) > 5 * len(called(answer, length, dim))


def _noisy_rows():
    P = sinusoidal_encoding(1000, 32, dtype=torch.float64)
    (error,) = noise((1000, 32))
    return [(P[i] + 0.1 * error[i].sin(),) for i in (700, 3, 0, 58, 999, 431)]


def _learns_nothing(answer):
    """Whether a class LearnedEncoding is still the starter."""
    if isinstance(answer, torch.nn.Module):
        return False
    layer = answer(9, 4)
    return not list(layer.parameters()) and is_starter(layer.forward, torch.zeros(2, 5, 4))


def _judge_learned(answer):
    """What is wrong with a class LearnedEncoding(max_len, dim), or None."""
    if isinstance(answer, torch.nn.Module):
        return "You passed an instance. Pass the class itself."
    layer = answer(9, 4).eval()  # its dropout may be switched off
    generator = torch.Generator().manual_seed(0)
    (x,) = noise((2, 9, 4))
    count = sum(p.numel() for p in layer.parameters() if p.requires_grad)
    if count == 0:
        return "Your module has no parameters. Make the table an nn.Parameter or an nn.Embedding."
    if count != 9 * 4:
        return f"Your module has {count} parameters. It needs max_len × dim = 36."
    with torch.no_grad():  # whatever it starts from, zeros included
        for parameter in layer.parameters():
            parameter.normal_(generator=generator)
        result, zeros = layer(x), layer(torch.zeros_like(x))
        if not torch.is_tensor(result):
            return f"forward must return a tensor, got {type(result).__name__}"
        if result.shape != x.shape:
            return f"the shape is {tuple(result.shape)}, expected {tuple(x.shape)}"
        if not torch.allclose(zeros[0], zeros[1]):
            return "The sequences of a batch get different rows. Add along the length, axis 1."
        if torch.allclose(zeros[0, 0], zeros[0, 1]):
            return "All positions get the same row. Position i needs row i of the table."
        if not torch.allclose(result, x + zeros, atol=1e-6):
            return "Your rows depend on x. Add the same rows to any x."
        if not torch.allclose(layer(x[:, :3]), result[:, :3], atol=1e-6):
            return "A shorter sequence gets different rows. Position i needs row i of the table."
    if not layer(x).requires_grad:
        return "The rows get no gradient. Add the parameter itself, not its .data or a copy."
    if calls("d2lattn's")(layer, x):
        return "The result is right, but d2lattn adds the rows. Write that part yourself."
    return None


# The chapter's solutions; a mistake is an edit of one of them


def add_positions(X, P):
    return X + P[: X.shape[1]]  # (B, L, d) + (L, d)


def my_encoding(length, dim):
    positions = torch.arange(length, dtype=torch.float64)[:, None]  # (length, 1)
    angles = positions / 10000 ** (torch.arange(0, dim, 2) / dim).double()  # (length, ⌈dim/2⌉)
    P = torch.zeros(length, dim, dtype=torch.float64)
    P[:, 0::2] = angles.sin()
    P[:, 1::2] = angles.cos()[:, : dim // 2]
    return P


def my_bits(length, count):
    return torch.arange(length)[:, None] // 2 ** torch.arange(count) % 2


def position_of(row):
    P = sinusoidal_encoding(1000, 32, dtype=row.dtype)
    return int((P - row).norm(dim=1).argmin())  # the rows are at least 1.17 apart


CHANGES = {  # whether it changes if all positions grow by 7, and why
    "added: token vectors": (True, "Another row of P is added to each token."),
    "added: dot product of two rows of P": (False, "Both hands of a pair turn by the same angle."),
    "added: token–token term of a score": (False, "It contains no position."),
    "added: token–position term of a score": (True, "It contains the row of the key's position."),
    "added: attention weights": (True, "Token–position changes, and not by the same for all keys."),
    "RoPE: keys in the KV cache": (True, "Each key is rotated by the angle of its position."),
    "RoPE: values in the KV cache": (False, "Values are not rotated."),
    "RoPE: scores": (False, "Only the turn of i − j steps is left between a query and a key."),
    "RoPE: outputs": (False, "They are made of attention weights and values."),
}

MISTAKES: dict[str, dict] = {
    "6.1": {
        "These are the angles per position. Divide 2π by them.": [1, 0.01],
        "These are the divisors. Multiply them by 2π, one full turn.": [1, 100],
        "The exponent is 2j/d, not j/d.": [2 * math.pi, 20 * math.pi],
        "The exponent of the last pair is (d − 2)/d, not 1.": [2 * math.pi, 20000 * math.pi],
        "A full turn is 2π. π is half a turn.": [math.pi, 100 * math.pi],
        "You swapped the two wavelengths.": [200 * math.pi, 2 * math.pi],
    },
    "6.2": {
        "You added P along the batch axis.": {"X.shape[1]]": "X.shape[0], None]"},
        "You took P[:batch]. Take one row per position.": {"X.shape[1]": "X.shape[0]"},
        "Every token gets P[0]. Token i needs P[i].": {": X.shape[1]": "0"},
        "You took P's last rows. Token 0 needs P[0].": {": X.shape[1]": "-X.shape[1] :"},
        "Your rows start at P[1]. Token 0 needs P[0].": {": X.shape[1]": "1 : X.shape[1] + 1"},
        "You multiplied X by rows of P. Add them.": {"X + ": "X * "},
        "Add the rows of P to X.": {"X + P[: X.shape[1]]": "P[: X.shape[1]].expand_as(X)"},
    },
    "6.3": {
        "You swapped sine and cosine. Even columns are sines.": {
            "angles.cos()[": "angles.sin()[",
            "= angles.sin()\n": "= angles.cos()\n",
        },
        "Your sines fill the first half. Alternate sine and cosine.": {
            "P[:, 0::2]": "P[:, : (dim + 1) // 2]",
            "P[:, 1::2]": "P[:, (dim + 1) // 2 :]",
        },
        "Each column has its own frequency. Columns 2j and 2j + 1 share that of pair j.": {
            "arange(0, dim, 2)": "arange(dim)",
            "angles.sin()": "angles[:, 0::2].sin()",
            "angles.cos()[:, : dim // 2]": "angles[:, 1::2].cos()",
        },
        "Your exponent uses twice the column. It is 2j/d for both columns, 2j and 2j + 1.": {
            "torch.arange(0, dim, 2)": "2 * torch.arange(dim)",
            "angles.sin()": "angles[:, 0::2].sin()",
            "angles.cos()[:, : dim // 2]": "angles[:, 1::2].cos()",
        },
        "-log(10000) / d // 2 divides twice and rounds down to -1. Write (d // 2).": {
            "10000 ** (torch.arange(0, dim, 2) / dim).double()": (
                "torch.arange(0, dim, 2).double().exp()"
            )
        },
        "Your base is 1000. Use 10,000.": {"10000": "1000"},
        "The exponent is 2j/d, not j/d.": {"arange(0, dim, 2)": "arange((dim + 1) // 2)"},
        "You multiplied the position by base^(2j/d). Divide.": {
            "positions / 10000": "positions * 10000",
            "/ dim).double()": ".double() / dim)",
        },
        "Your positions start at 1, not at 0.": {"arange(length,": "arange(1, length + 1,"},
    },
    "6.4": {
        "Put the lowest bit in column 0.": {"arange(count)": "arange(count).flip(0)"},
        "You did not round the quotient down. Use //.": {"[:, None] //": "[:, None] /"},
        "These are the quotients i // 2^k. Bit k is their remainder: add `% 2`.": {" % 2": ""},
        "Row 0 is the number 0. You start at 1.": {"arange(length)": "arange(1, length + 1)"},
    },
    "6.6": {
        "The slowest pair alone is off by hundreds for an error of 0.1. Use all columns.": {
            "int((P - row).norm(dim=1).argmin())": (
                "round(math.atan2(row[30], row[31]) * 10000 ** (30 / 32))"
            )
        },
    },
}
EXERCISES = {
    "6.1": ValueExercise(lambda: [2 * math.pi, 200 * math.pi], MISTAKES["6.1"]),
    "6.2": FunctionExercise(add_positions, _batches, MISTAKES["6.2"]),
    "6.3": FunctionExercise(
        my_encoding,
        lambda: [(3, 4), (7, 5), (4, 1), (60, 32)],
        MISTAKES["6.3"],
        {"The numbers are right, but you loop over positions. Multiply instead.": _one_by_one},
    ),
    "6.4": FunctionExercise(my_bits, lambda: [(8, 3), (60, 6), (5, 4)], MISTAKES["6.4"]),
    "6.5": OpenExercise(_judge_learned, _learns_nothing),
    "6.6": FunctionExercise(position_of, _noisy_rows, MISTAKES["6.6"]),
    "6.7": named_values(CHANGES),
}
