"""Exercises that say what is wrong.

An answer is compared with a reference on several inputs. When it differs, it is compared with
the usual mistakes as well, each of which is an edit of the reference: the mistake that comes to
the same is named. The exercises of chapter N stand in `chapter_NN.py`.
"""

import contextlib
import functools
import importlib
import importlib.util
import inspect
import io
import math
import numbers
import re
import sys
import traceback
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from d2lattn.arguments import show
from d2lattn_book.exercises.records import by_the_book, record
from d2lattn_book.host import on_the_host

BY_HAND = 5e-3  # relative: a number found by hand is right to three digits
TOO_SHORT = 5e-2  # and to two
COUNTED, ROUNDED = (0, 1e-5), (0, 0.5)  # whole numbers: relative and absolute
GOT = {str: "text in quotes: ", list: "the list ", int: "the number ", float: "the number "}
ERRORS = (Exception, SystemExit)  # what the reader's code may raise, and should hear about

_source = functools.cache(inspect.getsource)  # one reading for all mistakes of an exercise


class Verdict(NamedTuple):
    """What was found about an answer.

    Attributes:
        correct: True or False; None for an exercise that was not attempted yet.
        message: the line that `check` prints.
    """

    correct: bool | None
    message: str


@dataclass(frozen=True)
class FunctionExercise:
    """A function to write: it must give what `reference` gives, on every case.

    Attributes:
        reference: the right function, the solution of the chapter.
        cases: returns a list of argument tuples.
        mistakes: what to tell the reader -> the edits that make this mistake of the reference,
            {its text: what stands there instead}.
        rules: what to tell the reader whose result is right and breaks a rule of the task -> what
            finds the breach, such as `calls("softmax")`; the text may name what was found, {}.
    """

    reference: Callable
    cases: Callable
    mistakes: dict = field(default_factory=dict)
    rules: dict = field(default_factory=dict)

    def untouched(self, answer):
        return callable(answer) and is_starter(answer, *_copy(self.cases()[0]))

    def problem(self, answer):
        if not callable(answer):
            return f"a function is expected, got {type(answer).__name__}"
        cases = self.cases()
        for arguments in cases:
            given = _copy(arguments)
            result = _outcome(answer, given)
            difference = _difference(result, self.reference(*_copy(arguments)))
            if difference:
                said = self._diagnosis(answer, cases)
                return said or f"{difference.rstrip('.')}; the input was {_describe(arguments)}"
            if _difference(given, arguments):
                return "The result is right, but your function changes its input. Work on a copy."
        for message, breach in self.rules.items():
            found = breach(answer, *_copy(cases[0]))
            if found:
                return message.format(found)
        return None

    def _diagnosis(self, answer, cases):
        results = [_outcome(answer, _copy(arguments)) for arguments in cases]
        for message, edits in self.mistakes.items():
            mistake = edited(self.reference, edits)
            wrong = [_outcome(mistake, _copy(arguments)) for arguments in cases]
            if not any(map(_difference, results, wrong)):
                return message
        return None


@dataclass(frozen=True)
class ValueExercise:
    """A value to find: a number, a string, a list or a tensor.

    Whole numbers are compared exactly, others to three digits: they may have been rounded. In a
    word, capitals and blanks around it do not matter.

    Attributes:
        reference: returns the right value.
        mistakes: what to tell the reader -> the value that shows this mistake.
        rounded: whether whole numbers are asked that come of rounding; what rounds to them is right
            as well.
    """

    reference: Callable
    mistakes: dict = field(default_factory=dict)
    rounded: bool = False

    def untouched(self, answer):
        return False

    def problem(self, answer):
        if callable(answer):
            return f"a value is expected, got {_name(answer)}, which must be called first"
        want, whole = self.reference(), ROUNDED if self.rounded else COUNTED
        answer = answer.strip().lower() if isinstance(answer, str) else answer
        difference = _difference(answer, want, BY_HAND, whole)
        if difference is None:
            return None
        for message, value in self.mistakes.items():
            if _difference(answer, value, BY_HAND, whole) is None:
                return message
        if _is_fraction(want) and _difference(answer, 100 * torch.tensor(want), BY_HAND) is None:
            return "This looks like a percentage. Give a fraction of 1: 50 % is 0.5."
        form = _other_form(answer, want)
        if form:
            return f"{form} is expected, got {GOT.get(type(answer), '')}{show(answer)}"
        if _difference(answer, want, TOO_SHORT) is None:
            return f"{show(answer)} is close: give every number to three digits"
        if isinstance(want, int) and _is_cut(answer, want):
            return f"{show(answer)} is close: give whole numbers to the last digit"
        in_full = isinstance(answer, (numbers.Real, str, list, tuple))
        return f"{show(answer)} is not correct" if in_full else difference


