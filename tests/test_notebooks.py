"""Rules for chapters and appendices, as NOTEBOOKS says them; nbval compares their outputs."""

import ast
import base64
import functools
import html
import io
import json
import re
import subprocess
import sys
import types
from itertools import pairwise
from pathlib import Path

import cells
import matplotlib.pyplot as plt
import nbformat
import pytest
import refresh
import sections
import torch

from d2lattn import Decoder, Encoder, MultiHeadAttention
from d2lattn_book.real import pretrained
from website.chapter_page import is_live

ROOT = Path(__file__).resolve().parent.parent

CHAPTERS, APPENDICES = cells.chapters(), cells.appendices()
BOOK = [*CHAPTERS, *APPENDICES]
CLAIMS = ROOT / "notebooks" / "90_notation_and_claims.ipynb"
UNCOMPARED = refresh.UNCOMPARED


@functools.cache
def read(path):
    return nbformat.read(path, as_version=4)


def tags(cell):
    return set(cell.metadata.get("tags", []))


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def markdown(notebook):
    return "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")


def printed(cell):
    return "".join(o.text for o in cell.outputs if o.output_type == "stream")


def part_of(path, number):
    """The text of a section with all that stands under it."""
    parts = re.split(r"^##(?: |# (?=\d+\.))", markdown(read(path)), flags=re.M)
    (text,) = [part for part in parts if part.startswith(f"{number} ")]
    return text


@pytest.fixture(params=CHAPTERS, ids=lambda path: path.name[:2])
def chapter(request):
    return request.param, read(request.param)


@pytest.fixture(params=BOOK, ids=lambda path: path.name[:2])
def part(request):
    """A chapter or an appendix."""
    return request.param, read(request.param)


def test_the_stored_notebook_is_valid_and_normalised(part):
    path, notebook = part
    number = path.name[:2]
    nbformat.validate(notebook)
    tidy = nbformat.writes(refresh.normalise(nbformat.read(path, as_version=4))) + "\n"
    is_tidy = path.read_text(encoding="utf-8") == tidy  # a megabyte, of which no diff is shown
    assert is_tidy, f"this does it and runs nothing: make tidy CHAPTERS={number}"
    assert len({cell.id for cell in notebook.cells}) == len(notebook.cells)
    sealed = notebook.metadata.get("seal") == refresh.seal(notebook)
    assert sealed, f"its code or an output has changed: make refresh CHAPTERS={number}"


IMPORTED = {"torch", "numpy", "matplotlib", "seaborn", "ipywidgets", "tqdm", "IPython"}
IMPORTED |= {"d2lattn", "d2lattn_book", *sys.stdlib_module_names}
GLOBAL = r"torch\.manual_seed|random\.seed|rcParams|filterwarnings|set_theme|gca\(\)"


def test_a_cell_of_code_is_short_imports_what_is_installed_and_changes_nothing_global(part):
    for cell in code_cells(part[1]):
        names = r"^from [\w.]+ import \([^)]*\)"  # a list of them
        lines = re.sub(names, "", cell.source, flags=re.M).splitlines()
        assert 0 < sum(map(bool, map(str.strip, lines))) <= (60 if "kernel" in tags(cell) else 15)
        assert not re.search(rf";\s*\Z|{GLOBAL}", cell.source), cell.source
        if cells.pictures(cell):
            assert not re.search(r"^\s*assert\b", cell.source, re.M), cell.source
        for node in ast.walk(ast.parse(re.sub(r"^[%!].*$", "", cell.source, flags=re.M))):
            found = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            found += [node.module] if isinstance(node, ast.ImportFrom) else []
            assert {name.split(".")[0] for name in found} <= IMPORTED, cell.source


