"""A decoder that writes (chapter 9): a token is drawn, read, and the next one drawn.

Shapes: B batch, L tokens that come in, V words.
"""

from typing import Any

import torch
from torch import Tensor

from d2lattn.arguments import (
    check_count,
    check_flag,
    check_generator,
    check_number,
    check_real,
)
from d2lattn.cache import Cache
from d2lattn.tracing import data_dependent_ok
from d2lattn.transformer import Decoder


def sample(
    logits: Tensor,
    *,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    min_p: float | None = None,
    generator: torch.Generator | None = None,
) -> Tensor:
    """Draw a token for each row of logits.

    p = softmax(logits / temperature) over those tokens that all the rules given let through:

    - top_k: the k largest logits (Fan et al. 2018, section 5.4);
    - top_p: the likeliest tokens, the fewest whose p add up to top_p (the nucleus of Holtzman et
      al. 2020, section 3.1);
    - min_p: those whose p is at least min_p times the largest (Nguyen et al. 2024, section 3).

    They are asked in this order, each about the p of what is left; the likeliest always stays.

    Args:
        logits: floating tensor (..., V); -inf is never drawn. NaN and inf are refused, except on
            a GPU, where checking would wait.
        temperature (float): from 0, which takes the largest logit; above 1 all become more alike.
        top_k (int): how many tokens may be drawn, exactly; all when absent.
        top_p, min_p (float): from 0, the likeliest alone, to 1; no rule when absent.
        generator: a `torch.Generator`, on whose device it is drawn; torch's own when absent.

    Returns:
        int64 tensor (...).

    Example:
        >>> sample(torch.tensor([0.0, 3.0, 2.9]), temperature=0)
        tensor(1)
    """
    check_real("logits", logits)
    if logits.ndim == 0 or logits.shape[-1] == 0:
        raise ValueError(f"logits must have shape (..., V), V at least 1, got {(*logits.shape,)}")
    temperature = _check_drawing(logits.shape[-1], temperature, top_k, top_p, min_p, generator)
    largest = logits.amax(-1, keepdim=True)  # (..., 1): NaN where there is one
    if data_dependent_ok(logits) and not largest.isfinite().all():
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
    if top_p is not None:
        scores = scores.masked_fill(~_nucleus(scores.softmax(-1), top_p), -torch.inf)
    shares = scores.softmax(-1)
    if min_p is not None:
        shares = shares.where(shares >= min_p * shares.amax(-1, keepdim=True), 0.0)
    rows = shares.reshape(-1, shares.shape[-1])
    # So torch.multinomial draws, too; but it makes a GPU wait, to check what a softmax keeps to.
    race = rows / torch.empty_like(rows).exponential_(generator=generator)
    drawn = race.argmax(-1).view(*scores.shape[:-1], 1)
    drawn = drawn if words is None else words.gather(-1, drawn)
    return drawn[..., 0].to(logits.device)


def _nucleus(shares, top_p):
    """Mark the fewest of the shares (..., V) that add up to top_p, largest first."""
    ordered, words = shares.sort(dim=-1, descending=True, stable=True)
    before = ordered.cumsum(-1) - ordered  # what those that come first have together
    kept = before < top_p
    kept[..., 0] = True
    return torch.empty_like(kept).scatter_(-1, words, kept)


def _check_drawing(words, temperature, top_k, top_p, min_p, generator):
    """Check how one of so many words is to be drawn; give the temperature as a float."""
    temperature = check_number("temperature", temperature, 0)
    if top_k is not None:
        check_count("top_k", top_k, most=words)
    for name, share in dict(top_p=top_p, min_p=min_p).items():
        if share is not None:
            check_number(name, share, 0, 1)
    check_generator(generator)
    return temperature


@torch.no_grad()
def generate(
    model: Decoder,
    tokens: Tensor,
    *,
    steps: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    min_p: float | None = None,
    generator: torch.Generator | None = None,
    use_cache: bool = True,
) -> Tensor:
    """Let a decoder go on from a prompt: draw a token, read it, draw the next.

    Args:
        model: a `Decoder`; it is read in evaluation mode, whatever mode it is in and stays in.
        tokens: the prompts, int64 (B, L), to each of which `steps` (int) are added. Prompts of
            unequal lengths go one at a time.
        temperature, top_k, top_p, min_p, generator: as in `sample`.
        use_cache (bool): whether keys and values are kept, or everything is read again each time.

    Returns:
        int64 tensor (B, L + steps): prompt and continuation.

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
    if isinstance(tokens, list | tuple):
        raise ValueError(
            "tokens must be one int64 tensor (B, L), got a list: generate from prompts of unequal "
            "lengths one at a time, or read them packed (chapter 12)"
        )
    model.check_tokens(tokens)
    check_count("steps", steps, least=0)
    check_flag("use_cache", use_cache)
    how: dict[str, Any] = dict(temperature=temperature, top_k=top_k, top_p=top_p, min_p=min_p)
    how["generator"] = generator
    _check_drawing(model.embedding.num_embeddings, **how)
    B, L = tokens.shape
    _check_room(model, L, steps)
    total = max(L + steps - 1, L)  # the last token is drawn and not read
    cache = Cache(model, B, max_len=total) if use_cache else None
    new = tokens
    model = _evaluating(model)
    for _ in range(steps):
        logits = model(tokens) if cache is None else model(new, cache=cache)
        new = sample(logits[:, -1], **how)[:, None]  # (B, 1)
        tokens = torch.cat([tokens, new], dim=1)
    return tokens


def _evaluating(module):
    """Give a module in evaluation mode: itself, or a copy that shares its tensors. The flag of the
    module stays, since another thread may be training it, or generating as well."""
    if module is None or not any(part.training for part in module.modules()):
        return module
    if "attend" in vars(module) and module.dropout:  # it looks at the flag of the module
        raise ValueError("model must be in evaluation mode while it is edited, got dropout")
    copy, parts = object.__new__(type(module)), module._modules.items()
    copy.__dict__.update(module.__dict__, training=False, _compiled_call_impl=None)
    copy.__dict__["_modules"] = {name: _evaluating(part) for name, part in parts}
    return copy


def _check_room(model, length, steps):
    """Require room for a prompt and its continuation, but for the last token, which is not read."""
    most = model.position.max_len
    rows = f"the model's learned positions have {most} rows"
    if most is not None and length > most:
        raise ValueError(f"tokens must be at most {most} long: {rows}, got {length}")
    if most is not None and length + steps - 1 > most:
        raise ValueError(
            f"steps must be at most {most - length + 1} after {length} tokens: {rows}, got {steps}"
        )