@dataclass(frozen=True)
class OpenExercise:
    """A question with many right answers.

    Attributes:
        judge: says what is wrong with an answer, or returns None.
        untouched: whether an answer is still the starter of the exercise.
    """

    judge: Callable
    untouched: Callable = lambda answer: False

    def problem(self, answer):
        return self.judge(answer)


def named_values(expected):
    """An exercise that asks for a value under each name: {name: (value, why)}; ... is none yet."""

    def judge(answer):
        if not isinstance(answer, dict) or not expected.keys() <= answer.keys():
            return "the dictionary with all its entries is expected"
        for name, (value, reason) in expected.items():
            if answer[name] is ...:
                return f"“{name}” has no answer yet."
            if answer[name] != value:
                return f"Look again at “{name}”. {reason}"
        return None

    return OpenExercise(
        judge, lambda answer: isinstance(answer, dict) and {*answer.values()} == {...}
    )


def audited(ask, more=lambda finding: ""):
    """An exercise that asks for a function: `ask(answer)` builds something with it, and returns
    the Report of `d2lattn_book.audit`. Its first sentence is the hint, and `more` adds to it."""

    def judge(answer):
        if not callable(answer):
            return f"a function is expected, got {type(answer).__name__}"
        found = ask(answer).findings
        return found[0].sentence + more(found[0]) if found else None

    def untouched(answer):
        return callable(answer) and is_starter(answer, *inspect.signature(answer).parameters)

    return OpenExercise(judge, untouched)


def check(exercise: str, answer: object, *more: object) -> None:
    """Print one line about an answer: not attempted, correct, or what is wrong and why.

    An error in an answer is reported in this line, and not raised. A solution of the book is called
    that, and not counted.

    Args:
        exercise (str): the exercise's number, "chapter.number".
        answer: what the exercise asks for: a function or a value. None, `...`, "" and a function
            that is still the starter, so that it does nothing, count as not attempted.
        more: what stands after a second comma, as in 4,61; it is not judged.

    Raises:
        ValueError: there is no such exercise.

    Example:
        >>> check("1.1", None)
        1.1: not attempted yet
    """
    found, solution = verdict(exercise, answer), by_the_book()
    if more:
        found = Verdict(None, f"{exercise}: not yet: write 1.5, not 1,5, and a list as [1, 2]")
    if not solution:
        record(exercise, found.correct)
    print(found.message + " (the book's solution)" * bool(solution and found.correct))


@on_the_host
def verdict(exercise: str, answer: object) -> Verdict:
    """Whether an answer is right, and the line about it that `check` prints.

    Args:
        exercise (str): the exercise's number, "chapter.number".
        answer: as for `check`.

    Returns:
        Verdict: a tuple (correct, message); correct is None if the answer was not attempted.

    Raises:
        ValueError: there is no such exercise.

    Example:
        >>> verdict("3.1", 4).correct
        True
        >>> verdict("3.1", 2)
        Verdict(correct=False, message='3.1: not yet: You found the standard deviation. Square it.')
        >>> verdict("3.1", None)
        Verdict(correct=None, message='3.1: not attempted yet')
    """
    correct, text = _judge(find(exercise), answer)
    text = re.sub(r" at 0x[0-9A-Fa-f]+", "", text)  # an address says nothing to the reader
    return Verdict(correct, " ".join(f"{exercise}: {text}".split()))  # one line, whatever it shows


def find(exercise):
    """The specification of an exercise by its number, a ValueError if there is none."""
    if isinstance(exercise, str) and re.fullmatch(r"[0-9]{1,2}\.[0-9]+", exercise):
        name = f"{__package__}.chapter_{exercise.split('.')[0].zfill(2)}"
        if importlib.util.find_spec(name):  # asked first: a chapter that is broken should say so
            exercises = importlib.import_module(name).EXERCISES
            if exercise in exercises:
                return exercises[exercise]
    raise ValueError(
        f'exercise must be a number of the book such as "1.1", as a string, got {show(exercise)}'
    )


def noise(*shapes, seed=0):
    """Standard normal tensors of these shapes, the same each time."""
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(shape, generator=generator) for shape in shapes]


def edited(function, edits):
    """The function that its source defines after the edits {text: what stands there instead}."""
    source = _source(function)
    for old, new in edits.items():
        source = source.replace(old, new)
    scope = dict(function.__globals__)  # a copy, so that the function itself stays what it is
    exec(source, scope)
    return scope[function.__name__]