def test_what_is_not_compared_is_little_and_guarded(part):
    """Beside timings, at most three cells, each naming the cell or test that holds its numbers."""
    uncompared = [cell for cell in code_cells(part[1]) if tags(cell) & UNCOMPARED]
    assert len(uncompared) <= max(1, len(code_cells(part[1])) // 20)
    moving = [cell.source for cell in uncompared if not re.search(r"time|version", cell.source)]
    if part[0] in CHAPTERS:
        assert len(moving) <= 3
        assert [source for source in moving if not re.search(r"#.*\bguard", source, re.I)] == []


def test_every_figure_is_opaque_and_described_in_words(part):
    """Its text, which nbval compares, is its alternative text; no picture goes without."""
    for cell in code_cells(part[1]):
        for output in cell.outputs:
            data = output.get("data", {})
            assert "image/png" not in data, f"a cell ends in its figure:\n{cell.source}"
            for png, text in cells.pictures({"outputs": [output]}):
                assert text == data["text/plain"] and re.search(r"\w.*[.?!]$", text)
                assert "\n" not in text and not re.search(r"\b1 (points|edges|others)", text)
                image = plt.imread(io.BytesIO(base64.b64decode(png)))  # (height, width, channels)
                assert image.shape[-1] == 3 or image[..., 3].min() == 1, cell.source


def test_outputs_hold_no_place_of_a_machine_and_no_widget_state(part):
    path, notebook = part
    text = path.read_text(encoding="utf-8")
    words = re.sub(r"base64,[\w+/=]*", "", text)  # its letters spell anything one day
    assert not re.search(r"/home/|/root/|/Users/|/tmp/|site-packages|0x[0-9a-f]{8,}", words)
    assert "widget-view+json" not in text
    assert not any(o.get("name") == "stderr" for c in code_cells(notebook) for o in c.outputs)


def test_set_up_cell_is_the_same_everywhere(part):
    setup = [cell for cell in code_cells(part[1]) if "setup" in tags(cell)]
    first = [cell for cell in code_cells(read(CHAPTERS[0])) if "setup" in tags(cell)]
    assert len(setup) == 1 and setup[0] == code_cells(part[1])[0], "first code cell"
    assert setup[0].source == first[0].source
    assert not setup[0].outputs


def test_what_a_part_imports_is_folded_under_a_title(part):
    """On the screen: tests/browser/test_lab.py."""
    _, imports, *_ = code_cells(part[1])
    if part[0].name.startswith("00"):  # its figure comes first
        imports = next(cell for cell in code_cells(part[1]) if cells.is_imports(cell))
    assert cells.is_imports(imports)
    assert re.match(r"# @title Imports.*\n(import|from) ", imports.source)
    assert imports.metadata.jupyter.source_hidden


def test_links_lead_to_the_public_repository_and_to_parts_that_exist(part):
    path, notebook = part
    text = markdown(notebook)
    repository = cells.repository()
    colab = f"https://colab.research.google.com/github/{repository}/blob/main/notebooks/{path.name}"
    assert colab in text
    assert not re.search(r"!\[[^\]]*\]\(\s*(https?:)?//", text), "a picture from the network"
    assert not re.search(r"<(img|script|link|iframe)\b", text)
    for name in re.findall(r"\]\(([^):#]+\.ipynb)\)", text):
        assert (path.parent / name).exists(), f"{path.name} links to {name}"
    assert all(f"({other.name}" in text for other in neighbours(path))


def neighbours(path):
    """The parts to which a part must lead: a chapter to those beside it, an appendix to all such.

    The first page leads to every part.
    """
    if path == CHAPTERS[0]:
        return BOOK[1:]
    if path in APPENDICES:
        return [CHAPTERS[0], *(other for other in APPENDICES if other != path)]
    i = CHAPTERS.index(path)
    return CHAPTERS[i - 1 : i] + CHAPTERS[i + 1 : i + 2]


def test_anatomy(chapter):
    path, notebook = chapter
    if path.name.startswith("00"):
        return
    text, first, number = markdown(notebook), notebook.cells[0].source, int(path.name[:2])
    assert re.match(rf"# {number} · .+\n\n\*\*.+\?\*\*", first), "title, question"
    assert "You will be able to" in first and re.search(r"\d+ minutes", first)
    assert not {"## Summary", "## Exercises", "## Sources"} - {*text.splitlines()}
    assert text.count("**Predict.**") >= 4
    assert sum(map(cells.is_note, notebook.cells)) >= 4
    line = r"The same thing in D2L and in torch\n.+\[93\.\d+\]\(93_\w+\.ipynb#cell-id=\w+\).*\n"
    assert len(re.findall(line, text)) == 1


def test_of_going_further_every_heading_begins_a_cell(part):
    """The fold of JupyterLab ends at a heading only there."""
    stored = part[1].cells
    inside = [stored[i].source for i in cells.further(stored) if stored[i].cell_type == "markdown"]
    assert not inside or "\n" not in inside[0].strip()
    assert not [text for text in inside if re.search(r"\n#+ ", text)]
    assert not re.search(r"^## (Summary|Exercises|Sources)", "\n".join(inside), re.M)


def test_the_readme_says_the_minutes_that_the_chapters_state():
    heads = [read(path).cells[0].source for path in CHAPTERS]
    first, *others = [int(re.search(r"(\d+) minutes", head)[1]) for head in heads]
    said = f"Chapter 0 takes {first} minutes, the core of each other {min(others)} to {max(others)}"
    assert said in (ROOT / "README.md").read_text(encoding="utf-8")


def test_a_caption_is_one_paragraph_in_italics_below_its_figure(chapter):
    for above, cell in pairwise(chapter[1].cells):
        if cells.is_caption(cell):
            assert re.fullmatch(r"_[^_\n]+[.?]_", cell.source), cell.source
            assert cells.pictures(above) or is_live(above), cell.source


def test_a_guess_is_compared_behind_a_fold(chapter):
    """The first text below the answer, in a cell of its own; on a slide the next key shows it."""
    stored = chapter[1].cells
    answered = cells.answers(stored)
    assert answered
    for i in answered:
        texts = (c for c in stored[i + 1 :] if c.cell_type == "markdown")
        below = next(c for c in texts if not (cells.is_note(c) or cells.is_caption(c)))
        assert below.source.startswith(f"{cells.COMPARE}\n\n"), below.source
        assert below.source.endswith("\n\n</details>") and below.source.count("</details>") == 1


def real_section(stored):
    """The cells of the section *In a real model*, up to the next heading."""
    parts = [i for i, c in enumerate(stored) if re.match("## ", c.source)]
    (start,) = [i for i in parts if re.match("## .*In a real model", stored[i].source)]
    return stored[start : next(i for i in parts if i > start)]


def test_a_chapter_asks_a_real_model(chapter):
    """In one section, a figure in it; what is said rests on an experiment or a measurement."""
    section = real_section(chapter[1].cells)
    assert any(map(cells.pictures, section)) or any("live-" in str(c) for c in section)
    assert re.search(r"<!-- exp: |RESULTS\.md", "".join(c.source for c in section))


def test_the_section_on_a_real_model_runs_without_it(chapter, monkeypatch, capsys):
    """Only the imports come before it; it says in one line what to install, and nothing fails."""
    namespace = {"display": lambda *_: None}
    for cell in filter(cells.is_imports, chapter[1].cells):
        exec(cell.source, namespace)

    def missing(*_, **__):
        raise RuntimeError("the model is not installed: pip install it")

    monkeypatch.setattr(pretrained, "_packaged", missing)
    capsys.readouterr()
    for cell in real_section(chapter[1].cells):
        if cell.cell_type == "code":
            exec(cell.source, namespace)
    plt.close("all")
    said = capsys.readouterr().out.splitlines()
    assert [line for line in said if "install" in line] == said[:1]


def test_exercises_have_a_hint_a_starter_and_a_solution(chapter):
    path, notebook = chapter
    if path.name.startswith("00"):
        return
    text, number = markdown(notebook), int(path.name[:2])
    exercises = re.findall(rf"^### Exercise ({number}\.\d+) · .+\n[●○]{{3}} · \d+ min", text, re.M)
    assert len(exercises) >= 4
    assert exercises == [f"{number}.{i + 1}" for i in range(len(exercises))]
    assert text.count("<details><summary>Hint</summary>") >= len(exercises)
    difficulty = [row.count("●") for row in re.findall(r"^([●○]{3}) · ", text, re.M)]
    assert difficulty == sorted(difficulty), "rising difficulty"
    solutions = [cell for cell in code_cells(notebook) if "solution" in tags(cell)]
    assert all(cell.source.startswith("# @title Solution ") for cell in solutions)
    starting = "\n".join(cell.source for cell in cells.starters(notebook.cells))
    assert "): ..." not in starting, "a body that can be replaced stands on a line of its own"
    for exercise in exercises:
        verdicts = {
            "solution" in tags(cell): line
            for cell in code_cells(notebook)
            for line in printed(cell).splitlines()
            if line.startswith(f"{exercise}: ")
        }
        assert verdicts == {
            False: f"{exercise}: not attempted yet",
            True: f"{exercise}: correct (the book's solution)",
        }


def test_every_predict_is_answered_by_an_output_below_it(chapter):
    """Chapter 0 also says what the word means."""
    path, stored = chapter[0], chapter[1].cells
    asked = [i for i, c in enumerate(stored) if c.cell_type == "markdown" and cells.predictions(c)]
    answered = cells.answers(stored)
    unanswered = [
        i
        for i, end in zip(asked, [*asked[1:], len(stored)], strict=True)
        if not any(i < answer < end for answer in answered)
    ]
    shared = [i for i in unanswered if any(i < answer for answer in answered)]
    assert len(unanswered) - len(shared) <= (path == CHAPTERS[0])


def test_every_section_of_the_core_has_a_sentence_for_its_slides(part):
    """One that a hall can read, in a cell of its own that is tagged `slide-line`."""
    if part[0].name[:2] in ("00", "90", "92", "93"):
        return
    lines, title = {}, None
    for cell in part[1].cells:
        if cell.cell_type == "markdown" and cell.source.startswith("## "):
            title = re.match(r"## (\d+\.\d+ .+)|", cell.source)[1]
            lines.setdefault(title, 0)
        lines[title] = lines.get(title, 0) + ("slide-line" in tags(cell))
    del lines[None]
    assert lines and [title for title, count in lines.items() if not 0 < count < 3] == []


def test_the_ledger_names_the_chapter_of_every_claim():
    text = markdown(read(CLAIMS))
    rows = {int(claim): row for claim, row in re.findall(r"^\| (\d+) \| (.*)", text, re.M)}
    assert sorted(rows) == list(range(1, len(rows) + 1)) and len(rows) >= 57
    assert f"the {len(rows)} claims" in (ROOT / "README.md").read_text(encoding="utf-8")
    for path in CHAPTERS[1:]:
        said = r"^Checked claims of this chapter: ([\d, –and]+) in \["
        (line,) = re.findall(said, markdown(read(path)), re.M)
        lost = [n for n in re.findall(r"\d+", line) if f"({path.name}" not in rows[int(n)]]
        assert lost == [], path.name


def test_every_term_of_the_glossary_stands_in_its_section():
    """And the first screen of every chapter links to the glossary."""
    (glossary,) = [cell for cell in read(CLAIMS).cells if cell.source.startswith("## Glossary")]
    rows = re.findall(r"^\| \*\*(.+?)\*\* \| .+\. \|.*\| (.+) \|$", glossary.source, re.M)
    terms = [term for term, _ in rows]
    assert terms == sorted(terms, key=str.lower) and len(set(terms)) == len(terms) >= 180
    assert len(rows) == glossary.source.count("\n| **")
    for term, links in rows:
        parts = [(CLAIMS.parent / name, at) for at, name, _ in sections.LINK.findall(links)]
        text = "\n".join(part_of(*part) for part in parts)
        for name in re.sub(r" \(.+", "", term).split(", "):
            assert re.search(rf"(?<!\w){re.escape(name)}", text, re.I), f"{name}: {links}"
    for path in CHAPTERS:
        assert f"({CLAIMS.name}#cell-id={glossary.id})" in read(path).cells[0].source, path.name


def test_no_link_to_a_section_is_left_to_be_filled_in(part):
    for line in markdown(part[1]).splitlines():
        assert sections.anchored(line) == line, f"{part[0].name}: python tools/sections.py"


def test_every_number_of_a_section_in_the_project_leads_to_a_heading():
    """In the chapters, notes and decks, the other pages, the experiments and the tests."""
    known, lost = sections.stands(), []

    def note(name, page=None):
        if page and name not in known and not name.startswith("exercise 0."):
            lost.append(f"{page}: {name}")
        return name

    assert sections.repointed(note) == {} and lost == []
    for path in BOOK:
        text = markdown(read(path))
        bare = known.keys() & re.findall(rf"\b[Ii]n ({sections.NUMBER})\b(?! %| ms)", text)
        bare |= {
            *re.findall(
                rf"(?<!tion )(?<!cise )(?<![.\d])({sections.NUMBER}) (?:says|shows)\b", text
            )
        }
        assert not bare, f'{path.name}: "section {bare}", which tools can follow'


@pytest.fixture
def small_book(tmp_path, monkeypatch):
    """Two chapters and a page that point to each other; where everything was."""
    pages = {
        "02_keys.ipynb": ["# 2 · Keys", "## 2.1 One", "## 2.2 Two\n\nAs (2.2) and (2.1).",
                          "### Inside", "## 2.3 Three", "## Exercises\n\n### Exercise 2.1 · A",
                          "### Exercise 2.2 · B\n\nSee section 2.3.", "## Sources"],
        "03_masks.ipynb": ["# 3 · Masks", "## 3.1 Four\n\nSections 2.1 and 2.3, exercise 2.2, "
                           "[2.3 Three](02_keys.ipynb#cell-id=2-4)\n"
                           "[two](02_keys.ipynb#cell-id=2-2), "
                           "[2.1 One](02_keys.ipynb#cell-id=2-1)"],
    }  # fmt: skip
    (tmp_path / "notebooks").mkdir()
    for name, texts in pages.items():
        stored = [
            nbformat.v4.new_markdown_cell(t, id=f"{name[1]}-{i}") for i, t in enumerate(texts)
        ]
        nbformat.write(nbformat.v4.new_notebook(cells=stored), tmp_path / "notebooks" / name)
    (tmp_path / "ERRATA.md").write_text("[2.3](notebooks/02_keys.ipynb), (2.1)", encoding="utf-8")
    monkeypatch.setattr(cells, "ROOT", tmp_path)
    monkeypatch.setattr(sections, "ROOT", tmp_path)
    sections.headings.cache_clear()
    old = {name: {"now": name, "title": "", "cell": ""} for name in sections.stands()}
    (tmp_path / sections.MOVED).write_text(json.dumps(old), encoding="utf-8")
    yield tmp_path
    sections.headings.cache_clear()


def test_sections_and_exercises_move_and_all_that_points_to_them_follows(small_book):
    def told(name):
        return markdown(nbformat.read(small_book / "notebooks" / name, as_version=4))

    sections.main("move", "2.2", "further")
    assert "## Going further\n### 2.3 Two\n\nAs (2.3) and (2.1).\n#### Inside\n## So" in told(
        "02_keys.ipynb"
    )
    assert "Sections 2.1 and 2.2, exercise 2.2, [2.2 Three](02" in told("03_masks.ipynb")
    sections.main("move", "2.1", "after", "3.1")
    sections.main("rename", "2.1", "Third")
    assert "Sections 3.2 and 2.1, exercise 2.2, [2.1 Third](02_keys.ipynb#cell-id=2-4)" in told(
        "03_masks.ipynb"
    )
    sections.main("move", "exercise 2.1", "after", "exercise 2.2")
    assert "exercise 2.1" in told("03_masks.ipynb") and "2.2 · A" in told("02_keys.ipynb")
    sections.main("drop", "2.2", "3.1")
    assert "[two](03_masks.ipynb#cell-id=3-1), [3.2 One](03_masks" in told("03_masks.ipynb")
    errata = (small_book / "ERRATA.md").read_text(encoding="utf-8")
    assert errata == "[2.1](notebooks/02_keys.ipynb), (3.2)"
    moved = json.loads((small_book / sections.MOVED).read_text(encoding="utf-8"))
    assert {name: entry["now"] for name, entry in moved.items()} == {
        "2.1": "3.2", "2.2": None, "2.3": "2.1", "exercise 2.1": "exercise 2.2",
        "exercise 2.2": "exercise 2.1", "3.1": "3.1",
    }  # fmt: skip
    assert moved["2.2"]["instead"] == "3.1" and moved["2.3"]["title"] == "Third"


def test_the_pictures_of_the_readme_show_what_the_book_shows():
    assert (ROOT / "images" / "apple.png").read_bytes() == refresh.readme_picture()
    (run,) = [cell for cell in read(CHAPTERS[0]).cells if cell.id == "s00-write-run"]
    quoted = re.search(r"```text\n(.*)\n(.*)\n```", (ROOT / "README.md").read_text("utf-8"))
    assert all(line in run.outputs[-1].text for line in quoted.groups())
    report = (ROOT / "images" / "report.svg").read_text(encoding="utf-8")
    said = html.unescape(re.sub(r"<style>.*?</style>|<[^>]*>", " ", report, flags=re.S))
    page = (ROOT / "docs" / "audit.md").read_text(encoding="utf-8")
    assert said.split() == re.findall(r"```text\n(.*?)```", page, re.S)[0].split()


def test_links_are_stamped_from_one_place(tmp_path, monkeypatch):
    names = (*refresh.PUBLIC_FILES, "notebooks/" + CHAPTERS[0].name)
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    old, published = cells.repository(), cells.published()
    monkeypatch.setattr(cells, "ROOT", tmp_path)
    refresh.links("someone/else")
    assert cells.repository() == "someone/else"
    for name in names:
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert re.search(r"someone(\.github\.io)?/else", text)
        left = rf"{old}[/)]|{old.replace('/', '%2F')}|{re.escape(published)}"
        assert not re.search(left, text), name
    with pytest.raises(SystemExit, match="REPO must be owner/name"):
        refresh.links("not a repository")


def on_the_page(number, *starts, **names):
    """What the classes that begin so are when the cells of a chapter have run."""
    sources = [c.source for c in code_cells(read(CHAPTERS[number]))]
    for start in starts:
        (source,) = (text for text in sources if f"\n{start}" in f"\n{text}")
        exec(source, names := dict(torch=torch, nn=torch.nn) | names)
    return names


def test_the_layer_on_one_page_needs_torch_alone_and_is_the_layer_of_the_package():
    names = on_the_page(4, "class MultiHeadSelfAttention")
    layer = names["MultiHeadSelfAttention"](12, 3).double()
    theirs = MultiHeadAttention(12, 3, engine="explicit").double()
    layer.load_state_dict(theirs.state_dict())
    x = torch.randn(2, 5, 12, generator=torch.Generator().manual_seed(0)).double()
    lengths = torch.tensor([5, 3])
    padding = torch.arange(5) < lengths[:, None, None, None]  # (2, 1, 1, 5)
    mask = padding & (torch.ones(5, 5).tril() > 0)
    torch.testing.assert_close(layer(x, mask), theirs(x, is_causal=True, valid_lens=lengths))
    torch.testing.assert_close(layer(x), theirs(x))
    assert layer.bfloat16()(x.bfloat16(), mask).dtype == torch.bfloat16


@pytest.mark.parametrize("kind", [Encoder, Decoder])
def test_the_transformer_on_one_page_is_the_encoder_and_the_decoder_of_the_package(kind):
    starts = "class Block(", "class Transformer("
    names = on_the_page(9, *starts, MultiHeadAttention=MultiHeadAttention)
    tokens = torch.randint(11, (2, 5), generator=torch.Generator().manual_seed(0))
    theirs = kind(11, 12, num_layers=2, num_heads=3, max_len=7).double()
    ours = names["Transformer"](11, 12, 2, 3, 7, is_causal=kind is Decoder).double()
    ours.load_state_dict(theirs.state_dict())
    torch.testing.assert_close(ours(tokens), theirs(tokens))


def test_the_kernels_of_the_page_are_those_that_attention_runs():
    """And fit on a screen, a statement a line, with a shape after each load."""
    package = (ROOT / "d2lattn_book" / "kernels" / "kernel.py").read_text(encoding="utf-8")
    shown = [c.source for c in code_cells(read(APPENDICES[2])) if "kernel" in tags(c)]
    names = [re.search(r"^def (\w+)", source, re.M)[1] for source in shown]
    assert names == ["first_kernel", "forward_kernel", "keys_kernel", "queries_kernel", "my_kernel"]
    for name, source in zip(names, shown, strict=True):
        assert len(source.splitlines()) <= 60 and ";" not in source
        for line in source.splitlines():
            assert "tl.load(" not in line or "#" in line, line
        if name in names[1:4]:
            assert source in package, name


@pytest.mark.parametrize(
    ("version", "found", "installs"),
    [("0.4.9", True, 2), ("0.5.0", True, 0), ("0.10.1", True, 0), ("0.5.0", False, 2)],
)
def test_the_set_up_cell_installs_what_is_missing_or_too_old(
    monkeypatch, capsys, version, found, installs
):
    """Once for the two packages, once for what comes without what it asks for, as everywhere."""
    path = cells.book()[0]
    (cell,) = [cell for cell in code_cells(read(path)) if "setup" in tags(cell)]
    asked = []
    monkeypatch.setattr("subprocess.run", lambda command, check: asked.append(command))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: found or None)
    installed = [types.SimpleNamespace(version=version)]
    monkeypatch.setattr("importlib.metadata.distributions", lambda name: installed)
    exec(cell.source, {})
    assert len(asked) == installs
    said = [line.partition(":")[0] for line in capsys.readouterr().out.splitlines()]
    assert said == ["1 of 2", "2 of 2", "Ready. Run the next cell."][: installs * 2]
    if installs:
        alone = (cells.ROOT / "locks" / "alone.txt").read_text(encoding="utf-8")
        assert asked[1][-3:] == re.findall(r"^[\w-]+==[\w.]+", alone, re.M)


def test_the_set_up_cell_does_nothing_where_the_book_is_on_the_path_and_not_installed(tmp_path):
    (cell,) = [cell for cell in code_cells(read(cells.book()[0])) if "setup" in tags(cell)]
    for package in ("d2lattn", "d2lattn_book"):
        (tmp_path / package).symlink_to(cells.ROOT / package)
    alone = [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.append({str(tmp_path)!r})"]
    alone[-1] += f"\n{cell.source}"
    assert subprocess.run(alone, capture_output=True, text=True, check=True).stdout == ""
