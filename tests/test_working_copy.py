"""`make lab` opens a copy: the book is never changed by reading, and no reader loses a word."""

import itertools
import re
from unittest.mock import Mock

import hostile
import nbformat
import pytest
import working_copy
from cells import FURTHER, HEADING, book, is_caption, is_note
from nbformat.sign import NotebookNotary
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output


@pytest.fixture
def shelf(tmp_path):
    """A book of two chapters, and its copies."""
    (tmp_path / "notebooks").mkdir()
    publish(tmp_path, "03_masks.ipynb", "first")
    publish(tmp_path, "04_heads.ipynb", "first")
    assert update(tmp_path) == []
    return tmp_path


def publish(folder, name, text, printed=""):
    """Print a version of a chapter."""
    output = new_output("stream", text=printed)
    cell = new_code_cell(f"print({text!r})", id="one", outputs=[output])
    nbformat.write(new_notebook(cells=[cell]), folder / "notebooks" / name)


def update(folder, reset=""):
    chapters = sorted((folder / "notebooks").glob("*.ipynb"))
    return working_copy.update(reset, chapters=chapters, work=folder / "work")


def write(folder, name, text):
    """A reader changes the first cell of the copy and saves."""
    path = folder / "work" / name
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[0].source = text
    nbformat.write(notebook, path)


def text(folder, name):
    return nbformat.read(folder / "work" / name, as_version=4).cells[0].source


def names(folder):
    """All that lies beside the copies, but what is kept there about them."""
    found = {path.name for path in (folder / "work").glob("*")}
    return sorted(found - {".manifest.json"})


BOTH = ["03_masks.ipynb", "04_heads.ipynb"]


def test_a_copy_is_the_chapter_and_names_the_kernel_that_runs_it(shelf):
    assert names(shelf) == BOTH
    copy = nbformat.read(shelf / "work" / "03_masks.ipynb", as_version=4)
    assert copy.cells == nbformat.read(shelf / "notebooks" / "03_masks.ipynb", 4).cells
    assert {"version", "codemirror_mode", "file_extension"} <= copy.metadata.language_info.keys()
    assert copy.metadata.kernelspec["name"] == "python3"


def test_a_copy_has_what_is_read_in_one_go_in_one_cell(tmp_path):
    """Of text side by side only headings, folds and what is to be predicted begin a cell; and under
    what is folded nothing is left in sight."""
    working_copy.update(work=tmp_path)
    for path in book():
        chapter, copy = (nbformat.read(p, as_version=4).cells for p in (path, tmp_path / path.name))
        assert not any(is_note(cell) for cell in copy)
        for above, cell in itertools.pairwise(copy):
            if above.cell_type == cell.cell_type == "markdown":
                texts = above.source + cell.source
                stops = re.search(r"<details|[*][*]Predict", texts) or FURTHER in above.source
                stops = stops or HEADING.match(cell.source) or is_caption(above) or is_caption(cell)
                assert stops, (path.name, cell.source[:80])
        folded = [cell.source for cell in copy if cell.metadata.get("jp-MarkdownHeadingCollapsed")]
        assert not [text for text in folded if "\n" in text]
        kept = [cell for cell in chapter if not is_note(cell)]
        assert "\n\n".join(c.source for c in kept) == "\n\n".join(c.source for c in copy)


def test_untouched_copies_follow_silently_and_touched_ones_stay(shelf):
    write(shelf, "04_heads.ipynb", "mine")
    for name in BOTH:
        publish(shelf, name, "second")
    (said,) = update(shelf)
    assert "04_heads.ipynb is yours and stays" in said and "04_heads.new.ipynb" in said
    assert text(shelf, "03_masks.ipynb") == text(shelf, "04_heads.new.ipynb") == "print('second')"
    for gone in ("04_heads.new.ipynb", "03_masks.ipynb"):
        (shelf / "work" / gone).unlink()
    assert (
        update(shelf) == [] and names(shelf) == BOTH
    )  # a version is offered once, a chapter again
    for version in ("third", "fourth"):
        publish(shelf, "04_heads.ipynb", version)
        assert len(update(shelf)) == 1
        assert text(shelf, "04_heads.new.ipynb") == f"print('{version}')"
    write(shelf, "04_heads.new.ipynb", "mine, too")
    publish(shelf, "04_heads.ipynb", "fifth")
    update(shelf)
    said = [text(shelf, f"04_heads{ending}.ipynb") for ending in ("", ".new", ".new.2")]
    assert said == ["mine", "mine, too", "print('fifth')"]


