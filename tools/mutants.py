"""Change the package in one place at a time and see whether a test notices: `make mutants`.

A mutant is the package with one operator, number, argument or name changed. If no test fails, the
tests do not hold that place. All mutants of a kind are numbered, and `SEED=5 NUMBER=225` draws two
thirds of 225 from the core and one third from pictures and exercises. A run that is interrupted
goes on where it stopped; the results lie in build/mutants.

Each mutant meets only the tests which ran through the changed line (coverage tells), the quickest
first and no more than some seconds of them: a survivor may be one that a slower test would kill.
`LIMIT=120` lets those that survived meet more. The chapters' outputs are not asked. Left out are
sentences (strings with a blank, and what an error says), annotations, decorators, imports, every
`__init__`, and what only the eye judges (`LOOK`). Survivors which no test can kill are argued in
tests/mutants.md.
"""

import ast
import concurrent.futures
import contextlib
import difflib
import functools
import hashlib
import importlib
import itertools
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
from collections import Counter
from pathlib import Path

import equivalent
import libcst as cst
import package_tests
import pytest
from libcst.metadata import MetadataWrapper, ParentNodeProvider, PositionProvider
from mutmut.mutation.mutators import mutation_operators

# What every mutant needs and none changes is loaded once, before the forks.
for module in ("hypothesis", "matplotlib.pyplot", "nbformat", "torch"):
    importlib.import_module(module)

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "mutants"
WORKERS = 2
LIMIT = float(os.environ.get("LIMIT") or 15)  # seconds of tests that a mutant meets
# Nothing sees through which lines go tests of the package as a whole or in processes of their own.
UNSEEN = r"test_(gpu|interface|house|places)\.py"
RANKS = r"test_(distributed|launch)\.py"
IN_RANKS = re.compile(r"(distributed|launch|multihead|transformer|visibility|chunked)\.py$")
PAGES = ("d2lattn/pictures/", "d2lattn/exercises/")
# Arguments that change how a drawing looks and not what it shows, and guards against slips of ours.
LOOK = {
    *("alpha", "color", "colors", "facecolor", "edgecolor", "ec", "fc", "cmap", "hatch", "zorder"),
    *("fontsize", "fontweight", "weight", "family", "rotation", "size", "style", "ha", "va"),
    *("linewidth", "linewidths", "lw", "linestyle", "ls", "marker", "markersize", "arrowstyle"),
    *("mutation_scale", "connectionstyle", "boxstyle", "bbox", "bbox_to_anchor", "shrink", "pad"),
    *("labelpad", "borderpad", "handlelength", "frameon", "loc", "clip_on", "dpi", "figsize"),
    *("aspect", "width", "gap", "s", "face", "edge", "strict", "timeout"),
}


# The mutants --------------------------------------------------------------------------------------


def files(kind):
    """The package's files of a kind, 'core' or 'pages'."""
    paths = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("d2lattn/**/*.py"))
    return [
        path
        for path in paths
        if path.startswith(PAGES) == (kind == "pages") and not path.endswith("/__init__.py")
    ]


class Places(cst.CSTVisitor):
    """Every (node, lines, changed node) of a file that a mutant may have."""

    METADATA_DEPENDENCIES = (PositionProvider, ParentNodeProvider)

    def __init__(self):
        self.found = []

    def on_visit(self, node):
        if self._is_left_out(node):
            return False
        for kind, operator in mutation_operators:
            if isinstance(node, kind):
                self.found += [
                    (node, self._lines(node), changed)
                    for changed in operator(node)
                    if not _is_look(node, changed)
                ]
        return True

    def _is_left_out(self, node):
        parent = self.get_metadata(ParentNodeProvider, node, None)
        if isinstance(
            node, cst.Annotation | cst.Decorator | cst.Import | cst.ImportFrom | cst.Raise
        ):
            return True
        if isinstance(node, cst.Arg) and node.keyword is not None and node.keyword.value in LOOK:
            return True
        if isinstance(node, cst.BaseString):
            return isinstance(parent, cst.Expr) or " " in getattr(node, "value", "")
        return False

    def _lines(self, node):
        """The lines of the statement, or of the function whose head the node stands in."""
        inner, outer = node, self.get_metadata(ParentNodeProvider, node, None)
        while outer is not None:
            if isinstance(inner, cst.SimpleStatementLine):
                if isinstance(outer, cst.Module):
                    return (1, 10**6)
                break
            if isinstance(inner, cst.Parameters):
                return self._range(outer)
            if isinstance(outer, cst.BaseCompoundStatement):
                break
            inner, outer = outer, self.get_metadata(ParentNodeProvider, outer, None)
        return self._range(inner)

    def _range(self, node):
        position = self.get_metadata(PositionProvider, node)
        return (position.start.line, position.end.line)


