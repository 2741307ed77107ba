"""`make slides`: a deck for a room from every chapter, in build/slides; opens without network.

A slide has its section's title and, of what the chapter has there: the question to predict, an
output (a figure, a live figure or a few printed lines, drawn as bars if they are more than three),
and the sentence that is tagged `slide-line`; code only if it is tagged `slide-code`. What a hall
needs and a page has elsewhere stands in a cell's metadata, under slideshow: as `says` the question,
the answer, or what a figure shows; as `given` what a question cannot be answered without; as
`definition`, `formula` and `board` what gets a slide of its own ("", or {shown} in it, is the
table, list or quotation of the cell; a formula without $$ is said of the cell's own); as `asks`
what is asked before one of these, or before an output, comes at the next key; as `names`
what its print calls otherwise; as `adds` what comes below what a slide shows ("": its own text); as
`model` what is measured on its slide and those after it, until the next, in the place of the
chapter's name; as `tell` what the lecturer does at its last slides, one text each.
The notes of a section's first slide begin with the section's note; then comes that, the answer, and
the beginning of the text that belongs to it. Code, folds, what is optional and a cell of the type
skip do not come.
"""

import ast
import html
import pathlib
import re
import sys

import cells
import lecturer
import nbformat
import printed
from cells import ROOT, tags
from lecturer import LINK, STANDS
from nbconvert import SlidesExporter
from nbconvert.filters import markdown2html
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from npm import bring
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

FILES = {  # what lies beside the pages, with the licences
    "reveal.js": ("dist", "plugin/notes", "LICENSE"),
    "mathjax": ("es5/tex-svg-full.js", "LICENSE"),
}
WORDS, SAYING = 40, 20  # the most on a slide, beside a question
SPOKEN, BRIEF = 50, 55  # in its notes: in all, where the chapter has a say; of a section's note
BARS = 5  # lines of them below which a sentence stands
ROLE = re.compile(r"\*\*(query|key|value|attention weight|output)(\w*)\*\*")
SECTION = re.compile(r"(##+) (.+)")
REAL = r"^[\d.]+ (In a real model: )?|: .*"  # what later slides of a section do without
TERM = re.compile(r"^(?:An? |The )?\*\*([A-Za-z][\w -]*)\*\*", re.M)  # what a slide defines
APART = re.compile(r"<details>.*?</details>|```.*?```|\$\$.*?\$\$", re.S)  # no sentences to say
ASKED = re.compile(r"\*\*Predict\.\*\* ")

# nbconvert's slides, less what they would fetch. A figure takes all the room that words leave it.
TEMPLATE = (ROOT / "tools" / "slides.html.j2").read_text(encoding="utf-8")

# The first page: all decks, and what can be shown in two minutes.
INDEX = (ROOT / "tools" / "slides.md").read_text(encoding="utf-8")
DEMOS = dict(re.findall(r"#/cell-id=([\w-]+)\)\. (.+)", INDEX))  # what to do at a figure
PAGE = """<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Slides · attention</title>
<meta name="description" content="Thirteen lectures on attention: slides with speaker notes.">
<link rel="canonical" href="{address}">
<style>
body {{ font: 18px/1.5 sans-serif; max-width: 900px; margin: 40px auto; padding: 0 20px; }}
h1 {{ border-bottom: 6px solid #d08220; padding-bottom: 8px; }}
h1, h2, a {{ color: #096a7c; }}
table {{ border-collapse: collapse; }}
:is(th, td) {{ padding: 6px 16px 6px 0; border-bottom: 1px solid #ddd; text-align: left; }}
.anchor-link {{ display: none; }}
</style>
<main>{}</main></html>
"""


