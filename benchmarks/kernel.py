"""The forward kernel of appendix 92 beside torch's back ends, and three ways to change it."""

import os

import torch
from results import shown, table

TITLE = "A kernel to read, on a GPU"
ON = ("GPU",)
INTRODUCTION = """\
One forward pass, causal, bfloat16, 32 heads of 64, milliseconds by triton.testing.do_bench and, \
in parentheses, the fraction of the speed of a large matrix product on the same GPU. “Tile” names \
queries × keys of a program of our kernel; “powers of two” computes 2ˣ instead of eˣ; “keys \
outside” swaps the loops."""


def measure_part(quick, device):
    """On a GPU alone: the interpreter says nothing of time, so it is not asked for."""
    os.environ.setdefault("TRITON_INTERPRET", "0")
    from d2lattn_book import kernels

    torch.manual_seed(0)
    lengths = (512,) if quick else (512, 1024, 2048, 4096, 8192, 16384)
    peak, rows = kernels.times(kernels.candidates(kernels.kernel.forward_kernel), lengths=lengths)
    return dict(triton=kernels.triton.__version__, peak=peak, rows=rows)


def section(data):
    names = list(dict.fromkeys(name for _, name, _, _ in data["rows"]))
    found = {(n, name): (ms, share) for n, name, ms, share in data["rows"]}
    body = []
    for n in dict.fromkeys(n for n, *_ in data["rows"]):
        cells = (found[n, name] for name in names)
        body.append([f"{n:,}", *(shown(ms) + (f" ({s:.0%})" if ms else "") for ms, s in cells)])
    about = f"triton {data['triton']}; a large product makes {data['peak'] / 1e12:.0f} TFLOPS."
    return f"{about}\n\n{table(['n', *names], body)}"
