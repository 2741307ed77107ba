"""The lecturer's page of a chapter, from its speaker notes: a plan in minutes, then each demo.

A note belongs to what stands between the note before it and itself. From there the page takes the
questions to ask (what the reader is to predict) and what can be moved while everybody watches.
"""

import re
from typing import NamedTuple

from cells import COMPARE, OPTIONAL, PREDICT, is_note, predictions, without_fold

LIVE = re.compile(r"^(?:\w+ = )?(live\.\w+|interact\.controls)\(", re.M)
# A note begins with its minutes, and before them with a ⊕ if its part can be left out.
MINUTES = re.compile(rf"({OPTIONAL} )?(?:(\d+) minutes?\W+)?(.*)", re.S)
REST = re.compile(r"\*\*(A rest|Half-way)\.\*\*")  # how the cell in the middle of a chapter begins
# How a sentence on a wrong answer begins, with what it is an answer to if a colon ends that.
_WRONG = r"(?:wrong (?:answer|guess)(?:e?s)?|slips?|mistakes?)(?: to expect)?"
WRONG = re.compile(
    rf"^((?:an? |the )?(?:\w+ )?{_WRONG}(?: (?:about|at|before|for|to|when)\b[^:.“\"]*(?=:))?:?)"
    r"|\b(the wrong answer to expect)",
    re.I,
)


class Part(NamedTuple):
    """What a lecturer does with one stretch of a chapter.

    Attributes:
        title: the heading it stands under.
        minutes: how long it takes; 0 where the note does not say.
        note: the text of the speaker note, without the minutes.
        questions: what to ask before the cell that answers it is run.
        live: what can be moved in it.
        optional: whether it can be left out.
    """

    title: str
    minutes: int
    note: str
    questions: list
    live: list
    optional: bool


def parts(cells):
    """The parts of a chapter, from its cells."""
    found, title, questions, live = [], "", [], []
    for cell in cells:
        heading = re.search(r"^## (.+)", cell.source, re.M)
        if cell.cell_type == "markdown" and heading:
            title = heading[1]
        if cell.cell_type == "code":
            live += LIVE.findall(cell.source)
        elif is_note(cell):
            extra, minutes, text = MINUTES.match(without_fold(cell)).groups()
            found.append(Part(title, int(minutes or 0), text, questions, live, bool(extra)))
            questions, live = [], []
        else:
            questions += predictions(cell)
    return found


def stated_minutes(cells):
    """The minutes that a chapter's first cell promises, or None."""
    stated = re.search(r"(\d+) minutes", cells[0].source)
    return int(stated[1]) if stated else None


class Length(NamedTuple):
    """How long a chapter is: its core, which is what stands before the summary and bears no ⊕, and
    its ⊕ part. Notes are no part of either; folded code is not shown.

    Attributes:
        words: of the core, with what is folded under *Compare*.
        lines: of code that the core shows.
        optional_words: of the ⊕ part.
        predicts, by_pencil: how many guesses the core asks for, and how many of them to reckon.
        figures: how many figures, tables and displayed formulas it has.
        live, tables: how many of them are live figures, and how many tables or formulas.
        drawn: how many figures more it has whose code is folded.
    """

    words: int
    lines: int
    optional_words: int
    predicts: int
    by_pencil: int
    figures: int
    live: int
    tables: int
    drawn: int


