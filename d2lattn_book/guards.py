"""What a guard of a chapter says where the reader has stopped a training."""

from collections.abc import Iterator
from contextlib import contextmanager

from d2lattn.training import STOPPED


@contextmanager
def unless_stopped() -> Iterator[None]:
    """Run the assertions of a guard; after a stopped training one that fails is a sentence."""
    try:
        yield
    except AssertionError:
        if not STOPPED:
            raise
        print(
            f"A training above was stopped after {STOPPED[-1]}, so what this cell checks does not "
            "hold. Let the training run to its end, and run this cell again."
        )
