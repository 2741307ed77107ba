"""Exercise 3.5 has no single reference: each of its traps must be named, whoever falls into it."""

import math

import pytest
import torch

from d2lattn import check, masked_softmax


def filled(scores, mask):
    return scores.masked_fill(~mask, -math.inf).softmax(-1)


def repaired_after_adding(scores, mask):
    return (
        (scores + torch.zeros(scores.shape).masked_fill(~mask, -math.inf)).softmax(-1).nan_to_num()
    )


def without_maximum(scores, mask):
    exponentials = scores.exp() * mask
    return exponentials / exponentials.sum(-1, keepdim=True)


def repaired(scores, mask):
    return filled(scores, mask).nan_to_num()


def uniform(scores, mask):
    return scores.masked_fill(~mask, -1e6).softmax(-1)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (masked_softmax, "correct"),
        (lambda scores, mask: ..., "not attempted yet"),
        (lambda scores, mask: scores[0], "shape of the scores"),
        (lambda scores, mask: filled(scores, ~mask), "the weights are wrong where every query has"),
        (without_maximum, "exp overflows, subtract the largest score"),
        (filled, "NaN where query 2 has no key"),
        (uniform, "the weights are wrong where query 2 has no key"),
        (repaired_after_adding, "their gradient is NaN where query 2 has no key"),
        (repaired, "scores that are all -inf"),
    ],
)
def test_each_trap_is_named(answer, said, capsys):
    check("3.5", answer)
    assert said in capsys.readouterr().out
