"""What an experiment of the book is: a question, what varies, and a control that can fail.

One file of experiments/ holds one. Its name is the file's, its question the first line of
the file; it repeats what a page shows, with the functions of that page (`pages.functions`), more
seeds and larger budgets. `repeat` runs it.
"""

import dataclasses
import functools
import importlib.util
import pathlib
from collections.abc import Callable

FOLDER = pathlib.Path(__file__).resolve().parent.parent
TIMES = (1, 2, 5)  # the page's budget


@dataclasses.dataclass(frozen=True)
class Experiment:
    """What is asked, how often it is repeated, and what would have refuted the page.

    Attributes:
        section: of the book, such as "2.4", or the title of a page of the website alone.
        varies, held: what differs between the variants, and what does not.
        control: what must fail, or else the sentence is worth nothing.
        refuted: the outcome that would have refuted the page's sentence.
        variants: name -> what it is called in the table.
        steps: of the page; repeated at 1, 2 and 5 times as many. None where nothing is trained.
        seeds: how many, from 0.
        plan: variant -> {how many times the page's steps: seeds}, where a run takes minutes and
            not every variant is repeated at every budget; all are, with all seeds, when absent.
        small: names of its file -> smaller values, with which its proof takes seconds.
        run: the function of this name in its file: (variant, seed, steps) -> {what was measured: a
            number, or whether a seed shows it}.
    """

    section: str
    varies: str
    held: str
    control: str
    refuted: str
    variants: dict[str, str]
    steps: int | None = None
    seeds: int = 8
    plan: dict[str, dict[int, int]] | None = None
    small: dict = dataclasses.field(default_factory=dict)
    run: Callable | None = None

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


def load(name, *, anew=False):
    """The Experiment of this name; anew: with caches of its own."""
    return (_module.__wrapped__ if anew else _module)(FOLDER / f"{name}.py").EXPERIMENT


def functions_of(name):
    """What the file of another experiment defines."""
    return _module(FOLDER / f"{name}.py")


def question(name):
    """What it asks: the first line of its file."""
    return functions_of(name).__doc__.strip().splitlines()[0]


@functools.cache
def _module(path):
    spec = importlib.util.spec_from_file_location(f"experiments.{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.EXPERIMENT = dataclasses.replace(module.EXPERIMENT, run=module.run)
    return module
