"""Rules for chapters and appendices, as NOTEBOOKS says them; nbval compares their outputs."""

import ast
import base64
import io
import itertools
import re
import sys
from pathlib import Path

import cells
import lecturer
import matplotlib.pyplot as plt
import nbformat
import pytest
import slides
import torch

import notebooks
from d2lattn import MultiHeadAttention

ROOT = Path(__file__).resolve().parent.parent

CHAPTERS, APPENDICES = cells.chapters(), cells.appendices()
BOOK = [*CHAPTERS, *APPENDICES]
CLAIMS = ROOT / "notebooks" / "90_notation_and_claims.ipynb"
REFERENCE = r"\[(\d+) · ([^\]]+)\]\((\d\d_\w+\.ipynb)\)"  # [2 · ask is not to be found](02_….ipynb)
SLIDE_TYPES = {"slide", "subslide", "fragment", "notes", "skip"}
UNCOMPARED = {"nbval-ignore-output", "nbval-skip", "nbval-check-output"}


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


def section(text, heading):
    """The text under "## heading", up to the next heading of its kind."""
    return ("\n" + text).split(f"\n## {heading}")[1].split("\n## ")[0]


def headings(path):
    """Of its sections and what is in them, but not of the exercises."""
    return re.findall(r"^##+ (?!Exercise)(.+)", markdown(read(path)), re.M)


def referred(number, words, name):
    """The one heading that a reference to "[number · words](name)" means."""
    path = ROOT / "notebooks" / name
    assert path.exists() and int(name[:2]) == int(number), f"[{number} · {words}]({name})"
    found = [heading for heading in headings(path) if words.lower() in heading.lower()]
    assert len(found) == 1, f"{name}: {words!r} is in {found} of " + "\n".join(headings(path))
    return found[0]


@pytest.fixture(params=CHAPTERS, ids=lambda path: path.name[:2])
def chapter(request):
    return request.param, read(request.param)


@pytest.fixture(params=BOOK, ids=lambda path: path.name[:2])
def part(request):
    """A chapter or an appendix."""
    return request.param, read(request.param)


def test_chapters_are_numbered_without_a_gap():
    assert [path.name[:2] for path in CHAPTERS] == [f"{i:02d}" for i in range(len(CHAPTERS))]
    assert len(CHAPTERS) >= 4


def test_the_stored_notebook_is_valid_and_normalised(part):
    path, notebook = part
    nbformat.validate(notebook)
    stored = notebook.copy()
    assert notebooks.normalise(read(path)) == stored, f"run: make refresh CHAPTERS={path.name[:2]}"
    assert len({cell.id for cell in notebook.cells}) == len(notebook.cells)


def test_no_output_is_older_than_its_code(part):
    path, notebook = part
    assert notebook.metadata.get("seal") == notebooks.seal(notebook), (
        f"its code or an output has changed: make refresh CHAPTERS={path.name[:2]}"
    )
    cell = next(c for c in notebook.cells if c.cell_type == "code" and c.outputs)
    cell.source += "  # changed and not run"
    assert notebook.metadata.seal != notebooks.seal(notebook)


def test_every_code_cell_is_short_and_was_run(part):
    for cell in code_cells(part[1]):
        source = re.sub(
            r"^from \w+ import \([^)]*\)", "", cell.source, flags=re.M
        )  # a list of names
        lines = [line for line in source.splitlines() if line.strip()]
        assert 0 < len(lines) <= 15, cell.source
        assert cell.execution_count is not None, cell.source
        assert not cell.source.rstrip().endswith(";"), cell.source


def test_errors_are_deliberate(part):
    for cell in code_cells(part[1]):
        failed = any(output.output_type == "error" for output in cell.outputs)
        assert failed == ("raises-exception" in tags(cell)), cell.source


