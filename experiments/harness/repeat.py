"""Repeat the experiments of the book: `make experiments EXPERIMENT="NAME ..."`.

Without a name it compares the proof of each experiment (proof.py) with the code and names those
whose rows are stale; `--compare NAME ...` does so for some. A name alone repeats that experiment.
A finished experiment has its rows and its proof in experiments/stored/NAME.json and a
section in EXPERIMENTS.md. `--render` writes that page and runs nothing. `--proof NAME ...` stores a
new proof beside the old rows: only for what cannot change them, such as another form of the proof.
"""

import datetime
import json
import multiprocessing
import os
import pathlib
import shutil
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed

import torch
from tqdm import tqdm

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path += [str(ROOT / "tools"), str(ROOT / "benchmarks")]  # the book as its tools see it

from experiment import FOLDER, load, names, question  # noqa: E402
from proof import CONSTANTS, differences, proof, steady  # noqa: E402
from results import as_text, commit, processor, rounded, table  # noqa: E402

PAGE = FOLDER / "EXPERIMENTS.md"

INTRODUCTION = """\
# Experiments

What the pages conclude from training, repeated: at the budget of the page, at twice and at five \
times as many steps, each over several seeds. Every experiment names the outcome that would have \
refuted the page, and a control that could have failed. `make experiments` names those whose code \
now computes something else, `make experiments EXPERIMENT=name` repeats one. A cell has the mean \
over the \
seeds and, behind it, the least and the most, or in how many of the seeds a thing was seen. A last \
digit may differ on another machine.

Those called *real_…* train nothing: they ask SmolLM2 (`d2lattn_book.real`) about the prose of \
this book as it was before the model came into it, [data/prose.txt](data/prose.txt). Their seeds \
draw passages. The manual, a second text, is Python's."""


# Running ------------------------------------------------------------------------------------------


def repeat(name):
    """Run an experiment, and store its rows and its proof."""
    experiment, now = load(name), proved([name])[name]
    runs = [(name, row, s) for row in experiment.rows() for s in range(experiment.seeds_of(row))]
    done = {(row, seed): found for (_, row, seed), found in _spread(one, runs, name)}
    _store(name, experiment, done, now)


def one(name, row, seed):
    """(seconds of the processor, also of what it calls; what one run measured)."""
    torch.set_num_threads(1)
    experiment = load(name)
    variant, steps = experiment.rows()[row]
    started = sum(os.times()[:4])
    measured = experiment.run(variant, seed, steps)
    return sum(os.times()[:4]) - started, {what: _plain(x) for what, x in measured.items()}


def _spread(function, calls, title):
    """Yield (arguments, result) of each call as it ends, one process on each core."""
    context = multiprocessing.get_context("spawn")  # a fork would inherit torch's threads
    pool = ProcessPoolExecutor(os.cpu_count(), mp_context=context)
    try:
        ahead = {pool.submit(function, *call): call for call in calls}
        for future in tqdm(as_completed(ahead), total=len(calls), desc=title, mininterval=1):
            yield ahead[future], future.result()
    finally:
        pool.shutdown(cancel_futures=True)


def _store(name, experiment, done, now):
    rows = {}
    for row in experiment.rows():
        measured = [done[row, seed][1] for seed in range(experiment.seeds_of(row))]
        rows[row] = {what: [found[what] for found in measured] for what in measured[0]}
    result = dict(
        machine=processor(),
        date=datetime.date.today().isoformat(),
        commit=commit(),
        torch=torch.__version__,
        minutes=round(sum(took for took, _ in done.values()) / 60, 1),
        rows=rows,
    )
    _write(name, rounded(result) | {"proof": now})


def _write(name, result):
    (FOLDER / "stored" / f"{name}.json").write_text(as_text(result) + "\n", encoding="utf-8")


def _plain(x):
    """A number or a truth value as JSON has it."""
    return x.item() if hasattr(x, "item") else x


