"""What website/ makes of the chapters, before Sphinx; tests/site opens the result."""

import re

import lecturer
import nbformat
import pytest
import sections
from cells import COMPARE, ROOT, address, book, chapters, published, repository, taught
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output

from d2lattn_book.pictures.figure import image
from website import build, chapter_page, clinic, evidence


def note(text):
    fold = f"<details><summary>For the lecturer</summary>\n\n{text}\n\n</details>"
    return new_markdown_cell(fold, metadata={"slideshow": {"slide_type": "notes"}})


def code(name, source="x = 1", *outputs, tags=(), hidden=False):
    cell = new_code_cell(source, id=name, outputs=list(outputs), metadata={"tags": list(tags)})
    cell.metadata |= {"jupyter": {"source_hidden": True}} if hidden else {}
    return cell


def caption(name):
    tags = {"tags": ["caption"]}
    return new_markdown_cell("_Four weights of *bat*._", id=name, metadata=tags)


def picture(text):
    html = image(text, b"hi")
    return new_output("display_data", {"text/html": html, "text/plain": text})


# The lecturer's page ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "said",
    [
        '<a href="../slides/03_x.html">',
        "| 0 | 3.1 Scores | 5 |\n| 5 | 3.2 Shares | 7 |\n| later | 3.3 More | 4 |\n| 12 | the end",
        "Together 12 minutes, and 4 for *Going further*, which is not on the slides.",
        "## 3.1 Scores (5 minutes)\n\n:::{admonition} Ask first\n:class: tip\nWhat?\n\n2 and 2\n\n"
        "**Answer.** It is 4.\n:::\n\nLet them guess.\n**Wrong answer to expect:** 7. It is 4.\n"
        "\n## 3.2 Shares (7 minutes)\n\nDraw it.\n",
        "## Summary\n\nTo look up. They took 12 minutes.\n",
    ],
)
def test_a_lecturer_has_a_plan_and_for_each_demo_its_question(said):
    asked = {"slideshow": {"says": "What?", "given": "2 and 2"}}
    cells = [
        new_markdown_cell("# 3 · A title"),
        new_markdown_cell("## 3.1 Scores\n\n**Predict.** What is it?", metadata=asked),
        new_markdown_cell(f"{COMPARE}\n\nIt is [4](x).\n\nSo.</details>"),
        note("5 minutes. Let them guess.\nWrong answer to expect: 7. It is 4."),
        new_markdown_cell("## 3.2 Shares"),
        note("7 minutes. Draw it."),
        new_markdown_cell("## Summary"),
        note("To look up. They took 12 minutes."),
        new_markdown_cell("## Going further"),
        new_markdown_cell("### 3.3 More\n\n**Predict.** And now?"),
        note("4 minutes. Only with time."),
    ]
    assert said in lecturer.page("03_x.ipynb", cells)


# A chapter's page ---------------------------------------------------------------------------------

HEAD = (
    "# 3 · A title\n\n**A question?**\n\nAbout 12 minutes.\n\n[Open in Colab](https://old) · next"
)
LIVE = new_output("display_data", {"text/html": "<p data-live></p>"})
FOLD = f"{COMPARE}\n\n**It is 4.**\n\n</details>"
LINKS = {
    f"[a]({address()}/blob/main/docs/package.md#maps)": "[a](package.md#maps)",
    f"[b]({address()}/blob/main/ERRATA.md)": "[b](errata.md)",
    f"[c]({address()}/blob/main/README.md)": f"[c]({address()}/blob/main/README.md)",
    "[f](04_x.ipynb)": "[f](04_x.ipynb)",
    "[6.3](06_positional_encoding.ipynb#cell-id=)":
        "[6.3](06_positional_encoding.ipynb#63-clock-hands-sine-and-cosine)",
    "[6.16 The √d](06_positional_encoding.ipynb#cell-id=)":
        "[6.16 The √d](06_positional_encoding.ipynb#616-the-d-before-the-sum)",
}  # fmt: skip


@pytest.fixture(scope="module")
def page():
    """{id: cell} of a small chapter as a page."""
    cells = [
        new_markdown_cell(HEAD, id="head"),
        note("5 minutes."),
        new_markdown_cell("## 3.1 Scores\n\n**Predict.** What is it?", id="guess"),
        code("silent"),
        code("answer", "7", new_output("display_data"), new_output("stream", text="7\n")),
        new_markdown_cell(FOLD, id="fold"),
        code("later", "8", new_output("stream", text="8\n")),
        code("drawn", "ax", picture("<pad> asks")),
        caption("said"),
        code("titled", "# @title Drawing: the staircase\ndraw()", picture("2 lines"), hidden=True),
        new_markdown_cell("**Predict.** And where does it go?", id="again"),
        code("live", "live.words()", LIVE),
        caption("stays"),
        code("folded", "# @title Helpers\nx = 2", hidden=True),
        code("solution", "# @title Solution 3.1\nx = 3", tags=["solution"]),
        new_markdown_cell(" ".join(LINKS), id="links"),
    ]
    made = chapter_page.prepare(
        nbformat.v4.new_notebook(cells=cells), ROOT / "notebooks" / "03_x.ipynb"
    )
    return {cell.id: cell for cell in made.cells}


