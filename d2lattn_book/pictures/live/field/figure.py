"""The receptive field of convolutions."""

import torch

from d2lattn.arguments import check_count
from d2lattn_book.comparison import attention_cost, conv_cost, rnn_cost
from d2lattn_book.host import on_the_host
from d2lattn_book.pictures.page import Figure
from d2lattn_book.pictures.tables import plain_table


@on_the_host
def field(kernel: int, depth: int, dilated: bool, causal: bool) -> Figure:
    """What one unit in a stack of convolutions sees, and what such a layer costs.

    Layer l reads `kernel` taps, 1 or (dilated) kernelˡ positions apart. The table gives the costs
    of `comparison.conv_cost`, `rnn_cost` and `attention_cost` for n, d and the kernel. The reader
    chooses the unit, kernel, depth, dilation and direction.

    Args:
        kernel (int): 1 to 9, odd unless causal.
        depth (int): layers, 1 to 5.
        dilated, causal (bool): where the drawing begins.

    Raises:
        ValueError: a kernel or depth outside these limits, an even kernel that is not causal.

    Cost:
        About 11 kB in the notebook.

    Example:
        >>> field(3, 2, dilated=True, causal=True)
        live receptive field: 2 layers, kernel 3, dilated, causal; a unit sees up to 9 positions
    """
    check_count("kernel", kernel, 1, 9)
    check_count("depth", depth, 1, 5)
    if kernel % 2 == 0 and not causal:
        raise ValueError(f"kernel must be odd unless causal, got {kernel}")
    reach = sum(kernel**layer if dilated else 1 for layer in range(depth))
    which = "dilated, " * dilated + ("causal" if causal else "centred")
    line = (
        f"live receptive field: {depth} layer{'s' if depth > 1 else ''}, kernel {kernel}, "
        f"{which}; a unit sees up to {1 + (kernel - 1) * reach} positions"
    )
    costs = {
        f"convolution, k = {kernel}": conv_cost(1024, 64, kernel, dilated=dilated, causal=causal),
        "recurrent layer": rnn_cost(1024, 64),
        "self-attention": attention_cost(1024, 64),
    }
    columns = ["FLOPs", "sequential operations", "maximum path length"]
    rows = torch.tensor(list(costs.values()), dtype=torch.float64)
    table = plain_table(f"{line}; costs for n = 1024, d = 64", costs, columns, rows, places=0)
    data = {"kernel": kernel, "depth": depth, "dilated": dilated, "causal": causal}
    return Figure("field", line, data, table)