CODE = new_code_cell("print('first')")
READERS = {  # what a reader makes of a chapter, and whether that is written
    "text of code": ([new_markdown_cell(CODE.source)], True),
    "empty cells": ([CODE, new_code_cell(), new_markdown_cell(" \n")], False),
}


@pytest.mark.parametrize("cells, written", READERS.values(), ids=READERS)
def test_what_counts_as_written(shelf, cells, written):
    path = shelf / "work" / "03_masks.ipynb"
    laid = working_copy.mark(working_copy.opened(path))
    assert laid == "1288d8e82be02aa2"  # as it stands in readers' manifests, whatever the rule
    nbformat.write(new_notebook(cells=cells), path)
    publish(shelf, "03_masks.ipynb", "second")
    assert len(update(shelf)) == written
    assert (working_copy.opened(path).cells == cells) == written


def test_who_takes_the_new_version_over_follows_again(shelf):
    write(shelf, "04_heads.ipynb", "mine")
    publish(shelf, "04_heads.ipynb", "second")
    update(shelf)
    (shelf / "work" / "04_heads.new.ipynb").replace(shelf / "work" / "04_heads.ipynb")
    assert update(shelf) == []
    publish(shelf, "04_heads.ipynb", "third")
    assert update(shelf) == [] and text(shelf, "04_heads.ipynb") == "print('third')"


def test_running_a_chapter_is_no_change_and_new_outputs_come_too(shelf):
    path = shelf / "work" / "03_masks.ipynb"
    notebook = working_copy.opened(path)
    notebook.cells[0].outputs, notebook.cells[0].execution_count = [], 7
    nbformat.write(notebook, path)
    assert update(shelf) == []
    assert working_copy.opened(path).cells[0].execution_count == 7  # nothing new, so kept
    publish(shelf, "03_masks.ipynb", "first", "corrected")
    assert update(shelf) == []
    assert working_copy.opened(path).cells[0].outputs[0].text == "corrected"


@pytest.mark.parametrize("reset, renewed", [("03", BOTH[:1]), ("3", BOTH[:1]), ("all", BOTH)])
def test_a_reset_renews_and_keeps_what_was_written(shelf, reset, renewed):
    publish(shelf, "34_far.ipynb", "first")
    update(shelf)
    for answers in ("A", "B"):
        for name in (*renewed, "34_far.ipynb"):
            write(shelf, name, answers)
        said = update(shelf, reset)
        assert len(said) == len(renewed) + (reset == "all")
        assert (text(shelf, "34_far.ipynb") == answers) == (reset != "all")
        assert all(text(shelf, name) == "print('first')" for name in renewed)
    for name in renewed:
        assert text(shelf, name.replace(".ipynb", ".old.ipynb")) == "A"
        assert text(shelf, name.replace(".ipynb", ".old.2.ipynb")) == "B"


@pytest.mark.parametrize("reset", ["77", "0", "003", "03 04"])
def test_a_reset_of_an_unknown_chapter_gives_one_clear_line(shelf, reset):
    with pytest.raises(SystemExit, match=rf"^RESET must be all or .* such as 03, got {reset}$"):
        update(shelf, reset)


def test_an_interrupted_copy_leaves_the_old_one(shelf, monkeypatch):
    """And nothing half written; a deleted one comes again."""
    publish(shelf, "03_masks.ipynb", "second")
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(working_copy.os, "replace", Mock(side_effect=KeyboardInterrupt))
        update(shelf)
    assert text(shelf, "03_masks.ipynb") == "print('first')" and names(shelf) == BOTH
    (shelf / "work" / "03_masks.ipynb").unlink()
    assert update(shelf) == [] and text(shelf, "03_masks.ipynb") == "print('second')"


@pytest.mark.parametrize("broken", ["", '{"03_masks.ipynb": {"ma'])
def test_without_a_manifest_nothing_that_was_written_is_lost(shelf, broken):
    write(shelf, "04_heads.ipynb", "mine")
    (shelf / "work" / ".manifest.json").write_text(broken, encoding="utf-8")
    update(shelf)
    assert text(shelf, "04_heads.ipynb") == "mine"
    assert text(shelf, "03_masks.ipynb") == "print('first')"


