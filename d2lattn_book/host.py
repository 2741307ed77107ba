"""What is written or judged and not trained: on the CPU, and a model in evaluation mode."""

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import ParamSpec, TypeVar

import torch
from torch import nn

Given = ParamSpec("Given")
Result = TypeVar("Result")


def on_the_host(function: Callable[Given, Result]) -> Callable[Given, Result]:
    """Give the function, with the CPU as torch's default device while it runs.

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


@contextlib.contextmanager
def in_evaluation(model: nn.Module) -> Iterator[None]:
    """Ask the model in evaluation mode; afterwards each part has the mode that it had."""
    training = [part for part in model.modules() if part.training]
    model.eval()
    try:
        yield
    finally:
        for part in training:
            part.training = True