def slides(target=ROOT / "build" / "slides"):
    """Write the decks, and what they need, into the folder `target`."""
    for package, names in FILES.items():
        bring(package, names, target / package)
    rows = []
    for path in decks():
        notebook = nbformat.read(path, as_version=4)
        (target / f"{path.stem}.html").write_text(deck(notebook, path.stem), encoding="utf-8")
        print(target / f"{path.stem}.html")
        title, question = subject(notebook)
        minutes = lecturer.minutes(notebook.cells) or ""
        rows.append(f"| [{title}]({path.stem}.html) | {question} | {minutes} |")
    shown = markdown2html(INDEX.format(rows="\n".join(rows)))
    index = PAGE.format(shown, address=f"{cells.published()}slides/index.html")
    (target / "index.html").write_text(index, encoding="utf-8")
    print(target / "index.html")


def decks():
    """The parts of the book that have something to put on slides."""
    return [
        path for path in cells.book() if re.search("Predict[.]|slide-line", path.read_text("utf-8"))
    ]


def subject(notebook):
    """The title of a chapter, and its question."""
    return re.match(r"# (.+)\n+\*\*(.+?)\*\*", notebook.cells[0].source).groups()


def deck(notebook, name):
    """The page of a chapter, of its core; `name` is that of its file."""
    exporter = SlidesExporter(
        raw_template=TEMPLATE,
        reveal_url_prefix="reveal.js",
        reveal_theme="white",  # its font lies beside it
        exclude_input_prompt=True,
        exclude_output_prompt=True,
    )
    shown = [cell for slide in Deck(notebook.cells).slides for cell in slide.cells()]
    title, question = subject(notebook)
    head = {
        "title": f"{title} ·",  # of the window: "… · slides"
        "description": f"{question} Slides with notes for a lecture: {title}.",
        "address": f"{cells.published()}slides/{name}.html",
    }
    return exporter.from_notebook_node(new_notebook(cells=shown, metadata=head))[0]


class Slide:
    """One slide: `title` and `question` in Markdown, what is `shown`, the `line`, the `notes`."""

    def __init__(self, title, first=False, model=""):
        self.title, self.first, self.model = title, first, model
        self.question = self.line = self.given = self.kind = ""
        self.shown, self.notes, self.tell, self.live, self.drawn = [], [], [], False, False

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

    def asks_only(self):
        return self.question and not (self.shown or self.line)

    def says_only(self):
        return not (self.question or self.shown or self.kind or self.title.startswith("# "))

    def cells(self):
        """As cells of a notebook for nbconvert: what follows a question appears key by key."""
        later = "fragment" if self.question else "-"
        found = [told(new_markdown_cell(self.title), "slide" if self.first else "subslide")]
        read = beginning("\n".join(self.notes), SPOKEN - words(" ".join(self.tell)))
        parts = (("**For the lecturer**", self.tell), ("**In the chapter**", read))
        notes = "\n\n".join(text for name, part in parts if part for text in (name, *part))
        found += [told(new_markdown_cell(notes), "notes")] if notes else []  # not in a fragment
        found += [said(self.model, "-", "model"), said(self.given, "-", "given")]
        found += [said(self.question, "-", "question")]
        found += [
            told(cell, later) if cell.cell_type == "code" else said(cell.source, later, "answer")
            for cell in self.shown
        ]
        found += [said(self.line, later, self.kind or "line")]
        return list(filter(None, found))