def _names_look(argument):
    return argument.keyword is not None and argument.keyword.value in LOOK


def _is_look(node, changed):
    """Whether a changed call lacks nothing but arguments that are `LOOK`."""
    if not isinstance(node, cst.Call) or not isinstance(changed, cst.Call):
        return False
    lost = [
        argument for argument in node.args if not any(argument is kept for kept in changed.args)
    ]
    return bool(lost) and all(map(_names_look, lost))


def places(path):
    """The module of a file and all its places."""
    wrapper = MetadataWrapper(cst.parse_module((ROOT / path).read_text(encoding="utf-8")))
    visitor = Places()
    wrapper.visit(visitor)
    return wrapper.module, visitor.found


def drawn(kind, number, seed):
    """This many mutants of a kind, each with the text of its file."""
    known = {path: places(path) for path in files(kind)}
    numbered = [(path, i) for path, (_, found) in known.items() for i in range(len(found))]
    print(f"{kind}: {len(numbered)} mutants in {len(known)} files", flush=True)
    random.Random(seed).shuffle(numbered)
    mutants = []
    for path, i in numbered:
        module, found = known[path]
        node, lines, changed = found[i]
        text = module.deep_replace(node, changed).code
        if _differs(module.code, text):
            before, after = _lines_changed(module.code, text)
            mutants.append(
                dict(kind=kind, file=path, lines=lines, before=before, after=after, text=text)
            )
        if len(mutants) == number:
            break
    return mutants


def _differs(one, other):
    try:
        return ast.dump(ast.parse(one)) != ast.dump(ast.parse(other))
    except SyntaxError:
        return False


def _lines_changed(one, other):
    lines = list(difflib.ndiff(one.splitlines(), other.splitlines()))
    return tuple(
        equivalent.joined(line[2:] for line in lines if line.startswith(sign)) for sign in "-+"
    )


# The tests ----------------------------------------------------------------------------------------


def copied(worker):
    """A copy of the working tree's files, in which a mutant may live."""
    copy = BUILD / f"copy-{worker}"
    shutil.rmtree(copy, ignore_errors=True)
    options = ["-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(
        ["git", "ls-files", *options], cwd=ROOT, capture_output=True, check=True
    ).stdout.decode()
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy / name)
    modules = ROOT / "tools" / "js" / "node_modules"
    if modules.exists():
        (copy / "tools" / "js" / "node_modules").symlink_to(modules.resolve())
    return copy


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


class Watched:
    """A plugin of pytest: note the time of each test and which lines of the package it runs."""

    def __init__(self, copy):
        import coverage

        self.times, self.failed = Counter(), set()
        self.coverage = coverage.Coverage(data_file=None, source=[str(copy / "d2lattn")])
        self.coverage.start()

    def pytest_runtest_logstart(self, nodeid):
        self.coverage.switch_context(nodeid)

    def pytest_runtest_logreport(self, report):
        self.times[report.nodeid] += report.duration
        if report.failed:
            self.failed.add(report.nodeid)

    def said(self):
        self.coverage.stop()
        data = self.coverage.get_data()
        lines = {}
        for path in data.measured_files():
            name = Path(path).relative_to(Path.cwd()).as_posix()
            lines[name] = {
                line: [test for test in tests if test in self.times and test not in self.failed]
                for line, tests in data.contexts_by_lineno(path).items()
            }
        return dict(times=self.times, lines=lines, failed=sorted(self.failed))


def pytest_in(copy, arguments, plugin, patience):
    """Run pytest in a copy, in a process forked from this one, which has loaded torch.

    Returns:
        What the plugin says, pytest's exit status (None if it took too long).
    """
    told = copy / "told.json"
    told.unlink(missing_ok=True)
    process = multiprocessing.get_context("fork").Process(
        target=_alone, args=(copy, arguments, plugin, told)
    )
    process.start()
    process.join(patience)
    status = process.exitcode
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)  # with all that the tests have started
    process.join()
    return (json.loads(told.read_text(encoding="utf-8")) if told.exists() else None), status


