"""Exercises of chapter 7: relative positions."""

import math

import torch

from d2lattn.exercises.checking import FunctionExercise, ValueExercise
from d2lattn.positions import alibi_bias, apply_rotary, shift_matrix


def _split_columns(dim):
    """Column numbers with all sines first, then all cosines."""
    return torch.cat([torch.arange(0, dim, 2), torch.arange(1, dim, 2)])


def _speed_for_each_column(delta, dim):
    """The block of pair j turned at 10000^(-j/dim): the exponent lacks its factor 2."""
    M = torch.zeros(dim, dim, dtype=torch.float64)
    for pair in range(dim // 2):
        block = slice(2 * pair, 2 * pair + 2)
        M[block, block] = shift_matrix(delta * 10000 ** (-pair / dim), 2)
    return M


def _rows(*sizes):
    generator = torch.Generator().manual_seed(0)
    return [(torch.randn(length, d, generator=generator),) for length, d in sizes]


def _turned_once(x):
    """All pairs at speed 1."""
    pairs = x.unflatten(-1, (-1, 2)).transpose(0, 1)  # (d/2, length, 2)
    return apply_rotary(pairs).transpose(0, 1).flatten(-2)


def _turned_back(x):
    """Angles with the wrong sign: swapping the two of a pair mirrors the turn."""
    mirrored = x.unflatten(-1, (-1, 2)).flip(-1).flatten(-2)
    return apply_rotary(mirrored).unflatten(-1, (-1, 2)).flip(-1).flatten(-2)


def _alibi(num_heads, length, first=1, sign=-1, causal=True, shares=None):
    heads = torch.arange(first, first + num_heads)
    i = torch.arange(length)
    offset = i[:, None] - i
    bias = sign * (2.0 ** (-8 * heads / (shares or num_heads)))[:, None, None] * offset
    return bias.masked_fill(offset < 0, -torch.inf) if causal else bias


def _bias(table, length, sign=1, beyond=torch.clamp):
    m = len(table) // 2
    i = torch.arange(length)
    return table[beyond(sign * (i[:, None] - i), -m, m) + m]


def _around(offset, low, high):
    """Offsets beyond the ends come back at the other end."""
    return (offset - low) % (high - low + 1) + low


EXERCISES = {
    "7.1": ValueExercise(
        lambda: math.sin(2),
        {
            "this is the cosine: the key (0, 1) stands at a right angle to the query": math.cos(2),
            "the key is ahead of the query in this answer: the query stands two further on": (
                -math.sin(2)
            ),
            "without the turns the score is 0: turn the query by 5 and the key by 3": 0.0,
            "this turns only the query: the key at position 3 is turned by 3": math.sin(5),
        },
    ),
    "7.2": FunctionExercise(
        lambda delta, dim: shift_matrix(delta, dim),
        lambda: [(1, 2), (3, 4), (10, 6)],
        {
            "it moves back: the minus sign stands in the wrong row of the block": (
                lambda delta, dim: shift_matrix(-delta, dim)
            ),
            "the exponent is c/dim with the even column c, or 2j/dim for pair j: a 2 is missing": (
                _speed_for_each_column
            ),
            "all sines come first here: sine and cosine of a pair are neighbours": (
                lambda delta, dim: shift_matrix(delta, dim)[_split_columns(dim)][
                    :, _split_columns(dim)
                ]
            ),
            "all blocks turn at speed 1: each pair has a speed of its own": (
                lambda delta, dim: torch.block_diag(*[shift_matrix(delta, 2)] * (dim // 2))
            ),
        },
    ),
    "7.3": FunctionExercise(
        apply_rotary,
        lambda: _rows((5, 4), (7, 6)),
        {
            "the pairs are (j, j + d/2): this is the half-split layout": (
                lambda x: apply_rotary(x, interleaved=False)
            ),
            "the first position is 0 and stays as it is: positions start at 1 here": (
                lambda x: apply_rotary(x, offset=1)
            ),
            "the pairs turn the other way: check the signs of the two sines": _turned_back,
            "all pairs turn at speed 1: pair j has speed 10000^(-2j/d)": _turned_once,
            "the pairs are turned right but not put back side by side: stack, then flatten": (
                lambda x: apply_rotary(x)[:, _split_columns(x.shape[1])]
            ),
        },
    ),
    "7.4": FunctionExercise(
        _alibi,
        lambda: [(2, 3), (4, 5), (8, 7)],
        {
            "the sign is wrong: distant keys are raised instead of lowered": (
                lambda num_heads, length: _alibi(num_heads, length, sign=1)
            ),
            "the future is not masked: later keys must get -inf": (
                lambda num_heads, length: _alibi(num_heads, length, causal=False)
            ),
            "later keys get -m|i - j| here, and must get -inf: mask the future": alibi_bias,
            "the slopes are 2^(-h), right for 8 heads alone: the exponent is -8h/H": (
                lambda num_heads, length: _alibi(num_heads, length, shares=8)
            ),
            "the slopes start at h = 0: h runs from 1 to H": (
                lambda num_heads, length: _alibi(num_heads, length, first=0)
            ),
            "the heads are in the wrong order: the first has the steepest slope": (
                lambda num_heads, length: _alibi(num_heads, length).flip(0)
            ),
        },
    ),
    "7.5": FunctionExercise(
        _bias,
        lambda: [(torch.arange(5.0) ** 2, 4), (torch.arange(3.0) ** 2 - 1, 6)],
        {
            "the offset is j - i here: the first number belongs to keys ahead of the query": (
                lambda table, length: _bias(table, length, sign=-1)
            ),
            "offsets beyond ±m come back at the other end: clamp them": (
                lambda table, length: _bias(table, length, beyond=_around)
            ),
        },
    ),
    "7.6": ValueExercise(
        lambda: 1,
        {
            "a full turn is 2π, not 1 radian: 32 · 0.1 = 3.2 is half a turn": 2,
            "the speeds fall: 1, 0.1, 0.01, 0.001 radians per position": 4,
            "the first pair turns by 32 radians: that is more than 2π": 0,
        },
    ),
}
