"""The lecturer's page of a chapter, from its speaker notes: a plan in minutes, then each demo.

A note belongs to what stands between the note before it and itself. From there the page takes the
questions to ask, as the slides show them, each with what it gives and its answer.
"""

import re
from typing import NamedTuple

from cells import COMPARE, EVIDENCE, FURTHER, further, is_note, predictions, tags, without_fold

STANDS = ("definition", "formula", "board")  # on slides of their own
LINK = re.compile(r"\[([^]]+)\]\((?!http)[^)]*\)")  # within the book
MINUTES = re.compile(r"(?:(\d+) minutes?\W+)?(.*)", re.S)  # a note begins so
WRONG = re.compile(r"((?:the )?wrong (?:answer|guess)(?:e?s)? to expect:?)", re.I)


class Part(NamedTuple):
    """What a lecturer does with one stretch of a chapter.

    Attributes:
        title: the heading it stands under.
        minutes: how long it takes; 0 where the note does not say.
        note: the text of the speaker note, without the minutes.
        questions: what to ask before the answer comes; of each [question, what it gives, answer].
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
    found, title, stands, questions, waits = [], "", "", [], None
    for i, cell in enumerate(cells):
        is_text, said = cell.cell_type == "markdown", cell.metadata.get("slideshow", {})
        heading = re.search(r"^##(?: |# (?=\d+\.))(.+)", cell.source, re.M)  # or further: ### 5.8
        if is_text and heading:
            title, waits = heading[1], None
            stands = f" ({title.split()[0]})" if i in optional else ""  # the note may stand later
        if is_note(cell):
            minutes, text = MINUTES.match(without_fold(cell)).groups()
            text = text[:1].upper() + text[1:]
            found.append(Part(title, int(minutes or 0), text, questions, i in optional))
            questions = []
            continue
        asked = predictions(cell) if is_text else []
        if waits and is_text and COMPARE in cell.source:
            own = "" if asked else said.get("says")
            waits[2] = own or without_fold(cell).split("\n\n")[0]
            waits = None
        elif waits and cell.get("outputs") and not waits[2]:  # it answers, or a text below it does
            waits[2] = _answer(cell, said)
        if asked:
            question = said.get("says") or asked[0].split("\n\n")[0]
            waits = [question + stands, said.get("given", ""), ""]
            questions.append(waits)
        if "asks" in said:
            waits = [said["asks"], said.get("given", ""), _shown(cell, said)]
            questions.append(waits)
    return found


def _answer(cell, said):
    """What a slide shows of a cell of code below a question."""
    printed = "".join(output.get("text", "") for output in cell.outputs)
    return said.get("says") or (printed and f"```text\n{printed}```") or "The figure shows it."


def _shown(cell, said):
    """What a slide shows of a cell after its question."""
    if cell.cell_type == "code":
        return _answer(cell, said)
    kinds = [board(cell, kind) for kind in STANDS if kind in said]
    return "\n\n".join(kinds or ([cell.source] if "slide-line" in tags(cell) else []))


def board(cell, kind):
    """What a cell gives to the board as `kind`; "", or {shown} in it, is its table or list."""
    drawn = "\n".join(re.findall(r"^[|>-].*", cell.source, re.M))
    return cell.metadata.slideshow[kind].replace("{shown}", drawn) or drawn


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
    lines += ["what to ask, what is right, and which wrong answer to expect.", ""]
    lines += [f'<p class="go small"><a href="../slides/{name[:-6]}.html">The slides</a></p>', ""]
    lines += ["| from minute | part | takes |", "|---:|---|---:|"]
    clock = 0
    for part in filter(lambda part: part.minutes, plan):
        start = "later" if part.optional else clock
        lines.append(f"| {start} | {part.title} | {part.minutes} |")
        clock += 0 if part.optional else part.minutes
    lines += [f"| {core} | the end | |", "", f"Together {core} minutes"]
    lines[-1] += f", and {extra} for *{FURTHER}*, which is not on the slides." if extra else "."
    for part in plan:
        takes = f" ({part.minutes} minutes)" if part.minutes else ""
        lines += ["", f"## {part.title}{takes}"]
        for question, given, answer in part.questions:
            space = "\n\n" if re.match(r"[|$>`-]|1\. ", answer) else " "
            texts = [question, given, answer and f"**Answer.**{space}{answer}"]
            said = LINK.sub(r"\1", EVIDENCE.sub("", "\n\n".join(filter(None, texts))))
            lines += ["", ":::{admonition} Ask first", ":class: tip", said, ":::"]
        lines += ["", WRONG.sub(r"**\1**", part.note)]
    return "\n".join(lines) + "\n"
