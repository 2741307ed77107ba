"""`check` says what is wrong: every exercise of every chapter, and the machinery itself."""

import functools
import importlib
import inspect
import json
import linecache
import math
import pkgutil
import re
import symtable
from decimal import Decimal
from fractions import Fraction

import cells as chapter_cells
import nbformat
import pytest
import torch
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell
from published_errors import PUBLISHED
from reader_errors import (
    BROKEN_RULES,
    RIGHT,
    RIGHT_FORMS,
    SECOND_FORMS,
    UNUSUAL,
    WRONG,
    answer,
    cells,
    solution,
)
from torch import nn

import d2lattn
import d2lattn_book
from d2lattn import masked_softmax
from d2lattn_book import exercises
from d2lattn_book.exercises import checking
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
OF_TENSORS = [n for n in FUNCTIONS if any(map(torch.is_tensor, BOOK[n].cases()[0]))]
SOLVED = [number for number, spec in BOOK.items() if not isinstance(spec, OpenExercise)]


def yours(answer):
    """A function of the book, as a reader would have written it."""
    return functools.wraps(answer, ("__name__",))(lambda *given: answer(*given))


MISTAKES = [(number, message) for number in SOLVED for message in BOOK[number].mistakes]


@pytest.fixture
def verdict(capsys):
    """What `check` prints: one line that starts with the number, and that `verdict` agrees with."""

    def ask(number, answer):
        capsys.readouterr()
        d2lattn_book.check(number, answer)
        printed = capsys.readouterr().out
        assert printed.count("\n") == 1
        assert printed.endswith("\n")
        assert printed.startswith(f"{number}: ")
        assert " at 0x" not in printed, "a memory address"
        said = printed.strip().removeprefix(f"{number}: ")
        expected = {"correct": True, "not attempted yet": None}.get(said, False)
        assert exercises.verdict(number, answer) == (expected, printed.strip())
        return said

    return ask


@pytest.fixture
def judge(verdict, monkeypatch):
    """The verdict about an answer to an exercise made up for a test."""

    def ask(spec, answer):
        chapter = importlib.import_module("d2lattn_book.exercises.chapter_01")
        monkeypatch.setitem(chapter.EXERCISES, "1.99", spec)
        return verdict("1.99", answer)

    return ask


# Every exercise of the book -----------------------------------------------------------------------


def test_numbers_belong_to_their_chapter():
    for chapter, specs in CHAPTERS.items():
        assert specs, f"chapter {chapter} has no exercise"
        assert list(specs) == [f"{chapter}.{i}" for i in range(1, len(specs) + 1)]
    assert len(BOOK) == sum(map(len, CHAPTERS.values()))


@pytest.mark.parametrize("number", SOLVED)
def test_the_reference_is_correct(number, verdict):
    spec = BOOK[number]
    answer = yours(spec.reference) if isinstance(spec, FunctionExercise) else spec.reference()
    assert verdict(number, answer) == "correct"


def test_the_books_own_function_is_no_answer(verdict):
    own = "not yet: This is the book's own function. Write yours."
    for function in (masked_softmax, functools.partial(masked_softmax)):
        assert verdict("3.3", function) == own
    assert verdict("4.3", d2lattn.MultiHeadAttention) == own
    assert verdict("3.3", lambda scores, mask: masked_softmax(scores, mask)) == "correct"


def test_exact_numbers_are_numbers(verdict):
    assert verdict("3.1", Fraction(4)) == "correct"
    assert verdict("1.1", [Fraction(1, 8), Fraction(1, 4), Decimal("0.625")]) == "correct"
    assert verdict("3.1", Fraction(1, 9)).startswith("not yet: 1/9 is")


def test_the_input_is_described_in_english(verdict):
    said = verdict("3.3", lambda scores, mask: torch.full_like(scores, 1 / 7))
    assert said.endswith("; the input was a (5, 7) tensor and a (5, 7) mask")
    assert verdict("11.4", lambda shards: []).endswith("; the input was a list of 2 tensors")


def not_yet(*arguments):
    raise NotImplementedError


