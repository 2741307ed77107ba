"""Whether values may decide what is done next, in which precision, and where it is done."""

import functools
import math
from collections.abc import Callable
from contextlib import nullcontext
from typing import ParamSpec, TypeVar

import torch

Given = ParamSpec("Given")
Result = TypeVar("Result")

NOTHING = nullcontext()
TAME = 1e15  # the product of two such numbers, summed over any width, stays within float32


def outside_graphs():
    """Whether operations run at once, as they stand: no compiling, no export, no torch.func."""
    return not torch.compiler.is_compiling() and not is_transformed()


def is_transformed():
    """Whether one of torch.func's transforms (vmap, grad, jvp, …) is at work."""
    return torch._C._are_functorch_transforms_active()


def may_look(*tensors):
    """Whether the values of tensors may decide what is done next.

    Not in a graph, which is made once for all values, nor inside torch.func's transforms, nor on a
    GPU, which would have to be waited for.
    """
    return outside_graphs() and all(x.is_cpu for x in tensors)


def are_finite(*tensors):
    """Whether one may look and no NaN and no inf is there: they would spoil the sum."""
    return may_look(*tensors) and all(math.isfinite(x.detach().sum()) for x in tensors)


def are_tame(*tensors):
    """Whether no NaN is there, and nothing so large that a product of two could overflow."""
    ends = (end for x in tensors for end in x.detach().aminmax())
    return all(abs(end.item()) < TAME for end in ends)  # a NaN is the least and the largest


def in_full_precision(x):
    """A context in which matrix products keep their dtype, whatever autocast would make of them.

    Softmax and log-sum-exp are computed in at least float32; autocast would round their scores.
    """
    kind = x.device.type
    if x.is_meta or not torch.is_autocast_enabled(kind):  # shapes alone know no autocast
        return NOTHING
    return torch.autocast(kind, enabled=False)


def on_the_host(function: Callable[Given, Result]) -> Callable[Given, Result]:
    """The function, with the CPU as torch's default device while it runs.

    For what is written or judged and not trained: a figure, a table, an exercise. A reader who set
    another default would send its numbers to a device and wait for their return.
    """

    @functools.wraps(function)
    def computed(*args: Given.args, **kwargs: Given.kwargs) -> Result:
        if torch.get_default_device().type == "cpu":  # each operation would ask the context
            return function(*args, **kwargs)
        with torch.device("cpu"):
            return function(*args, **kwargs)

    return computed
