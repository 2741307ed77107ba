"""What a decoder has read, kept so that it is computed once (chapter 9).

Shapes: B batch, L tokens that come in, Hkv heads of keys and values, D width of a head.
"""

import sys
from typing import Any

import torch
from torch import Tensor

from d2lattn.arguments import check_count
from d2lattn.engines.visibility import in_window


class Cache:
    """The keys and values of what a decoder has read, so that each is computed only once.

    A token's keys and values depend on itself and its past, and so do not change when more tokens
    come: reading the next one costs one row of attention. Memory for max_len tokens is taken at
    once, or, if the `Decoder` has a window, for what its last token sees: the first `sinks` tokens
    and the last `window` ones. Their places stay those of the text, however far away. Of latents
    the keys hold all, and the values have no width.

    A pass of a model asks it in this order: `begin`, in each layer `store`, and at the end
    `advance`. A pass that fails before the end leaves it as it was.

    Args:
        max_len (int): how many tokens of each sequence it can read; that of the model when
            absent, and with a window no end unless positions are learned.

    Attributes:
        keys, values: Tensors (layers, B, Hkv, rows, D), with max_len rows, or sinks + window if
            that is less; keys are rotated already.
        columns: with a window, where in the text the rows stand, integers (B, rows), -1 for an
            empty row; else None, and row i is token i.
        length (int): how many tokens of each sequence it has read.
        bytes_per_token (int): what one row of one sequence takes: the bytes of 2·layers·Hkv·D
            numbers, or of layers·(C + R) with latents.

    Example:
        >>> from d2lattn import Decoder
        >>> model = Decoder(10, 8, num_layers=2, num_heads=2)
        >>> cache, tokens = Cache(model), torch.tensor([[1, 2, 3]])
        >>> with torch.no_grad():
        ...     parts = [model(part, cache=cache) for part in tokens.split(1, dim=1)]
        >>> torch.allclose(torch.cat(parts, dim=1), model(tokens), atol=1e-5)
        True
    """

    def __init__(self, model: Any, batch_size: int = 1, *, max_len: int | None = None) -> None:
        self.window, self.sinks = model.window, model.sinks
        most = model.position.max_len  # None but for a learned table, which ends
        if max_len is None:
            endless = model.window is not None and most is None
            max_len = sys.maxsize if endless else min(model.max_len, most or sys.maxsize)
        check_count("batch_size", batch_size)
        check_count("max_len", max_len)
        if most is not None and max_len > most:
            raise ValueError(
                f"max_len must be at most {most}, the rows of the model's learned positions, "
                f"got {max_len}"
            )
        rows = max_len if self.window is None else min(max_len, self.sinks + self.window)
        weight = model.embedding.weight
        layers, heads, *widths = model.cache_shape
        shape = (layers, batch_size, heads, rows)
        # Not `weight.new_zeros`, which FSDP2 would shard as it does the weight.
        like = dict(dtype=weight.dtype, device=weight.device)
        self.keys, self.values = (torch.zeros(*shape, width, **like) for width in widths)
        self.columns: Tensor | None = None
        if self.window is not None:
            self.columns = torch.full((batch_size, rows), -1, device=weight.device)
        self.max_len = max_len
        self.length = 0

    def crop(self, length: int) -> None:
        """Roll back: keep the first `length` (int) tokens, and forget those after them.

        With a window that is refused once they have pushed others out.
        """
        check_count("length", length, least=0, most=self.length)
        if self.columns is not None:
            if 0 < length < self.length and self.length > self.keys.shape[3]:
                raise ValueError(
                    f"length must be 0 or stay {self.length}, since the window has dropped keys "
                    f"that the next token needs, got {length}; copy.deepcopy keeps a way back"
                )
            self.columns = self.columns.masked_fill(self.columns >= length, -1)
        self.length = length

    @property
    def bytes_per_token(self) -> int:
        _, batch_size, _, rows, _ = self.keys.shape
        return (self.keys.nbytes + self.values.nbytes) // (batch_size * rows)

    def begin(self, model: Any, tokens: Tensor) -> Tensor | None:
        """Begin a pass of tokens (B, L), unless they cannot be added: with a window, give the
        columns (B, rows + L) of what `store` will give, and settle what `advance` keeps of it."""
        if (self.window, self.sinks) != (model.window, model.sinks):
            raise ValueError("cache must be made for this model, got one of another window")
        B = self.keys.shape[1]
        if len(tokens) != B:
            raise ValueError(f"cache is for {B} sequences, got tokens {tuple(tokens.shape)}")
        if self.length + tokens.shape[1] > self.max_len:
            raise ValueError(
                f"cache must have room for the tokens: it can hold {self.max_len} and holds "
                f"{self.length}, got {tokens.shape[1]} more"
            )
        if self.columns is None or self.window is None:
            return None
        stop = self.length + tokens.shape[1]
        come = torch.arange(self.length, stop, device=self.columns.device)
        shown = torch.cat([self.columns, come.expand(len(self.columns), -1)], 1)
        stays = in_window(stop - 1, shown, self.window, self.sinks) & (shown >= 0)
        order = (~stays).byte().argsort(dim=1, stable=True)
        self._order = order[:, : self.columns.shape[1]]  # (B, rows): what is kept afterwards
        self._columns = shown.masked_fill(~stays, -1).gather(1, self._order)
        self._kept: list[tuple[Tensor, Tensor]] = []
        return shown

    def store(self, layer: int, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Put the keys and values (B, Hkv, L, D) of the next tokens into a layer; give all."""
        if key.requires_grad or value.requires_grad:
            raise ValueError(
                "cache must be used under torch.no_grad(): what is kept carries no gradient, "
                "got keys that do"
            )
        if self.columns is not None:
            keys = torch.cat([self.keys[layer].to(key.dtype), key], 2)
            values = torch.cat([self.values[layer].to(value.dtype), value], 2)
            self._kept.append((self._rows(keys), self._rows(values)))
            return keys, values
        start, stop = self.length, self.length + key.shape[2]
        keys, values = self.keys[layer, :, :, :stop], self.values[layer, :, :, :stop]
        keys[:, :, start:], values[:, :, start:] = key, value
        if keys.dtype != key.dtype:  # autocast computes in another one
            return keys.to(key.dtype), values.to(value.dtype)
        return keys, values

    def advance(self, new: int) -> None:
        """Count the tokens that all layers have stored; with a window, let go of what is past."""
        if self.columns is not None:
            self.columns = self._columns
            for layer, (keys, values) in enumerate(self._kept):
                self.keys[layer], self.values[layer] = keys, values
            self._kept = []
        self.length = self.length + new

    def _rows(self, x):
        """Give the rows of (B, Hkv, S, D) that are kept."""
        return x.gather(2, self._order[:, None, :, None].expand(-1, x.shape[1], -1, x.shape[3]))
