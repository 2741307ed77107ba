"""`make lab` and `make edit` in a clone, opened at the address that they print.

Runs with `make test-browser`. Screenshots go to build/screenshots.
"""

import contextlib
import re
import shutil
import sys

import pytest
from playwright.sync_api import expect
from servers import HERE, ROOT, free_port, started, until

from conftest import SHOTS, new_page

THEMES = "@jupyterlab/apputils-extension/themes.jupyterlab-settings"
MENU = ".lm-MenuBar-itemLabel, .lm-Menu-itemLabel"
OWN = {THEMES: '{"theme": "JupyterLab Dark"}'}


@pytest.fixture
def clone(tmp_path):
    """What these commands read of the project."""
    folder = tmp_path / "a clone"
    for part in ("tools", ".jupyter", "notebooks"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("node_modules"))
    shutil.copy(ROOT / "Makefile", folder)
    return folder


def remember(settings, files):
    for name, said in files.items():
        (settings / name).parent.mkdir(parents=True)
        (settings / name).write_text(said, encoding="utf-8")


def remembered(folder):
    files = [path for path in folder.rglob("*.jupyterlab-*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in files}


@contextlib.contextmanager
def opened(browser, clone, home, command):
    """A page at the address that the command prints, in the Python that runs here."""
    flags = [f"PORT={free_port()}", "STAMP=", f'PY="{sys.executable}"']
    with (
        started(["make", command, *flags], clone, home, HOME=str(home)) as address,
        new_page(browser, 1280, 800, HERE) as page,
    ):
        page.goto(address)
        yield page
        assert page.outside == []


@pytest.mark.parametrize("command, folder", [("lab", "work"), ("edit", "notebooks")])
def test_a_command_opens_its_first_page_with_settings_of_its_own(
    browser, clone, tmp_path, command, folder
):
    """The reader's own are neither read nor written; the book is, by `make edit` alone."""
    home, kept = tmp_path / "home", clone / ".venv" / "jupyter" / command / "settings"
    remember(home / "settings", OWN)
    book, opens = (clone / name / "00_start_here.ipynb" for name in ("notebooks", folder))
    written = book.read_bytes()
    with opened(browser, clone, home, command) as page:
        first = page.get_by_role("heading", name="Attention in one sitting")
        dialog = page.locator(".jp-Dialog")
        expect(first.or_(dialog)).to_be_visible()
        assert dialog.all_inner_texts() == []
        assert page.url.endswith(f"/lab/tree/{folder}/00_start_here.ipynb")
        assert page.evaluate("document.body.dataset.jpThemeName") == "JupyterLab Light"
        page.screenshot(path=str(SHOTS / f"make_{command}.png"))
        script = page.locator("script[src*='/reading.js']").get_attribute("src")
        assert re.search(r"/reading\.js\?[0-9a-f]{8}$", script)  # another one has another address
        for name in ("Settings", "Theme", "JupyterLab Dark"):
            page.locator(MENU).filter(has_text=re.compile(f"^{name}$")).click()
        before = opens.read_bytes()
        page.locator(".jp-Notebook .jp-Cell").first.click()
        page.keyboard.press("b")
        page.keyboard.press("Control+s")
        while not remembered(kept) or opens.read_bytes() == before:
            page.wait_for_timeout(100)
    assert '"theme": "JupyterLab Dark"' in remembered(kept)[THEMES]
    assert remembered(home / "settings") == OWN and not remembered(home / "workspaces")
    assert not (home / ".ipython").exists()  # where a kernel would read start-up files
    assert (book.read_bytes() == written) == (command == "lab")


CHAPTER = "work/01_bare_bones_attention.ipynb"
IDLE = "[data-status=idle].jp-Notebook-ExecutionIndicator:visible"


def test_the_second_day_goes_on_where_the_first_ended(browser, clone, tmp_path):
    """In the same chapter. A cell that wants what ran on the first day says so, and what to do."""
    with opened(browser, clone, tmp_path, "lab") as page:
        expect(page.locator(IDLE)).to_be_visible()
        page.get_by_role("link", name="chapter 1").first.click()
        kept = clone / ".venv" / "jupyter" / "lab" / "workspaces"
        front = f'"current":"notebook:{CHAPTER}"'  # JupyterLab writes it down a little later
        until(page, lambda: any(front in path.read_text("utf-8") for path in kept.glob("*")))
    with opened(browser, clone, tmp_path, "lab") as page:
        expect(page.get_by_role("heading", name="Self-attention without")).to_be_visible()
        page.locator("[data-live] [role=gridcell]").first.wait_for(state="attached")  # trusted
        expect(page.locator(IDLE)).to_be_visible()
        cell = page.locator(".jp-CodeCell:visible").nth(2)  # the first after the imports
        error = cell.get_by_text("NameError").first
        line = page.get_by_role("status").filter(has_text="Run › Run All Above Selected Cell")

        def run():
            cell.locator(".cm-content").click()
            page.keyboard.press("Control+Enter")

        run()
        expect(line).to_have_text(re.compile("^drawings stands in a cell above that has not been"))
        expect(error).to_be_visible()
        page.screenshot(path=str(SHOTS / "second_day.png"))
        for name in ("Run", "Run All Above Selected Cell"):
            page.locator(MENU).filter(has_text=re.compile(f"^{name}$")).click()
        run()
        expect(line).to_have_count(0)
        expect(error).to_have_count(0)
        cell.locator(".cm-content").fill("drawingz")  # a slip: no cell above has the name
        run()
        expect(error).to_be_visible()
        page.wait_for_timeout(1000)
        expect(line).to_have_count(0)
