"""Seconds of calls that are timed side by side, and their ratios."""

import functools
import itertools
import random
import statistics
import subprocess
import sys
import time
from typing import NamedTuple

import torch
from peers import SHARES, WITH_WEIGHTS, Mode, Peer, Seen, Size, forwards
from torch.utils.benchmark import Timer

BUDGET = 4  # seconds after which a row takes no further round, once it has three


class Row(NamedTuple):
    """What was timed, and Peer -> the seconds of each round (None: memory did not suffice)."""

    threads: int
    size: Size
    mode: Mode
    seen: Seen
    seconds: dict
    difference: float | None = None  # the largest between the outputs, where it was taken

    def times_as_long(self, a, b):
        """How many times as long a takes as b, or None where one of them has no times."""
        if self.seconds.get(a) is None or self.seconds.get(b) is None:
            return None
        return median_ratio(self.seconds[a], self.seconds[b])


def median_ratio(a, b):
    """The median over the rounds of a ÷ b, each taken within a round."""
    return statistics.median(x / y for x, y in zip(a, b, strict=True))


def measure(calls, *, threads, rounds):
    """Label -> seconds of each round for calls without arguments; None: out of memory.

    The calls take turns, in an order that is shuffled for every round, so that whatever else the
    machine does hits them alike.
    """
    timers, repeats, seconds = {}, {}, {label: [] for label in calls}
    for label, call in calls.items():
        timers[label] = Timer("call()", globals=dict(call=call), num_threads=threads)
        try:  # this warms up, too
            repeats[label] = max(1, round(0.01 / timers[label].timeit(2).mean))
        except torch.OutOfMemoryError:
            seconds[label] = None
    order, started = list(repeats), time.perf_counter()
    shuffle = random.Random(0).shuffle
    for done in range(rounds):
        if done >= 3 and time.perf_counter() - started > BUDGET:
            break
        shuffle(order)
        for label in order:
            seconds[label].append(timers[label].timeit(repeats[label]).mean)
    return seconds


def one_pass(forward, x, mode):
    """A forward pass in inference mode, or a forward and a backward one."""
    if mode is Mode.FORWARD:
        with torch.inference_mode():
            return forward()
    x.grad = None
    return forward().sum().backward()


def speed_rows(sizes, *, threads, rounds, weights=False, **where):
    """Time every combination of threads, size, mode and visible keys; yields a Row for each."""
    for count, size, mode, seen in itertools.product(threads, sizes, Mode, Seen):
        x, peers = forwards(size, seen, mode, **where)
        slow = size.batch * size.length**2 > 8e6  # whoever builds the weights takes seconds here
        if not weights or seen is Seen.CAUSAL or (slow and mode is Mode.BACKWARD):
            peers = {peer: call for peer, call in peers.items() if peer not in WITH_WEIGHTS}
        calls = {peer: functools.partial(one_pass, call, x, mode) for peer, call in peers.items()}
        print(f"{count} threads, {size}, {mode.value}, {seen.value}", file=sys.stderr, flush=True)
        yield Row(count, size, mode, seen, measure(calls, threads=count, rounds=rounds))


def padded_rows(widths, *, threads, rounds):
    """The padded batch on its own keys against the masked kernel over the full width."""
    sizes = [Size(len(SHARES), SHARES[0], width) for width in widths]
    for count, size, mode in itertools.product(threads, sizes, Mode):
        x, peers = forwards(size, Seen.PADDED, mode)
        difference = (peers[Peer.OURS]() - peers[Peer.FLOOR]()).abs().max().item()
        calls = {
            peer: functools.partial(one_pass, peers[peer], x, mode)
            for peer in (Peer.OURS, Peer.FLOOR)
        }
        seconds = measure(calls, threads=count, rounds=rounds)
        yield Row(count, size, mode, Seen.PADDED, seconds, difference)


def import_ratio(rounds):
    """How many times as long `import d2lattn` takes as `import torch`, in fresh processes."""
    clock = (
        "import time; start = time.perf_counter(); import {}; print(time.perf_counter() - start)"
    )

    def seconds(name):
        command = [sys.executable, "-c", clock.format(name)]
        return float(subprocess.check_output(command, text=True))

    pairs = [(seconds("torch"), seconds("d2lattn")) for _ in range(rounds)]
    torchs, ours = zip(*pairs, strict=True)
    return median_ratio(ours, torchs)
