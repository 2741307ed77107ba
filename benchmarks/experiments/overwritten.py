"""Does a memory know the last of several values that were written under one key?"""

import pages
import torch
import torch.nn.functional as F
from experiment import Experiment

from d2lattn import delta_attention

page = pages.functions("overwritten")
WIDTH, TIMES = 16, (1, 2, 4, 8)
BETAS = {"half": 0.5, "tenth": 0.1, "mirrored": 2.0, "random_half": 0.5}


def run(variant, seed, steps):
    """The share of right reads after each number of values, and how long a read is at the end."""
    reads = {times: read_and_share(variant, times, seed) for times in TIMES}
    found = {f"{times} value{'s' * (times > 1)}": share for times, (_, share) in reads.items()}
    return found | {"length, 8 values": reads[8][0].norm(dim=1).mean().item()}


def read_and_share(variant, times, seed):
    asked, keys, values, last = page.overwritten(times, seed)
    if variant.startswith("random"):
        generator = torch.Generator().manual_seed(seed)
        asked = F.normalize(torch.randn(WIDTH, WIDTH, generator=generator), dim=1)
        keys = asked.repeat(times, 1)
    n = len(keys)
    if variant == "places":  # each later word scores 1 higher
        read = (32 * asked @ keys.T + torch.arange(n)).softmax(1) @ values
    elif variant in ("decay", "random_decay"):
        kept = 0.95 ** torch.arange(n - 1.0, -1, -1)
        read = asked @ ((kept[:, None] * keys).T @ values)
    elif variant in BETAS:
        read = asked @ state(keys, values, BETAS[variant])
    elif variant == "long":  # keys of length 2, and queries of length 1/2
        read = asked / 2 @ state(2 * keys, values, 1.0)
    else:
        name = "delta" if variant == "random" else variant
        read = page.three_reads(asked, keys, values)[name]
    return read, page.fraction_right(read, values, last)


def state(keys, values, beta):
    amounts = torch.full((len(keys),), beta)
    return delta_attention(keys, keys, values, beta=amounts, need_state=True)[1]


EXPERIMENT = Experiment(
    section="10.3",
    varies="how 16 keys and their values are kept, and how often each key is written",
    held="keys of width 16 at right angles, random unit values of width 64; right if the last "
    "value of the key is nearest of all values that were written",
    control="a softmax that knows the places: it must find the last value, or the list has lost "
    "it; delta with half a correction, with random keys and with keys of length 2: if all are as "
    "right, unit keys at right angles and a full correction are no conditions; adding with a "
    "decay: if it finds the last as well, correcting is not the only way to it",
    refuted="adding, or a softmax blind to places, finds the last of 8 values as the delta rule "
    "does, or the delta rule misses one",
    steps=None,
    seeds=20,
    variants={
        "softmax": "list, softmax blind to places",
        "places": "list, softmax, 1 more for each later word",
        "adding": "adding",
        "decay": "adding, decay 0.95 a word",
        "delta": "delta rule",
        "half": "delta rule, beta 0.5",
        "tenth": "delta rule, beta 0.1",
        "mirrored": "delta rule, beta 2",
        "random": "delta rule, random keys",
        "random_half": "delta rule, random keys, beta 0.5",
        "random_decay": "adding, random keys, decay 0.95 a word",
        "long": "delta rule, keys of length 2",
    },
    run=run,
)
