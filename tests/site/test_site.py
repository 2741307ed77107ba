"""The website as a reader meets it: opened from disk, with the network off. `make test-site`.

Screenshots go to build/screenshots.
"""

import json
import re
from html.parser import HTMLParser
from urllib.parse import unquote

import pytest
from cells import book, published, repository, taught
from opened import PAGES, SHOTS, SITE, go, live_pages
from playwright.sync_api import expect

STORED = book()
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


def test_every_chapter_and_appendix_is_a_page():
    assert {f"{path.stem}.html" for path in STORED} <= {path.name for path in PAGES}
    assert (SITE / "reference" / "attention.html").exists()


def test_no_link_is_broken():
    pages = {path: Links(path) for path in PAGES}
    for path, found in pages.items():
        if path.name == "404.html":  # shown at any address, its own links begin at the root
            continue
        for address in found.addresses:
            if re.match(r"[a-z]+:", address):
                continue
            place, _, anchor = unquote(address).partition("#")
            target = (path.parent / place.partition("?")[0]).resolve() if place else path
            assert target.exists(), f"{path.name} links to {address}"
            if anchor and target in pages and not anchor.startswith("task="):  # of a figure
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
    expect(page.locator(".math mjx-container")).to_have_count(formulas.count())
    assert page.outside == []


def found(page, query):
    """The headings that the search field leads to, best first, and their places."""
    page.locator("#pst-search-dialog input").fill(query)
    results = page.locator("#pst-search-dialog .found li a")
    page.wait_for_function(
        "q => document.querySelector('dialog .found').dataset.query === q", arg=query
    )
    return [(link.inner_text(), link.get_attribute("href")) for link in results.all()]


def test_search_leads_to_sections_from_disk(page):
    go(page, SITE / "index.html")
    page.keyboard.press("Control+k")
    first, second, *_ = found(page, "why divide by sqrt d")
    assert {first[0][:3], second[0][:3]} == {"3.1", "3.2"}  # as the index of questions says
    assert found(page, "causal mask")[0][0].startswith("3.3")
    assert found(page, "softmax axis")[0][0].startswith("Softmax over which axis")
    assert found(page, "padded rows")[0][0].startswith("3.7")
    names = found(page, "causal_mask")
    place = next(href for name, href in names if name == "d2lattn.masks.causal_mask")
    excerpt = page.locator("#pst-search-dialog .found li p").first
    expect(excerpt.locator("mark").first).to_be_visible()
    page.locator(f"#pst-search-dialog a[href='{place}']").click()
    expect(page.locator("dt[id='d2lattn.masks.causal_mask']")).to_be_in_viewport()
    assert page.outside == []


def test_the_page_of_results_shows_sections_too(page):
    go(page, SITE / "search.html", "?q=why+divide+by+sqrt+d")
    first = page.locator("#search-results li a").first
    expect(first).to_have_text(re.compile(r"3\.[12]"))
    first.click()
    expect(page.locator("section:target h2")).to_be_in_viewport()


def test_the_theme_is_not_searched():
    sections = (SITE / "_static" / "sections.js").read_text("utf-8")
    assert "System Settings" not in sections and "Color mode" not in sections


def test_a_link_into_a_fold_opens_it_and_no_other(page):
    """A section of Going further, from its address and from another page."""
    go(page, SITE / "03_scaling_and_masking.html", "#a-test-for-leaks")
    expect(page.locator("details.beyond[open]")).to_have_count(1)
    go(page, SITE / "90_notation_and_claims.html")
    page.get_by_role("link", name="5.8", exact=True).first.click()
    expect(page.get_by_role("heading", name="Path length: O")).to_be_in_viewport()


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_says_to_others_what_it_is(path):
    text = path.read_text("utf-8")
    title = re.search("<title>(.*)</title>", text)[1]
    assert title and len(re.findall("d2lattn", title)) <= 2
    assert 'rel="icon"' in text
    listed = ("search.html", "genindex.html", "py-modindex.html", "404.html")
    if path.name not in listed and "_modules" not in path.parts:
        assert f'<link rel="canonical" href="{published()}' in text
        assert re.search('<meta name="description" content="[^"]{20}', text)
        assert 'property="og:image"' in text


