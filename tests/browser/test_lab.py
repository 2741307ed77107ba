"""JupyterLab as a reader meets a chapter there: what is folded, how wide a line is, where links go.

Runs with `make test-browser`. Screenshots go to build/screenshots.
"""

import re

import nbformat
import pytest
from accessible import violations
from cells import answers, chapters, for_reading, is_solution
from playwright.sync_api import expect
from servers import (
    HERE,
    open_chapter,
    run_command,
    serve,
    settled,
    unfold,
    until,
    wait_for,
    without_kernels,
)

from conftest import SHOTS, new_page

CHAPTERS = chapters()


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """A server without anything of the book's."""
    with serve(tmp_path_factory.mktemp("bare"), settings={}) as address:
        yield address


@pytest.fixture
def page(browser):
    with new_page(browser, allowed=HERE) as page:
        yield page
        without_kernels(page)


def in_place(page, lab, path, again):
    """What stands in the place of the hidden outputs."""
    open_chapter(page, lab, path.name)
    unfold(page)
    settled(page, "probe.opened()")
    found = page.evaluate("again => probe.inPlace(again)", again)
    stored = for_reading(nbformat.read(path, as_version=4).cells)
    solutions = (i for i, cell in enumerate(stored) if is_solution(cell))
    assert {*map(int, found)} == {*answers(stored), *solutions}
    return {tuple(said) for said in found.values() if said}


def test_opening_a_chapter_marks_nothing_as_changed_and_hides_its_answers(page, lab):
    """Nothing is read of them, also after a cell was run and its reader has hidden it again."""
    open_chapter(page, lab, CHAPTERS[1].name)
    wait_for(page, "!!probe.panel()?.sessionContext.session?.kernel?.info", bool)
    page.wait_for_timeout(3000)  # what would mark it comes soon after the kernel's answer
    assert page.evaluate("probe.panel().context.model.dirty") is False
    page.screenshot(path=str(SHOTS / "opened.png"))
    assert violations(page) == []  # in JupyterLab around it, too
    said = {("", '"hidden: guess, then run (Shift+Enter)"')}
    assert in_place(page, lab, CHAPTERS[1], again=True) == said
    assert violations(page) == []


def test_without_the_books_settings_the_first_line_says_what_dots_stand_for(page, bare):
    """They are all that is seen of a hidden answer; the line is seen whole in a window of 1,000
    pixels beside the list of files."""
    assert in_place(page, bare, CHAPTERS[2], again=False) == {("", "none")}
    open_chapter(page, bare, CHAPTERS[2].name)
    line = page.locator(".jp-InputPlaceholder").first
    assert "••• is folded code, or an answer: guess, then run" in line.inner_text()
    page.set_viewport_size({"width": 1000, "height": 900})
    line.scroll_into_view_if_needed()
    expect(line.get_by_text("guess, then run")).to_be_in_viewport(ratio=1)
    dots = page.locator(".jp-OutputPlaceholder").first
    dots.scroll_into_view_if_needed()
    assert dots.inner_text().strip() == "" and dots.locator("svg").is_visible()


@pytest.mark.parametrize(
    ("server", "link", "lands"),
    [
        ("bare", "3.1", "Why scores grow with √d"),
        ("lab", "5.8", "Path length: O(n/k) or O(log n)?"),
    ],
)
def test_a_link_to_a_section_lands_there(page, request, server, link, lands):
    """Across notebooks, at a heading that no anchor made of its words would find; and in a fold.

    The first click opens the chapter, which may move on while it is drawn: then one clicks again.
    """
    address, name = request.getfixturevalue(server), "90_notation_and_claims.ipynb"
    open_chapter(page, address, name)

    def landed():
        run_command(page, "docmanager:open", path=f"work/{name}")
        page.get_by_role("link", name=link, exact=True).first.click()
        page.get_by_role("heading", name=lands).wait_for()
        top = settled(page, f"probe.heading({lands!r})")
        return top is not None and 0 <= top < 900

    until(page, landed)


def test_the_first_screen_shows_what_comes_out(page, lab):
    """At 1280 × 800: the question, what you will be able to do, two slim bars of code, every name.
    The map, which comes next, fits a screen."""
    page.set_viewport_size({"width": 1280, "height": 800})
    open_chapter(page, lab, CHAPTERS[0].name)
    page.evaluate("() => { for (const cell of probe.content().model.cells) cell.trusted = true; }")
    screen = page.locator(".jp-WindowedPanel-outer").bounding_box()
    said = page.get_by_role("strong").filter(has_text="mechanism inside nearly every chatbot")
    expect(said).to_be_in_viewport()
    result = page.locator("[data-live] .live").first
    expect(result).to_be_visible()
    settled(page, "probe.opened()")
    bars = [bar.bounding_box() for bar in page.locator(".jp-InputPlaceholder").all()[:2]]
    assert all(bar["height"] < 26 and bar["y"] < screen["height"] for bar in bars)
    box = result.bounding_box()
    assert box["y"] + box["height"] - bars[1]["y"] < screen["height"]
    names = page.locator(".jp-DirListing-itemText")
    assert names.count() >= len(CHAPTERS)
    assert not any(one.evaluate("one => one.scrollWidth > one.clientWidth") for one in names.all())
    page.screenshot(path=str(SHOTS / "first_screen.png"))
    # A line of text is read without turning the head.
    page.set_viewport_size({"width": 1920, "height": 900})
    wide = """Math.max(...probe.all('.jp-RenderedMarkdown p', document)
      .map(text => text.offsetWidth / parseFloat(getComputedStyle(text).fontSize)))"""
    assert 30 < settled(page, wide) < 42


def test_a_white_picture_has_less_light_on_a_dark_page(page, lab):
    light = """probe.all('.jp-OutputArea img', document)
      .map(picture => getComputedStyle(picture).filter)"""
    open_chapter(page, lab, CHAPTERS[1].name)
    shown = settled(page, light)
    assert shown and {*shown} == {"none"}
    for theme, filtered in (("Dark", "brightness(0.85)"), ("Light", "none")):
        run_command(page, "apputils:change-theme", theme=f"JupyterLab {theme}")
        page.wait_for_function(f"document.body.dataset.jpThemeName === 'JupyterLab {theme}'")
        assert {*settled(page, light)} == {filtered}


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_a_fold_of_an_answer_opens_by_key_and_is_not_read_before(page, lab, key):
    """The key lands on the fold; the cell stays rendered, and the notebook where it was."""
    open_chapter(page, lab, CHAPTERS[1].name)
    settled(page, "probe.opened()")
    fold = page.locator(".jp-RenderedMarkdown details", has_text=re.compile("^Compare")).first
    fold.scroll_into_view_if_needed()
    answer = fold.get_by_role("paragraph")
    expect(answer).to_have_count(0)
    name = fold.locator("summary")

    def lands():
        name.focus()
        page.keyboard.press("Shift+Tab")
        page.keyboard.press("Tab")
        return name.evaluate("node => node === document.activeElement")

    # JupyterLab takes the focus, or draws the text anew, as long as the chapter is being opened.
    until(page, lands)
    page.keyboard.press(key)
    expect(answer.first).to_be_visible()
    assert page.evaluate("probe.content().mode") == "command"
    page.keyboard.press(key)
    expect(answer).to_have_count(0)