CELL = '{"cell_type": "code", "id": "a", "metadata": {}, "execution_count": null, "outputs": []%s}'
FILE = '{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [%s]}'
DAMAGED = {
    "half a file": FILE[:50],
    "a cell without source": FILE % CELL % "",
    "half a letter": FILE % CELL % r', "source": "\ud83d"',
}


@pytest.mark.parametrize("damaged", DAMAGED.values(), ids=DAMAGED)
def test_what_is_no_notebook_any_more_stays_and_is_named(alive, damaged):
    copy = alive / "work" / "03_masks.ipynb"
    copy.write_text(damaged, encoding="utf-8")
    publish(alive, "03_masks.ipynb", "second")
    assert len(update(alive)) == 1
    assert trust(alive) == [f"cannot be read as a notebook, and stays as it is: {copy.name}"]
    assert copy.read_text(encoding="utf-8") == damaged


# Trust --------------------------------------------------------------------------------------------

FIGURE = '<script>"the book\'s live figure"</script>'


@pytest.fixture
def alive(shelf, monkeypatch):
    """The shelf, with a live figure in chapter 4, and a Jupyter that has trusted nobody yet."""
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(shelf / "jupyter"))
    nbformat.write(showing({"text/html": FIGURE}), shelf / "notebooks" / "04_heads.ipynb")
    assert update(shelf) == []
    return shelf


def showing(*shown, source="live.heads()"):
    outputs = [new_output("display_data", data) for data in shown]
    return new_notebook(cells=[new_code_cell(source, outputs=outputs)])


def trust(folder):
    chapters = sorted((folder / "notebooks").glob("*.ipynb"))
    return working_copy.trust(chapters=chapters, work=folder / "work")


def is_trusted(folder, name):
    notebook = nbformat.read(folder / "work" / name, as_version=4)
    return NotebookNotary().check_signature(notebook)


def test_the_books_figures_move_also_in_a_chapter_that_was_touched(alive):
    assert trust(alive) == [] and all(is_trusted(alive, name) for name in BOTH)
    write(alive, "04_heads.ipynb", "mine")
    copy = nbformat.read(alive / "work" / "04_heads.ipynb", as_version=4)
    own = [
        {"text/html": hostile.PICTURE, "text/plain": "A <bar> of 2."},
        {"image/png": hostile.PNG},
        {},
    ]
    copy.cells += showing(*own, source="plots.bars([2])").cells
    copy.cells[0].outputs.append(
        new_output("stream", text=hostile.IMG)
    )  # as text, which does nothing
    nbformat.write(copy, alive / "work" / "04_heads.ipynb")
    assert not is_trusted(alive, "04_heads.ipynb")
    assert trust(alive) == [] and is_trusted(alive, "04_heads.ipynb")


@pytest.mark.parametrize("form", [*hostile.ACTS, *hostile.OTHERS])
@pytest.mark.parametrize("name", ["from_a_classmate.ipynb", "04_heads.ipynb"])
def test_what_shows_anything_else_is_not_trusted_and_named(alive, name, form):
    (alive / "work" / name).write_text(hostile.text(form), encoding="utf-8")
    assert update(alive) == []
    (said,) = trust(alive)
    assert said.endswith(f": {name}")
    assert not is_trusted(alive, name) and is_trusted(alive, "03_masks.ipynb")


@pytest.mark.parametrize("form", hostile.HARMLESS)
def test_what_does_nothing_hinders_no_figure(alive, form):
    (alive / "work" / "notes.ipynb").write_text(hostile.text(form), encoding="utf-8")
    assert trust(alive) == [] and is_trusted(alive, "notes.ipynb")


def test_what_jupyter_has_trusted_when_its_reader_ran_it_stays_trusted(alive):
    copy = showing({"text/html": "<b>the reader's own</b>"})
    nbformat.write(copy, alive / "work" / "scratch.ipynb")
    NotebookNotary().sign(nbformat.read(alive / "work" / "scratch.ipynb", as_version=4))
    assert trust(alive) == [] and is_trusted(alive, "scratch.ipynb")
