"""What may be drawn: anything that numpy takes, and tensors of any device and dtype."""

import numpy as np
import torch


def to_numpy(values, name="values"):
    """A numpy array of a tensor on any device and of any dtype, or of anything numpy takes.

    Raises:
        ValueError: `name` holds nothing that numpy takes (a ragged list, a tensor on meta).

    Example:
        >>> to_numpy(torch.ones(2, dtype=torch.bfloat16, requires_grad=True))
        array([1., 1.], dtype=float32)
    """
    try:
        if not torch.is_tensor(values):
            return np.asarray(values)
        values = values.detach().cpu()
        short = values.is_floating_point() and values.element_size() < 4  # numpy has no bfloat16
        return (values.float() if short else values).numpy()
    except (TypeError, ValueError, RuntimeError) as error:  # NotImplementedError is one of these
        raise ValueError(f"{name} must hold numbers that numpy takes, got {error}") from None
