"""`check` says what is wrong: every exercise of every chapter, and the machinery itself."""

import functools
import importlib
import inspect
import json
import linecache
import math
import pkgutil
import re
from decimal import Decimal
from fractions import Fraction

import pytest
import torch
from reader_errors import BROKEN_RULES, OPEN, PUBLISHED, RIGHT, RIGHT_FORMS, WRONG, answer, solution
from torch import nn

import d2lattn
import d2lattn_book
from d2lattn import masked_softmax
from d2lattn_book import exercises
from d2lattn_book.exercises import checking, records
from d2lattn_book.exercises.chapter_09 import mystery
from d2lattn_book.exercises.checking import FunctionExercise, OpenExercise, ValueExercise, check

CHAPTERS = {
    int(module.name.removeprefix("chapter_")): importlib.import_module(
        f"d2lattn_book.exercises.{module.name}"
    ).EXERCISES
    for module in pkgutil.iter_modules(exercises.__path__)
    if module.name.startswith("chapter_") and module.name < "chapter_9"  # tests/kernel has 92
}
BOOK = {number: spec for chapter in CHAPTERS.values() for number, spec in chapter.items()}
FUNCTIONS = [number for number, spec in BOOK.items() if isinstance(spec, FunctionExercise)]
MISTAKES = [
    (number, message)
    for number, spec in BOOK.items()
    if not isinstance(spec, OpenExercise)
    for message in spec.mistakes
]


def yours(answer):
    """A function of the book, as a reader would have written it."""
    if isinstance(answer, (nn.Module, type)) or not callable(answer):
        return answer
    return functools.wraps(answer, ("__name__",))(lambda *given: answer(*given))


@pytest.fixture
def verdict(capsys):
    """What `check` prints: one line that starts with the number, and that `verdict` agrees with."""

    def ask(number, answer):
        capsys.readouterr()
        d2lattn_book.check(number, answer)
        printed = capsys.readouterr().out
        assert printed.count("\n") == 1 and printed.endswith("\n")
        assert printed.startswith(f"{number}: ")
        assert " at 0x" not in printed, "a memory address"
        said = printed.strip().removeprefix(f"{number}: ")
        expected = {"correct": True, "not attempted yet": None}.get(said, False)
        assert exercises.verdict(number, answer) == (expected, printed.strip())
        return said.removeprefix("not yet: ")

    return ask


@pytest.fixture
def judge(verdict, monkeypatch):
    """The verdict about an answer to an exercise made up for a test."""

    def ask(spec, answer):
        monkeypatch.setitem(CHAPTERS[1], "1.99", spec)
        return verdict("1.99", answer)

    return ask


# Every exercise of the book -----------------------------------------------------------------------


def test_numbers_belong_to_their_chapter():
    for chapter, specs in CHAPTERS.items():
        assert specs and list(specs) == [f"{chapter}.{i}" for i in range(1, len(specs) + 1)]


def not_yet(*arguments):
    raise NotImplementedError


@pytest.mark.parametrize("number", BOOK)
def test_what_is_blank_or_a_stub_is_not_attempted(number, verdict):
    stubs = [lambda *a: None, lambda *a: ..., not_yet] * (number in FUNCTIONS)
    for blank in (None, ..., "", *stubs):
        assert verdict(number, blank) == "not attempted yet"


@pytest.mark.parametrize(("number", "message"), MISTAKES)
def test_each_mistake_is_diagnosed_by_its_own_message(number, message, verdict):
    spec = BOOK[number]
    shown = spec.mistakes[message]
    if number in FUNCTIONS:
        source = inspect.getsource(spec.reference)
        for old, new in shown.items():
            assert old in source
            source = source.replace(old, new)
        shown = checking.edited(spec.reference, shown)
        outcomes = [checking._outcome(shown, arguments) for arguments in spec.cases()]
        assert not any(isinstance(outcome, NameError) for outcome in outcomes)
    assert verdict(number, yours(shown)) == message == " ".join(message.split())


