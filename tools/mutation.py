"""What a search for slips that no test sees needs in any language: `mutants.py`, `mutants_js.py`.

A seed draws the mutants. One at a time is put in, and meets tests in a process of its own. What
came of it goes into build/mutants as it comes, so that a search that was stopped goes on; with
other code or other tests it begins anew. A survivor that no test can kill is argued in tests/.
"""

import contextlib
import functools
import hashlib
import itertools
import json
import multiprocessing
import os
import random
import re
import signal
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "mutants"
PYTEST = ["-q", "-p", "no:nbval", "-p", "no:xdist", "-p", "no:cacheprovider"]
ENTRY = re.compile(r"^- `([^`]+)`\n  ```\n  - (.+)\n  \+ ?(.*)\n  ```\n  (.+)$", re.M)
PAGES = {"mutants.md": ROOT, "equivalent_js.md": ROOT / "d2lattn_book" / "pictures" / "live_js"}
FORK = multiprocessing.get_context("fork")  # what every mutant needs is loaded once, before


def argued(page):
    """Every (file, lines before, lines after, why) of mutants that no test can kill."""
    found = ENTRY.findall((ROOT / "tests" / page).read_text(encoding="utf-8"))
    return [(file, one_line(before), one_line(after), why) for file, before, after, why in found]


def one_line(code):
    return " ".join(code.split())


def drawn(places, number, seed, mutant):
    """This many mutants, drawn by the seed; `mutant` gives None where a place changes nothing."""
    places = list(places)
    random.Random(seed).shuffle(places)
    return list(itertools.islice(filter(None, map(mutant, places)), number))


# The tests ----------------------------------------------------------------------------------------


class Chosen:
    """A plugin of pytest: run these tests alone, in this order, and note which failed."""

    def __init__(self, tests):
        self.place = {test: i for i, test in enumerate(tests)}
        self.failed = []

    def pytest_collection_modifyitems(self, items):
        chosen = [item for item in items if item.nodeid in self.place]
        items[:] = sorted(chosen, key=lambda item: self.place[item.nodeid])

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.failed.append(report.nodeid)

    def said(self):
        return self.failed


def pytest_apart(move, arguments, plugin, log, patience=None):
    """Run pytest in a process forked from this one, after `move()` into the place of the mutant.

    Returns:
        What the plugin says (None if it came to nothing), pytest's exit status (None if it took
        too long).
    """
    told = log.with_suffix(".json")
    told.unlink(missing_ok=True)
    process = FORK.Process(target=_apart, args=(move, arguments, plugin, log, told))
    process.start()
    process.join(patience)
    status = process.exitcode
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)  # with all that the tests have started
    process.join()
    return (json.loads(told.read_text(encoding="utf-8")) if told.exists() else None), status


def _apart(move, arguments, plugin, log, told):
    os.setsid()
    with open(log, "w", encoding="utf-8") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    move()
    plugin = plugin()
    status = pytest.main([*PYTEST, *arguments], plugins=[plugin])
    told.write_text(json.dumps(plugin.said()), encoding="utf-8")
    sys.exit(int(status))


def met(mutant, path, tests, times, attempt):
    """Let a mutant live in a file, and say which test killed it, or None.

    A test kills if it fails beside the mutant and, after the same tests, passes without.

    Args:
        tests: lists of tests, which it meets one after the other.
        times: the seconds that each takes.
        attempt: runs pytest with these arguments, this plugin and this patience.
    """
    original = path.read_text(encoding="utf-8")

    def run(those):
        names = sorted({test.partition("::")[0] for test in those})
        return attempt(["-x", *names], functools.partial(Chosen, those), patience)

    for part in filter(None, tests):
        patience = 30 + 5 * sum(times[test] for test in part)
        path.write_text(mutant["text"], encoding="utf-8")
        said, status = run(part)
        path.write_text(original, encoding="utf-8")
        if status == pytest.ExitCode.OK:
            continue
        if status is None:
            killer, upto = "too slow", part
        elif status == pytest.ExitCode.TESTS_FAILED and said:
            killer, upto = said[0], part[: part.index(said[0]) + 1]
        else:  # nothing could be collected
            killer, upto = "not importable", part[:1]
        if run(upto)[1] == pytest.ExitCode.OK:
            return killer
        print(f"without a mutant, too: {killer}", flush=True)
    return None


