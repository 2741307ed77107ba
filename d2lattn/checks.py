"""Rules for arguments. What breaks one raises a ValueError: the argument, the rule, what was got.

Every module uses these, so that a rule is worded once and holds everywhere.
"""

import math

import torch

LARGEST = 2**63 - 1  # torch counts in int64


def check_count(name, value, least=1, most=LARGEST):
    """An int from `least` to `most` (a bool is none)."""
    if isinstance(value, bool) or not isinstance(value, (int, torch.SymInt)) or value < least:
        raise ValueError(f"{name} must be an integer of at least {least}, got {show(value)}")
    if value > most:
        most = "2**63 - 1" if most == LARGEST else most
        raise ValueError(f"{name} must be an integer of at most {most}, got {show(value)}")


def check_number(name, value, least=-math.inf, most=math.inf):
    """A finite int or float from `least` to `most` (a bool is none)."""
    bounds = "" if least == -math.inf and most == math.inf else f" from {least} to {most}"
    if not is_finite_number(value) or not least <= value <= most:
        raise ValueError(f"{name} must be a finite number{bounds}, got {show(value)}")


def is_finite_number(value):
    """Whether `value` is an int or float, but no bool, that a double can hold."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # an int beyond the largest double
        return False


def check_flag(name, value):
    """True or False, and nothing that merely counts as one of them."""
    if not isinstance(value, bool):
        raise ValueError(f"{name} must be True or False, got {show(value)}")


def check_choice(name, value, choices):
    """One of the strings in `choices`."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} must be one of {choices}, got {show(value)}")


def check_callable(name, value):
    """A function or a module: something that can be called."""
    if not callable(value):
        raise ValueError(f"{name} must be a function or a module, got {show(value)}")


def check_floating_dtype(name, value):
    """A torch dtype that holds real numbers."""
    if not isinstance(value, torch.dtype) or not value.is_floating_point:
        raise ValueError(f"{name} must be a floating dtype of torch, got {show(value)}")


def check_floating(name, x, axes="(..., length, width)"):
    """A floating tensor with at least the two axes named last in `axes`."""
    if not torch.is_tensor(x) or not x.is_floating_point():
        raise ValueError(f"{name} must be a floating tensor, got {kind(x)}")
    if x.ndim < 2:
        raise ValueError(f"{name} must have axes {axes}, got shape {tuple(x.shape)}")


def check_boolean_mask(name, x):
    """A boolean tensor; the message says which way it points."""
    if not torch.is_tensor(x) or x.dtype != torch.bool:
        raise ValueError(
            f"{name} must be a boolean tensor, True = may attend, got {kind(x)}; "
            "numbers to be added to the scores go into attn_bias"
        )


def check_alike(like_name, like, **tensors):
    """Tensors of one dtype on one device."""
    for name, x in tensors.items():
        if x.dtype != like.dtype or x.device != like.device:
            raise ValueError(
                f"{name} must have the dtype and device of {like_name} "
                f"({like.dtype}, {like.device}), got {x.dtype}, {x.device}"
            )


def kind(x):
    """What a message calls something that is no tensor of the right dtype."""
    return x.dtype if torch.is_tensor(x) else type(x).__name__


def show(value, width=60):
    """`repr`, shortened, for messages."""
    try:
        text = repr(value)
    except ValueError:  # an int of more digits than Python prints
        text = f"an integer of {value.bit_length()} bits"
    return text if len(text) <= width else f"{text[: width - 1]}…"