@pytest.mark.parametrize("number", BOOK)
def test_what_is_blank_or_a_stub_is_not_attempted(number, verdict):
    stubs = [lambda *a: None, lambda *a: ..., not_yet] * (number in FUNCTIONS)
    for blank in (None, ..., *stubs):
        assert verdict(number, blank) == "not attempted yet"


def has_forgotten_return(*arguments):
    arguments[0] + 1


def calls_a_stub(*arguments):
    return not_yet(*arguments)


def stops_half_way(*arguments):
    arguments[0] + 1
    raise NotImplementedError("the rest")


@pytest.mark.parametrize("number", ["1.2", "3.3", "4.3", "6.2", "6.4"])
def test_an_answer_that_stops_half_way_and_a_forgotten_return_are_named(number, verdict):
    said = "not yet: your code stops with NotImplementedError: the rest"
    assert verdict(number, stops_half_way).startswith(said)
    said = "not yet: nothing is returned: is the `return` missing?"
    assert verdict(number, has_forgotten_return).startswith(said)


def test_a_not_implemented_error_of_torch_is_reported(verdict):
    def hide_with_product(scores, mask):
        return torch.ops.aten.squeeze_copy.out(scores.to_sparse(), out=scores)  # no such kernel

    with pytest.raises(NotImplementedError):
        hide_with_product(torch.eye(2), None)
    said = "not yet: your code stops with NotImplementedError: "
    assert verdict("3.3", hide_with_product).startswith(said)
    assert verdict("3.5", hide_with_product).startswith(said)


def test_what_an_untouched_answer_prints_is_not_shown(verdict):
    def shows_its_argument(scores, mask):
        print(scores)

    assert verdict("3.3", shows_its_argument) == "not attempted yet"


def test_an_untouched_class_is_not_attempted(verdict):
    class Starter(nn.Module):
        def __init__(self, max_len, dim):
            super().__init__()

        def forward(self, x): ...

    class HasTable(Starter):
        def __init__(self, max_len, dim):
            super().__init__(max_len, dim)
            self.rows = nn.Parameter(torch.zeros(max_len, dim))

    assert verdict("6.5", Starter) == "not attempted yet"
    assert verdict("6.5", HasTable) == "not yet: forward must return a tensor, got NoneType"


@pytest.mark.parametrize(("number", "message"), MISTAKES)
def test_each_mistake_is_diagnosed_by_its_own_message(number, message, verdict):
    shown = BOOK[number].mistakes[message]
    if number in FUNCTIONS:
        shown = yours(checking.edited(BOOK[number].reference, shown))
    assert verdict(number, shown) == f"not yet: {message}"


@pytest.mark.parametrize("number", FUNCTIONS)
def test_the_reference_is_the_solution_of_the_chapter(number):
    """But for a generator of its own: a check leaves the draws of the reader alone."""
    source = inspect.getsource(BOOK[number].reference)
    source = re.sub(r"^ *generator = .*\n|, generator=generator", "", source, flags=re.M)
    assert source == solution(number)


@pytest.mark.parametrize("number", FUNCTIONS)
def test_every_edit_of_a_mistake_finds_its_text_and_defines_its_names(number):
    spec = BOOK[number]
    for message, edits in spec.mistakes.items():
        source = inspect.getsource(spec.reference)
        for old, new in edits.items():
            assert old in source, f"{number}: {message}"
            source = source.replace(old, new)
        mistake = checking.edited(spec.reference, edits)
        outcomes = [checking._outcome(mistake, arguments) for arguments in spec.cases()]
        assert not any(isinstance(outcome, NameError) for outcome in outcomes), message


@pytest.mark.parametrize(("number", "function"), [*RIGHT_FORMS.items(), *UNUSUAL])
def test_a_right_function_in_another_form_is_correct(number, function, verdict):
    made = isinstance(function, (nn.Module, type))
    assert verdict(number, function if made else yours(function)) == "correct"


@pytest.mark.parametrize(("number", "said", "function"), BROKEN_RULES)
def test_a_right_function_that_breaks_a_rule_of_the_task_is_told_so(
    number, said, function, verdict
):
    assert said in verdict(number, yours(function)).removeprefix("not yet: ")


