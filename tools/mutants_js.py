"""Would the tests see a slip in the numbers of a live figure? `make mutants-js SEED=5 NUMBER=100`.

Stryker's mutators make every slip that they know in the modules of `COUNTED`: another operator, a
condition that always holds, a block that does nothing. A sample of them, drawn by the seed, is put
in one by one, and the tests that run the figure in node must turn red. What they do not see is
printed. A slip that changes nothing anybody could see is argued in tests/equivalent_js.md.

What was found goes into build/mutants as it comes, so that a search that was stopped goes on; with
other code or other tests it begins anew. Needs node and `npm ci --prefix tools/stryker`.
"""

import contextlib
import fnmatch
import hashlib
import io
import json
import multiprocessing
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import live_code
import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCE = live_code.SOURCE
STRYKER = ROOT / "tools" / "stryker"
BUILD = ROOT / "build" / "mutants"
COPY = BUILD / "live_js"  # of the modules; mutants are put in there
ARGUED = ROOT / "tests" / "equivalent_js.md"
TESTS = [str(path) for path in sorted((ROOT / "tests").glob("test_live*.py"))]
PYTEST = [
    "-q",
    "-p",
    "no:nbval",
    "-p",
    "no:cacheprovider",
    "-p",
    "no:xdist",
    "--rootdir",
    str(ROOT),
]

# What is computed and what is said of it: node can run these without a page.
COUNTED = ["*/state.js", "*/explain.js", "kit/numbers.js", "reader/model.js"]
LEFT_OUT = {  # and who tests it
    "kit/*.js": "parts of a page: controls, nodes, motion, style (tests/browser)",
    "*/index.js": "mounts a figure: its controls (tests/browser)",
    "*/draw.js": "draws what was computed (tests/browser compares what is written with torch)",
    "attention/panels.js": "draws, as draw.js",
    "attention/story.js": "draws, as draw.js",
    "cache/map.js": "draws, as draw.js",
    "heads/map.js": "draws, as draw.js",
    "heads/sentences.js": "draws, as draw.js",
    "positions/clocks.js": "draws, as draw.js",
    "positions/curves.js": "draws, as draw.js",
    "positions/rope.js": "draws, as draw.js",
    "reader/maps.js": "draws, as draw.js",
    "reader/next.js": "draws, as draw.js",
    "reader/text.js": "draws, as draw.js",
    "ring/lanes.js": "draws, as draw.js",
    "ring/ranks.js": "draws, as draw.js",
    "ring/table.js": "draws, as draw.js",
    "words/list.js": "draws, as draw.js",
    "words/plane.js": "draws, as draw.js",
    "words/labels.js": "where a name finds room on the map: no number of the figure",
}
SECONDS = 300  # for the tests of a mutant: some never end


def counted():
    """The modules that carry numbers."""
    names = [path.relative_to(SOURCE).as_posix() for path in sorted(SOURCE.glob("*/*.js"))]
    return [name for name in names if any(fnmatch.fnmatch(name, one) for one in COUNTED)]


def all_mutants():
    """Every mutant of these modules, in order: file, line, the code, and what it would be."""
    command = ["node", STRYKER / "list.mjs", SOURCE, *counted()]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=True)
    return [described(one) for one in json.loads(done.stdout)]


def described(mutant):
    """A mutant by its lines before and after, so that it is known where they have moved."""
    name, where = mutant["fileName"], mutant["location"]
    lines = (SOURCE / name).read_text(encoding="utf-8").split("\n")
    first, last = where["start"]["line"], where["end"]["line"]
    head = lines[first][: where["start"]["column"]]
    tail = lines[last][where["end"]["column"] :]
    new = mutant["replacement"]
    if mutant["mutatorName"] in ("ArithmeticOperator", "LogicalOperator"):
        new = f"({new})"  # the operators around it may bind more strongly than the new one
    return {
        "file": name,
        "line": first + 1,
        "before": one_line("\n".join(lines[first : last + 1])),
        "after": one_line(head + new + tail),
        "code": "\n".join([*lines[:first], head + new + tail, *lines[last + 1 :]]),
    }


def one_line(code):
    return " ".join(code.split())


def argued():
    """(file, before, after) of what is argued to change nothing -> why."""
    found = {}
    for name, section in re.findall(
        r"^## (\S+)\n(.*?)(?=^## |\Z)", ARGUED.read_text(encoding="utf-8"), re.M | re.S
    ):
        for before, after, why in re.findall(r"^    (.+)\n    (.+)\n\n(\S.*)", section, re.M):
            found[name, before, after] = why
    return found


# The tests ----------------------------------------------------------------------------------------


