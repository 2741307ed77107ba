"""What the slides of `make slides` show of a chapter: evidence that a hall can read, with partners.

How large it is on the screen is measured in a browser, in tests/browser/test_slides.py.
"""

import html
import re

import cells
import lecturer
import nbformat
import printed
import pytest
import slides
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output

DECKS = pytest.mark.parametrize("path", slides.decks(), ids=lambda path: path.name[:2])


def shown(path):
    return slides.Deck(nbformat.read(path, as_version=4).cells).slides


def prints(slide):
    """The lines of what is shown as it was printed."""
    outputs = [output for cell in slide.shown for output in cell.get("outputs", [])]
    found = re.findall(r"<pre[^>]*>(.*?)</pre>", "".join(str(o.data) for o in outputs), re.S)
    return [html.unescape(text).replace("\\n", "\n").split("\n") for text in found]


@DECKS
@pytest.mark.pins
@pytest.mark.filterwarnings("error")
def test_a_deck_is_written_without_a_warning(path):
    """A slide that stays while something is said of it is there twice, each time by its own id."""
    placed = [cell for slide in shown(path) for cell in slide.cells()]
    assert len({cell.id for cell in placed}) == len(placed)
    assert "reveal" in slides.deck(nbformat.read(path, as_version=4))


@DECKS
def test_no_slide_is_a_printout_of_more_than_three_times_three_numbers(path):
    for slide in shown(path):
        for lines in prints(slide):
            counts = [len(re.findall(r"\d[\d.,]*", re.sub(r"\w+\d", "", line))) for line in lines]
            assert max(counts) <= 3 and sum(counts) <= 9, lines


@DECKS
def test_no_slide_is_without_its_partner(path):
    """A question has its answer there or at the next key; a live figure stands below it again."""
    deck = shown(path)
    for slide, following in zip(deck, [*deck[1:], None], strict=True):
        if slide.asks_only():
            said = following.shown and following.shown[0].cell_type == "markdown"
            question = slide.question.split("\n\n")[-1]  # below a sentence
            asked = following.live and following.title == f"## {question}"
            assert said or asked, slide.question
        alone = slide.says_only() and not slide.first
        assert not alone, f"a sentence of nothing: {slide.line}"


CHAPTERS = pytest.mark.parametrize("path", cells.chapters(), ids=lambda path: path.name[:2])
# What a program calls a thing, and a hall does not: names with a line, Python's words, the names
# that experiments give what they leave out; in what was printed also shapes and lists.
CODE = re.compile(r"`|\w\w_\w|\b(True|False|xx|qkv?|explicit|gqa)\b|rank 0 \|")
FORMULA = re.compile(
    r"\$\$.*?\$\$|\$[^$]*\$|<[^>]*>|^>.*|\]\([^)]*\)", re.S
)  # and what a model wrote
SHAPE = re.compile(r"\(\d+,|\[|\bNone\b|: none\b")


@CHAPTERS
def test_a_chapter_says_on_a_slide_what_it_defines_and_on_one_its_formula(path):
    deck = shown(path)
    assert [slide.line for slide in deck if slide.kind == "definition"]
    formulas = [slide.line for slide in deck if slide.kind == "formula"]
    assert formulas and all("$$" in line for line in formulas)
    if path.name.startswith(("00", "03", "04")):
        assert re.search(r"softmax.*K.*sqrt.*V", formulas[-1] if "03" in path.name else formulas[0])


@CHAPTERS
def test_a_question_stands_with_what_it_takes_to_answer_it(path):
    bare = [slide.question for slide in shown(path) if slide.question and not slide.given]
    assert [question for question in bare if "*" not in question and "$" not in question] == []
    assert len(bare) <= 3


@CHAPTERS
def test_no_word_of_a_program_is_on_a_slide(path):
    """But where the code itself is shown."""
    for slide in shown(path):
        printed_lines = [line for lines in prints(slide) for line in lines]
        outputs = "".join(str(o.data) for cell in slide.shown for o in cell.get("outputs", []))
        names = re.findall(r"<th>(.*?)</th>", outputs)
        texts = [cell.source for cell in slide.shown if cell.cell_type == "markdown"]
        for text in (slide.given, slide.question, slide.line, *texts, *printed_lines, *names):
            assert not CODE.search(FORMULA.sub("", text)), text
        assert [line for line in (*printed_lines, *names) if SHAPE.search(line)] == []


