"""What the slides of `make slides` show of a chapter: evidence that a hall can read, with partners.

How large it is on the screen is measured in a browser, in tests/browser/test_slides.py.
"""

import functools
import html
import re

import cells
import lecturer
import nbformat
import printed
import pytest
import slides
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

DECKS = pytest.mark.parametrize("path", slides.decks(), ids=lambda path: path.name[:2])
CHAPTERS = pytest.mark.parametrize("path", cells.chapters(), ids=lambda path: path.name[:2])
# What a program calls a thing, and a hall does not: names with a line, Python's words, the names
# that experiments give what they leave out; in what was printed also shapes and lists.
CODE = re.compile(r"`|\w\w_\w|\b(True|False|xx|qkv?|explicit|gqa)\b|rank 0 \|")
FORMULA = re.compile(
    r"\$\$.*?\$\$|\$[^$]*\$|<[^>]*>|^>.*|\]\([^)]*\)", re.S
)  # and what a model wrote
SHAPE = re.compile(r"\(\d+,|\[|\bNone\b|: none\b")


@functools.cache
def stored(path):
    return nbformat.read(path, as_version=4).cells


@functools.cache
def shown(path):
    return slides.Deck(stored(path)).slides


def prints(slide):
    """The lines of what is shown as it was printed."""
    outputs = [output for cell in slide.shown for output in cell.get("outputs", [])]
    found = re.findall(
        r'<pre class="printed[^>]*>(.*?)</pre>', "".join(o.data["text/html"] for o in outputs), re.S
    )
    return [html.unescape(text).split("\n") for text in found]


@DECKS
@pytest.mark.pins
@pytest.mark.filterwarnings("error")
def test_a_deck_is_written_without_a_warning(path):
    """A slide that stays while something is said of it is there twice, each time by its own id."""
    placed = [cell for slide in shown(path) for cell in slide.cells()]
    assert len({cell.id for cell in placed}) == len(placed)
    page = slides.deck(nbformat.read(path, as_version=4), path.stem)
    assert f'href="{cells.published()}slides/{path.stem}.html" rel="canonical"' in page
    assert re.search(r'<meta content="[^"]{40,}" name="description"', page)


@DECKS
def test_a_slide_has_few_words_and_numbers_and_a_partner(path):
    """At most forty words, but for its title, what a question gives, a definition, a formula, and
    a table, list or quotation. A question has its answer there or at the next key; a live figure
    stands below it again. No picture is on three slides in a row."""
    deck = shown(path)
    seen = [re.findall(r'data-cell="(.*?)"', str(slide.shown)) for slide in deck]
    assert not any(a and a == b == c for a, b, c in zip(seen, seen[1:], seen[2:], strict=False))
    for slide, following in zip(deck, [*deck[1:], None], strict=True):
        for lines in prints(slide):
            counts = [len(re.findall(r"\d[\d.,]*", re.sub(r"\w+\d", "", line))) for line in lines]
            assert max(counts) <= 3 and sum(counts) <= 9, lines
        if slide.kind not in ("definition", "formula"):
            prose = re.sub(r"^[|>-].*", "", slide.line, flags=re.M)
            apart = slides.words(f"{slide.title}\n{slide.line}")
            assert slide.words() - apart + slides.words(prose) <= slides.WORDS
        if slide.asks_only():
            said = following.shown and following.shown[0].cell_type == "markdown"
            question = slide.question.split("\n\n")[-1]  # below a sentence
            assert said or (following.live and following.title == f"## {question}"), slide.question
        assert slide.first or not slide.says_only(), f"a sentence of nothing: {slide.line}"


@CHAPTERS
def test_a_chapter_says_on_a_slide_what_it_defines_and_on_one_its_formula(path):
    """And gives with a question what it takes to answer it, without a word of a program."""
    deck = shown(path)
    assert [slide.line for slide in deck if slide.kind == "definition"]
    formulas = [slide.line for slide in deck if slide.kind == "formula"]
    assert formulas and all("$$" in line for line in formulas)
    bare = [slide.question for slide in deck if slide.question and not slide.given]
    assert len(bare) <= 3 and all("*" in question or "$" in question for question in bare)
    for slide in deck:
        outputs = "".join(str(o.data) for cell in slide.shown for o in cell.get("outputs", []))
        printed_lines = [line for lines in prints(slide) for line in lines]
        printed_lines += re.findall(r"<th>(.*?)</th>", outputs)
        texts = [cell.source for cell in slide.shown if cell.cell_type == "markdown"]
        for text in (slide.given, slide.question, slide.line, *texts, *printed_lines):
            assert not CODE.search(FORMULA.sub("", text)), text
        assert [line for line in printed_lines if SHAPE.search(line)] == []


def test_the_lecture_is_ninety_minutes_each_section_with_a_question_and_a_wrong_answer():
    (path,) = cells.chapters(["00"])
    assert lecturer.minutes(stored(path)) == 90
    told = [part for part in lecturer.parts(stored(path)) if part.minutes]
    sources = "\n".join(cell.source for cell in stored(path))
    titles = re.findall(r"^## (0\.\d+ .+|Exercises)", sources, re.M)
    assert [part.title for part in told] == titles
    assert {slide.title.removeprefix("## ") for slide in shown(path)} >= {*titles}
    for part in told:
        assert re.search(r"\b[Aa]sk\b", part.note) or part.questions, part.title
        assert re.search(r"wrong answer", part.note), part.title


