"""Repeat the experiments of the book: `python benchmarks/repeat.py [NAME ...]`, `make experiments`.

Without a name it runs all whose numbers are missing or of other code; a name runs that one in any
case. Every single run is kept in build/experiments as soon as it is done, so that who interrupts it
can go on. A finished experiment has its numbers in benchmarks/experiments/NAME.json and a section
in EXPERIMENTS.md; `--render` writes that page anew and runs nothing.
"""

import datetime
import functools
import json
import multiprocessing
import os
import pathlib
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed

import torch
from results import as_text, commit, processor, table
from tqdm import tqdm

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "tools"))  # the book as its tools see it

from experiment import FOLDER, fingerprint, load, names, question  # noqa: E402

PAGE = HERE / "EXPERIMENTS.md"
UNFINISHED = HERE.parent / "build" / "experiments"

INTRODUCTION = """\
# Experiments

What the pages conclude from training, repeated: at the budget of the page, at twice and at five \
times as many steps, each over several seeds. Every experiment names the outcome that would have \
refuted the page, and a control that could have failed. `make experiments` repeats those whose \
code has changed, `make experiments EXPERIMENT=name` repeats one. A cell has the mean over the \
seeds and, behind it, the least and the most, or in how many of the seeds a thing was seen. A last \
digit may differ on another machine.

Those called *real_…* train nothing: they ask SmolLM2 (`d2lattn_book.real`) about the prose of \
this book as it was before the model came into it, [data/prose.txt](data/prose.txt). Their seeds \
draw passages. Those called *…_manual* ask the same of a second text, Python's manual, and like \
those called *real_own_…* were written down, with what would refute them, before they \
were run."""


# Running ------------------------------------------------------------------------------------------


def repeat(name, *, unfinished=UNFINISHED, folder=FOLDER):
    """Run what is missing of an experiment and store its numbers."""
    experiment = load(name)
    path = unfinished / f"{name}-{fingerprint(name)}.jsonl"
    done = _done(path)
    rows = experiment.rows()
    wanted = [(row, seed) for row in rows for seed in range(experiment.seeds_of(row))]
    missing = [run for run in wanted if run not in done]
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        for run, took, measured in _spread(name, missing):
            done[run] = took, measured
            file.write(json.dumps([*run, took, measured]) + "\n")
            file.flush()
    _store(name, experiment, done, folder)
    path.unlink()


def one(name, row, seed):
    """(seconds of the processor, also of what it calls; what one run measured)."""
    torch.set_num_threads(1)
    experiment = _loaded(name)
    variant, steps = experiment.rows()[row]
    started = sum(os.times()[:4])
    measured = experiment.run(variant, seed, steps)
    return sum(os.times()[:4]) - started, {what: _plain(x) for what, x in measured.items()}


_loaded = functools.cache(load)  # once in each process


def _spread(name, runs):
    """Yield (run, seconds, measured) of each run as it ends, one process on each core."""
    context = multiprocessing.get_context("spawn")  # a fork would inherit torch's threads
    pool = ProcessPoolExecutor(os.cpu_count(), mp_context=context)
    try:
        ahead = {pool.submit(one, name, *run): run for run in runs}
        for future in tqdm(as_completed(ahead), total=len(runs), desc=name, mininterval=1):
            yield ahead[future], *future.result()
    finally:
        pool.shutdown(cancel_futures=True)


def _done(path):
    """{(row, seed): (seconds, measured)} of the runs in a file, but for a line cut short."""
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        try:
            row, seed, took, measured = json.loads(line)
        except ValueError:
            continue
        found[row, seed] = took, measured
    return found


def _store(name, experiment, done, folder):
    rows = {row: _seed_by_seed(row, experiment.seeds_of(row), done) for row in experiment.rows()}
    result = dict(
        machine=processor(),
        date=datetime.date.today().isoformat(),
        commit=commit(),
        torch=torch.__version__,
        fingerprint=fingerprint(name),
        minutes=round(sum(took for took, _ in done.values()) / 60, 1),
        rows=rows,
    )
    (folder / f"{name}.json").write_text(as_text(result) + "\n", encoding="utf-8")


