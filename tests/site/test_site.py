"""The website as a reader meets it: opened from disk, with the network off. `make test-site`."""

import functools
import json
import re
from html.parser import HTMLParser
from urllib.parse import unquote

import pytest
from cells import book, chapters, published
from opened import PAGES, SITE, UNFOLD, go, live_pages
from playwright.sync_api import expect

STORED = book()
CHAPTERS = [SITE / f"{path.stem}.html" for path in STORED]


class Links(HTMLParser):
    """The addresses, ids and pictures of a page, and what it would fetch."""

    def __init__(self, path):
        super().__init__()
        self.addresses, self.ids, self.pictures, self.fetched = [], set(), [], []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.ids.add(attributes.get("id"))
        if tag == "img":
            self.pictures.append(attributes)
        places = [attributes[key] for key in ("href", "src") if attributes.get(key)]
        self.addresses += places
        if tag in ("script", "img", "iframe") or attributes.get("rel") in ("stylesheet", "icon"):
            self.fetched += places


links = functools.cache(Links)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_leads_nowhere_wrong_and_says_what_it_is(path):
    found, text = links(path), path.read_text("utf-8")
    assert not [place for place in found.fetched if place.startswith(("http", "//"))]
    assert text.count('class="math notranslate') == text.count("<mjx-container")
    for address in found.addresses if path.name != "404.html" else ():  # which begin at the root
        place, _, anchor = unquote(address).partition("#")
        if re.match(r"[a-z]+:", address):
            continue
        target = (path.parent / place.partition("?")[0]).resolve() if place else path
        assert target.exists(), address
        if anchor and target in PAGES and not anchor.startswith("task="):  # of a figure
            assert anchor in links(target).ids, address
    for picture in found.pictures:
        assert picture["alt"] and not picture["alt"].endswith(".png"), picture["src"]
        assert path not in CHAPTERS or (picture["loading"], picture["width"] > "0") == ("lazy", 1)
    title = re.search("<title>(.*)</title>", text)[1]
    assert title and len(re.findall("d2lattn", title)) <= 2 and 'rel="icon"' in text
    assert f'<link rel="canonical" href="{published()}' in text
    (about,) = re.findall('<meta name="description" content="(.*?)"', text)
    assert 9 < len(about) < 220 and not about.endswith(("...", ":", ","))
    assert path not in CHAPTERS or 'property="og:image"' in text


def test_every_chapter_is_a_page_with_its_notebook_and_the_site_has_a_map():
    for stored, path in zip(STORED, CHAPTERS, strict=True):
        assert f"notebooks/{stored.name}" in links(path).addresses
        assert json.loads((SITE / "notebooks" / stored.name).read_text("utf-8"))["cells"]
    assert (SITE / "404.html").exists() and (SITE / "_static" / "card.png").exists()
    assert f"<loc>{published()}03_scaling" in (SITE / "sitemap.xml").read_text("utf-8")
    assert {"index.html", "01_bare_bones_attention.html"} <= {path.name for path in live_pages()}


BEFORE = "node => getComputedStyle(node, '::before').content"

# What waits behind a click ------------------------------------------------------------------------

SCALING, MATRICES = SITE / "03_scaling_and_masking.html", SITE / "02_queries_keys_values.html"


def test_a_link_into_a_fold_opens_it_and_no_other(page):
    """A section of Going further, from its address and from another page."""
    go(page, SCALING, "#live-train-with-and-without-the-mask")
    expect(page.locator("details.beyond[open]")).to_have_count(1)
    go(page, SITE / "90_notation_and_claims.html")
    page.get_by_role("link", name="5.8", exact=True).first.click()
    expect(page.get_by_role("heading", name="Path length: O")).to_be_in_viewport()


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_a_guess_has_one_button_that_shows_its_answer_and_what_follows(page, key):
    """Before, neither is seen nor read aloud; pressed once more, it hides both. A figure in which a
    hand finds the answer is open."""
    go(page, SITE / "01_bare_bones_attention.html")
    expect(page.locator("[data-live]").first).to_be_visible()
    waiting = page.locator(".veil", has_text="No token is left out")
    assert waiting.evaluate("node => node.inert") and "Guess" in waiting.evaluate(BEFORE)
    assert waiting.locator("p").first.evaluate("node => getComputedStyle(node).filter") != "none"
    many = page.locator(".veil").count()
    assert many >= 10
    guess = page.locator("details.guess").nth(1)
    output = guess.locator(".cell_output")
    told = ["No token is left out", "weight 0.034"]
    for shown in (True, False):
        guess.locator("summary").press(key)
        expect(output).to_be_visible(visible=shown)
        expect(page.locator(".veil")).to_have_count(many - shown)
        read = page.locator("main").aria_snapshot()
        assert [text in read for text in told] == [shown, shown]
    expect(page.locator("summary:visible", has_text=re.compile("^Compare$"))).to_have_count(0)