def test_notes_and_captions_leave_the_page_and_what_waits_is_folded(page):
    kept = "head guess silent answer fold later drawn titled again live stays folded solution links"
    assert list(page) == kept.split()
    hidden = {name: cell.metadata.tags for name, cell in page.items() if cell.cell_type == "code"}
    assert {name: tags for name, tags in hidden.items() if tags} == {
        "answer": ["hide-output"], "titled": ["hide-input"], "folded": ["hide-input"],
        "solution": ["hide-cell", "solution"],
    }  # fmt: skip
    said = {name: c.metadata.get("mystnb", {}).get("code_prompt_show") for name, c in page.items()}
    assert {name: prompt for name, prompt in said.items() if prompt} == {
        "answer": "Show the answer", "titled": "Show the code of this figure",
        "folded": "Show the code: helpers", "solution": "Show a solution",
    }  # fmt: skip
    assert page["answer"].outputs == [new_output("stream", text="7\n")]
    assert page["fold"].source == FOLD and "@title" not in str(list(page.values()))


def test_a_picture_is_a_file_with_its_number_its_caption_and_its_words(page):
    captions = [page[name].metadata.mystnb["figure"]["caption"] for name in ("drawn", "titled")]
    assert captions == ["**Figure 3.1** Four weights of *bat*.", "**Figure 3.2** The staircase"]
    assert page["drawn"].metadata.mystnb["image"]["alt"] == "<pad> asks"
    assert page["drawn"].outputs[0].data == {"image/png": "aGk=", "text/plain": "<pad> asks"}


@pytest.mark.parametrize(
    "link",
    [
        f'/{repository()}/blob/main/notebooks/03_x.ipynb">Open in Colab',
        'href="lecturer/03_x.html"',
        f'{address()}/edit/main/notebooks/03_x.ipynb">Edit',
        "issues/new?title=Chapter%203",
    ],
)
def test_a_chapter_begins_with_its_question_and_then_its_links(page, link):
    assert link in page["head"].source.partition("**A question?**\n\n<div")[2]


@pytest.mark.parametrize("link", LINKS)
def test_a_link_leads_to_a_page_of_the_site_or_to_the_repository(page, link):
    assert LINKS[link] in page["links"].source.replace(") [", ")\n[").split("\n")


@pytest.mark.parametrize("path", book(), ids=lambda path: path.name[:2])
def test_a_page_of_the_book(path):
    """A reader on GitHub is led to the site, and on the site is not. A fold speaks of a figure
    where one is; a caption repeats no heading."""
    notebook = nbformat.read(path, as_version=4)
    before, after = notebook.cells[0].source.split(
        f"[Read on the website]({published()}{path.stem}.html)"
    )
    assert re.match(r".* \*Run › Run All Above.*\* \(Colab: \*Runtime › Run .*\*\) · \[Open", after)
    cells = chapter_page.prepare(notebook, path).cells
    shown = cells[0].source
    assert not re.search("Read on the website|Run All Above|how to run a|all chapters", shown)
    assert before.strip().split("\n")[-1][:20] in shown
    headings = {re.sub(r"^#+ [\d.]+ (· )?", "", c.source.split("\n")[0]) for c in cells}
    said = {chapter_page.PROMPTS[kind][0]: kind for kind in ("drawing", "code")}
    for cell in cells:
        about = cell.metadata.get("mystnb", {})
        caption = re.sub(r"^\*\*.*?\*\* ", "", about.get("figure", {}).get("caption", "None."))
        assert caption not in headings and not re.match(
            "(the )?drawing|folded|draw ", caption, re.I
        )
        if kind := said.get(about.get("code_prompt_show")):
            drawn = chapter_page.is_picture(cell) or chapter_page.is_live(cell)
            assert (kind == "drawing") == drawn, cell.id


# Evidence -----------------------------------------------------------------------------------------


def test_a_dagger_is_a_button_that_shows_the_rows_of_its_paragraph_or_table():
    one = "<!-- exp: divisors/width_64 --><!-- exp: divisors/root_64 -->"
    other = "<!-- exp: which_matrices/xx-400 -->"
    link = f'<a class="reference external" href="{address()}/x/EXPERIMENTS.md#divisors">†</a>'
    head = f"<table><thead><tr><th>{link}</th></tr></thead><tr><td>1{other}</td></tr></table>"
    row = f"<table><tr><td>2{other}</td></tr><tr><td><p>3{one}{link}</p></td></tr></table>"
    page = evidence.with_popovers(f"<p>So{one}, and{other}. {link}</p>{head}{row}", "../")
    text, *shown = page.split("<div popover ")
    assert "EXPERIMENTS.md" not in text
    targets = re.findall(r'popovertarget="([^"]*)" aria-label="Evidence: ([^"]*)"', text)
    names = ["divisors, which_matrices", "which_matrices", "divisors"]
    assert targets == [(f"evidence-{i + 1}", name) for i, name in enumerate(names)]
    assert [f'id="evidence-{i + 1}"' in part for i, part in enumerate(shown)] == [True] * 3
    table = re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", shown[0])
    assert table[1:3] == ["width 64, divided by √d", "width 64, divided by d"]
    assert "0.938 (0.925 to 0.95)" in table and "20.9 (20.2 to 21.8)" not in table
    for said in (
        *("<strong>Is there a divisor", "<li>Control: keys drawn apart", "<li>Seeds 0 to 15"),
        'href="../experiments.html#divisors"',
    ):
        assert said in shown[0]
    with pytest.raises(LookupError, match="must have the rows of its mark, got divisors/nine"):
        evidence.with_popovers(f"<p><!-- exp: divisors/nine -->{link}</p>")


