"""Change the package in one place at a time and see whether a test notices: `make mutants`.

A mutant is the package with one operator, number, argument or name changed. If no test fails, the
tests do not hold that place. All mutants of a kind are numbered, and `SEED=5 NUMBER=225` draws two
thirds of 225 from the core and one third from pictures and exercises (tools/mutation.py).

Each mutant meets only the tests which ran through the changed line (coverage tells), the quickest
first and no more than some seconds of them: a survivor may be one that a slower test would kill.
`LIMIT=120` lets those that survived meet more. The chapters' outputs are not asked. Left out are
sentences (strings with a blank, and what an error says), annotations, decorators, imports, every
`__init__`, and what only the eye judges (`LOOK`). Survivors which no test can kill are argued in
tests/mutants.md.
"""

import ast
import concurrent.futures
import difflib
import functools
import importlib
import itertools
import json
import os
import re
import shutil
import sys
from collections import Counter
from pathlib import Path

import libcst as cst
import mutation
import package_tests
from libcst.metadata import MetadataWrapper, ParentNodeProvider, PositionProvider
from mutation import BUILD, ROOT, one_line
from mutmut.mutation.mutators import mutation_operators

# What every mutant needs and none changes is loaded once, before the forks.
for module in ("hypothesis", "matplotlib.pyplot", "nbformat", "torch"):
    importlib.import_module(module)

WORKERS = 2
LIMIT = float(os.environ.get("LIMIT") or 15)  # seconds of tests that a mutant meets
# Nothing sees through which lines go tests of the package as a whole or in processes of their own.
UNSEEN = r"test_(gpu|interface|architecture|places)\.py"
RANKS = r"test_(distributed|launch)\.py"
IN_RANKS = re.compile(r"(distributed|launch|multihead|transformer|visibility|chunked)\.py$")
PAGES = ("d2lattn_book/pictures/", "d2lattn_book/exercises/")
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
    paths = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("d2lattn*/**/*.py"))
    return [
        path
        for path in paths
        if path.startswith(PAGES) == (kind == "pages") and not path.endswith("/__init__.py")
    ]


class Places(cst.CSTVisitor):
    """Every (node, lines, changed node) of a file that a mutant may have."""

    METADATA_DEPENDENCIES = (PositionProvider, ParentNodeProvider)
    LEFT_OUT = (cst.Annotation, cst.Decorator, cst.Import, cst.ImportFrom, cst.Raise)

    def __init__(self):
        self.found = []

    def on_visit(self, node):
        if self._is_left_out(node):
            return False
        for kind, operator in mutation_operators:
            if isinstance(node, kind):
                changed = (other for other in operator(node) if not _is_look(node, other))
                self.found += [(node, self._lines(node), other) for other in changed]
        return True

    def _is_left_out(self, node):
        if isinstance(node, cst.BaseString):
            parent = self.get_metadata(ParentNodeProvider, node, None)
            return isinstance(parent, cst.Expr) or " " in getattr(node, "value", "")
        return isinstance(node, self.LEFT_OUT) or (isinstance(node, cst.Arg) and _names_look(node))

    def _lines(self, node):
        """The lines of the statement, or of the function whose head the node stands in."""
        parent = self.get_metadata(ParentNodeProvider, node, None)
        if isinstance(node, cst.SimpleStatementLine) and isinstance(parent, cst.Module):
            return (1, 10**6)
        if isinstance(node, cst.Parameters) and parent is not None:
            return self._range(parent)
        ends = (cst.SimpleStatementLine, cst.Module)
        if isinstance(node, ends) or isinstance(parent, cst.BaseCompoundStatement):
            return self._range(node)
        return self._lines(parent)

    def _range(self, node):
        position = self.get_metadata(PositionProvider, node)
        return (position.start.line, position.end.line)


def _names_look(argument):
    return argument.keyword is not None and argument.keyword.value in LOOK


def _is_look(node, changed):
    """Whether a changed call lacks nothing but arguments that are `LOOK`."""
    if not isinstance(node, cst.Call) or not isinstance(changed, cst.Call):
        return False
    lost = [one for one in node.args if not any(one is kept for kept in changed.args)]
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

    def mutant(place):
        path, i = place
        module, found = known[path]
        node, lines, changed = found[i]
        text = module.deep_replace(node, changed).code
        if not _differs(module.code, text):
            return None
        before, after = _lines_changed(module.code, text)
        return dict(kind=kind, file=path, lines=lines, before=before, after=after, text=text)

    return mutation.drawn(numbered, number, seed, mutant)


def _differs(one, other):
    try:
        return ast.dump(ast.parse(one)) != ast.dump(ast.parse(other))
    except SyntaxError:
        return False


def _lines_changed(one, other):
    lines = list(difflib.ndiff(one.splitlines(), other.splitlines()))
    return tuple(one_line(" ".join(x[2:] for x in lines if x.startswith(sign))) for sign in "-+")