def test_the_site_has_a_map_and_a_page_for_what_is_not_there():
    assert (SITE / "404.html").exists() and (SITE / "_static" / "card.png").exists()
    assert f"<loc>{published()}03_scaling" in (SITE / "sitemap.xml").read_text("utf-8")


def test_an_answer_waits_until_the_reader_has_guessed(page):
    go(page, SITE / "03_scaling_and_masking.html")
    answers = page.locator("details", has_text="I have guessed: show")
    assert answers.count() >= 8
    output = answers.first.locator(".cell_output")
    expect(output).to_be_hidden()
    answers.first.locator("summary").click()
    expect(output).to_be_visible()


def test_what_answers_a_guess_is_folded(page):
    """As hints are; what a reader compares with opens at a click."""
    go(page, SITE / "02_queries_keys_values.html")
    for said in ("Compare", "Hint"):
        names = page.locator("summary", has_text=re.compile(f"^{said}$"))
        assert names.count() >= 4, said
        name = names.locator("visible=true").first  # not in a fold itself
        inside = name.locator("..").locator("p").first
        expect(inside).to_be_hidden()
        name.click()
        expect(inside).to_be_visible()


def test_a_figure_in_which_a_hand_finds_the_answer_is_open(page):
    go(page, SITE / "01_bare_bones_attention.html")
    expect(page.locator("[data-live]").first).to_be_visible()
    expect(page.locator("summary", has_text="I have guessed: show").first).to_be_visible()


def test_what_stands_below_a_guess_waits_for_it(page):
    """It is neither seen nor read aloud until an answer is opened, or it is asked for."""
    go(page, SITE / "01_bare_bones_attention.html")
    waiting = page.locator(".veil", has_text="No token is left out")
    assert waiting.evaluate("node => node.inert && getComputedStyle(node).filter") == "blur(6.4px)"
    assert "No token is left out" not in page.locator("main").aria_snapshot()
    many = page.locator(".veil").count()
    assert many >= 10
    page.get_by_role("button", name="waits for your guess").first.click()
    expect(page.locator(".veil")).to_have_count(many - 1)
    fold = page.locator("summary", has_text=re.compile("^Compare$")).locator("visible=true")
    fold.nth(1).click()
    expect(waiting).to_have_count(0)
    assert "No token is left out" in page.locator("main").aria_snapshot()


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_the_fold_of_an_answer_opens_by_key_with_its_output(page, key):
    """And nothing of either is read by a screen reader before."""
    go(page, SITE / "03_scaling_and_masking.html")
    name = page.locator("summary", has_text=re.compile("^Compare$")).locator("visible=true").first
    told = name.locator("..").locator("p").first
    guess = page.locator("details.hide", has_text="I have guessed: show").first
    output = guess.locator(".cell_output")
    answers = [one.text_content().strip().split("\n")[0][:40] for one in (told, output)]
    read = page.locator("main").aria_snapshot()
    assert all(answers) and not any(answer in read for answer in answers)
    guess.locator("summary").focus()
    for _ in range(12):
        page.keyboard.press("Tab")
        if name.evaluate("node => node === document.activeElement"):
            break
    page.keyboard.press(key)
    expect(told).to_be_visible()
    expect(output).to_be_visible()
    page.keyboard.press(key)
    expect(told).to_be_hidden()


def test_on_a_telephone_nothing_lies_over_a_figure(page):
    page.set_viewport_size({"width": 390, "height": 844})
    go(page, SITE / "01_bare_bones_attention.html")
    figure = page.locator("[data-live]").first
    figure.scroll_into_view_if_needed()
    page.mouse.wheel(0, 1500)
    page.mouse.wheel(0, -900)  # the theme's button comes when a reader turns back
    page.wait_for_timeout(300)
    expect(page.locator("#pst-back-to-top")).to_be_hidden()
    page.set_viewport_size({"width": 1280, "height": 900})


AFTER = "node => getComputedStyle(node, '::after').content"
UNFOLD = "for (const fold of document.querySelectorAll('main details')) fold.open = true"


@pytest.fixture
def telephone(page):
    page.set_viewport_size({"width": 390, "height": 844})
    yield page
    page.set_viewport_size({"width": 1280, "height": 900})


