"""`make slides`: the decks open from disk with the network blocked, and live figures live there.

Runs with `make test-browser`.
"""

import io
import re
import statistics

import cells
import nbformat
import pypdf
import pytest
import slides
from accessible import violations
from cells import is_taught
from live_kinds import KINDS
from live_table import FIGURES
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from conftest import frame, new_page, still

NOTE = "Say this aloud: whoever asks is orange."


def lecture():
    """A slide for each kind of live figure, with notes, a formula and a solution."""
    cells = [slides.told(new_markdown_cell("# Figures\n\n**What moves?**\n\n$x^2$"), "slide")]
    notes = f"<details><summary>Notes</summary>{NOTE}</details>"
    cells.append(slides.told(new_markdown_cell(notes), "notes"))
    for name in KINDS:
        output = new_output("display_data", FIGURES[name]()._repr_mimebundle_())
        cells.append(slides.told(new_markdown_cell(f"## The figure {name}"), "slide"))
        cells.append(new_code_cell(f"live.{name}(…)", outputs=[output]))
    return new_notebook(cells=cells)


@pytest.fixture(scope="module")
def folder(decks):
    """All decks, and one of figures as the package draws them now."""
    (decks / "live.html").write_text(slides.deck(lecture(), "live"), encoding="utf-8")
    return decks


def open_deck(page, path, link="", width=1280, height=720):
    page.set_viewport_size({"width": width, "height": height})
    page.goto(f"file://{path}{link}")
    page.locator(".reveal.ready").wait_for()
    page.evaluate("MathJax.startup.promise.then(() => {})")


def show(page, i, appeared=999):
    page.evaluate("([i, appeared]) => probe.show(i, appeared)", [i, appeared])


PRESENT = ".slides > section.present:not(.stack), .slides > section.present > section.present"
IN_SIGHT = f":is({PRESENT}) [data-live]"


@pytest.fixture(scope="module", params=slides.decks(), ids=lambda path: path.name[:2])
def deck(request, browser, folder):
    """The page of a deck, opened once, and the path of its chapter."""
    with new_page(browser) as page:
        open_deck(page, folder / f"{request.param.stem}.html")
        yield page, request.param
    assert page.outside == [] and page.errors == []


def test_every_slide_can_be_read_from_the_last_row(deck):
    """Nothing leaves it, lies over something else or is small; nor when its figure was used."""
    page, path = deck
    total = page.evaluate("Reveal.getTotalSlides()")
    kept, words = 0, []
    wrong = set(violations(page))  # the page around the slides is the same for all
    for i in range(total):
        for appeared in (-1, 999):  # the question alone, and with its answer
            show(page, i, appeared)
            check_face(page.evaluate("probe.face()"), f"{i + 1} / {total}")
        wrong |= set(violations(page, PRESENT))
        slide = page.evaluate("probe.slide()")
        assert slide["leaves"] == slide["narrow"] == [] and slide["height"] <= 720
        assert slide["blocks"] >= 1, "a title is no slide"
        assert slide["words"] <= 52  # with its caption, without its title
        assert slide["html"] >= 24
        # What a question gives stays above the picture, unless that would be smaller.
        letters, wide = page.evaluate("probe.given()") or (0, True)
        assert letters == 0 or (wide and letters >= 24)
        kept += letters > 0
        words.append(slide["words"])
        check_figure(page)
    assert wrong == set()
    assert kept or path.name[:2] not in ("02", "03"), "what a question gives is gone"
    # An answer that was printed numbers is told in words.
    assert statistics.median(words) <= 37 or not is_taught(path)
    assert page.locator("mjx-merror").count() == 0
    assert page.locator(".fragment aside").count() == 0, "the speaker's view would leave it out"


def check_face(face, where):
    assert face["where"].endswith(where)
    assert face["named"] == face["free"]  # the chapter, where a long title leaves room
    assert face["over"] == []
    least = 50 if face["alone"] else 40
    assert all(size >= (least if face["bare"] else 28) for size in face["sizes"])
    assert not face["bare"] or 290 <= face["middle"] <= 430


LEGIBLE = {"says": True, "small": [], "out": [], "touching": []}


