"""What tools/website.py and tools/lecturer.py make of a chapter; tests/site opens the result."""

import re

import chapter_page
import clinic
import evidence
import lecturer
import nbformat
import pytest
import sections
import slides
import student
from cells import COMPARE, ROOT, address, book, chapters, published, repository, taught
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output

import website
from d2lattn_book.pictures.figure import image

CHAPTERS = taught()


def note(text):
    cell = new_markdown_cell(
        f"<details><summary>For the lecturer</summary>\n\n{text}\n\n</details>"
    )
    cell.metadata.slideshow = {"slide_type": "notes"}
    return cell


CELLS = [
    new_markdown_cell("# 3 · A title\n\n**A question?**\n\nAbout 12 minutes.\n\n"
                      "[Open in Colab](https://old) · next: [x](04_x.ipynb)"),
    new_markdown_cell("## 3.1 Scores\n\n**Predict.** What is the score?"),
    new_code_cell("ax = live.attention(x)"),
    note("5 minutes. Let them guess.\nWrong answer to expect: 7. It is 4."),
    new_markdown_cell("## 3.2 Shares"),
    note("7 minutes. Draw it."),
    new_markdown_cell("## Summary"),
    note("To look up. They took 12 minutes."),
    new_markdown_cell("## Going further"),
    new_markdown_cell("### 3.3 More\n\n**Predict.** And now?"),
    note("4 minutes. Only with time."),
]  # fmt: skip


def test_a_plan_adds_up_and_leaves_out_what_is_optional():
    page = lecturer.page("03_x.ipynb", CELLS)
    assert '<a href="../slides/03_x.html">' in page
    rows = [line for line in page.splitlines() if line.startswith("| ")][1:]
    assert rows == [
        "| 0 | 3.1 Scores | 5 |",
        "| 5 | 3.2 Shares | 7 |",
        "| later | 3.3 More | 4 |",
        "| 12 | the end | |",
    ]
    assert "Together 12 minutes, and 4 for *Going further*, which can be left out." in page


def test_a_demo_has_its_question_its_wrong_answer_and_what_to_move():
    page = lecturer.page("03_x.ipynb", CELLS)
    first = page.partition("## 3.1")[2].partition("## 3.2")[0]
    assert "Ask first\n:class: tip\nWhat is the score?\n" in first
    assert "Let them guess. **Wrong answer to expect:** 7. It is 4." in first
    assert "**To move live:** `live.attention`." in first
    assert "Ask first" not in page.partition("## 3.2")[2].partition("## 3.3")[0]
    assert "## Summary\n\nTo look up. They took 12 minutes.\n" in page


def test_of_a_wrong_answer_the_beginning_is_bold_and_nothing_is_said_twice():
    for said, shown in [
        ("Ask. Expected wrong answer to the Predict: “six”. No.",
         "Ask. **Expected wrong answer to the Predict:** “six”. No."),
        ('The wrong answer to expect is "the ring: it scales".',
         '**The wrong answer to expect** is "the ring: it scales".'),
        ("(It is 1.) The usual slip is to add 2.", "(It is 1.) **The usual slip** is to add 2."),
        ('Here "two" is the wrong answer to expect; go on.',
         'Here "two" is **the wrong answer to expect**; go on.'),
        ("Ask who would notice the mistake: all.", "Ask who would notice the mistake: all."),
    ]:  # fmt: skip
        cells = [new_markdown_cell("# 3 · A title"), new_markdown_cell("## 3.1 One"), note(said)]
        assert lecturer.page("03_x.ipynb", cells).endswith(f"\n{shown}\n")


def figure_cell(text, source="ax"):
    cell = new_code_cell(source, outputs=[new_output("stream", text="1\n")])
    html = image(text, b"hi")
    cell.outputs.append(new_output("display_data", {"text/html": html, "text/plain": "2 lines"}))
    return cell


