"""JupyterLab as `make lab` sets it up, read from the first cell to the last by Shift+Enter.

Runs with `make test-browser`. The kernel answers at once and computes nothing: what is tried is
where the reader stands, and what is seen there.
"""

import json

import pytest
from test_lab import BOOK, lab_page, open_chapter, serve_with, settled

from conftest import PATIENCE, ROOT

IDLE = "get_ipython().input_transformers_cleanup.append(lambda lines: [])"


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    kernels = tmp_path_factory.mktemp("data")
    kernel = kernels / "kernels" / "python3"
    kernel.mkdir(parents=True)
    python = str(ROOT / ".venv/bin/python")
    command = [python, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    command.append(f"--IPKernelApp.exec_lines={IDLE}")
    spec = {"argv": command, "display_name": "Python 3", "language": "python"}
    (kernel / "kernel.json").write_text(json.dumps(spec), encoding="utf-8")
    yield from serve_with(tmp_path_factory, ROOT / ".jupyter", JUPYTER_PATH=str(kernels))


@pytest.fixture(scope="module")
def page(browser):
    yield from lab_page(browser)


# Each cell: is it in sight (not in a fold), and is it a heading that is folded?
CELLS = """() => window.jupyterapp.shell.currentWidget.content.widgets
  .map(cell => [!cell.isHidden, !!cell.headingCollapsed])"""
START = """() => {
  const {content} = window.jupyterapp.shell.currentWidget;
  content.activeCellIndex = 0;
  content.mode = 'command';
  content.activate();
}"""
# The cell that is selected, and how many pixels of it are seen.
HERE = """() => {
  const {content} = window.jupyterapp.shell.currentWidget;
  const seen = content.node.querySelector('.jp-WindowedPanel-outer').getBoundingClientRect();
  const cell = content.activeCell.node.getBoundingClientRect();
  const top = Math.max(seen.top, cell.top), bottom = Math.min(seen.bottom, cell.bottom);
  return [content.activeCellIndex, Math.round(bottom - top)];
}"""
MOVED = """from => window.jupyterapp.shell.currentWidget.content.activeCellIndex !== from"""


@pytest.mark.parametrize("path", BOOK, ids=lambda path: path.name[:2])
def test_shift_enter_reads_the_chapter(page, lab, path):
    """The next cell in sight is selected and seen, and what is folded stays folded."""
    open_chapter(page, lab, path.name)
    before = settled(page, CELLS)
    seen = [i for i, (shown, _) in enumerate(before) if shown]
    page.evaluate(START)
    for here, there in zip(seen, seen[1:], strict=False):
        page.keyboard.press("Shift+Enter")
        page.wait_for_function(MOVED, arg=here, timeout=PATIENCE)
        page.wait_for_timeout(100)  # what moves the page comes after the key
        index, pixels = page.evaluate(HERE)
        assert index == there, f"from cell {here} to {index}"
        assert pixels > 15, f"cell {there} after {here}: {pixels} pixels in view"
    assert page.evaluate(CELLS) == before
