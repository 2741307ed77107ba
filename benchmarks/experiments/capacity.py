"""Of how many keys, each written once, does a state of 16 rows find the value?"""

import pages
import torch
import torch.nn.functional as F
from experiment import Experiment

from d2lattn import delta_attention

page = pages.functions("capacity")
COUNTS = (8, 16, 32, 64, 128)
RULES = {  # beta, decay; adding is the limit of small corrections and has no beta
    "small": (0.2, 1.0),
    "half": (0.5, 1.0),
    "delta_decay": (1.0, 0.95),
}


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
    if variant == "turned":  # 16 at right angles, then 16 more, and so on
        generator = torch.Generator().manual_seed(seed)
        bases = torch.randn(-(-m // 16), 16, 16, generator=generator)
        asked = keys = torch.linalg.qr(bases).Q.flatten(0, 1)[:m]
    if variant == "best":
        pair = keys.double(), values.double()
        state = torch.linalg.lstsq(*pair, driver="gelsd").solution.float()
        read = asked @ state
    elif variant == "adding_decay":
        kept = 0.95 ** torch.arange(m - 1.0, -1, -1)
        read = asked @ ((kept[:, None] * keys).T @ values)
    elif variant in RULES:
        beta, decay = (torch.full((m,), x) for x in RULES[variant])
        options = dict(beta=beta, decay=decay, need_state=True)
        read = asked @ delta_attention(keys, keys, values, **options)[1]
    else:
        name = "delta" if variant == "turned" else variant
        read = page.three_reads(asked, keys, values)[name]
    return read, values


EXPERIMENT = Experiment(
    section="10.13",
    varies="how the pairs are kept, how many there are, and whether all keys have a part in common",
    held="unit keys of width 16, random but for one row and for the common part (a unit vector "
    "that is added to all), random unit values of width 64, each pair written once; right if the "
    "own value is nearest of all; the error is the squared distance from the own value",
    control="keys at right angles: with up to 16 of them nothing may be lost, or the rule is at "
    "fault and not the keys; the state with the least squared error: if it misses as many, 16 "
    "rows are too few for any rule",
    refuted="the delta rule finds 64 keys as well as the softmax, or keeps more than adding does "
    "where the keys have nothing in common",
    steps=None,
    seeds=20,
    variants={
        "softmax": "list, softmax",
        "best": "best state, least squares",
        "adding": "adding",
        "adding_decay": "adding, decay 0.95 a word",
        "delta": "delta rule",
        "delta_decay": "delta rule, decay 0.95 a word",
        "small": "delta rule, beta 0.2",
        "half": "delta rule, beta 0.5",
        "turned": "delta rule, 16 keys at right angles, then 16 others, …",
        "adding_common": "adding, keys with a common part",
        "delta_common": "delta rule, keys with a common part",
        "half_common": "delta rule, beta 0.5, keys with a common part",
        "small_common": "delta rule, beta 0.2, keys with a common part",
    },
    run=run,
)
