"""A chapter's exercises for nbgrader: `python tools/assignment.py 03`, as `make assignment` does.

Writes build/assignment, a course folder of nbgrader with the assignment in source/. nbgrader takes
out the solutions and the hidden tests (generate_assignment), collects, and grades (autograde). A
hidden test asserts the verdict of the book's own `check`, which itself only prints.
"""

import pathlib
import re
import sys

import nbformat
import refresh
from cells import ROOT, is_setup, is_solution, taught
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from practice import checked, exercises, read

ANSWER = "# Your answer goes above this line."
SOLUTION = "### BEGIN SOLUTION\n{}\n### END SOLUTION"
TEST = """# Points: {points}, if `check` says that the answer is correct.
### BEGIN HIDDEN TESTS
from d2lattn_book.exercises import verdict

found = verdict({number!r}, {answer})
assert found.correct, found.message
### END HIDDEN TESTS"""
CONFIG = f"""c = get_config()  # noqa: F821 (nbgrader defines it)
c.CourseDirectory.course_id = "d2lattn"
c.ClearSolutions.code_stub = {{"python": {ANSWER!r}}}
"""


def assignment(path):
    """The exercises of the chapter at `path` with solutions, points and hidden tests."""
    first, *others = read(path)
    title = first.source.partition("\n")[0].removeprefix("# ")
    (setup,) = filter(is_setup, others)
    found = [cell for exercise in exercises(path) for cell in _cells(exercise)]
    head = new_markdown_cell(f"# Exercises: {title}", id="title"), setup
    cells = [*(_rights(cell, locked=True) for cell in head), *found]
    return new_notebook(cells=cells, metadata={"kernelspec": refresh.KERNEL})


def _cells(exercise):
    """The cells of an exercise: task, what is given, answer, hidden test."""
    number, points, cells = exercise
    (last,) = (i for i, cell in enumerate(cells) if is_solution(cell))
    task, *given, start = cells[:last]
    task.source = re.sub(r" · \[chapter .*", f" · Points: {points}", task.source, count=1)
    check, answer = checked(start.source, number)
    before, expression = checked(cells[last].source, number)
    _, solved = cells[last].source.partition(before)[0].split("\n", 1)
    if expression != answer:
        solved += f"{answer} = {expression}"
    solved = SOLUTION.format(solved.strip())
    start.source = start.source.replace(check, f"{solved}\n\n{check}")
    test = new_code_cell(
        TEST.format(points=points, number=number, answer=answer), id=f"{task.id}-t"
    )
    return [
        *(_rights(cell, locked=True) for cell in (task, *given)),
        _rights(start, solution=True),
        _rights(test, grade=True, points=points, locked=True),
    ]


def _rights(cell, **rights):
    """A cell with what nbgrader has to know of it."""
    known = dict(schema_version=3, locked=False, solution=False, grade=False, task=False)
    cell.metadata.nbgrader = nbformat.from_dict({"grade_id": cell.id, **known, **rights})
    return cell


def write(chapter, target):
    """Write the assignment of a chapter, "03", into the course folder `target`."""
    paths = [path for path in taught() if path.name.startswith(f"{chapter}_")]
    if not paths:
        sys.exit(f"CHAPTER must be a chapter with exercises, such as 03, got {chapter!r}")
    notebook = assignment(paths[0])
    folder = target / "source" / f"chapter_{chapter}"
    folder.mkdir(parents=True, exist_ok=True)
    (target / "nbgrader_config.py").write_text(CONFIG, encoding="utf-8")
    nbformat.write(notebook, folder / f"exercises_{chapter}.ipynb")
    print(folder / f"exercises_{chapter}.ipynb")


if __name__ == "__main__":
    number = sys.argv[1] if sys.argv[1:] else ""
    write(number, pathlib.Path(sys.argv[2]) if sys.argv[2:] else ROOT / "build" / "assignment")
