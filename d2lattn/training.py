"""The loop that trains the models of chapter 9: a bar while it runs, a history when it is done."""

import copy
import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn

from d2lattn.arguments import check_callable, check_count, check_flag, check_number, kind

IGNORED = -100  # the target that asks nothing, as in F.cross_entropy


@dataclass
class Run:
    """What `fit` returns: how the model came to be.

    Attributes:
        history (list of float): the loss of each step, in nats per target, on its own batch.
        snapshots (dict): step -> a copy of the model then; 0 is the one that came in.
        interrupted (bool): whether someone stopped it before the last step.
    """

    history: list
    snapshots: dict
    interrupted: bool = False


def fit(
    model,
    batches,
    *,
    steps,
    learning_rate=3e-3,
    warmup=20,
    weight_decay=0.0,
    clip=1.0,
    every=None,
    progress=True,
):
    """Train a model that turns tokens into logits; an interrupt ends it and loses nothing.

    AdamW (Loshchilov & Hutter 2019) with β = (0.9, 0.98). The learning rate rises over the warm-up
    and falls along a cosine to a tenth; a gradient longer than `clip` is shortened to it. Ctrl-C or
    the notebook's stop button end the loop there: history and snapshots stay.

    Args:
        model: a module, tokens (B, L) -> logits (B, L, V), trained in place on the device it is on
            and left in evaluation mode.
        batches: a function of the step, from 1, that gives (tokens, targets), int64 (B, L), on any
            device; a target of -100 asks nothing.
        steps (int): how many.
        learning_rate (float): the highest.
        warmup (int): steps until it is reached.
        weight_decay (float): of AdamW.
        clip (float): the longest gradient, over all parameters.
        every (int): steps from one snapshot to the next; when absent only the first and the last.
        progress (bool): whether to show a bar.

    Returns:
        Run.

    Raises:
        ValueError: a number out of range, batches that is no function, targets that ask nothing
            or do not fit the logits.

    Cost:
        `steps` times three passes of the model (forward, and twice that backward); three numbers
        more for each parameter, and one more for each snapshot.

    Example:
        >>> from d2lattn.transformer import Encoder
        >>> model, tokens = Encoder(5, 8, num_layers=1, num_heads=1), torch.tensor([[1, 2, 3]])
        >>> run = fit(model, lambda step: (tokens, tokens.flip(1)), steps=40, progress=False)
        >>> run.history[-1] < run.history[0], list(run.snapshots)
        (True, [0, 40])
    """
    from tqdm.auto import tqdm  # looks for a notebook, which importing d2lattn should not

    check_callable("batches", batches)
    every = steps if every is None else every
    for name, count in dict(steps=steps, every=every).items():
        check_count(name, count)
    check_count("warmup", warmup, least=0)
    for name, number in dict(
        learning_rate=learning_rate, weight_decay=weight_decay, clip=clip
    ).items():
        check_number(name, number, 0)
    check_flag("progress", progress)
    parameters = list(model.parameters())
    optimizer = torch.optim.AdamW(
        parameters, lr=learning_rate, betas=(0.9, 0.98), weight_decay=weight_decay
    )
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda done: rate(done, warmup, steps))
    run = Run([], {0: copy.deepcopy(model).eval()})
    model.train()
    try:
        with tqdm(total=steps, disable=not progress) as bar:
            for step in range(1, steps + 1):
                loss = loss_of(model, *batches(step))
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(parameters, clip)
                optimizer.step()
                schedule.step()
                run.history.append(loss.item())
                if step % every == 0:
                    run.snapshots[step] = copy.deepcopy(model).eval()
                bar.set_postfix(loss=f"{run.history[-1]:.3f}", refresh=False)
                bar.update()
    except KeyboardInterrupt:
        run.interrupted = True
    model.eval()
    run.snapshots.setdefault(len(run.history), copy.deepcopy(model))
    return run


def rate(done, warmup, steps):
    """The share of the highest learning rate after `done` steps: up a line, down a cosine."""
    if done < warmup:
        return (done + 1) / warmup
    way = (done - warmup) / max(steps - warmup, 1)
    return 0.1 + 0.9 * (1 + math.cos(math.pi * min(way, 1))) / 2


def loss_of(model, tokens, targets):
    """Mean −log p of the targets (B, L) that are not -100, in nats: a scalar Tensor."""
    if not torch.is_tensor(targets) or targets.dtype != torch.int64:
        raise ValueError(f"targets must be an int64 tensor, got {kind(targets)}")
    if not (targets != IGNORED).any():
        raise ValueError("targets must hold one that is not -100, got none")
    device = next(model.parameters()).device
    logits = model(tokens.to(device))
    if logits.shape[:-1] != targets.shape:
        raise ValueError(
            f"targets must have the shape {tuple(logits.shape[:-1])} of the logits' rows, "
            f"got {tuple(targets.shape)}"
        )
    return F.cross_entropy(logits.flatten(0, -2), targets.to(device).flatten())
