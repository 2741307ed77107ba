"""Attention by kernels that one can read (appendix 92), and what the page tries with them.

`attention` runs the kernels of `kernel`; without a GPU, or with TRITON_INTERPRET=1 set before this
module is imported, in Triton's interpreter, line by line. Triton is no dependency: where it is
missing, `triton`, `tl` and `kernel` say what to install. `race` measures compiled kernels.
"""

import inspect
import itertools
import json
import linecache
import os
import subprocess
import sys

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel

from d2lattn.attention import explicit_attention
from d2lattn.engines.visibility import checked_call
from d2lattn.tracing import in_full_precision

MISSING = "this wants triton, which there is for Linux: pip install triton==3.7.1"
NO_GPU = "no GPU here: the times are yours to measure, on Colab for instance"
OLDEST = (8, 0)  # compute capability of an A100: Triton supports no GPU before it
TOO_OLD = "{} has compute capability {}.{}, and Triton supports 8.0 and above: no race here"
TILES = ((32, 32), (64, 64), (128, 64))
BACK_ENDS = ("FLASH_ATTENTION", "CUDNN_ATTENTION", "EFFICIENT_ATTENTION", "MATH")
_numbers = itertools.count()


class Missing:
    """Stands for a module that is not there: whatever is asked of it says what to install."""

    def __getattr__(self, name):
        if name.startswith("__"):  # Python looks for such names itself, and does without them
            raise AttributeError(name)
        raise RuntimeError(MISSING)


if not torch.cuda.is_available():
    os.environ.setdefault("TRITON_INTERPRET", "1")
try:
    import triton
    import triton.language as tl

    from d2lattn_book.kernels import kernel
except ModuleNotFoundError:
    triton = tl = kernel = Missing()  # type: ignore[assignment]


def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    attn_mask: Tensor | None = None,
    is_causal: bool = False,
    scale: float | None = None,
    query_offset: int | None = None,
) -> Tensor:
    """Average the values with the attention weights, by the kernels of appendix 92.

    softmax(Q Kᵀ · scale, over the first keys that a query may see) V, tile by tile (Dao 2023,
    "FlashAttention-2", section 3.1). Gradients come from two kernels more, once and not twice.

    Args:
        query, key, value: tensors (..., L, E), (..., S, E), (..., S, Ev) in float32, float16 or
            bfloat16, with at most 128 channels. Heads that share keys, query (..., Hkv, G, L, E)
            beside key (..., Hkv, 1, S, E), read them from one place.
        attn_mask: boolean, True = may attend, as in `d2lattn.attention`; it must let each query see
            its first keys and no others, as lengths and causality do.
        is_causal, scale, query_offset: as in `d2lattn.attention`.

    Returns:
        Tensor (..., L, Ev) of the query's dtype. A query that may see no key gets 0.

    Cost:
        2·L·S·(E + Ev) FLOPs; one number a query, and tiles of some KiB. A tile takes a millisecond
        in the interpreter.

    Equivalent to:
        d2lattn.attention(query, key, value, ...)

    Example:
        >>> x = torch.tensor([[0.0, 0.0], [2.0, 4.0]])
        >>> attention(x[:1], x, x)
        tensor([[1., 2.]])
    """
    call = checked_call(query, key, value, attn_mask, None, is_causal, query_offset, scale)
    if 0 in (call.query.numel(), call.key.numel(), call.value.numel()):
        return explicit_attention(call)[0]  # 0, with its gradient
    with in_full_precision(query):
        return kernel.attend(call)


def variant(function, edits):
    """Make a kernel that differs from another in some places of its text.

    Args:
        function: a kernel, as `triton.jit` gives it.
        edits: {what stands there: what shall stand there}, each found in the text.

    Returns:
        A kernel of the same arguments.

    Raises:
        ValueError: a text does not stand there.
    """
    source = inspect.getsource(function.fn)
    for old, new in edits.items():
        if old not in source:
            raise ValueError(f"edits must be of what stands in {function.fn.__name__}, got {old!r}")
        source = source.replace(old, new)
    return _defined(source, function.fn.__name__, function.fn.__globals__)


def exp2(function):
    """Make a forward kernel that computes powers of two instead of e, as a GPU does: the factor
    log₂ e goes into the scale."""
    return variant(
        function,
        {
            '"ieee") * scale': '"ieee") * (scale * 1.4426950408889634)',
            "tl.exp(": "tl.exp2(",
            "running_max + tl.log(normalizer)": "(running_max + tl.log2(normalizer)) * 0.693147181",
        },
    )


def _defined(source, name, scope):
    """The kernel that a text defines; Triton reads the text again, and finds it in linecache."""
    file = f"<kernel {next(_numbers)}>"
    linecache.cache[file] = len(source), None, source.splitlines(True), file
    scope = dict(scope)
    exec(compile(source, file, "exec"), scope)
    return scope[name]


