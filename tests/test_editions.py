"""The student edition and the assignments: nothing is given away, and what is left runs."""

import itertools
import re
from pathlib import Path

import assignment
import nbformat
import pytest
import student
from cells import answers, book, starters, taught

ROOT = Path(__file__).resolve().parent.parent
STORED = book()
WITH_EXERCISES = taught()


def name(path):
    return path.name[:2]


def sources(cells):
    return "\n".join(cell.source for cell in cells)


def shown(cell):
    """What a code cell shows, without the number of the run."""
    return [output.get("data") or output.get("text") for output in cell.outputs]


@pytest.fixture(scope="module")
def edition(tmp_path_factory):
    folder = tmp_path_factory.mktemp("student")
    student.write(folder)
    return folder


def test_every_chapter_and_appendix_is_in_the_edition(edition):
    written = sorted(path.name for path in edition.iterdir())
    assert written == [path.name for path in STORED]


@pytest.mark.parametrize("path", STORED, ids=name)
def test_the_edition_gives_nothing_away(edition, path):
    stored, written = (nbformat.read(p, as_version=4) for p in (path, edition / path.name))
    nbformat.validate(written)
    text = sources(written.cells)
    for hint in ("# @title Solution", "<summary>For the lecturer", "After you have solved it"):
        assert hint not in text
    kept = {cell.id: cell for cell in written.cells}
    gone = [cell for cell in stored.cells if cell.id not in kept]
    if path in WITH_EXERCISES:
        assert "# @title Solution" in sources(gone) and "For the lecturer" in sources(gone)
    assert all(kept[cell.id].source == cell.source for cell in stored.cells if cell.id in kept)


@pytest.mark.parametrize("path", WITH_EXERCISES, ids=name)
def test_starters_and_answers_of_the_edition_have_no_output_and_all_else_has(edition, path):
    stored, written = (nbformat.read(p, as_version=4) for p in (path, edition / path.name))
    before = {cell.id: cell for cell in stored.cells}
    code = [cell for cell in written.cells if cell.cell_type == "code"]
    begun = {cell.id for cell in starters(stored.cells)}
    assert any(before[cell].outputs for cell in begun)
    answering = {stored.cells[i].id for i in answers(stored.cells)}
    assert answering and answering < before.keys()
    for cell in code:
        if cell.id in begun | answering:
            assert not cell.metadata.get("jupyter", {}).get("outputs_hidden")
            assert cell.outputs == [] and cell.execution_count is None
        else:
            assert shown(cell) == shown(before[cell.id])


def run(cells, replaced=()):
    """Run code cells as a kernel would, some of them replaced, and return what they define."""
    names = {}
    for cell in cells:
        if cell.cell_type == "code":
            exec(compile(dict(replaced).get(cell.id, cell.source), cell.id, "exec"), names)
    return names


@pytest.mark.parametrize("path", WITH_EXERCISES, ids=name)
def test_an_assignment_holds_all_exercises_and_its_solutions_earn_every_point(path, capsys):
    cells = assignment.assignment(path).cells
    stored = sources(nbformat.read(path, as_version=4).cells)
    tests = [cell for cell in cells if cell.metadata.nbgrader.grade]
    assert len(tests) == stored.count("\n### Exercise ") >= 4
    assert [cell.metadata.nbgrader.points for cell in tests] == [
        line.count("●") for line in stored.splitlines() if line[:3] in ("●○○", "●●○", "●●●")
    ]
    assert len({cell.metadata.nbgrader.grade_id for cell in cells}) == len(cells)
    assert all(cell.metadata.nbgrader.locked != cell.metadata.nbgrader.solution for cell in cells)
    run(cells)  # the hidden tests of the solutions raise nothing
    assert capsys.readouterr().out.count(": correct") >= len(tests)


@pytest.mark.parametrize("path", WITH_EXERCISES[2:3], ids=name)
def test_what_was_not_attempted_fails_its_hidden_test_and_no_answer_is_imported(path):
    cells = assignment.assignment(path).cells
    given = [cell for cell in cells if not (cell.metadata.nbgrader.solution or cell.id == "setup")]
    given = [cell for cell in given if not cell.metadata.nbgrader.grade]
    for answer, hidden in itertools.pairwise(cells):
        if answer.metadata.nbgrader.solution:
            begin, end = (answer.source.index(f"### {word} SOLUTION") for word in ("BEGIN", "END"))
            empty = answer.source[:begin] + answer.source[end:]
            assert not {"masked_softmax", "attention_weights"} & {*re.findall(r"\w+", empty)}
            with pytest.raises(AssertionError, match="not attempted yet"):
                run([*given, answer, hidden], {answer.id: empty})
