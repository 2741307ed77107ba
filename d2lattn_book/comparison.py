"""What convolution, recurrence and self-attention cost, and how far a signal travels (chapter 5).

Every entry of the classic table (Vaswani et al. 2017, table 1) is here twice: in closed form
(`conv_cost`, `rnn_cost`, `attention_cost`, `layers_to_connect`) and counted on real layers
(`count_flops`, `matmul_chain`, `connectivity`, `count_layers`). n positions, width d, kernel size
k. One multiply-add is 2 FLOPs; biases, activations and the softmax are not counted.
"""

import copy
import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel

from d2lattn.arguments import check_choice, check_count, check_counts, expect, show
from d2lattn_book.host import on_the_host


class LayerCost(NamedTuple):
    """What one layer costs, and how far apart it keeps the two ends of a sequence.

    Attributes:
        flops: floating-point operations of one layer.
        sequential_ops: steps along the sequence of which each waits for the one before.
        max_path_length: layers (in an RNN: steps) between the two positions farthest apart;
            `math.inf` when no stack of such layers connects them.
    """

    flops: int
    sequential_ops: int
    max_path_length: int | float


# How many pairs of d × d matrices a recurrent cell multiplies, one by its input, one by its state:
# an LSTM has one pair for each of its three gates and one for what it writes.
CELLS = {"rnn": 1, "lstm": 4}

# How autograd names its nodes for matrix products, convolutions and fused attention.
PRODUCTS = ("Mm", "Addmm", "Bmm", "Baddbmm", "Linear", "Convolution", "ScaledDot")


def conv_cost(n: int, d: int, k: int, *, dilated: bool = False, causal: bool = False) -> LayerCost:
    """Count the cost of a convolution over n positions, d channels in and out, padded to length n.

    flops = 2·k·n·d² (padded zeros are multiplied like the rest), one sequential operation; the
    path length is that of `layers_to_connect`, which tells what k, dilated and causal are.

    Example:
        >>> conv_cost(1024, 64, 3, causal=True)
        LayerCost(flops=25165824, sequential_ops=1, max_path_length=512)
    """
    path = layers_to_connect(n, k, dilated=dilated, causal=causal)
    check_count("d", d)
    return LayerCost(2 * k * n * d * d, 1, path)


def rnn_cost(n: int, d: int, *, cell: str = "rnn") -> LayerCost:
    """Count the cost of a recurrent layer over n positions, d numbers in and d in the state.

    hᵢ = tanh(W xᵢ + U hᵢ₋₁): flops = 4·n·d², n sequential operations, and n steps from the first
    input to the last state. An LSTM (Hochreiter and Schmidhuber 1997, with the forget gate of Gers
    et al. 2000), cell="lstm", has four such pairs W and U: flops = 16·n·d².

    Example:
        >>> rnn_cost(1024, 64)
        LayerCost(flops=16777216, sequential_ops=1024, max_path_length=1024)
        >>> rnn_cost(1024, 64, cell="lstm").flops
        67108864
    """
    check_counts(n=n, d=d)
    check_choice("cell", cell, tuple(CELLS))
    return LayerCost(CELLS[cell] * 4 * n * d * d, n, n)


def attention_cost(n: int, d: int, *, projections: bool = True) -> LayerCost:
    """Count the cost of self-attention over n positions of width d, whatever the number of heads.

    flops = 4·n²·d for Q Kᵀ and the weighted sum, and 8·n·d² for the four projections to queries,
    keys, values and output, if they count. The n² term is the larger one for n > 2d. A causal mask
    changes nothing: the formula computes what the mask throws away.

    Example:
        >>> attention_cost(1024, 64)
        LayerCost(flops=301989888, sequential_ops=1, max_path_length=1)
    """
    check_counts(n=n, d=d)
    return LayerCost(4 * n * n * d + (8 * n * d * d if projections else 0), 1, 1)


