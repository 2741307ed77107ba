"""What a call asks of Python and of torch, counted: `python benchmarks/counted.py`.

For each call of `small_calls.py`, a layer's or a decoder's: how many functions of the package run
in one layer, and how many operations torch is asked for, beside the plain lines. Views are left
out, so that on a GPU an operation is a launch. No clock is read: any machine gives the same
numbers.
"""

import os
import pathlib
import sys

import torch
from results import table
from small_calls import pairs
from torch.utils._python_dispatch import TorchDispatchMode

import d2lattn

HOME = f"{pathlib.Path(d2lattn.__file__).parent}{os.sep}"


def functions_of_ours(call):
    """How many functions that stand in the package a call runs; a comprehension is none."""
    found = []

    def see(frame, event, _):
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(HOME):
            found.append(code.co_name)

    sys.setprofile(see)
    try:
        call()
    finally:
        sys.setprofile(None)
    return sum(not name.endswith(("comp>", "genexpr>")) for name in found)


class Operations(TorchDispatchMode):
    """Counts what torch is asked to compute."""

    count = 0

    def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
        self.count += not operation.is_view
        return operation(*args, **(kwargs or {}))


def operations(call):
    with Operations() as seen:
        call()
    return seen.count


@torch.no_grad()
def counts():
    """{what: (functions of ours, operations of ours and of the plain lines)}, in one layer."""
    return {
        what: [
            count / pair.layers
            for count in (
                functions_of_ours(pair.ours),
                operations(pair.ours),
                operations(pair.plain),
            )
        ]
        for what, pair in pairs().items()
    }


def main():
    header = ["in one layer", "functions of ours", "operations", "plain operations"]
    body = [[what, *(f"{x:.3g}" for x in row)] for what, row in counts().items()]
    print(table(header, body))


if __name__ == "__main__":
    main()
