"""A second device without a GPU: tensors that say they lie on `pretend:0`.

Each holds a tensor of the CPU, on which every operation is done (torch's PrivateUse1 and a wrapper
subclass). What is wrong on a GPU is wrong here, too: tensors of two devices do not mix, but for a
single number of the CPU; a mask or an index made where it should not be is refused. And what costs
on a GPU is counted: `counted()` tells how often the host waited for the device (an `.item()`, a
choice of rows by a mask, a copy to the host) and how often something was copied to it. What it does
not show: kernels, their precision, asynchrony, memory.
"""

import contextlib
from dataclasses import dataclass, field

import torch
from torch.utils import backend_registration
from torch.utils._pytree import tree_flatten, tree_map_only, tree_unflatten

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
        "repeat_interleave.Tensor",
    )
}
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


def device(monkeypatch):
    """The pretend device, which is made when it is first asked for.

    `torch.tensor` and `as_tensor` of Python's numbers go past torch's dispatcher, straight to a
    device; while the test lasts they make them on the CPU and copy them, as a GPU would.
    """
    _register()
    for name in ("tensor", "as_tensor"):
        monkeypatch.setattr(torch, name, _by_a_copy(getattr(torch, name)))
    return torch.device(NAME, 0)


def _by_a_copy(make):
    def made(data, *, device=None, requires_grad=False, **options):
        if isinstance(data, torch.Tensor) or device is None or torch.device(device).type != NAME:
            extra = {"requires_grad": True} if requires_grad else {}
            return make(data, device=device, **options, **extra)
        return make(data, **options).to(device).requires_grad_(requires_grad)

    return made


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

    @classmethod
    def __torch_dispatch__(cls, operation, types, args=(), kwargs=None):
        return run(operation, *args, **(kwargs or {}))

    def tolist(self):
        return self.cpu().tolist()

    def numpy(self, **_):
        raise TypeError(f"a tensor on {NAME}:0 has to be copied to the host first")

    def __repr__(self, **_):
        return f"{self.held!r} on {NAME}"


def run(operation, *args, **kwargs):
    """Do an operation on the CPU, for tensors that are all on the device, and say what it cost."""
    name = operation.name()
    flat, structure = tree_flatten((args, kwargs))
    if name == "aten::_fused_sdp_choice":
        return 0  # the formula: kernels of their own are what this device has not
    if name in MOVES:
        return _move(operation, name, args, kwargs)
    wanted = kwargs.get("device")
    if wanted is None:
        _refuse_a_mixture(name, flat)
    for counts in _open:
        by_mask = name.startswith("aten::index") and any(
            torch.is_tensor(x) and x.dtype == torch.bool for x in flat
        )
        if name in WAITS or by_mask:
            counts.waits.append(name.removeprefix("aten::"))
    args, kwargs = tree_unflatten(map(_held, flat), structure)
    if wanted is not None:
        kwargs["device"] = "cpu"
    result = operation(*args, **kwargs)
    return _as_it_was(result, flat, here=wanted is None or torch.device(wanted).type == NAME)


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
    copy = operation(_held(source), **kwargs, device="cpu")
    return OnDevice(copy) if there else copy


def _note(source, there):
    for counts in _open:
        if isinstance(source, OnDevice) and not there:
            counts.waits.append("to the host")
        counts.sent += not isinstance(source, OnDevice) and there


def _refuse_a_mixture(name, flat):
    tensors = [x for x in flat if isinstance(x, torch.Tensor)]
    if any(isinstance(x, OnDevice) for x in tensors):
        for x in tensors:
            if not isinstance(x, OnDevice) and x.ndim:
                raise RuntimeError(
                    f"{name}: expected all tensors on {NAME}:0, found one on {x.device}"
                )


def _held(x):
    return x.held if isinstance(x, OnDevice) else x


def _as_it_was(result, given, *, here):
    """Tensors of the device again; what was changed in its place is what came in."""
    came = {id(x.held): x for x in given if isinstance(x, OnDevice)}

    def wrapped(x):
        made = came.get(id(x), x)
        if made is x and here:
            made = OnDevice(x)
        for counts in _open:
            counts.made.add(made.device.type)
        return made

    return tree_map_only(torch.Tensor, wrapped, result)


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
    _kept.append(library)