# On a GPU -----------------------------------------------------------------------------------------


def race(function, *, tiles=TILES, lengths=(512, 2048, 8192, 16384)):
    """Print how long a forward kernel takes on a GPU beside its variants and torch's back ends, by
    the figures of `times`; without a GPU that Triton supports, that there is none.

    The kernel is compiled and measured in a process of its own, as the page interprets it.

    Args:
        function: a kernel with the arguments of `kernel.forward_kernel`.
        tiles: (queries, keys) of each tile to try.
        lengths: of the texts.
    """
    if not torch.cuda.is_available():
        print(NO_GPU)
        return
    if torch.cuda.get_device_capability() < OLDEST:  # such as a T4's, 7.5: without tensor cores
        print(TOO_OLD.format(torch.cuda.get_device_name(), *torch.cuda.get_device_capability()))
        return
    name, source = function.fn.__name__, inspect.getsource(function.fn)
    order = json.dumps(dict(name=name, source=source, tiles=tiles, lengths=lengths))
    command = [sys.executable, "-c", "from d2lattn_book.kernels import _race; _race()"]
    environment = os.environ | {"TRITON_INTERPRET": "0"}
    subprocess.run(command, input=order, text=True, check=True, env=environment)


def _race():
    """In a process without the interpreter: what `race` ordered."""
    order = json.load(sys.stdin)
    function = _defined(order["source"], order["name"], dict(triton=triton, tl=tl))
    peak, rows = times(candidates(function, order["tiles"]), lengths=order["lengths"])
    print(f"{torch.cuda.get_device_name()}: a product of matrices makes {peak / 1e12:.0f} TFLOPS")
    print(f"{'n':>6} {'':22} {'ms':>8} {'fraction of the peak':>21}")
    for n, name, ms, fraction in rows:
        print(f"{n:6} {name:22} " + ("cannot" if ms is None else f"{ms:8.3f} {fraction:21.0%}"))


def candidates(function, tiles=TILES):
    """Name the kernels of a race, {name: (kernel, tile)}: tiles, and powers of two."""
    found = {f"tile {rows} × {cols}": (function, (rows, cols)) for rows, cols in tiles}
    middle = tuple(tiles[len(tiles) // 2])
    found["powers of two"] = exp2(function), middle
    return found


def times(candidates, *, lengths, heads=32, width=64, causal=True):
    """Measure one forward pass in bfloat16 on a GPU.

    The fraction of the peak compares the FLOPs of the products, 4·n²·width per head and half of
    them with a causal mask, with what a large matrix product reaches on the same GPU.

    Args:
        candidates: {name: (kernel, tile)}; torch's back ends come on top.
        lengths, heads, width: of the text and of the layer.
        causal (bool): whether a token attends only to itself and earlier ones.

    Returns:
        FLOPs a second of that product, and rows (n, name, ms, fraction of the peak), None in both
        where a kernel or a back end cannot.
    """
    peak, rows = _peak(), []
    for n in lengths:
        q, k, v = torch.randn(3, 1, heads, n, width, device="cuda", dtype=torch.bfloat16)
        work = 4 * n * n * width * heads / (2 if causal else 1)
        for name, call in _calls(candidates, q, k, v, causal).items():
            try:
                ms = triton.testing.do_bench(call)
            except (RuntimeError, triton.runtime.errors.OutOfResources):
                rows.append((n, name, None, None))
            else:
                rows.append((n, name, ms, work / (ms * 1e-3) / peak))
    return peak, rows


def _calls(candidates, q, k, v, causal):
    """name -> a call without arguments, for kernels and for torch's back ends."""
    n, scale = q.shape[-2], q.shape[-1] ** -0.5
    seen = torch.arange(1, n + 1, device=q.device, dtype=torch.int32)
    seen = (seen if causal else torch.full_like(seen, n)).expand(q.shape[1], n).contiguous()
    calls = {}
    for name, (function, tile) in candidates.items():
        options = dict(scale=scale, tile=tile, kernel=function)
        calls[name] = lambda options=options: kernel.forward(q[0], k[0], v[0], seen, **options)
    for name in BACK_ENDS:

        def call(name=name):
            with sdpa_kernel(getattr(SDPBackend, name)):
                return F.scaled_dot_product_attention(q, k, v, is_causal=causal)

        calls[f"torch {name.split('_')[0].lower()}"] = call
    return calls


def _peak():
    """FLOPs a second of a product of two matrices 8192 × 8192 in bfloat16."""
    a = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
    return 2 * 8192**3 / (triton.testing.do_bench(lambda: a @ a) * 1e-3)