@pytest.mark.parametrize("path", chapters(), ids=lambda path: path.name[:2])
def test_a_fold_speaks_of_a_figure_where_one_is(path):
    """And else of the code alone."""
    cells = chapter_page.prepare(nbformat.read(path, as_version=4), path).cells
    said = {chapter_page.PROMPTS[kind][0]: kind for kind in ("drawing", "code")}
    for cell in cells:
        kind = said.get(cell.metadata.get("mystnb", {}).get("code_prompt_show"))
        drawn = cell.cell_type == "code" and (
            chapter_page.is_picture(cell) or chapter_page.is_live(cell)
        )
        assert kind is None or (kind == "drawing") == drawn, cell.id


def prepared(*cells):
    notebook = nbformat.v4.new_notebook(cells=[CELLS[0].copy(), *cells])
    return chapter_page.prepare(notebook, ROOT / "notebooks" / "03_x.ipynb").cells


def test_an_answer_waits_behind_a_click():
    guess = new_markdown_cell("## 3.1 Scores\n\n**Predict.** What is the score?")
    silent, answer, later = (new_code_cell(f"x = {i}") for i in range(3))
    answer.outputs = [new_output("stream", text="7\n")]
    later.outputs = [new_output("stream", text="8\n")]
    cells = prepared(guess, silent, answer, new_markdown_cell("And then:"), later)
    assert "hide-output" in cells[3].metadata.tags
    assert cells[3].metadata.mystnb["code_prompt_show"] == "I have guessed: show"
    assert "hide-output" not in cells[5].metadata.tags


def test_what_keeps_an_answer_from_being_printed_in_jupyterlab_is_not_on_the_page():
    said = new_output("stream", text="4")
    cells = prepared(new_code_cell("print(4)", outputs=[new_output("display_data"), said]))
    assert cells[-1].outputs == [said]


def test_a_picture_is_numbered_and_says_what_is_seen():
    titled = figure_cell("2 lines", "# @title Drawing: the staircase\ndraw()")
    titled.metadata.jupyter = {"source_hidden": True}
    caption = new_markdown_cell("_Four weights of *bat*._", metadata={"tags": ["caption"]})
    cells = prepared(new_markdown_cell("## 3.1 Scores"), figure_cell("4 bars"), caption, titled)
    captions = [cell.metadata.mystnb["figure"]["caption"] for cell in cells[2:]]
    assert captions == ["**Figure 3.1** Four weights of *bat*.", "**Figure 3.2** The staircase"]
    assert "@title" not in cells[3].source
    live = new_code_cell(outputs=[new_output("display_data", {"text/html": "<p data-live></p>"})])
    assert prepared(live, caption)[-1] == caption


def test_no_caption_repeats_its_heading_or_says_that_it_is_drawn():
    drawn = set()
    for path in book():
        notebook = nbformat.read(path, as_version=4)
        text = "\n".join(cell.source for cell in notebook.cells)
        headings = {re.sub(r"^[\d.]+ (· )?", "", h) for h in re.findall("^#+ (.+)", text, re.M)}
        for cell in chapter_page.prepare(notebook, path).cells:
            caption = cell.metadata.get("mystnb", {}).get("figure", {}).get("caption", "")
            if caption:
                shown = re.sub(r"^\*\*.*?\*\* ", "", caption)
                drawn.add(caption)
                assert shown not in headings and len(shown.split()) > 2, (path.name, caption)
                assert not re.match("(the )?drawing|folded|draw ", shown, re.I), caption
    assert len(drawn) > 130


def test_a_picture_becomes_a_file_and_keeps_its_alternative_text():
    cell = prepared(figure_cell("<pad> asks"))[1]
    assert cell.metadata.mystnb["image"]["alt"] == "<pad> asks"
    assert [output.get("text") for output in cell.outputs] == ["1\n", None]
    assert cell.outputs[1].data == {"image/png": "aGk=", "text/plain": "<pad> asks"}


def test_notes_are_left_out_and_solutions_folded():
    solution = new_code_cell("# @title Solution 3.1", metadata={"tags": ["solution"]})
    cells = prepared(note("5 minutes."), solution)
    assert len(cells) == 2
    assert "hide-cell" in cells[1].metadata.tags


