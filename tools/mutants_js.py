"""Would the tests see a slip in the numbers of a live figure? `make mutants IN=js SEED=5`.

Stryker's mutators make every slip that they know in the modules that carry numbers: another
operator, a condition that always holds, a block that does nothing. A sample of 100, drawn by the
seed, is put in one by one, and the tests that run the figure in node must turn red
(tools/mutation.py). A slip that changes nothing anybody could see is argued in
tests/equivalent_js.md. Needs node and `npm ci --prefix tools/stryker`.
"""

import fnmatch
import functools
import json
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import live_code
import mutation
import pytest
from mutation import BUILD, ROOT, one_line

SOURCE = live_code.SOURCE
STRYKER = ROOT / "tools" / "stryker"
COPY = BUILD / "live_js"  # of the modules; mutants are put in there
TESTS = sorted((ROOT / "tests").glob("test_live*.py"))
# What is computed and what is said of it: node can run these without a page.
COUNTED = ["*/state.js", "*/explain.js", "kit/numbers.js", "kit/words.js", "*/model.js"]
COUNTED += [f"train/{name}.js" for name in ("address", "engine", "random", "tasks")]
LEFT_OUT = {  # and why; kit/, index.js and what imports nodes.js draw: tests/browser tests them
    "train/driver.js": "starts a worker, which only a browser has",
    "words/labels.js": "where a name finds room on the map: no number of the figure",
}


def counted():
    """The modules that carry numbers."""
    names = [path.relative_to(SOURCE).as_posix() for path in sorted(SOURCE.glob("*/*.js"))]
    return [name for name in names if any(fnmatch.fnmatch(name, one) for one in COUNTED)]


def all_mutants():
    """Every mutant of these modules, in order, as Stryker has it."""
    command = ["node", STRYKER / "list.mjs", SOURCE, *counted()]
    done = subprocess.run(command, stdout=subprocess.PIPE, encoding="utf-8", check=False)
    if done.returncode:
        sys.exit("Stryker made no mutants: it needs node and npm ci --prefix tools/stryker")
    return json.loads(done.stdout)


def described(mutant):
    """A mutant by its lines before and after, so that it is known where they have moved."""
    name, where = mutant["fileName"], mutant["location"]
    lines = (SOURCE / name).read_text(encoding="utf-8").split("\n")
    first, last = where["start"]["line"], where["end"]["line"]
    new = mutant["replacement"]
    if mutant["mutatorName"] in ("ArithmeticOperator", "LogicalOperator"):
        new = f"({new})"  # the operators around it may bind more strongly than the new one
    new = lines[first][: where["start"]["column"]] + new + lines[last][where["end"]["column"] :]
    return {
        "kind": "live figures",
        "file": name,
        "lines": [first + 1, last + 1],
        "before": one_line("\n".join(lines[first : last + 1])),
        "after": one_line(new),
        "text": "\n".join([*lines[:first], new, *lines[last + 1 :]]),
    }


class Trace:
    """A plugin of pytest: the figures that each test runs in node, and the seconds it takes."""

    def __init__(self):
        self.found = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item):
        kinds, run, begun, passed = set(), subprocess.run, time.monotonic(), False

        def traced(command, **options):
            text = " ".join(map(str, command))
            kinds.update(re.findall(re.escape(str(COPY)) + r"/(\w+)", text))
            return run(command, **options)

        subprocess.run = traced
        try:
            done = yield
            passed = True
            return done
        finally:
            subprocess.run = run
            if kinds:
                self.found[item.nodeid] = [time.monotonic() - begun, sorted(kinds), passed]

    def said(self):
        return self.found


def attempt(arguments, plugin, patience):
    """Run pytest on what lies in `COPY`."""
    move = functools.partial(setattr, live_code, "SOURCE", COPY)
    arguments = ["--rootdir", str(ROOT), *arguments]
    return mutation.pytest_apart(move, arguments, plugin, BUILD / "js.log", patience)


def lives():
    """Where a mutant may live, and the tests that it meets: those that run its figure in node.

    What compares the stored code with its source is none of them, and fails here.
    """
    shutil.rmtree(COPY, ignore_errors=True)
    shutil.copytree(SOURCE, COPY, ignore=shutil.ignore_patterns("stored"))
    found, _ = attempt(list(map(str, TESTS)), Trace, None)
    if failing := [test for test, (*_, passed) in found.items() if not passed]:
        sys.exit(f"these fail without a mutant: {', '.join(failing)}")
    times = {test: seconds for test, (seconds, *_) in found.items()}

    def live(mutant):
        kind = mutant["file"].partition("/")[0]
        tests = [t for t in sorted(times, key=times.get) if kind in ("kit", *found[t][1])]
        return mutation.met(mutant, COPY / mutant["file"], [tests], times, attempt)

    return [live]


def main():
    BUILD.mkdir(parents=True, exist_ok=True)
    seed, number = mutation.asked(100)
    every = all_mutants()
    print(f"{len(every)} mutants of {len(counted())} modules")
    paths = [*SOURCE.rglob("*.js"), *(ROOT / "tests" / "js").glob("*"), *map(Path, TESTS)]
    mutants = mutation.drawn(every, number, seed, described)
    mutation.search(mutants, f"js-{seed}-{mutation.digest(paths)}", "equivalent_js.md", lives)


if __name__ == "__main__":
    main()
