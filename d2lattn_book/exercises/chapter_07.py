"""Exercises of chapter 7: relative positions."""

import math

import torch

from d2lattn_book.exercises.checking import WRITE_YOUR_OWN, FunctionExercise, ValueExercise, noise

# The chapter's solutions; a mistake is an edit of one of them


def my_shift(delta, dim):
    M = torch.zeros(dim, dim, dtype=torch.float64)
    for c in range(0, dim, 2):
        angle = delta * 10000 ** (-c / dim)
        M[c, c] = M[c + 1, c + 1] = math.cos(angle)
        M[c, c + 1] = math.sin(angle)
        M[c + 1, c] = -math.sin(angle)
    return M


def my_rope(x):
    length, d = x.shape
    speeds = 10000 ** (-torch.arange(0, d, 2) / d)  # (d/2,)
    angles = torch.arange(length)[:, None] * speeds  # (length, d/2)
    a, b = x[:, 0::2], x[:, 1::2]
    turned = (a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos())
    return torch.stack(turned, dim=-1).flatten(-2)


def my_alibi(num_heads, length):
    slopes = 2.0 ** (-8 * torch.arange(1, num_heads + 1) / num_heads)  # (H,)
    i = torch.arange(length)
    lag = i[:, None] - i  # (length, length)
    bias = -slopes[:, None, None] * lag  # (H, length, length)
    return bias.masked_fill(lag < 0, -torch.inf)


def my_bias(table, length):
    m = len(table) // 2
    i = torch.arange(length)
    return table[(i[:, None] - i).clamp(-m, m) + m]


LAST = "return torch.stack(turned, dim=-1).flatten(-2)"

