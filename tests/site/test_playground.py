"""The page of the figure that trains, from disk: its tasks, its address, a telephone."""

import re

import pytest
from opened import SHOTS, SITE, go
from playwright.sync_api import expect

from d2lattn_book.pictures.live.train.figure import TASKS

PAGE = SITE / "playground.html"
WIDE, TELEPHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}


@pytest.fixture
def screen(page):
    yield page
    page.set_viewport_size({"width": 1280, "height": 900})


def set_to(page, **settings):
    for name, value in settings.items():
        label = re.compile(rf"^{name.replace('_', ' ')}")
        expect(page.get_by_label(label)).to_have_value(value)


@pytest.mark.parametrize("size", [WIDE, TELEPHONE], ids=["wide", "telephone"])
def test_the_first_screen_leads_there(screen, size):
    """Beside the other buttons, without a scroll; and the figure begins in that screen as well."""
    screen.set_viewport_size(size)
    go(screen, SITE / "index.html")
    button = screen.locator(".hero").get_by_role("link", name="Train one yourself")
    screen.screenshot(path=str(SHOTS / f"front-{size['width']}.png"))
    box, places = button.bounding_box(), screen.locator(".hero .go a")
    rows = {place.bounding_box()["y"] for place in places.all()}
    assert places.count() == 4 and len(rows) == (1 if size is WIDE else 2)
    assert box["y"] + box["height"] < size["height"]
    assert screen.locator(".plays").bounding_box()["y"] < size["height"] - 200
    button.click()
    expect(screen.get_by_role("heading", name="Train one yourself")).to_be_visible()
    screen.get_by_role("button", name="▶ Play").wait_for()


def options(page):
    """Open the fold of all that is not needed to press Play."""
    name = page.locator("summary", has_text="Options:")
    if not name.evaluate("node => node.parentElement.open"):
        name.click()


@pytest.mark.parametrize("size", [WIDE, TELEPHONE], ids=["wide", "telephone"])
def test_every_task_is_learned_there_and_fits(screen, size):
    screen.set_viewport_size(size)
    go(screen, PAGE)
    options(screen)
    width = "document.documentElement.scrollWidth"
    for name, title in TASKS.items():
        screen.get_by_label(re.compile("^task")).select_option(title)
        screen.get_by_text("Before training").wait_for()
        screen.get_by_role("button", name="▶ Play").click()
        screen.get_by_text(re.compile(r"^Step [1-9]\d")).wait_for()
        screen.get_by_role("button", name="Pause").click()
        expect(screen.get_by_role("button", name="▶ Play")).to_be_visible()
        screen.screenshot(path=str(SHOTS / f"playground-{size['width']}-{name}.png"))
        assert screen.evaluate(width) <= size["width"]
    assert screen.outside == []


def test_the_address_brings_the_settings_back(page):
    go(page, PAGE, "#task=copy&layers=1&seed=7&compare=mask:false")
    set_to(
        page, task="associative recall, letter → number", layers="1", seed="7", compare="mask: off"
    )
    options(page)
    page.get_by_label(re.compile("^heads")).select_option("4")
    page.wait_for_function("location.hash.includes('heads=4')")
    page.reload()
    set_to(
        page, task="associative recall, letter → number", layers="1", heads="4", compare="mask: off"
    )


def test_the_questions_set_the_figure_and_their_answers_are_folded(page):
    go(page, PAGE)
    for name, task, layers, change in [
        ("What is the mask for?", "the book's sentences", "1", "mask: off"),
        ("What is a second layer for?", "associative recall, letter → number", "2", "layers: 1"),
        ("What are positions for?", TASKS["back"], "1", "positions: none"),
        ("Who tells two layers the order, if not positions?", TASKS["back"], "2", "mask: off"),
    ]:
        page.get_by_role("link", name=name, exact=True).click()
        set_to(page, task=task, layers=layers, compare=change)
        made = "1 layer" if change == "layers: 1" else change.replace(":", "")
        said = f"Options: {task}; model 2: {made}"
        expect(page.locator("summary", has_text=said)).to_be_visible()
    told = page.get_by_text("94, 94 and 92 %")
    expect(told).to_be_hidden()
    page.get_by_text("The answers, and what came out").click()
    expect(told).to_be_visible()