def test_all_tables_are_a_page_of_the_site():
    page = evidence.tables()
    assert set(evidence.experiments()) == set(re.findall(r"^## (\w+)$", page, re.M))
    assert "](data/" not in page


# The front page -----------------------------------------------------------------------------------


def test_the_front_page_has_a_card_for_every_chapter(tmp_path, monkeypatch):
    monkeypatch.setattr(build, "SOURCE", tmp_path)
    (tmp_path / "pictures").mkdir()
    page = build.front_page({p: nbformat.read(p, as_version=4) for p in book()})
    cards = re.findall(r":link: (\w+)\n:link-type: doc\n:img-top: (.+)\n:img-alt: \w.*\n\n\w", page)
    assert cards == [(path.stem, f"pictures/card_{path.name[:2]}.png") for path in taught()]
    drawn = {(tmp_path / name).read_bytes() for _, name in cards}
    assert len(drawn) == len(cards) and all(png.startswith(b"\x89PNG") for png in drawn)
    apple, reader = page.index("live words: in "), page.index("live model: 2 layers")
    assert apple < page.index("{grid-item-card}") < reader
    assert f'<a href="{chapters()[0].stem}.html">Attention in one sitting' in page
    assert "\npractice\nclinic/index\naudit\npackage\nplayground\n" in page


# The clinic ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def symptoms(tmp_path_factory):
    """The folder of the clinic's pages, and the titles of the sections that they are."""
    path, folder = ROOT / "notebooks" / clinic.SOURCE, tmp_path_factory.mktemp("source")
    titles = re.findall(r"^## 91\.\d+ (.+)$", text_of(path), re.M)
    clinic.write(folder, chapter_page.prepare(nbformat.read(path, as_version=4), path))
    return folder / "clinic", titles


def text_of(path):
    cells = nbformat.read(path, as_version=4).cells
    return "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def test_every_symptom_has_a_page_that_says_why_what_to_do_and_which_test_keeps_it_away(symptoms):
    folder, titles = symptoms
    found = {text_of(path).partition("\n")[0]: path for path in folder.glob("*.ipynb")}
    assert set(found) == {f"# {title}" for title in titles} and len(titles) >= 32
    tests = "\n".join(path.read_text(encoding="utf-8") for path in ROOT.glob("tests/test_*.py"))
    for title, path in found.items():
        text = text_of(path)
        assert "**You see** " in text and "**Remedy.**" in text, title
        kept_away = text.partition("\n**Test.** ")[2]
        named = re.findall(r"`(test_\w+)`", kept_away)
        assert named or "`audit." in kept_away, title
        assert all(f"\ndef {name}(" in tests for name in named), (title, named)


def test_a_symptom_is_found_from_the_list_by_its_words_and_leads_back_and_on(symptoms):
    folder, titles = symptoms
    index = (folder / "index.md").read_text(encoding="utf-8")
    listed = index.partition("```{toctree}")[2].split()[1:-1]
    assert listed == [sections.slug(title) for title in titles]
    assert {*re.findall(r"\]\(([\w-]+)\.ipynb\)", index)} == {*listed}
    for path in folder.iterdir():
        text = index if path.suffix == ".md" else text_of(path)
        assert not re.search(r"(?<![\[\d.])\b91\.\d+\b(?![\]\d])", text.partition("disagree]")[2])
    messages = re.findall(r"^\| \[`(.+)`\]\(([\w-]+\.ipynb)\) \| \[91", index, re.M)
    assert len(messages) >= 48
    for message, name in messages:  # the next test runs the code: a new wording of torch is seen
        stored = nbformat.read(folder / name, as_version=4).cells
        printed = "".join(o.get("text", "") for c in stored for o in c.get("outputs", []))
        words = ".*".join(map(re.escape, message.split("…")))
        assert re.search(words, " ".join(printed.split())), message
        assert message in stored[0].source, message


def test_the_code_of_every_symptom_runs_alone_and_prints_what_is_stored(symptoms, capsys):
    for path in sorted(symptoms[0].glob("*.ipynb")):
        names, codes = {}, [c for c in nbformat.read(path, as_version=4).cells if "outputs" in c]
        for cell in codes:
            exec(compile(cell.source, path.name, "exec"), names)
            said = capsys.readouterr().out
            stored = "".join(o.text for o in cell.outputs if o.output_type == "stream")
            moving = "nbval-ignore-output" in cell.metadata.get("tags", [])
            assert moving or said == stored, (path.name, cell.source)