def test_a_wide_drawing_opens_large_at_a_tap_on_a_telephone(telephone):
    """It says so below, is then as wide as it was drawn, and a key or a tap brings it back."""
    go(telephone, SITE / "02_queries_keys_values.html")
    telephone.evaluate(UNFOLD)
    figure = telephone.locator("figure", has_text="Figure 2.2")
    expect(figure).to_have_class(re.compile("shrunk"))
    assert "tap" in figure.locator("figcaption").evaluate(AFTER)
    drawing, address = figure.locator("img"), telephone.url
    drawn = int(drawing.get_attribute("width"))
    assert drawing.bounding_box()["width"] < drawn / 2
    large = telephone.get_by_role("dialog", name="The drawing, large")
    for close in ("tap", "Escape", "button"):
        drawing.click()
        expect(large.locator("img")).to_have_js_property("clientWidth", drawn)
        assert large.evaluate("node => node.clientWidth") == 390
        if close == "tap":
            telephone.screenshot(path=str(SHOTS / "telephone-large.png"))
            large.locator("img").click(position={"x": 100, "y": 100})
        elif close == "Escape":
            telephone.keyboard.press("Escape")
        else:
            large.get_by_role("button", name="Close").click()
        expect(large).to_be_hidden()
    assert telephone.url == address


def test_a_formula_that_goes_on_says_so(telephone):
    """The matrices of section 2.1, of which a telephone shows two, until they are scrolled."""
    go(telephone, SITE / "02_queries_keys_values.html")
    formula = telephone.locator("div.math > mjx-container").first
    formula.scroll_into_view_if_needed()
    expect(formula).to_have_class(re.compile("scrolls"))
    assert "scroll" in formula.locator("..").evaluate(AFTER)
    fading = "node => getComputedStyle(node).maskImage"
    assert "gradient" in formula.evaluate(fading)
    telephone.screenshot(path=str(SHOTS / "telephone-formula.png"))
    whole = formula.locator("..").bounding_box()  # the line stands below, and takes it no room
    assert formula.bounding_box()["width"] == whole["width"] == 358
    formula.evaluate("node => { node.scrollLeft = node.scrollWidth; }")
    expect(formula).to_have_class(re.compile("at-end"))
    assert formula.evaluate(fading) == "none"
    telephone.set_viewport_size({"width": 1280, "height": 900})
    expect(formula).not_to_have_class(re.compile("scrolls"))
    assert formula.locator("..").evaluate(AFTER) == "none"


def test_printed_lines_go_on_below_and_columns_to_the_right(telephone):
    """The answer to chapter 0's first guess ends its line; chapter 6 has columns."""
    go(telephone, SITE / "00_start_here.html")
    telephone.evaluate(UNFOLD)
    for said in ("pie gives 0.01", "a hungry | "):
        printed = telephone.locator(".output pre", has_text=said).first
        assert printed.evaluate("node => node.scrollWidth - node.clientWidth") == 0
    go(telephone, SITE / "06_positional_encoding.html")
    telephone.evaluate(UNFOLD)
    columns = telephone.locator(".output pre.columns.scrolls").first
    columns.scroll_into_view_if_needed()
    assert "scroll" in columns.evaluate(AFTER)
    columns.evaluate("node => { node.scrollLeft = node.scrollWidth; }")
    expect(columns).to_have_class(re.compile("at-end"))


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


@pytest.mark.parametrize(
    "path", [path for path in PAGES if path.parent == SITE], ids=lambda path: path.stem
)
def test_on_a_telephone_what_goes_on_says_so_and_nothing_shakes(telephone, path):
    go(telephone, path)
    telephone.evaluate(UNFOLD)
    telephone.wait_for_timeout(500)
    assert telephone.evaluate(SHAKING) == 0
    assert telephone.evaluate(SILENT) == []
    assert telephone.evaluate("document.documentElement.scrollWidth") <= 390


def test_on_a_telephone_a_title_is_larger_than_its_sections(telephone):
    go(telephone, SITE / "00_start_here.html")
    size = "node => parseFloat(getComputedStyle(node).fontSize)"
    sizes = [telephone.locator(f"main {kind}").first.evaluate(size) for kind in ("h1", "h2", "h3")]
    assert sizes == sorted(sizes, reverse=True) and len(set(sizes)) == 3


