"""`make slides`: a deck for a room from every chapter, in build/slides; opens without network.

A slide has its section's title and, of what the chapter has there: the question to predict, an
output (a figure, a live figure or a few printed lines, drawn as bars if they are more than three),
and the sentence that is tagged `slide-line`; code only if it is tagged `slide-code`. What a hall
needs to hear and a page says elsewhere stands in a cell's metadata, under slideshow, as `says`: the
question with what it is about, the answer, or what a figure shows. All else is in the notes, what
the lecturer says first and code last: key s opens the speaker's view. What is marked ⊕ stays out,
unless `ALL=1` brings it. npm brings reveal.js and MathJax once; nothing else is needed, also not by
the live figures.
"""

import html
import os
import pathlib
import re
import sys

import cells
import nbformat
import printed
from cells import ROOT, tags
from nbconvert import SlidesExporter
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from nbformat.v4.nbbase import random_cell_id
from npm import bring

FILES = {  # what lies beside the pages, with the licences
    "reveal.js": ("dist", "plugin/notes", "LICENSE"),
    "mathjax": ("es5/tex-svg-full.js", "LICENSE"),
}
WORDS, ASKING, SAYING = 40, 17, 20  # the most on a slide, in a question, beside a question
BARS = 5  # lines of them below which a sentence stands
SECTION = re.compile(r"(##+) (.+)")
ASKED = re.compile(r"\*\*Predict\.\*\* ")

# nbconvert's slides, less what they would fetch. A figure takes all the room that words leave it.
TEMPLATE = (ROOT / "tools" / "slides.html.j2").read_text(encoding="utf-8")


def slides(target=ROOT / "build" / "slides", optional=False):
    """Write the decks, and what they need, into the folder `target`."""
    for package, names in FILES.items():
        bring(package, names, target / package)
    for path in decks():
        page = deck(nbformat.read(path, as_version=4), optional)
        (target / f"{path.stem}.html").write_text(page, encoding="utf-8")
        print(target / f"{path.stem}.html")


def decks():
    """The parts of the book that have something to put on slides."""
    return [
        path for path in cells.book() if re.search("Predict[.]|slide-line", path.read_text("utf-8"))
    ]


def deck(notebook, optional=False):
    """The page of a chapter; with what is marked ⊕ if `optional`."""
    exporter = SlidesExporter(
        raw_template=TEMPLATE,
        reveal_url_prefix="reveal.js",
        reveal_theme="white",  # its font lies beside it
        exclude_input_prompt=True,
        exclude_output_prompt=True,
    )
    found = Deck(notebook.cells, optional).slides
    shown = [cell for slide in found for cell in slide.cells()]
    title = {"title": found[0].title.removeprefix("# ") + " ·"}  # of the window: "… · slides"
    return exporter.from_notebook_node(new_notebook(cells=shown, metadata=title))[0]


class Slide:
    """One slide: `title` and `question` in Markdown, what is `shown`, the `line`, the `notes`."""

    def __init__(self, title, first=False):
        self.title, self.first = title, first
        self.question = self.line = ""
        self.shown, self.notes, self.live, self.drawn = [], [], False, False

    def words(self, more=""):
        answers = [cell.source for cell in self.shown if cell.cell_type == "markdown"]
        return words(" ".join((self.title, self.question, *answers, self.line, more)))

    def room_for(self, line):
        high = [cell for cell in self.shown if cell.cell_type == "code" and not is_low(cell)]
        most = SAYING if self.question and high else WORDS
        free = not (self.line or self.live or (self.drawn and "$$" in line))
        return free and self.words(line) <= most

    def is_bare(self):
        """Whether there is nothing below the title, or only what a cell has printed."""
        return not (self.question or self.line) and all(map(is_printed, self.shown))

    def shorten(self, line):
        """Leave of an answer in words, clause by clause, what has room above a sentence."""
        for cell in self.shown:
            while cell.cell_type == "markdown" and self.words(line) > WORDS and cell.source:
                less = re.sub(r"[.,:;] (?:(?![.,:;] ).)*$", ".", cell.source)
                cell.source = less if less != cell.source else ""
        self.shown = [cell for cell in self.shown if cell.source or cell.cell_type == "code"]

    def asks_only(self):
        return self.question and not (self.shown or self.line)

    def says_only(self):
        return not (self.question or self.shown or self.title.startswith("# "))

    def cells(self):
        """As cells of a notebook for nbconvert: what follows a question appears key by key."""
        later = "fragment" if self.question else "-"
        head = f"{self.title}\n\n{self.question}".strip()
        found = [told(new_markdown_cell(head), "slide" if self.first else "subslide")]
        notes = "\n\n".join(sorted(filter(None, self.notes), key=is_code))
        notes = re.sub(r"^#+ (.+)$", r"**\1**", notes, flags=re.M)
        found += [told(new_markdown_cell(notes), "notes")] if notes else []  # not in a fragment
        found += [told(cell, later) for cell in self.shown]
        return found + ([told(new_markdown_cell(self.line), later)] if self.line else [])


