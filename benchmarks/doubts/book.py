"""What the doubts share: the book's own functions, and how a list of numbers is told."""

import pathlib
import sys

import torch

HERE = pathlib.Path(__file__).resolve().parent
sys.path[1:1] = [str(HERE.parent), str(HERE.parent.parent / "tools")]

import cells  # noqa: E402
import pages  # noqa: E402
import real  # noqa: E402

__all__ = ["cells", "pages", "real", "tell"]
torch.set_num_threads(1)


def tell(name, numbers):
    """One line: the mean of some runs, the least and the most."""
    numbers = [float(x) for x in numbers]
    mean, least, most = sum(numbers) / len(numbers), min(numbers), max(numbers)
    print(f"{name:58} {mean:8.3g}  ({least:.3g} to {most:.3g}, {len(numbers)} runs)", flush=True)
