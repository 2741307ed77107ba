"""All exercises in one notebook, by topic and difficulty: `python tools/practice.py [file]`.

It is made of the chapters, so that nothing is written twice: `make lab` lays it beside them, and
the website shows it as a page. Each of its cells of code imports and defines what it needs, and
runs alone; what a solution shows after its `check` stays in the chapter. Appendix 92 asks for
triton and keeps its two exercises.
"""

import ast
import itertools
import os
import pathlib
import re
import sys
from typing import NamedTuple

import nbformat
import refresh
from alone import alone
from cells import AFTERWARDS, ROOT, chapters, is_setup, is_solution
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

TARGET = ROOT / "build" / "practice.ipynb"
TOPICS = {
    "Scores, attention weights, outputs": "1.1 1.2 1.3 1.4 1.5 2.1 2.2 2.3 2.4 2.5 2.6 3.1 3.2",
    "Masks, and a softmax that survives them": "1.6 3.3 3.4 3.5 3.6 4.5 10.1 10.2 10.4",
    "Heads": "4.1 4.2 4.3 4.4 4.6 4.7 9.4 10.5",
    "Positions": "6.1 6.2 6.3 6.4 6.5 6.6 6.7 7.1 7.2 7.3 7.4 7.5 7.6 7.7",
    "Who can reach whom": "5.1 5.2 5.6 8.4 8.7",
    "Long texts, piece by piece": "8.3 8.5 8.6 8.8 10.3 10.7",
    "What it costs": "5.3 5.4 5.5 8.1 8.2 9.2 10.6",
    "A model that generates, and what its heads do": "9.1 9.3 9.5 9.6 9.7 9.8 9.9",
    "Many cards, many texts": "11.1 11.2 11.3 11.4 11.5 11.6 12.1 12.2 12.3 12.4 12.5",
}
HEAD = """# Practice

**All exercises of the book on one page, by topic and difficulty.**

Each is the one of its chapter, and its cells run alone: in a notebook, choose one, write your \
answer, run the cell. `check` says in one line what is wrong and why. Two hints and the book's \
solution wait behind a click, in this order; take them one at a time. In your own copy, which \
`make lab` opens, `progress()` says what you have solved, here and in the chapters.

| topic | ●○○ | ●●○ | ●●● |
|---|---|---|---|
"""
PROGRESS = "from d2lattn_book.exercises import progress\n\nprogress()"
HINT = re.compile(r"\s*<details><summary>Hint</summary>\s*(.*?)\s*</details>", re.S)


class Exercise(NamedTuple):
    """An exercise as the page has it: ●s, and cells: task, where it starts, solution, remarks."""

    number: str
    level: int
    cells: list


def practice(anchor=lambda cell: f"cell-id={cell.id}"):
    """The notebook; `anchor` says how its table leads to a cell."""
    found = {exercise.number: exercise for path in chapters() for exercise in exercises(path)}
    table, body = [], list(_questions(chapters()[0]))
    for topic, numbers in TOPICS.items():
        body.append(new_markdown_cell(f"## {topic}", id=f"topic-{len(table) + 1}"))
        chosen = sorted((found[number] for number in numbers.split()), key=lambda each: each.level)
        links = {1: [], 2: [], 3: []}
        for number, level, cells in chosen:
            links[level].append(f"[{number}](practice.ipynb#{anchor(cells[0])})")
            body += cells
        table.append(f"| {topic} | {' | '.join(map(', '.join, links.values()))} |")
    (setup,) = filter(is_setup, read(chapters()[1]))
    head = [
        new_markdown_cell(HEAD + "\n".join(table), id="practice"),
        setup,
        new_code_cell(PROGRESS, id="progress"),
    ]
    return new_notebook(cells=[*head, *body], metadata={"kernelspec": refresh.KERNEL})


