"""A decoder that writes (chapter 9): a cache of keys and values, sampling, and the loop of both.

Shapes: B batch, L tokens that come in, Hkv heads of keys and values, D width of a head, V words.
"""

import torch
from torch import Tensor

from d2lattn.arguments import LARGEST, check_count, check_flag, check_number, kind, show
from d2lattn.engines.looking import may_look
from d2lattn.transformer import Decoder, padding_of


class Cache:
    """The keys and values of what a decoder has read, so that each is computed only once.

    A token's keys and values depend on itself and its past, and so do not change when more tokens
    come: reading the next one costs one row of attention. Memory for max_len tokens is taken at
    once, or, if the model has a window, for what its last token sees: the first `sinks` words and
    the last `window` ones. Their places stay those of the text, however far away. Of latents the
    keys hold all, and the values have no width.

    Args:
        model: a `Decoder`.
        batch_size (int): B.
        max_len (int): how many tokens of each sequence it can read, padding included; that of the
            model when absent, and with a window no end unless positions are learned.

    Attributes:
        keys, values: Tensors (layers, B, Hkv, rows, D), with max_len rows, or sinks + window if
            that is less; keys are rotated already.
        columns: with a window, where in the text the rows stand, integers (B, rows), -1 for an
            empty row; else None, and row i is token i.
        length (int): how many tokens of each sequence it has read, padding included.
        padding: how many of them are padding on the left, integers (B,), or None for none.
        bytes_per_token (int): what one row of one sequence takes, 2·layers·Hkv·D numbers, or
            layers·(C + R) of latents.

    Raises:
        ValueError: no decoder, a size below 1, more than a learned table has rows. In the model's
            `forward`: another batch size, no room left, gradients that would be lost.

    Cost:
        B·rows·bytes_per_token bytes.

    Example:
        >>> model = Decoder(10, 8, num_layers=2, num_heads=2)
        >>> cache, tokens = Cache(model), torch.tensor([[1, 2, 3]])
        >>> with torch.no_grad():
        ...     parts = [model(part, cache=cache) for part in tokens.split(1, dim=1)]
        >>> torch.allclose(torch.cat(parts, dim=1), model(tokens), atol=1e-5)
        True
    """

    def __init__(self, model: Decoder, batch_size: int = 1, *, max_len: int | None = None) -> None:
        if not isinstance(model, Decoder):
            raise ValueError(f"model must be a Decoder, got {type(model).__name__}")
        self.window, self.sinks = model.window, model.sinks
        if max_len is None:
            endless = model.window is not None and model.positions != "learned"
            max_len = LARGEST if endless else model.max_len
        check_count("batch_size", batch_size)
        check_count("max_len", max_len)
        if model.positions == "learned" and max_len > model.max_len:
            raise ValueError(
                f"max_len must be at most {model.max_len}, the rows of the model's learned "
                f"positions, got {max_len}"
            )
        rows = max_len if self.window is None else min(max_len, self.sinks + self.window)
        weight = model.embedding.weight
        heads, *widths = _kept(model)
        shape = (len(model.blocks), batch_size, heads, rows)
        self.keys, self.values = (weight.new_zeros(*shape, w).detach() for w in widths)
        self.columns: Tensor | None = None
        if self.window is not None:
            self.columns = torch.full((batch_size, rows), -1, device=weight.device)
        self.max_len = max_len
        self.length: int = 0
        self.padding: Tensor | None = None

    @property
    def bytes_per_token(self) -> int:
        _, batch_size, _, rows, _ = self.keys.shape
        return (self.keys.nbytes + self.values.nbytes) // (batch_size * rows)

    def check(self, model: Decoder, tokens: Tensor) -> None:
        """Refuse tokens (B, L) that cannot be added, before anything is computed."""
        layers, B, heads, _, width = self.keys.shape
        mine = (layers, heads, width, self.window, self.sinks)
        theirs = (len(model.blocks), *_kept(model)[:2], model.window, model.sinks)
        if mine != theirs:
            raise ValueError(
                f"cache must be made for this model, (layers, Hkv, D, window, sinks) = {theirs}, "
                f"got {mine}"
            )
        if len(tokens) != B:
            raise ValueError(f"cache is for {B} sequences, got tokens {tuple(tokens.shape)}")
        if self.length + tokens.shape[1] > self.max_len:
            raise ValueError(
                f"cache must have room for the tokens: it can hold {self.max_len} and holds "
                f"{self.length}, got {tokens.shape[1]} more"
            )

    def padding_with(self, new: Tensor | None) -> Tensor | None:
        """All columns of padding on the left if the next tokens begin with `new` more, (B,)."""
        if new is None or self.length == 0:
            return self.padding if new is None else new
        before = torch.zeros_like(new) if self.padding is None else self.padding
        if ((new > 0) & (before < self.length)).any():
            raise ValueError(
                "left_padding must be 0 after a token, but the cache holds tokens of a sequence "
                f"that has padding here, got {show(new.tolist())}"
            )
        return before + new

    def show(self, new: int, padding: Tensor | None) -> Tensor | None:
        """With a window, the columns (B, rows + new) of what `store` gives for so many tokens."""
        if self.columns is None or self.window is None:
            return None
        stop = self.length + new
        come = torch.arange(self.length, stop, device=self.columns.device)
        shown = torch.cat([self.columns, come.expand(len(self.columns), -1)], 1)
        start = torch.zeros_like(shown[:, :1]) if padding is None else padding[:, None]
        near = (shown >= stop - self.window) | (shown < start + self.sinks)
        stays = near & (shown >= start)
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
        stop = self.length + key.shape[2]
        self.keys[layer, :, :, self.length : stop] = key
        self.values[layer, :, :, self.length : stop] = value
        kept = self.keys[layer, :, :, :stop], self.values[layer, :, :, :stop]
        return kept[0].to(key.dtype), kept[1].to(value.dtype)  # autocast computes in another dtype

    def advance(self, new: int, padding: Tensor | None) -> None:
        """Count the tokens that all layers have stored; with a window, let go of what is past."""
        if self.columns is not None:
            self.columns = self._columns
            for layer, (keys, values) in enumerate(self._kept):
                self.keys[layer], self.values[layer] = keys, values
        self.length, self.padding = self.length + new, padding

    def _rows(self, x):
        """The rows of (B, Hkv, S, D) that are kept."""
        return x.gather(2, self._order[:, None, :, None].expand(-1, x.shape[1], -1, x.shape[3]))