EXERCISES = {
    "7.1": ValueExercise(
        lambda: math.sin(2),
        {
            "this is the cosine: the key (0, 1) stands at a right angle to the query": math.cos(2),
            "the key is ahead of the query in this answer: the query stands two further on": (
                -math.sin(2)
            ),
            "the angle is 2 radians, not 2 degrees": math.sin(math.radians(2)),
            "without the turns the score is 0: turn the query by 5 and the key by 3": 0.0,
            "this turns only the query: the key at position 3 is turned by 3": math.sin(5),
        },
    ),
    "7.2": FunctionExercise(
        my_shift,
        lambda: [(1, 2), (3, 4), (10, 6)],
        {
            "it moves back: the minus sign stands in the wrong row of the block": {
                "angle = delta": "angle = -delta"
            },
            "the exponent is c/dim with the even column c, or 2j/dim for pair j: a 2 is missing": {
                "-c / dim": "-c / 2 / dim"
            },
            "the exponent has the 2 twice: c is 2j already": {"-c / dim": "-2 * c / dim"},
            "the speeds fall from pair to pair: the exponent is negative": {
                "(-c / dim)": "(c / dim)"
            },
            "both sines have the same sign: a turn has one minus": {"= -math.sin": "= math.sin"},
            "all sines come first here: sine and cosine of a pair are neighbours": {
                "M[c, c] = M[c + 1, c + 1]": "j, k = c // 2, (c + dim) // 2; M[j, j] = M[k, k]",
                "M[c, c + 1]": "M[j, k]",
                "M[c + 1, c] =": "M[k, j] =",
            },
            "all blocks turn at speed 1: each pair has a speed of its own": {
                " * 10000 ** (-c / dim)": ""
            },
        },
    ),
    "7.3": FunctionExercise(
        my_rope,
        lambda: [(x,) for x in noise((5, 4), (7, 6))],
        {
            "the pairs are (j, j + d/2): this is the half-split layout": {
                "x[:, 0::2], x[:, 1::2]": "x[:, : d // 2], x[:, d // 2 :]",
                "torch.stack(turned, dim=-1).flatten(-2)": "torch.cat(turned, dim=-1)",
            },
            "the first position is 0 and stays as it is: positions start at 1 here": {
                "arange(length)": "arange(1, length + 1)"
            },
            "the pairs turn the other way: check the signs of the two sines": {
                "[:, None] * speeds": "[:, None] * -speeds"
            },
            "the 2 is missing in the exponent: pair j has speed 10000^(-2j/d)": {
                "arange(0, d, 2)": "arange(d // 2)"
            },
            "the exponent has the 2 twice: arange(0, d, 2) is 2j already": {
                "-torch.arange(0, d, 2)": "-2 * torch.arange(0, d, 2)"
            },
            "the speeds fall from pair to pair: the exponent is negative": {
                "-torch.arange": "torch.arange"
            },
            "the second number is found from the first as it was before the turn: keep it": {
                "a * angles.sin() + b": "(a * angles.cos() - b * angles.sin()) * angles.sin() + b"
            },
            "sine and cosine are exchanged: at position 0 nothing turns": {
                "a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()": (
                    "a * angles.sin() - b * angles.cos(), a * angles.cos() + b * angles.sin()"
                )
            },
            "the pairs are cut as halves and put back as neighbours: columns 2j and 2j + 1": {
                "x[:, 0::2], x[:, 1::2]": "x[:, : d // 2], x[:, d // 2 :]"
            },
            "halves are paired, and have the angles of neighbours: pair columns 2j and 2j + 1": {
                LAST: (
                    "angles, half = angles.repeat_interleave(2, dim=-1), d // 2\n"
                    "    other = torch.cat((-x[:, half:], x[:, :half]), dim=-1)\n"
                    "    return x * angles.cos() + other * angles.sin()"
                )
            },
            "neighbours are paired, and have the angles of halves: both columns of pair j turn by "
            "its angle, so repeat_interleave": {
                LAST: (
                    "angles = torch.cat((angles, angles), dim=-1)\n"
                    "    other = torch.stack((-b, a), dim=-1).flatten(-2)\n"
                    "    return x * angles.cos() + other * angles.sin()"
                )
            },
            "the neighbours of x are turned in two halves, while x itself stays in its order: put "
            "each pair back side by side, stack, then flatten": {
                LAST: (
                    "angles = torch.cat((angles, angles), dim=-1)\n"
                    "    return x * angles.cos() + torch.cat((-b, a), dim=-1) * angles.sin()"
                )
            },
            "all pairs turn at speed 1: pair j has speed 10000^(-2j/d)": {
                "-torch.arange(0, d, 2)": "-torch.zeros(d // 2)"
            },
            "the pairs are turned right but not put back side by side: stack, then flatten": {
                "torch.stack(turned, dim=-1).flatten(-2)": "torch.cat(turned, dim=-1)"
            },
        },
        WRITE_YOUR_OWN,
    ),
    "7.4": FunctionExercise(
        my_alibi,
        lambda: [(2, 3), (4, 5), (8, 7), (16, 3)],
        {
            "the sign is wrong: distant keys are raised instead of lowered": {"-slopes": "slopes"},
            "the future is not masked: later keys must get -inf": {
                ".masked_fill(lag < 0, -torch.inf)": ""
            },
            "later keys get -m|i - j| here, and must get -inf: mask the future": {
                "* lag": "* lag.abs()",
                ".masked_fill(lag < 0, -torch.inf)": "",
            },
            "rows and columns are exchanged: query i is the row, key j the column": {
                "i[:, None] - i": "i - i[:, None]"
            },
            "every query has the row of the last one: the shares are the same, but the bias asked "
            "for is -m·(i - j)": {"* lag": "* lag[-1:].expand(length, length)"},
            "a word sees itself: lag 0 is not masked": {"lag < 0": "lag <= 0"},
            "the slopes are 2^(-h), right for 8 heads alone: the exponent is -8h/H": {
                "-8 * torch": "-torch",
                " / num_heads": "",
            },
            "8 // H is 0 for 16 heads, so all your slopes are 1: divide with /": {
                "-8 * torch.arange(1, num_heads + 1) / num_heads": (
                    "-(8 // num_heads) * torch.arange(1, num_heads + 1)"
                )
            },
            "You round the exponents -8h/H to whole numbers: divide with / instead of //": {
                " / num_heads": " // num_heads"
            },
            "the slopes start at h = 0: h runs from 1 to H": {
                "arange(1, num_heads + 1)": "arange(num_heads)"
            },
            "the heads are in the wrong order: the first has the steepest slope": {
                "-slopes[": "-slopes.flip(0)["
            },
        },
    ),
    "7.5": FunctionExercise(
        my_bias,
        lambda: [(torch.arange(5.0) ** 2, 4), (torch.arange(3.0) ** 2 - 1, 6)],
        {
            "the lag is j - i here: the first number belongs to keys ahead of the query": {
                "i[:, None] - i": "i - i[:, None]"
            },
            "the lag has lost its sign: keys behind and ahead have numbers of their own": {
                "(i[:, None] - i)": "(i[:, None] - i).abs()"
            },
            "lag 0 stands in the middle of the table: add m": {"clamp(-m, m) + m": "clamp(-m, m)"},
            "lags beyond ±m have no number in the table: clamp them first": {".clamp(-m, m)": ""},
            "lags beyond ±m come back at the other end: clamp them": {
                "table[(": "table[((",
                ".clamp(-m, m) + m": " + m) % len(table)",
            },
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