class Deck:
    """The slides of a chapter, made in one walk through its cells."""

    def __init__(self, chapter, optional):
        self.slides, self.title = [], ""
        left_out = deeper = False
        for cell in chapter:
            heading = SECTION.match(cell.source) if cell.cell_type == "markdown" else None
            if heading and heading[2].startswith(("Summary", "Checked claims", "Exercises")):
                break
            if heading and (heading[1] == "##" or not deeper):
                left_out = cells.OPTIONAL in heading[2]
                deeper = left_out and heading[1] == "##"
            hidden = cells.is_setup(cell) or cells.is_imports(cell) or cells.is_solution(cell)
            if not (hidden or left_out > optional):
                self.code(cell) if cell.cell_type == "code" else self.text(cell, heading)
        if self.slides[-1].is_bare():
            last = self.slides.pop()
            self.slides[-1].notes += last.notes
        for before, slide in zip(self.slides, self.slides[1:], strict=False):
            if slide.says_only() and not slide.first and not before.live and "$$" not in slide.line:
                slide.shown = copies(before.shown)  # of which it speaks
                slide.shorten("")

    def start(self, first=False):
        """A new slide, which takes over the notes of one on which nothing has come to stand."""
        last = self.slides.pop() if self.slides and self.slides[-1].is_bare() else None
        first = first or bool(last and last.first)
        self.slides.append(Slide(self.title if first else self.title.split(": ")[0], first))
        self.slides[-1].notes = last.notes if last else []
        return self.slides[-1]

    def text(self, cell, heading):
        compared = cells.COMPARE in cell.source
        folded = cells.is_note(cell) or compared
        source = cells.without_fold(cell) if folded else cell.source
        if compared and self.slides[-1].asks_only():
            self.answer(says(cell) or source)
        elif compared and says(cell) and not ASKED.search(source):
            self.told(says(cell))
        if chapter := re.match(r"# (.+)\n+\*\*(.+\?)\*\*\s*", source):
            self.title = f"# {chapter[1]}"
            self.section = self.start(first=True)
            self.section.line = f"**{chapter[2]}**"
            source = source[chapter.end() :]
        elif heading and heading[1] == "##":
            self.title = heading[0]
            self.section = self.start(first=True)
            source = source[heading.end() :].strip()
        elif heading:
            self.start()
        before, *asked = ASKED.split(source, 1)
        if "slide-line" in tags(cell):
            self.say(source)
        elif cells.is_note(cell):
            self.section.notes.insert(0, source)
        elif asked:
            self.slides[-1].notes.append(before.strip())
            self.ask(says(cell) or brief(asked[0]))
            self.slides[-1].notes.append(asked[0])
        else:
            self.slides[-1].notes.append(source)

    def say(self, line):
        """Onto this slide if there is room; if not, onto the next, and what it speaks of stays."""
        slide = self.slides[-1]
        spoken = slide.shown and all(cell.cell_type == "markdown" for cell in slide.shown)
        if spoken and words(f"{slide.title} {slide.question} {line}") <= WORDS:
            slide.shorten(line)  # one answer, and not the same one again
        if not (slide.room_for(line) or slide.is_bare()):
            kept = [] if slide.line or slide.live or "$$" in line else slide.shown
            slide = self.start()
            slide.shown = copies(kept)
            slide.shorten(line)
        slide.line = line

    def answer(self, text):
        """Of a question that nothing on a slide answers: the first sentences that compare."""
        text = re.sub(r" ?\[†\]\([^)]*\)(<!--.*?-->)?", "", text.strip().split("\n\n")[0])
        sentences = re.split(r"(?<=[.?!]) +", text)
        if self.slides[-1].words(sentences[0]) > WORDS:
            self.start()
        slide, said = self.slides[-1], sentences.pop(0)
        while sentences and slide.words(f"{said} {sentences[0]}") <= SAYING:
            said += f" {sentences.pop(0)}"
        slide.shown = [new_markdown_cell(said)]

    def told(self, answer):
        """Below what was shown; of a live figure with the question once more, after the hands."""
        slide = self.slides[-1]
        if not slide.live:
            self.say(answer)
        else:
            question = slide.title.removeprefix("## ")
            slide = self.start()
            slide.question, slide.shown = question, [new_markdown_cell(answer)]

    def ask(self, question):
        """On a new slide, or below a sentence that stands alone."""
        slide = self.slides[-1]
        if slide.line and not slide.shown and slide.words(question) <= WORDS:
            question, slide.line = f"{slide.line}\n\n{question}", ""
        self.start().question = question

    def code(self, cell):
        outputs = [] if "slide-out" in tags(cell) else cell.outputs
        shown = [shown_output(output, cell) for output in outputs]
        figures = [output for output in shown if output and not printed.is_printed(output)]
        shown = [new_code_cell(outputs=[output]) for output in figures or filter(None, shown)]
        if "slide-code" in tags(cell):
            shown.insert(0, new_code_cell(cell.source))
        slide, live = self.slides[-1], any(map(is_live, figures))
        told = slide.line and (slide.question or says(cell))  # all that is said there
        if shown and (slide.shown or told or (live and not slide.is_bare())):
            asked = slide.question.split("\n\n")[-1] if live and slide.asks_only() else ""
            slide = self.start()
            slide.title = f"## {asked}" if asked else slide.title  # a hand finds the answer
        slide.live, slide.drawn = slide.live or live, slide.drawn or bool(figures)
        slide.shown += shown
        if shown and says(cell):
            slide.line = says(cell)
        slide.notes.append(f"```python\n{cell.source}\n```")
        slide.notes += [f"```\n{said}\n```" for said in map(described, cell.outputs) if said]


