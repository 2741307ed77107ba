"""What a page asks for and how it lies on the screen; the figures are printed (`pytest -s`)."""

import re
from pathlib import Path
from urllib.parse import unquote

import pytest
from cells import book
from opened import SITE, go

CHAPTERS = [SITE / f"{path.stem}.html" for path in book()]
SHIFTS = """() => new Promise(done => {
  let sum = 0;
  new PerformanceObserver(list => {
    for (const shift of list.getEntries()) if (!shift.hadRecentInput) sum += shift.value;
  }).observe({ type: "layout-shift", buffered: true });
  setTimeout(() => done(sum), 300);
})"""
CUT = """() => [...document.querySelectorAll("div.cell_input pre")]
  .filter(e => e.offsetParent && e.scrollWidth > e.clientWidth + 1).length"""


def opened(page, path):
    """The files that a page asks for before and after it is scrolled to its end."""
    asked = []
    note = lambda request: asked.append(request.url)  # noqa: E731
    page.on("requestfinished", note)
    go(page, path)
    page.wait_for_timeout(500)
    before = len(asked)
    for _ in range(60):
        page.mouse.wheel(0, 900)
        page.wait_for_timeout(10)
    page.wait_for_timeout(300)
    page.remove_listener("requestfinished", note)
    return asked, before


def size(addresses):
    """Their bytes; those of nothing but files."""
    places = {unquote(re.sub("[?#].*", "", url)).removeprefix("file://") for url in addresses}
    return sum(Path(place).stat().st_size for place in places)


@pytest.mark.parametrize("path", [SITE / "index.html", *CHAPTERS], ids=lambda path: path.stem)
def test_a_page_is_light_and_keeps_still(page, path):
    page.set_viewport_size({"width": 1280, "height": 900})
    asked, before = opened(page, path)
    shift = page.evaluate(SHIFTS)
    cut = page.evaluate(CUT)
    print(f"{path.stem}: {before} requests, then {len(asked)}, {size(asked) / 1e6:.2f} MB; "
          f"layout shift {shift:.3f}; {cut} cells cut")  # fmt: skip
    assert before < 15
    assert size(asked) < 1.5e6
    assert shift < 0.05
    assert cut == 0


@pytest.mark.parametrize("width", [1500, 1920])
def test_a_page_keeps_still_where_its_contents_have_a_column(page, width):
    page.set_viewport_size({"width": width, "height": 900})
    go(page, CHAPTERS[3])
    assert page.evaluate(SHIFTS) < 0.05
    assert page.locator("#pst-secondary-sidebar").is_visible()
    assert page.evaluate(CUT) == 0
    page.set_viewport_size({"width": 1280, "height": 900})


def test_below_that_the_contents_come_when_they_are_asked_for(page):
    go(page, CHAPTERS[3])
    assert not page.locator("#pst-secondary-sidebar").is_visible()
    page.locator("button.secondary-toggle:visible").first.click()
    contents = page.locator("#pst-secondary-sidebar-modal .page-toc a").first
    contents.wait_for()
    contents.click()


@pytest.mark.parametrize("path", [SITE / "index.html", *CHAPTERS], ids=lambda path: path.stem)
def test_nothing_makes_a_page_wider_than_a_telephone(page, path):
    page.set_viewport_size({"width": 390, "height": 844})
    go(page, path)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.set_viewport_size({"width": 1280, "height": 900})


def test_code_is_wrapped_in_print(page):
    go(page, CHAPTERS[3])
    page.emulate_media(media="print")
    styles = "all => all.map(e => getComputedStyle(e).whiteSpace)"
    for style in page.locator("pre").evaluate_all(styles):
        assert style == "pre-wrap"
    page.emulate_media(media="screen")


def test_pictures_have_their_sizes_and_come_late(page):
    for path in CHAPTERS:
        for tag in re.findall(r"<img [^>]*>", path.read_text("utf-8")):
            assert 'loading="lazy"' in tag and re.search(r'width="\d+', tag), f"{path.name}: {tag}"
