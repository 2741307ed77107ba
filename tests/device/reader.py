"""A reader with a GPU: runs the cells of a chapter after `torch.set_default_device(device)`.

What a cell makes then lies on the device, and so does what the package makes for it. Two things are
done that the reader would have to do:

- Numbers that a cell draws from a generator of the CPU are drawn there and copied, so that they are
  those of the page; torch refuses such a generator on a GPU.
- What a function of the package makes out of tensors of the device may not lean on that default,
  since many readers set none and move their tensors: it is left on the CPU, and noted.
"""

import re
import sys
from dataclasses import dataclass, field
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

PACKAGE = str(Path(d2lattn.__file__).parent)  # and d2lattn_book, which begins alike
MACHINERY = ("utils/_device.py", "overrides.py", "utils/_contextlib.py", "reader.py")


@dataclass
class Cell:
    """What came of a cell.

    Attributes:
        id (str): of the cell.
        error (str): why it stopped, "" if it did not.
        left (set): functions of the package that left to the default device where to make a
            tensor, although they were given one.
    """

    id: str
    error: str = ""
    left: set = field(default_factory=set)


def read(path, device):
    """Every code cell of a chapter, run in order."""
    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance()
    shell.showtraceback = lambda *_, **__: None
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "code":
            result = Cell(cell.id)
            _run(shell, cell.source, result, device)
            yield result


def _run(shell, source, cell, device):
    with capture_output() as caught:
        shell.display_trap.hook = CapturingDisplayHook(shell, caught._outputs)
        torch.set_default_device(device)
        try:
            with _Default(device, cell.left):
                done = shell.run_cell(source)
            with torch.device("cpu"):
                flush_figures()
        finally:
            torch.set_default_device("cpu")
    error = done.error_before_exec or done.error_in_exec
    cell.error = f"{type(error).__name__}: {str(error).partition(chr(10))[0]}" if error else ""


class _Default(TorchFunctionMode):
    """What the reader does who has set a default device; see above."""

    def __init__(self, device, left):
        super().__init__()
        self.kind, self.left = device.type, left

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        frame = sys._getframe(1)
        generator = kwargs.get("generator")
        if generator is not None and generator.device.type == "cpu" and _place(frame) == "cell":
            return self._drawn(function, args, kwargs)
        if function in _device_constructors() and kwargs.get("device") is None:
            made_by = _first(frame, lambda name: not name.endswith(MACHINERY))
            if made_by.f_code.co_filename.startswith(PACKAGE) and self._was_given(made_by):
                self.left.add(_place(made_by))
                kwargs["device"] = "cpu"
        return function(*args, **kwargs)

    def _drawn(self, function, args, kwargs):
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

    def _was_given(self, frame):
        """Whether a function of the way from the cell to here was given a tensor of the device."""
        if torch.get_default_device().type != self.kind:
            return False
        while frame is not None and frame.f_code.co_filename.startswith(PACKAGE):
            code = frame.f_code
            names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            if code.co_name != "__init__" and any(map(self._lies, map(frame.f_locals.get, names))):
                return True
            frame = _first(frame.f_back, _is_the_books)
        return False

    def _lies(self, value):
        if isinstance(value, torch.nn.Module):
            value = next(value.parameters(), None)
        if isinstance(value, (list, tuple)):
            return any(map(self._lies, value))
        return isinstance(value, torch.Tensor) and value.device.type == self.kind


def _place(frame):
    frame = _first(frame, _is_the_books)
    if frame is None:
        return "torch"
    name = frame.f_code.co_filename
    if not name.startswith(PACKAGE):
        return "cell"
    module = Path(name).relative_to(Path(PACKAGE).parent).with_suffix("").as_posix()
    module = re.sub("^d2lattn(_book)?/", "", module)
    return re.sub(r"\.<.*", "", f"{module}: {frame.f_code.co_qualname}")


def _is_the_books(name):
    return name.startswith(("<ipython-input", PACKAGE))


def _first(frame, fits):
    """The innermost frame from this one on whose file fits."""
    while frame is not None and not fits(frame.f_code.co_filename):
        frame = frame.f_back
    return frame