def test_a_module_may_drop_and_must_not_be_made_yet(verdict):
    edits = {
        "self.rows =": "self.drop = nn.Dropout(); self.rows =",
        "return x": "return self.drop(x",
    }
    dropping = answer("6.5", edits | {"x.shape[1]]": "x.shape[1]])"})
    assert verdict("6.5", dropping) == "correct"
    assert verdict("6.5", dropping(9, 4)).startswith("not yet: You passed an instance. Pass")


def test_the_package_has_no_module_for_6_5(verdict):
    class Encoding(d2lattn.LearnedPositionalEncoding):
        pass

    assert verdict("6.5", Encoding).startswith("not yet: The result is right, but d2lattn adds")


@pytest.mark.parametrize("number", ["3.5", "6.5"])
def test_the_solution_of_an_open_exercise_is_correct(number, verdict):
    assert verdict(number, answer(number)) == "correct"


@pytest.mark.parametrize(("number", "said", "edits"), SECOND_FORMS)
def test_a_second_form_of_a_mistake_is_named(number, said, edits, verdict):
    assert said in verdict(number, answer(number, edits)).removeprefix("not yet: ")


@pytest.mark.parametrize(("number", "said", "published", "wrong"), PUBLISHED)
def test_a_wrong_answer_that_was_published_is_named(number, said, published, wrong, verdict):
    assert said in verdict(number, wrong).removeprefix("not yet: "), published


@pytest.mark.parametrize(("number", "value"), RIGHT)
def test_a_right_value_may_be_rounded_to_three_digits(number, value, verdict):
    assert verdict(number, value) == "correct"


@pytest.mark.parametrize(("number", "value", "said"), WRONG)
def test_a_wrong_value_is_named(number, value, said, verdict):
    assert said in verdict(number, value).removeprefix("not yet: ")


def symbols(source):
    lines = [line for line in source.splitlines() if not line.startswith(("%", "!"))]
    return symtable.symtable("\n".join(lines), "cell", "exec")


def globals_of_functions(table):
    """The names outside of them that the functions of a cell read, however deeply nested."""
    for child in table.get_children():
        yield from (symbol.get_name() for symbol in child.get_symbols() if symbol.is_global())
        yield from globals_of_functions(child)


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_no_solution_sets_what_a_function_of_the_chapter_reads(chapter):
    book = [source for source, is_solution in cells(chapter) if not is_solution]
    read = {name for source in book for name in globals_of_functions(symbols(source))}
    assert read
    for source, is_solution in cells(chapter):
        if is_solution:
            found = symbols(source).get_symbols()
            changed = read & {symbol.get_name() for symbol in found if symbol.is_assigned()}
            assert not changed, f"{changed} in {source}"


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_each_answer_has_a_cell_of_its_own(chapter):
    """So that an error in one, such as a word without quotes, does not keep others unjudged."""
    for source, _ in cells(chapter):
        assert len(re.findall(r"^check\(", source, re.M)) <= 1, source


def test_the_cases_keep_what_the_exercises_promise():
    assert min(T for _, T in BOOK["1.4"].cases()) == 1e-4
    assert all(mask.any(dim=-1).all() for _, mask in BOOK["3.3"].cases())
    P = d2lattn.sinusoidal_encoding(1000, 32, dtype=torch.float64)
    for (row,) in BOOK["6.6"].cases():
        assert 0.05 < (P - row).abs().amax(dim=-1).min() <= 0.1
    heads = {H for H, _ in BOOK["7.4"].cases()}
    assert len(heads) > 2
    assert all(H.bit_count() == 1 for H in heads)


@pytest.mark.parametrize("number", FUNCTIONS)
def test_another_wrong_answer_is_called_neither_correct_nor_a_known_mistake(number, verdict):
    def breaks(*arguments):
        raise KeyError("first line\nsecond line")

    said = verdict(number, lambda *arguments: "nonsense")
    assert said.startswith("not yet: ")
    assert all(message not in said for message in BOOK[number].mistakes)
    assert verdict(number, calls_a_stub).startswith(
        "not yet: your code stops with NotImplementedError: "
    )
    said = verdict(number, breaks)
    assert said.startswith("not yet: your code stops with KeyError: ") and said.count("line") <= 2


class Unprintable(Exception):
    def __str__(self):
        raise RuntimeError

    __repr__ = __str__


