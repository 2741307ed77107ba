"""A second device without a GPU: tensors that say they lie on `pretend:0`.

Each holds a tensor of the CPU, on which every operation is done (torch's PrivateUse1 and a wrapper
subclass). What is wrong on a GPU is wrong here, too: tensors of two devices do not mix, but for a
single number of the CPU; a mask or an index made where it should not be is refused, and so is a
driver of least squares that CUDA lacks. And what costs on a GPU is counted: `counted()` tells how
often the host waited for the device (an `.item()`, a choice of rows by a mask, a copy to the host)
and how often something was copied to it. What it does not show: kernels, their precision,
asynchrony, memory.
"""

import contextlib
import functools
from dataclasses import dataclass, field

import torch
from torch.nn.functional import scaled_dot_product_attention
from torch.overrides import TorchFunctionMode
from torch.utils import backend_registration
from torch.utils._mode_utils import no_dispatch

NAME = "pretend"
WAITS = {  # operations whose result the host has to see before it goes on
    f"aten::{name}"
    for name in (
        "_local_scalar_dense",
        "equal",
        "is_nonzero",
        "masked_select",
        "nonzero",
        "_unique2",
        "unique_consecutive",
        "bincount",
        "multinomial",
        "repeat_interleave.Tensor",
    )
}
BY_INDEX = ("aten::index.Tensor", "aten::index_put")
ARANGES = ("default", "start", "start_step")
MOVES = {"aten::_to_copy", "aten::copy_"}


@dataclass
class Counts:
    """What passed between host and device.

    Attributes:
        waits (list of str): operations for which the host waited; a copy to it is "to the host".
        sent (int): copies from the host to the device.
        made (set): devices of all tensors that came to be.
    """

    waits: list = field(default_factory=list)
    sent: int = 0
    made: set = field(default_factory=set)


_open: list[Counts] = []


@contextlib.contextmanager
def counted():
    """While this lasts, count what passes between host and device."""
    counts = Counts()
    _open.append(counts)
    try:
        yield counts
    finally:
        _open.remove(counts)


@contextlib.contextmanager
def device():
    """The pretend device, which is made when it is first asked for."""
    _register()
    with _Making():
        yield torch.device(NAME, 0)


class _Making(TorchFunctionMode):
    """What torch does before its dispatcher sees a tensor, as a GPU does it.

    Python's numbers, which torch puts straight on a device, are made here and copied: what a tensor
    is made of, and the lists by which its rows are chosen. And what attention returns lies in
    memory with the words before the heads, as the kernels of a GPU leave it.
    """

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if function in (torch.Tensor.__getitem__, torch.Tensor.__setitem__):
            return function(args[0], _index(args[1]), *args[2:])
        if function is scaled_dot_product_attention:
            output = function(*args, **kwargs)
            there = output.device.type == NAME and output.ndim == 4
            return output.transpose(1, 2).contiguous().transpose(1, 2) if there else output
        if function not in (torch.tensor, torch.as_tensor, torch.asarray, torch.scalar_tensor):
            return function(*args, **kwargs)
        wanted = kwargs.pop("device", None)
        given = isinstance(args[0], torch.Tensor) and args[0].device.type == NAME
        if wanted is None:
            wanted = NAME if given else torch.get_default_device()
        if torch.device(wanted).type != NAME:
            return function(*args, **kwargs, device=wanted)
        if given and function is torch.as_tensor:
            return args[0].to(kwargs.get("dtype", args[0].dtype))
        needs = kwargs.pop("requires_grad", False)
        made = function(*args, **kwargs, device="cpu").to(NAME)
        return made.requires_grad_() if needs else made


def _index(key):
    if isinstance(key, tuple):
        return tuple(map(_index, key))
    if not isinstance(key, (list, range)):
        return key
    return torch.tensor([*key], dtype=None if key else torch.int64, device="cpu")


class OnDevice(torch.Tensor):
    """A tensor of the device; `held` is where its numbers are."""

    held: torch.Tensor

    @staticmethod
    def __new__(cls, held):
        self = torch.Tensor._make_wrapper_subclass(
            cls,
            held.shape,
            strides=held.stride(),
            storage_offset=held.storage_offset(),
            dtype=held.dtype,
            device=torch.device(NAME, 0),
        )
        self.held = held
        return self

    @property
    def data(self):
        return torch.Tensor.data.__get__(self)

    @data.setter
    def data(self, other):  # as a module does it that is given another dtype
        torch.Tensor.data.__set__(self, other)
        self.held = other.held

    @classmethod
    def __torch_dispatch__(cls, operation, types, args=(), kwargs=None):
        return run(operation, *args, **(kwargs or {}))

    def tolist(self):
        return self.cpu().tolist()

    def __format__(self, spec):
        return format(self.item(), spec) if self.ndim == 0 else super().__format__(spec)

    def numpy(self, **_):
        raise TypeError(f"a tensor on {NAME}:0 has to be copied to the host first")

    def __repr__(self, **_):
        return f"{self.cpu()!r}"[:-1] + f", device='{NAME}:0')"


