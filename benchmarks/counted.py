"""How many functions of the package a call of `small_calls.py` runs; no clock is read."""

import os
import pathlib
import sys

import torch
from small_calls import pairs

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


@torch.no_grad()
def counts():
    """{what: functions of ours, in one layer}."""
    return {what: functions_of_ours(pair.ours) / pair.layers for what, pair in pairs().items()}