@DECKS
def test_a_slide_says_and_renames_nothing_that_is_not_there(path):
    """A name that is no longer printed, and a sentence below an output that does not come."""
    for cell in stored(path):
        said = slides.said_of(cell)
        text = "".join(output.get("text", "") for output in cell.get("outputs", ()))
        for name, reads in said.get("names", {}).items():
            assert name in text, name
            text = text.replace(name, reads)
        if cell.cell_type == "code" and "says" in said:
            assert cell.outputs or "slide-code" in cells.tags(cell), said


@DECKS
def test_notes_are_short_and_stand_with_their_slide(path):
    """A lecturer reads them while talking: what to do, the answer, and a few sentences more."""
    notes = [note.source for slide in shown(path) for note in filter(cells.is_note, slide.cells())]
    counts = [slides.words(note) for note in notes]
    assert max(counts) <= 150 and sum(counts) <= 80 * len(shown(path))
    assert not re.search(r"^(```|#|\||\$\$)|<details|\.ipynb", "\n".join(notes), re.M)


# What only a notebook does, and what is drawn.
RUN = re.compile(r"\bcells?\b|\b(the|this|next) run\b|\byou run\b|before running")
DRAWING = re.compile(r"\b(drawing|figure|picture|map|curve)s?\b")


@DECKS
def test_a_lecturers_notes_speak_of_what_the_deck_shows(path):
    """In the same section; of more only by saying that it is in the notebook."""
    sections = []
    for slide in shown(path):
        sections += [[]] if slide.first else []
        sections[-1].append(slide)
    for section in sections:
        said = " ".join(tell for slide in section for tell in slide.tell)
        said = [one for one in re.split(r"(?<=[.?!:]) ", said) if "notebook" not in one]
        drawn = any(slide.drawn or slide.live for slide in section)
        wrong = [one for one in said if RUN.search(one) or (not drawn and DRAWING.search(one))]
        assert wrong == [], section[0].title


@CHAPTERS
def test_a_deck_begins_with_the_map_and_ends_with_a_question_to_take_home(path):
    first, aims, *_, found, last = shown(path)
    assert path.name.startswith("00") or (found.title == "## Summary" and "- " in found.line)
    assert first.drawn or path.name.startswith("00")  # whose map stands at its end
    assert aims.title == "## You will be able to" and "minutes" in aims.tell[0]
    assert re.fullmatch(r"\*\*.+\.\*\*\n\nTo take home: .+\?", last.line)


def test_code_lights_up_by_statements_and_what_is_new_has_a_bar():
    before = "class A:\n    def f(self, x):\n        return x"
    added = " + 1\n\n    def g(self):\n        a = 1\n        return a"
    slide = deck(
        new_code_cell(before),
        told("## 3.1 B"),
        new_code_cell(before.replace("A", "B(A)") + added, metadata={"tags": ["slide-code"]}),
    )[-1]
    html_shown = slide.shown[0].outputs[0].data["text/html"]
    steps = [re.sub("<.*?>", "", step) for step in html_shown.split("fragment step")[1:]]
    assert len(steps) == 3 and "return x + 1" in steps[0] and "a = 1" in steps[1]
    assert html_shown.count("line new") == 5


def test_every_demo_leads_to_the_slide_of_its_figure_and_says_what_to_do():
    demos = re.split(r"^\d+\. ", slides.INDEX, flags=re.M)[1:]
    assert len(demos) == 10
    for demo in demos:
        stem, cell = re.search(r"\]\((\w+)\.html#/cell-id=([\w-]+)\)", demo).groups()
        deck = shown(cells.ROOT / "notebooks" / f"{stem}.ipynb")
        (slide,) = (slide for slide in deck if slide.live and slide.shown[0].id == cell)
        (said,) = (told for told in slide.tell if told in demo)  # the speaker's view has it, too
        assert re.match(r"\*Touch:\* .+ \*Ask:\* .+ \*Expect:\* ", said), demo


# A small chapter ----------------------------------------------------------------------------------

START = "# 3 · Masks\n\n**Who sees whom?**\n\nFirst.\n\n76 minutes · [links](x)"
NOTE = "<details><summary>For the lecturer</summary>\n\n4 minutes. Drag it.\n\n</details>"
PICTURE = '<img alt="" src="data:image/png;base64,aGk=">'
COMPARED = f"{cells.COMPARE}\n\n**It is 4.**\n\n</details>"


def told(source, *tags, **said):
    return new_markdown_cell(source, metadata={"slideshow": said, "tags": [*tags]})


def put_out(source, text, **said):
    """A cell of code with what it printed, or with its HTML."""
    data = {"text/html": text}
    out = new_output("display_data", data) if text[0] == "<" else new_output("stream", text=text)
    return new_code_cell(source, outputs=[out], metadata={"slideshow": said})