def check_figure(page):
    figure = page.locator(IN_SIGHT)
    if not figure.count():
        return
    frame(page)
    assert page.evaluate("probe.figure()") == LEGIBLE
    for kind in TOUCHED:
        for target in figure.locator(kind).locator("visible=true").all()[:1]:
            use(page, target)
    still(page)
    assert page.evaluate("probe.figure()") | {"out": []} == LEGIBLE
    assert page.evaluate("Reveal.getCurrentSlide().scrollHeight") <= 720


def positions(path):
    """What a deck has to show, from key to key: as `SEEN` says it, one slide at a time."""
    found = []
    for i, slide in enumerate(slides.Deck(nbformat.read(path, as_version=4).cells).slides):
        title = slide.title.lstrip("# ").replace("*", "")
        later = len(slide.shown) + bool(slide.line) if slide.question else 0
        later += str(slide.shown).count("fragment step")
        later += sum(
            len(cells.states(output)) for cell in slide.shown for output in cell.get("outputs", ())
        )
        found += [[[i, title, appeared]] for appeared in range(later + 1)]
    return found


def test_one_key_leads_through_every_deck_and_one_back(deck):
    """Also after a hand has been on a figure: a clicker knows no other key, or arrows alone."""
    page, path = deck
    wanted, touched = positions(path), 0
    page.reload()
    page.locator(".reveal.ready").wait_for()
    show(page, 0, -1)
    assert page.title() == f"{wanted[0][0][1]} · slides"
    for key, way in (("ArrowRight", wanted), ("ArrowLeft", wanted[::-1]), ("PageDown", wanted)):
        seen = [page.evaluate(SEEN)]
        while len(seen) < len(way) + 1 and (len(seen) < 2 or seen[-1] != seen[-2]):
            turns = -1 if seen[-1] == way[-1] else 1
            if key == "PageDown":
                touched += touch(page, TOUCHED, *KEYS[::turns])
            if key == "ArrowRight":
                touched += touch(page, TOUCHED[:2], *ARROWS[::turns])
            page.keyboard.press(key)
            seen.append(page.evaluate(SEEN))
        assert seen == [*way, way[-1]]  # at the end the key leads no further
    page.keyboard.press("Home")
    assert page.evaluate(SEEN) == wanted[0]
    assert touched >= 2 * page.locator("[data-live]").count()


PAGES = "[...document.querySelectorAll('.pdf-page')]"
# Where the blocks of a slide stand on it.
PLACED = """top => probe.all("h1, h2, p, pre, li, img, table, [data-live]", top)
  .filter(one => one.checkVisibility() && !one.closest("aside") && probe.box(one).height)
  .flatMap(one => [probe.box(one).x, probe.box(one).y - probe.box(top).y, probe.box(one).height])"""


def test_a_deck_prints_as_it_looks_one_page_a_state(deck, browser):
    page, path = deck
    page.reload()  # without what a hand has done
    page.locator(".reveal.ready").wait_for()
    states = [state for (state,) in positions(path)]
    with new_page(browser) as paper:
        open_deck(paper, page.url.removeprefix("file://").split("#")[0], "?print-pdf")
        paper.wait_for_function(f"{PAGES}.at(-1)?.querySelector('.where')")
        frame(paper)
        pages = paper.evaluate(f"{PAGES}.map(page => ({PLACED})(page.querySelector('section')))")
        printed = paper.pdf(prefer_css_page_size=True, print_background=True)
    sheets = pypdf.PdfReader(io.BytesIO(printed)).pages
    assert len(sheets) == len(pages) == len(states)
    for (i, _, appeared), sheet, placed in zip(states, sheets, pages, strict=True):
        assert f"{i + 1} / {states[-1][0] + 1}" in sheet.extract_text()
        show(page, i, appeared - 1)
        assert page.evaluate(f"({PLACED})(Reveal.getCurrentSlide())") == pytest.approx(
            placed, abs=2
        )


SEEN = "probe.seen()"
LEFT = "node => [node.ariaLabel, node.value, node.tabIndex]"  # as a hand left it
KEYS, ARROWS = ("PageDown", "PageUp"), ("ArrowRight", "ArrowLeft")
# A word, a slider, a button, a menu, a field: what a hand may have been on last. In the last two an
# arrow chooses.
TOUCHED = (
    *("[role=gridcell], [role=button]", "[type=range]", "button", "select"),
    "input:not([type=range], [type=checkbox])",
)


