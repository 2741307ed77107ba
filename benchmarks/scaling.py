"""Does dividing the scores matter for what is learned? The running corpus, by divisor and seed."""

from typing import NamedTuple

from processes import spread
from results import table
from timing import saying

from d2lattn.language.next_word import train
from d2lattn.language.words import least_loss

TITLE = "Does dividing the scores matter for what is learned?"
ON = ("processor",)
INTRODUCTION = """\
The running corpus, one head of width d, learned with its scores divided by 1, √d or d: how many \
of the 20 held-out sentences are completed, and the loss on those that were learned from."""
DIVISORS = {"1": lambda d: 1.0, "√d": lambda d: d**0.5, "d": float}


class Setting(NamedTuple):
    width: int
    steps: int
    rate: float
    seeds: int


SETTINGS = (Setting(64, 200, 0.03, 10), Setting(64, 800, 0.003, 3), Setting(256, 400, 0.003, 3))


def measure_part(quick, device):
    settings = [Setting(64, 20, 0.03, 2)] if quick else SETTINGS
    runs = [(s, name, seed) for s in settings for name in DIVISORS for seed in range(s.seeds)]
    found = dict(zip(runs, spread(one_run, runs), strict=True))
    rows = []
    for setting in settings:
        for name in DIVISORS:
            right, loss = zip(*(found[setting, name, s] for s in range(setting.seeds)), strict=True)
            row = {"width d": setting.width, "steps": setting.steps, "learning rate": setting.rate}
            rows.append(row | {"divided by": name, "right": list(right), "loss": list(loss)})
    return {"rows": rows, "least loss": least_loss()}


def one_run(setting, name, seed):
    """(held-out sentences completed, loss on the others) of one model."""
    saying(f"scores divided by {name}, {setting}, seed {seed}")
    options = dict(scale=1 / DIVISORS[name](setting.width), learning_rate=setting.rate)
    options |= dict(steps=setting.steps, embed_dim=setting.width, every=setting.steps)
    run = train(seed, **options)
    return round(20 * run.model.accuracy(run.held_out)), run.model.loss(run.seen).item()


def section(data):
    header = [*list(data["rows"][0])[:4], "of 20 held out, by seed", "loss by seed"]
    body = [
        [
            *list(row.values())[:4],
            ", ".join(map(str, row["right"])),
            ", ".join(f"{loss:.2f}" for loss in row["loss"]),
        ]
        for row in data["rows"]
    ]
    return f"{table(header, body)}\n\nAn honest reader can reach {data['least loss']:.3f}."