def exercises(path):
    """The exercises of the chapter at `path`, in its order."""
    cells = read(path)
    begins = [i for i, cell in enumerate(cells) if _is_heading(cell)] + [len(cells)]
    for start, end in itertools.pairwise(begins):
        if "### Exercise " in cells[start].source:
            part = next(cell.id for cell in cells if cell.source.startswith("## Exercises"))
            yield _exercise(cells[:start], cells[start:end], f"{path.name}#cell-id={part}")


def read(path):
    """The cells of a chapter, which is valid."""
    return nbformat.v4.reads(path.read_text(encoding="utf-8")).cells


def _is_heading(cell):
    return cell.cell_type == "markdown" and cell.source.startswith("#")


def _exercise(above, cells, place):
    """An exercise of its cells, of those above it in the chapter, and of its place there."""
    texts = [cell.source for cell in cells if cell.cell_type == "markdown"]
    task, *after = [text for text in texts if text.startswith(("#", AFTERWARDS))]
    title, marks, task = task[task.index("### Exercise ") :].split("\n", 2)
    number, name = re.fullmatch(r"### Exercise ([\d.]+) · (.+)", title).groups()
    own = f"exercise-{number.replace('.', '-')}"
    hints = HINT.search("\n".join(texts))[1].split("\n\n", 1)
    folds = [
        f"<details><summary>A {step} hint</summary>\n\n{hint}\n\n</details>"
        for step, hint in zip(("first", "second"), hints, strict=True)
    ]
    chapter = f"[chapter {number.partition('.')[0]}]({place})"
    task = f"### {number} · {name}\n{marks} · {chapter}\n\n{HINT.sub('', task).strip()}"
    made = [new_markdown_cell("\n\n".join([task, *folds]), id=own)]
    code = [cell for cell in cells if cell.cell_type == "code"]
    (solution, *_) = filter(is_solution, code)
    check, _ = checked(solution.source, number)
    solved = solution.source.partition(check)[0] + check
    starts = [cell.source for cell in code if not is_solution(cell)]
    ours = [cell.source for cell in above if cell.cell_type == "code" and not is_setup(cell)]
    given = [source for source in ours if not source.startswith("# @title Solution")]
    for i, source in enumerate(starts):
        text = alone(source, given + starts[:i], imports_for=solved)
        made.append(new_code_cell(text, id=f"{own}-{i}"))
    title, body = solved.split("\n", 1)
    text = f"{title}\n{alone(body, ours + starts)}"
    made.append(new_code_cell(text, id=f"{own}-s", metadata=solution.metadata))
    made += [new_markdown_cell(text, id=f"{own}-a") for text in after]
    return Exercise(number, marks.count("●"), made)


def checked(source, number):
    """(the call of `check` in a cell, what it is given to check), as they are written there."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and ast.unparse(node).startswith(f"check({number!r}, "):
            return tuple(ast.get_source_segment(source, part) for part in (node, node.args[1]))
    raise ValueError(f"exercise {number} must end in check({number!r}, …), got\n{source}")


def _questions(path):
    """The questions of chapter 0, which stand in two lists there."""
    cells = read(path)
    yield new_markdown_cell("## Before chapter 1, and after chapter 0", id="topic-0")
    asked = itertools.groupby(cells, key=lambda cell: cell.source.startswith('check("0.'))
    lists = [[cells.index(cell) for cell in group] for is_check, group in asked if is_check]
    for checks in sorted(lists, key=lambda checks: cells[checks[0]].source):
        above = [cell.source for cell in cells[1 : checks[0]] if cell.cell_type == "code"]
        task, answers = cells[checks[0] - 1], cells[checks[-1] + 1]
        yield new_markdown_cell(re.sub(r"^#+ .*\n+", "", task.source), id=task.id)
        for i in checks:
            yield new_code_cell(alone(cells[i].source, above), id=cells[i].id)
        yield new_markdown_cell(answers.source, id=answers.id)


def write(target=TARGET):
    """Write the notebook in one step, whoever else writes it; return its path."""
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_suffix(f".{os.getpid()}")
    nbformat.write(practice(), part)
    return part.replace(target)


if __name__ == "__main__":
    print(write(*map(pathlib.Path, sys.argv[1:2])))
