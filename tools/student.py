"""The chapters for students: `python tools/student.py [folder]`, as `make student` does.

Solutions, the remarks that follow them and the lecturer's notes are left out, and the cells where
an exercise starts or a **Predict.** is answered have no stored output. All else is as in the book,
and is still compared.
"""

import pathlib
import sys

import nbformat
import refresh
from cells import ROOT, answers, book, is_for_students, starters, tags


def edition(notebook):
    """The notebook without what is not for students."""
    notebook.cells = [cell for cell in notebook.cells if is_for_students(cell)]
    refresh.normalise(notebook)
    answering = [notebook.cells[i] for i in answers(notebook.cells)]
    for cell in answering:  # which has nothing left to hide
        cell.metadata.pop("collapsed", None)
        cell.metadata.get("jupyter", {}).pop("outputs_hidden", None)
    for cell in [*answering, *starters(notebook.cells)]:
        cell.outputs, cell.execution_count = [], None
        # Nothing is stored here, so nbval has nothing to compare with.
        cell.metadata.tags = sorted({*tags(cell), "nbval-ignore-output"})
    return notebook


def write(target):
    """Write the student edition of chapters and appendices into the folder `target`."""
    target.mkdir(parents=True, exist_ok=True)
    for path in book():
        nbformat.write(edition(nbformat.read(path, as_version=4)), target / path.name)
    print(f"{target}: {len(list(target.glob('*.ipynb')))} notebooks")


if __name__ == "__main__":
    write(pathlib.Path(sys.argv[1]) if sys.argv[1:] else ROOT / "build" / "student")
