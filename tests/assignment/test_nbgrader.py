"""An assignment on its way through nbgrader: `make test-assignment`, in the site's environment.

Generated, answered rightly, wrongly and not at all, graded in the book's kernel, exported.
"""

import csv
import os
import re
import subprocess
from pathlib import Path

import assignment
import nbformat
import pytest
from cells import chapters

ROOT = Path(__file__).resolve().parent.parent.parent
CLASS = ROOT / ".venv-site"
CHAPTER = os.environ.get("CHAPTER", "03")
NAME = f"chapter_{CHAPTER}"


def answers(path, course):
    """Cell id -> (the solution, something that is wrong) of the assignment in `course`."""
    source = nbformat.read(course / "source" / NAME / path, as_version=4)
    found = {}
    for cell in source.cells:
        if cell.metadata.nbgrader.solution:
            right = re.search(r"### BEGIN SOLUTION\n(.*)\n### END SOLUTION", cell.source, re.S)[1]
            answer = re.search(r'^check\("[\d.]+", (\w+)\)', cell.source, re.M)[1]
            found[cell.id] = right, f"{answer} = 12345"
    return found


def nbgrader(course, *arguments):
    bare = {key: value for key, value in os.environ.items() if not key.startswith("JUPYTER")}
    done = subprocess.run(
        [CLASS / "bin" / "nbgrader", *arguments],
        cwd=course,
        env={**bare, "PATH": f"{CLASS / 'bin'}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    course = tmp_path_factory.mktemp("course")
    assignment.write(CHAPTER, course)
    nbgrader(course, "generate_assignment", NAME)
    return course


@pytest.fixture(scope="module")
def released(course):
    (path,) = (course / "release" / NAME).glob("*.ipynb")
    return path


def test_what_students_get_has_no_solution_and_no_hidden_test(released):
    text = released.read_text(encoding="utf-8")
    assert "SOLUTION" not in text and "HIDDEN" not in text and "verdict" not in text
    cells = nbformat.read(released, as_version=4).cells
    assert sum(assignment.ANSWER in cell.source for cell in cells) >= 4


@pytest.fixture(scope="module")
def grades(course, released):
    """student -> (score, most that can be had)"""
    for student in ("right", "wrong", "empty"):
        notebook = nbformat.read(released, as_version=4)
        for cell in notebook.cells:
            written = answers(released.name, course).get(cell.id)
            if written and student != "empty":
                own = written[student == "wrong"]
                cell.source = cell.source.replace(assignment.ANSWER, own)
                assert own in cell.source
        target = course / "submitted" / student / NAME / released.name
        target.parent.mkdir(parents=True)
        nbformat.write(notebook, target)
    nbgrader(course, "autograde", NAME)
    nbgrader(course, "export", "--to", "grades.csv")
    with open(course / "grades.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {row["student_id"]: (float(row["score"]), float(row["max_score"])) for row in rows}


def test_right_answers_earn_every_point_wrong_and_empty_ones_none(grades):
    path = chapters([CHAPTER])[0]
    text = "\n".join(cell.source for cell in nbformat.read(path, as_version=4).cells)
    most = sum(line.count("●") for line in text.splitlines() if re.match("[●○]{3} · ", line))
    assert most >= 4
    assert grades == {"right": (most, most), "wrong": (0, most), "empty": (0, most)}