def _alone(copy, arguments, plugin, told):
    """Nothing of the original is found from here, nor what was compiled from another mutant."""
    os.setsid()
    with open(copy / "log.txt", "w", encoding="utf-8") as log:
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
    os.chdir(copy)
    elsewhere = {"", str(ROOT), str(ROOT / "tools")}
    sys.path[:] = [str(copy), *(path for path in sys.path if path not in elsewhere)]
    sys.dont_write_bytecode = True
    os.environ.update(PYTHONPATH=str(copy), PYTHONDONTWRITEBYTECODE="1", OMP_NUM_THREADS="1")
    plugin = plugin()
    options = ["-q", "-p", "no:nbval", "-p", "no:xdist", "-p", "no:cacheprovider"]
    status = pytest.main([*options, "--doctest-modules", *arguments], plugins=[plugin])
    told.write_text(json.dumps(plugin.said()), encoding="utf-8")
    sys.exit(int(status))


def digest():
    """Of the package and all that its tests consist of."""
    found = hashlib.sha256()
    for pattern in ("d2lattn/**/*", "tests/*", "tests/js/*", "tests/pictures/*", "conftest.py"):
        for path in sorted(filter(Path.is_file, ROOT.glob(pattern))):
            found.update(path.read_bytes() if path.suffix not in (".pyc", ".md") else b"")
    return found.hexdigest()[:8]


def test_files():
    """The package, for its doctests, and the tests that use no tool but the live figures' code."""
    return [*package_tests.files(), ROOT / "tests" / "test_live_reader.py"]


def watched():
    """What each test runs through, found once for each state of the package and its tests."""
    kept = BUILD / f"watched-{digest()}.json"
    if not kept.exists():
        copies = [copied(worker) for worker in range(WORKERS)]
        print("finding out which test runs through what (some minutes)", flush=True)
        names = [path.relative_to(ROOT).as_posix() for path in test_files()]
        with concurrent.futures.ThreadPoolExecutor(WORKERS) as threads:
            parts = threads.map(_watch, copies, [names[i::WORKERS] for i in range(WORKERS)])
        seen = dict(times={}, lines={}, failed=[])
        for part in parts:
            seen["times"] |= part["times"]
            seen["failed"] += part["failed"]
            for name, lines in part["lines"].items():
                for line, tests in lines.items():
                    seen["lines"].setdefault(name, {}).setdefault(line, []).extend(tests)
        print(f"{len(seen['times'])} tests; left out as they fail: {seen['failed']}", flush=True)
        kept.write_text(json.dumps(seen), encoding="utf-8")
    return json.loads(kept.read_text(encoding="utf-8"))


def _watch(copy, names):
    said, _ = pytest_in(copy, names, functools.partial(Watched, copy), 3600)
    if said is None:
        sys.exit((copy / "log.txt").read_text(encoding="utf-8")[-3000:])
    return said


def chosen(mutant, seen):
    """The tests that a mutant meets: what runs through its lines, its own module's tests first,
    then those of which that cannot be seen, because they start processes or look from outside."""
    first, last = mutant["lines"]
    by_line = seen["lines"].get(mutant["file"], {})
    through = {test for n, tests in by_line.items() if first <= int(n) <= last for test in tests}
    stem = Path(mutant["file"]).stem.strip("_")
    own = re.compile(rf"test_{stem}|{re.escape(mutant['file'])}")
    near = {test for test in through if own.search(test)}
    with_ranks = LIMIT > 30 and IN_RANKS.search(mutant["file"])
    outside = f"{UNSEEN}|{RANKS}" if with_ranks else UNSEEN
    unseen = {test for test in seen["times"] if own.search(test) or re.search(outside, test)}
    parts = [near, through - near, unseen - through]
    return [_quickest(part, seen) for part in parts]


def _quickest(tests, seen):
    """As many of the tests as fit into the limit, the quickest first; none that always fails."""
    tests = sorted(tests - set(seen["failed"]), key=lambda test: (seen["times"][test], test))
    until = itertools.accumulate(seen["times"][test] for test in tests)
    return [test for test, time in zip(tests, until, strict=True) if time < LIMIT]