def touch(page, kinds, turn, back):
    """Use one thing of each kind in the figure on the screen; a clicker still turns the slide."""
    figure = page.locator(IN_SIGHT)
    found = [
        target
        for kind in kinds
        for target in figure.locator(kind).locator("visible=true").all()[:1]
    ]
    for target in found:
        there = page.evaluate(SEEN)
        use(page, target)
        left = target.evaluate(LEFT)
        page.keyboard.press(turn)
        assert page.evaluate(SEEN) != there
        page.keyboard.press(back)
        assert [page.evaluate(SEEN), target.evaluate(LEFT)] == [there, left]
    return len(found)


def use(page, target):
    target.click(force=True)  # a word may lie under another word
    if target.evaluate("node => node.tagName") == "SELECT":
        last = target.evaluate("node => node.selectedIndex === node.length - 1")
        page.keyboard.press("ArrowUp" if last else "ArrowDown")  # in the list that has opened
        page.keyboard.press("Enter")


DEMOS = re.findall(r"\]\((\d\d_\w+\.html)(#/cell-id=[\w-]+)\)", slides.INDEX)


@pytest.mark.parametrize(("name", "link"), DEMOS, ids=[name[:2] for name, _ in DEMOS])
def test_each_of_ten_demos_opens_as_large_as_from_slide_to_slide(page, folder, name, link):
    """By a link from elsewhere: the figure is drawn after the deck."""
    assert len(DEMOS) == 10
    open_deck(page, folder / name, link)
    page.locator(IN_SIGHT).locator(".live").wait_for()
    frame(page)
    frame(page)
    assert page.evaluate("probe.figure()") == LEGIBLE
    number = page.evaluate("Reveal.getSlidePastCount()") + 1
    assert page.locator(".where").inner_text().split()[-3:-1] == [str(number), "/"]


@pytest.mark.parametrize("size", [(1280, 720), (640, 400), (1920, 1080)], ids=str)
def test_the_pointer_lands_right_on_a_scaled_slide(page, folder, size):
    open_deck(page, folder / "live.html", "", *size)
    show(page, 1)
    host = page.locator("[data-live]").first
    host.get_by_label("weight of query found on key cat", exact=False).first.click()
    host.get_by_text("query of found · key of cat", exact=False).first.wait_for()
    assert page.evaluate("Reveal.getIndices().h") == 1  # the click turned no page

    # A number is turned by .1 for each 6 units of the drawing, whatever the size of the slide.
    cell = host.locator("[aria-label^='x of cat, channel 2']")
    box = cell.bounding_box()
    unit = cell.evaluate("""cell => {
      const svg = cell.ownerSVGElement;
      return svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
    }""")
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 60 * unit, steps=3)
    page.mouse.up()
    host.locator("[aria-label='x of cat, channel 2: 2.60']").wait_for()

    # Maps and curves take the place from the pointer's coordinates.
    show(page, 2)
    glass = page.locator("[data-live]").nth(1).locator("rect[fill=transparent]")
    box = glass.bounding_box()
    page.mouse.click(box["x"] + 2.5 / 6 * box["width"], box["y"] + 4.5 / 6 * box["height"])
    page.mouse.move(5, 5)
    page.locator("[data-live]").nth(1).get_by_label("the, the query", exact=True).wait_for()
    page.locator("[data-live]").nth(1).get_by_text("attends to the key cat").wait_for()


def test_keys_stay_in_the_figure_until_escape(page, folder):
    open_deck(page, folder / "live.html")
    show(page, 1)
    page.locator("[data-live]").first.locator("[role=gridcell]").first.click()
    for key in ("o", "b", "ArrowRight"):  # an arrow right after the pointer would turn the slide
        page.keyboard.press(key)
    text_of_deck = "() => [Reveal.getIndices().h, Reveal.isOverview(), Reveal.isPaused()]"
    assert page.evaluate(text_of_deck) == [1, False, False]
    for key in ("Escape", "Escape", "ArrowRight", "Tab"):  # no figure of another slide
        page.keyboard.press(key)
    page.wait_for_function("Reveal.getSlide(2).contains(document.activeElement)")


def test_the_speaker_sees_the_notes(page, folder):
    open_deck(page, folder / "live.html")
    with page.expect_popup() as opened:
        page.keyboard.press("s")
    opened.value.locator(".speaker-controls-notes").get_by_text(NOTE).wait_for()
    assert page.get_by_text(NOTE).is_hidden()
    opened.value.close()
