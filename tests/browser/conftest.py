"""One headless Chromium for all of `make test-browser`; its pages ask nothing of the network.

A page is opened once and asked much. Screenshots go to build/screenshots.
"""

import contextlib
import json
import re
import shutil
import sys
from pathlib import Path

import hostile
import live_table
import nbformat
import pytest
import slides
import working_copy
from hostile import ACTS, FORMS
from nbformat.sign import NotebookNotary
from playwright.sync_api import expect, sync_playwright
from servers import PATIENCE, ROOT, serve

SHOTS = ROOT / "build" / "screenshots"
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
expect.set_options(timeout=PATIENCE)


@pytest.fixture(scope="session")
def browser():
    if CHROMIUM is None:
        pytest.skip("chromium is not installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-background-networking"]
        )
        yield browser
        browser.close()


@contextlib.contextmanager
def new_page(browser, width=1280, height=900, allowed="$^", **options):
    """A page with the probes, which blocks and records requests that `allowed` does not match."""
    context = browser.new_context(viewport={"width": width, "height": height}, **options)
    context.set_default_timeout(PATIENCE)
    context.add_init_script(path=Path(__file__).parent / "probes.js")
    page = context.new_page()
    page.outside, page.errors = [], []
    page.on("pageerror", lambda error: page.errors.append(str(error)))

    def refuse(route):
        if re.match(allowed, route.request.url):
            route.continue_()
        else:
            page.outside.append(route.request.url)
            route.abort()

    page.route(re.compile("^(http|ws)"), refuse)
    yield page
    context.close()


@pytest.fixture
def page(browser):
    """A page on which nothing may be asked of the network, and no script may fail."""
    with new_page(browser, 1000, has_touch=True) as page:
        yield page
    assert page.outside == [] and page.errors == []


@pytest.fixture(scope="session")
def decks(tmp_path_factory):
    """The folder of all decks, as `make slides` writes them."""
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed")
    folder = tmp_path_factory.mktemp("slides")
    slides.slides(folder)
    return folder


# What is shown is put out, and what is slow takes eight seconds.
LINES = (
    "lines if 'is shown' in str(lines) else "
    "__import__('time').sleep(8 if 'slowly' in str(lines) else 0) or []"
)


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    """JupyterLab as `make lab` has it, with a kernel that answers at once and computes nothing.

    Beside the chapters there are live figures, and what somebody sent or has trusted.
    """
    folder = tmp_path_factory.mktemp("lab")
    kernel = folder / "data" / "kernels" / "python3" / "kernel.json"
    kernel.parent.mkdir(parents=True)
    command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    idle = f"get_ipython().input_transformers_cleanup.append(lambda lines: {LINES})"
    command.append(f"--IPKernelApp.exec_lines={idle}")
    spec = {"argv": command, "display_name": "Python 3 (ipykernel)", "language": "python"}
    kernel.write_text(json.dumps(spec), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUPYTER_DATA_DIR", str(folder / "data"))
        write_notebooks(folder)
        # Kernels of the path come before those of the environment, and those before the reader's.
        with serve(folder, JUPYTER_PATH=str(folder / "data")) as address:
            yield address


def write_notebooks(folder):
    sent, trusted, work = (folder / name for name in ("sent", "trusted", "work"))
    for place, forms in ((sent, FORMS), (trusted, ACTS)):
        place.mkdir()
        for name in forms:
            text = hostile.text(name, f"{place.name}/{name}")
            (place / f"{name}.ipynb").write_text(text, encoding="utf-8")
    working_copy.trust(work=sent)
    work.mkdir()
    nbformat.write(live_table.untrusted(), work / "live.ipynb")
    nbformat.write(live_table.trusted(), work / "trusted.ipynb")
    for path in (*trusted.glob("*.ipynb"), work / "trusted.ipynb"):
        NotebookNotary().sign(nbformat.read(path, as_version=4))


def frame(page):
    """Wait until the figures have drawn what was asked of them: they redraw once in a frame."""
    page.evaluate("probe.frame()")


def still(page):
    """Wait until nothing glides any more."""
    frame(page)
    page.wait_for_function("probe.glides().length === 0")


def hold(page, held=True):
    """What plays by itself stays at its first beat, however long the test takes to look at it."""
    page.evaluate("held => probe.hold(held)", held)