def test_the_notes_of_the_ninety_minute_lecture_are_ninety_minutes():
    (path,) = cells.chapters(["00"])
    assert slides.minutes(nbformat.read(path, as_version=4)) == 90


def test_each_section_of_the_ninety_minutes_has_minutes_a_question_and_a_wrong_answer():
    (path,) = cells.chapters(["00"])
    chapter = nbformat.read(path, as_version=4).cells
    told = [part for part in lecturer.parts(chapter) if part.minutes]
    titles = re.findall(
        r"^## (0\.\d+ .+|Exercises)", "\n".join(cell.source for cell in chapter), re.M
    )
    assert [part.title for part in told] == titles
    assert {slide.title.removeprefix("## ") for slide in shown(path)} >= {*titles}
    for part in told:
        assert re.search(r"\b[Aa]sk\b", part.note) or part.questions, part.title
        assert re.search(r"wrong answer", part.note), part.title


@DECKS
def test_a_slide_says_and_renames_nothing_that_is_not_there(path):
    """A name that is no longer printed, and a sentence below an output that does not come."""
    for cell in nbformat.read(path, as_version=4).cells:
        said = slides.said_of(cell)
        text = "".join(output.get("text", "") for output in cell.get("outputs", ()))
        for name, reads in said.get("names", {}).items():
            assert name in text, name
            text = text.replace(name, reads)
        if cell.cell_type == "code" and "says" in said:
            assert cell.outputs or "slide-code" in cells.tags(cell), said


@DECKS
def test_a_slide_has_no_more_than_forty_words(path):
    """But what a question gives, a definition, a formula, and a table, list or quotation."""
    for slide in shown(path):
        if slide.kind not in ("definition", "formula"):
            slide.line = re.sub(r"^[|>-].*", "", slide.line, flags=re.M)
            assert slide.words() <= slides.WORDS, (slide.title, slide.question, slide.line)


@CHAPTERS
def test_no_picture_is_on_three_slides_in_a_row(path):
    seen = [re.findall(r'data-cell="(.*?)"', str(slide.shown)) for slide in shown(path)]
    assert [a for a, b, c in zip(seen, seen[1:], seen[2:], strict=False) if a and a == b == c] == []


def test_what_is_given_defined_or_renamed_reaches_its_slide():
    def cell(source, **said):
        return new_markdown_cell(source, metadata={"slideshow": said})

    start = new_markdown_cell("# 3 · Masks\n\n**Who sees whom?**")
    table = "| an **attention weight** | [asks](x.ipynb)<!-- exp: a/b --> [†](y) |\n|---|---|"
    asked = cell("**Predict.** What?", given="2 and 3", says="What is 2 · 3?")
    quoted = cell("It goes on:\n\n> and so on", board="First:\n\n{shown}")
    assert slides.Deck([start, quoted]).slides[1].line == "First:\n\n> and so on"
    code = new_code_cell("6", outputs=[new_output("stream", text="shared_v is 6\n")])
    code.metadata = nbformat.from_dict({"slideshow": {"names": {"shared_v": "the product"}}})
    formula = cell("So\n\n$$x = 1$$\n\nand", formula="It is one.")
    deck = slides.Deck([start, cell(table, definition=""), formula, asked, code]).slides
    _, defined, written, question = deck
    weight = '<strong class="attention weight">attention weight</strong>'
    assert defined.line == f"| an {weight} | asks |\n|---|---|"
    assert written.line == "$$x = 1$$\n\nIt is one." and written.kind == "formula"
    assert (question.given, question.question) == ("2 and 3", "What is 2 · 3?")
    assert prints(question) == [["the product is 6"]]
    roles = [cell.metadata.tags for cell in question.cells() if "tags" in cell.metadata]
    assert roles == [["given"], ["question"]]


