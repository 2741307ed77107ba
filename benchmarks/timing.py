"""Seconds of calls that are timed side by side, and their ratios."""

import random
import statistics
import sys
import time

import torch

BUDGET = 1.5  # seconds after which a row takes no further round, once it has three


def median_ratio(a, b):
    """The median over the rounds of a ÷ b, each taken within a round."""
    return statistics.median(x / y for x, y in zip(a, b, strict=True))


def measure(calls, *, threads=1, rounds=25, budget=BUDGET):
    """Label -> seconds of each round for calls without arguments; None: out of memory.

    The calls take turns, in an order that is shuffled for every round, so that whatever else the
    machine does hits them alike. A short call is repeated for 10 ms within a round.
    """
    torch.set_num_threads(threads)
    repeats, seconds = {}, {label: [] for label in calls}
    for label, call in calls.items():
        try:
            once = clock(call)  # warms up
            repeats[label] = 1 if once > 0.5 else max(1, round(0.01 / clock(call)))
        except torch.OutOfMemoryError:
            seconds[label] = None
    order, started = list(repeats), time.perf_counter()
    shuffle = random.Random(0).shuffle
    for done in range(rounds):
        if done >= 3 and time.perf_counter() - started > budget:
            break
        shuffle(order)
        for label in order:
            seconds[label].append(clock(calls[label], repeats[label]))
    return seconds


def clock(call, repeats=1):
    """Seconds of a call; what a GPU was asked for is waited for. On one thread they are those of
    the thread, so that what else the machine does counts less."""
    gpu = torch.cuda.is_available()
    now = time.perf_counter if gpu or torch.get_num_threads() > 1 else time.thread_time
    start = now()
    for _ in range(repeats):
        call()
    if gpu:
        torch.cuda.synchronize()
    return (now() - start) / repeats


def saying(text):
    """Tell whoever waits what is being measured."""
    print(text, file=sys.stderr, flush=True)


def counts():
    """The numbers of threads to measure with."""
    return [1] if torch.get_num_threads() == 1 else [1, 2]