def test_the_links_of_a_chapter_lead_to_colab_the_notebook_and_the_lecturers_page():
    head = prepared()[0].source
    assert f'/{repository()}/blob/main/notebooks/03_x.ipynb">Open in Colab' in head
    assert 'href="notebooks/03_x.ipynb" download' in head
    assert 'href="lecturer/03_x.html"' in head
    assert f'{address()}/edit/main/notebooks/03_x.ipynb">Edit' in head
    assert "issues/new?title=Chapter%203" in head
    assert address().endswith(repository())


@pytest.mark.parametrize("path", book(), ids=lambda path: path.name[:2])
def test_a_reader_on_github_is_led_to_the_page_that_lets_answers_wait(path):
    """And who is there already is not."""
    notebook = nbformat.read(path, as_version=4)
    link = f"[Read on the website]({published()}{path.stem}.html)"
    before, after = notebook.cells[0].source.split(link)
    later = (
        r"( · later:|, where .* guess · .*| · .*) \*Run › Run All Above Selected Cell\* · \[Open in"
    )
    assert re.match(later, after)
    shown = chapter_page.prepare(notebook, path).cells[0].source
    assert not re.search("Read on the website|answers wait for your|Run All Above", shown)
    assert before.strip().split("\n")[-1][:20] in shown
    assert not shown.split("\n\n")[1].startswith("<p"), "buttons before the first sentence"


def test_links_to_files_of_the_project_lead_to_the_reference_or_the_repository():
    text = "[a](../d2lattn/masks.py) [b](../benchmarks/RESULTS.md) [c](04_x.ipynb)"
    text += " [d](../d2lattn_book/pictures/live.py)"
    assert prepared(new_markdown_cell(text))[1].source == (
        f"[a](reference/masks.md) [b]({address()}/blob/main/benchmarks/RESULTS.md) [c](04_x.ipynb)"
        " [d](reference/d2lattn_book.pictures.live.md)"
    )


def test_a_link_to_a_section_leads_to_the_anchor_of_its_heading():
    name = "06_positional_encoding.ipynb"
    hands, root = (sections.meant(text, name) for text in ("6.3", "6.16 the √d before the sum"))
    links = ("6.3", ""), ("clocks", hands.cell), ("6.16 The √d", "")
    text = " ".join(f"[{words}]({name}#cell-id={cell})" for words, cell in links)
    assert root.text == "6.16 The √d before the sum"
    clocks, before = f"{name}#63-clock-hands-sine-and-cosine", f"{name}#616-the-d-before-the-sum"
    assert prepared(new_markdown_cell(text))[1].source == (
        f"[6.3]({clocks}) [clocks]({clocks}) [6.16 The √d]({before})"
    )


def test_a_dagger_is_a_button_that_shows_the_rows_of_its_paragraph_or_table():
    one, other = "<!-- exp: divisors/width_64 root_64 -->", "<!-- exp: which_matrices/xx-400 -->"
    link = f'<a class="reference external" href="{address()}/x/EXPERIMENTS.md#divisors">†</a>'
    head = f"<table><thead><tr><th>{link}</th></tr></thead><tr><td>1{other}</td></tr></table>"
    row = f"<table><tr><td>2{other}</td></tr><tr><td><p>3{one}{link}</p></td></tr></table>"
    page = evidence.with_popovers(f"<p>So{one}, and{other}. {link}</p>{head}{row}", "../")
    text, *shown = page.split("<div popover ")
    assert "EXPERIMENTS.md" not in text
    targets = re.findall(r'popovertarget="([^"]*)" aria-label="Evidence: ([^"]*)"', text)
    names = ["divisors, which_matrices", "which_matrices", "divisors"]
    assert targets == [(f"evidence-{i + 1}", name) for i, name in enumerate(names)]
    table = re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", shown[0])
    assert table[1:3] == ["width 64, divided by √d", "width 64, divided by d"]
    assert "0.938 (0.925 to 0.95)" in table and "20.9 (20.2 to 21.8)" not in table
    assert "<b>Is there a divisor" in shown[0] and "Control: keys drawn apart" in shown[0]
    assert "Seeds 0 to 15" in shown[0] and 'href="../experiments.html#divisors"' in shown[0]
    assert [f'id="evidence-{i + 1}"' in part for i, part in enumerate(shown)] == [True] * 3
    assert (
        evidence.inline("**Does *a* < `b*`?** x")
        == "<b>Does <em>a</em> &lt; <code>b*</code>?</b> x"
    )
    with pytest.raises(LookupError, match="must have the rows of its mark, got divisors/nine"):
        evidence.with_popovers(f"<p><!-- exp: divisors/nine -->{link}</p>")