def test_a_live_figure_above_the_first_section_is_of_that_section_with_its_notes():
    live = new_output("display_data", {"text/html": "<div data-live='words'></div>"})
    start = new_markdown_cell("# 3 · Masks\n\n**Who?**\n\nFirst.\n\n76 minutes · [links](x)")
    note = "<details><summary>For the lecturer</summary>\n\n4 minutes. Drag it.\n\n</details>"
    cells_ = [start, new_code_cell("live.words()", outputs=[live])]
    said = {"slideshow": {"slide_type": "notes"}}
    cells_ += [new_markdown_cell("## 3.1 A mask\n\nText.")]
    cells_ += [new_markdown_cell(note, metadata=said)]
    title, figure = slides.Deck(cells_).slides
    assert "minutes" not in "".join(title.notes) and "First." in title.notes[0]
    assert figure.title == "## 3.1 A mask" and figure.live and figure.first
    (notes,) = (cell for cell in figure.cells() if cells.is_note(cell))
    assert notes.source.startswith("4 minutes. Drag it.")
    assert notes.source.endswith("live.words()\n```")


CAPTION = '<p class="caption">The mask.</p>'


def test_a_caption_stands_below_its_figure_and_comes_with_it():
    drawn = new_output(
        "display_data", {"text/html": '<img alt="" src="data:image/png;base64,aGk=">'}
    )
    told = [new_markdown_cell("# 3 · Masks\n\n**Who?**\n\nFirst.")]
    told += [new_markdown_cell("## 3.1 A mask\n\n**Predict.** What is hidden?")]
    told += [new_code_cell("draw()", outputs=[drawn])]
    told += [new_markdown_cell("_The mask._", metadata={"tags": ["caption"]})]
    figure = slides.Deck(told).slides[-1].cells()[-1]
    picture, caption = figure.outputs
    assert slides.picture(picture) and caption.data["text/html"].strip() == CAPTION
    assert cells.slide(figure) == "fragment"


def test_every_demo_leads_to_the_slide_of_its_figure_and_says_what_to_do():
    demos = re.split(r"^\d+\. ", slides.INDEX, flags=re.M)[1:]
    assert len(demos) == 10
    for demo in demos:
        stem, cell = re.search(r"\]\((\w+)\.html#/cell-id=([\w-]+)\)", demo).groups()
        deck = shown(cells.ROOT / "notebooks" / f"{stem}.ipynb")
        assert [slide for slide in deck if slide.live and slide.shown[0].id == cell], demo
        assert all(word in demo for word in ("*Touch:*", "*Ask:*", "*Expect:*")), demo


@DECKS
def test_the_notes_of_a_section_begin_with_what_is_said_there(path):
    """Minutes, what to ask, what to expect; prose follows, and code comes last."""
    notebook, titles = nbformat.read(path, as_version=4), {}
    for cell in notebook.cells:
        if cell.cell_type == "code":
            continue
        if heading := re.match(r"## (.+)", cell.source):
            title = heading[0].split(": ")[0]
        elif cells.is_note(cell):
            titles.setdefault(title, cells.without_fold(cell))
    deck = {
        slide.title.split(": ")[0]: slide.cells() for slide in reversed(shown(path)) if slide.first
    }
    found = titles.keys() & deck.keys()
    assert len(found) >= 2 or path.name.startswith("9")
    for title in found:
        (notes,) = (cell for cell in deck[title] if cells.is_note(cell))
        assert notes.source.startswith(titles[title][:60]), title
        code = notes.source[notes.source.find("```") :] if "```" in notes.source else ""
        assert not re.sub(r"^```.*?^```$", "", code, flags=re.M | re.S).strip(), title
        assert "\n#" not in re.sub(r"^```.*?^```", "", notes.source, flags=re.M | re.S), title


def test_a_list_is_drawn_by_its_numbers():
    text = "keys                  cost\nthe last 8            0.3\nthe last 9            0.2\n"
    text += "the last 8 and more  -0.1\nall of the 20         0.0"
    drawn = printed.shown(text)
    assert re.findall(r"<th>(.*?)</th>", drawn) == [
        *("cost", "the last 8", "the last 9", "the last 8 and more", "all of the 20")
    ]
    assert re.findall(r"</i>(.*?)</td>", drawn) == ["0.3", "0.2", "−0.1", "0.0"]
    wide = re.findall(r"margin-left:([\d.]+)%;width:([\d.]+)%", drawn)
    # 70 % for −0.1 to 0.3: 17.5 for each tenth, and zero is there where the lowest one ends
    assert wide == [("17.5", "52.5"), ("17.5", "35.0"), ("0.0", "17.5"), ("17.5", "0.0")]


