"""Is there a divisor with which random tokens look at others, and not at all of them alike?"""

import pages
import torch
from experiment import Experiment

page = pages.functions("divisors")

# the width, the divisor (None: the least with which the own weight is a quarter), own keys or not
SETTINGS = {
    "root_4": (4, 2, True),
    "root_16": (16, 4, True),
    "root_64": (64, 8, True),
    "width_64": (64, 64, True),
    "quarter_64": (64, None, True),
    "other_keys_64": (64, 8, False),
}


def run(variant, seed, steps):
    """The mean weight of a token for itself, and how alike the weights of the others are."""
    width, divisor, own_keys = SETTINGS[variant]
    generator = torch.Generator().manual_seed(seed)
    tokens, others = torch.randn(2, 64, width, generator=generator, dtype=torch.float64)
    keys = tokens if own_keys else others
    if divisor is None:
        divisor = quarter(tokens, keys)
    own, entropy = page.own_and_others(tokens, keys, divisor)
    return {"divisor": divisor, "own weight": own, "entropy of the others": entropy}


def quarter(tokens, keys):
    """The divisor with which the own weight, which falls as it grows, is a quarter."""
    low, high = 1.0, float(tokens.shape[1])
    for _ in range(40):
        middle = (low + high) / 2
        own, _ = page.own_and_others(tokens, keys, middle)
        low, high = (middle, high) if own > 0.25 else (low, middle)
    return high


EXPERIMENT = Experiment(
    section="1.15",
    varies="the width of the tokens, the divisor, and whether the keys are the queries",
    held="64 tokens, components of variance 1",
    control="keys drawn apart from the queries: divided by √d they must be told apart, at an own "
    "weight of about 1/64, or the divisor was at fault and not the diagonal",
    refuted="at width 64 a divisor with an own weight of a quarter whose others are told apart "
    "as well as with √d",
    variants={
        "root_4": "width 4, divided by √d",
        "root_16": "width 16, divided by √d",
        "root_64": "width 64, divided by √d",
        "width_64": "width 64, divided by d",
        "quarter_64": "width 64, own weight a quarter",
        "other_keys_64": "width 64, divided by √d, other keys",
    },
    seeds=16,
)
