"""What an experiment computes, in a few numbers that cost seconds: are its rows still right?

A proof has what `run` returns for seed 0 and the losses whose gradients are taken: for every
variant after three steps where an experiment is told how many to train; where it is not, of whole
runs, of as many variants as take five seconds. Code that computes the same has the same proof,
however it is written.
"""

import contextlib
import math
import time

import torch
from experiment import load

STEPS, SECONDS, CONSTANTS = 3, 5, "constants"


def proof(name, variants=None):
    """{variant: {what: number}}, of these variants or of as many as there is time for."""
    one = load(name, anew=True)
    own, found, spent = one.run.__globals__, {}, 0
    page = {CONSTANTS: {constant: own[constant] for constant in one.small}} if one.small else {}
    own.update(one.small)
    torch.set_num_threads(1)
    for variant in variants or one.variants:
        started = time.process_time()
        numbers = _numbers(one.run, variant, None if one.steps is None else STEPS)
        spent += time.process_time() - started
        if variants is None and one.steps is None and spent > SECONDS and found:
            break
        found[variant] = numbers
    return page | found


def steady(one, other):
    """A proof with None for each number that other kernels round to something else."""
    return {
        variant: {
            what: x if _same(x, other[variant][what], 1e-5) else None for what, x in row.items()
        }
        for variant, row in one.items()
    }


def differences(old, new):
    """What is otherwise in a new proof, as texts."""
    found = []
    for variant in new:
        was, now = old.get(variant, {}), new.get(variant, {})
        for what in was | now:
            rounding_decides = what in was and was[what] is None
            if not rounding_decides and not _same(was.get(what), now.get(what), 1e-4):
                found.append(f"{variant}, {what}: was {was.get(what)}, is {now.get(what)}")
    return found


def _numbers(run, variant, steps):
    losses = []
    with _caught(losses):
        measured = run(variant, 0, steps)
    if losses:
        first = {f"loss {i}": loss for i, loss in enumerate(losses[:STEPS], 1)}
        measured = measured | first | {"all losses": sum(losses), "gradients": len(losses)}
    return {
        what: float(f"{x.item() if hasattr(x, 'item') else x:.9g}")  # all that a float32 holds
        for what, x in measured.items()
        if not what.startswith("time")
    }


@contextlib.contextmanager
def _caught(losses):
    """Each loss whose gradient is taken is written down, too."""
    names = ("backward", "grad")
    real = [getattr(torch.autograd, name) for name in names]

    def watched(function):
        def taken(outputs, *others, **named):
            outputs = [outputs] if torch.is_tensor(outputs) else outputs
            losses.append(sum(x.detach().double().sum().item() for x in outputs))
            return function(outputs, *others, **named)

        return taken

    for name, function in zip(names, real, strict=True):
        setattr(torch.autograd, name, watched(function))
    try:
        yield
    finally:
        for name, function in zip(names, real, strict=True):
            setattr(torch.autograd, name, function)


def _same(old, new, close):
    if not isinstance(old, float) or not isinstance(new, float):
        return old == new
    return math.isclose(old, new, rel_tol=close, abs_tol=close / 10) or (old != old and new != new)
