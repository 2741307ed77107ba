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
VALUES = (8.0, 2.0, 4.0)  # of the words the, cat, milk


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
        return "a pair (right, wrong) of two lists of three scores is expected"
    right, wrong = (torch.as_tensor(scores, dtype=torch.float64) for scores in answer)
    if right.shape != (3,) or wrong.shape != (3,):
        return f"three scores each, got shapes {tuple(right.shape)} and {tuple(wrong.shape)}"
    if not (right.isfinite().all() and wrong.isfinite().all()):
        return "scores must be finite numbers"
    error_of_right, error_of_wrong = _error(right), _error(wrong)
    if error_of_right >= 0.5 and error_of_wrong < 1e-6:
        return "the other way round: the first list is the one that goes wrong"
    if error_of_right > 1e-6:
        return (
            f"on the first list it is wrong by {error_of_right:.2g}: no factor is missing only if "
            "no later score is larger than all before it"
        )
    if error_of_wrong < 1e-6:
        return "on the second list it is right: a larger score has to come after a smaller one"
    if error_of_wrong < 0.5:
        return (
            f"on the second list it is wrong by {error_of_wrong:.2f} only: "
            "let the scores rise further"
        )
    return None


def _error(scores):
    """How far the pass without rescaling is from the formula."""
    powers = (scores - scores.cummax(0).values).exp()
    values = torch.tensor(VALUES, dtype=torch.float64)
    return (powers @ values / powers.sum() - scores.softmax(0) @ values).abs().item()


# Merging


def _halves():
    generator = torch.Generator().manual_seed(0)
    cases = []
    for length, d, level in ((3, 2, 0.0), (5, 4, -3.0), (4, 3, 1000.0)):
        outputs = torch.randn(2, length, d, generator=generator)
        sums = level + torch.randn(2, length, generator=generator)
        sums[0, 0] -= level  # where the second half outweighs the first by far
        cases.append((outputs[0], sums[0], outputs[1], sums[1]))
    return cases


# Linear attention


def _sequences():
    return [noise((n, d), (n, d), (n, e), seed=n) for n, d, e in ((5, 3, 2), (7, 4, 4))]


# The chapter's solutions; a mistake is an edit of one of them


def my_merge(output_1, l_1, output_2, l_2):
    both = torch.logaddexp(l_1, l_2)  # (L,)
    share_1, share_2 = (l_1 - both).exp()[:, None], (l_2 - both).exp()[:, None]  # (L, 1)
    return share_1 * output_1 + share_2 * output_2, both


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


BLEND = "share_1 * output_1 + share_2 * output_2"

