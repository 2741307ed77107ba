"""A decoder that writes (chapter 9): a cache of keys and values, sampling, and the loop of both.

Shapes: B batch, L tokens that come in, Hkv heads of keys and values, D width of a head, V words.
"""

import torch

from d2lattn.arguments import check_count, check_flag, check_number, kind, show
from d2lattn.transformer import Decoder, lengths_of


class Cache:
    """The keys and values of what a decoder has read, so that each is computed only once.

    A token's keys and values depend on itself and its past, and so do not change when more tokens
    come: reading the next one costs one row of attention. Memory for max_len tokens is taken at
    once. With a window all keys stay, also those that no later token will see.

    Args:
        model: a `Decoder`.
        batch_size (int): B.
        max_len (int): how many tokens of each sequence it can hold, padding included; that of the
            model when absent.

    Attributes:
        keys, values: Tensors (layers, B, Hkv, max_len, D); keys are rotated already.
        length (int): how many tokens of each sequence it holds, padding included.
        padding: how many of them are padding on the left, integers (B,), or None for none.
        bytes_per_token (int): what one token of one sequence takes, 2·layers·Hkv·D numbers.

    Raises:
        ValueError: no decoder, a size below 1, more than a learned table has rows. In the model's
            `forward`: another batch size, no room left, gradients that would be lost.

    Cost:
        B·max_len·bytes_per_token bytes.

    Example:
        >>> model = Decoder(10, 8, num_layers=2, num_heads=2)
        >>> cache, tokens = Cache(model), torch.tensor([[1, 2, 3]])
        >>> with torch.no_grad():
        ...     parts = [model(part, cache=cache) for part in tokens.split(1, dim=1)]
        >>> torch.allclose(torch.cat(parts, dim=1), model(tokens), atol=1e-5)
        True
    """

    def __init__(self, model, batch_size=1, *, max_len=None):
        if not isinstance(model, Decoder):
            raise ValueError(f"model must be a Decoder, got {type(model).__name__}")
        max_len = model.max_len if max_len is None else max_len
        check_count("batch_size", batch_size)
        check_count("max_len", max_len)
        _check_room(model, max_len)
        attention, weight = model.blocks[0].attention, model.embedding.weight
        shape = (len(model.blocks), batch_size, attention.num_kv_heads, max_len, attention.head_dim)
        self.keys, self.values = (weight.new_zeros(shape).detach() for _ in range(2))
        self.length, self.padding = 0, None

    @property
    def bytes_per_token(self):
        _, batch_size, _, max_len, _ = self.keys.shape
        return (self.keys.nbytes + self.values.nbytes) // (batch_size * max_len)

    def check(self, model, tokens):
        """Refuse tokens (B, L) that cannot be added, before anything is computed."""
        layers, B, heads, max_len, head_dim = self.keys.shape
        attention = model.blocks[0].attention
        theirs = (len(model.blocks), attention.num_kv_heads, attention.head_dim)
        if (layers, heads, head_dim) != theirs:
            raise ValueError(
                f"cache must be made for this model, (layers, Hkv, D) = {theirs}, "
                f"got {(layers, heads, head_dim)}"
            )
        if len(tokens) != B:
            raise ValueError(f"cache is for {B} sequences, got tokens {tuple(tokens.shape)}")
        if self.length + tokens.shape[1] > max_len:
            raise ValueError(
                f"cache must have room for the tokens: it can hold {max_len} and holds "
                f"{self.length}, got {tokens.shape[1]} more"
            )

    def store(self, layer, key, value):
        """Put the keys and values (B, Hkv, L, D) of the next tokens into a layer; give all."""
        if key.requires_grad or value.requires_grad:
            raise ValueError(
                "cache must be used under torch.no_grad(): what is kept carries no gradient, "
                "got keys that do"
            )
        stop = self.length + key.shape[2]
        self.keys[layer, :, :, self.length : stop] = key
        self.values[layer, :, :, self.length : stop] = value
        return self.keys[layer, :, :, :stop], self.values[layer, :, :, :stop]


def _check_room(model, length):
    if model.positions == "learned" and length > model.max_len:
        raise ValueError(
            f"max_len must be at most {model.max_len}, the rows of the model's learned positions, "
            f"got {length} tokens"
        )


# Sampling -----------------------------------------------------------------------------------------


def sample(logits, *, temperature=1.0, top_k=None, generator=None):
    """Draw a token for each row of logits.

    p = softmax(logits / temperature) over the top_k largest logits (Fan et al. 2018, section 5.4).

    Args:
        logits: floating tensor (..., V).
        temperature (float): from 0, which takes the largest logit; above 1 all become more alike.
        top_k (int): how many tokens may be drawn, exactly; all when absent.
        generator: a `torch.Generator`, on whose device it is drawn; torch's own when absent.

    Returns:
        int64 tensor (...).

    Raises:
        ValueError: logits that are not floating, a negative temperature, top_k outside 1..V.

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
    if temperature == 0:
        return logits.argmax(-1)
    device = logits.device if generator is None else generator.device
    scores, words = logits.to(device, torch.float32), None
    if top_k is not None:
        scores, words = scores.topk(top_k)
    # The largest becomes 0 first: then no temperature makes an inf of it. float32 ends near 1e-38.
    scores = (scores - scores.amax(-1, keepdim=True)) / max(temperature, 1e-30)
    rows = scores.softmax(-1).reshape(-1, scores.shape[-1])
    drawn = torch.multinomial(rows, 1, generator=generator).view(*scores.shape[:-1], 1)
    drawn = drawn if words is None else words.gather(-1, drawn)
    return drawn[..., 0].to(logits.device)


@torch.no_grad()
def generate(
    model,
    tokens,
    *,
    steps,
    temperature=1.0,
    top_k=None,
    generator=None,
    valid_lens=None,
    use_cache=True,
):
    """Let a decoder go on from a prompt: draw a token, read it, draw the next.

    Args:
        model: a `Decoder`; it is asked in evaluation mode, whatever mode it is in.
        tokens: the prompts, int64 (B, L).
        steps (int): how many tokens to add.
        temperature, top_k, generator: as in `sample`.
        valid_lens: integers (B,), from 1 to L: the last ones are the prompt, the rest is padding.
        use_cache (bool): whether keys and values are kept, or everything is read again each time.

    Returns:
        int64 tensor (B, L + steps): prompt and continuation.

    Raises:
        ValueError: no decoder, a prompt without a token, more tokens than a learned table has
            rows, and what `sample` refuses.

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
    if valid_lens is not None:
        valid_lens = lengths_of(valid_lens, tokens)
        if (valid_lens == 0).any():
            raise ValueError(f"valid_lens must be at least 1, got {show(valid_lens.tolist())}")
    total = max(L + steps - 1, L)  # the last token is drawn and not read
    _check_room(model, total)
    cache = Cache(model, B, max_len=total) if use_cache else None
    was_training, new = model.training, tokens
    model.eval()
    try:
        for step in range(steps):
            if cache is None:
                lengths = None if valid_lens is None else valid_lens + step
                logits = model(tokens, valid_lens=lengths)
            else:
                logits = model(new, valid_lens=None if step else valid_lens, cache=cache)
            options = dict(temperature=temperature, top_k=top_k, generator=generator)
            new = sample(logits[:, -1], **options)[:, None]  # (B, 1)
            tokens = torch.cat([tokens, new], dim=1)
    finally:
        model.train(was_training)
    return tokens
