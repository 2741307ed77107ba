"""Who learns what needs positions fast, who can at all, and who goes on to longer texts?"""

import pages
from experiment import Experiment

page = pages.functions("who_goes_on")

# the method of the page, and what differs from it
SETTINGS = {
    "one_layer": ("NoPE", dict(num_layers=1)),
    "none": ("NoPE", {}),
    "learned": ("learned", {}),
    "sinusoidal": ("sinusoidal", {}),
    "rope": ("RoPE", {}),
    "rope_base_10": ("RoPE", dict(base=10.0)),
    "alibi": ("ALiBi", {}),
}


def run(variant, seed, steps):
    """Right answers in percent at 32, 64 and 128, and at 128 with a window of 32."""
    method, options = SETTINGS[variant]
    model = page.train(method, steps=steps, seed=seed, **options)
    measured = {}
    for task in page.TASKS:
        for length in (32, 64, 128):
            measured[f"{task} at {length}"] = 100 * page.accuracy(model, task, length)
        seen = page.accuracy(model, task, 128, window=page.TRAINED)
        measured[f"{task} at 128, window of 32"] = 100 * seen
    return measured


EXPERIMENT = Experiment(
    section="7.6",
    varies="how the model is told the places",
    held="both tasks learned side by side at length 32, learning rate 0.01, 16 texts a step, two "
    "layers of 8 heads, width 64, attention only; the texts that it is asked on",
    control="one causal layer without positions, which sees a set: it must stay at the vote, which "
    "sees no order, or the tasks need none",
    refuted="for who can: a method that is far from right at 32 after 1,000 steps; for who goes "
    "on: a model without positions that is no better at 64 than the three that have seen no such "
    "place or offset; for the window: RoPE that stays wrong at 128 with it",
    variants={
        "one_layer": "nothing, one layer",
        "none": "nothing",
        "learned": "learned table",
        "sinusoidal": "sinusoidal",
        "rope": "RoPE",
        "rope_base_10": "RoPE, base 10",
        "alibi": "ALiBi",
    },
    steps=200,
)