@pytest.mark.parametrize("number", BOOK)
def test_no_error_of_an_answer_passes_check(number, verdict):
    for error in (SystemExit, RecursionError, Unprintable, StopIteration):

        def breaks(*arguments, error=error):
            raise error

        assert verdict(number, breaks).startswith("not yet: ")
    assert verdict(number, Unprintable()).startswith("not yet: ")
    assert verdict(number, [Unprintable()]).startswith("not yet: ")


def test_the_reader_can_still_interrupt():
    def takes_for_ever(*arguments):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        check("1.2", takes_for_ever)


@pytest.mark.parametrize("number", OF_TENSORS)
def test_changing_the_input_is_detected(number, verdict):
    spec = BOOK[number]

    def mutates(*arguments):
        result = spec.reference(*arguments)
        result = result.clone() if torch.is_tensor(result) else result  # it may be a view
        for argument in arguments:
            if torch.is_tensor(argument):
                argument.logical_not_() if argument.dtype == torch.bool else argument.add_(1)
        return result

    assert (
        verdict(number, mutates)
        == "not yet: The result is right, but your function changes its input. Work on a copy."
    )


@pytest.mark.parametrize("number", BOOK)
def test_a_check_leaves_the_random_state_alone(number, verdict):
    state = torch.get_rng_state()
    spec = BOOK[number]
    if isinstance(spec, FunctionExercise):
        first, second = spec.cases(), spec.cases()
        assert checking._difference(first, second) is None
        verdict(number, yours(spec.reference))
    verdict(number, 0.123)
    assert torch.equal(torch.get_rng_state(), state)


# Open questions: every verdict of those that judge for themselves ---------------------------------


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (([2, 1, 0], [0, 1, 5]), "correct"),
        (([1, 1, 1], (0.0, -1.0, 4.0)), "correct"),
        ((torch.tensor([5.0, 0, 4]), torch.tensor([0, 1000, 999])), "correct"),
        (([0, 1, 5], [2, 1, 0]), "not yet: You swapped the lists. The first list must come out"),
        (([0, 1, 0], [0, 1, 5]), "not yet: On your first list the code is wrong by 1.1"),
        (([2, 1, 0], [5, 1, 0]), "not yet: The code is right on your second list. Put a"),
        (([2, 1, 0], [0, 0.1, 0.2]), "not yet: On your second list the code is wrong by only 0.13"),
        (([2, 1], [0, 1, 5]), "not yet: Give three scores each. Yours have shapes (2,), (3,)"),
        (([2, 1, 0], [0, 1, math.inf]), "not yet: Give finite numbers as scores."),
        ([0, 1, 5], "not yet: Give a pair (right, wrong) of two lists of three scores."),
        (7, "not yet: Give a pair (right, wrong) of two lists of three scores."),
        (("abc", "def"), "not yet: Your answer must contain numbers only."),
    ],
)
def test_a_pass_that_forgets_the_rescale(answer, said, verdict):
    assert verdict("8.5", answer).startswith(said)


PICK = torch.eye(16)
NAME, ASKS, SIGNS = PICK[0:6], PICK[6:12], PICK[12:16]


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ((20 * ASKS, NAME, SIGNS), "correct"),
        ([ASKS, 20.0 * NAME, SIGNS], "correct"),
        (((20 * ASKS).long(), NAME.double(), nn.Parameter(SIGNS)), "correct"),
        ((13 * ASKS, NAME, SIGNS), "correct"),  # each of 5 other keys gets exp(-13/√6)
        *[
            ((size * ASKS, NAME, SIGNS), "The blocks are right, but the softmax is too")
            for size in (10, 5, 1, 0.1, 1e-3)
        ],
        ((ASKS, 0.01 * NAME, SIGNS), "The blocks are right, but the softmax is too"),
        ((20 * NAME, ASKS, SIGNS), "You swapped queries and keys"),
        ((NAME, ASKS, SIGNS), "You swapped queries and keys"),
        ((20 * ASKS, NAME, PICK[:4]), "Queries and keys are right. The values must be"),
        ((ASKS, NAME, PICK[:4]), "Queries and keys are right. The values must be"),
        ((20 * ASKS, ASKS, SIGNS), "The values are right. The queries do not match the"),
        ((-20 * ASKS, NAME, SIGNS), "The values are right. The queries do not match the"),
        ((0 * ASKS, NAME, SIGNS), "The values are right. The queries do not match the"),
        ((20 * NAME, NAME, PICK[:4]), "The outputs are not the expected signs."),
        ((math.nan * ASKS, NAME, math.nan * SIGNS), "The outputs are not the expected signs."),
        ((ASKS.T, NAME.T, SIGNS.T), "Your matrices have the shape (in,"),
        ((ASKS, NAME, NAME), "the shapes are ((6, 16), (6, 16), (6, 16)), expected"),
        ((ASKS, NAME), "the shapes are ((6, 16), (6, 16)), expected"),
        (ASKS, "a tuple of three tensors is expected, got Tensor"),
        ((1, 2, 3), "the shapes are ((), (), ()), expected"),
        (("W_q", "W_k", "W_v"), "Your answer must contain numbers only."),
        ([(20 * ASKS).tolist(), NAME.numpy(), SIGNS], "correct"),
    ],
)
def test_a_lookup_written_by_hand(weights, said, verdict):
    assert verdict("2.5", weights).removeprefix("not yet: ").startswith(said)


