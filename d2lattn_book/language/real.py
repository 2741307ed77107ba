"""The real language model of the book, for its pages: SmolLM2, and what it makes of a text.

`d2lattn.pretrained` loads the model; here are the few lines around it that every chapter needs.
"""

from typing import Any

import torch
from torch import Tensor

from d2lattn import pretrained
from d2lattn.arguments import show
from d2lattn.transformer import Decoder


def load() -> tuple[Decoder | None, Any]:
    """(model, tokenizer) of `pretrained.load`, or (None, None) after a line that says what to do.

    So the rest of a chapter runs where the model is not installed.

    Cost:
        As `pretrained.load`: about 5 s at the first time, 1 s later.

    Example:
        >>> model, tokenizer = load()
        >>> len(model.blocks)
        30
    """
    try:
        return pretrained.load()
    except RuntimeError as missing:
        print(missing)
        return None, None


def pieces(text: str, tokenizer: Any) -> tuple[Tensor, list[str]]:
    """A text as the model reads it: the numbers of its pieces, (1, L) int64, and their letters.

    Args:
        text: at least one piece long.
        tokenizer: that of the model.

    Raises:
        ValueError: a text that is no string, or empty.

    Example:
        >>> _, tokenizer = load()
        >>> tokens, names = pieces("A bat sleeps", tokenizer)
        >>> names
        ['A', ' bat', ' sleep', 's']
    """
    if not isinstance(text, str) or not text:
        raise ValueError(f"text must be a string that is not empty, got {show(text)}")
    ids = tokenizer.encode(text).ids
    return torch.tensor([ids]), [tokenizer.decode([i]) for i in ids]
