"""Exercises of chapter 8: attention in less memory, and in less time."""

import math

import torch

from d2lattn_book.exercises.checking import (
    WRITE_YOUR_OWN,
    FunctionExercise,
    OpenExercise,
    ValueExercise,
    makes,
    noise,
)

GIB = 2**30
VALUES = (8.0, 2.0, 4.0)  # of the tokens the, cat, milk


def _table(heads=12, n=50_000, size=2, unit=GIB):
    """Scores of one layer."""
    return round(heads * n**2 * size / unit)


def _words(both=2, layers=40, heads=8, width=128, size=2, free=24 * GIB):
    """Whole words whose keys and values fit."""
    return free // (both * layers * heads * width * size)


# Forgetting the rescale


def judge_forgetful(answer):
    """Two lists of three scores: the pass that never rescales is right on the first alone."""
    if not isinstance(answer, (tuple, list)) or len(answer) != 2:
        return "Give a pair (right, wrong) of two lists of three scores."
    right, wrong = (torch.as_tensor(scores, dtype=torch.float64) for scores in answer)
    if right.shape != (3,) or wrong.shape != (3,):
        return (
            f"Give three scores each. Yours have shapes {tuple(right.shape)}, {tuple(wrong.shape)}"
        )
    if not (right.isfinite().all() and wrong.isfinite().all()):
        return "Give finite numbers as scores."
    error_of_right, error_of_wrong = _error(right), _error(wrong)
    if error_of_right >= 0.5 and error_of_wrong < 1e-6:
        return "You swapped the lists. The first list must come out right, the second wrong."
    if error_of_right > 1e-6:
        return (
            f"On your first list the code is wrong by {error_of_right:.2g}. It is right only if "
            "no later score is larger than all earlier ones."
        )
    if error_of_wrong < 1e-6:
        return "The code is right on your second list. Put a larger score after a smaller."
    if error_of_wrong < 0.5:
        return (
            f"On your second list the code is wrong by only {error_of_wrong:.2f}. "
            "Let the scores rise further."
        )
    return None


def _error(scores):
    """How far the pass without rescaling is from the formula."""
    powers = (scores - scores.cummax(0).values).exp()
    values = torch.tensor(VALUES, dtype=torch.float64)
    return (powers @ values / powers.sum() - scores.softmax(0) @ values).abs().item()


# Merging


def _halves():
    cases = []
    for length, d, level in ((3, 2, 0.0), (5, 4, -3.0), (4, 3, 1000.0)):
        outputs, sums = noise((2, length, d), (2, length), seed=length)
        sums += level
        sums[0, 0] -= level  # where the second half outweighs the first by far
        cases.append((outputs[0], sums[0], outputs[1], sums[1]))
    return cases


# Linear attention


def _sequences():
    return [noise((n, d), (n, d), (n, e), seed=n) for n, d, e in ((5, 3, 2), (7, 4, 4))]


# The chapter's solutions; a mistake is an edit of one of them


def _merged(normalizer=1 / 4, accumulator=1 / 4):
    """The output of two blocks, the sums of the first multiplied by these factors."""
    return (10 * accumulator + 3) / (2 * normalizer + 1.5)


def my_merge(output_1, l_1, output_2, l_2):
    both = torch.logaddexp(l_1, l_2)  # (L,)
    weight_1, weight_2 = (l_1 - both).exp()[:, None], (l_2 - both).exp()[:, None]  # (L, 1)
    return weight_1 * output_1 + weight_2 * output_2, both


def my_depth(n, width):
    return math.ceil((n - 1) / (width - 1))


def my_linear(q, k, v):
    q, k = (torch.nn.functional.elu(x) + 1 for x in (q, k))  # their features
    state, features = q.new_zeros(q.shape[1], v.shape[1]), q.new_zeros(q.shape[1])
    outputs = []
    for query, key, value in zip(q, k, v, strict=True):
        state = state + key[:, None] * value  # (d, e)
        features = features + key  # (d,)
        outputs.append(query @ state / (query @ features))
    return torch.stack(outputs)


OUTPUT = "weight_1 * output_1 + weight_2 * output_2"

