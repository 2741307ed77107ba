"""Does a memory know the last of several values that were written under one key?"""

import pages
import torch
from experiment import Experiment

page = pages.functions("overwritten")
TIMES = (1, 2, 4, 8)


def run(variant, seed, steps):
    """The share of right reads after each number of values, and how long a read is at the end."""
    reads = {times: read_and_share(variant, times, seed) for times in TIMES}
    found = {f"{times} value{'s' * (times > 1)}": share for times, (_, share) in reads.items()}
    return found | {"length, 8 values": reads[8][0].norm(dim=1).mean().item()}


def read_and_share(variant, times, seed):
    asked, keys, values, last = page.overwritten(times, seed)
    n = len(keys)
    if variant == "places":  # each later word scores 1 higher
        read = (32 * asked @ keys.T + torch.arange(n)).softmax(1) @ values
    elif variant == "decay":
        kept = 0.95 ** torch.arange(n - 1.0, -1, -1)
        read = asked @ ((kept[:, None] * keys).T @ values)
    else:
        read = page.three_reads(asked, keys, values)[variant]
    return read, page.fraction_right(read, values, last)


EXPERIMENT = Experiment(
    section="10.3",
    varies="how 16 keys and their values are kept, and how often each key is written",
    held="keys of width 16 at right angles, random unit values of width 64; right if the last "
    "value of the key is nearest of all values that were written",
    control="a softmax that knows the places: it must find the last value, or the list has lost "
    "it; adding with a decay: if it finds the last as well, correcting is not the only way to it",
    refuted="adding, or a softmax blind to places, finds the last of 8 values as the delta rule "
    "does, or the delta rule misses one",
    seeds=20,
    variants={
        "softmax": "list, softmax blind to places",
        "places": "list, softmax, 1 more for each later word",
        "adding": "adding",
        "decay": "adding, decay 0.95 a word",
        "delta": "delta rule",
    },
)