@pytest.mark.parametrize("number", FUNCTIONS)
def test_the_reference_is_the_solution_of_the_chapter(number):
    """But for a generator of its own: a check leaves the draws of the reader alone."""
    source = inspect.getsource(BOOK[number].reference)
    source = re.sub(r"^ *generator = .*\n|, generator=generator", "", source, flags=re.M)
    assert source == solution(number)


def test_the_cases_keep_what_the_exercises_promise():
    assert min(T for _, T in BOOK["1.4"].cases()) == 1e-4
    assert all(mask.any(dim=-1).all() for _, mask in BOOK["3.3"].cases())
    P = d2lattn.sinusoidal_encoding(1000, 32, dtype=torch.float64)
    for (row,) in BOOK["6.6"].cases():
        assert 0.05 < (P - row).abs().amax(dim=-1).min() <= 0.1
    heads = {H for H, _ in BOOK["7.4"].cases()}
    assert len(heads) > 2 and all(H.bit_count() == 1 for H in heads)


@pytest.mark.parametrize("number", BOOK)
def test_no_answer_passes_check_changes_draws_or_is_taken_for_another_mistake(number, verdict):
    class Unprintable(Exception):
        def __str__(self):
            raise RuntimeError

        __repr__ = __str__

    def fails(error):
        def breaks(*arguments):
            raise error

        return breaks

    state, spec = torch.get_rng_state(), BOOK[number]
    for error in (SystemExit, RecursionError, Unprintable, StopIteration):
        assert verdict(number, fails(error)) not in ("correct", "not attempted yet")
    said = [verdict(number, wrong) for wrong in (Unprintable(), [Unprintable()], 0.123)]
    if number in FUNCTIONS:
        assert checking._difference(spec.cases(), spec.cases()) is None
        assert verdict(number, yours(spec.reference)) == "correct"
        said.append(verdict(number, lambda *arguments: "nonsense"))
        assert not {*said} & {*spec.mistakes, "correct"}
    assert torch.equal(torch.get_rng_state(), state)


def test_the_reader_can_still_interrupt():
    def takes_for_ever(*arguments):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        check("1.2", takes_for_ever)


def test_a_decimal_with_a_comma_is_told_to_take_a_point(capsys):
    check("0.6", 4, 61)
    assert capsys.readouterr().out.startswith("0.6: not yet: write 1.5, not 1,5")


@pytest.mark.parametrize("number", ["0.9", "99.1", "", "1", "1.1.1", "01.1", 1.1])
def test_an_exercise_that_does_not_exist(number):
    rule = r'^exercise must be a number of the book such as "1\.1", as a string, got '
    with pytest.raises(ValueError, match=rule):
        check(number, None)


# Answers ------------------------------------------------------------------------------------------

PICK = torch.eye(16)
NAME, ASKS, SIGNS = PICK[0:6], PICK[6:12], PICK[12:16]  # of exercise 2.5
LISTS = "Give a pair (right, wrong) of two lists of three scores."


def kinds(looks):
    """A rule: where a letter looks, if `looks` is given (i, places of the other kind before it)."""

    def rule(text):
        vowels = [letter in "aeiou" for letter in text]
        other = [[j for j in range(i) if vowels[j] != vowels[i]] for i in range(len(text))]
        return [looks(i, places) for i, places in enumerate(other)]

    return rule


def filled(scores, mask):
    return scores.masked_fill(~mask, -math.inf).softmax(-1)


def repaired_after_adding(scores, mask):
    hidden = torch.zeros(scores.shape).masked_fill(~mask, -math.inf)
    return (scores + hidden).softmax(-1).nan_to_num()


def without_maximum(scores, mask):
    exponentials = scores.exp() * mask
    return exponentials / exponentials.sum(-1, keepdim=True)


def shows_its_argument(scores, mask):
    print(scores)


def forgets_its_return(scores, mask):
    scores + 1


def stops_half_way(scores, mask):
    scores + 1
    raise NotImplementedError("the rest")


class Starter(nn.Module):
    def __init__(self, max_len, dim):
        super().__init__()

    def forward(self, x): ...


