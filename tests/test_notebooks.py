"""Rules for the chapters, as NOTEBOOKS says them. The outputs themselves are compared by nbval."""

import ast
import base64
import io
import re
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import nbformat
import pytest

import notebooks

ROOT = Path(__file__).resolve().parent.parent

CHAPTERS = notebooks.chapters()
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


@pytest.fixture(params=CHAPTERS, ids=lambda path: path.name[:2])
def chapter(request):
    return request.param, read(request.param)


def test_chapters_are_numbered_without_a_gap():
    assert [path.name[:2] for path in CHAPTERS] == [f"{i:02d}" for i in range(len(CHAPTERS))]
    assert len(CHAPTERS) >= 4


def test_the_stored_notebook_is_valid_and_normalised(chapter):
    path, notebook = chapter
    nbformat.validate(notebook)
    stored = notebook.copy()
    assert notebooks.normalise(read(path)) == stored, f"run: make refresh CHAPTERS={path.name[:2]}"
    assert len({cell.id for cell in notebook.cells}) == len(notebook.cells)


def test_every_code_cell_is_short_and_was_run(chapter):
    for cell in code_cells(chapter[1]):
        lines = [line for line in cell.source.splitlines() if line.strip()]
        assert 0 < len(lines) <= 15, cell.source
        assert cell.execution_count is not None, cell.source
        assert not cell.source.rstrip().endswith(";"), cell.source


def test_errors_are_deliberate(chapter):
    for cell in code_cells(chapter[1]):
        failed = any(output.output_type == "error" for output in cell.outputs)
        assert failed == ("raises-exception" in tags(cell)), cell.source


def test_at_most_one_cell_in_twenty_is_not_compared(chapter):
    cells = code_cells(chapter[1])
    uncompared = [cell for cell in cells if tags(cell) & UNCOMPARED]
    assert len(uncompared) <= max(1, len(cells) // 20), [cell.source for cell in uncompared]


def test_every_figure_is_described_in_words(chapter):
    for cell in code_cells(chapter[1]):
        if any("image/png" in output.get("data", {}) for output in cell.outputs):
            assert printed(cell).strip(), f"print(plots.describe(...)) is missing:\n{cell.source}"


def test_outputs_hold_no_place_of_a_machine_and_no_widget_state(chapter):
    path, notebook = chapter
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"/home/|/root/|/Users/|/tmp/|site-packages|0x[0-9a-f]{8,}", text)
    assert "widget-view+json" not in text
    assert not any(o.get("name") == "stderr" for c in code_cells(notebook) for o in c.outputs)


def test_set_up_cell_is_the_same_everywhere(chapter):
    setup = [cell for cell in code_cells(chapter[1]) if "setup" in tags(cell)]
    first = [cell for cell in code_cells(read(CHAPTERS[0])) if "setup" in tags(cell)]
    assert len(setup) == 1 and setup[0] == code_cells(chapter[1])[0], "first code cell"
    assert setup[0].source == first[0].source
    assert not setup[0].outputs


def test_links_lead_to_the_public_repository_and_to_chapters_that_exist(chapter):
    path, notebook = chapter
    text = markdown(notebook)
    repository = notebooks.public_repository()
    colab = f"https://colab.research.google.com/github/{repository}/blob/main/notebooks/{path.name}"
    assert colab in text
    for name in re.findall(r"\]\(([^):#]+\.ipynb)\)", text):
        assert (path.parent / name).exists(), f"{path.name} links to {name}"
    neighbours = [CHAPTERS[i] for i in (int(path.name[:2]) - 1, int(path.name[:2]) + 1)
                  if 0 <= i < len(CHAPTERS)]  # fmt: skip
    assert all(f"({neighbour.name})" in text for neighbour in neighbours)


def test_nothing_is_loaded_from_the_network(chapter):
    text = markdown(chapter[1])
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


def test_imports_are_of_what_the_project_installs(chapter):
    allowed = {"torch", "numpy", "matplotlib", "seaborn", "ipywidgets", "tqdm"}
    allowed |= {"d2lattn", "IPython"} | set(sys.stdlib_module_names)
    for cell in code_cells(chapter[1]):
        source = re.sub(r"^[%!].*$", "", cell.source, flags=re.M)
        for node in ast.walk(ast.parse(source)):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) else []
            assert {name.split(".")[0] for name in names} <= allowed, cell.source


def test_no_global_state_is_changed(chapter):
    habits = (
        "torch.manual_seed",
        "random.seed",
        "rcParams",
        "filterwarnings",
        "set_theme",
        "gca()",
    )
    for cell in code_cells(chapter[1]):
        assert not any(habit in cell.source for habit in habits), cell.source


def test_the_ledger_lists_every_claim_of_every_chapter():
    rows = dict(re.findall(r"^\| (\d+) \| ([\d, ]+) \|", markdown(read(CHAPTERS[0])), re.M))
    assert sorted(map(int, rows)) == list(range(1, len(rows) + 1)) and len(rows) >= 39
    for path in CHAPTERS[1:]:
        number = str(int(path.name[:2]))
        table = markdown(read(path)).split("## Checked claims")[1].split("\n## ")[0]
        shown = set(re.findall(r"^\| (\d+) \|", table, re.M))
        listed = {claim for claim, where in rows.items() if number in where.split(", ")}
        assert listed <= shown, f"chapter {number} does not show claims {sorted(listed - shown)}"


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
    old = notebooks.public_repository()
    monkeypatch.setattr(notebooks, "ROOT", tmp_path)
    notebooks.links("someone/else")
    assert notebooks.public_repository() == "someone/else"
    for name in (*notebooks.PUBLIC_FILES, "notebooks/" + CHAPTERS[0].name):
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert "someone/else" in text and f"{old}/" not in text and f"{old})" not in text
    with pytest.raises(SystemExit, match="REPO must be owner/name"):
        notebooks.links("not a repository")


def test_figures_are_opaque(chapter):
    for cell in code_cells(chapter[1]):
        for output in cell.outputs:
            if "image/png" in output.get("data", {}):
                png = base64.b64decode(output.data["image/png"])
                image = plt.imread(io.BytesIO(png))  # (height, width, channels), 0 to 1
                assert image.shape[-1] == 3 or image[..., 3].min() == 1, cell.source