def called(answer, *arguments):
    """The names of the functions that an answer calls: those written in C, and those of d2lattn."""
    names = []

    def note(frame, event, function):
        if event == "c_call":
            names.append(function.__name__)
        elif event == "call" and (frame.f_globals.get("__name__") or "").startswith("d2lattn."):
            names.append(f"d2lattn's {frame.f_code.co_name}")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        answer(*arguments)
    finally:
        sys.setprofile(before)
    return names


def calls(*names):
    """A breach of the rule to do without these functions: the first call with one in its name."""
    return lambda answer, *arguments: next(
        (call for call in called(answer, *arguments) if any(name in call for name in names)), None
    )


WRITE_YOUR_OWN = {
    "The result is right, but {} computes it. Write that part yourself.": calls("d2lattn's")
}


def makes(shape):
    """A breach of the rule to make no matrix of the shape that a function of the arguments gives,
    either way round: the shape of the first tensor that holds one."""

    def first(answer, *arguments):
        with _Watch(*shape(*arguments)) as watch:
            answer(*arguments)
        return watch.seen

    return first


class _Watch(TorchDispatchMode):
    """Notes the first matrix of a given shape, either way round, that an operation gives."""

    def __init__(self, *shape):
        super().__init__()
        self.shapes, self.seen = (shape, shape[::-1]), None

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        made = func(*args, **(kwargs or {}))
        for tensor in tree_leaves(made):
            if torch.is_tensor(tensor) and tuple(tensor.shape[-2:]) in self.shapes:
                self.seen = self.seen or tuple(tensor.shape)
        return made


def is_starter(function, *arguments):
    """Whether a function does nothing yet, as in the cell where the exercise starts.

    It returns None or `...`, or raises NotImplementedError itself, even for bare objects. One
    that forgets its `return`, or that torch stops with a NotImplementedError, has met the
    arguments before: with bare objects it fails.
    """
    bare = [object() for _ in arguments]
    return _does_nothing(function, arguments) and _does_nothing(function, bare)


def _does_nothing(function, arguments):
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            return _is_blank(function(*arguments))
    except NotImplementedError as error:  # two frames: this one and the function's own
        return len(list(traceback.walk_tb(error.__traceback__))) == 2
    except ERRORS:
        return False


def _judge(spec, answer):
    try:
        if _is_blank(answer) or spec.untouched(answer):
            return None, "not attempted yet"
        problem = (
            "This is the book's own function. Write yours."
            if _is_ours(answer)
            else spec.problem(answer)
        )
    except ERRORS as error:
        problem = _stops(error) if callable(answer) else "Your answer must contain numbers only."
    return problem is None, "correct" if problem is None else f"not yet: {problem}"


def _outcome(function, arguments):
    """What a function returns, or the error that it raises."""
    try:
        return function(*arguments)
    except ERRORS as error:
        return error


def _stops(error):
    try:
        lines = str(error).splitlines()
    except Exception:  # an error that cannot even be shown
        lines = []
    return f"your code stops with {type(error).__name__}: {lines[0] if lines else ''}"


def _is_blank(answer):
    return answer is None or answer is ... or (isinstance(answer, str) and not answer.strip())


def _is_ours(answer):
    """Whether an answer is a function or class of this package."""
    while isinstance(answer, (functools.partial, types.MethodType)):
        answer = answer.func if isinstance(answer, functools.partial) else answer.__func__
    made = isinstance(answer, (types.FunctionType, type))
    return made and (answer.__module__ or "").startswith("d2lattn")


def _copy(arguments):
    """Arguments that may be changed: tensors, lists and dictionaries, however deep, are copied."""
    if isinstance(arguments, dict):
        return {name: _copy(value) for name, value in arguments.items()}
    if isinstance(arguments, (tuple, list)):
        return type(arguments)(map(_copy, arguments))
    return arguments.clone() if torch.is_tensor(arguments) else arguments