def _kept(model):
    """What a layer keeps of a word: heads, width of a key, width of a value."""
    return model.blocks[0].attention.kept


# Sampling -----------------------------------------------------------------------------------------


def sample(
    logits: Tensor,
    *,
    temperature: float = 1.0,
    top_k: int | None = None,
    generator: torch.Generator | None = None,
) -> Tensor:
    """Draw a token for each row of logits.

    p = softmax(logits / temperature) over the top_k largest logits (Fan et al. 2018, section 5.4).

    Args:
        logits: floating tensor (..., V); -inf is never drawn.
        temperature (float): from 0, which takes the largest logit; above 1 all become more alike.
        top_k (int): how many tokens may be drawn, exactly; all when absent.
        generator: a `torch.Generator`, on whose device it is drawn; torch's own when absent.

    Returns:
        int64 tensor (...).

    Raises:
        ValueError: logits that are not floating, or with NaN, inf or nothing but -inf in a row (on
            a GPU this is not looked at); a negative temperature, top_k outside 1..V, another kind
            of generator.

    Cost:
        O(V) for each row, and a sort of top_k.

    Example:
        >>> sample(torch.tensor([0.0, 3.0, 2.9]), temperature=0)
        tensor(1)
    """
    if not torch.is_tensor(logits) or not logits.is_floating_point():
        raise ValueError(f"logits must be a floating tensor (..., V), got {kind(logits)}")
    if logits.ndim == 0 or logits.shape[-1] == 0:
        raise ValueError(f"logits must have shape (..., V), V at least 1, got {(*logits.shape,)}")
    check_number("temperature", temperature, 0)
    if top_k is not None:
        check_count("top_k", top_k, most=logits.shape[-1])
    if generator is not None and not isinstance(generator, torch.Generator):
        raise ValueError(f"generator must be a torch.Generator, got {kind(generator)}")
    largest = logits.amax(-1, keepdim=True)  # (..., 1): NaN where there is one
    if may_look(logits) and not largest.isfinite().all():
        raise ValueError(
            "logits must be numbers or -inf, and not -inf alone, got a row whose largest is "
            f"{largest[~largest.isfinite()][0].item()}"
        )
    if temperature == 0:
        return logits.argmax(-1)
    device = logits.device if generator is None else generator.device
    # The largest becomes 0 first: then neither float32, which ends near 1e38, nor a temperature
    # makes an inf of it.
    scores = logits.to(torch.promote_types(logits.dtype, torch.float32)) - largest
    scores, words = scores.to(device, torch.float32), None
    if top_k is not None:
        scores, words = scores.topk(top_k)
    scores = scores / max(temperature, 1e-30)
    rows = scores.softmax(-1).reshape(-1, scores.shape[-1])
    # So torch.multinomial draws, too; but it makes a GPU wait, to check what a softmax keeps to.
    race = rows / torch.empty_like(rows).exponential_(generator=generator)
    drawn = race.argmax(-1).view(*scores.shape[:-1], 1)
    drawn = drawn if words is None else words.gather(-1, drawn)
    return drawn[..., 0].to(logits.device)