def length(cells):
    """The Length of a chapter, from its cells."""
    words = optional_words = lines = predicts = by_pencil = figures = live = tables = drawn = 0
    optional = deeper = False
    for cell in cells:
        heading = re.match(r"(##+) (.+)", cell.source) if cell.cell_type == "markdown" else None
        if heading and re.match(r"Summary|Checked claims|Exercises|Sources", heading[2]):
            break
        if heading and (heading[1] == "##" or not deeper):
            optional, deeper = OPTIONAL in heading[2], OPTIONAL in heading[2] and heading[1] == "##"
        if is_note(cell):
            continue
        if cell.cell_type == "markdown":
            text = without_fold(cell) if cell.source.startswith(COMPARE) else cell.source
            text = re.sub(r"<!--.*?-->|<details>.*?</details>|\]\([^)]*\)", "", text, flags=re.S)
            shown = len(re.findall(r"\$\$.+?\$\$|^\|[ :-]*-[-| :]*$", text, re.M | re.S))
            text = re.sub(r"\$\$.+?\$\$|\$[^$]*\$", "formula", text, flags=re.S)
            counted = len(re.findall(r"[\w'’]+", text))
            if optional:
                optional_words += counted
                continue
            words, figures, tables = words + counted, figures + shown, tables + shown
            guesses = PREDICT.findall(text)
            predicts += len(guesses)
            by_pencil += sum("pencil" in guess for guess in guesses)
        elif not optional:
            seen = [o.get("data", {}).get("text/html", "") for o in cell.outputs]
            live += sum("data-live" in html for html in seen)
            if cell.metadata.get("jupyter", {}).get("source_hidden"):
                drawn += sum(map(bool, seen))
            else:
                lines += sum(bool(line.strip()) for line in cell.source.splitlines())
                figures += sum(map(bool, seen))
    counts = words, lines, optional_words, predicts, by_pencil, figures, live, tables, drawn
    return Length(*counts)


def reading_minutes(cells):
    """Minutes that a student needs for the core, at least: whoever has to read again needs more.

    A word takes 0.3 s, a line of code 12 s, a guess a minute and a half, one by pencil three, and a
    figure, a table or a displayed formula one.
    """
    core = length(cells)
    guesses = 1.5 * (core.predicts + core.by_pencil)
    return core.words / 200 + core.lines / 5 + guesses + core.figures


def halves(cells):
    """Minutes that fresh readers take before the rest in the middle of a chapter, and after it.

    A word takes half a second, a line of code 7 s, a guess 1.4 minutes, one by pencil 4, a figure
    0.75, a live one 3.5, a table or a displayed formula 1. None for a chapter without a rest.
    """
    rests = [i for i, cell in enumerate(cells) if REST.match(cell.source)]
    ends = [i + 1 for i in rests[:1]]  # it says what the first half has given
    return [_minutes(length(part)) for end in ends for part in (cells[:end], cells[end:])] or None


def _minutes(core):
    guesses = 1.4 * (core.predicts - core.by_pencil) + 4 * core.by_pencil
    shown = (
        0.75 * (core.figures + core.drawn - core.live - core.tables) + 3.5 * core.live + core.tables
    )
    return core.words / 125 + core.lines / 9 + guesses + shown


def page(name, cells):
    """The page, in Markdown, of the chapter whose file is called `name`."""
    title = re.match(r"# (.+)", cells[0].source)[1]
    plan = parts(cells)
    core = sum(part.minutes for part in plan if not part.optional)
    extra = sum(part.minutes for part in plan if part.optional)
    lines = [f"# In class: {title}", "", f"What to do with [the chapter](../{name}) in class.", ""]
    deck = f"../slides/{name.removesuffix('.ipynb')}.html"
    lines += [f'<p class="go small"><a href="{deck}">The slides</a></p>', ""]
    lines += ["| from minute | part | takes |", "|---:|---|---:|"]
    clock = 0
    for part in filter(lambda part: part.minutes, plan):
        start = OPTIONAL if part.optional else clock
        lines.append(f"| {start} | {part.title} | {part.minutes} |")
        clock += 0 if part.optional else part.minutes
    lines += [f"| {core} | the end | |", "", f"Together {core} minutes"]
    lines[-1] += (
        f", and {extra} for what is marked {OPTIONAL} and can be left out." if extra else "."
    )
    for part in plan:
        takes = f" ({part.minutes} minutes)" if part.minutes else ""
        lines += ["", f"## {part.title}{takes}"]
        for question in part.questions:
            lines += ["", ":::{admonition} Ask first", ":class: tip", question, ":::"]
        lines += ["", _wrong_answers_in_bold(part.note)]
        if part.live:
            lines += ["", f"**To move live:** {', '.join(f'`{name}`' for name in part.live)}."]
    return "\n".join(lines) + "\n"


def _wrong_answers_in_bold(note):
    """The note with the beginning of each sentence on a wrong answer in bold."""
    sentences = re.split(r"(?:(?<=[.?!”\"])|(?<=[.?!]\)))\s+(?=[^a-z])", note)
    return " ".join(WRONG.sub(r"**\g<0>**", text, count=1) for text in sentences)
