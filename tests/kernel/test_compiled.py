"""What the kernels of appendix 92 become on a GPU that is not there: Triton compiles for it."""

import json
import os
import subprocess
import sys

import pytest

KERNELS = ("forward_kernel", "keys_kernel", "queries_kernel")
MOST = {80: 163, 90: 227}  # KiB of fast memory for a program: an A100, an H100
# What 92.1 says of the fast memory, in KiB: a tile of queries and two of keys and of values; on
# Hopper a third of keys and values.
MEMORY = [(80, 64, 64, 40), (80, 32, 64, 20), (90, 64, 64, 56), (90, 128, 64, 112)]
MEMORY += [(90, 128, 128, 224)]
# kernel, dtype, queries and keys of a tile, channels, compute capability
OLD = ("forward_kernel", "fp16", 64, 64, 75)
SMALL_TILE = ("forward_kernel", "bf16", 32, 128, 90)
ROWS = [(name, "bf16", 64, 64, capability) for name in KERNELS for capability in MOST]
ROWS += [(name, "fp32", 16, 128, 80) for name in KERNELS]
ROWS += [("forward_kernel", "bf16", size, width, gpu) for gpu, size, width, _ in MEMORY]
ROWS += [OLD, SMALL_TILE]

# Tensors of torch begin at a multiple of 16 bytes, as Triton finds when a kernel is started.
COMPILE = """
import json
import sys
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from d2lattn_book.kernels import kernel

def told(name, dtype, size, width, capability):
    function = vars(kernel)[name]
    fixed = dict(D=width, GROUP=2, ROWS=size, COLS=size)
    kinds = dict(seen="*i32", logsumexp="*fp32", delta="*fp32", scale="fp32", L="i32", S="i32")
    signature = {n: kinds.get(n, "*" + dtype) for n in function.arg_names}
    signature |= dict.fromkeys(fixed, "constexpr")
    places = {(function.arg_names.index(n),): value for n, value in fixed.items()}
    pointers = [i for i, n in enumerate(function.arg_names) if signature[n].startswith("*")]
    aligned = {(i,): [["tt.divisibility", 16]] for i in pointers}
    source = ASTSource(fn=function, signature=signature, constexprs=places, attrs=aligned)
    made = triton.compile(source, target=GPUTarget("cuda", capability, 32))
    words = ("mma.sync", "wgmma.mma_async", "cp.async", "fma.rn.f32")
    count = {word: made.asm["ptx"].count(word) for word in words}
    return count | dict(kib=made.metadata.shared / 1024)

print(json.dumps([told(*row) for row in json.load(sys.stdin)]))
"""


@pytest.fixture(scope="module")
def made():
    """What the compiler made of each row, counted, in a process without the interpreter."""
    environment = os.environ | {"TRITON_INTERPRET": "0"}
    options = dict(capture_output=True, text=True, check=False, env=environment)
    done = subprocess.run([sys.executable, "-c", COMPILE], input=json.dumps(ROWS), **options)
    assert done.returncode == 0, done.stderr[-2000:]
    return dict(zip(ROWS, json.loads(done.stdout), strict=True))


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("capability", MOST)
def test_the_products_of_the_usual_tile_run_on_tensor_cores_and_it_fits(name, capability, made):
    found = made[name, "bf16", 64, 64, capability]
    assert found["kib"] <= MOST[capability] / 2  # so that two programs find room
    assert found["wgmma.mma_async" if capability == 90 else "mma.sync"] > 0
    if name in ("keys_kernel", "queries_kernel"):  # the scale of a gradient is a factor at the end
        assert found["fma.rn.f32"] == 0


@pytest.mark.parametrize("name", KERNELS)
def test_float32_is_multiplied_as_float32(name, made):
    found = made[name, "fp32", 16, 128, 80]
    assert found["kib"] <= 64 and found["fma.rn.f32"] > 100
    assert found["mma.sync"] == found["wgmma.mma_async"] == 0


def test_a_gpu_before_compute_capability_8_0_gets_no_tensor_cores(made):
    """A T4's: Triton does not support it, and makes each product of single numbers."""
    found = made[OLD]
    assert found["mma.sync"] == found["wgmma.mma_async"] == 0 and found["fma.rn.f32"] > 4000


@pytest.mark.parametrize(("capability", "size", "width", "kib"), MEMORY)
def test_a_program_takes_the_fast_memory_that_the_page_names(capability, size, width, kib, made):
    assert kib <= made["forward_kernel", "bf16", size, width, capability]["kib"] <= kib + 2


def test_what_92_1_says_of_tiles_that_are_on_their_way(made):
    """Where the loads stand inside an `if`, in keys_kernel, none are fetched ahead."""
    ahead = {name: made[name, "bf16", 64, 64, 80]["cp.async"] for name in KERNELS}
    assert ahead["forward_kernel"] > 0 and ahead["queries_kernel"] > 0
    assert ahead["keys_kernel"] == 0


def test_tiles_of_32_take_the_older_instruction_on_an_h100(made):
    """As 92.6 says of 128 channels: wgmma wants 64 rows of queries."""
    assert made[SMALL_TILE]["wgmma.mma_async"] == 0 and made[SMALL_TILE]["mma.sync"] > 0
