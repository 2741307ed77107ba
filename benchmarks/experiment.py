"""What an experiment of the book is: a question, what varies, and a control that can fail.

One file of benchmarks/experiments holds one. Its name is the file's, its question the first line of
the file; it repeats what a page shows, with the functions of that page (`pages.functions`), more
seeds and larger budgets. `repeat` runs it.
"""

import ast
import dataclasses
import functools
import hashlib
import importlib.util
import pathlib
from collections.abc import Callable

import pages

FOLDER = pathlib.Path(__file__).resolve().parent / "experiments"
TIMES = (1, 2, 5)  # the page's budget
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@dataclasses.dataclass(frozen=True)
class Experiment:
    """What is asked, how often it is repeated, and what would have refuted the page.

    Attributes:
        section: of the book, such as "2.4", or the title of a page of the website alone.
        claims: their numbers in the ledger of notebook 90; empty if it has none of them.
        varies, held: what differs between the variants, and what does not.
        control: what must fail, or else the sentence is worth nothing.
        refuted: the outcome that would have refuted the page's sentence.
        variants: name -> what it is called in the table.
        run: (variant, seed, steps) -> {what was measured: a number, or whether a seed shows it}.
        steps: of the page; repeated at 1, 2 and 5 times as many. None where nothing is trained.
        seeds: how many, from 0.
        plan: variant -> {how many times the page's steps: seeds}, where a run takes minutes and
            not every variant is repeated at every budget; all are, with all seeds, when absent.
        code: files in another language that decide its numbers, too.
        beside: other experiments whose functions it calls.
    """

    section: str
    varies: str
    held: str
    control: str
    refuted: str
    variants: dict[str, str]
    run: Callable
    steps: int | None
    seeds: int = 8
    claims: tuple[int, ...] = ()
    plan: dict[str, dict[int, int]] | None = None
    code: tuple[pathlib.Path, ...] = ()
    beside: tuple[str, ...] = ()

    def budgets(self, variant):
        """{the number of steps that a variant is run with: seeds}."""
        if self.steps is None:
            return {None: self.seeds}
        plan = dict.fromkeys(TIMES, self.seeds) if self.plan is None else self.plan[variant]
        return {times * self.steps: seeds for times, seeds in plan.items()}

    @property
    def place(self):
        """(chapter, section) as numbers; what stands on a page of the website comes last."""
        chapter, _, number = self.section.partition(".")
        return (int(chapter), int(number)) if number else (100, 0)

    def rows(self):
        """{name of a row: (variant, steps)}, in the order of the table."""
        pairs = [(variant, steps) for variant in self.variants for steps in self.budgets(variant)]
        return {variant if s is None else f"{variant}-{s}": (variant, s) for variant, s in pairs}

    def seeds_of(self, row):
        """How many seeds a row is run with."""
        variant, steps = self.rows()[row]
        return self.budgets(variant)[steps]


def names():
    """The names of all experiments, in the order of the sections of the book."""
    found = [path.stem for path in FOLDER.glob("[a-z]*.py")]
    return sorted(found, key=lambda name: (load(name).place, name))


def load(name):
    """The Experiment of this name."""
    return _module(name).EXPERIMENT


def question(name):
    """What it asks: the first line of its file."""
    return _module(name).__doc__.strip().splitlines()[0]


def fingerprint(name):
    """A hash of what decides its numbers: its code and that of its cells, not their words."""
    experiment = load(name)
    named = [FOLDER / f"{one}.py" for one in (name, *experiment.beside)]
    files = [path.read_text(encoding="utf-8") for path in named]
    trees = [_without_words(ast.parse(source)) for source in (*files, *pages.sources(name))]
    others = [path.read_text(encoding="utf-8") for path in experiment.code]
    parts = [*(ast.dump(tree) for tree in trees), *others]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]


def _module(name):
    path = FOLDER / f"{name}.py"
    return _imported(path, path.read_text(encoding="utf-8"))


@functools.cache  # while its text stays the same
def _imported(path, text):
    spec = importlib.util.spec_from_file_location(f"experiments.{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _without_words(tree):
    """A syntax tree without docstrings, bars of progress and what an Experiment only says."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            node.keywords = [keyword for keyword in node.keywords if keyword.arg != "progress"]
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Experiment":
            said = ("section", "claims", "varies", "held", "control", "refuted")
            node.keywords = [keyword for keyword in node.keywords if keyword.arg not in said]
        elif isinstance(node, DOCUMENTED) and ast.get_docstring(node) is not None:
            node.body = node.body[1:]
    return tree
