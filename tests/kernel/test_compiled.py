"""What the kernels of appendix 92 take of a GPU that is not there: Triton compiles for it."""

import subprocess
import sys

import pytest

COMPILE = """
import sys
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from d2lattn_book.kernels import kernel
from d2lattn_book.kernels.loop_order import keys_outside_kernel

name, dtype, size, width, capability = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])
function = dict(vars(kernel), keys_outside_kernel=keys_outside_kernel)[name]
fixed = dict(D=width, GROUP=2, ROWS=size, COLS=size)
kinds = dict(seen="*i32", logsumexp="*fp32", delta="*fp32", scale="fp32", L="i32", S="i32")
signature = {n: kinds.get(n, "*" + dtype) for n in function.arg_names}
signature |= dict.fromkeys(fixed, "constexpr")
places = {(function.arg_names.index(n),): value for n, value in fixed.items()}
source = ASTSource(fn=function, signature=signature, constexprs=places)
print(triton.compile(source, target=GPUTarget("cuda", capability, 32)).metadata.shared)
"""
KERNELS = ("forward_kernel", "keys_kernel", "queries_kernel", "keys_outside_kernel")


def fast_memory(monkeypatch, *arguments):
    """Bytes of fast memory that a program takes, in a process without the interpreter."""
    monkeypatch.setenv("TRITON_INTERPRET", "0")
    command = [sys.executable, "-c", COMPILE, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return int(done.stdout)


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize(
    ("dtype", "size", "width", "capability"),
    [("fp16", 64, 64, 75), ("fp32", 16, 128, 80)],
)
def test_a_kernel_compiles_and_fits_into_the_fast_memory(
    name, dtype, size, width, capability, monkeypatch
):
    """The tiles that the package takes; 64 KiB is what a T4 has for a program."""
    assert fast_memory(monkeypatch, name, dtype, size, width, capability) <= 64 * 1024
