"""`make refresh` and `make tidy`: a diff shows what somebody changed, and nothing beside it."""

import copy
import io
import shutil
import subprocess

import cells
import nbformat
import pytest
import refresh
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from PIL import Image

from d2lattn_book.pictures.figure import image

CHAPTER = next(path for path in cells.chapters() if path.name.startswith("03"))
START = "import base64, io, time\nfrom IPython.display import display\nfrom PIL import Image"
SCALE, TIMED, SAID = "scale = 2", "print(scale, time.time_ns())", "print('always')"
DRAWN = """drawn = Image.new("L", (4, 4), 40 * scale)
drawn.save(png := io.BytesIO(), format="png")
code = base64.b64encode(png.getvalue()).decode()
style = 'style="max-width:100%" src="data:image/png;base64,'
html = f'<img alt="Some dots." {style}{code}">'
display({"text/plain": "Some dots.", "text/html": html}, raw=True)"""


def commit(folder):
    who = ["-c", "user.name=A reader", "-c", "user.email=reader@example.org"]
    for command in (["init", "-q"], ["add", "."], [*who, "commit", "-q", "-m", "A chapter"]):
        subprocess.run(["git", "-C", folder, *command], check=True)


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    """Where a book of one chapter may lie; its path."""
    for name in ("notebooks", "tests"):
        (tmp_path / name).mkdir()
    for name in ("pyproject.toml", "tests/nbval_sanitize.cfg"):
        shutil.copy(cells.ROOT / name, tmp_path / name)
    monkeypatch.setattr(cells, "ROOT", tmp_path)
    return tmp_path / "notebooks" / "03_small.ipynb"


def changed(path, old, new):
    """Write something else into a chapter, as an editor does."""
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


def printed(path):
    found = [c for c in nbformat.read(path, as_version=4).cells if c.cell_type == "code"]
    return [[output.get("text") or output.data for output in cell.outputs] for cell in found]


def test_a_refresh_touches_what_was_changed(shelf):
    stored = [
        new_markdown_cell("A sentence.", id="words"),
        new_code_cell(START, id="start"),
        new_code_cell(SCALE, id="scale"),
        new_code_cell(TIMED, id="timed", metadata={"tags": ["nbval-ignore-output"]}),
        new_code_cell(DRAWN, id="drawn", metadata={"tags": ["readme"]}),
        new_code_cell(SAID, id="said"),
    ]
    nbformat.write(new_notebook(cells=stored), shelf)
    refresh.refresh([])
    commit(shelf.parent.parent)
    first = shelf.read_text(encoding="utf-8")
    assert '"execution_count": 1' not in first

    before = printed(shelf)
    refresh.refresh([])
    assert shelf.read_text(encoding="utf-8") == first
    changed(shelf, SCALE, "scale = 3")
    refresh.refresh([])
    after = printed(shelf)
    assert after[2][0].startswith("3 ") and after[3] != before[3]
    assert [*after[:2], *after[4:]] == [*before[:2], *before[4:]]

    refresh.refresh([], anew=True)
    anew = printed(shelf)
    assert anew[2] != after[2] and anew[3:] == after[3:]


def picture(*shades, said="Some dots."):
    """An output with a picture of one row, of these shades of red."""
    drawn = Image.frombytes("RGB", (len(shades), 1), bytes(v for s in shades for v in (s, 0, 0)))
    drawn.save(png := io.BytesIO(), format="png")
    html = image(said, png.getvalue())
    return new_output("display_data", {"text/plain": said, "text/html": html})


def trained(digits, name="01234567"):
    """An output with a live figure that a training sent its numbers to."""
    html = f'<live-{name} data-live=\'{{"text":"{digits}"}}\'></live-{name}>'
    return new_output("display_data", {"text/plain": "heads", "text/html": html})