def test_at_most_one_cell_in_twenty_is_not_compared(part):
    cells = code_cells(part[1])
    uncompared = [cell for cell in cells if tags(cell) & UNCOMPARED]
    assert len(uncompared) <= max(1, len(cells) // 20), [cell.source for cell in uncompared]


def test_every_figure_is_described_in_words(part):
    for cell in code_cells(part[1]):
        if any("image/png" in output.get("data", {}) for output in cell.outputs):
            assert printed(cell).strip(), f"print(plots.describe(...)) is missing:\n{cell.source}"


def test_outputs_hold_no_place_of_a_machine_and_no_widget_state(part):
    path, notebook = part
    text = path.read_text(encoding="utf-8")
    words = re.sub(r'"image/png": "[^"]*"', "", text)  # its letters spell anything one day
    assert not re.search(r"/home/|/root/|/Users/|/tmp/|site-packages|0x[0-9a-f]{8,}", words)
    assert "widget-view+json" not in text
    assert not any(o.get("name") == "stderr" for c in code_cells(notebook) for o in c.outputs)


def test_set_up_cell_is_the_same_everywhere(part):
    setup = [cell for cell in code_cells(part[1]) if "setup" in tags(cell)]
    first = [cell for cell in code_cells(read(CHAPTERS[0])) if "setup" in tags(cell)]
    assert len(setup) == 1 and setup[0] == code_cells(part[1])[0], "first code cell"
    assert setup[0].source == first[0].source
    assert not setup[0].outputs


def test_links_lead_to_the_public_repository_and_to_parts_that_exist(part):
    path, notebook = part
    text = markdown(notebook)
    repository = cells.repository()
    colab = f"https://colab.research.google.com/github/{repository}/blob/main/notebooks/{path.name}"
    assert colab in text
    for name in re.findall(r"\]\(([^):#]+\.ipynb)\)", text):
        assert (path.parent / name).exists(), f"{path.name} links to {name}"
    assert all(f"({other.name})" in text for other in neighbours(path))


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


def test_nothing_is_loaded_from_the_network(part):
    text = markdown(part[1])
    assert not re.search(r"!\[[^\]]*\]\(\s*(https?:)?//", text)
    assert not re.search(r"<(img|script|link|iframe)\b", text)
    assert not re.search(r"!\[\s*\]\(", text), "an image without alternative text"


def test_anatomy(chapter):
    path, notebook = chapter
    if path.name.startswith("00"):
        return
    text = markdown(notebook)
    number = int(path.name[:2])
    assert re.match(rf"# {number} · .+\n\n\*\*.+\?\*\*", notebook.cells[0].source), (
        "title, question"
    )
    assert "You will be able to" in notebook.cells[0].source
    assert re.search(r"\d+ minutes", notebook.cells[0].source)
    for section in ("Summary", "Checked claims", "Exercises", "Sources"):
        assert f"\n## {section}" in "\n" + text, f"no section {section}"
    assert text.count("**Predict.**") >= 4
    assert re.search(r"^## .*D2L", text, re.M), "the same thing in D2L and in torch"


def test_the_core_fits_the_minutes_it_states(chapter):
    path, notebook = chapter
    if path.name.startswith("00"):
        return
    stated, needed = (
        lecturer.stated_minutes(notebook.cells),
        lecturer.reading_minutes(notebook.cells),
    )
    assert 45 <= stated <= 60
    assert needed <= 1.1 * stated, f"a reader needs about {needed:.0f} minutes, {stated} are stated"


# The chapters that have been made sound and short; the others still have the length of before.
DONE = {"00", "01", "02", "03", "04", "05", "06", "07", "08"}
SHORT = tuple(path for path in CHAPTERS if path.name[:2] in DONE)


@pytest.fixture(params=SHORT, ids=lambda path: path.name[:2])
def short(request):
    return read(request.param)


def test_a_newcomer_can_finish_a_chapter(short):
    length = lecturer.length(short.cells)
    assert length.words <= 2000 and length.lines <= 130, f"the core is too long: {length}"
    assert length.optional_words <= 1000, f"{cells.OPTIONAL} is too long: {length}"


def test_what_is_not_compared_is_guarded(short):
    """Beside timings, at most three cells, each naming the cell or test that holds its numbers."""
    uncompared = [cell for cell in code_cells(short) if tags(cell) & UNCOMPARED]
    moving = [cell for cell in uncompared if not re.search(r"time|version", cell.source)]
    assert len(moving) <= 3
    for cell in moving:
        assert re.search(r"#.*\bguard", cell.source, re.I), cell.source


def test_a_cell_that_draws_only_draws(short):
    for cell in code_cells(short):
        if any("image/png" in output.get("data", {}) for output in cell.outputs):
            assert not re.search(r"^\s*assert\b", cell.source, re.M), cell.source


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
    for exercise in exercises:
        verdicts = {
            "solution" in tags(cell): line
            for cell in code_cells(notebook)
            for line in printed(cell).splitlines()
            if line.startswith(f"{exercise}: ")
        }
        assert verdicts == {
            False: f"{exercise}: not attempted yet",
            True: f"{exercise}: correct",
        }


def test_solutions_are_collapsed_in_lab_and_in_colab(chapter):
    for cell in code_cells(chapter[1]):
        if "solution" in tags(cell):
            assert cell.metadata.jupyter.source_hidden is True
            assert cell.metadata.cellView == "form"
            assert cell.source.startswith("# @title Solution ")


def test_slides(chapter):
    path, notebook = chapter
    kinds = [cell.metadata.get("slideshow", {}).get("slide_type") for cell in notebook.cells]
    assert set(kinds) <= SLIDE_TYPES | {None}, "leave the key out instead of '-'"
    assert kinds[0] == "slide"
    if not path.name.startswith("00"):
        assert kinds.count("notes") >= 4, "speaker notes"


WITH_LINES = [path for path in (*SHORT, *APPENDICES) if path.name[:2] not in ("00", "90")]


@pytest.mark.parametrize("path", WITH_LINES, ids=lambda path: path.name[:2])
def test_every_section_of_the_core_has_a_sentence_for_its_slides(path):
    """One that a hall can read, in a cell of its own that is tagged `slide-line`."""
    lines, title = {}, None
    for cell in read(path).cells:
        heading = re.match(r"##+ (.+)", cell.source) if cell.cell_type == "markdown" else None
        if heading and heading[0].startswith("## "):
            title = heading[1] if re.match(r"\d+\.\d+ (?!⊕)", heading[1]) else None
            lines.setdefault(title, [])
        if "slide-line" in tags(cell):
            lines.setdefault(title, []).append(cell.source)
            assert slides.words(cell.source) <= 31, cell.source
    del lines[None]
    assert lines and [title for title, found in lines.items() if not 0 < len(found) < 3] == []


def test_imports_are_of_what_the_project_installs(part):
    allowed = {"torch", "numpy", "matplotlib", "seaborn", "ipywidgets", "tqdm"}
    allowed |= {"d2lattn", "IPython"} | set(sys.stdlib_module_names)
    for cell in code_cells(part[1]):
        source = re.sub(r"^[%!].*$", "", cell.source, flags=re.M)
        for node in ast.walk(ast.parse(source)):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) else []
            assert {name.split(".")[0] for name in names} <= allowed, cell.source


