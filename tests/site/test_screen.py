"""What a page asks for and how it lies on the screen: wide, in the dark, on a telephone."""

import re
from pathlib import Path
from urllib.parse import unquote

import pytest
from accessible import violations
from cells import book
from opened import PAGES, SHOTS, SITE, UNFOLD, WIDE, go

CHAPTERS = [SITE / "index.html", *(SITE / f"{path.stem}.html" for path in book())]
TOP = [path for path in PAGES if path.parent == SITE]
OTHERS = (
    "playground",
    "practice",
    "errata",
    "search",
    "genindex",
    "lecturer/03_scaling_and_masking",
    "reference/index",
    "reference/attention",
)
SHIFTS = """() => new Promise(done => {
  let sum = 0;
  new PerformanceObserver(list => {
    for (const shift of list.getEntries()) if (!shift.hadRecentInput) sum += shift.value;
  }).observe({ type: "layout-shift", buffered: true });
  setTimeout(() => done(sum), 300);
})"""
CUT = """() => [...document.querySelectorAll("div.cell_input pre")]
  .filter(e => e.checkVisibility() && e.scrollWidth > e.clientWidth + 1).length"""
# What can be scrolled to the right, and does not say so.
SILENT = """() => [...document.querySelectorAll("main *")].filter(node =>
  /auto|scroll/.test(getComputedStyle(node).overflowX) && node.checkVisibility() &&
  node.scrollWidth > node.clientWidth + 8 && !node.closest("mjx-container mjx-container") &&
  !/scroll/.test(getComputedStyle(node, "::after").content + (node.parentElement &&
    getComputedStyle(node.parentElement, "::after").content))
).map(node => `${node.localName}.${node.className} ${node.innerText.slice(0, 40)}`)"""
# How often something on the page changes its class in a second in which nobody does anything.
SHAKING = """() => new Promise(done => {
  let count = 0;
  const seen = new MutationObserver(changes => { count += changes.length; });
  seen.observe(document.querySelector("main"), {attributeFilter: ["class"], subtree: true});
  setTimeout(() => done(count), 1000);
})"""
TURNED_OVER = """() => [...document.querySelectorAll(".cell_output img")].map(image =>
  getComputedStyle(image).filter.startsWith("invert"))"""


def asked_for(page, path):
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


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_page_asks_for_little_and_keeps_still(page, path):
    asked, before = asked_for(page, path)
    assert page.outside == []
    assert page.evaluate(SHIFTS) < 0.05 and page.evaluate(CUT) == 0
    assert before < 15 and size(asked) < 1.5e6


@pytest.mark.parametrize("path", TOP, ids=lambda path: path.stem)
def test_on_a_telephone_what_goes_on_says_so_and_nothing_shakes(telephone, path):
    go(telephone, path)
    width = "document.documentElement.scrollWidth"
    assert telephone.evaluate(width) <= 390
    telephone.evaluate(UNFOLD)
    telephone.wait_for_timeout(500)
    assert telephone.evaluate(SHAKING) == 0
    assert telephone.evaluate(SILENT) == []
    assert telephone.evaluate(width) <= 390


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    "path", [*CHAPTERS, *(SITE / f"{name}.html" for name in OTHERS)], ids=lambda path: path.stem
)
def test_axe_finds_nothing_and_in_the_dark_drawings_are_turned_over(page, path, theme):
    go(page, path)
    page.evaluate("theme => localStorage.setItem('mode', theme)", theme)
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") == theme
    assert violations(page) == []
    page.screenshot(path=str(SHOTS / f"site_{path.stem}_{theme}.png"))
    assert {*page.evaluate(TURNED_OVER)} <= {theme == "dark"}
    page.evaluate("localStorage.setItem('mode', 'light')")


@pytest.mark.parametrize("width", [1500, 1920])
def test_a_page_keeps_still_where_its_contents_have_a_column(page, width):
    page.set_viewport_size({"width": width, "height": 900})
    go(page, CHAPTERS[4])
    assert page.evaluate(SHIFTS) < 0.05
    assert page.locator("#pst-secondary-sidebar").is_visible()
    assert page.evaluate(CUT) == 0
    page.set_viewport_size(WIDE)
