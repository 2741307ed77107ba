"""Who goes on to longer texts if two wide heads stand in for eight, or one slope for all?"""

import pages
import torch
from experiment import Experiment

from d2lattn.positions import Positions

page = pages.functions("two_wide_heads")


class OneSlope(Positions):
    """ALiBi with the slope ½ in every head, so that no decay can be taken from another."""

    def bias(self, where, device):
        distance = where.columns(device) - torch.arange(where.stop, device=device)  # (L, S)
        return -0.5 * distance.abs()[None]


page.METHODS["one slope"] = OneSlope()
WIDE, STEPS = dict(num_heads=2), 1000
SETTINGS = {
    "none_wide": ("NoPE", WIDE),
    "rope_wide": ("RoPE", WIDE),
    "alibi_wide": ("ALiBi", WIDE),
    "one_slope": ("one slope", {}),
}


def run(variant, seed, steps):
    """Right answers in percent at 32, 64 and 128, after 1,000 steps."""
    method, options = SETTINGS[variant]
    model = page.train(method, steps=STEPS, seed=seed, **options)
    return {
        f"{task} at {length}": 100 * page.accuracy(model, task, length)
        for task in page.TASKS
        for length in (32, 64, 128)
    }


EXPERIMENT = Experiment(
    section="7.6",
    varies="how the model is told the places, in two heads of 32 channels; and eight heads of 8 "
    "with ALiBi's slope ½ in all of them",
    held="all else of who_goes_on: tasks, rate, 1,000 steps, two layers, 64 channels and so as "
    "many weights; the texts that it is asked on",
    control="the rows of who_goes_on after 1,000 steps, which differ in the heads or the slopes "
    "alone",
    refuted="RoPE that goes on less well than nothing with two heads, too, so that the ranking is "
    "one of methods; or one slope that is worse at *five back* than eight, so that taking a fast "
    "decay from a slow one is what two layers do",
    variants={
        "none_wide": "nothing, two heads",
        "rope_wide": "RoPE, two heads",
        "alibi_wide": "ALiBi, two heads",
        "one_slope": "eight heads of one slope",
    },
    small=dict(STEPS=3),
)
