"""Exercises of chapter 7: relative positions."""

import math

import torch

from d2lattn_book.exercises.checking import (
    WRITE_YOUR_OWN,
    FunctionExercise,
    OpenExercise,
    ValueExercise,
    noise,
)

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
    frequencies = 10000 ** (-torch.arange(0, d, 2) / d)  # (d/2,)
    angles = torch.arange(length)[:, None] * frequencies  # (length, d/2)
    a, b = x[:, 0::2], x[:, 1::2]
    rotated = (a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos())
    return torch.stack(rotated, dim=-1).flatten(-2)


def my_alibi(num_heads, length):
    slopes = 2.0 ** (-8 * torch.arange(1, num_heads + 1) / num_heads)  # (H,)
    i = torch.arange(length)
    distance = i[:, None] - i  # (length, length)
    bias = -slopes[:, None, None] * distance  # (H, length, length)
    return bias.masked_fill(distance < 0, -torch.inf)


def my_bias(table, length):
    m = len(table) // 2
    i = torch.arange(length)
    return table[(i[:, None] - i).clamp(-m, m) + m]


TESTS = {  # of two methods, and why a test fails to tell some of them apart
    "another task": "At the trained length these two tie on both tasks of section 7.6.",
    "longer texts": "On longer texts both fall about to the vote.",
    "later start": "RoPE, ALiBi and NoPE do the same wherever a text starts, and a learned table "
    "has no row for position 500.",
    "skipped positions": "Keep this test for two methods that both add a row per position.",
}
TIES = {  # two methods that tie at the trained length, and the tests that tell them apart
    "RoPE and ALiBi, on latest value": ("another task", "longer texts"),
    "RoPE and NoPE, on latest value": ("another task", "longer texts"),
    "RoPE and sinusoids, on five back": ("longer texts", "later start"),
    "sinusoids and a learned table, on the commoner letter (chapter 6)": ("skipped positions",),
}


def _judge_ties(answer):
    """The first pair whose test does not tell it apart."""
    if not isinstance(answer, dict) or not TIES.keys() <= answer.keys():
        return "the dictionary with all its entries is expected"
    for pair, telling in TIES.items():
        if answer[pair] is ...:
            return f"“{pair}” has no test yet."
        if answer[pair] not in TESTS:
            return f"{answer[pair]!r} is none of the four tests."
        if answer[pair] not in telling:
            return f"Look again at “{pair}”. {TESTS[answer[pair]]}"
    if len({*answer.values()}) < len(TESTS):
        return "Use every test once. “later start” tells only one of these pairs apart."
    return None


LAST = "return torch.stack(rotated, dim=-1).flatten(-2)"

