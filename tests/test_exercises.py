"""`check` says what is wrong: every exercise of every chapter, and the machinery itself."""

import importlib
import math
import pkgutil

import pytest
import torch

import d2lattn
from d2lattn import exercises
from d2lattn.exercises import FunctionExercise, OpenExercise, ValueExercise, check, find

CHAPTERS = {
    int(module.name.removeprefix("chapter_")): importlib.import_module(
        f"d2lattn.exercises.{module.name}"
    ).EXERCISES
    for module in pkgutil.iter_modules(exercises.__path__)
    if module.name.startswith("chapter_")
}
BOOK = {number: spec for chapter in CHAPTERS.values() for number, spec in chapter.items()}
FUNCTIONS = [number for number, spec in BOOK.items() if isinstance(spec, FunctionExercise)]
OF_TENSORS = [n for n in FUNCTIONS if any(map(torch.is_tensor, BOOK[n].cases()[0]))]
SOLVED = [number for number, spec in BOOK.items() if not isinstance(spec, OpenExercise)]
MISTAKES = [(number, message) for number in SOLVED for message in BOOK[number].mistakes]


@pytest.fixture
def verdict(capsys):
    """What `check` prints, which must be exactly one line that starts with the number."""

    def ask(number, answer):
        capsys.readouterr()
        d2lattn.check(number, answer)
        printed = capsys.readouterr().out
        assert printed.count("\n") == 1
        assert printed.endswith("\n")
        assert printed.startswith(f"{number}: ")
        return printed.strip().removeprefix(f"{number}: ")

    return ask


@pytest.fixture
def judge(verdict, monkeypatch):
    """The verdict about an answer to an exercise made up for a test."""

    def ask(spec, answer):
        chapter = importlib.import_module("d2lattn.exercises.chapter_01")
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
    answer = spec.reference if isinstance(spec, FunctionExercise) else spec.reference()
    assert verdict(number, answer) == "correct"


@pytest.mark.parametrize("number", BOOK)
@pytest.mark.parametrize("blank", [None, ...])
def test_a_blank_is_not_attempted(number, blank, verdict):
    assert verdict(number, blank) == "not attempted yet"


def not_yet(*arguments):
    raise NotImplementedError


@pytest.mark.parametrize("number", FUNCTIONS)
@pytest.mark.parametrize("stub", [lambda *a: None, lambda *a: ..., not_yet])
def test_a_stub_is_not_attempted(number, stub, verdict):
    assert verdict(number, stub) == "not attempted yet"


@pytest.mark.parametrize(("number", "message"), MISTAKES)
def test_each_mistake_is_diagnosed_by_its_own_message(number, message, verdict):
    assert verdict(number, BOOK[number].mistakes[message]) == f"not yet: {message}"


@pytest.mark.parametrize("number", FUNCTIONS)
def test_another_wrong_answer_is_not_called_correct_nor_a_known_mistake(number, verdict):
    def unlike_any(*arguments):
        return "nonsense"

    said = verdict(number, unlike_any)
    assert said.startswith("not yet: ")
    assert all(message not in said for message in BOOK[number].mistakes)


@pytest.mark.parametrize("number", FUNCTIONS)
def test_an_error_in_the_answer_is_one_line(number, verdict):
    def breaks(*arguments):
        raise KeyError("first line\nsecond line")

    said = verdict(number, breaks)
    assert said.startswith("not yet: it stops with KeyError: ")
    assert said.count("line") <= 2


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
        == "not yet: the result is right, but the function changes its input"
    )


@pytest.mark.parametrize("number", BOOK)
def test_a_check_leaves_the_random_state_alone(number, verdict):
    state = torch.get_rng_state()
    spec = BOOK[number]
    if isinstance(spec, FunctionExercise):
        first, second = spec.cases(), spec.cases()
        assert exercises._difference(first, second) is None
        verdict(number, spec.reference)
    verdict(number, 0.123)
    assert torch.equal(torch.get_rng_state(), state)


def test_messages_are_one_line_and_end_without_a_stop():
    for _, message in MISTAKES:
        assert message == " ".join(message.split())
        assert not message.endswith(".")


# The machinery ------------------------------------------------------------------------------------


def softmax_rows(x):
    return x.softmax(-1)