@torch.no_grad()
def generate(
    model: Decoder,
    tokens: Tensor,
    *,
    steps: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    generator: torch.Generator | None = None,
    left_padding: Tensor | list[int] | None = None,
    use_cache: bool = True,
) -> Tensor:
    """Let a decoder go on from a prompt: draw a token, read it, draw the next.

    Args:
        model: a `Decoder`; it is asked in evaluation mode, whatever mode it is in.
        tokens: the prompts, int64 (B, L).
        steps (int): how many tokens to add.
        temperature, top_k, generator: as in `sample`.
        left_padding: integers (B,), from 0 to L - 1: how many tokens on the left are padding.
        use_cache (bool): whether keys and values are kept, or everything is read again each time.

    Returns:
        int64 tensor (B, L + steps): prompt and continuation.

    Raises:
        ValueError: no decoder, a prompt without a token or of padding alone, more steps than a
            learned table has rows for, and what `sample` refuses.

    Cost:
        With the cache each step reads one token and attends to those before it; without it step i
        reads all L + i. The cache takes (L + steps) · B · `bytes_per_token` bytes.

    Example:
        >>> model = Decoder(10, 8, num_layers=1, num_heads=2)
        >>> generate(model, torch.tensor([[1, 2, 3]]), steps=4, temperature=0).shape
        torch.Size([1, 7])
    """
    if not isinstance(model, Decoder):
        raise ValueError(f"model must be a Decoder, got {type(model).__name__}")
    model._check_tokens(tokens)
    check_count("steps", steps, least=0)
    check_flag("use_cache", use_cache)
    B, L = tokens.shape
    if left_padding is not None:
        left_padding = padding_of(left_padding, tokens, least=1)
    _check_room(model, L, steps)
    total = max(L + steps - 1, L)  # the last token is drawn and not read
    cache = Cache(model, B, max_len=total) if use_cache else None
    was_training, new = model.training, tokens
    model.eval()
    try:
        for step in range(steps):
            if cache is None:
                logits = model(tokens, left_padding=left_padding)
            else:  # the cache remembers where the padding stood
                logits = model(new, left_padding=None if step else left_padding, cache=cache)
            drawn = sample(logits[:, -1], temperature=temperature, top_k=top_k, generator=generator)
            new = drawn[:, None]  # (B, 1)
            tokens = torch.cat([tokens, new], dim=1)
    finally:
        model.train(was_training)
    return tokens


def _check_room(model, length, steps):
    """A prompt of this length and its continuation, but for the last token, which is not read."""
    if model.positions != "learned":
        return
    rows = f"the model's learned positions have {model.max_len} rows"
    if length > model.max_len:
        raise ValueError(f"tokens must be at most {model.max_len} long: {rows}, got {length}")
    if length + steps - 1 > model.max_len:
        raise ValueError(
            f"steps must be at most {model.max_len - length + 1} after {length} tokens: {rows}, "
            f"got {steps}"
        )