EXERCISES = {
    "8.1": ValueExercise(
        _table,
        {
            "this is one head: the model has 12": _table(heads=1),
            "a float16 has 2 bytes, not 4": _table(size=4),
            "this is half of it: a float16 has 2 bytes, and a table also holds the scores that a "
            "mask will hide": _table(size=1),
            "these are GB of 1000³ bytes: a GiB has 2^30": _table(unit=1e9),
            "these are MiB": _table(unit=2**20),
            "this is rounded down: the next whole number is nearer": _table() - 1,
        },
        rounded=True,
    ),
    "8.2": ValueExercise(
        _words,
        {
            "the cache keeps keys and values: a factor 2 is missing": _words(both=1),
            "this keeps a key for each head of queries: they share 8": _words(heads=40),
            "every layer has its own cache, and there are 40": _words(layers=1),
            "bfloat16 takes 2 bytes, not 4": _words(size=4),
            "a head has width 128: this is one number for each head": _words(width=1),
            "this is what one word takes: how many fit?": 2 * 40 * 8 * 128 * 2,
            "a GiB has 2^30 bytes, not 10^9": _words(free=24 * 10**9),
        },
    ),
    "8.3": OpenExercise(judge_forgetful),
    "8.4": FunctionExercise(
        my_merge,
        _halves,
        {
            "this is the plain mean of the outputs: the half with the larger sum counts more": {
                BLEND: "(output_1 + output_2) / 2"
            },
            "the outputs are added: each must be multiplied by its share first": {
                BLEND: "output_1 + output_2"
            },
            "You weight the two outputs by their log-sum-exps. Weight them by exp of the "
            "log-sum-exps, divided by their sum.": {
                "(l_1 - both).exp()": "(l_1 / (l_1 + l_2))",
                "(l_2 - both).exp()": "(l_2 / (l_1 + l_2))",
            },
            "the log-sum-exps are added: the sums below the logarithms are what adds up": {
                "output_2, both": "output_2, l_1 + l_2"
            },
            "the shares use added log-sum-exps: the sums below the logarithms are what adds up": {
                "torch.logaddexp(l_1, l_2)": "l_1 + l_2"
            },
            "the output is right, the log-sum-exp is not: this is the larger of the two": {
                "output_2, both": "output_2, torch.maximum(l_1, l_2)"
            },
            "the larger log-sum-exp was subtracted and is missing in the result: add it again": {
                "output_2, both": "output_2, both - torch.maximum(l_1, l_2)"
            },
            "the shares are swapped": {BLEND: "share_2 * output_1 + share_1 * output_2"},
            "exp overflows for a difference of 1000: let torch.logaddexp subtract the larger": {
                "torch.logaddexp(l_1, l_2)": "l_1 + torch.log(1 + torch.exp(l_2 - l_1))"
            },
            "exp overflows for a log-sum-exp of 1000: subtract the larger one first": {
                "torch.logaddexp(l_1, l_2)": "(l_1.exp() + l_2.exp()).log()",
                "(l_1 - both).exp()": "(l_1.exp() / (l_1.exp() + l_2.exp()))",
                "(l_2 - both).exp()": "(l_2.exp() / (l_1.exp() + l_2.exp()))",
            },
        },
        WRITE_YOUR_OWN,
    ),
    "8.5": FunctionExercise(
        my_depth,
        lambda: [(2, 2), (10, 4), (11, 4), (4097, 257), (100, 100), (21, 5), (10, 2), (50, 200)],
        {
            "round up: with a layer too few the first word is not reached": {"ceil": "floor"},
            "from the first word to the last there are n - 1 steps, not n": {"(n - 1)": "n"},
            "a layer takes width - 1 steps: the word itself is one of its width": {
                "(width - 1)": "width"
            },
            "this divides n by the width: there are n - 1 steps, and a layer takes width - 1": {
                "(n - 1) / (width - 1)": "n / width"
            },
            "2·width - 1 words are in the window, but the way leads in one direction only": {
                "(width - 1)": "(2 * width - 1)"
            },
            "both sides of the window are counted, but the way leads in one direction only": {
                "(width - 1)": "(2 * width - 2)"
            },
            "a window moves a fixed number of steps in each layer: the reach adds up, it does not "
            "multiply": {"(n - 1) / (width - 1)": "math.log(n, width)"},
        },
    ),
    "8.6": FunctionExercise(
        my_linear,
        _sequences,
        {
            "You read the state before adding the current token, so no token sees itself. Add "
            "first, then read.": {
                "        state = state + key[:, None] * value  # (d, e)\n": "",
                "        features = features + key  # (d,)\n": "",
                "(query @ features))": (
                    "(query @ features))\n"
                    "        state = state + key[:, None] * value\n"
                    "        features = features + key"
                ),
            },
            "later words are seen too: read the state before they are added": {
                "outputs.append(query @ state / (query @ features))": "pass",
                "torch.stack(outputs)": "q @ state / (q @ features)[:, None]",
            },
            "the sum of the weights is missing: divide by φ(q) · (sum of the φ(k))": {
                " / (query @ features)": ""
            },
            "each feature is divided by its own sum: divide the blend by φ(q) · (sum of φ(k))": {
                "query @ state / (query @ features)": "query @ (state / features[:, None])"
            },
            "multiplied by the sum of the weights: divide by it": {"/ (query": "* (query"},
            "φ is missing: the features of q and k are elu(x) + 1": {
                "torch.nn.functional.elu(x) + 1": "x"
            },
            "elu(x + 1) adds the 1 too early: φ(x) is elu(x) + 1": {"elu(x) + 1": "elu(x + 1)"},
            "φ is missing on the queries": {
                "q, k = (torch.nn.functional.elu(x) + 1 for x in (q, k))": (
                    "k = torch.nn.functional.elu(k) + 1"
                )
            },
            "elu alone is negative below 0: the + 1 is missing": {"elu(x) + 1": "elu(x)"},
            "only the last word is in the state: add to it, do not replace it": {
                "state + key": "key",
                "features + key": "key",
            },
            "this is the softmax: here a weight is φ(q) · φ(k)": {
                "q, k = (torch.nn.functional.elu(x) + 1 for x in (q, k))": (
                    "return torch.nn.functional.scaled_dot_product_attention("
                    "q, k, v, is_causal=True)"
                )
            },
        },
        {
            "the outputs are right, but a table of all pairs is made, a tensor {}: carry two sums "
            "along, the state and the features": makes(lambda q, k, v: (len(q), len(k))),
        },
    ),
}