def test_all_tables_are_a_page_of_the_site():
    page = evidence.tables()
    assert set(evidence.experiments()) == set(re.findall(r"^## (\w+)$", page, re.M))
    assert "](data/" not in page
    led = re.findall(r"\]\(([^)#]+)", website.errata())
    pages = {path.name for path in book()} | {f"{evidence.PAGE}.md"}
    assert {place for place in led if not place.startswith("http")} <= pages
    link = "[all](../benchmarks/EXPERIMENTS.md#sinks)"
    assert prepared(new_markdown_cell(link))[1].source == "[all](experiments.md#sinks)"


FOLD = new_markdown_cell(f"{COMPARE}\n\n**It is 4.**\n\n</details>", id="fold")


def test_what_answers_a_guess_is_folded_for_readers():
    cells = prepared(FOLD.copy())
    assert cells[1].source == FOLD.source and "<details>" in FOLD.source
    notebook = nbformat.v4.new_notebook(cells=[CELLS[0].copy(), FOLD.copy()])
    assert student.edition(notebook).cells[1].source == FOLD.source


def test_on_a_slide_the_answer_comes_after_what_is_asked():
    asked = new_markdown_cell("## 3.1 Scores\n\n**Predict.** What is the score?")
    answer = new_code_cell("4", outputs=[new_output("stream", text="4\n")])
    line = FOLD.copy()
    line.metadata = nbformat.from_dict({"tags": ["slide-line"]})
    shown = slides.Deck([CELLS[0], asked, answer, line]).slides[-1]
    kinds = [(cell.metadata.slideshow.slide_type, cell.source) for cell in shown.cells()]
    assert shown.line == "**It is 4.**" and kinds[-1] == ("fragment", "**It is 4.**")
    assert [kind for kind, _ in kinds] == ["slide", "notes", "-", "fragment", "fragment"]
    quiet = slides.Deck([CELLS[0], asked, answer, FOLD]).slides[-1]
    assert not quiet.line and quiet.notes[-1] == "**It is 4.**"
    inside = new_markdown_cell(f"Before.\n\n{FOLD.source}\n\nAfter.")
    told = slides.Deck([CELLS[0], asked, answer, inside]).slides[-1].notes[-1]
    assert told.split() == ["Before.", "**It", "is", "4.**", "After."]


def test_the_page_of_the_figure_that_trains_holds_its_settings_in_the_address():
    page = website.playground()
    assert page.count("<live-") == 1 and '"address":true' in page
    assert "live_js/train/model.js)" in page
    linked = re.findall(r"\]\((\d\d_\w+\.ipynb)\)", page)
    assert {*linked} <= {path.name for path in CHAPTERS} and len(linked) == 4
    first_screen = website.FRONT.partition('<div class="plays">')[0]
    assert '<a href="playground.html">Train one yourself</a>' in first_screen


def test_the_front_page_has_a_card_for_every_chapter(tmp_path, monkeypatch):
    monkeypatch.setattr(website, "SOURCE", tmp_path)
    (tmp_path / "pictures").mkdir()
    page = website.front_page({p: nbformat.read(p, as_version=4) for p in book()})
    assert page.count("{grid-item-card}") == len(CHAPTERS)
    apple, reader = page.index("live words: in "), page.index("live model: 2 layers")
    assert apple < page.index("{grid-item-card}") < reader
    assert f'<a href="{chapters()[0].stem}.html">Attention in one sitting' in page
    assert "\npractice\nclinic/index\nplayground\n" in page
    assert len({path.read_bytes() for path in tmp_path.glob("pictures/*.png")}) == len(CHAPTERS)