def _seed_by_seed(row, seeds, done):
    """{what was measured: its value of each seed} of a row."""
    return {what: [done[row, s][1][what] for s in range(seeds)] for what in done[row, 0][1]}


def _plain(x):
    """A number or a truth value as JSON has it."""
    return x.item() if hasattr(x, "item") else x


# Telling ------------------------------------------------------------------------------------------


def stored(name, folder=FOLDER):
    """What is stored of an experiment, or None."""
    path = folder / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def cells_of(values):
    """How the page shows what the seeds measured: "14 of 16", or the mean and the extremes."""
    if all(isinstance(value, bool) for value in values):
        return f"{sum(values)} of {len(values)}"
    whole = all(value == int(value) for value in values)
    least, most = (_shown(value, whole) for value in (min(values), max(values)))
    mean = sum(values) / len(values)
    return f"{f'{mean:.1f}' if whole else _shown(mean)} ({least} to {most})"


def _shown(number, whole=False):
    """Three digits that count, or all of a number that is large or whole."""
    return f"{number:.0f}" if whole or abs(number) >= 100 else f"{number:.3g}"


def row_of(experiment, result, row):
    """The row of the table as a list of texts."""
    variant, steps = experiment.rows()[row]
    budget = [] if steps is None else [steps]
    seeds = [] if experiment.plan is None else [experiment.seeds_of(row)]
    measured = [cells_of(values) for values in result["rows"][row].values()]
    return [experiment.variants[variant], *budget, *seeds, *measured, f"`{row}`"]


def section(name, result):
    """The section of an experiment in EXPERIMENTS.md."""
    experiment = load(name)
    budget = [] if experiment.steps is None else ["steps"]
    measured = list(next(iter(result["rows"].values())))
    repeated = [] if experiment.plan is None else ["seeds"]
    header = ["", *budget, *repeated, *measured, "row"]
    seeds = f"0 to {experiment.seeds - 1}" + (", or as many as a row says" if repeated else "")
    claims = ", ".join(map(str, experiment.claims))
    numbered = experiment.section[0].isdigit()
    where = "Section {}" if numbered else "The page *{}* of the website"
    about = [
        f"**{question(name)}** {where.format(experiment.section)}"
        + (f", claim {claims}." if claims else "."),
        f"- Varies: {experiment.varies}.",
        f"- Held: {experiment.held}.",
        f"- Control: {experiment.control}.",
        f"- It would have been refuted by: {experiment.refuted}.",
        f"- Seeds {seeds}; {result['minutes']:g} minutes on one core of {result['machine']}; "
        f"torch {result['torch']}; {result['date']}.",
    ]
    rows = [row_of(experiment, result, row) for row in experiment.rows()]
    return f"## {name}\n\n" + "\n".join([about[0], "", *about[1:]]) + "\n\n" + table(header, rows)


def render(folder=FOLDER):
    """The text of EXPERIMENTS.md."""
    found = {name: stored(name, folder) for name in names()}
    parts = [section(name, result) for name, result in found.items() if result]
    return "\n\n".join([INTRODUCTION, *parts]) + "\n"


def main(arguments):
    if arguments != ["--render"]:
        if unknown := set(arguments) - set(names()):
            sys.exit(f"an experiment is one of {', '.join(names())}, got {', '.join(unknown)}")
        for name in arguments or names():
            known = stored(name)
            if arguments or not known or known["fingerprint"] != fingerprint(name):
                repeat(name)
                PAGE.write_text(render(), encoding="utf-8")
    PAGE.write_text(render(), encoding="utf-8")


if __name__ == "__main__":
    os.environ.setdefault("MPLBACKEND", "agg")  # a chapter's imports ask for pictures
    main(sys.argv[1:])
