"""Where does RoPE look beyond the trained length, and which slower turns bring it back?"""

import math

import pages
from experiment import Experiment

page = pages.functions("rope_beyond")
ALIKE = [round(5 + 2 * math.pi * turns) for turns in range(9)]  # 5 and whole turns of pair 0


def run(variant, seed, steps):
    """Mean weights five back, the far stripe, what pairs add, and right answers at 128."""
    model = page.train("RoPE", steps=steps, seed=seed)
    weights = page.stripe(model)
    far = max(range(page.TRAINED, 60), key=lambda back: page.mean_at(weights, back, back, 63))
    measured = {
        "weight five back, queries 5 to 31": page.mean_at(weights, 5, 5, 31),
        "32 to 42": page.mean_at(weights, 5, 32, 42),
        "43 to 63": page.mean_at(weights, 5, 43, 63),
        "strongest far stripe": far,
        "whole turns away": far in ALIKE,
    }
    points = page.points(model)  # (4, 64)
    for back in (5, 11, 18, 24, 30, 49):
        measured[f"points of the second pair at distance {back}"] = points[1, back]
    for back in (5, 49):
        measured[f"of all pairs at distance {back}"] = points[:, back].sum()
    for way, by in page.WAYS.items():
        for task in page.TASKS:
            right = page.accuracy(page.slowed(model, by), task, 4 * page.TRAINED)
            measured[f"{way}: {task}"] = 100 * right
    return measured


EXPERIMENT = Experiment(
    section="7.8",
    varies="the number of steps; when it is asked, how fast each pair turns",
    held="the model with RoPE of section 7.6, trained at length 32 and asked at 64 (weights) "
    "and 128",
    control="turns as in training, which must fail at 128; and four of the 28 offsets from 32 to "
    "59 are whole turns away, so that a stripe at random would be in one seed of seven",
    refuted="far stripes at other offsets in half of the seeds; five back that comes back when all "
    "pairs turn more slowly, or does not when only the slow ones do",
    variants={"rope": "RoPE"},
    steps=200,
)
