"""A chapter's exercises for nbgrader: `python tools/assignment.py 03`, as `make assignment` does.

Writes build/assignment, a course folder of nbgrader with the assignment in source/. nbgrader takes
out the solutions and the hidden tests (generate_assignment), collects, and grades (autograde). A
hidden test asserts the verdict of the book's own `check`, which itself only prints.
"""

import ast
import pathlib
import re
import sys

import nbformat
from cells import ROOT, chapters, is_setup, is_solution, names
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

import notebooks

ANSWER = "# Your answer goes above this line."
SOLUTION = "### BEGIN SOLUTION\n{}\n### END SOLUTION"
TEST = """# {points}, if `check` says that the answer is correct.
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
    cells = nbformat.read(path, as_version=4).cells
    headers = [i for i, cell in enumerate(cells) if "### Exercise " in cell.source]
    if not headers:
        sys.exit(f"{path.name} has no exercises")
    exercises = [part for i in headers for part in _exercise(cells[i:])]
    title = cells[0].source.partition("\n")[0].removeprefix("# ")
    head = [new_markdown_cell(f"# Exercises: {title}", id="title")]
    for i, cell in enumerate(_needed(cells[: headers[0]], exercises)):
        head.append(new_code_cell(cell.source, id=f"given-{i}"))
    for cell in head:
        cell.metadata.nbgrader = _rights(cell.id, locked=True)
    return new_notebook(cells=head + exercises, metadata={"kernelspec": notebooks.KERNEL})


def _exercise(cells):
    """The cells of an exercise: task, answer, test, from the chapter's cells from its header on."""
    task = cells[0].source[cells[0].source.index("### Exercise ") :]
    number = re.match(r"### Exercise (\d+\.\d+)", task)[1]
    code = [cell for cell in cells if cell.cell_type == "code"]
    first = next(i for i, cell in enumerate(code) if f'check("{number}", ' in cell.source)
    start = code[first].source
    solution = next(cell for cell in cells if is_solution(cell)).source
    check, answer = _checked(start, number)
    solved = SOLUTION.format(_solved(solution, number, answer))
    points = task.split("\n")[1].count("●")
    worth = "1 point" if points == 1 else f"{points} points"
    test = TEST.format(points=worth, number=number, answer=answer)
    name = number.replace(".", "-")
    parts = [
        (new_markdown_cell(f"{task}\n\nPoints: {points}", id=f"task-{name}"), dict(locked=True)),
        *(
            (new_code_cell(cell.source, id=f"given-{name}-{i}"), dict(locked=True))
            for i, cell in enumerate(code[:first])
        ),
        (
            new_code_cell(start.replace(check, f"{solved}\n\n{check}"), id=f"answer-{name}"),
            dict(solution=True),
        ),
        (new_code_cell(test, id=f"test-{name}"), dict(grade=True, points=points, locked=True)),
    ]
    for cell, rights in parts:
        cell.metadata.nbgrader = _rights(cell.id, **rights)
    return [cell for cell, _ in parts]


def _solved(solution, number, answer):
    """A solution up to where it is checked, which gives the answer its name instead."""
    check, expression = _checked(solution, number)
    before = re.sub(r"\A# @title Solution .*", "", solution.partition(check)[0]).strip()
    return before if expression == answer else f"{before}\n{answer} = {expression}".strip()


def _rights(name, *, locked=False, solution=False, grade=False, **points):
    """What nbgrader has to know of a cell."""
    flags = dict(locked=locked, solution=solution, grade=grade, task=False)
    return nbformat.from_dict({"grade_id": name, "schema_version": 3, **flags, **points})


def _checked(source, number):
    """(the call of `check` in a cell, what it is given to check), as they are written there."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and ast.unparse(node).startswith(f"check({number!r}, "):
            return tuple(ast.get_source_segment(source, part) for part in (node, node.args[1]))
    raise ValueError(f"exercise {number} must end in check({number!r}, …), got\n{source}")


def _needed(cells, exercises):
    """The chapter's code cells that define what the exercises use, in order."""
    code = [cell for cell in exercises if cell.cell_type == "code"]
    wanted = set().union(*(names(cell.source).used for cell in code))
    needed = []
    for cell in reversed([cell for cell in cells if cell.cell_type == "code"]):
        defined, used, _ = names(cell.source)
        if defined & wanted or is_setup(cell):
            source = cell.source if is_setup(cell) else _imported(cell.source, wanted)
            needed.insert(0, nbformat.from_dict({**cell, "source": source}))
            wanted = (wanted - defined) | used
    return needed


def _imported(source, wanted):
    """A cell without the imports of names that are not wanted after it, nor used in it."""
    tree = ast.parse(source)
    wanted = wanted | {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    imports = [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
    lines = [ast.get_source_segment(source, node) for node in imports]
    for node, line in zip(imports, lines, strict=True):
        node.names = [a for a in node.names if (a.asname or a.name.split(".")[0]) in wanted]
        source = source.replace(line, ast.unparse(node) if node.names else "", 1)
    return re.sub(r"\n{2,}", "\n\n", source).strip()


def write(chapter, target):
    """Write the assignment of a chapter, "03", into the course folder `target`."""
    paths = chapters([chapter]) if re.fullmatch(r"\d\d", chapter) else []
    if not paths:
        sys.exit(f"CHAPTER must be the number of a chapter such as 03, got {chapter!r}")
    exercises = assignment(paths[0])
    folder = target / "source" / f"chapter_{chapter}"
    folder.mkdir(parents=True, exist_ok=True)
    (target / "nbgrader_config.py").write_text(CONFIG, encoding="utf-8")
    nbformat.write(exercises, folder / f"exercises_{chapter}.ipynb")
    print(folder / f"exercises_{chapter}.ipynb")


if __name__ == "__main__":
    number = sys.argv[1] if sys.argv[1:] else ""
    write(number, pathlib.Path(sys.argv[2]) if sys.argv[2:] else ROOT / "build" / "assignment")
