"""What is written or judged and not trained is computed on the CPU."""

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import torch

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