class Deck:
    """The slides of a chapter, made in one walk through its cells."""

    def __init__(self, chapter):
        self.slides, self.drawn = [], None
        self.title = self.later = self.classes = self.model = ""
        for cell in chapter:
            heading = SECTION.match(cell.source) if cell.cell_type == "markdown" else None
            ends = heading and heading[2].startswith(("Summary", "Checked claims", "Exercises"))
            if ends and not said_of(cell).keys() & STANDS:
                break
            hidden = cells.slide(cell) == "skip" or cells.is_solution(cell)
            self.model = said_of(cell).get("model", self.model)
            if not hidden:
                self.code(cell) if cell.cell_type == "code" else self.text(cell, heading)
                if asks := said_of(cell).get("asks"):
                    slide = self.slides[-1]
                    slide.question, slide.given = asks, said_of(cell).get("given", "")
                tells = said_of(cell).get("tell", [])
                for slide, tell in zip(self.slides[-len(tells) :], tells, strict=False):
                    slide.tell.append(tell)
        if self.slides[-1].is_bare():
            last = self.slides.pop()
            self.slides[-1].notes += last.notes
        if aims := re.search(r"^You will be able to\n((?:- .+\n)+)", chapter[0].source, re.M):
            plan = [part for part in lecturer.parts(chapter) if part.minutes and not part.optional]
            plan = " · ".join(f"{part.title.split(': ')[0]}: {part.minutes}" for part in plan)
            slide = Slide("## You will be able to")
            slide.line, slide.kind = aims[1].replace("`", ""), "board"
            slide.tell.append(f"{lecturer.minutes(chapter)} minutes. {plan}")
            self.slides.insert(1, slide)
        for before, slide in zip(self.slides, self.slides[1:], strict=False):
            if slide.says_only() and not slide.first and not before.live and "$$" not in slide.line:
                slide.shown = copies(before.shown)  # of which it speaks

    def start(self, first=False):
        """A new slide, which takes over the notes of one on which nothing has come to stand."""
        if first and self.slides and self.slides[-1].live and self.slides[-1].title[:2] == "# ":
            self.slides[-1].title, self.slides[-1].first = self.title, True
            return self.slides[-1]  # the live figure above a chapter's first section is of it
        last = self.slides.pop() if self.slides and self.slides[-1].is_bare() else None
        if last and first and not last.first:  # the end of a section stays with its last slide
            self.slides[-1].notes, last = self.slides[-1].notes + last.notes, None
        first = first or bool(last and last.first)
        title = self.title if first and not self.model else self.later  # less room
        self.slides.append(Slide(title, first, self.model))
        if last:
            self.slides[-1].notes, self.slides[-1].tell = last.notes, last.tell
        return self.slides[-1]

    def text(self, cell, heading):
        if cells.is_caption(cell):
            if self.drawn:
                said = markdown2html(cell.source[1:-1]).replace("<p>", '<p class="caption">')
                self.drawn.outputs.append(new_output("display_data", {"text/html": said}))
            return
        compared = cells.COMPARE in cell.source
        source = cells.without_fold(cell) if cells.is_note(cell) or compared else cell.source
        if compared and self.slides[-1].asks_only():
            self.answer(says(cell) or source)
        elif compared and says(cell) and not ASKED.search(source):
            self.told(says(cell))
        if chapter := re.match(r"# (.+)\n+\*\*(.+\?)\*\*\s*", source):
            self.title = self.later = f"# {chapter[1]}"
            self.section = self.start(first=True)
            self.section.line = f"**{chapter[2]}**"
            source = source[chapter.end() :]
            source = re.split(r"^(?:You will be able to|\d+ minutes)", source, flags=re.M)[0]
        elif heading and heading[1] == "##":
            self.title = heading[0]
            self.later = self.named(re.sub(REAL, "", heading[2]))
            self.section = self.start(first=True)
            source = source[heading.end() :].strip()
            closing = heading[2] == "Summary" and said_of(cell).get("board", "").startswith("**")
            if closing and "definition" not in said_of(cell):
                self.sum_up(source)
        elif heading:
            self.later = self.named(heading[2])
            self.start()
        for kind in STANDS:
            self.stand(cell, kind)
        before, *asked = ASKED.split(source, 1)
        if "adds" in said_of(cell):
            self.slides[-1].line += f"\n\n{said_of(cell)['adds'] or source}"
        elif "slide-line" in tags(cell):
            if not said_of(cell).keys() & STANDS:
                self.say(source)
        elif cells.is_note(cell):
            note, number = " ".join(beginning(source, BRIEF)), self.title.split()[1]
            self.section.tell.insert(0, f"**The section.** {note} More: the notebook, {number}.")
        elif asked:
            *earlier, last = before.strip().split("\n\n")
            self.slides[-1].notes += earlier
            self.ask(says(cell) or asked[0], said_of(cell).get("given", ""))
            self.slides[-1].notes.append(last)  # it leads to the question
        elif compared:
            asked = [slide for slide in self.slides if slide.question] or self.slides
            asked[-1].notes.insert(0, f"**Answer.** {source.removeprefix('- ')}")
        elif self.title != "## Summary":
            self.slides[-1].notes.append(source)

    def named(self, text):
        """A title that says what is shown, after the number of its section."""
        number = re.match(r"## (?:[\d.]+ )?", self.title)[0]
        return f"{number}{text[0].upper()}{text[1:]}"

    def sum_up(self, source):
        """What a chapter has found; when one can do without it is asked on the last slide."""
        slide, items = self.slides[-1], re.findall(r"^- (?!\*\*When )(.+)", source, re.M)
        for one, two, *_ in [[*sentences(item), ""] for item in items]:
            slide.line += f"- {one} {two if words(one) < 9 else ''}\n"
        slide.kind, slide.tell = "board", ["Let somebody explain a line in their own words."]

    def stand(self, cell, kind):
        """What a chapter defines, its formula, or what else a lecturer would write on the board."""
        if kind in said_of(cell):
            text = cells.EVIDENCE.sub("", lecturer.board(cell, kind))
            text = LINK.sub(r"\1", text).replace("`", "")
            if kind == "formula" and "$$" not in text:
                text = "\n\n".join([*re.findall(r"\$\$.+?\$\$", cell.source, re.S), text])
            slide = self.slides[-1] if self.slides[-1].is_bare() else self.start()
            if (terms := TERM.findall(text)) and kind != "board" and not slide.first:
                slide.title = self.named(", ".join(terms))
            slide.line, slide.kind = ROLE.sub(r'<strong class="\1">\1\2</strong>', text), kind

    def say(self, line):
        """Onto this slide if there is room; if not, onto the next, and what it speaks of stays."""
        slide = self.slides[-1]
        if not (slide.room_for(line) or slide.is_bare()):
            kept = [] if slide.line or slide.live or "$$" in line else slide.shown
            slide = self.start()
            slide.shown = copies(kept)
        slide.line = line

    def answer(self, text):
        """Of a question that nothing on a slide answers: the first sentence that compares."""
        said = sentences(cells.EVIDENCE.sub("", text.strip().split("\n\n")[0]))[0]
        self.slides[-1].shown = [new_markdown_cell(said)]

    def told(self, answer):
        """Below what was shown; after a live figure, on a slide of its own."""
        if self.slides[-1].live:
            self.start().shown = [new_markdown_cell(answer)]
        else:
            self.say(answer)

    def ask(self, question, given=""):
        """On a new slide, or below a sentence that stands alone."""
        slide = self.slides[-1]
        if slide.line and not (slide.shown or slide.kind) and slide.words(question) <= WORDS:
            question, slide.line = f"{slide.line}\n\n{question}", ""
        slide = self.start()
        slide.question, slide.given = question, given

    def code(self, cell):
        outputs = [] if "slide-out" in tags(cell) else cell.outputs
        shown = [shown_output(output, cell) for output in outputs]
        figures = [output for output in shown if output and not printed.is_printed(output)]
        shown = [new_code_cell(outputs=[output]) for output in figures or filter(None, shown)]
        if "slide-code" in tags(cell):
            code = new_output("display_data", {"text/html": lit(cell.source, self.classes)})
            shown.insert(0, new_code_cell(outputs=[code]))
        if re.search(r"^class ", cell.source, re.M):
            self.classes = cell.source
        if shown:
            shown[0].id = cell.id  # by which its slide is found
        slide, live = self.slides[-1], any(map(is_live, figures))
        told = slide.line and (slide.question or slide.kind or says(cell))  # all is said there
        if shown and (slide.shown or told or (live and not slide.is_bare())):
            asked = slide.question.split("\n\n")[-1] if live and slide.asks_only() else ""
            slide = self.start()
            slide.title = f"## {asked}" if asked else slide.title  # a hand finds the answer
        slide.live, slide.drawn = slide.live or live, slide.drawn or bool(figures)
        self.drawn = shown[-1] if figures and not live else None  # where a caption belongs
        slide.shown += shown
        slide.tell += filter(None, [DEMOS.get(cell.id)])
        if shown and says(cell):
            slide.line = says(cell)


