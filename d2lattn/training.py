"""The loop that trains the book's models: a bar while it runs, a history when it is done."""

import copy
import importlib
import inspect
import math
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from d2lattn.arguments import (
    check_callable,
    check_counts,
    check_flag,
    check_number,
    kind,
)

SMALL = 1_000_000  # parameters: below, a second thread costs more than it gives
PATIENCE = 3  # seconds without a bar
IGNORED = -100  # the target that asks nothing, as in F.cross_entropy


@dataclass
class Run:
    """What `fit` returns: how the model came to be.

    Attributes:
        model: the one that was trained, in evaluation mode.
        history (list of float): the loss of each step, in nats per target, on its own batch.
        snapshots (dict): step -> a copy of the model then; 0 is the one that came in.
        interrupted (bool): whether someone stopped it before the last step.
        seen, held_out (list): what it learned from and what was kept from it, where the caller of
            `fit` says so, as `language.next_word.train` does.
    """

    model: nn.Module
    history: list[float]
    snapshots: dict[int, nn.Module]
    interrupted: bool = False
    seen: list = field(default_factory=list)
    held_out: list = field(default_factory=list)


def fit(
    model: nn.Module,
    batches: Callable[[int], Sequence[Tensor]],
    *,
    steps: int,
    learning_rate: float = 3e-3,
    warmup: int = 20,
    weight_decay: float = 0.0,
    clip: float = 1.0,
    every: int | None = None,
    progress: bool = True,
) -> Run:
    """Train a model that turns tokens into logits; an interrupt ends it and loses nothing.

    AdamW (Loshchilov & Hutter 2019) with β = (0.9, 0.98). The learning rate rises over the warm-up
    and falls along a cosine to a tenth; a gradient longer than `clip` is shortened to it. Ctrl-C or
    the notebook's stop button end the loop there: history and snapshots stay. A model of less than
    a million parameters is trained on one thread, whatever torch is set to.

    Args:
        model: a module, tokens (B, L) -> logits (B, L, V), trained in place on the device it is on
            and left in evaluation mode, also by an error.
        batches: a function of the step, from 1, that gives (tokens, targets), int64 (B, L), on any
            device; a target of -100 asks nothing.
        learning_rate (float): the highest, reached after `warmup` (int) steps.
        clip (float): the longest gradient, over all parameters.
        every (int): steps from one snapshot to the next; when absent only the first and the last.
        progress (bool): whether to show a bar after 3 seconds, where somebody sees it: at a
            terminal, and where the environment says D2LATTN_PROGRESS, as `make lab` does. It goes
            when the loop ends, so that no output depends on how busy a machine is.

    Raises:
        ValueError: a loss or gradient of NaN or inf; the model is then as it was before that step.

    Cost:
        Three numbers more for each parameter, and one more for each snapshot.

    Example:
        >>> from d2lattn.transformer import Encoder
        >>> model, tokens = Encoder(5, 8, num_layers=1, num_heads=1), torch.tensor([[1, 2, 3]])
        >>> run = fit(model, lambda step: (tokens, tokens.flip(1)), steps=40, progress=False)
        >>> run.history[-1] < run.history[0], list(run.snapshots)
        (True, [0, 40])
    """
    from tqdm.auto import tqdm  # looks for a notebook, which importing d2lattn should not

    _check_model(model)
    _check_batches(batches)
    every = steps if every is None else every
    check_counts(steps=steps, every=every)
    check_counts(0, warmup=warmup)
    numbers = dict(learning_rate=learning_rate, weight_decay=weight_decay, clip=clip)
    for name, number in numbers.items():
        check_number(name, number, 0)
    check_flag("progress", progress)
    parameters = list(model.parameters())
    options: dict[str, Any] = dict(lr=learning_rate, weight_decay=weight_decay, betas=(0.9, 0.98))
    run = Run(model, [], {0: copy.deepcopy(model).eval()})
    model.train()
    try:
        _import_whole("torch._dynamo")  # what every optimizer of torch imports when it is made
        # foreach: as one by one, but faster
        optimizer = torch.optim.AdamW(parameters, **options, foreach=True)
        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda n: rate(n, warmup, steps))
        shown = dict(disable=not (progress and _is_watched()), delay=PATIENCE, leave=False)
        with few_threads(parameters), tqdm(total=steps, **shown) as bar:
            for step in range(1, steps + 1):
                loss = loss_of(model, *_pair(batches(step)))
                optimizer.zero_grad()
                loss.backward()
                length = nn.utils.clip_grad_norm_(parameters, clip)
                _check_finite(step, loss.item(), length.item())
                optimizer.step()
                schedule.step()
                run.history.append(loss.item())
                if step % every == 0:
                    run.snapshots[step] = copy.deepcopy(model).eval()
                bar.set_postfix(loss=f"{run.history[-1]:.3f}", refresh=False)
                bar.update()
    except KeyboardInterrupt:
        run.interrupted = True
    finally:
        model.eval()
    run.snapshots.setdefault(len(run.history), copy.deepcopy(model))
    return run