def test_no_global_state_is_changed(part):
    habits = (
        "torch.manual_seed",
        "random.seed",
        "rcParams",
        "filterwarnings",
        "set_theme",
        "gca()",
    )
    for cell in code_cells(part[1]):
        assert not any(habit in cell.source for habit in habits), cell.source


def test_appendices_are_for_looking_up():
    assert [path.name[:2] for path in APPENDICES] == ["90", "91"]
    for path in APPENDICES:
        text = markdown(read(path))
        assert re.match(rf"# {path.name[:2]} · ", read(path).cells[0].source)
        for word in ("**Predict.**", "### Exercise", "For the lecturer"):
            assert word not in text, f"{path.name}: {word}"


def test_the_ledger_says_of_every_claim_where_it_is_shown():
    ledger = section(markdown(read(CLAIMS)), "The ledger")
    rows = re.findall(r"^\| (\d+) \|.*\|([^|]+)\|$", ledger, re.M)
    assert [int(claim) for claim, _ in rows] == list(range(1, len(rows) + 1)) and len(rows) >= 39
    for claim, where in rows:
        assert re.findall(REFERENCE, where), f"claim {claim} names no section"
        for number, words, name in re.findall(REFERENCE, where):
            heading = referred(number, words, name)
            shown = re.search(rf"{number}\.\d+", heading)
            table = section(markdown(read(ROOT / "notebooks" / name)), "Checked claims")
            (row,) = re.findall(rf"^\| {claim} \|.*", table, re.M)
            sections = row.rstrip("| ").split("|")[-1]
            first, *last = re.findall(rf"{number}\.(\d+)", sections)
            inside = " to " in sections and int(first) < int(shown[0].split(".")[1]) <= int(last[0])
            assert inside or re.search(rf"{re.escape(shown[0])}(?!\d)", sections), (claim, heading)