def is_code(note):
    return note.startswith("```")


def says(cell):
    """What a cell says in a hall and not on the page; "" for most."""
    return cell.metadata.get("slideshow", {}).get("says", "")


def copies(shown):
    """Of cells, each with an id of its own: nbconvert warns of two that share one."""
    return [nbformat.from_dict({**cell, "id": random_cell_id()}) for cell in shown]


def told(cell, kind):
    cell.metadata.slideshow = {"slide_type": kind}
    if cell.cell_type == "code" and cell.outputs:
        cell.metadata.transient = {"remove_source": True}
    return cell


def words(text):
    """How many words a slide shows of a text in Markdown; a formula is one."""
    text = re.sub(r"\$\$.*?\$\$|\$[^$]*\$", "formula", text, flags=re.S)
    text = re.sub(r"<!--.*?-->|\]\([^)]*\)|^#+ ", "", text, flags=re.S)
    return sum(any(map(str.isalnum, word)) for word in text.split())


def brief(question):
    """Of its sentences as many as ask something in ASKING words, from the first if that can be."""
    parts = re.split(r"(?<=[.?!]) +", question.split("\n\n")[0])
    if words(question) <= ASKING or "?" not in question:
        return question
    runs = [parts[i:j] for i in range(len(parts)) for j in range(i + 1, len(parts) + 1)]
    runs = [run for run in runs if "?" in " ".join(run)]
    short = [run for run in runs if words(" ".join(run)) <= ASKING]
    first = [run for run in short if run[0] == parts[0]]
    run = max(first or short, key=lambda run: words(" ".join(run)), default=min(runs, key=len))
    return " ".join(run)


def is_printed(cell):
    return cell.cell_type == "code" and any(map(printed.is_printed, cell.outputs))


def is_low(cell):
    """Whether below what a cell has printed there is room for more than a line."""
    return is_printed(cell) and str(cell.outputs).count("<tr>") <= BARS


def is_live(output):
    return "data-live" in output.get("data", {}).get("text/html", "")


def picture(output):
    """The PNG of an output in base64, as matplotlib puts it out or in an `<img>`; else None."""
    data = output.get("data", {})
    found = re.search(r'<img [^>]*src="data:image/png;base64,([^"]*)', data.get("text/html", ""))
    return found[1] if found else data.get("image/png", "").strip() or None


def described(output):
    """An output in words: what was printed, or what a figure says of itself; "" if nothing."""
    said = output.get("text") or output.get("data", {}).get("text/plain", "")
    return "" if said.startswith("<Figure") else said.strip()


def shown_output(output, cell):
    """What a slide shows of an output: a picture, a live figure, lines or bars; else None."""
    if output.output_type == "stream":
        text = printed.shown(output.text.rstrip())
        return text and new_output("display_data", {"text/html": text})
    if is_live(output):
        return output
    if png := picture(output):
        said = html.escape(" ".join(filter(None, map(described, cell.outputs))))
        source = f"data:image/png;base64,{png}"
        shown = f'<img src="{source}" alt="{said}" data-cell="{cell.id}">'
        return new_output("display_data", {"text/html": shown})
    return None


if __name__ == "__main__":
    slides(*map(pathlib.Path, sys.argv[1:]), optional=os.environ.get("ALL") == "1")