def layers_to_connect(n: int, k: int, *, dilated: bool = False, causal: bool = False) -> float:
    """Count the convolutions it takes until every output has seen every input it may see.

    Causal: ⌈(n−1)/(k−1)⌉, dilated ⌈log_k n⌉. Centred: ⌈2(n−1)/(k−1)⌉; dilated 1 as long as one
    layer spans the sequence, n ≤ (k+1)/2, and no number of layers after that: the only path from
    input 0 to output (k+1)/2 starts with a step over the border, where the padding is.

    Args:
        k (int): kernel size, odd unless causal.
        dilated (bool): layer l of the stack has dilation kˡ, l = 0, 1, …
        causal (bool): padded on the left only; input j may be seen by the outputs i ≥ j.

    Returns:
        int, or `math.inf` when no number of layers is enough. 0 for a single position.

    Example:
        >>> layers_to_connect(1024, 3, causal=True), layers_to_connect(1024, 3)
        (512, 1023)
        >>> layers_to_connect(1024, 3, dilated=True, causal=True)
        7
    """
    check_counts(n=n)
    _check_kernel("k", k, causal)
    if n == 1:
        return 0
    if k == 1:
        return math.inf
    if not dilated:
        return -(-(n - 1) * (1 if causal else 2) // (k - 1))  # rounded up
    if not causal:
        return 1 if n <= (k + 1) // 2 else math.inf
    layers, field = 0, 1
    while field < n:
        layers, field = layers + 1, field * k
    return layers


class ConvLayer(nn.Module):
    """A convolution along the sequence that keeps its length: (B, n, d) -> (B, n, d).

    y[i] = Σ_t W[t] x[i + dilation·t] + b with t = −(k−1)/2 … (k−1)/2, or −(k−1) … 0 if causal;
    x is 0 outside the sequence.

    Args:
        embed_dim (int): d, channels in and out.  kernel_size (int): k, odd unless causal.
        dilation (int): distance between two taps.  causal (bool): look back only.

    Example:
        >>> ConvLayer(4, 3)(torch.zeros(1, 7, 4)).shape
        torch.Size([1, 7, 4])
    """

    def __init__(
        self, embed_dim: int, kernel_size: int, *, dilation: int = 1, causal: bool = False
    ) -> None:
        super().__init__()
        check_counts(embed_dim=embed_dim, dilation=dilation)
        _check_kernel("kernel_size", kernel_size, causal)
        reach = dilation * (kernel_size - 1)
        self.padding = (reach, 0) if causal else (reach // 2, reach // 2)  # before, after
        self.conv = nn.Conv1d(embed_dim, embed_dim, kernel_size, dilation=dilation)

    def forward(self, x: Tensor) -> Tensor:
        expect("x", x, f"batch length {self.conv.in_channels}")
        channels_first = nn.functional.pad(x.mT, self.padding)  # (B, d, n + reach)
        return self.conv(channels_first).mT  # (B, n, d)


@on_the_host
def connectivity(layer: Callable, n: int, d: int, *, samples: int = 4) -> Tensor:
    """Read off the gradients which input positions reach which output positions.

    connected[i, j] = (∂ output i / ∂ input j ≠ 0), boolean (n, n), at one of a few random inputs:
    one alone might hit a dead ReLU. Computed on the CPU; for a module in float64, on a copy in
    evaluation mode.

    Args:
        layer: module or function from (1, n, d) to (1, n, any width). If it returns a tuple, as
            `nn.RNN` does, its first part counts.
        samples (int): random inputs to try.

    Cost:
        n·samples backward passes. A gradient too small for the dtype counts as none: a simple
        RNN with small weights gets there after a few hundred steps.

    Example:
        >>> connectivity(ConvLayer(2, 3), 4, 2).int()
        tensor([[1, 1, 0, 0],
                [1, 1, 1, 0],
                [0, 1, 1, 1],
                [0, 0, 1, 1]], dtype=torch.int32)
    """
    check_counts(n=n, d=d, samples=samples)
    generator = torch.Generator().manual_seed(0)
    # torch's other kernels leave rounding noise where a gradient is 0.
    exact = sdpa_kernel(SDPBackend.MATH)
    with exact, torch.inference_mode(False), torch.enable_grad():  # wherever the caller stands
        connected = torch.zeros(n, n, dtype=torch.bool)
        layer = _on(layer, "cpu", torch.float64)
        for _ in range(samples):
            x, output = _run(layer, n, d, generator)
            # In a random direction: the sum of what a LayerNorm returns has no gradient.
            direction = torch.randn(output.shape, generator=generator, dtype=output.dtype)
            signals = (output * direction).sum(-1)[0]  # (n,)
            for i in range(n):
                (gradient,) = torch.autograd.grad(
                    signals[i], x, retain_graph=True, materialize_grads=True
                )
                if not gradient.isfinite().all():
                    raise ValueError(
                        f"layer must have finite gradients, got NaN or inf in those of output {i}"
                    )
                connected[i] |= (gradient[0] != 0).any(-1)
    return connected


@on_the_host
def conv_connectivity(n: int, k: int, *, dilation: int = 1, causal: bool = False) -> Tensor:
    """Find which inputs reach which outputs in one convolution: `connectivity` without a layer.

    connected[i, j] = (j is one of the k taps of output i), boolean (n, n). k, dilation and causal
    are those of `ConvLayer`.

    Equivalent to:
        connectivity(ConvLayer(d, k, dilation=dilation, causal=causal), n, d)

    Example:
        >>> conv_connectivity(4, 2, dilation=2, causal=True).int()
        tensor([[1, 0, 0, 0],
                [0, 1, 0, 0],
                [1, 0, 1, 0],
                [0, 1, 0, 1]], dtype=torch.int32)
    """
    check_counts(n=n, dilation=dilation)
    _check_kernel("k", k, causal)
    positions = torch.arange(n)
    back = positions[:, None] - positions  # (n, n): how far input j lies behind output i
    nearest, farthest = (0, k - 1) if causal else (-(k // 2), k // 2)
    nearest, farthest = max(nearest * dilation, -n), min(farthest * dilation, n)
    return (back >= nearest) & (back <= farthest) & (back % dilation == 0)


@on_the_host
def compose(steps: Sequence[Tensor]) -> Tensor:
    """Find what a stack of layers connects: the boolean product of what each of them connects.

    reached[i, j] = there is a path from input j to output i. One path is enough: that the
    gradients of several cancel is possible but has probability 0 with random weights. The steps
    are boolean (n, n) tensors or arrays, the first layer first: 2·n³ FLOPs for each.

    Example:
        >>> compose([conv_connectivity(4, 2, causal=True)] * 2).int()
        tensor([[1, 0, 0, 0],
                [1, 1, 0, 0],
                [1, 1, 1, 0],
                [0, 1, 1, 1]], dtype=torch.int32)
    """
    steps = boolean_steps(steps)
    reached = steps[0]
    for step in steps[1:]:
        reached = _after(step, reached)
    return reached


@on_the_host
def receptive_field(
    steps: Sequence[Tensor], unit: Sequence[int], *, within: Tensor | None = None
) -> Tensor:
    """Give every unit that one unit of a stack of layers sees, layer by layer, itself included.

    The walk goes down from the unit: in its own layer along `within`, then along the step below.

    Args:
        steps: as in `compose`: [i, j] is True when unit i of a layer sees unit j of the one below.
        unit: (layer, position), counted from 0; layer 0 is the input.
        within: boolean (n, n), who sees whom inside each layer above the input (in an RNN the
            state before).

    Returns:
        Boolean tensor (layers + 1, n); row 0 is the input.

    Example:
        >>> receptive_field([conv_connectivity(5, 3)] * 2, (2, 1)).int()
        tensor([[1, 1, 1, 1, 0],
                [1, 1, 1, 0, 0],
                [0, 1, 0, 0, 0]], dtype=torch.int32)
    """
    steps = boolean_steps(steps)
    n = len(steps[0])
    layer, position = _check_unit(unit, len(steps), n)
    (within,) = boolean_steps([torch.zeros(n, n).bool() if within is None else within], "within", n)
    field = torch.zeros(len(steps) + 1, n, dtype=torch.bool)
    field[layer, position] = True
    for above in range(layer, 0, -1):
        for _ in range(n):
            field[above] |= within[field[above]].any(dim=0)
        field[above - 1] = steps[above - 1][field[above]].any(dim=0)
    return field


@on_the_host
def count_layers(steps: Sequence[Tensor]) -> float:
    """Count the layers that it takes to connect every pair, by composing them one by one.

    Args:
        steps: layers as in `compose`, after which the stack ends.

    Returns:
        int; `math.inf` when the stack falls short. 0 for a single position.

    Example:
        >>> count_layers([conv_connectivity(9, 3)] * 8)
        8
        >>> count_layers([conv_connectivity(9, 3, dilation=3**i) for i in range(3)])
        inf
    """
    stack = boolean_steps(steps)
    reached = torch.eye(len(stack[0]), dtype=torch.bool)
    for layers, step in enumerate(stack):
        if reached.all():
            return layers
        reached = _after(step, reached)
    return len(stack) if reached.all() else math.inf


def count_flops(layer: Callable, n: int, d: int) -> int:
    """Count the FLOPs of a layer as torch counts them, without computing a number.

    Runs a copy on the meta device under `torch.utils.flop_counter.FlopCounterMode`, which sees
    matrix products, convolutions and fused attention, and does not discount a causal mask. The
    layer is a module that takes (1, n, d), or a function that does so on the meta device.

    Example:
        >>> count_flops(nn.RNN(64, 64, batch_first=True), 64, 64) == rnn_cost(64, 64).flops
        True
    """
    # Imported here, because it loads triton where torch was built for CUDA: a quarter of a second.
    from torch.utils.flop_counter import FlopCounterMode

    check_counts(n=n, d=d)
    layer = _on(layer, "meta")
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        layer(torch.empty(1, n, d, device="meta"))
    return counter.get_total_flops()


@on_the_host
def matmul_chain(layer: Callable, n: int, d: int) -> int:
    """Count the products that have to wait for one another: the longest chain in the graph.

    Walks the graph that autograd records on the CPU and counts matrix products and convolutions
    along it; a fused attention kernel is a single one. 0 for a layer that multiplies nothing. The
    layer is a module or function that takes (1, n, d) and is differentiable.

    Example:
        >>> matmul_chain(nn.RNN(4, 4, batch_first=True), 10, 4)
        10
        >>> matmul_chain(ConvLayer(4, 3), 10, 4)
        1
    """
    check_counts(n=n, d=d)
    with torch.inference_mode(False), torch.enable_grad():  # wherever the caller stands
        layer = _on(layer, "cpu", torch.float64)
        _, output = _run(layer, n, d, torch.Generator().manual_seed(0))
    longest, stack = {None: 0}, [output.grad_fn]  # None: the output is the input itself
    while stack:  # no recursion: the graph of an RNN is as deep as the sequence is long
        node = stack[-1]
        inputs = [parent for parent, _ in node.next_functions] if node else []
        waiting = [parent for parent in inputs if parent not in longest]
        if waiting:
            stack.extend(waiting)
            continue
        before = max((longest[parent] for parent in inputs), default=0)
        longest[stack.pop()] = before + (node is not None and node.name().startswith(PRODUCTS))
    return longest[output.grad_fn]


def boolean_steps(steps, name="steps", n=None):
    """Take boolean (n, n) tensors or arrays as tensors on the CPU; n is that of the first."""
    steps = list(steps)
    if not steps:
        raise ValueError(f"{name} must hold at least one connectivity, got none")
    for step in steps:
        shape, dtype = getattr(step, "shape", ()), getattr(step, "dtype", type(step).__name__)
        n = n or (len(shape) == 2 and len(step)) or "n"
        if str(dtype) not in ("torch.bool", "bool") or tuple(shape) != (n, n):
            raise ValueError(
                f"{name} must be boolean ({n}, {n}) tensors, got {dtype}, {tuple(shape)}"
            )
    return [torch.as_tensor(step, device="cpu") for step in steps]


def _run(layer, n, d, generator):
    """Give a random input that wants a gradient, and the layer's output for it, checked."""
    dtype = torch.float64 if isinstance(layer, nn.Module) else None
    x = torch.randn(1, n, d, generator=generator, dtype=dtype).requires_grad_()
    output = layer(x)
    output = output[0] if isinstance(output, tuple) and output else output
    if not torch.is_tensor(output) or output.ndim != 3 or output.shape[:2] != (1, n):
        got = tuple(output.shape) if torch.is_tensor(output) else type(output).__name__
        raise ValueError(f"layer must map (1, {n}, {d}) to (1, {n}, width), got {got}")
    if not output.requires_grad:
        raise ValueError("layer must be differentiable, got an output without a gradient")
    return x, output


def _on(layer, device, dtype=None):
    """Give a copy of a module in evaluation mode; a function stays as it is."""
    if not isinstance(layer, nn.Module):
        return layer
    held = {x.device.type for x in (*layer.parameters(), *layer.buffers())}
    if device != "meta" and "meta" in held:
        raise ValueError("layer must hold numbers, got weights on the device meta")
    return copy.deepcopy(layer).eval().to(device=device, dtype=dtype)


def _after(step, reached):
    return (step.float() @ reached.float()) > 0


def _check_kernel(name, k, causal):
    check_count(name, k)
    if k % 2 == 0 and not causal:
        raise ValueError(f"{name} must be odd unless causal (a kernel needs a centre), got {k}")


def _check_unit(unit, layers, n):
    """unit as (layer, position), both within the stack."""
    try:
        layer, position = unit
        check_count("unit", layer, 0, layers)
        check_count("unit", position, 0, n - 1)
    except (TypeError, ValueError):
        raise ValueError(f"unit must be (0..{layers}, 0..{n - 1}), got {show(unit)}") from None
    return layer, position