class Trace:
    """A plugin of pytest: the figures that each test runs in node, and the seconds it takes."""

    def __init__(self):
        self.found = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item):
        kinds, run, begun = set(), subprocess.run, time.monotonic()

        def traced(command, **options):
            text = " ".join(map(str, command))
            kinds.update(re.findall(re.escape(str(COPY)) + r"/(\w+)", text))
            return run(command, **options)

        passed = False
        subprocess.run = traced
        try:
            done = yield
            passed = True
            return done
        finally:
            subprocess.run = run
            if kinds:
                self.found[item.nodeid] = [time.monotonic() - begun, sorted(kinds), passed]


def tested(tests, trace=None):
    """In a process of its own: the tests of what lies in `COPY`; its status is that of pytest."""
    os.setsid()  # with node, if it must end
    log = os.open(BUILD / "js.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(log, 1)
    os.dup2(log, 2)
    live_code.SOURCE = COPY
    status = pytest.main(
        [*PYTEST, *([] if trace else ["-x"]), *tests], plugins=[trace] if trace else []
    )
    if trace:
        (BUILD / "js-tests.json").write_text(json.dumps(trace.found), encoding="utf-8")
    sys.stdout.flush()
    os._exit(int(status))


def status_of(*arguments, seconds=None):
    """The exit status of `tested`, None if it did not end in time."""
    child = multiprocessing.get_context("fork").Process(target=tested, args=arguments)
    child.start()
    child.join(seconds)
    if child.exitcode is None:
        os.killpg(child.pid, signal.SIGKILL)
        child.join()
        return None
    return child.exitcode


def tests_of():
    """Kind of figure -> the tests that run it in node, the quickest first.

    What compares the stored code with its source is none of them, and fails here.
    """
    with contextlib.redirect_stdout(io.StringIO()):
        pytest.main([*PYTEST, "--collect-only", *TESTS])  # what is imported here is so for all
    status_of(TESTS, Trace())
    found = json.loads((BUILD / "js-tests.json").read_text(encoding="utf-8"))
    if failing := [test for test, (*_, passed) in found.items() if not passed]:
        sys.exit(f"these fail without a mutant: {', '.join(failing)}")
    quickest = sorted(found, key=lambda test: found[test][0])
    kinds = [*live_code.KINDS, "kit"]
    return {k: [test for test in quickest if k in ("kit", *found[test][1])] for k in kinds}


def killed(mutant, tests):
    """Does a test turn red, or run for ever?"""
    path = COPY / mutant["file"]
    code = path.read_text(encoding="utf-8")
    path.write_text(mutant["code"], encoding="utf-8")
    status = status_of(tests[mutant["file"].split("/")[0]], seconds=SECONDS)
    path.write_text(code, encoding="utf-8")
    if status not in (None, 0, 1):
        sys.exit(f"pytest could not run:\n{(BUILD / 'js.log').read_text(encoding='utf-8')}")
    return status != 0


# The search ---------------------------------------------------------------------------------------


def place(seed):
    """Where the results of this seed are kept for this code and these tests."""
    paths = [*SOURCE.rglob("*.js"), *(ROOT / "tests" / "js").glob("*"), *map(Path, TESTS)]
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(paths)))
    return BUILD / f"js-{seed}-{digest.hexdigest()[:8]}.jsonl"


def search(seed, number):
    """Put in the mutants of a sample, one by one; the results of all, in the sample's order."""
    mutants = all_mutants()
    random.Random(seed).shuffle(mutants)
    sample = mutants[:number]
    print(
        f"seed {seed}: {len(sample)} of {len(mutants)} mutants of {len(counted())} modules",
        flush=True,
    )
    results = place(seed)
    results.touch()
    known = [json.loads(line) for line in results.read_text(encoding="utf-8").splitlines()]
    left = sample[len(known) :]
    shutil.rmtree(COPY, ignore_errors=True)
    shutil.copytree(SOURCE, COPY, ignore=shutil.ignore_patterns("stored"))
    tests = tests_of() if left else {}
    for one in left:
        verdict = {"killed": killed(one, tests)}
        known.append({key: one[key] for key in one if key != "code"} | verdict)
        with results.open("a", encoding="utf-8") as file:
            file.write(json.dumps(known[-1], ensure_ascii=False) + "\n")
        print(f"\r{len(known)} of {len(sample)}", end="", flush=True)
    print()
    return known[: len(sample)]


def report(seed, results):
    """Print the count, and what survived."""
    equal = argued()
    alive = [one for one in results if not one["killed"]]
    survive = [one for one in alive if (one["file"], one["before"], one["after"]) not in equal]
    for one in survive:
        print(f"\n{one['file']}:{one['line']}\n    {one['before']}\n    {one['after']}")
    print(
        f"seed {seed}: {len(results)} mutants, {len(results) - len(alive)} killed, "
        f"{len(alive) - len(survive)} equivalent (argued), {len(survive)} survive"
    )


if __name__ == "__main__":
    BUILD.mkdir(parents=True, exist_ok=True)
    given = sys.argv[1:] + [""] * 2
    seed = int(given[0] or random.randrange(1, 10**6))
    report(seed, search(seed, int(given[1] or 100)))