def test_a_browser_keeps_which_answers_are_open_and_where_a_reader_was(page):
    """The chapter and the front page lead to what was read last, also if it is folded code."""
    go(page, MATRICES)
    page.evaluate("scrollTo(0, 12000)")  # a look ahead
    page.wait_for_function("JSON.stringify(localStorage).includes('number')")
    page.locator("details.guess summary").first.click()
    section = page.locator("section", has=page.get_by_role("heading", name=re.compile("^2.3 ")))
    paragraph = section.last.get_by_text(re.compile("^Show the code")).first
    paragraph.evaluate("node => scrollTo(0, node.getBoundingClientRect().top + scrollY - 100)")
    for front in (SITE / "index.html", MATRICES):
        go(page, SCALING)
        go(page, front)
        expect(page.locator("details.guess[open]")).to_have_count(int(front == MATRICES))
        page.get_by_role("link", name="Go on at 2.3").click()
        expect(paragraph).to_be_in_viewport()
        assert page.url.startswith(MATRICES.as_uri()) and paragraph.bounding_box()["y"] < 200
    page.get_by_role("button", name="Close").first.click()
    page.locator(".more > summary").click()
    page.get_by_role("button", name="all answers").dblclick()
    go(page, SCALING)
    go(page, MATRICES)
    expect(page.locator(".guess[open], a:has-text('Go on at')")).to_have_count(0)


# A telephone --------------------------------------------------------------------------------------

AFTER = "node => getComputedStyle(node, '::after').content"


def test_a_wide_drawing_opens_large_at_a_tap(telephone):
    """It says so below, is then as wide as drawn, its left edge first, and closes."""
    go(telephone, MATRICES)
    telephone.evaluate(UNFOLD)
    figure = telephone.locator("figure", has_text="Figure 2.2")
    expect(figure).to_have_class(re.compile("shrunk"))
    assert "tap" in figure.locator("figcaption").evaluate(AFTER)
    drawing, address = figure.locator("img"), telephone.url
    drawn = int(drawing.get_attribute("width"))
    assert drawing.bounding_box()["width"] < drawn / 2
    large = telephone.get_by_role("dialog", name="The drawing, large")
    for close in (
        lambda: large.locator("img").click(position={"x": 100, "y": 100}),
        lambda: telephone.keyboard.press("Escape"),
        lambda: large.get_by_role("button", name="Close").click(),
    ):
        drawing.click()
        expect(large.locator("img")).to_have_js_property("clientWidth", drawn)
        assert large.evaluate("at => at.scrollLeft") == 0  # the first of its panels
        close()
        expect(large).to_be_hidden()
    assert telephone.url == address


@pytest.mark.parametrize("button", ["primary-toggle", "secondary-toggle", "search-button__button"])
def test_back_closes_what_lies_over_the_page(telephone, button):
    """And after a link in it, Back returns to where it was opened."""
    go(telephone, MATRICES)
    address = telephone.url
    over = telephone.locator("dialog[open]")
    for close in (telephone.go_back, lambda: telephone.keyboard.press("Escape")):
        telephone.locator(f"button.{button}:visible").first.click()
        expect(over).to_have_count(1)
        close()
        expect(over).to_have_count(0)
        telephone.wait_for_function("history.state === null")
    go(telephone, MATRICES)
    telephone.locator(f"button.{button}:visible").first.click()
    if button.startswith("search"):
        over.locator("input").fill("softmax")
    over.locator("a[href*=html]:visible, a[href^='#']:visible").last.click()
    telephone.wait_for_function("address => location.href !== address", arg=address)
    if button.startswith("secondary"):
        telephone.wait_for_function("scrollY > innerHeight")  # the last section of the chapter
    telephone.go_back()
    telephone.wait_for_function("address => location.href === address", arg=address)


