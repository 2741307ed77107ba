"""Whether values may decide what is done next, and in which precision."""

from contextlib import nullcontext

import torch

NOTHING = nullcontext()


def is_eager():
    """Tell whether operations run at once, as they stand: no compiling, no export, no
    torch.func."""
    return not torch.compiler.is_compiling() and not torch._C._are_functorch_transforms_active()


def data_dependent_ok(x):
    """Tell whether the values of a tensor may decide what is done next.

    Not in a graph, which is made once for all values, nor inside torch.func's transforms, nor on a
    GPU, which would have to be waited for.
    """
    return x.is_cpu and is_eager()


def in_full_precision(x):
    """Let matrix products keep their dtype, whatever autocast would make of them.

    Softmax and log-sum-exp are computed in at least float32; autocast would round their scores.
    """
    kind = x.device.type
    if x.is_meta or not torch.is_autocast_enabled(kind):  # shapes alone know no autocast
        return NOTHING
    return torch.autocast(kind, enabled=False)