def test_of_sums_the_results_are_drawn_and_of_counts_the_counted():
    sums = [
        f"bat · {word} = 1 · {n} + (-1) · 0 = {n}" for word, n in zip("abcd", "3102", strict=True)
    ]
    drawn = printed.shown("\n".join(sums))
    assert re.findall(r"<th>(.*?)</th><td[^>]*><i[^>]*></i>(.*?)</td>", drawn) == [
        *(("bat · a", "3"), ("bat · b", "1"), ("bat · c", "0"), ("bat · d", "2"))
    ]
    counts = [
        f"score {n}: {many} of 256 pairs" for n, many in ((-2, 64), (0, 96), (2, 64), (4, 16))
    ]
    drawn = printed.shown("\n".join([*counts, "variance: 4.0"]))
    assert "<th>of 256 pairs</th>" in drawn and "<th>score −2</th>" not in drawn
    assert "<th>score -2</th>" in drawn and "variance" not in drawn  # it counts no pairs


def test_a_comma_after_a_number_is_not_of_it():
    text = "\n".join(f"heads: {n:2} of width {512 // n:3}, 1,050,624 in all" for n in (1, 2, 4, 8))
    drawn = printed.shown(text)
    assert re.findall(r"</i>(.*?)</td>", drawn)[:2] == ["512", "1,050,624"]


def test_columns_are_drawn_side_by_side_each_from_its_zero():
    text = "\n".join(f"values: {n}  adding {1 / n:.2f}  delta 1.0" for n in (1, 2, 4, 8))
    drawn = printed.shown(text)
    names = re.findall(r"<th>(.*?)</th>", drawn)
    assert names == ["adding", "delta", "values 1", "values 2", "values 4", "values 8"]
    assert drawn.count("width:70.0%") == 5


def lengths(text):
    """Of a drawn list, row by row, how wide each bar is, in per cent of its column."""
    rows = re.findall(r"<tr>(.*?)</tr>", printed.shown(text))
    found = [re.findall(r";width:([\d.]+)%", row) for row in rows]
    return [[float(wide) for wide in row] for row in found if row]


def test_columns_of_like_numbers_are_drawn_by_one_scale():
    text = "words  softmax  state\n" + "\n".join(f"{n}  1.00  {2 / n:.2f}" for n in (4, 8, 16, 64))
    assert lengths(text)[:2] == [[70, 35], [70, 17.5]]
    moved = [f"{name}: query 8  key -4  value 2" for name in "abcd"]
    assert lengths("\n".join(moved))[0] == [46.7, 23.3, 11.7]  # from −4 to 8


def test_columns_of_which_one_is_ten_times_the_other_have_a_scale_each():
    text = "\n".join(f"{n} heads: width {512 // n}  parameters 1,048,576" for n in (1, 2, 4, 8))
    assert lengths(text)[:2] == [[70, 70], [35, 70]]


@pytest.mark.parametrize(
    "text",
    [
        "hungry stands at [0. 2.7], its weights are [0. 0. 0.99 0. 0.01]",
        "factor  weights  slopes\n 1  0.09 0.24 0.66 0.08 0.19\n 4  0.00 0.02 0.98 0.00 0.02",
        "\n".join(f"part {n}  all 0.00" for n in "abcd") + "\nmore  other 1, 2, 3 and 4",
    ],
)
def test_what_is_neither_few_nor_a_list_stays_in_the_notes(text):
    assert printed.shown(text) is None


def test_three_lines_of_three_numbers_are_shown_as_they_are():
    text = "\n".join(f"{name}  0.1  0.2  0.3" for name in "abc")
    assert printed.shown(text) == f'<pre class="printed" style="font-size:30px">{text}</pre>'
