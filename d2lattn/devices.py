"""Where numbers are made."""

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import torch

Given = ParamSpec("Given")
Result = TypeVar("Result")


def default_device() -> torch.device:
    """Find the fastest device torch can use here: cuda, then mps, then cpu.

    On mps torch's causal kernel may leak in half precision; `attention` does not use it there.

    Example:
        >>> default_device().type in ("cuda", "mps", "cpu")
        True
    """
    if torch.cuda.is_available():
        return torch.device("cuda")
    if torch.backends.mps.is_available():
        return torch.device("mps")
    return torch.device("cpu")


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