@pytest.mark.parametrize(
    ("code", "old", "new", "kept"),
    [
        ("draw()", picture(9, 9), picture(9, 200), False),
        ("draw()", picture(9, 9), picture(9, 9, said="More dots."), False),
        ("draw()  # now", picture(9, 9), picture(9, 10), True),
        ("draw(wide=True)", picture(9, 9), picture(9, 9, 9), False),
        ("draw()", trained("AAAA"), trained("AAAB"), True),
        ("draw()", trained("AAAA"), trained("AAAA", name="76543210"), False),
        ("draw(seed=2)", trained("AAAA"), trained("AAAB"), False),
        ("draw()", new_output("stream", text="1"), new_output("stream", text="2"), False),
    ],
)
def test_what_says_the_same_stays_as_it_was(shelf, code, old, new, kept):
    before = new_notebook(cells=[new_code_cell("draw()", id="drawn", outputs=[old])])
    after = new_notebook(cells=[new_code_cell(code, id="drawn", outputs=[copy.deepcopy(new)])])
    refresh.keep(before, after)
    assert after.cells[0].outputs == [old if kept else new]


def test_the_code_behind_an_output_is_what_it_takes_and_what_touches_that():
    code = [
        "import torch\nfrom d2lattn import fit",
        "x = torch.eye(2)",
        "model = torch.nn.Linear(2, 2)",
        "print(x.sum())\ny = 2",
        "other = torch.ones(2)",
        "fit(model, x)",
        "def right(m):\n    return m(x) > 0",
        "%time right(model)",
        "print(right(model))",
    ]
    stored = [new_code_cell(source) for source in code]
    found = refresh.behind(stored[-1], stored)
    assert found == [code[i] for i in (8, 6, 5, 3, 2, 1, 0)]
    assert refresh.behind(stored[4], stored) == [code[4], code[0]]


def as_saved(notebook):
    """What JupyterLab writes into a chapter that was opened and run there."""
    notebook.metadata.language_info |= {"file_extension": ".py", "version": "3.11.4"}
    notebook.metadata.kernelspec["display_name"] = "Python 3 (ipykernel)"
    notebook.metadata["widgets"] = {"application/vnd.jupyter.widget-state+json": {}}
    for i, cell in enumerate(notebook.cells):
        for key in ("jp-MarkdownHeadingCollapsed", "collapsed", "jupyter"):
            cell.metadata.pop(key, None)
        cell.metadata |= {"editable": True, "scrolled": False, "trusted": True}
        cell.metadata.setdefault("slideshow", {"slide_type": ""})
        cell.metadata.setdefault("tags", [])
        if cell.cell_type == "markdown":
            cell["attachments"] = {}
            continue
        cell.execution_count = i
        cell.metadata["execution"] = {"iopub.status.busy": "2026-11-21T10:00:00Z"}
        if cells.tags(cell) & refresh.UNCOMPARED:
            cell.outputs = [new_output("stream", text="the digits of another run\n")]
    notebook.cells.append(new_code_cell(""))


def test_what_jupyterlab_saved_is_tidied_without_a_kernel(shelf, monkeypatch, capsys):
    tidy = CHAPTER.read_text(encoding="utf-8")
    notebook = nbformat.reads(tidy, as_version=4)
    shelf.write_text(tidy, encoding="utf-8")
    commit(shelf.parent.parent)
    monkeypatch.setattr(refresh, "NotebookClient", None)
    as_saved(notebook)
    nbformat.write(notebook, shelf)
    assert shelf.read_text(encoding="utf-8") != tidy
    refresh.tidy(["03"])
    assert shelf.read_text(encoding="utf-8") == tidy
    refresh.tidy([])
    assert capsys.readouterr().out == "03_small.ipynb: tidied\n"


def test_tidying_does_not_hide_that_code_was_changed(shelf):
    stored = [new_code_cell("1", id="one", outputs=[new_output("stream", text="1\n")])]
    notebook = refresh.normalise(new_notebook(cells=stored))
    notebook.metadata["seal"] = refresh.seal(notebook)
    nbformat.write(notebook, shelf)
    commit(shelf.parent.parent)
    assert refresh.committed(shelf).cells == notebook.cells
    changed(shelf, '"1"', '"2"')
    refresh.tidy([])
    found = nbformat.read(shelf, as_version=4)
    assert found.metadata.seal == notebook.metadata.seal != refresh.seal(found)
    commit(shelf.parent.parent)
    assert refresh.committed(shelf).cells == [], "these are not the outputs of this code"