MATRICES = [(torch.arange(6.0).reshape(2, 3),), (torch.eye(4),)]
SOFTMAX = FunctionExercise(
    softmax_rows,
    lambda: MATRICES,
    {
        "over the wrong axis": lambda x: x.softmax(0),
        "no exponential": lambda x: x / x.sum(-1)[:, None],
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
        (torch.nn.Softmax(dim=-1), "correct"),
        (lambda x: x.softmax(-1) + 1e-8, "correct"),
        (lambda x: x.softmax(0), "not yet: over the wrong axis"),
        (
            lambda x: x.softmax(-1) + 0.5,
            "not yet: numbers differ by up to 0.5 for input shape (2, 3)",
        ),
        (
            lambda x: x.softmax(-1)[0],
            "not yet: the shape is (3,), expected (2, 3) for input shape (2, 3)",
        ),
        (lambda x: x > 0, "not yet: the dtype is torch.bool, expected torch.float32"),
        (lambda x: x * math.nan, "not yet: the result contains NaN for input shape (2, 3)"),
        (lambda x: "text", "not yet: numbers are expected, got str for input shape (2, 3)"),
        (lambda x: {}, "not yet: numbers are expected, got dict"),
        (lambda x: x.softmax(-1) if len(x) == 2 else None, "not yet: numbers are expected"),
        (lambda x: x.softmax(-1) if len(x) == 2 else x, "not yet: numbers differ by up to "),
        (lambda: 0, "not yet: it stops with TypeError: "),
        (lambda x: x.nothing, "not yet: it stops with AttributeError: 'Tensor' object has no"),
        (lambda x: undefined, "not yet: it stops with NameError: name 'undefined'"),  # noqa: F821
        (lambda x: x.softmax_(-1), "not yet: it stops with AttributeError"),
        (
            lambda x: x.copy_(x.softmax(-1)),
            "not yet: the result is right, but the function changes",
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
        (lambda x: (x + 1, x * 3), "not yet: numbers differ by up to 1 "),
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
        ([0.5, 0.3], "not yet: [0.5, 0.3] is not it"),
        ([0.5], "not yet: [0.5] is not it"),
        ("half", "not yet: 'half' is not it"),
        (torch.ones(3), "not yet: the shape is (3,), expected (2,)"),
        (torch.ones(3, 3).numpy(), "not yet: array("),
    ],
)
def test_values(answer, said, judge):
    assert judge(NUMBERS, answer).startswith(said)


def test_texts_and_truth_values(judge):
    assert judge(ValueExercise(lambda: "n²"), "n²") == "correct"
    assert judge(ValueExercise(lambda: "n²"), "n") == "not yet: 'n' is not it"
    assert judge(ValueExercise(lambda: True), True) == "correct"
    assert judge(ValueExercise(lambda: True), False) == "not yet: False is not it"


def test_hidden_scores_may_be_compared(judge):
    hide = FunctionExercise(
        lambda x: x.masked_fill(x < 1, -math.inf), lambda: [(torch.arange(3.0),)]
    )
    assert judge(hide, hide.reference) == "correct"
    assert "differ by up to 1 " in judge(hide, lambda x: hide.reference(x) + 1)
    assert "differ by up to inf " in judge(hide, lambda x: x.masked_fill(x < 1, -1e6))


def test_a_list_that_is_changed_is_noticed_and_the_reference_gets_its_own(judge):
    total = FunctionExercise(sum, lambda: [([1, 2, 3],)])
    assert judge(total, lambda numbers: sum(numbers)) == "correct"
    said = judge(total, lambda numbers: numbers.pop() + sum(numbers))
    assert said == "not yet: the result is right, but the function changes its input"


def test_an_answer_that_works_with_gradients(judge):
    assert judge(SOFTMAX, lambda x: x.requires_grad_().softmax(-1)) == "correct"


def test_open_exercises(judge):
    even = OpenExercise(lambda answer: None if answer % 2 == 0 else f"{answer} is odd")
    assert judge(even, 4) == "correct"
    assert judge(even, 5) == "not yet: 5 is odd"
    assert judge(even, "a").startswith("not yet: it stops with TypeError: ")


@pytest.mark.parametrize("number", ["0.1", "1.0", "99.1", "x", "", None, 1.1, "1.1.1"])
def test_an_exercise_that_does_not_exist(number):
    with pytest.raises(
        ValueError, match=r'exercise must be a number of the book such as "1\.1", got'
    ):
        check(number, None)
    with pytest.raises(ValueError, match="got"):
        find(number)