@contextmanager
def few_threads(parameters: Sequence[Tensor]) -> Iterator[None]:
    """While this lasts, torch computes on one thread if the parameters are few.

    Two threads of a small model mostly wait for each other.

    Example:
        >>> before = torch.get_num_threads()
        >>> with few_threads([torch.zeros(10)]):
        ...     torch.get_num_threads()
        1
        >>> torch.get_num_threads() == before
        True
    """
    before = torch.get_num_threads()
    if sum(parameter.numel() for parameter in parameters) < SMALL:
        torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _import_whole(name):
    """Import a module in a thread of its own: an interrupt reaches the main thread alone, where it
    would leave the import half done, and every later one of this kernel with it."""
    thread = threading.Thread(target=importlib.import_module, args=(name,))
    thread.start()
    thread.join()


def _is_watched():
    """Tell whether a bar is seen, and by nobody who compares outputs."""
    return sys.stderr.isatty() or bool(os.environ.get("D2LATTN_PROGRESS"))


def rate(done: int, warmup: int, steps: int) -> float:
    """Give the share of the highest learning rate after `done` steps: up a line, down a cosine."""
    if done < warmup:
        return (done + 1) / warmup
    way = (done - warmup) / max(steps - warmup, 1)
    return 0.1 + 0.9 * (1 + math.cos(math.pi * min(way, 1))) / 2


def loss_of(model: nn.Module, tokens: Tensor, targets: Tensor) -> Tensor:
    """Compute the mean −log p of the targets (B, L) that are not -100, in nats: a scalar Tensor."""
    if not torch.is_tensor(tokens):
        raise ValueError(f"tokens must be a tensor, got {kind(tokens)}")
    if not torch.is_tensor(targets) or targets.dtype != torch.int64:
        raise ValueError(f"targets must be an int64 tensor, got {kind(targets)}")
    asked = targets[targets != IGNORED]
    if asked.numel() == 0:
        raise ValueError("targets must hold one that is not -100, got none")
    device = next(model.parameters()).device
    logits = model(tokens.to(device))
    if not torch.is_tensor(logits) or logits.ndim == 0:
        raise ValueError(f"model must give logits (..., V), a tensor, got {kind(logits)}")
    if logits.shape[:-1] != targets.shape:
        raise ValueError(
            f"targets must have the shape {tuple(logits.shape[:-1])} of the logits' rows, "
            f"got {tuple(targets.shape)}"
        )
    least, most = asked.min().item(), asked.max().item()
    if least < 0 or most >= logits.shape[-1]:
        raise ValueError(
            f"targets must lie between 0 and {logits.shape[-1] - 1} (the logits are "
            f"{logits.shape[-1]}) or be -100, got values from {least} to {most}"
        )
    return F.cross_entropy(logits.flatten(0, -2), targets.to(device).flatten())


def _check_model(model):
    """Require a module that can learn here."""
    if not isinstance(model, nn.Module):
        raise ValueError(f"model must be a torch.nn.Module, got {type(model).__name__}")
    if not any(parameter.requires_grad for parameter in model.parameters()):
        raise ValueError(
            "model must have a parameter with requires_grad=True, got none: nothing could learn"
        )
    if any(x.dtype == torch.float16 and x.requires_grad for x in model.parameters()):
        raise ValueError(
            "model must learn in float32, float64 or bfloat16, got parameters of torch.float16, in "
            "which AdamW's 1e-8 is 0 and the first step makes NaN of them"
        )
    if not torch.is_grad_enabled():
        raise ValueError("model cannot be trained under torch.no_grad(), got gradients disabled")


def _check_batches(batches):
    """Require a function of one argument, the step."""
    check_callable("batches", batches)
    try:
        signature = inspect.signature(batches)
    except ValueError:  # a function written in C need not tell what it takes
        return
    try:
        signature.bind(1)
    except TypeError:
        raise ValueError(
            f"batches must be a function of one argument, the step, got one of {signature}"
        ) from None


def _pair(batch):
    """Take what `batches` gave, if it is (tokens, targets)."""
    if not isinstance(batch, (list, tuple)):
        raise ValueError(f"batches must give (tokens, targets), got {kind(batch)}")
    if len(batch) != 2:
        raise ValueError(f"batches must give (tokens, targets), got {len(batch)} things")
    return batch


def _check_finite(step, loss, length):
    """Stop before a step that would make NaN of every weight, and go on as if nothing were."""
    if not math.isfinite(loss) or not math.isfinite(length):
        raise ValueError(
            "model must have a finite loss and gradient, got a loss of "
            f"{loss} and a gradient of length {length} in step {step}"
        )