def test_a_chapter_begins_with_a_sentence_and_not_with_buttons(telephone):
    go(telephone, SITE / "02_queries_keys_values.html")
    question = telephone.locator("main h1 + p")
    assert question.inner_text().endswith("?")
    assert telephone.locator("main .go").first.bounding_box()["y"] > question.bounding_box()["y"]


def test_the_menu_of_colours_closes_with_the_choice(telephone):
    """A finger hovers on over what it has touched, and so does this mouse."""
    go(telephone, SITE / "02_queries_keys_values.html")
    button = telephone.locator(".bd-header-article .theme-switch-button")
    menu = telephone.locator(".bd-header-article .dropdown-menu")
    for mode in ("Dark", "Light"):
        button.click()
        expect(menu).to_be_visible()
        menu.get_by_text(mode).click()
        expect(menu).to_be_hidden()


def test_in_the_dark_a_picture_has_one_frame(page):
    """What lies around its paper is of the paper's own white."""
    go(page, SITE / "02_queries_keys_values.html")
    page.evaluate("localStorage.setItem('mode', 'dark')")
    page.reload()
    page.evaluate(UNFOLD)
    pictures = page.locator("figure img")
    assert pictures.count() > 8
    for picture in pictures.all():
        ground = picture.evaluate("node => getComputedStyle(node).backgroundColor")
        assert ground == "rgb(255, 255, 255)"
    pictures.nth(1).scroll_into_view_if_needed()
    page.wait_for_function("node => node.complete", arg=pictures.nth(1).element_handle())
    page.screenshot(path=str(SHOTS / "dark-picture.png"))
    page.evaluate("localStorage.setItem('mode', 'light')")


def test_a_table_over_the_page_fits_a_telephone_and_is_not_on_paper(page):
    page.set_viewport_size({"width": 390, "height": 844})
    go(page, SITE / "02_queries_keys_values.html")
    page.get_by_role("button", name="show all on this page").first.click()
    marks = page.locator("button.evidence:visible")
    for i in range(marks.count()):
        marks.nth(i).click()
        shown = page.locator(":popover-open")
        expect(shown).to_have_count(1)
        box = shown.bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= 390 and box["height"] <= 844
        if not i:
            page.emulate_media(media="print")
            expect(shown).to_be_hidden()
            page.emulate_media(media="screen")
        page.keyboard.press("Escape")
    page.set_viewport_size({"width": 1280, "height": 900})


def test_the_front_page_and_most_chapters_have_a_live_figure():
    assert {"index.html", "01_bare_bones_attention.html"} <= {path.name for path in live_pages()}
    assert len(live_pages()) >= 8


@pytest.mark.parametrize("path", live_pages(), ids=lambda path: path.stem)
def test_live_figures_move_without_a_kernel(page, path):
    go(page, path)
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
    figures = page.locator("xpath=//*[starts-with(local-name(), 'live-')]")
    for figure in figures.all():
        drawn = "e => e.shadowRoot.innerHTML"
        before = figure.evaluate(drawn)
        figure.locator(":is(input, select, button):visible").first.scroll_into_view_if_needed()
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


def test_solutions_are_folded_until_asked_for(page):
    go(page, SITE / "03_scaling_and_masking.html")
    solutions = page.locator("details", has_text="Show a solution")
    assert solutions.count() >= 4
    code = solutions.first.locator("pre").first
    expect(code).to_be_hidden()
    solutions.first.locator("summary").click()
    expect(code).to_be_visible()
    expect(solutions.first.locator("summary")).to_have_text(re.compile("Hide the solution"))
    assert "@title" not in page.content()
    assert "not attempted yet" not in page.locator("article").inner_text()


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
    page.wait_for_function("theme => document.documentElement.dataset.theme === theme", arg=theme)
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
        rows = page.locator("article table").first.locator("tbody tr").all_inner_texts()
        cells = [[text.strip() for text in row.split("\t")] for row in rows]
        taken = sum(int(cell[2]) for cell in cells[:-1] if cell[0] != "later")
        assert int(cells[-1][0]) == taken > 20
        assert page.get_by_text("Ask first").count() >= 4