def _difference(got, want, rtol=1e-4, whole=COUNTED):
    """What distinguishes two results, in words, or None."""
    if isinstance(got, ERRORS) or isinstance(want, ERRORS):
        same = type(got) is type(want) and str(got) == str(want)
        return None if same else _stops(got)
    if isinstance(want, (tuple, list)) and (any(map(torch.is_tensor, want)) or not _is_array(got)):
        if not isinstance(got, (tuple, list)) or len(got) != len(want):
            shown = f"shape {tuple(got.shape)}" if _is_array(got) else show(got)
            return f"{len(want)} results are expected, got {shown}"
        differences = (_difference(g, w, rtol, whole) for g, w in zip(got, want, strict=True))
        return next(filter(None, differences), None)
    if isinstance(want, (str, bool, dict)) or want is None or callable(want):
        return None if got == want else f"expected {want!r}, got {show(got)}"
    if _is_blank(got):
        return "nothing is returned (is the `return` missing?)"
    try:
        got, want = torch.as_tensor(_plain(got)), torch.as_tensor(want)
        got, want = got.detach().cpu(), want.detach().cpu()
    except (TypeError, ValueError, RuntimeError):
        return f"numbers are expected, got {type(got).__name__}"
    return _distance(got, want, (rtol, 1e-5) if want.is_floating_point() else whole)


def _plain(value):
    """Lists as torch takes them: floats for fractions and decimals, lists for tensors in them."""
    if isinstance(value, (tuple, list)):
        return [each.tolist() if _is_array(each) else _plain(each) for each in value]
    exact = isinstance(value, numbers.Number) and not isinstance(value, (int, float, complex))
    return float(value) if exact else value


def _distance(got, want, tolerance):
    """What distinguishes two tensors, in words, or None; the tolerance is relative, absolute."""
    if got.shape != want.shape:
        return f"the shape is {tuple(got.shape)}, expected {tuple(want.shape)}"
    if got.dtype == torch.bool and want.ndim and not want.is_floating_point():
        got = got.to(want.dtype)  # truth values serve as zeros and ones
    if got.is_complex() or (got.dtype == torch.bool) != (want.dtype == torch.bool):
        return f"the dtype is {got.dtype}, expected {want.dtype}"
    if want.dtype == torch.bool:
        wrong = (got != want).nonzero().tolist()
        first = f"{len(wrong)} of {want.numel()} truth values differ, the first at "
        return first + str(tuple(wrong[0])) if wrong else None
    got, want = got.double(), want.double()
    if got.isnan().any() and not want.isnan().any():
        return "the result contains NaN"
    if (got.isinf() & ~want.isinf()).any():
        return "the result contains infinite numbers"
    if (want.isinf() & ~got.isinf()).any():
        return "a number is finite that should be infinite"
    if torch.allclose(got, want, *tolerance, equal_nan=True):
        return None
    difference = (got - want).abs().nan_to_num(0, posinf=math.inf)  # -inf - (-inf) is no difference
    return f"numbers differ by up to {difference.max().item():.2g}"


def _other_form(answer, want):
    """What is expected, if it is a number or a list, and the answer plainly is none such."""
    if isinstance(want, str):
        return None if isinstance(answer, str) else "text in quotes"
    if isinstance(want, numbers.Number):
        if isinstance(answer, (str, tuple)):  # such as "2,362,368", or 2,362,368
            return "a number without quotes and commas"
        return "a number" if isinstance(answer, (list, set, dict)) else None
    if not isinstance(want, (list, tuple)):
        return None
    other = isinstance(answer, (str, numbers.Number))
    listed = isinstance(answer, (list, tuple))
    if other or (listed and (len(answer) != len(want) or any(isinstance(x, str) for x in answer))):
        return f"a list of {len(want)} {'rows' if isinstance(want[0], list) else 'numbers'}"
    return None


def _is_fraction(want):
    """Whether a value is a fraction of 1, or a list of such."""
    parts = want if isinstance(want, list) else [want]
    return all(isinstance(part, float) and part <= 1 for part in parts)


def _is_cut(answer, whole):
    """Whether a number is a whole one cut to three digits or some more, or not quite whole."""
    if not isinstance(answer, numbers.Real) or answer == whole:
        return False
    digits = (float(f"{whole:.{count}g}") for count in (3, 4, 5, 6))
    return abs(answer - whole) < min(0.5, BY_HAND * whole) or answer in digits


def _is_array(value):
    return hasattr(value, "__array__")


def _name(function):
    return getattr(function, "__name__", type(function).__name__)


def _describe(arguments):
    """Arguments in short: shapes of tensors, names of functions, other values as they are."""

    def describe(value):
        if torch.is_tensor(value):
            kind = "mask" if value.dtype == torch.bool else "tensor"
            return f"a {tuple(value.shape)} {kind}"
        if isinstance(value, list) and value and all(map(torch.is_tensor, value)):
            return f"a list of {len(value)} tensors"
        return _name(value) if callable(value) else show(value)

    *first, last = map(describe, arguments)
    return f"{', '.join(first)} and {last}" if first else last