# The clinic ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def symptoms(tmp_path_factory):
    """The folder of what Sphinx reads, with a page for every symptom, and the sections."""
    path, folder = ROOT / "notebooks" / clinic.SOURCE, tmp_path_factory.mktemp("source")
    sections = re.findall(r"^## 91\.\d+ (.+)$", text_of(path), re.M)
    clinic.write(folder, chapter_page.prepare(nbformat.read(path, as_version=4), path))
    return folder, sections


def text_of(path):
    cells = nbformat.read(path, as_version=4).cells
    return "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def test_every_symptom_has_a_page_that_says_why_what_to_do_and_which_test_keeps_it_away(symptoms):
    folder, titles = symptoms
    pages = {text_of(path).partition("\n")[0]: path for path in folder.rglob("*.ipynb")}
    assert set(pages) == {f"# {title}" for title in titles} and len(titles) >= 32
    tests = {
        name for path in (ROOT / "tests").glob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.M)
    }  # fmt: skip
    for title, path in pages.items():
        text = text_of(path)
        assert "**You see** " in text and "**Remedy.**" in text, title
        for cell in nbformat.read(path, as_version=4).cells:  # the example is not folded
            if "hide-input" in cell.metadata.get("tags", []) and not cell.id.startswith("needed"):
                assert cell.metadata.jupyter.source_hidden, (title, cell.id)
        named = re.findall(r"`(test_\w+)`", text.partition("\n**Test.** ")[2])
        assert named and {*named} <= tests, (title, {*named} - tests)


def test_a_symptom_is_found_from_the_list_and_leads_back_and_on(symptoms):
    folder, titles = symptoms
    index = (folder / "clinic" / "index.md").read_text(encoding="utf-8")
    listed = index.partition("```{toctree}")[2].split()[1:-1]
    assert listed == [sections.slug(title) for title in titles]
    assert {*re.findall(r"\]\(([\w-]+)\.ipynb\)", index)} == {*listed}
    stands = {path.name for path in book()}
    for path in (folder / "clinic").iterdir():
        text = index if path.suffix == ".md" else text_of(path)
        for link in re.findall(r"\]\((?!https?:)([^)#]+)", text):
            inside = path.parent / link
            assert inside.exists() or link.removeprefix("../") in {
                *stands, "experiments.md", "errata.md"
            }, (path.name, link)  # fmt: skip
        assert not re.search(r"(?<![\[\d.])\b91\.\d+\b(?![\]\d])", text.partition("disagree]")[2])


def test_the_words_of_an_error_stand_at_the_top_of_its_page_and_are_printed_there(symptoms):
    """The next test runs the code, so another wording of a new torch is seen."""
    index = (symptoms[0] / "clinic" / "index.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `(.+)` \| \[.+\]\(([\w-]+\.ipynb)\) \|$", index, re.M)
    assert len(listed) >= 48
    for message, name in listed:
        stored = nbformat.read(symptoms[0] / "clinic" / name, as_version=4).cells
        printed = "".join(o.get("text", "") for c in stored for o in c.get("outputs", []))
        words = ".*".join(map(re.escape, message.split("…")))
        assert re.search(words, " ".join(printed.split())), message
        assert message in stored[0].source, message


def test_the_code_of_every_symptom_runs_alone_and_prints_what_is_stored(symptoms, capsys):
    for path in sorted(symptoms[0].rglob("*.ipynb")):
        names, code = {}, [c for c in nbformat.read(path, as_version=4).cells if "outputs" in c]
        for cell in code:
            exec(compile(cell.source, path.name, "exec"), names)
            said = capsys.readouterr().out
            stored = "".join(o.text for o in cell.outputs if o.output_type == "stream")
            moving = "nbval-ignore-output" in cell.metadata.get("tags", [])
            assert moving or said == stored, (path.name, cell.source)
