"""Autoregressive generation (chapter 9): a token is drawn, read, and the next one drawn.

Shapes: B batch, L tokens that come in, V in the vocabulary.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from d2lattn.arguments import check_count, check_number, check_real
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
    """Draw a token for each row of logits: p = softmax(logits / temperature).

    The rules that are given apply in this order, each to what the one before has left; the most
    probable token always stays.

    Args:
        logits: floating tensor (..., V); -inf is never drawn. NaN and inf are refused, except on
            a GPU, where checking would wait.
        temperature (float): 0 takes the largest logit; above 1 the probabilities get more alike.
        top_k (int): draw among the k largest logits (Fan et al. 2018, section 5.4).
        top_p (float): draw among the most probable tokens, the fewest whose p add up to top_p
            (nucleus sampling: Holtzman et al. 2020, section 3.1).
        min_p (float): draw among those with at least min_p times the largest p (Nguyen et al.
            2024, section 3).
        generator: a `torch.Generator`; torch's own when absent.

    Returns:
        int64 tensor (...).

    Example:
        >>> sample(torch.tensor([0.0, 3.0, 2.9]), temperature=0)
        tensor(1)
    """
    check_real("logits", logits)
    temperature = check_number("temperature", temperature, 0)
    if top_k is not None:
        check_count("top_k", top_k, most=logits.shape[-1])
    for name, number in dict(top_p=top_p, min_p=min_p).items():
        if number is not None:
            check_number(name, number, 0, 1)
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
    scores, tokens = scores.to(device, torch.float32), None
    if top_k is not None:
        scores, tokens = scores.topk(top_k)
    scores = scores / max(temperature, 1e-30)
    if top_p is not None:
        scores = scores.masked_fill(~_nucleus(scores.softmax(-1), top_p), -torch.inf)
    probs = scores.softmax(-1)
    if min_p is not None:
        probs = probs.where(probs >= min_p * probs.amax(-1, keepdim=True), 0.0)
    rows = probs.reshape(-1, probs.shape[-1])
    # So torch.multinomial draws, too; but it makes a GPU wait, to check what a softmax keeps to.
    race = rows / torch.empty_like(rows).exponential_(generator=generator)
    drawn = race.argmax(-1).view(*scores.shape[:-1], 1)
    drawn = drawn if tokens is None else tokens.gather(-1, drawn)
    return drawn[..., 0].to(logits.device)


def _nucleus(probs, top_p):
    """Mark the fewest of the probs (..., V) that add up to top_p, largest first."""
    ordered, tokens = probs.sort(dim=-1, descending=True, stable=True)
    before = ordered.cumsum(-1) - ordered  # the sum of the larger ones
    kept = before < top_p
    kept[..., 0] = True
    return torch.empty_like(kept).scatter_(-1, tokens, kept)


@torch.no_grad()
def generate(
    model: nn.Module,
    tokens: Tensor,
    *,
    steps: int,
    stop: int | Sequence[int] | None = None,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    min_p: float | None = None,
    generator: torch.Generator | None = None,
    use_cache: bool = True,
) -> Tensor:
    """Generate from prompts, token by token: draw a token, read it, draw the next.

    Args:
        model: a `Decoder`, or a wrapper that holds one, such as `DistributedDataParallel`, peft's
            `PeftModel` or what `torch.compile` returns: the decoder inside is read, in evaluation
            mode, whatever mode it is in and stays in.
        tokens: the prompts, int64 (B, L). Prompts of unequal lengths go one at a time.
        steps (int): how many tokens are added at most.
        stop: a token, or several, that end a row; the end of a row is filled with the token that
            ended it. Generation ends when all rows have ended.
        temperature, top_k, top_p, min_p, generator: as in `sample`.
        use_cache (bool): keep keys and values, or read everything again at each step.

    Returns:
        int64 tensor (B, L + steps), or shorter if all rows have ended: prompt and continuation.

    Example:
        >>> model = Decoder(10, 8, num_layers=1, num_heads=2)
        >>> generate(model, torch.tensor([[1, 2, 3]]), steps=4, temperature=0).shape
        torch.Size([1, 7])
    """
    decoder = next((part for part in model.modules() if isinstance(part, Decoder)), None)
    if decoder is None:
        raise ValueError(f"model must be a Decoder or hold one, got {type(model).__name__}")
    if isinstance(tokens, list | tuple):
        raise ValueError(
            "tokens must be one int64 tensor (B, L), got a list: generate from prompts of unequal "
            "lengths one at a time, or read them packed (chapter 12)"
        )
    decoder.check_tokens(tokens)
    check_count("steps", steps, least=0)
    B, L = tokens.shape
    how: dict[str, Any] = dict(temperature=temperature, top_k=top_k, top_p=top_p, min_p=min_p)
    stops = [] if stop is None else [stop] if isinstance(stop, int) else list(stop)
    ends = torch.tensor(stops, dtype=torch.int64, device=tokens.device)
    ended = torch.zeros(B, 1, dtype=torch.bool, device=tokens.device)
    total = max(L + steps - 1, L)  # the last is drawn and not read
    cache = Cache(decoder, B, max_len=total) if use_cache else None
    new, decoder = tokens, _evaluating(decoder)
    for _ in range(steps):
        logits = decoder(tokens) if cache is None else decoder(new, cache=cache)
        new = sample(logits[:, -1], **how, generator=generator)[:, None]  # (B, 1)
        new = torch.where(ended, tokens[:, -1:], new)
        tokens = torch.cat([tokens, new], dim=1)
        ended |= torch.isin(new, ends)
        if stops and ended.all():
            break
    return tokens


def _evaluating(module):
    """Give a module in evaluation mode: itself, or a copy that shares its tensors. The flag of the
    module stays, since another thread may be training it, or generating as well."""
    if module is None or not any(part.training for part in module.modules()):
        return module
    copy, parts = object.__new__(type(module)), module._modules.items()
    copy.__dict__.update(module.__dict__, training=False, _compiled_call_impl=None)
    copy.__dict__["_modules"] = {name: _evaluating(part) for name, part in parts}
    return copy