# The search ---------------------------------------------------------------------------------------


def digest(paths):
    """Of the contents of these files."""
    return hashlib.sha256(b"".join(path.read_bytes() for path in sorted(paths))).hexdigest()[:8]


def search(mutants, name, page, lives, limit=0):
    """Let each mutant that has not done so meet its tests, and report what came of all.

    Args:
        mutants: each a dict of kind, file, lines, before, after and text, its file with it.
        name: of the file of results; of the seed, the code and the tests.
        page: where survivors are argued.
        lives: gives a function for each worker, which returns what killed a mutant.
        limit: whoever survived with a lower one meets its tests again.
    """
    BUILD.mkdir(parents=True, exist_ok=True)
    kept = BUILD / f"{name}.jsonl"
    known = {_identity(r) for r in _read(kept) if r["killer"] or r["limit"] >= limit}
    if left := [mutant for mutant in mutants if _identity(mutant) not in known]:
        _run(left, kept, lives(), limit)
    last = {_identity(result): result for result in _read(kept)}
    print(f"results: {kept.relative_to(ROOT)}")
    report([last[_identity(mutant)] for mutant in mutants], page)


def _identity(mutant):
    return mutant["file"], tuple(mutant["lines"]), mutant["before"], mutant["after"]


def _read(path):
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return [json.loads(line) for line in text.splitlines()]


def _run(mutants, kept, lives, limit):
    todo, results = FORK.Queue(), FORK.Queue()
    for mutant in [*mutants, *[None] * len(lives)]:
        todo.put(mutant)
    for live in lives:
        FORK.Process(target=_work, args=(live, todo, results)).start()
    for i in range(len(mutants)):
        result = results.get() | {"limit": limit}
        verdict = f"killed by {result['killer']}" if result["killer"] else "SURVIVES"
        print(f"{i + 1}/{len(mutants)} {result['seconds']} s {result['file']}: {verdict}")
        if not result["killer"]:
            print(f"    {result['before']}\n    {result['after']}")
        sys.stdout.flush()
        with kept.open("a", encoding="utf-8") as file:
            file.write(json.dumps(result, ensure_ascii=False) + "\n")


def _work(live, todo, results):
    for mutant in iter(todo.get, None):
        start = time.monotonic()
        verdict = {"killer": live(mutant), "seconds": round(time.monotonic() - start, 1)}
        results.put({key: mutant[key] for key in mutant if key != "text"} | verdict)


def report(results, page):
    """Print how many of each kind died, and those that did not."""
    excused = {entry[:3] for entry in argued(page)}
    for kind in dict.fromkeys(result["kind"] for result in results):
        mine = [result for result in results if result["kind"] == kind]
        left = [result for result in mine if not result["killer"]]
        real = [r for r in left if (r["file"], r["before"], r["after"]) not in excused]
        killed, same = len(mine) - len(left), len(left) - len(real)
        share = killed / max(1, len(mine) - same)
        print(
            f"{kind}: {len(mine)} mutants, {killed} killed, {same} equivalent, "
            f"{len(real)} survive: {share:.1%} of those that a test can kill"
        )
        for result in real:
            print(f"  {result['file']}:{result['lines'][0]}")
            print(f"    - {result['before']}\n    + {result['after']}")


def asked(number):
    """The seed and the number of mutants that a command names, or another seed and this number."""
    seed, wanted = [*sys.argv[1:], "", ""][:2]
    seed = int(seed or random.randrange(1, 10**6))
    print(f"seed {seed}", flush=True)
    return seed, int(wanted or number)