def met(mutant, copy, seen):
    """Let a mutant live in a copy, and say which test killed it, or None.

    A test kills if it fails beside the mutant and, after the same tests, passes without.
    """
    path = copy / mutant["file"]
    original = path.read_text(encoding="utf-8")
    for tests in filter(None, chosen(mutant, seen)):
        patience = 30 + 5 * sum(seen["times"][test] for test in tests)
        path.write_text(mutant["text"], encoding="utf-8")
        said, status = attempt(copy, tests, patience)
        path.write_text(original, encoding="utf-8")
        if status == pytest.ExitCode.OK:
            continue
        if status is None:
            killer, upto = "too slow", tests
        elif status == pytest.ExitCode.TESTS_FAILED and said:
            killer, upto = said[0], tests[: tests.index(said[0]) + 1]
        else:  # nothing could be collected
            killer, upto = "not importable", tests[:1]
        if attempt(copy, upto, patience)[1] == pytest.ExitCode.OK:
            return killer
        print(f"without a mutant, too: {killer}", flush=True)
    return None


def attempt(copy, tests, patience):
    """Run these tests in a copy, until one fails."""
    names = sorted({test.partition("::")[0] for test in tests})
    return pytest_in(copy, ["-x", *names], functools.partial(Chosen, tests), patience)


# All of it ----------------------------------------------------------------------------------------


def work(number, todo, results, seen):
    copy = copied(number)
    for mutant in iter(todo.get, None):
        start = time.monotonic()
        killer = met(mutant, copy, seen)
        seconds = round(time.monotonic() - start, 1)
        results.put({**mutant, "killer": killer, "seconds": seconds, "limit": LIMIT})


def run(mutants, kept):
    """Let each mutant meet its tests, two at a time, and keep what came of it."""
    seen = watched()
    context = multiprocessing.get_context("fork")
    todo, results = context.Queue(), context.Queue()
    for mutant in [*mutants, *[None] * WORKERS]:
        todo.put(mutant)
    workers = [context.Process(target=work, args=(i, todo, results, seen)) for i in range(WORKERS)]
    for worker in workers:
        worker.start()
    for i in range(len(mutants)):
        result = results.get()
        verdict = f"killed by {result['killer']}" if result["killer"] else "SURVIVES"
        print(
            f"{i + 1}/{len(mutants)} {result['seconds']} s {result['file']}: {verdict}", flush=True
        )
        if not result["killer"]:
            print(f"    {result['before']}\n    {result['after']}", flush=True)
        with kept.open("a", encoding="utf-8") as file:
            file.write(json.dumps(without_text(result)) + "\n")


def without_text(mutant):
    return {key: value for key, value in mutant.items() if key != "text"}


def reported(results):
    """Print how many of each kind died, and those that did not."""
    excused = {entry[:3] for entry in equivalent.entries()}
    for kind in ("core", "pages"):
        mine = [result for result in results if result["kind"] == kind]
        left = [result for result in mine if not result["killer"]]
        same = [r for r in left if (r["file"], r["before"], r["after"]) in excused]
        real = [result for result in left if result not in same]
        killed = len(mine) - len(left)
        share = killed / max(1, len(mine) - len(same))
        print(
            f"{kind}: {len(mine)} mutants, {killed} killed, {len(same)} equivalent, "
            f"{len(real)} survive: {share:.1%} of those that a test can kill"
        )
        for result in real:
            print(f"  {result['file']}:{result['lines'][0]}")
            print(f"    - {result['before']}\n    + {result['after']}")


def main(seed, number):
    BUILD.mkdir(parents=True, exist_ok=True)
    kept = BUILD / f"seed-{seed}-{digest()}.jsonl"  # with other code or other tests it begins anew
    mutants = drawn("core", number - number // 3, seed) + drawn("pages", number // 3, seed)
    done = _kept(kept)
    known = {identity(r) for r in done if r["killer"] or r["limit"] >= LIMIT}
    run([mutant for mutant in mutants if identity(mutant) not in known], kept)
    wanted = {identity(mutant) for mutant in mutants}
    print(f"seed {seed}")
    last = {identity(result): result for result in _kept(kept)}
    reported([result for place, result in last.items() if place in wanted])


def identity(mutant):
    return mutant["file"], tuple(mutant["lines"]), mutant["before"], mutant["after"]


def _kept(path):
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return [json.loads(line) for line in text.splitlines()]


if __name__ == "__main__":
    seed, number = [*sys.argv[1:], "", ""][:2]
    main(int(seed or random.randrange(1, 10**6)), int(number or 225))