# The tests ----------------------------------------------------------------------------------------


def copied(worker):
    """A copy of the working tree's files, in which a mutant may live."""
    copy = BUILD / f"copy-{worker}"
    shutil.rmtree(copy, ignore_errors=True)
    unwanted = (".git", ".venv*", ".*_cache", "__pycache__", "build", "work", "node_modules")
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*unwanted))
    modules = ROOT / "tools" / "js" / "node_modules"
    if modules.exists():
        (copy / "tools" / "js" / "node_modules").symlink_to(modules.resolve())
    return copy


class Watched:
    """A plugin of pytest: note the time of each test and which lines of the package it runs."""

    def __init__(self, copy):
        import coverage

        self.times, self.failed = Counter(), set()
        source = [str(copy / "d2lattn"), str(copy / "d2lattn_book")]
        self.coverage = coverage.Coverage(data_file=None, source=source)
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
        ran = [
            (Path(path).relative_to(Path.cwd()).as_posix(), line, tests)
            for path in data.measured_files()
            for line, tests in data.contexts_by_lineno(path).items()
        ]
        return dict(times=self.times, ran=ran, failed=sorted(self.failed))


def pytest_in(copy, arguments, plugin, patience):
    """Run pytest in a copy."""
    arguments = ["--doctest-modules", *arguments]
    move = functools.partial(_move, copy)
    return mutation.pytest_apart(move, arguments, plugin, copy / "log.txt", patience)


def _move(copy):
    """Nothing of the original is found from here, nor what was compiled from another mutant."""
    os.chdir(copy)
    elsewhere = {"", str(ROOT), str(ROOT / "tools")}
    sys.path[:] = [str(copy), *(path for path in sys.path if path not in elsewhere)]
    sys.dont_write_bytecode = True
    os.environ.update(PYTHONPATH=str(copy), PYTHONDONTWRITEBYTECODE="1", OMP_NUM_THREADS="1")


def digest():
    """Of the packages and all that their tests consist of."""
    patterns = ("d2lattn*/**/*", "tests/*", "tests/js/*", "tests/pictures/*", "conftest.py")
    found = (path for pattern in patterns for path in ROOT.glob(pattern) if path.is_file())
    return mutation.digest(path for path in found if path.suffix not in (".pyc", ".md"))


def test_files():
    """The package, for its doctests, and the tests that use no tool but the live figures' code."""
    return [*package_tests.files(), ROOT / "tests" / "test_live_reader.py"]


def watched():
    """What each test runs through, found once for each state of the package and its tests."""
    kept = BUILD / f"watched-{digest()}.json"
    if not kept.exists():
        print("finding out which test runs through what (some minutes)", flush=True)
        names = [path.relative_to(ROOT).as_posix() for path in test_files()]
        copies = map(copied, range(WORKERS))
        with concurrent.futures.ThreadPoolExecutor(WORKERS) as threads:
            parts = threads.map(_watch, copies, [names[i::WORKERS] for i in range(WORKERS)])
        seen = dict(times={}, ran=[], failed=[])
        for part in parts:
            seen["times"] |= part["times"]
            seen["ran"] += part["ran"]
            seen["failed"] += part["failed"]
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
    here = [r for file, line, r in seen["ran"] if file == mutant["file"] and first <= line <= last]
    through = {test for tests in here for test in tests if test in seen["times"]}
    stem = Path(mutant["file"]).stem.strip("_")
    own = re.compile(rf"test_{stem}|{re.escape(mutant['file'])}")
    near = {test for test in through if own.search(test)}
    with_ranks = LIMIT > 30 and IN_RANKS.search(mutant["file"])
    outside = f"{UNSEEN}|{RANKS}" if with_ranks else UNSEEN
    unseen = {test for test in seen["times"] if own.search(test) or re.search(outside, test)}
    return [_quickest(part, seen) for part in (near, through - near, unseen - through)]


def _quickest(tests, seen):
    """As many of the tests as fit into the limit, the quickest first; none that always fails."""
    tests = sorted(tests - set(seen["failed"]), key=lambda test: (seen["times"][test], test))
    until = itertools.accumulate(seen["times"][test] for test in tests)
    return [test for test, time in zip(tests, until, strict=True) if time < LIMIT]


def lives():
    """Where a mutant may live, for each worker."""
    seen = watched()

    def live(copy, mutant):
        attempt = functools.partial(pytest_in, copy)
        return mutation.met(
            mutant, copy / mutant["file"], chosen(mutant, seen), seen["times"], attempt
        )

    return [functools.partial(live, copied(worker)) for worker in range(WORKERS)]


if __name__ == "__main__":
    BUILD.mkdir(parents=True, exist_ok=True)
    seed, number = mutation.asked(225)
    mutants = drawn("core", number - number // 3, seed) + drawn("pages", number // 3, seed)
    mutation.search(mutants, f"seed-{seed}-{digest()}", "mutants.md", lives, LIMIT)