# Comparing ----------------------------------------------------------------------------------------


def stale(name):
    """What an experiment computes otherwise than when its rows were made."""
    experiment, result = load(name), stored(name)
    if result is None:
        return ["it has no rows"]
    if name == "playground" and not shutil.which("node"):
        return []  # it trains in node
    rows = {row: len(next(iter(values.values()))) for row, values in result["rows"].items()}
    if rows != {row: experiment.seeds_of(row) for row in experiment.rows()}:
        return ["it has other variants, numbers of steps or seeds than its rows"]
    return differences(result["proof"], proof(name, asked(result["proof"])))


def asked(stored_proof):
    """The variants in a proof."""
    return [variant for variant in stored_proof if variant != CONSTANTS]


def proved(wanted):
    """{name: its proof}: what torch computes alike with its quickest and its plainest kernels."""
    calls = [(name,) for name in wanted]
    found = {name: now for (name,), now in _spread(proof, calls, "proofs")}
    os.environ["ATEN_CPU_CAPABILITY"] = "default"  # processes to come read it
    calls = [(name, asked(now)) for name, now in found.items()]
    for (name, _), other in _spread(proof, calls, "with other kernels"):
        found[name] = steady(found[name], other)
    del os.environ["ATEN_CPU_CAPABILITY"]
    return found


def compare(wanted):
    """Name the experiments whose rows are stale, and exit with 1 if there are any."""
    started, failed = time.time(), []
    for (name,), found in _spread(stale, [(name,) for name in wanted], "proofs"):
        if found:
            failed.append(name)
            print(f"{name} ({stored(name)['minutes']} minutes): {'; '.join(found[:3])}")
    passed = f"{len(wanted) - len(failed)} passed in {time.time() - started:.0f}s"
    if failed:
        print(f'stale; to repeat them: make experiments EXPERIMENT="{" ".join(failed)}"')
        sys.exit(f"{len(failed)} failed, {passed}")
    print(f"rows still right: {passed}")


# Telling ------------------------------------------------------------------------------------------


def stored(name):
    """What is stored of an experiment, or None."""
    path = FOLDER / "stored" / f"{name}.json"
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
    numbered = experiment.section[0].isdigit()
    where = "Section {}" if numbered else "The page *{}* of the website"
    about = [
        f"**{question(name)}** {where.format(experiment.section)}.",
        f"- Varies: {experiment.varies}.",
        f"- Held: {experiment.held}.",
        f"- Control: {experiment.control}.",
        f"- It would have been refuted by: {experiment.refuted}.",
        f"- Seeds {seeds}; {result['minutes']:g} minutes on one core of {result['machine']}; "
        f"torch {result['torch']}; {result['date']}.",
    ]
    rows = [row_of(experiment, result, row) for row in experiment.rows()]
    return f"## {name}\n\n" + "\n".join([about[0], "", *about[1:]]) + "\n\n" + table(header, rows)


def render():
    """The text of EXPERIMENTS.md."""
    found = {name: stored(name) for name in names()}
    parts = [section(name, result) for name, result in found.items() if result]
    return "\n\n".join([INTRODUCTION, *parts]) + "\n"


def main(arguments):
    flags = {one for one in arguments if one.startswith("--")}
    wanted = [one for one in arguments if one not in flags]
    if unknown := set(wanted) - set(names()):
        sys.exit(f"an experiment is one of {', '.join(names())}, got {', '.join(unknown)}")
    if not arguments or "--compare" in flags:
        compare(wanted or names())
    elif "--proof" in flags:
        for name, now in proved(wanted).items():
            _write(name, stored(name) | {"proof": now})
    else:
        for name in wanted:
            repeat(name)
    PAGE.write_text(render(), encoding="utf-8")


if __name__ == "__main__":
    os.environ.setdefault("MPLBACKEND", "agg")  # a chapter's imports ask for pictures
    main(sys.argv[1:])
