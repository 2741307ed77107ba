"""The patches of an image, which are the tokens of a model that reads images."""

import base64
import io
import math
from collections.abc import Mapping

import torch

MOST_BEFORE = 8  # class and register tokens
LARGEST = 400  # pixels, as the figure shows it


def patches_in(text, count):
    """(image (C, H, W), lines, columns) if a module was called with an image, of which the last of
    so many tokens are the patches, line by line; else None."""
    given = text.get("pixel_values") if isinstance(text, Mapping) else text
    if not (torch.is_tensor(given) and given.is_floating_point()):
        return None
    if given.ndim != 4 or given.shape[1] not in (1, 3):
        return None
    height, width = given.shape[-2:]
    for before in range(min(MOST_BEFORE, count - 1)):
        side = math.sqrt(height * width / (count - before))
        if side.is_integer() and height % side == width % side == 0:
            return given[0], int(height / side), int(width / side)
    return None


def names_of_patches(count, lines, columns):
    """CLS, or the numbers of several such tokens, and the line and column of each patch."""
    before = count - lines * columns
    first = ["CLS"] if before == 1 else [f"token {n}" for n in range(before)]
    return first + [f"({i}, {j})" for i in range(lines) for j in range(columns)]


def as_picture(image):
    """An address that holds the image, from its lowest number to its highest."""
    from PIL import Image

    low, high = image.min(), image.max()
    pixels = 255 * (image - low).float().cpu() / (high - low).float().cpu().clamp(min=1e-9)
    picture = Image.fromarray(pixels.expand(3, -1, -1).permute(1, 2, 0).byte().numpy())
    picture.thumbnail((LARGEST, LARGEST))
    picture.save(stored := io.BytesIO(), "JPEG", quality=85)
    return f"data:image/jpeg;base64,{base64.b64encode(stored.getvalue()).decode()}"