def test_every_checked_claim_stands_in_the_ledger():
    ledger = section(markdown(read(CLAIMS)), "The ledger")
    for path in CHAPTERS[1:]:
        table = section(markdown(read(path)), "Checked claims")
        for claim in re.findall(r"^\| (\d+) \|", table, re.M):
            (row,) = re.findall(rf"^\| {claim} \|.*", ledger, re.M)
            assert f"({path.name})" in row, f"claim {claim}: the ledger does not name {path.name}"


def test_every_question_of_the_index_leads_to_a_section():
    index = section(markdown(read(CLAIMS)), "Index of questions")
    rows = re.findall(r"^\| (.+\?) \| (.+) \|$", index, re.M)
    assert len(rows) >= 15
    for question, where in rows:
        assert re.findall(REFERENCE, where), question
        for reference in re.findall(REFERENCE, where):
            referred(*reference)


def test_the_picture_of_the_readme_is_a_figure_of_the_book():
    assert (ROOT / "images" / "apple.png").read_bytes() == notebooks.readme_picture()


def test_normalise_keeps_the_end_of_a_progress_bar():
    cell = nbformat.v4.new_code_cell("train()")
    cell.outputs = [
        nbformat.v4.new_output("stream", name="stdout", text=t) for t in ("\r1 %", "\r2 %")
    ]
    notebook = notebooks.normalise(nbformat.v4.new_notebook(cells=[cell]))
    assert [output.text for output in notebook.cells[0].outputs] == ["2 %"]
    assert notebook.cells[0].execution_count == 1


def test_links_are_stamped_from_one_place(tmp_path, monkeypatch):
    (tmp_path / "notebooks").mkdir()
    for name in (*notebooks.PUBLIC_FILES, "notebooks/" + CHAPTERS[0].name):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    old = cells.repository()
    monkeypatch.setattr(cells, "ROOT", tmp_path)
    notebooks.links("someone/else")
    assert cells.repository() == "someone/else"
    for name in (*notebooks.PUBLIC_FILES, "notebooks/" + CHAPTERS[0].name):
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert "someone/else" in text and f"{old}/" not in text and f"{old})" not in text
    with pytest.raises(SystemExit, match="REPO must be owner/name"):
        notebooks.links("not a repository")


def test_figures_are_opaque(part):
    for cell in code_cells(part[1]):
        for output in cell.outputs:
            if "image/png" in output.get("data", {}):
                png = base64.b64decode(output.data["image/png"])
                image = plt.imread(io.BytesIO(png))  # (height, width, channels), 0 to 1
                assert image.shape[-1] == 3 or image[..., 3].min() == 1, cell.source


def test_the_layer_on_one_page_needs_torch_alone_and_is_the_layer_of_the_package():
    chapter = read(next(path for path in CHAPTERS if path.name.startswith("04")))
    (cell,) = (
        c for c in code_cells(chapter) if c.source.startswith("class MultiHeadSelfAttention")
    )
    names = dict(torch=torch, nn=torch.nn)
    exec(cell.source, names)
    layer = names["MultiHeadSelfAttention"](12, 3, dropout=0.5).double()
    theirs = MultiHeadAttention(12, 3, dropout=0.5, engine="explicit").double()
    layer.load_state_dict(theirs.state_dict())
    x = torch.randn(2, 5, 12, generator=torch.Generator().manual_seed(0)).double()
    lengths = torch.tensor([5, 3])
    causal = torch.ones(5, 5).tril() > 0
    padding = torch.arange(5) < lengths[:, None, None, None]  # (2, 1, 1, 5)
    rules = [
        (None, {}),
        (causal, dict(is_causal=True)),
        (padding, dict(valid_lens=lengths)),
        (causal & padding, dict(is_causal=True, valid_lens=lengths)),
    ]

    def run(module, training, **options):
        """The output, and the gradient of every weight."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)  # while training both drop the same shares
            output = module.train(training)(x, **options)
        return output, *torch.autograd.grad(output.square().sum(), module.parameters())

    for training, (mask, rule) in itertools.product((False, True), rules):
        ours = run(layer, training, mask=mask)
        torch.testing.assert_close(ours, run(theirs, training, **rule))
        if training:
            assert not torch.allclose(ours[0], run(layer, False, mask=mask)[0]), "nothing dropped"
    assert layer.bfloat16()(x.bfloat16(), causal).dtype == torch.bfloat16
