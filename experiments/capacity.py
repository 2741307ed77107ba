"""Of how many keys, each written once, does a state of 16 rows find the value?"""

import pages
import torch
import torch.nn.functional as F
from experiment import Experiment

from d2lattn import delta_attention

page = pages.functions("capacity")
COUNTS = (8, 16, 32, 64, 128)


def run(variant, seed, steps):
    """Right reads for each number of keys; of 64 the newest and oldest 8, and the error."""
    rule = variant.removesuffix("_common")
    found, right = {}, {}
    for m in COUNTS:
        read, values = reads(rule, m, seed, shared=variant != rule)
        right[m] = ((read @ values.T).argmax(1) == torch.arange(m)).float()
        found[f"{m} keys"] = right[m].mean().item()
    parts = {"newest 8 of 64": right[64][-8:], "oldest 8 of 64": right[64][:8]}
    read, values = reads(rule, 64, seed, shared=variant != rule)
    error = (read - values).square().sum(1).mean().item()  # a value has the length 1
    return found | {name: part.mean().item() for name, part in parts.items()} | {"error, 64": error}


def reads(variant, m, seed, shared=False):
    """What m keys read, and their values; `shared` keys have a part in common."""
    asked, keys, values = page.written_once(m, seed)
    if shared:  # a unit vector is added to all keys, which then get the length 1 again
        generator = torch.Generator().manual_seed(10**6 + seed)
        common = F.normalize(torch.randn(1, keys.shape[1], generator=generator), dim=1)
        asked = keys = F.normalize(keys + common, dim=1)
    if variant == "best":
        pair = keys.double(), values.double()
        state = torch.linalg.lstsq(*pair, driver="gelsd").solution.float()
        read = asked @ state
    elif variant == "small":
        beta = torch.full((m,), 0.2)
        read = asked @ delta_attention(keys, keys, values, beta=beta, need_state=True)[1]
    else:
        read = page.three_reads(asked, keys, values)[variant]
    return read, values


EXPERIMENT = Experiment(
    section="10.13",
    varies="how the pairs are kept, how many there are, and whether all keys have a part in common",
    held="unit keys of width 16, random but for one row and for the common part (a unit vector "
    "that is added to all), random unit values of width 64, each pair written once; right if the "
    "own value is nearest of all; the error is the squared distance from the own value",
    control="the state with the least squared error: if it misses as many, 16 "
    "rows are too few for any rule",
    refuted="the delta rule finds 64 keys as well as the softmax, or keeps more than adding does "
    "where the keys have nothing in common",
    seeds=20,
    variants={
        "softmax": "list, softmax",
        "best": "best state, least squares",
        "adding": "adding",
        "delta": "delta rule",
        "small": "delta rule, beta 0.2",
        "adding_common": "adding, keys with a common part",
        "small_common": "delta rule, beta 0.2, keys with a common part",
    },
)
