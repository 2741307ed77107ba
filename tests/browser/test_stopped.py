"""The training of 0.8, stopped by its reader: a true curve, no error, no bar in the saved file."""

import json
import re

from cells import book, is_imports, tags
from playwright.sync_api import expect
from test_lab import STATE, open_chapter, page, serve_with, wait_for  # noqa: F401

from conftest import ROOT, SHOTS

OWN = {"s00-read", "s00-count", "s00-fit-helpers", "s00-fit", "s00-curves", "s00-guard"}
RUN = "() => void window.jupyterapp.commands.execute('notebook:run-all-cells')"
SAVED = "() => [window.jupyterapp.shell.currentWidget.context.model.dirty]"


def of_this_section(work):
    """The cells that 0.8 needs, with the steps to which it invites."""
    notebook = json.loads(book()[0].read_text(encoding="utf-8"))
    imports = next(cell for cell in notebook["cells"] if is_imports(cell))
    part = [c for c in notebook["cells"] if c["id"] in OWN or "experiment: each_part" in tags(c)]
    for cell in part:
        cell["source"] = "".join(cell["source"]).replace("steps = 30 ", "steps = 1200 ")
    work.mkdir()
    notebook["cells"] = [imports, *part]
    (work / book()[0].name).write_text(json.dumps(notebook), encoding="utf-8")


def test_a_training_that_is_stopped(page, tmp_path_factory):  # noqa: F811
    server = serve_with(tmp_path_factory, ROOT / ".jupyter", copies=of_this_section)
    open_chapter(page, next(server), book()[0].name)
    page.evaluate(RUN)
    bar = page.get_by_text("/1200 [")
    expect(bar).to_be_visible()
    page.get_by_role("button", name="Interrupt the kernel").click()
    wait_for(page, STATE, lambda now: now["ran"] == now["cells"] and now["errors"] == [])
    expect(bar).to_have_count(0)
    said = page.get_by_text(re.compile("^stopped after .* of 1,200 steps"))
    steps = re.search(r"after (\d+) of", said.inner_text())[1]
    curve = page.get_by_alt_text(f"over step from 0 to {steps}:")
    curve.scroll_into_view_if_needed()
    page.screenshot(path=str(SHOTS / "stopped.png"))
    page.keyboard.press("Control+s")
    wait_for(page, SAVED, lambda dirty: dirty == [False])
    page.reload()
    curve.scroll_into_view_if_needed()
    assert page.get_by_text("Error displaying widget").count() == 0
    server.close()