NO_TABLE = {
    "The outputs are right, but you build a table of all pairs, a tensor {}. Keep two "
    "running sums.": makes(lambda q, k, v: (len(q), len(k)))
}
MISTAKES: dict[str, dict] = {
    "8.1": {
        "You counted one head. The model has 12.": _table(heads=1),
        "You counted 4 bytes per number. float16 takes 2.": _table(size=4),
        "This is half of the answer. float16 takes 2 bytes; masked scores count, too.": _table(
            size=1
        ),
        "These are GB of 1000³ bytes. Give GiB of 2^30.": _table(unit=1e9),
        "These are MiB. The answer is in GiB: divide by 1024.": _table(unit=2**20),
        "You rounded down to whole GiB. Round to the nearest whole number.": _table() - 1,
    },
    "8.2": {
        "The cache holds keys and values: a factor 2 is missing.": _words(both=1),
        "You counted a key for each query head. They share 8 KV heads.": _words(heads=40),
        "Every layer has its own cache, and there are 40.": _words(layers=1),
        "You counted 4 bytes per number. bfloat16 takes 2.": _words(size=4),
        "You counted one number per KV head. Its key and value have 128 each.": _words(width=1),
        "These are the bytes of one token. How many tokens fit?": 2 * 40 * 8 * 128 * 2,
        "A GiB has 2^30 bytes, not 10^9.": _words(free=24 * 10**9),
    },
    "8.3": {
        "The first block counts from 0, the second from ln 4. Rescale the first.": _merged(1, 1),
        "You multiplied by 4. The first maximum is smaller: its sums shrink.": _merged(4, 4),
        "Rescale the accumulator of the first block, too.": _merged(accumulator=1),
        "Rescale the normalizer of the first block, too.": _merged(normalizer=1),
        "You averaged the outputs. Weight output i by its normalizer times exp(mᵢ − m).": 3.5,
        "This is the accumulator of both blocks. Divide it by their normalizer.": 5.5,
    },
    "8.4": {
        "This is one layer. Information moves through all six.": (3, 500),
        "Token 500 is one of the 19 tokens. The farthest of them is 18 back.": (19, 500),
        "A window of 4 moves information by 3 positions: the token itself is in it.": (24, 500),
        "Both answers are distances. Token 0 is 500 positions back, not 501.": (18, 501),
        "The windows add nothing beyond token 0, and there is no token before it.": (18, 515),
        "One layer of full attention is enough to reach token 0.": (18, 15),
    },
    "8.6": {
        "This is the plain mean. Weight each output by the normalizer of its block.": {
            OUTPUT: "(output_1 + output_2) / 2"
        },
        "You added the outputs. Weight each of them first.": {OUTPUT: "output_1 + output_2"},
        "Your weights use added log-sum-exps. Add their exponentials instead.": {
            "torch.logaddexp(l_1, l_2)": "l_1 + l_2"
        },
        "The output is right. Return the log-sum-exp of both blocks, not the larger one.": {
            "output_2, both": "output_2, torch.maximum(l_1, l_2)"
        },
        "You swapped the two weights.": {OUTPUT: "weight_2 * output_1 + weight_1 * output_2"},
        "exp overflows for a difference of 1000. Use torch.logaddexp.": {
            "torch.logaddexp(l_1, l_2)": "l_1 + torch.log(1 + torch.exp(l_2 - l_1))"
        },
        "exp overflows for a log-sum-exp of 1000. Subtract the larger one first.": {
            "torch.logaddexp(l_1, l_2)": "(l_1.exp() + l_2.exp()).log()",
            "(l_1 - both).exp()": "(l_1.exp() / (l_1.exp() + l_2.exp()))",
            "(l_2 - both).exp()": "(l_2.exp() / (l_1.exp() + l_2.exp()))",
        },
    },
    "8.7": {
        "Round up: one layer too few does not connect the ends.": {"ceil": "floor"},
        "From the first token to the last there are n − 1 positions, not n.": {"(n - 1)": "n"},
        "A layer moves information by width − 1 positions.": {"(width - 1)": "width"},
        "You counted both sides of the window. Information moves in one direction only.": {
            "(width - 1)": "(2 * width - 2)"
        },
    },
    "8.8": {
        "You read the state before adding the current token, so no token sees itself. Add "
        "first, then read.": {
            "query @ state": "query @ (state - key[:, None] * value)",
            "query @ features": "query @ (features - key)",
        },
        "You let a token attend to later tokens. Read the state before they are added.": {
            "outputs.append(query @ state / (query @ features))": "pass",
            "torch.stack(outputs)": "q @ state / (q @ features)[:, None]",
        },
        "You did not normalize. Divide by φ(q) · (sum of φ(k)).": {" / (query @ features)": ""},
        "You divided each feature by its own sum. Divide the output by φ(q) · (sum of φ(k)).": {
            "query @ state / (query @ features)": "query @ (state / features[:, None])"
        },
        "You multiplied by the sum of the weights. Divide by it.": {"/ (query": "* (query"},
        "φ is missing. Features are φ(x) = elu(x) + 1.": {"torch.nn.functional.elu(x) + 1": "x"},
        "You computed elu(x + 1). φ(x) is elu(x) + 1.": {"elu(x) + 1": "elu(x + 1)"},
        "The + 1 is missing: elu alone is negative below 0.": {"elu(x) + 1": "elu(x)"},
    },
}
EXERCISES = {
    "8.1": ValueExercise(_table, MISTAKES["8.1"], rounded=True),
    "8.2": ValueExercise(_words, MISTAKES["8.2"]),
    "8.3": ValueExercise(_merged, MISTAKES["8.3"]),
    "8.4": ValueExercise(lambda: (18, 500), MISTAKES["8.4"]),
    "8.5": OpenExercise(judge_forgetful),
    "8.6": FunctionExercise(my_merge, _halves, MISTAKES["8.6"], WRITE_YOUR_OWN),
    "8.7": FunctionExercise(
        my_depth,
        lambda: [(2, 2), (10, 4), (11, 4), (4097, 257), (100, 100), (21, 5), (10, 2), (50, 200)],
        MISTAKES["8.7"],
    ),
    "8.8": FunctionExercise(my_linear, _sequences, MISTAKES["8.8"], NO_TABLE),
}