def deck(*chapter):
    return slides.Deck([told(START), *chapter]).slides


def test_what_is_given_defined_or_renamed_reaches_its_slide():
    table = "| an **attention weight** | [asks](x.ipynb)<!-- exp: a/b --> [†](y) |\n|---|---|"
    asked = told("**Predict.** What?", given="2 and 3", says="What is 2 · 3?", model="**M**: 2")
    assert deck(told("So:\n\n> and so on", board="First:\n\n{shown}"))[1].line == (
        "First:\n\n> and so on"
    )
    product = put_out("6", "shared_v is 6\n", names={"shared_v": "the product"})
    formula = told("So\n\n$$x = 1$$\n\nand", formula="It is one.")
    _, defined, written, question = deck(told(table, definition=""), formula, asked, product)
    weight = '<strong class="attention weight">attention weight</strong>'
    assert defined.line == f"| an {weight} | asks |\n|---|---|"
    assert written.line == "$$x = 1$$\n\nIt is one." and written.kind == "formula"
    assert (question.given, question.question) == ("2 and 3", "What is 2 · 3?")
    assert prints(question) == [["the product is 6"]]
    roles = [cell.metadata.tags for cell in question.cells() if "tags" in cell.metadata]
    assert roles == [["model"], ["given"], ["question"]]


def test_the_answer_comes_after_what_is_asked():
    asked, answer = told("## 3.1 Scores\n\n**Predict.** What is the score?"), put_out("4", "4\n")
    slide = deck(asked, answer, told(COMPARED, "slide-line"))[-1]
    kinds = [(cell.metadata.slideshow.slide_type, cell.source) for cell in slide.cells()]
    assert slide.line == "**It is 4.**" and kinds[-1] == ("fragment", "**It is 4.**")
    assert [kind for kind, _ in kinds] == ["slide", "-", "fragment", "fragment"]
    quiet = deck(asked, answer, told(COMPARED))[-1]
    assert not quiet.line and quiet.notes[0] == "**Answer.** **It is 4.**"


def test_a_live_figure_above_the_first_section_is_of_that_section_with_its_notes():
    live = put_out("live.words()", "<div data-live='words'></div>")
    title, figure = deck(live, told("## 3.1 A mask\n\nText."), told(NOTE, slide_type="notes"))
    assert "minutes" not in "".join(title.notes) and "First." in title.notes[0]
    assert figure.title == "## 3.1 A mask" and figure.live and figure.first
    (notes,) = (cell for cell in figure.cells() if cells.is_note(cell))
    assert notes.source == (
        "**For the lecturer**\n\n**The section.** 4 minutes. Drag it. More: the notebook, 3.1."
        "\n\n**In the chapter**\n\nText."
    )


def test_a_caption_stands_below_its_figure_and_comes_with_it():
    asked = told("## 3.1 A mask\n\n**Predict.** What is hidden?")
    figure = deck(asked, put_out("draw()", PICTURE), told("_The mask._", "caption"))[-1].cells()[-1]
    _, caption = figure.outputs
    assert caption.data["text/html"].strip() == '<p class="caption">The mask.</p>'
    assert cells.slide(figure) == "fragment"


def test_a_picture_grows_click_by_click_and_is_whole_where_it_stays():
    """Each state covers the one before, and the last is the picture of the chapter."""
    picture = put_out("draw()", PICTURE)
    picture.outputs[0].metadata = {"states": ["b25l", "dHdv"]}
    long = told("It says so. " * 20, "slide-line")  # on a slide of its own, with the picture
    page = slides.deck(new_notebook(cells=[told(START), told("## 3.1 A mask"), picture, long]), "x")
    first, *more = page.split('<div class="grows">')[1:]
    assert not more
    states = re.findall(r"<div( class=\"fragment\")?>(?:<div.*?>)?\s*<img.*?base64,(\w+=?)", first)
    later = ' class="fragment"'
    assert states == [("", "b25l"), (later, "dHdv"), (later, "aGk=")]
    assert page.count("aGk=") == 2


# What was printed, as bars ------------------------------------------------------------------------

LIST = """keys                  cost
the last 8            0.3
the last 9            0.2
the last 8 and more  -0.1
all of the 20         0.0"""


@pytest.mark.parametrize(
    ("text", "names", "bars"),
    [  # of a bar where it begins and how wide it is, in per cent of its column: 70 for the range
        (LIST, ["cost", "the last 8", "the last 9", "the last 8 and more", "all of the 20"],
         ["17.5 52.5 0.3", "17.5 35.0 0.2", "0.0 17.5 −0.1", "17.5 0.0 0.0"]),
    ],
)  # fmt: skip
def test_a_list_is_drawn_by_its_numbers(text, names, bars):
    drawn = printed.shown(text)
    assert re.findall(r"<th>(.*?)</th>", drawn) == names
    found = re.findall(r'margin-left:([\d.]+)%;width:([\d.]+)%"></i>(.*?)</td>', drawn)
    assert [" ".join(bar) for bar in found][: len(bars)] == bars
