"""A reader with a GPU: runs the cells of a chapter after `torch.set_default_device(device)`.

What a cell makes then lies on the device, and so does what the package makes for it. One thing is
done that the reader would have to do: numbers that a cell draws from a generator of the CPU are
drawn there and copied, so that they are those of the page; torch refuses such a generator on a GPU.
"""

import sys
from pathlib import Path

import nbformat
import torch
from IPython.core.displayhook import CapturingDisplayHook
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from matplotlib_inline.backend_inline import flush_figures
from torch.overrides import TorchFunctionMode
from torch.utils._device import _device_constructors

import d2lattn

CELL, PACKAGE = "<ipython-input", str(Path(d2lattn.__file__).parent)  # and d2lattn_book


def read(path, device):
    """{id of a cell: why it stopped} of the code cells of a chapter, run in order."""
    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance()
    shell.showtraceback = lambda *_, **__: None
    stored = nbformat.read(path, as_version=4).cells
    code = [cell for cell in stored if cell.cell_type == "code"]
    errors = {cell.id: _run(shell, cell.source, device) for cell in code}
    return {name: error for name, error in errors.items() if error}


def _run(shell, source, device):
    with capture_output() as caught:
        shell.display_trap.hook = CapturingDisplayHook(shell, caught._outputs)
        torch.set_default_device(device)
        try:
            with _DrawnOnTheHost():
                done = shell.run_cell(source)
            with torch.device("cpu"):
                flush_figures()
        finally:
            torch.set_default_device("cpu")
    error = done.error_before_exec or done.error_in_exec
    return f"{type(error).__name__}: {str(error).partition(chr(10))[0]}" if error else ""


class _DrawnOnTheHost(TorchFunctionMode):
    """What a generator of the CPU draws is copied to where it is wanted; see above."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        generator = kwargs.get("generator")
        if generator is None or generator.device.type != "cpu" or not _is_of_a_cell():
            return function(*args, **kwargs)
        if function in _device_constructors():
            wants, default = kwargs.pop("requires_grad", False), torch.get_default_device()
            place = kwargs.pop("device", None) or default
            return function(*args, **kwargs, device="cpu").to(place).requires_grad_(wants)
        if not function.__name__.endswith("_"):  # such as multinomial
            host = [x.cpu() if isinstance(x, torch.Tensor) else x for x in args]
            return function(*host, **kwargs).to(args[0].device)
        target = args[0] if args else kwargs.pop("tensor")  # nn.init names it
        with torch.no_grad():
            drawn = function(torch.empty_like(target, device="cpu").detach(), *args[1:], **kwargs)
            return target.copy_(drawn)


def _is_of_a_cell():
    """Whether a cell asked torch for this, and no function of the package."""
    frame = sys._getframe(2)
    while not frame.f_code.co_filename.startswith((CELL, PACKAGE)):
        frame = frame.f_back
    return frame.f_code.co_filename.startswith(CELL)