def kinds(text, looks):
    """Where each letter looks, if `looks` is given (i, places of the other kind before it)."""
    vowels = [letter in "aeiou" for letter in text]
    return [looks(i, [j for j in range(i) if vowels[j] != vowels[i]]) for i in range(len(text))]


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (lambda text: kinds(text, lambda i, other: other[-1] if other else i), "correct"),
        (lambda text: torch.tensor(kinds(text, lambda i, o: (o or [i])[-1])), "correct"),
        (
            lambda text: mystery(text).argmax(-1).tolist(),
            "not yet: Your rule is right, but it calls the head itself. Write it without the head.",
        ),
        (lambda text: None, "not attempted yet"),
        (lambda text: ..., "not attempted yet"),
        (lambda text: kinds(text, lambda i, other: other[0] if other else i), "not yet: your rule"),
        (
            lambda text: kinds(text, lambda i, other: other[-1] if other else 0),
            "not yet: your rule",
        ),
        (
            lambda text: list(range(len(text))),
            "not yet: your rule is right for 15 % of the characters; in 'attention' position "
            "1 attends to 0, your rule says 1",
        ),
        (lambda text: [0], "not yet: 'attention' has 9 characters, your rule gives 1 positions"),
        (lambda text: 3, "not yet: your code stops with TypeError: "),
        ("the latest vowel", "not yet: a function of a text is expected, got str"),
    ],
)
def test_the_rule_of_a_head(rule, said, verdict):
    assert verdict("9.8", rule).startswith(said)


def filled(scores, mask):
    return scores.masked_fill(~mask, -math.inf).softmax(-1)


def hiding_zeros(scores, mask):
    return masked_softmax(scores, mask & (scores * mask != 0))


def repaired_after_adding(scores, mask):
    return (
        (scores + torch.zeros(scores.shape).masked_fill(~mask, -math.inf)).softmax(-1).nan_to_num()
    )


def without_maximum(scores, mask):
    exponentials = scores.exp() * mask
    return exponentials / exponentials.sum(-1, keepdim=True)


@pytest.mark.parametrize(
    ("softmax", "said"),
    [
        (lambda scores, mask: ..., "not attempted yet"),
        (lambda scores, mask: scores[0], "Return a tensor of the same shape as the scores."),
        (lambda scores, mask: scores.tolist(), "Return a tensor of the same shape as the"),
        (
            lambda scores, mask: filled(scores, ~mask),
            "the weights are wrong where every query has a key, for scores of size 1",
        ),
        (hiding_zeros, "You also hide visible keys"),
        (
            lambda scores, mask: masked_softmax(scores.clamp(-50, 50), mask),
            "the weights are wrong where every query has a key, for scores of size 10000",
        ),
        (without_maximum, "exp overflows for scores of ±10,000: NaN. Subtract the largest score."),
        (filled, "You get NaN where query 2 has no key"),
        (
            lambda scores, mask: scores.masked_fill(~mask, -1e6).softmax(-1),
            "the weights are wrong where query 2 has no key",
        ),
        (
            repaired_after_adding,
            "The weights are right, but their gradient is NaN where query 2 has no key",
        ),
        (lambda scores, mask: filled(scores, mask).nan_to_num(), "Scores that are all -inf"),
        (
            lambda scores, mask: masked_softmax(scores.masked_fill_(~mask, 0), mask),
            "The result is right, but your function changes its input. Work on a copy.",
        ),
        (3, "a function is expected, got int"),
    ],
)
def test_each_trap_of_a_safe_softmax_is_named(softmax, said, verdict):
    answer = yours(softmax) if callable(softmax) else softmax
    assert verdict("3.5", answer).removeprefix("not yet: ").startswith(said)


