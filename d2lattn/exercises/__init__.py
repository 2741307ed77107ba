"""Exercises that say what is wrong.

An answer is compared with a reference on several inputs. When it differs, it is compared with
the usual mistakes as well, each of which is itself a small function: the mistake that gives the
same numbers is named. The exercises of chapter N stand in `chapter_0N.py`.
"""

import importlib
import math
from collections.abc import Callable
from dataclasses import dataclass, field

import torch


@dataclass(frozen=True)
class FunctionExercise:
    """A function to write: it must give what `reference` gives, on every case.

    Attributes:
        reference: the right function.
        cases: returns a list of argument tuples.
        mistakes: what to tell the reader -> a function that makes this mistake.
    """

    reference: Callable
    cases: Callable
    mistakes: dict = field(default_factory=dict)

    def problem(self, answer):
        if not callable(answer):
            return f"a function is expected, got {type(answer).__name__}"
        cases = self.cases()
        for arguments in cases:
            given = _copy(arguments)
            result = answer(*given)
            difference = _difference(result, self.reference(*_copy(arguments)))
            if difference:
                return self._diagnosis(answer, cases) or f"{difference} for {_describe(arguments)}"
            if _difference(given, arguments):
                return "the result is right, but the function changes its input"
        return None

    def _diagnosis(self, answer, cases):
        results = [answer(*_copy(arguments)) for arguments in cases]
        for message, mistake in self.mistakes.items():
            wrong = [mistake(*_copy(arguments)) for arguments in cases]
            if not any(map(_difference, results, wrong)):
                return message
        return None


@dataclass(frozen=True)
class ValueExercise:
    """A value to find: a number, a string, a list or a tensor.

    Attributes:
        reference: returns the right value.
        mistakes: what to tell the reader -> the value that shows this mistake.
    """

    reference: Callable
    mistakes: dict = field(default_factory=dict)

    def problem(self, answer):
        difference = _difference(answer, self.reference())
        if difference is None:
            return None
        for message, value in self.mistakes.items():
            if _difference(answer, value) is None:
                return message
        return difference if torch.is_tensor(answer) else f"{answer!r} is not it"


@dataclass(frozen=True)
class OpenExercise:
    """A question with many right answers: `judge(answer)` says what is wrong, or returns None."""

    judge: Callable

    def problem(self, answer):
        return self.judge(answer)


def check(exercise, answer):
    """Print one line about an answer: not attempted, correct, or what is wrong and why.

    Args:
        exercise (str): the exercise's number, "chapter.number".
        answer: what the exercise asks for: a function or a value. None, `...`, and a function that
            returns one of them or raises NotImplementedError count as not attempted.

    Raises:
        ValueError: there is no such exercise.

    Example:
        >>> check("1.1", None)
        1.1: not attempted yet
    """
    spec = find(exercise)
    print(" ".join(f"{exercise}: {_verdict(spec, answer)}".split()))  # one line, whatever it shows


def find(exercise):
    """The specification of an exercise by its number, a ValueError if there is none."""
    chapter = str(exercise).split(".")[0]
    try:
        exercises = importlib.import_module(f"{__name__}.chapter_{int(chapter):02d}").EXERCISES
        return exercises[exercise]
    except (ValueError, ModuleNotFoundError, KeyError):
        raise ValueError(
            f'exercise must be a number of the book such as "1.1", got {exercise!r}'
        ) from None


def _verdict(spec, answer):
    if _is_blank(answer):
        return "not attempted yet"
    try:
        is_function = isinstance(spec, FunctionExercise) and callable(answer)
        if is_function and _is_blank(answer(*_copy(spec.cases()[0]))):
            return "not attempted yet"
        problem = spec.problem(answer)
    except NotImplementedError:
        return "not attempted yet"
    except Exception as error:  # the reader's code may raise anything, and should hear what
        first_line = (str(error).splitlines() or [""])[0]
        return f"not yet: it stops with {type(error).__name__}: {first_line}"
    return "correct" if problem is None else f"not yet: {problem}"


def _is_blank(answer):
    return answer is None or answer is ...


def _copy(arguments):
    """Arguments that may be changed: tensors and lists, however deep, are copied."""
    if isinstance(arguments, (tuple, list)):
        return type(arguments)(map(_copy, arguments))
    return arguments.clone() if torch.is_tensor(arguments) else arguments


def _difference(got, want):
    """What distinguishes two results, in words, or None."""
    if isinstance(want, (tuple, list)) and (any(map(torch.is_tensor, want)) or not _is_array(got)):
        if not isinstance(got, (tuple, list)) or len(got) != len(want):
            shown = f"shape {tuple(got.shape)}" if _is_array(got) else repr(got)
            return f"{len(want)} results are expected, got {shown}"
        return next((d for d in map(_difference, got, want) if d), None)
    if isinstance(want, (str, bool)) or want is None or callable(want):
        return None if got == want else f"expected {want!r}, got {got!r}"
    try:
        got, want = torch.as_tensor(got), torch.as_tensor(want)
    except (TypeError, ValueError, RuntimeError):
        return f"numbers are expected, got {type(got).__name__}"
    if got.shape != want.shape:
        return f"the shape is {tuple(got.shape)}, expected {tuple(want.shape)}"
    if (got.dtype == torch.bool) != (want.dtype == torch.bool):
        return f"the dtype is {got.dtype}, expected {want.dtype}"
    got, want = got.detach().cpu().double(), want.detach().cpu().double()
    if got.isnan().any() and not want.isnan().any():
        return "the result contains NaN"
    if torch.allclose(got, want, rtol=1e-4, atol=1e-5, equal_nan=True):
        return None
    difference = (
        (got - want).abs().nan_to_num(0, posinf=math.inf)
    )  # -inf less -inf is no difference
    return f"numbers differ by up to {difference.max().item():.2g}"


def _is_array(value):
    return hasattr(value, "__array__")


def _describe(arguments):
    """Arguments in short: shapes of tensors, other values as they are."""
    parts = [f"shape {tuple(a.shape)}" if torch.is_tensor(a) else repr(a) for a in arguments]
    return "input " + ", ".join(parts)