class HasTable(Starter):
    def __init__(self, max_len, dim):
        super().__init__(max_len, dim)
        self.rows = nn.Parameter(torch.zeros(max_len, dim))


class Encoding(d2lattn.LearnedPositionalEncoding):
    pass


DROPPING = answer(
    "6.5",
    {
        "self.rows =": "self.drop = nn.Dropout(); self.rows =",
        "return x": "return self.drop(x",
        "x.shape[1]]": "x.shape[1]])",
    },
)
OWN = "This is the book's own function. Write yours."
# Of exercises that judge for themselves, each verdict; then what only a certain answer shows.
JUDGED = [
    ("2.5", "correct", ([(20 * ASKS).tolist(), NAME.numpy(), SIGNS])),
    ("2.5", "correct", ((20 * ASKS).long(), NAME.double(), nn.Parameter(SIGNS))),
    ("2.5", "correct", (13 * ASKS, NAME, SIGNS)),  # each of 5 other keys gets exp(-13/√6)
    ("2.5", "The blocks are right, but the softmax is too", (10 * ASKS, NAME, SIGNS)),
    ("2.5", "The blocks are right, but the softmax is too", (1e-3 * ASKS, NAME, SIGNS)),
    ("2.5", "You swapped queries and keys", (NAME, ASKS, SIGNS)),
    ("2.5", "Queries and keys are right. The values must be", (ASKS, NAME, PICK[:4])),
    ("2.5", "The values are right. The queries do not match the", (-20 * ASKS, NAME, SIGNS)),
    ("2.5", "The outputs are not the expected signs.", (20 * NAME, NAME, PICK[:4])),
    ("2.5", "Your matrices have the shape (in,", (ASKS.T, NAME.T, SIGNS.T)),
    ("2.5", "the shapes are ((6, 16), (6, 16)), expected", (ASKS, NAME)),
    ("2.5", "a tuple of three tensors is expected, got Tensor", ASKS),
    ("3.5", "not attempted yet", lambda scores, mask: ...),
    ("3.5", "Return a tensor of the same shape as the", lambda scores, mask: scores.tolist()),
    ("3.5", "where every query has a key, for scores of size 1", lambda s, m: filled(s, ~m)),
    (
        "3.5",
        "where every query has a key, for scores of size 10000",
        lambda scores, mask: masked_softmax(scores.clamp(-50, 50), mask),
    ),
    ("3.5", "You also hide visible keys", lambda s, m: masked_softmax(s, m & (s * m != 0))),
    ("3.5", "exp overflows for scores of ±10,000: NaN. Subtract", without_maximum),
    ("3.5", "You get NaN where query 2 has no key", filled),
    ("3.5", "wrong where query 2", lambda s, m: s.masked_fill(~m, -1e6).softmax(-1)),
    ("3.5", "their gradient is NaN where query 2 has no key", repaired_after_adding),
    ("3.5", "Scores that are all -inf", lambda s, m: filled(s, m).nan_to_num()),
    ("3.5", "changes its input", lambda s, m: masked_softmax(s.masked_fill_(~m, 0), m)),
    ("3.5", "a function is expected, got int", 3),
    ("4.5", "not attempted yet", lambda valid_lens, S: ...),
    ("4.5", "the padding changes", answer("4.5", {">=": "<"})),
    ("4.5", "than alone", answer("4.5", {">=": ">= -1 +"})),
    ("6.5", "not attempted yet", Starter),
    ("6.5", "forward must return a tensor, got NoneType", HasTable),
    ("6.5", "correct", DROPPING),
    ("6.5", "You passed an instance. Pass", DROPPING(9, 4)),
    ("6.5", "The result is right, but d2lattn adds", Encoding),
    ("8.5", "correct", ([1, 1, 1], (0.0, -1.0, 4.0))),
    ("8.5", "correct", (torch.tensor([5.0, 0, 4]), torch.tensor([0, 1000, 999]))),
    ("8.5", "You swapped the lists. The first list must come", ([0, 1, 5], [2, 1, 0])),
    ("8.5", "On your first list the code is wrong by 1.1", ([0, 1, 0], [0, 1, 5])),
    ("8.5", "The code is right on your second list. Put a", ([2, 1, 0], [5, 1, 0])),
    ("8.5", "second list the code is wrong by only 0.13", ([2, 1, 0], [0, 0.1, 0.2])),
    ("8.5", "Give three scores each. Yours have shapes (2,), (3,)", ([2, 1], [0, 1, 5])),
    ("8.5", "Give finite numbers as scores.", ([2, 1, 0], [0, 1, math.inf])),
    ("8.5", LISTS, [0, 1, 5]),
    ("8.5", "Your answer must contain numbers only.", ("abc", "def")),
    ("9.8", "correct", kinds(lambda i, other: other[-1] if other else i)),
    ("9.8", "Your rule is right, but it calls the head", lambda text: mystery(text).argmax(-1)),
    ("9.8", "not attempted yet", lambda text: ...),
    ("9.8", "your rule is right for", kinds(lambda i, other: other[0] if other else i)),
    ("9.8", "position 1 attends to 0, your rule says 1", lambda text: range(len(text))),
    ("9.8", "'attention' has 9 characters, your rule gives 1", lambda text: [0]),
    ("9.8", "your code stops with TypeError: ", lambda text: 3),
    ("9.8", "a function of a text is expected, got str", "the latest vowel"),
    ("9.9", "not attempted yet", lambda x, block, key, value: ...),
    (
        "9.9",
        "output at position 1 is not that",
        answer("9.9", {"[key, k]": "[k]", "[value, v]": "[v]"}),
    ),
    ("1.1", "correct", [Fraction(1, 8), Fraction(1, 4), Decimal("0.625")]),
    ("3.3", OWN, masked_softmax),
    ("3.3", OWN, functools.partial(masked_softmax)),
    ("4.3", OWN, d2lattn.MultiHeadAttention),
    ("3.3", "not attempted yet", shows_its_argument),
    ("3.3", "nothing is returned (is the `return` missing?); the input", forgets_its_return),
    ("3.3", "your code stops with NotImplementedError: the rest", stops_half_way),
    ("3.3", "your code stops with NotImplementedError: ", lambda *given: not_yet(*given)),
    ("3.3", "input was a (5, 7) tensor and a (5, 7) mask", lambda s, m: torch.full_like(s, 1 / 7)),
    ("11.4", "; the input was a list of 2 tensors", lambda shards: []),
]
GIVEN = [(number, "correct", yours(function)) for number, function in RIGHT_FORMS.items()]
GIVEN += [(n, said, yours(function)) for n, said, function in BROKEN_RULES + PUBLISHED]
GIVEN += [(number, said, answer(number, edits)) for number, said, edits in OPEN]
GIVEN += [(number, "correct", value) for number, value in RIGHT]
GIVEN += [(number, said, value) for number, value, said in WRONG]