def test_messages_are_one_line():
    for _, message in MISTAKES:
        assert message == " ".join(message.split())


# Progress -----------------------------------------------------------------------------------------


def run_cell(source, name):
    """Run a cell as a kernel does, which tells linecache what stands in it."""
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    exec(compile(source, name, "exec"), {"check": check})


def test_check_keeps_what_a_reader_has_solved(tmp_path, monkeypatch, capsys):
    kept = tmp_path / "progress.json"
    monkeypatch.setenv("D2LATTN_SOLVED", str(kept))
    exercises.progress()
    for number, value in (("3.1", 2), ("1.1", 7), ("3.1", 4), ("3.1", 5)):
        check(number, value)
    check("1.5", None)
    capsys.readouterr()
    run_cell('# @title Solution 1.5\ncheck("1.5", 2)\ncheck("1.5", 3)', "<solution>")
    right, wrong = capsys.readouterr().out.splitlines()
    assert right == "1.5: correct (the book's solution)" and wrong.startswith("1.5: not yet: ")
    exercises.progress()
    assert (
        capsys.readouterr().out == "chapter 1, 0 of 6: 1.1 tried\nchapter 3, 1 of 6: 3.1 solved\n"
    )
    run_cell('check("1.5", 2)', "<own>")
    assert capsys.readouterr().out == "1.5: correct\n"
    assert json.loads(kept.read_text(encoding="utf-8"))["1.5"] is True
    assert [path.name for path in tmp_path.iterdir()] == ["progress.json"]


def test_in_a_kernel_solved_is_what_the_reader_solved(tmp_path, monkeypatch):
    """Run All of an untouched chapter, with all its solutions; then an answer of the reader's."""
    kept = tmp_path / "solved.json"
    monkeypatch.setenv("D2LATTN_SOLVED", str(kept))
    (path,) = chapter_cells.chapters(["01"])
    notebook = nbformat.read(path, as_version=4)
    solution = next(cell for cell in notebook.cells if chapter_cells.is_solution(cell))
    assert "check(" in solution.source
    client = NotebookClient(notebook, timeout=600)
    with client.setup_kernel():
        for i, cell in enumerate(list(notebook.cells)):
            client.execute_cell(cell, i)
        assert not kept.exists()
        _, own = solution.source.split("\n", 1)  # the same without the line "# @title Solution"
        notebook.cells.append(new_code_cell(own))
        client.execute_cell(notebook.cells[-1], len(notebook.cells) - 1)
    said = [cell.outputs[-1].text for cell in (solution, notebook.cells[-1])]
    assert said == ["1.1: correct (the book's solution)\n", "1.1: correct\n"]
    assert json.loads(kept.read_text(encoding="utf-8")) == {"1.1": True}