def lit(source, before):
    """Code as HTML that lights up by statements; what the class before has not is marked."""
    tree = ast.parse(source)
    bodies = [node.body for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    statements = [one for body in bodies or [tree.body] for one in body]
    ends = {one.end_lineno for one in statements if "super()" not in ast.unparse(one)}
    known, steps = {*before.split("\n"), ""}, [""]
    drawn = highlight(source, PythonLexer(), HtmlFormatter(nowrap=True)).splitlines()
    for i, (line, text) in enumerate(zip(source.split("\n"), drawn, strict=True), 1):
        new = " new" if before and line not in known else ""
        steps[-1] += f'<span class="line{new}">{text}\n</span>'
        steps += [""] if i in ends else []
    shown = "".join(f'<span class="fragment step">{step}</span>' for step in steps if step)
    name = re.search(r"^class (\w+).*# (?:\d\. )?(.+)", before)
    said = f'<p class="caption">With a bar: new since {name[1]} ({name[2]})</p>' if name else ""
    return f'<div class="highlight"><pre>{shown}</pre></div>{said}'


def sentences(text):
    """Its sentences: none ends where a formula, a bracket, a quotation or bold type is open, and
    a name in bold type is none."""
    found, begun = [], ""
    for part in re.split(r"(?<=[.?!*_)\"”]) +", text):
        begun = f"{begun} {part}".strip()
        is_open = begun.count("(") > begun.count(")")
        is_open |= any(begun.count(mark) % 2 for mark in ("**", "$", '"'))
        is_open |= begun.endswith("**") and words(begun) < 6
        if not is_open and re.search(r"[.?!][*_)\"”]*$", begun):
            found.append(begun)
            begun = ""
    return [*found, begun] if begun else found


def beginning(text, most):
    """Its first sentences, `most` words; no table, code, formula or fold. A list of paragraphs."""
    found = []
    text = LINK.sub(r"\1", cells.EVIDENCE.sub("", APART.sub("", text)))
    for line in re.findall(r"^[^|<>#a-z\n].*", text, re.M):
        kept = []
        for sentence in sentences(line):
            most -= words(sentence)
            if most >= 0 and not sentence.endswith(":"):
                kept.append(sentence)
        found.append(" ".join(kept))
    return list(filter(None, found))


def says(cell):
    """What a cell says in a hall and not on the page; "" for most."""
    return said_of(cell).get("says", "")


def said_of(cell):
    """What a cell's metadata say of its slides."""
    return cell.metadata.get("slideshow", {})


def copies(shown):
    """The same on another slide, where a picture that has grown is whole at once."""
    found = [nbformat.from_dict({**cell, "id": new_markdown_cell().id}) for cell in shown]
    for output in (output for cell in found for output in cell.get("outputs", [])):
        output.metadata = {}
    return found


def said(text, kind, role):
    """A text as a cell whose role the style sheet knows; None if there is none."""
    text = cells.EVIDENCE.sub("", text)
    return told(new_markdown_cell(text, metadata={"tags": [role]}), kind) if text else None


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
        text = output.text.rstrip()
        for name, reads in said_of(cell).get("names", {}).items():
            text = text.replace(name, reads)
        text = printed.shown(text)
        return text and new_output("display_data", {"text/html": text})
    if is_live(output):
        return output
    if png := picture(output):
        said = html.escape(" ".join(filter(None, map(described, cell.outputs))))
        source = f"data:image/png;base64,{png}"
        shown = f'<img src="{source}" alt="{said}" data-cell="{cell.id}">'
        states = {"states": cells.states(output)}  # in which it grows, click by click
        return new_output("display_data", {"text/html": shown}, metadata=states)
    return None


if __name__ == "__main__":
    slides(*map(pathlib.Path, sys.argv[1:]))
