"""The loop that trains the book's models: a bar while it runs, a history when it is done."""

import copy
import io
import math
import multiprocessing
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from tqdm import tqdm

from d2lattn.arguments import check_counts

PATIENCE = 3  # seconds without a bar
STOPPED: list[str] = []  # what a person has stopped in this process, each as "42 of 200 steps"


@dataclass
class Run:
    """What `fit` returns: how the model came to be.

    Attributes:
        model: the one that was trained, in evaluation mode.
        history (list of float): the loss of each step, in nats per target, on its own batch.
        snapshots (dict): step -> a copy of the model then; 0 is the one that came in.
        interrupted (bool): whether someone stopped it before the last step.
        seen, held_out (list): the examples it was trained on and those held out, if the caller of
            `fit` fills them in; `fit` leaves them empty.
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
    every: int | None = None,
) -> Run:
    """Train a model that turns tokens into logits; an interrupt ends it and loses nothing.

    AdamW (Loshchilov & Hutter 2019) with β = (0.9, 0.98). The learning rate rises over the warm-up
    and falls along a cosine to a tenth; gradients are clipped to norm 1. Ctrl-C or the notebook's
    stop button end the loop as in `progress_bar`: history and snapshots stay.

    Args:
        model: a module, tokens (B, L) -> logits (B, L, V), also a compiled or wrapped one; trained
            in place on its device and left in evaluation mode, also by an error.
        batches: a function of the step, from 1, that gives (tokens, targets), int64 (B, L), on any
            device; a target of -100 is ignored.
        learning_rate (float): the highest, reached after `warmup` (int) steps.
        every (int): steps between snapshots; when absent only the first and the last are kept.

    Raises:
        ValueError: a loss or gradient of NaN or inf; the model is then as it was before that step.

    Example:
        >>> from d2lattn.transformer import Encoder
        >>> model, tokens = Encoder(5, 8, num_layers=1, num_heads=1), torch.tensor([[1, 2, 3]])
        >>> run = fit(model, lambda step: (tokens, tokens.flip(1)), steps=40)
        >>> run.history[-1] < run.history[0], list(run.snapshots)
        (True, [0, 40])
    """
    every = steps if every is None else every
    check_counts(steps=steps, every=every)
    parameters = list(model.parameters())
    options: dict[str, Any] = dict(lr=learning_rate, weight_decay=weight_decay, betas=(0.9, 0.98))
    run = Run(model, [], {0: copy.deepcopy(model).eval()})
    model.train()
    try:
        # foreach: as one by one, but faster
        optimizer = torch.optim.AdamW(parameters, **options, foreach=True)
        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda n: rate(n, warmup, steps))
        for step, _ in enumerate(progress_bar(steps, lambda: loss), start=1):
            loss = loss_of(model, *batches(step))
            optimizer.zero_grad()
            loss.backward()
            length = nn.utils.clip_grad_norm_(parameters, 1.0)
            _check_finite(step, loss.item(), length.item())
            optimizer.step()
            schedule.step()
            run.history.append(loss.item())
            if step % every == 0:
                run.snapshots[step] = copy.deepcopy(model).eval()
    except KeyboardInterrupt:
        pass  # what was learned stays
    finally:
        model.eval()
    run.interrupted = len(run.history) < steps
    run.snapshots.setdefault(len(run.history), copy.deepcopy(model))
    return run


def progress_bar(steps: int, loss: Callable[[], Any] | None = None) -> Iterator[int]:
    """Count the steps of a training from 0, like `range`, under a bar that shows the last loss.

    The bar appears after 3 seconds where a person sees it, and goes when the loop ends: no stored
    output depends on how busy a machine is. Where Ctrl-C or the stop button of a notebook would
    raise KeyboardInterrupt, the first one ends the loop after the step in hand; the second raises.

    Args:
        loss: a function that gives the loss of the last step.

    Example:
        >>> for step in progress_bar(3, lambda: loss):
        ...     loss = 1 / (step + 1)
        >>> step
        2
    """
    with _stop_button() as pressed, _bar(total=steps, delay=PATIENCE, leave=False) as bar:
        for step in range(steps):
            yield step
            if loss and not bar.disable:
                bar.set_postfix(loss=f"{torch.as_tensor(loss()).item():.3f}", refresh=False)
            bar.update()
            if pressed.is_set() and step + 1 < steps:
                STOPPED.append(f"{step + 1:,} of {steps:,} steps")
                bar.write(f"stopped after {STOPPED[-1]}")
                break


class _InNotebook(tqdm):
    """A bar that leaves no trace: a closed widget would be an error in the notebook once saved."""

    shown = None

    def display(self, msg=None, pos=None):
        from IPython.display import display

        data = {} if msg == "" else {"text/plain": msg or str(self)}
        if self.shown:
            self.shown.update(data, raw=True)
        else:
            self.shown = display(data, raw=True, display_id=True)


def _bar(**options):
    """Make a bar that is silent unless a person sees it: at a terminal, or in a notebook that could
    ask them something. The bar of a worker would run over that of its parent."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if not hasattr(shell, "kernel"):
        seen = sys.stderr.isatty() and not multiprocessing.parent_process()
        return tqdm(disable=not seen, **options)
    request = shell.kernel.get_parent().get("content", {})
    hidden = not request.get("allow_stdin")
    return _InNotebook(disable=hidden, file=io.StringIO(), ascii=False, **options)


@contextmanager
def _stop_button():
    """Let the first interrupt set an event, where it would raise KeyboardInterrupt."""
    pressed, raises = threading.Event(), signal.default_int_handler
    here = threading.current_thread() is threading.main_thread()
    if not here or signal.getsignal(signal.SIGINT) is not raises:
        yield pressed
        return

    def press(number, frame):
        signal.signal(signal.SIGINT, raises)
        pressed.set()

    signal.signal(signal.SIGINT, press)
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, raises)


def rate(done: int, warmup: int, steps: int) -> float:
    """Give the fraction of the highest learning rate after `done` steps: a line, then a cosine."""
    if done < warmup:
        return (done + 1) / warmup
    way = (done - warmup) / max(steps - warmup, 1)
    return 0.1 + 0.9 * (1 + math.cos(math.pi * min(way, 1))) / 2


def loss_of(model: nn.Module, tokens: Tensor, targets: Tensor) -> Tensor:
    """Compute the mean −log p of the targets (B, L) that are not -100, in nats: a scalar Tensor."""
    device = next(model.parameters()).device
    logits = model(tokens.to(device))
    return F.cross_entropy(logits.flatten(0, -2), targets.to(device).flatten())


def _check_finite(step, loss, length):
    """Stop before a step that would make NaN of every weight, and go on as if nothing were."""
    if not math.isfinite(loss) or not math.isfinite(length):
        raise ValueError(
            "model must have a finite loss and gradient, got a loss of "
            f"{loss} and a gradient of length {length} in step {step}"
        )
