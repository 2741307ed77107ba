"""Of how many keys, each written once, does a state of 16 rows find the value?"""

import pages
import torch
from experiment import Experiment

from d2lattn import delta_attention

page = pages.functions("capacity")
COUNTS = (8, 16, 32, 64, 128)
RULES = {  # beta, decay; adding is the limit of small corrections and has no beta
    "small": (0.2, 1.0),
    "delta_decay": (1.0, 0.95),
}


def run(variant, seed, steps):
    """The share of right reads for each number of keys; of 64 the newest and the oldest 8."""
    shares = {m: reads_right(variant, m, seed) for m in COUNTS}
    found = {f"{m} keys": share.mean().item() for m, share in shares.items()}
    parts = {"newest 8 of 64": shares[64][-8:], "oldest 8 of 64": shares[64][:8]}
    return found | {name: part.mean().item() for name, part in parts.items()}


def reads_right(variant, m, seed):
    """Whether each of m reads is nearest to its own value."""
    asked, keys, values = page.written_once(m, seed)
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
    return ((read @ values.T).argmax(1) == torch.arange(m)).float()


EXPERIMENT = Experiment(
    section="10.3",
    varies="how the pairs are kept, and how many there are",
    held="random unit keys of width 16 but in one row, random unit values of width 64, each pair "
    "written once; right if the own value is nearest of all",
    control="keys at right angles: with up to 16 of them nothing may be lost, or the rule is at "
    "fault and not the keys; the state with the least squared error: if it misses as many, 16 "
    "rows are too few for any rule",
    refuted="the delta rule finds 64 keys as well as the softmax, or keeps more than adding does",
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
        "turned": "delta rule, 16 keys at right angles, then 16 others, …",
    },
    run=run,
)