@pytest.mark.parametrize(("number", "said", "given"), JUDGED + GIVEN)
def test_an_answer_is_told_what_it_is(number, said, given, verdict):
    found = verdict(number, given)
    assert found == said if said == "correct" else said in found


# Progress -----------------------------------------------------------------------------------------


def run_cell(source, name):
    """Run a cell as a kernel does, which tells linecache what stands in it."""
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    exec(compile(source, name, "exec"), {"check": check})


def test_check_keeps_what_a_reader_has_solved(tmp_path, monkeypatch, capsys):
    kept = tmp_path / "progress.json"
    monkeypatch.setattr(records, "REMEMBERED", {})
    monkeypatch.setenv("D2LATTN_SOLVED", str(kept))
    for number, value in (("3.1", 2), ("1.1", 7), ("3.1", 4), ("3.1", 5)):
        check(number, value)
    check("1.5", None)
    capsys.readouterr()
    run_cell('# @title Solution 1.5\ncheck("1.5", 2)\ncheck("1.5", 3)', "<solution>")
    right, wrong = capsys.readouterr().out.splitlines()
    assert right == "1.5: correct (the book's solution)" and wrong.startswith("1.5: not yet: ")
    exercises.progress()
    said = re.sub(r"of \d+", "of all", capsys.readouterr().out)
    assert (
        said == f"kept in {kept}\nchapter 1, 0 of all: 1.1 tried\nchapter 3, 1 of all: 3.1 solved\n"
    )
    run_cell('check("1.5", 2)', "<own>")
    assert capsys.readouterr().out == "1.5: correct\n"
    assert [path.name for path in tmp_path.iterdir()] == ["progress.json"]