def test_a_formula_says_so_until_its_end_is_reached_and_a_menu_closes_with_the_choice(telephone):
    """The matrices of section 2.1, of which a telephone shows two. The first line is a question."""
    go(telephone, MATRICES)
    question = telephone.locator("main h1 + p")
    assert question.inner_text().endswith("?")
    assert telephone.locator("main .go").first.bounding_box()["y"] > question.bounding_box()["y"]
    formula = telephone.locator("div.math > mjx-container").first
    formula.scroll_into_view_if_needed()
    assert "scroll" in formula.locator("..").evaluate(AFTER)
    assert formula.bounding_box()["width"] == formula.locator("..").bounding_box()["width"] == 358
    formula.evaluate("node => { node.scrollLeft = node.scrollWidth; }")
    expect(formula).to_have_class(re.compile("at-end"))
    assert formula.locator("..").evaluate(AFTER.replace("content", "visibility")) == "hidden"
    button = telephone.locator(".bd-header-article .theme-switch-button")
    menu = telephone.locator(".bd-header-article .dropdown-menu")
    for mode in ("Dark", "Light"):  # a finger hovers on over what it has touched, as this mouse
        button.click()
        menu.get_by_text(mode).click()
        expect(menu).to_be_hidden()


def test_a_table_of_rows_fits(telephone):
    go(telephone, MATRICES)
    telephone.evaluate(UNFOLD)
    for mark in telephone.locator("button.evidence:visible").all():
        mark.click()
        shown = telephone.locator(":popover-open")
        expect(shown).to_have_count(1)
        box = shown.bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= 390 and box["height"] <= 844
        telephone.go_back()
        expect(shown).to_have_count(0)


# On paper, for a lecturer, and live ---------------------------------------------------------------


def test_on_paper_code_is_wrapped_and_no_table_of_rows_lies_over_the_page(page):
    go(page, MATRICES)
    page.evaluate(UNFOLD)
    page.locator("button.evidence:visible").first.click()
    shown = page.locator(":popover-open")
    expect(shown).to_be_visible()
    page.emulate_media(media="print")
    expect(shown).to_be_hidden()
    styles = "all => all.map(e => getComputedStyle(e).whiteSpace)"
    assert set(page.locator("pre").evaluate_all(styles)) == {"pre-wrap"}
    page.emulate_media(media="screen")


def test_the_lecturers_pages_add_up_and_ask(page):
    for chapter in chapters():
        go(page, SITE / "lecturer" / f"{chapter.stem}.html")
        rows = page.locator("article table").first.locator("tbody tr").all_inner_texts()
        cells = [[text.strip() for text in row.split("\t")] for row in rows]
        taken = sum(int(cell[2]) for cell in cells[:-1] if cell[0] != "later")
        assert int(cells[-1][0]) == taken > 20
        assert page.get_by_text("Ask first").count() >= 4


@pytest.mark.parametrize("path", live_pages(), ids=lambda path: path.stem)
def test_live_figures_move_without_a_kernel(page, path):
    go(page, path)
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
    figures = page.locator("xpath=//*[starts-with(local-name(), 'live-')]")
    for figure in figures.all():
        drawn = "e => e.shadowRoot.innerHTML"
        before = figure.evaluate(drawn)
        for control in figure.locator("input[type=range]:visible").all():
            control.focus()
            key = "ArrowLeft" if control.evaluate("c => c.value === c.max") else "ArrowRight"
            page.keyboard.press(key)
        for menu in figure.locator("select:visible").all():
            chosen = menu.evaluate("m => m.selectedIndex")
            if menu.locator("option").count() > 1:
                menu.select_option(index=0 if chosen else 1)
        if figure.locator("button:visible").count():
            figure.locator("button:visible").first.click()  # plays the question, or trains
        moved = f"([figure, before]) => ({drawn})(figure) !== before"
        page.wait_for_function(moved, arg=[figure.element_handle(), before])