MISTAKES: dict[str, dict] = {
    "7.1": {
        "This is cos 2. The key starts a quarter turn ahead: take cos(2 − π/2).": math.cos(2),
        "The sign is wrong. The query comes two positions after the key.": (-math.sin(2)),
        "The angle is 2 radians, not 2 degrees.": math.sin(math.radians(2)),
        "Without rotation the score is 0. Rotate the query by 5 and the key by 3.": 0.0,
        "You rotated only the query. Rotate the key at position 3 as well, by 3θ.": math.sin(5),
    },
    "7.2": {
        "Your matrix shifts backwards: the minus sign is in the wrong row of the block.": {
            "angle = delta": "angle = -delta"
        },
        "A 2 is missing in the exponent. It is 2j/dim for pair j.": {"-c / dim": "-c / 2 / dim"},
        "Your exponent has the 2 twice: c is already 2j.": {"-c / dim": "-2 * c / dim"},
        "Frequencies must fall: make the exponent negative.": {"(-c / dim)": "(c / dim)"},
        "Both sines have the same sign. One needs a minus.": {"= -math.sin": "= math.sin"},
        "All blocks have frequency 1. Use 10000^(-2j/dim).": {" * 10000 ** (-c / dim)": ""},
    },
    "7.3": {
        "You paired (j, j + d/2), the half-split layout. Pair columns 2j and 2j + 1.": {
            "x[:, 0::2], x[:, 1::2]": "x[:, : d // 2], x[:, d // 2 :]",
            "torch.stack(rotated, dim=-1).flatten(-2)": "torch.cat(rotated, dim=-1)",
        },
        "Your positions start at 1, not at 0.": {"arange(length)": "arange(1, length + 1)"},
        "Your pairs rotate the other way. Check the signs of the two sines.": {
            "[:, None] * frequencies": "[:, None] * -frequencies"
        },
        "The 2 is missing in your exponent. Pair j has frequency 10000^(-2j/d).": {
            "arange(0, d, 2)": "arange(d // 2)"
        },
        "Your exponent has the 2 twice: arange(0, d, 2) is already 2j.": {
            "-torch.arange(0, d, 2)": "-2 * torch.arange(0, d, 2)"
        },
        "Frequencies must fall: make the exponent negative.": {"-torch.arange": "torch.arange"},
        "You pair columns j and j + d/2, but repeat the angles for columns 2j and 2j + 1. Pair "
        "columns 2j and 2j + 1.": {
            LAST: (
                "angles, half = angles.repeat_interleave(2, dim=-1), d // 2\n"
                "    other = torch.cat((-x[:, half:], x[:, :half]), dim=-1)\n"
                "    return x * angles.cos() + other * angles.sin()"
            )
        },
        "You pair columns 2j and 2j + 1, but repeat the angles for columns j and j + d/2. Use "
        "repeat_interleave.": {
            LAST: (
                "angles = torch.cat((angles, angles), dim=-1)\n"
                "    other = torch.stack((-b, a), dim=-1).flatten(-2)\n"
                "    return x * angles.cos() + other * angles.sin()"
            )
        },
        "Your rotated part is in halves, but x is interleaved. Stack, then flatten.": {
            LAST: (
                "angles = torch.cat((angles, angles), dim=-1)\n"
                "    return x * angles.cos() + torch.cat((-b, a), dim=-1) * angles.sin()"
            )
        },
        "The rotation is right, but the pairs are not interleaved. Stack, then flatten.": {
            "torch.stack(rotated, dim=-1).flatten(-2)": "torch.cat(rotated, dim=-1)"
        },
    },
    "7.4": {
        "The sign is wrong: distant keys get higher scores. Lower them.": {"-slopes": "slopes"},
        "Mask the future: later keys get -inf.": {".masked_fill(distance < 0, -torch.inf)": ""},
        "Later keys get -m|i - j|. Mask the future: they must get -inf.": {
            "* distance": "* distance.abs()",
            ".masked_fill(distance < 0, -torch.inf)": "",
        },
        "Every query has the bias of the last one. Return -m·(i - j).": {
            "* distance": "* distance[-1:].expand(length, length)"
        },
        "Your slopes 2^(-h) are right for 8 heads only. The exponent is -8h/H.": {
            "-8 * torch": "-torch",
            " / num_heads": "",
        },
        "Your h starts at 0. It runs from 1 to H.": {
            "arange(1, num_heads + 1)": "arange(num_heads)"
        },
    },
    "7.5": {
        "You used j − i. The distance is i − j, positive for earlier keys.": {
            "i[:, None] - i": "i - i[:, None]"
        },
        "You dropped the sign. Earlier and later keys have different numbers.": {
            "(i[:, None] - i)": "(i[:, None] - i).abs()"
        },
        "Distance 0 is in the table's middle. Add m.": {"clamp(-m, m) + m": "clamp(-m, m)"},
        "The table has no entry beyond ±m. Clamp the distances before you look them up.": {
            ".clamp(-m, m)": ""
        },
    },
    "7.6": {
        "A full turn is 2π radians, not 1: 32 · 0.1 = 3.2 radians are half a turn.": 2,
        "The frequencies fall: 1, 0.1, 0.01, 0.001 radians per position.": 4,
        "The first pair rotates by 32 radians, which is more than 2π.": 0,
    },
}
EXERCISES = {
    "7.1": ValueExercise(lambda: math.sin(2), MISTAKES["7.1"]),
    "7.2": FunctionExercise(my_shift, lambda: [(1, 2), (3, 4), (10, 6)], MISTAKES["7.2"]),
    "7.3": FunctionExercise(
        my_rope, lambda: [(x,) for x in noise((5, 4), (7, 6))], MISTAKES["7.3"], WRITE_YOUR_OWN
    ),
    "7.4": FunctionExercise(my_alibi, lambda: [(2, 3), (4, 5), (8, 7), (16, 3)], MISTAKES["7.4"]),
    "7.5": FunctionExercise(
        my_bias,
        lambda: [(torch.arange(5.0) ** 2, 4), (torch.arange(3.0) ** 2 - 1, 6)],
        MISTAKES["7.5"],
    ),
    "7.6": ValueExercise(lambda: 1, MISTAKES["7.6"]),
    "7.7": OpenExercise(
        _judge_ties, lambda answer: isinstance(answer, dict) and {*answer.values()} == {...}
    ),
}