def test_progress_survives_a_damaged_file_and_says_where_none_is_kept(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.delenv("D2LATTN_SOLVED", raising=False)
    exercises.progress()
    assert capsys.readouterr().out == "nothing is kept here: no file is named by D2LATTN_SOLVED\n"
    kept = tmp_path / "progress.json"
    monkeypatch.setenv("D2LATTN_SOLVED", str(kept))
    for damaged in (b"", b'{"3.1": true', b"[1]", b"null", b"\xff"):
        kept.write_bytes(damaged)
        exercises.progress()
        assert capsys.readouterr().out == "no exercise was tried yet\n", damaged
    check("1.1", 7)
    assert json.loads(kept.read_text(encoding="utf-8")) == {"1.1": False}
    monkeypatch.setenv("D2LATTN_SOLVED", str(tmp_path / "missing" / "progress.json"))
    with pytest.warns(UserWarning, match="your progress is not kept: .*missing"):
        check("3.1", 4)


# The machinery ------------------------------------------------------------------------------------


def softmax_rows(x):
    return x.softmax(-1)


MATRICES = [(torch.arange(6.0).reshape(2, 3),), (torch.eye(4),)]
SOFTMAX = FunctionExercise(
    softmax_rows,
    lambda: MATRICES,
    {
        "over the wrong axis": {"-1": "0"},
        "no exponential": {"x.softmax(-1)": "x / x.sum(-1)[:, None]"},
    },
)
PAIR = FunctionExercise(lambda x: (x + 1, x * 2), lambda: [(torch.ones(2),)])
NUMBERS = ValueExercise(lambda: [0.5, 0.25], {"these are percent": [50, 25]})


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda x: x.softmax(-1), "correct"),
        (lambda x: x.double().softmax(-1), "correct"),
        (lambda x: x.softmax(-1).numpy(), "correct"),
        (lambda x: x.softmax(-1).tolist(), "correct"),
        (lambda x: list(x.softmax(-1).requires_grad_()), "correct"),
        (lambda x: [list(row) for row in x.softmax(-1).numpy()], "correct"),
        (torch.nn.Softmax(dim=-1), "correct"),
        (lambda x: x.softmax(-1) + 1e-8, "correct"),
        (lambda x: x.softmax(0), "not yet: over the wrong axis"),
        (
            lambda x: x.softmax(-1) + 0.5,
            "not yet: numbers differ by up to 0.5; the input was a (2, 3) tensor",
        ),
        (
            lambda x: x.softmax(-1)[0],
            "not yet: the shape is (3,), expected (2, 3); the input was a (2, 3) tensor",
        ),
        (lambda x: x > 0, "not yet: the dtype is torch.bool, expected torch.float32"),
        (lambda x: x * math.nan, "not yet: the result contains NaN; the input was a (2, 3) tensor"),
        (lambda x: "text", "not yet: numbers are expected, got str; the input was a (2, 3) tensor"),
        (lambda x: {}, "not yet: numbers are expected, got dict"),
        (
            lambda x: x.softmax(-1) if len(x) == 2 else None,
            "not yet: nothing is returned: is the `return` missing?; the input was a (4, 4) tensor",
        ),
        (lambda x: x.softmax(-1) if len(x) == 2 else x, "not yet: numbers differ by up to "),
        (lambda: 0, "not yet: your code stops with TypeError: "),
        (
            lambda x: x.nothing,
            "not yet: your code stops with AttributeError: 'Tensor' object has no",
        ),
        (lambda x: undefined, "not yet: your code stops with NameError: name 'undefined'"),  # noqa: F821
        (lambda x: x.softmax_(-1), "not yet: your code stops with AttributeError"),
        (
            lambda x: x.copy_(x.softmax(-1)),
            "not yet: The result is right, but your function",
        ),
        (torch.eye(2), "not yet: a function is expected, got Tensor"),
        (3, "not yet: a function is expected, got int"),
    ],
)
def test_functions(answer, said, judge):
    assert judge(SOFTMAX, answer).startswith(said)
    assert torch.equal(MATRICES[0][0], torch.arange(6.0).reshape(2, 3))


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda x: (x + 1, x * 2), "correct"),
        (lambda x: [x + 1, x * 2], "correct"),
        (lambda x: (x + 1, x * 3), "not yet: numbers differ by up to 1;"),
        (lambda x: (x + 1,), "not yet: 2 results are expected, got (tensor([2., 2.]),)"),
        (
            lambda x: torch.stack([x + 1, x * 2]),
            "not yet: 2 results are expected, got shape (2, 2)",
        ),
        (lambda x: 7, "not yet: 2 results are expected, got 7"),
    ],
)
def test_functions_of_several_results(answer, said, judge):
    assert judge(PAIR, answer).startswith(said)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ([0.5, 0.25], "correct"),
        ((0.5, 0.25), "correct"),
        (torch.tensor([0.5, 0.25]), "correct"),
        (torch.tensor([0.5, 0.25]).numpy(), "correct"),
        ([50, 25], "not yet: these are percent"),
        (torch.tensor([50, 25]), "not yet: these are percent"),
        ([0.5, 0.3], "not yet: [0.5, 0.3] is not correct"),
        ([0.5], "not yet: a list of 2 numbers is expected, got the list [0.5]"),
        ([0.5, 0.25, 0], "not yet: a list of 2 numbers is expected, got the list [0.5, 0.25, 0]"),
        ("half", "not yet: a list of 2 numbers is expected, got the str 'half'"),
        (0.5, "not yet: a list of 2 numbers is expected, got the float 0.5"),
        (NUMBERS.reference, "not yet: a value is expected, got <lambda>, which must be called"),
        ([math.sin, 0.25], "not yet: [<built-in function sin>, 0.25] is not correct"),
        (["0." + "5" * 99, 0.25], "not yet: ['0.555"),
        (torch.ones(3), "not yet: the shape is (3,), expected (2,)"),
        (torch.ones(3, 3).numpy(), "not yet: the shape is (3, 3), expected (2,)"),
        (torch.tensor([0.5, 0.25 + 1j]), "not yet: the dtype is torch.complex64"),
        (object(), "not yet: 2 results are expected, got <object object>"),
    ],
)
def test_values(answer, said, judge):
    assert judge(NUMBERS, answer).startswith(said)


