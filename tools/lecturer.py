"""The lecturer's page of a chapter, from its speaker notes: a plan in minutes, then each demo.

A note belongs to what stands between the note before it and itself. From there the page takes the
questions to ask: what the reader is to predict.
"""

import re
from typing import NamedTuple

from cells import FURTHER, further, is_note, predictions, without_fold

MINUTES = re.compile(r"(?:(\d+) minutes?\W+)?(.*)", re.S)  # a note begins so
WRONG = re.compile(r"((?:the )?wrong (?:answer|guess)(?:e?s)? to expect:?)", re.I)


class Part(NamedTuple):
    """What a lecturer does with one stretch of a chapter.

    Attributes:
        title: the heading it stands under.
        minutes: how long it takes; 0 where the note does not say.
        note: the text of the speaker note, without the minutes.
        questions: what to ask before the cell that answers it is run.
        optional: whether it can be left out.
    """

    title: str
    minutes: int
    note: str
    questions: list
    optional: bool


def parts(cells):
    """The parts of a chapter, from its cells."""
    optional = further(cells)
    found, title, questions = [], "", []
    for i, cell in enumerate(cells):
        heading = re.search(r"^##(?: |# (?=\d+\.))(.+)", cell.source, re.M)  # or further: ### 5.8
        if cell.cell_type == "markdown" and heading:
            title = heading[1]
        if is_note(cell):
            minutes, text = MINUTES.match(without_fold(cell)).groups()
            found.append(Part(title, int(minutes or 0), text, questions, i in optional))
            questions = []
        elif cell.cell_type == "markdown":
            questions += predictions(cell)
    return found


def minutes(cells):
    """How long a lecture on a chapter is, by its notes, without *Going further*."""
    return sum(part.minutes for part in parts(cells) if not part.optional)


def page(name, cells):
    """The page, in Markdown, of the chapter whose file is called `name`."""
    title = re.match(r"# (.+)", cells[0].source)[1]
    plan = parts(cells)
    core = minutes(cells)
    extra = sum(part.minutes for part in plan if part.optional)
    lines = [f"# In class: {title}", "", f"[Chapter {int(name[:2])}](../{name}) by the minute:"]
    lines += ["what to ask before each demo, and the wrong answer to expect.", ""]
    lines += [f'<p class="go small"><a href="../slides/{name[:-6]}.html">The slides</a></p>', ""]
    lines += ["| from minute | part | takes |", "|---:|---|---:|"]
    clock = 0
    for part in filter(lambda part: part.minutes, plan):
        start = "later" if part.optional else clock
        lines.append(f"| {start} | {part.title} | {part.minutes} |")
        clock += 0 if part.optional else part.minutes
    lines += [f"| {core} | the end | |", "", f"Together {core} minutes"]
    lines[-1] += f", and {extra} for *{FURTHER}*, which can be left out." if extra else "."
    for part in plan:
        takes = f" ({part.minutes} minutes)" if part.minutes else ""
        lines += ["", f"## {part.title}{takes}"]
        for question in part.questions:
            lines += ["", ":::{admonition} Ask first", ":class: tip", question, ":::"]
        lines += ["", WRONG.sub(r"**\1**", part.note)]
    return "\n".join(lines) + "\n"
