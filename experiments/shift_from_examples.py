"""Does a matrix fitted on the first places find the key ten on at places far outside?"""

import pages
import torch
from experiment import Experiment

page = pages.functions("shift_from_examples")

# the places of the examples, and the deviation of the noise in them; None: not the rows ten on
SETTINGS = {
    "exact": (500, 0.0),
    "noise_hundredth": (500, 0.01),
    "places_32": (32, 0.0),
    "shuffled": (500, None),
}


def run(variant, seed, steps):
    """Queries in percent whose best key is ten on, and how many columns are wrong."""
    count, noise = SETTINGS[variant]
    generator = torch.Generator().manual_seed(seed)
    P = page.sinusoidal_encoding(10_000, 32, dtype=torch.float64)
    here, there = P[: count - 10], P[10:count]  # row i, and row i + 10
    if noise is None:
        there = there[torch.randperm(len(there), generator=generator)]
    else:
        shakes = torch.randn(2, *here.shape, generator=generator, dtype=torch.float64)
        here, there = here + noise * shakes[0], there + noise * shakes[1]
    matrix = page.fitted_to(here, there)
    right = {
        f"from {first}": 100 * page.ten_on(matrix, P, first) for first in (32, 300, 1000, 9000)
    }
    error = (P[:-10] @ matrix - P[10:])[5000:].abs().amax(dim=0)  # (32,)
    return {**right, "columns of 32 wrong by over 0.5": (error > 0.5).sum().item()}


EXPERIMENT = Experiment(
    section="7.11",
    varies="the number of places in the examples, and their noise",
    held="width 32, least squares in float64, 400 queries, keys at all of 10,000 places",
    control="examples whose rows ten on are shuffled: the fit must find nothing",
    refuted="queries at 9,000 whose best key is not the one ten on",
    variants={
        "exact": "500 places",
        "noise_hundredth": "500, noise 0.01",
        "places_32": "32 places",
        "shuffled": "500, rows ten on shuffled",
    },
    seeds=16,
)
