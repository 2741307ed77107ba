"""The page of the figure that trains, from disk: its tasks, its address, a telephone."""

import re

import pytest
from opened import SHOTS, SITE, TELEPHONE, WIDE, go
from playwright.sync_api import expect

from d2lattn_book.pictures.live.train.figure import TASKS

PAGE = SITE / "playground.html"


@pytest.fixture(params=[{"width": 1280, "height": 800}, TELEPHONE], ids=["wide", "telephone"])
def screen(page, request):
    page.set_viewport_size(request.param)
    yield page
    page.set_viewport_size(WIDE)


def set_to(page, **settings):
    for name, value in settings.items():
        label = re.compile(rf"^{name.replace('_', ' ')}")
        expect(page.get_by_label(label)).to_have_value(value)


def options(page):
    """Open the fold of all that is not needed to press Play."""
    name = page.locator("summary", has_text="Options:")
    if not name.evaluate("node => node.parentElement.open"):
        name.click()


def test_the_first_screen_leads_there_and_every_task_is_learned_there_and_fits(screen):
    """Beside the other buttons, without a scroll; and the figure begins in that screen as well."""
    go(screen, SITE / "index.html")
    button = screen.locator(".hero").get_by_role("link", name="Train one yourself")
    screen.screenshot(path=str(SHOTS / f"front-{screen.viewport_size['width']}.png"))
    height, places = screen.viewport_size["height"], screen.locator(".hero .go a").all()
    assert len(places) == 5 and all(place.bounding_box()["y"] < height - 40 for place in places)
    assert screen.locator(".plays").bounding_box()["y"] < height - 200
    button.click()
    expect(screen.get_by_role("heading", name="Train one yourself")).to_be_visible()
    options(screen)
    for title in TASKS.values():
        screen.get_by_label(re.compile("^task")).select_option(title)
        screen.get_by_text("Before training").wait_for()
        place = screen.get_by_label("queries, keys, values").evaluate("node => node.offsetTop")
        screen.get_by_role("button", name="▶ Play").click()
        screen.get_by_text(re.compile(r"^Step [1-9]\d")).wait_for()
        screen.get_by_role("button", name="Pause").click()
        expect(screen.get_by_role("button", name="▶ Play")).to_be_visible()
        assert screen.get_by_label("queries, keys").evaluate("node => node.offsetTop") == place
        width = screen.evaluate("document.documentElement.scrollWidth")
        assert width <= screen.viewport_size["width"]
    assert screen.outside == []


def test_the_address_brings_the_settings_back(page):
    go(page, PAGE, "#task=copy&layers=1&seed=7&compare=mask:false")
    set_to(page, task=TASKS["copy"], layers="1", seed="7", compare="mask: off")
    options(page)
    page.get_by_label(re.compile("^heads")).select_option("4")
    page.wait_for_function("location.hash.includes('heads=4')")
    page.get_by_role("button", name="ten steps").click()
    told = page.get_by_text(re.compile(r"^Step 10[.]"))
    told.wait_for()
    page.reload()
    set_to(page, task=TASKS["copy"], layers="1", heads="4", compare="mask: off")
    told.wait_for()  # the same model, trained once more
    expect(page.locator("main summary .t")).to_contain_text("1 layer, 4 heads, width")
    go(page, PAGE)
    told.wait_for()  # the last one, by no address
    page.get_by_role("link", name="What is the mask for?").click()
    page.get_by_text("0 of 0").wait_for()
    page.go_back()
    told.wait_for()
    set_to(page, task=TASKS["copy"], heads="4")


def test_the_questions_set_the_figure_and_their_answers_are_folded(page):
    go(page, PAGE)
    for name, task, layers, change, made in [
        ("What is the mask for?", "sentences", "1", "mask: off", "mask off"),
        ("What is a second layer for?", "copy", "2", "layers: 1", "1 layer"),
        ("What are positions for?", "back", "1", "positions: none", "positions none"),
        ("Who tells two layers the order, if not positions?", "back", "2", "mask: off", "mask off"),
    ]:
        page.get_by_label("queries, keys, values").check()
        page.get_by_role("link", name=name, exact=True).click()
        set_to(page, task=TASKS[task], layers=layers, compare=change)
        said = f"Options: {TASKS[task]}; model 2: {made}"
        expect(page.locator("summary", has_text=said)).to_be_visible()
        expect(page.get_by_label("queries, keys, values")).not_to_be_checked()
    told = page.get_by_text("94, 94 and 92 %")
    expect(told).to_be_hidden()
    page.get_by_text("The answers, and what came out").click()
    expect(told).to_be_visible()