def run(operation, *args, **kwargs):
    """Do an operation on the CPU, for tensors that are all on the device, and say what it cost."""
    name = operation.name()
    if name == "aten::_fused_sdp_choice":
        return 0  # the formula: kernels of their own are what this device has not
    if name in MOVES:
        return _move(operation, name, args, kwargs)
    given = [*_leaves(args), *_leaves(kwargs)]
    there = {id(x.held): x for x in given if isinstance(x, OnDevice)}
    wanted = kwargs.get("device")
    here = bool(there) if wanted is None else torch.device(wanted).type == NAME
    if here:
        _refuse(name, args, given, mixture=wanted is None)
    if _open:
        _count(name, args)
    if torch.Tag.inplace_view in operation.tags:  # another shape for the same tensor
        with no_dispatch():
            operation(*args, **kwargs)
    kwargs = {key: _each(_held, value) for key, value in kwargs.items()}
    if here and name == "aten::linalg_lstsq":
        kwargs["driver"] = "gels"  # the only one of a GPU; the rank has to be full
    if wanted is not None:
        kwargs["device"] = "cpu"
    result = operation(*[_each(_held, value) for value in args], **kwargs)
    if here:  # tensors of the device again; what was changed in its place is what came in
        result = _each(lambda x: there[id(x)] if id(x) in there else OnDevice(x), result)
    for counts in _open:
        counts.made.update(x.device.type for x in _leaves([result]) if torch.is_tensor(x))
    return result


def _leaves(values):
    """What lies in lists, tuples and dictionaries, however deep."""
    for value in values.values() if isinstance(values, dict) else values:
        if isinstance(value, (list, tuple)):
            yield from _leaves(value)
        else:
            yield value


def _each(change, value):
    """The same lists and tuples of changed tensors."""
    if isinstance(value, (list, tuple)):
        return type(value)(_each(change, part) for part in value)
    return change(value) if isinstance(value, torch.Tensor) else value


def _held(x):
    return x.held if isinstance(x, OnDevice) else x


def _refuse(name, args, given, *, mixture):
    """What a GPU refuses: tensors of two devices, numbers drawn by the CPU's generator, and all
    drivers of least squares but one."""
    if name == "aten::linalg_lstsq" and isinstance(given[-1], str) and given[-1] != "gels":
        raise RuntimeError(f"{name}: driver must be 'gels' on {NAME}:0, got {given[-1]!r}")
    if any(isinstance(x, torch.Generator) and x.device.type == "cpu" for x in given):
        raise RuntimeError(f"{name}: expected a generator on {NAME}:0, found one on cpu")
    if name.startswith(BY_INDEX):  # whose indices may lie on the CPU: they are copied each time
        for counts in _open:
            counts.sent += sum(_is_here(x) for x in args[1])
        given = [args[0], *args[2:]]
    for x in given if mixture else ():
        if _is_here(x) and x.ndim:
            raise RuntimeError(f"{name}: expected all tensors on {NAME}:0, found one on cpu")


def _is_here(x):
    return isinstance(x, torch.Tensor) and not isinstance(x, OnDevice)


def _count(name, args):
    indices = args[1] if name.startswith(BY_INDEX) else ()
    by_mask = any(isinstance(x, torch.Tensor) and x.dtype == torch.bool for x in indices)
    if name in WAITS or by_mask:
        for counts in _open:
            counts.waits.append(name.removeprefix("aten::"))


def _move(operation, name, args, kwargs):
    """Copies, the only way from one device to the other."""
    if name == "aten::copy_":
        target, source = args[:2]
        _note(source, isinstance(target, OnDevice))
        _held(target).copy_(_held(source))
        return target
    (source,) = args
    wanted = kwargs.pop("device", None)
    there = isinstance(source, OnDevice) if wanted is None else torch.device(wanted).type == NAME
    _note(source, there)
    copy = operation(_held(source), **kwargs, device="cpu" if there else wanted)
    return OnDevice(copy) if there else copy


def _note(source, there):
    for counts in _open:
        if isinstance(source, OnDevice) and not there:
            counts.waits.append("to the host")
        counts.sent += not isinstance(source, OnDevice) and there


class _Module:
    """What torch asks of a device's module."""

    def __getattr__(self, name):
        answers = {
            "is_available": True,
            "is_initialized": True,
            "device_count": 1,
            "current_device": 0,
            "_is_in_bad_fork": False,
            "get_amp_supported_dtype": [torch.bfloat16, torch.float16],
            "get_rng_state": torch.empty(0, dtype=torch.uint8),
        }
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *_, **__: answers.get(name)


_kept = []  # torch forgets a library that nobody holds


def _register():
    if _kept:
        return
    backend_registration._setup_privateuseone_for_python_backend(NAME, _Module())
    library = torch.library.Library("_", "IMPL")
    library.fallback(run, "PrivateUse1")
    makers = torch.library.Library("aten", "IMPL")
    aten = torch.ops.aten  # of these torch makes an empty one and gives it a size as it is filled
    filled = (aten.eye.default, aten.eye.m, *(getattr(aten.arange, n) for n in ARANGES))
    for operation in filled:
        makers.impl(operation.name(), functools.partial(run, operation), "PrivateUse1")
    _kept.extend([library, makers])
