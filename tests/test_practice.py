"""practice.ipynb, made of the chapters: it holds every exercise, and each cell runs alone."""

import itertools
import linecache
import re

import nbformat
import practice
import pytest
from cells import chapters, is_setup, is_solution
from sections import slug

from website import build

NOTEBOOK = practice.practice()
CODE = [cell for cell in NOTEBOOK.cells if cell.cell_type == "code" and not is_setup(cell)]
TASKS = [cell for cell in NOTEBOOK.cells if re.match(r"### \d", cell.source)]


def test_every_exercise_of_the_chapters_stands_there_once():
    text = "\n".join(path.read_text(encoding="utf-8") for path in chapters())
    stored = re.findall(r"### Exercise (\d+\.\d+) ", text)
    numbers = [re.match(r"### (\d+\.\d+) ", task.source)[1] for task in TASKS]
    assert sorted(numbers) == sorted(stored), "each stands under one of TOPICS, tools/practice.py"
    assert not [task.id for task in TASKS if "]()" in task.source]  # each leads to its chapter
    assert {*re.findall(r"cell-id=exercise-([\d-]+)\)", NOTEBOOK.cells[0].source)} == {
        number.replace(".", "-") for number in stored
    }
    asked = "\n".join(cell.source for cell in CODE)
    assert re.findall(r'check\("(0\.\d)"', asked) == [f"0.{i}" for i in range(1, 9)]
    texts = [cell.source for cell in NOTEBOOK.cells if cell.cell_type == "markdown"]
    assert not [text for text in texts if text.startswith("check(")]  # no cell of code is a text
    nbformat.validate(NOTEBOOK)


def test_a_topic_goes_from_easy_to_hard():
    levels = [
        0 if cell.source.startswith("## ") else cell.source.split("\n")[1].count("●")
        for cell in NOTEBOOK.cells
        if cell.source.startswith("## ") or cell in TASKS
    ]
    assert all(a <= b or b == 0 for a, b in itertools.pairwise(levels)) and levels.count(0) == 10


def test_two_hints_stand_before_the_solution():
    for task in TASKS:
        hints = re.findall(r"<summary>A (\w+) hint</summary>\n\n(.+?)\n\n</det", task.source, re.S)
        assert [step for step, _ in hints] == ["first", "second"], task.source
        assert "<summary>Hint" not in task.source and "details" not in hints[0][1] + hints[1][1]
        after = NOTEBOOK.cells[NOTEBOOK.cells.index(task) + 1 :]
        code = [is_solution(cell) for cell in after if cell.cell_type == "code"]
        assert code.index(True) in (1, 2)


def test_a_starter_imports_what_the_solution_needs():
    for task in TASKS:
        own = [cell for cell in CODE if re.fullmatch(rf"{task.id}-(\d|s)", cell.id)]
        start, solution = ({*re.findall(r"^(?:import|from) .+", c.source, re.M)} for c in own[-2:])
        inside = {line for line in solution if "flex_attention" in line}  # 10.4 shows it, too
        assert solution - inside <= start and "from d2lattn_book import check" in start, task.id


@pytest.mark.parametrize("cell", CODE, ids=lambda cell: cell.id.removeprefix("exercise-"))
def test_each_cell_runs_alone(cell, capsys, tmp_path, monkeypatch):
    kept = tmp_path / "solved.json"
    monkeypatch.setenv("D2LATTN_SOLVED", str(kept))
    lines = cell.source.splitlines(keepends=True)
    monkeypatch.setitem(linecache.cache, cell.id, (len(cell.source), None, lines, cell.id))
    exec(compile(cell.source, cell.id, "exec"), {})
    said = capsys.readouterr().out
    if is_solution(cell):
        assert said.endswith(": correct (the book's solution)\n")
        assert not kept.exists()  # nothing is counted as solved
    else:
        assert said.count(": not attempted yet\n") == cell.source.count("check(")
    assert cell.outputs == []


def test_the_page_links_within_itself_and_hides_what_waits_for_a_click():
    page = build.practice_page()
    texts = [cell.source for cell in page.cells if cell.cell_type == "markdown"]
    links = re.findall(r"\(practice\.ipynb#([^)]+)\)", texts[0])
    headings = [slug(line) for text in texts for line in re.findall(r"^##+ (.+)", text, re.M)]
    assert len(links) == len(TASKS) and {*links} <= {*headings} and "cell-id" not in "".join(texts)
    hidden = [cell for cell in page.cells if "hide-cell" in cell.metadata.get("tags", [])]
    assert [cell.source.startswith("# @title") for cell in hidden] == [False] * len(TASKS)