def test_progress_survives_a_damaged_file_and_one_named_late(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("D2LATTN_SOLVED", raising=False)
    monkeypatch.setattr(records, "REMEMBERED", {})
    check("3.1", 4)
    exercises.progress()
    said = capsys.readouterr().out
    assert "only until the kernel stops; in Colab, mount" in said and "3.1 solved" in said
    monkeypatch.setattr(records, "DRIVE", tmp_path)
    exercises.progress()
    assert f"kept in {tmp_path / 'd2lattn_solved.json'}\n" in capsys.readouterr().out
    monkeypatch.setenv("D2LATTN_SOLVED", str(tmp_path / "missing" / "progress.json"))
    exercises.progress()
    said = capsys.readouterr().out
    assert said.startswith(f"NOT kept: no such folder {tmp_path / 'missing'}\n")
    with pytest.warns(UserWarning, match="your progress is NOT kept: no such folder .*missing"):
        check("3.1", 4)
    kept = tmp_path / "progress.json"
    monkeypatch.setenv("D2LATTN_SOLVED", str(kept))
    exercises.progress()
    assert json.loads(kept.read_text(encoding="utf-8")) == {"3.1": True}
    for damaged in (b"", b'{"3.1": true', b"[1]", b"\xff"):
        kept.write_bytes(damaged)
        exercises.progress()
        assert "3.1 solved" in capsys.readouterr().out, damaged
    check("1.1", 7)
    assert json.loads(kept.read_text(encoding="utf-8")) == {"3.1": True, "1.1": False}


# The machinery ------------------------------------------------------------------------------------


def softmax_rows(x):
    return x.softmax(-1)


def hidden(x):
    return x.masked_fill(x < 1, -math.inf)


def how_many(x):
    return len(x)


MATRICES = [(torch.arange(6.0).reshape(2, 3),), (torch.eye(4),)]
SOFTMAX = FunctionExercise(softmax_rows, lambda: MATRICES, {"over the wrong axis": {"-1": "0"}})
PAIR = FunctionExercise(lambda x: (x + 1, x * 2), lambda: [(torch.ones(2),)])
HIDE = FunctionExercise(hidden, lambda: [(torch.arange(3.0),)])
TOTAL = FunctionExercise(sum, lambda: [([1, 2, 3],)])
LENGTH = FunctionExercise(how_many, lambda: [([1],)], {"a list has no size": {"len(x)": "x.size"}})
NUMBERS = ValueExercise(lambda: [0.5, 0.25], {"these are percent": [50, 25]})
TEXT = ValueExercise(lambda: "n²")
TRUTH = ValueExercise(lambda: True)
EVEN = OpenExercise(lambda answer: None if answer % 2 == 0 else f"{answer} is odd")
CHANGES = "The result is right, but your function changes its input. Work on a copy."
MADE_UP = [
    (SOFTMAX, "correct", lambda x: x.double().softmax(-1)),
    (SOFTMAX, "correct", lambda x: x.softmax(-1).numpy()),
    (SOFTMAX, "correct", lambda x: list(x.softmax(-1).requires_grad_())),
    (SOFTMAX, "correct", lambda x: [list(row) for row in x.softmax(-1).numpy()]),
    (SOFTMAX, "correct", lambda x: x.requires_grad_().softmax(-1)),
    (SOFTMAX, "correct", torch.nn.Softmax(dim=-1)),
    (SOFTMAX, "correct", lambda x: x.softmax(-1) + 1e-8),
    (SOFTMAX, "over the wrong axis", lambda x: x.softmax(0)),
    (SOFTMAX, "differ by up to 0.5; the input was a (2, 3) tensor", lambda x: x.softmax(-1) + 0.5),
    (SOFTMAX, "the shape is (3,), expected (2, 3)", lambda x: x.softmax(-1)[0]),
    (SOFTMAX, "the dtype is torch.bool, expected torch.float32", lambda x: x > 0),
    (SOFTMAX, "the result contains NaN", lambda x: x * math.nan),
    (SOFTMAX, "numbers are expected, got str", lambda x: "text"),
    (SOFTMAX, "numbers are expected, got dict", lambda x: {}),
    (SOFTMAX, "numbers differ by up to ", lambda x: x.softmax(-1) if len(x) == 2 else x),
    (SOFTMAX, "your code stops with TypeError: ", lambda: 0),
    (SOFTMAX, "AttributeError: 'Tensor' object has no", lambda x: x.nothing),
    (SOFTMAX, CHANGES, lambda x: x.copy_(x.softmax(-1))),
    (SOFTMAX, "a function is expected, got Tensor", torch.eye(2)),
    (PAIR, "correct", lambda x: [x + 1, x * 2]),
    (PAIR, "numbers differ by up to 1;", lambda x: (x + 1, x * 3)),
    (PAIR, "2 results are expected, got (tensor([2., 2.]),)", lambda x: (x + 1,)),
    (PAIR, "2 results are expected, got shape (2, 2)", lambda x: torch.stack([x + 1, x * 2])),
    (PAIR, "2 results are expected, got 7", lambda x: 7),
    (HIDE, "correct", yours(hidden)),
    (HIDE, "differ by up to 0.5;", lambda x: hidden(x) + 0.5),
    (HIDE, "finite that should be", lambda x: x.masked_fill(x < 1, -1e6)),
    (HIDE, "contains infinite", lambda x: x.masked_fill(x < 2, -math.inf)),
    (TOTAL, CHANGES, lambda numbers: numbers.pop() + sum(numbers)),
    (LENGTH, "a list has no size", lambda x: x.size),
    (LENGTH, "your code stops with AttributeError: ", lambda x: x.width),
    (LENGTH, "numbers differ by up to 2; the input was [1]", lambda x: 3),
    (NUMBERS, "correct", (0.5, 0.25)),
    (NUMBERS, "correct", torch.tensor([0.5, 0.25]).numpy()),
    (NUMBERS, "these are percent", torch.tensor([50, 25])),
    (NUMBERS, "[0.5, 0.3] is not correct", [0.5, 0.3]),
    (NUMBERS, "a list of 2 numbers is expected, got the list [0.5]", [0.5]),
    (NUMBERS, "a list of 2 numbers is expected, got text in quotes: 'half'", "half"),
    (NUMBERS, "a list of 2 numbers is expected, got the number 0.5", 0.5),
    (NUMBERS, "a value is expected, got <lambda>, which must be called", NUMBERS.reference),
    (NUMBERS, "a list of 2 numbers is expected, got the list ['1/2', '1/4']", ["1/2", "1/4"]),
    (NUMBERS, "the shape is (3, 3), expected (2,)", torch.ones(3, 3).numpy()),
    (NUMBERS, "the dtype is torch.complex64", torch.tensor([0.5, 0.25 + 1j])),
    (TEXT, "correct", "n²"),
    (TEXT, "'n' is not correct", "n"),
    (TRUTH, "correct", True),
    (TRUTH, "False is not correct", False),
    (EVEN, "correct", 4),
    (EVEN, "5 is odd", 5),
    (EVEN, "Your answer must contain numbers only.", "a"),
]


@pytest.mark.parametrize(("spec", "said", "given"), MADE_UP)
def test_an_answer_to_an_exercise_made_up(spec, said, given, judge):
    found = judge(spec, given)
    assert found == said if said == "correct" else said in found
    assert torch.equal(MATRICES[0][0], torch.arange(6.0).reshape(2, 3))


def test_an_edit_leaves_the_function_and_what_stands_around_it_alone():
    around = dict(globals())
    over_columns = checking.edited(softmax_rows, {"-1": "0"})
    assert over_columns(torch.eye(2)).sum(0).tolist() == [1, 1] and globals() == around
