"""One headless Chromium for all of `make test-browser`; its pages ask nothing of the network.

Screenshots go to build/screenshots.
"""

import re
import shutil
from pathlib import Path

import pytest
import slides
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
    yield from quiet_page(browser)


def quiet_page(browser):
    context = browser.new_context(viewport={"width": 1000, "height": 900}, has_touch=True)
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    watch(page)
    yield page
    context.close()
    assert page.outside == [] and page.errors == []


@pytest.fixture(scope="session")
def decks(tmp_path_factory):
    """The folder of all decks, as `make slides` writes them."""
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed")
    folder = tmp_path_factory.mktemp("slides")
    slides.slides(folder)
    return folder


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


GLIDES = """[...document.querySelectorAll('*')]
  .flatMap(node => node.shadowRoot?.getAnimations() ?? [])"""


def still(page):
    """Wait until nothing glides any more."""
    frame(page)
    page.wait_for_function(f"{GLIDES}.length === 0")


def halfway(page, act, where):
    """`where` before `act`, in the middle of the glides that it starts, and at their end.

    They are halted in the frame in which they start: how many frames follow is the machine's.
    """
    return page.evaluate(f"""async () => {{
      const where = () => {where}, before = where();
      {act};
      await new Promise(requestAnimationFrame);
      const glides = {GLIDES};
      for (const glide of glides) {{ glide.pause(); glide.currentTime = 80; }}
      const middle = where();
      for (const glide of glides) glide.finish();
      return [before, middle, where()];
    }}""")


def hold(page, held=True):
    """What plays by itself stays at its first beat, however long the test takes to look at it."""
    page.evaluate(
        """held => {
          window.beats ??= window.setInterval;
          window.setInterval = held ? () => -1 : window.beats;
        }""",
        held,
    )