def test_texts_and_truth_values(judge):
    assert judge(ValueExercise(lambda: "n²"), "n²") == "correct"
    assert judge(ValueExercise(lambda: "n²"), "n") == "not yet: 'n' is not correct"
    assert judge(ValueExercise(lambda: True), True) == "correct"
    assert judge(ValueExercise(lambda: True), False) == "not yet: False is not correct"


def test_hidden_scores_may_be_compared(judge):
    hide = FunctionExercise(
        lambda x: x.masked_fill(x < 1, -math.inf), lambda: [(torch.arange(3.0),)]
    )
    assert judge(hide, hide.reference) == "correct"
    assert "differ by up to 0.5;" in judge(hide, lambda x: hide.reference(x) + 0.5)
    assert "finite that should be" in judge(hide, lambda x: x.masked_fill(x < 1, -1e6))
    assert "contains infinite" in judge(hide, lambda x: x.masked_fill(x < 2, -math.inf))


def test_a_list_that_is_changed_is_noticed_and_the_reference_gets_its_own(judge):
    total = FunctionExercise(sum, lambda: [([1, 2, 3],)])
    assert judge(total, lambda numbers: sum(numbers)) == "correct"
    said = judge(total, lambda numbers: numbers.pop() + sum(numbers))
    assert (
        said == "not yet: The result is right, but your function changes its input. Work on a copy."
    )


def test_an_answer_that_works_with_gradients(judge):
    assert judge(SOFTMAX, lambda x: x.requires_grad_().softmax(-1)) == "correct"


def test_an_edit_leaves_the_function_and_what_stands_around_it_alone():
    around = dict(globals())
    over_columns = checking.edited(softmax_rows, {"-1": "0"})
    assert over_columns(torch.eye(2)).sum(0).tolist() == [1, 1] and globals() == around


def how_many(x):
    return len(x)


def test_a_mistake_that_raises_is_named_by_its_very_error(judge):
    length = FunctionExercise(
        how_many, lambda: [([1],)], {"a list has no size": {"len(x)": "x.size"}}
    )
    assert judge(length, lambda x: x.size) == "not yet: a list has no size"
    assert judge(length, lambda x: x.width).startswith(
        "not yet: your code stops with AttributeError: "
    )
    assert judge(length, lambda x: 3) == "not yet: numbers differ by up to 2; the input was [1]"


def test_open_exercises(judge):
    even = OpenExercise(lambda answer: None if answer % 2 == 0 else f"{answer} is odd")
    assert judge(even, 4) == "correct"
    assert judge(even, 5) == "not yet: 5 is odd"
    assert judge(even, "a") == "not yet: Your answer must contain numbers only."


@pytest.mark.parametrize("number", ["0.9", "99.1", "", "1", "1.1.1", "01.1", 1.1])
def test_an_exercise_that_does_not_exist(number):
    rule = r'^exercise must be a number of the book such as "1\.1", as a string, got '
    with pytest.raises(ValueError, match=rule):
        check(number, None)
