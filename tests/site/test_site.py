"""The website as a reader meets it: opened from disk, with the network off. `make test-site`.

Screenshots go to build/screenshots.
"""

import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest
from cells import book, repository, taught
from playwright.sync_api import expect, sync_playwright

ROOT = Path(__file__).resolve().parent.parent.parent
SITE = ROOT / "build" / "site"
SHOTS = ROOT / "build" / "screenshots"
PATIENCE = 180_000  # milliseconds; for what never comes: a busy machine may take long
PAGES = [path for path in sorted(SITE.rglob("*.html")) if "_static" not in path.parts]
STORED = book()
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
BACKGROUND = """element => {
  for (let e = element; e; e = e.parentElement ?? e.getRootNode().host) {
    const colour = getComputedStyle(e).backgroundColor;
    if (!/, 0\\)$/.test(colour)) return colour;
  }
}"""


class Links(HTMLParser):
    """The addresses, ids and pictures of a page."""

    def __init__(self, path):
        super().__init__()
        self.addresses, self.ids, self.alts = [], set(), []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.ids.add(attributes.get("id"))
        if tag == "img":
            self.alts.append(attributes.get("alt"))
        self.addresses += [attributes[key] for key in ("href", "src") if attributes.get(key)]


@pytest.fixture(scope="module")
def page():
    if CHROMIUM is None:
        pytest.skip("chromium is not installed")
    SHOTS.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-background-networking"]
        )
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.set_default_timeout(PATIENCE)
        expect.set_options(timeout=PATIENCE)
        page.outside = []

        def refuse(route):
            page.outside.append(route.request.url)
            route.abort()

        page.route(re.compile("^(http|ws)"), refuse)
        yield page
        browser.close()


def go(page, path, query=""):
    page.goto(f"{path.as_uri()}{query}")
    page.wait_for_load_state("load")


def test_every_chapter_and_appendix_is_a_page():
    assert {f"{path.stem}.html" for path in STORED} <= {path.name for path in PAGES}
    assert (SITE / "reference" / "attention.html").exists()


def test_no_link_is_broken():
    pages = {path: Links(path) for path in PAGES}
    for path, found in pages.items():
        for address in found.addresses:
            if re.match(r"[a-z]+:", address):
                continue
            place, _, anchor = unquote(address).partition("#")
            target = (path.parent / place.partition("?")[0]).resolve() if place else path
            assert target.exists(), f"{path.name} links to {address}"
            if anchor and target in pages:
                assert anchor in pages[target].ids, f"{path.name} links to {address}"


def test_every_picture_says_what_it_shows():
    alts = {path: Links(path).alts for path in PAGES}
    assert sum(map(len, alts.values())) > 50
    for path, found in alts.items():
        assert all(alt and not alt.endswith(".png") for alt in found), path.name


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.name[:2])
def test_a_chapter_links_to_its_notebook_and_to_colab(path):
    addresses = Links(SITE / f"{path.stem}.html").addresses
    assert f"notebooks/{path.name}" in addresses
    assert json.loads((SITE / "notebooks" / path.name).read_text("utf-8"))["cells"]
    colab = "https://colab.research.google.com/github/"
    assert f"{colab}{repository()}/blob/main/notebooks/{path.name}" in addresses


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_asks_nothing_of_the_network(page, path):
    go(page, path)
    formulas = page.locator(".math")
    if formulas.count():
        page.locator("mjx-container").first.wait_for(state="attached")
        assert page.locator("mjx-merror, .MathJax_Error").count() == 0
    assert page.outside == []


def test_search_works_from_disk(page):
    go(page, SITE / "index.html")
    page.keyboard.press("Control+k")
    page.locator("#pst-search-dialog input").fill("causal")
    page.keyboard.press("Enter")
    results = page.locator("#search-results li a")
    expect(results.filter(has_text="Scaling and masking").first).to_be_visible()
    results.filter(has_text="causal_mask").first.click()  # results appear one after another
    expect(page.locator("dt[id='d2lattn.masks.causal_mask']")).to_be_in_viewport()
    assert page.outside == []


def live_pages():
    return [path for path in PAGES if re.search(r"<live-[0-9a-f]{8}", path.read_text("utf-8"))]


def test_the_front_page_and_most_chapters_have_a_live_figure():
    assert {"index.html", "01_bare_bones_attention.html"} <= {path.name for path in live_pages()}
    assert len(live_pages()) >= 8


@pytest.mark.parametrize("path", live_pages(), ids=lambda path: path.stem)
def test_live_figures_move_without_a_kernel(page, path):
    go(page, path)
    figures = page.locator("xpath=//*[starts-with(local-name(), 'live-')]")
    for figure in figures.all():
        drawn = "e => e.shadowRoot.innerHTML"
        before = figure.evaluate(drawn)
        figure.locator("input, select, button").first.scroll_into_view_if_needed()
        for control in figure.locator("input[type=range]:visible").all():
            control.focus()
            key = "ArrowLeft" if control.evaluate("c => c.value === c.max") else "ArrowRight"
            page.keyboard.press(key)
        for menu in figure.locator("select:visible").all():
            chosen = menu.evaluate("m => m.selectedIndex")
            if menu.locator("option").count() > 1:
                menu.select_option(index=0 if chosen else 1)
        moved = f"([figure, before]) => ({drawn})(figure) !== before"
        page.wait_for_function(moved, arg=[figure.element_handle(), before])


def test_solutions_are_folded_until_asked_for(page):
    go(page, SITE / "03_scaling_and_masking.html")
    solutions = page.locator("details", has_text="Show a solution")
    assert solutions.count() >= 4
    code = solutions.first.locator("pre").first
    expect(code).to_be_hidden()
    solutions.first.locator("summary").click()
    expect(code).to_be_visible()
    assert "Solution 3.1" in code.inner_text()


def luminance(colour):
    """Relative luminance of "rgb(r, g, b)" (WCAG 2.2)."""
    numbers = [float(x) for x in re.findall(r"[\d.]+", colour)[:3]]
    if colour.startswith("color(srgb"):
        numbers = [255 * x for x in numbers]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
              for c in (x / 255 for x in numbers)]  # fmt: skip
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", ["index", "01_bare_bones_attention"])
def test_text_and_live_figures_are_legible_in_light_and_dark(page, name, theme):
    go(page, SITE / f"{name}.html")
    page.evaluate("theme => localStorage.setItem('mode', theme)", theme)
    page.evaluate("theme => localStorage.setItem('theme', theme)", theme)
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") == theme
    live = page.locator("xpath=//*[starts-with(local-name(), 'live-')]").first
    live.scroll_into_view_if_needed()
    page.screenshot(path=str(SHOTS / f"site_{name}_{theme}.png"))
    for element in (page.locator("article p").first, live):
        text = luminance(element.evaluate("e => getComputedStyle(e).color"))
        ground = luminance(element.evaluate(BACKGROUND))
        light, dark = max(text, ground), min(text, ground)
        assert (light + 0.05) / (dark + 0.05) > 4.5
        assert (ground > 0.5) == (theme == "light")


def test_the_lecturers_pages_add_up_and_ask(page):
    for chapter in taught():
        go(page, SITE / "lecturer" / f"{chapter.stem}.html")
        rows = page.locator("article table tbody tr").all_inner_texts()
        cells = [[text.strip() for text in row.split("\t")] for row in rows]
        taken = sum(int(cell[2]) for cell in cells[:-1] if cell[0] != "⊕")
        assert int(cells[-1][0]) == taken > 20
        assert page.get_by_text("Ask first").count() >= 4
