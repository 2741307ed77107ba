"""Exercises of chapter 6: positional encoding."""

import math

import torch

from d2lattn.exercises.checking import FunctionExercise, OpenExercise, ValueExercise, is_starter
from d2lattn.positions import sinusoidal_encoding


def _encoding(length, dim, *, first=0, scale=2, power=1.0, swap=False, columns=False, halves=False):
    """The encoding, and what comes out when one thing in it is wrong."""
    column = torch.arange(dim, dtype=torch.float64)
    pair = column if columns else column // 2
    positions = torch.arange(first, first + length, dtype=torch.float64)[:, None]
    angles = positions * 10000.0 ** (-power * scale * pair / dim)  # (length, dim)
    sines = (column % 2 == 0) != swap
    P = torch.where(sines, angles.sin(), angles.cos())
    return torch.cat([P[:, 0::2], P[:, 1::2]], dim=-1) if halves else P


def _batches():
    generator = torch.Generator().manual_seed(0)
    P = torch.randn(9, 4, generator=generator)
    sizes = ((2, 5), (1, 9), (3, 3))
    return [(torch.randn(B, L, 4, generator=generator), P) for B, L in sizes]


def _bits(length, count, *, first=0, low=0):
    bits = torch.arange(first, first + length)[:, None] >> torch.arange(count) & 1
    return bits + low * (1 - bits)


def _noisy_rows():
    generator = torch.Generator().manual_seed(0)
    P = sinusoidal_encoding(1000, 32, dtype=torch.float64)
    noise = 0.2 * torch.rand(1000, 32, generator=generator, dtype=torch.float64) - 0.1
    return [(P[i] + noise[i],) for i in (700, 3, 0, 58, 999, 431)]


def _nearest(row):
    return int((sinusoidal_encoding(1000, 32, dtype=torch.float64) - row).norm(dim=-1).argmin())


def _by_one_pair(row, pair):
    angle = math.atan2(row[2 * pair], row[2 * pair + 1])
    return round(angle * 10000 ** (2 * pair / 32))


def _learns_nothing(answer):
    """Whether a class LearnedEncoding is still the starter."""
    layer = answer(9, 4)
    return not list(layer.parameters()) and is_starter(layer.forward, torch.zeros(2, 5, 4))


def _judge_learned(answer):
    """What is wrong with a class LearnedEncoding(max_len, dim), or None."""
    layer = answer(9, 4)
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(2, 5, 4, generator=generator)
    count = sum(p.numel() for p in layer.parameters() if p.requires_grad)
    if count == 0:
        return "there is nothing to learn: make the table an nn.Parameter or an nn.Embedding"
    if count != 9 * 4:
        return f"a table of max_len × dim = 36 numbers is expected, got {count} parameters"
    with torch.no_grad():  # whatever it starts from, zeros included
        for parameter in layer.parameters():
            parameter.normal_(generator=generator)
        result, zeros = layer(x), layer(torch.zeros_like(x))
        if not torch.is_tensor(result):
            return f"forward must return a tensor, got {type(result).__name__}"
        if result.shape != x.shape:
            return f"the shape is {tuple(result.shape)}, expected {tuple(x.shape)}"
        if not torch.allclose(zeros[0], zeros[1]):
            return "the sentences of a batch get different rows: add along the length, axis 1"
        if torch.allclose(zeros[0, 0], zeros[0, 1]):
            return "all positions get the same row: position i needs row i"
        if not torch.allclose(result, x + zeros, atol=1e-6):
            return "the rows must be added to x, and must not depend on it"
        if not torch.allclose(layer(x[:, :3]), result[:, :3], atol=1e-6):
            return "a shorter sentence gets other rows: position i needs row i"
    return None


EXERCISES = {
    "6.1": ValueExercise(
        lambda: [2 * math.pi, 200 * math.pi],
        {
            "these are the angles per position: the wavelength is 2π divided by them": [1, 0.01],
            "these are the divisors: a full turn is 2π": [1, 100],
            "the exponent is 2j/d, not j/d": [2 * math.pi, 20 * math.pi],
            "the exponent of the last pair is (d - 2)/d, not 1": [2 * math.pi, 20000 * math.pi],
            "the order is fast pair first": [200 * math.pi, 2 * math.pi],
        },
    ),
    "6.2": FunctionExercise(
        lambda x, P: x + P[: x.shape[1]],
        _batches,
        {
            "the encoding is added along the batch axis: axis 1 is the length": (
                lambda x, P: x + P[: x.shape[0], None]
            ),
            "as many rows as sentences are taken, P[:batch]: take one row for each position": (
                lambda x, P: x + P[: x.shape[0]]
            ),
            "every token gets row 0: token i needs row i": lambda x, P: x + P[0],
            "the rows are the last ones: token 0 needs row 0": lambda x, P: x + P[-x.shape[1] :],
            "the rows are multiplied: add them": lambda x, P: x * P[: x.shape[1]],
            "this is the encoding alone: add it to x": lambda x, P: P[: x.shape[1]].expand_as(x),
        },
    ),
    "6.3": FunctionExercise(
        _encoding,
        lambda: [(3, 4), (7, 5), (4, 1), (60, 32)],
        {
            "sine and cosine are swapped: even columns are sines": lambda n, d: _encoding(
                n, d, swap=True
            ),
            "the sines stand in the first half: alternate sine and cosine": lambda n, d: _encoding(
                n, d, halves=True
            ),
            "each column has a frequency of its own: columns 2j and 2j + 1 share that of pair j": (
                lambda n, d: _encoding(n, d, columns=True, scale=1)
            ),
            "the exponent uses the column 2·(2j)/d: it is 2j/d for both columns of pair j": (
                lambda n, d: _encoding(n, d, scale=4)
            ),
            "the exponent is 2j/d, not j/d": lambda n, d: _encoding(n, d, scale=1),
            "the position is multiplied by base^(2j/d): divide": lambda n, d: _encoding(
                n, d, power=-1.0
            ),
            "positions start at 1: the first row is position 0": lambda n, d: _encoding(
                n, d, first=1
            ),
        },
    ),
    "6.4": FunctionExercise(
        _bits,
        lambda: [(8, 3), (60, 6), (5, 4)],
        {
            "the highest bit comes first: column 0 is the lowest": lambda n, k: _bits(n, k).flip(1),
            "numbers start at 1: row 0 is the number 0": lambda n, k: _bits(n, k, first=1),
            "bits are 0 and 1, not -1 and 1": lambda n, k: _bits(n, k, low=-1),
            "the axes are swapped: one row for each number": lambda n, k: _bits(n, k).T,
        },
    ),
    "6.5": OpenExercise(_judge_learned, _learns_nothing),
    "6.6": FunctionExercise(
        _nearest,
        _noisy_rows,
        {
            "the slowest pair alone: an error of 0.1 moves it by hundreds of positions": (
                lambda row: _by_one_pair(row, 15)
            ),
            "the fastest pair alone: it repeats after 6.28 positions": (
                lambda row: _by_one_pair(row, 0)
            ),
            "this is the farthest row": lambda row: int(
                (sinusoidal_encoding(1000, 32, dtype=torch.float64) - row).norm(dim=-1).argmax()
            ),
            "this is the number of a column: compare with rows": lambda row: int(row.argmax()),
        },
    ),
}
