"""The chapters for students: `python tools/student.py [folder]`, as `make student` does.

Solutions, the remarks that follow them and the lecturer's notes are left out, and the cells where
an exercise starts have no stored output. All else is as in the book, and is still compared.
"""

import pathlib
import re
import sys

import nbformat

import notebooks

ROOT = pathlib.Path(__file__).resolve().parent.parent
AFTERWARDS = "<details><summary>After you have solved it</summary>"


def is_solution(cell):
    """Whether a cell is the solution of an exercise."""
    return "solution" in cell.metadata.get("tags", [])


def is_for_students(cell):
    """Whether a cell gives no answer away."""
    is_note = cell.metadata.get("slideshow", {}).get("slide_type") == "notes"
    return not (is_solution(cell) or is_note or cell.source.startswith(AFTERWARDS))


def edition(notebook):
    """The notebook without what is not for students."""
    notebook.cells = [cell for cell in notebook.cells if is_for_students(cell)]
    notebooks.normalise(notebook)
    in_exercises = False
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and re.search(r"^## ", cell.source, re.M):
            in_exercises = "## Exercises" in cell.source
        if in_exercises and cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
            # What is run here is the student's own, so nbval has nothing to compare it with.
            cell.metadata.tags = [*cell.metadata.get("tags", []), "nbval-ignore-output"]
    return notebook


def write(target):
    """Write the student edition of chapters and appendices into the folder `target`."""
    target.mkdir(parents=True, exist_ok=True)
    for path in notebooks.book():
        nbformat.write(edition(nbformat.read(path, as_version=4)), target / path.name)
    print(f"{target}: {len(list(target.glob('*.ipynb')))} notebooks")


if __name__ == "__main__":
    write(pathlib.Path(sys.argv[1]) if sys.argv[1:] else ROOT / "build" / "student")
