"""One headless Chromium for all of `make test-browser`; its pages ask nothing of the network.

Screenshots go to build/screenshots.
"""

import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

ROOT = Path(__file__).resolve().parent.parent.parent
SHOTS = ROOT / "build" / "screenshots"
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
# A limit is for what never comes; a busy machine may take long over what does.
PATIENCE = 180_000  # milliseconds
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


@pytest.fixture
def page(browser):
    """A page that records requests and errors; both have to stay empty."""
    context = browser.new_context(viewport={"width": 1000, "height": 900}, has_touch=True)
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    watch(page)
    yield page
    context.close()
    assert page.outside == [] and page.errors == []


def watch(page, allowed="$^"):
    """Block and record every request but those that the expression `allowed` matches."""
    page.outside, page.errors = [], []
    page.on("pageerror", lambda error: page.errors.append(str(error)))

    def refuse(route):
        if re.match(allowed, route.request.url):
            route.continue_()
        else:
            page.outside.append(route.request.url)
            route.abort()

    page.route(re.compile("^(http|ws)"), refuse)


def frame(page):
    """Wait until the figures have drawn what was asked of them: they redraw once in a frame."""
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
