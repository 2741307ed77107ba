"""The map of words in headless Chromium: hand, finger and keys, what it says, and how fast."""

import statistics

import pytest
import test_live
from accessible import violations
from test_live import (
    CONTRAST,
    DARK,
    HOST,
    LABELS,
    LIGHT,
    MOUNT,
    TOLD,
    finger,
    median_time,
    sentence,
    text_of,
)

from conftest import SHOTS, frame, halfway

DOT = "[role=button][aria-label^='{}:'], [role=button][aria-label^='{},']"


def show(page, folder, **options):
    test_live.show(page, folder, "words", **options)


def dot(page, word):
    return page.locator(DOT.format(word, word))


def drag(page, word, right, down):
    box = dot(page, word).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + right / 2, y + down / 2)
    page.mouse.move(x + right, y + down)
    page.mouse.up()
    frame(page)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1240, 720, 358])
def test_no_label_is_cut_and_it_fits_a_slide_a_page_and_a_phone(page, tmp_path, width, colours):
    page.set_viewport_size({"width": width + 32, "height": 720})
    show(page, tmp_path, width=width, colours=colours)
    found = page.evaluate(LABELS)
    print(f"\nwords at {width}: {found['height']:.0f} px high, letters {found['letters']:.1f} px")
    assert found["wrong"] == [] and found["letters"] >= 11
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    if width > 700:
        assert found["height"] <= 585
    ground = f"rgb({', '.join(str(int(colours[0][i : i + 2], 16)) for i in (1, 3, 5))})"
    worst, text = page.evaluate(CONTRAST, ground)
    assert worst >= 4.5, text
    SHOTS.mkdir(parents=True, exist_ok=True)
    shade = "dark" if colours is DARK else "light"
    page.screenshot(path=str(SHOTS / f"live-words-{width}-{shade}.png"), full_page=True)


def test_a_word_is_dragged_and_a_click_lets_it_ask(page, tmp_path):
    show(page, tmp_path)
    drag(page, "cinnamon", -60, -150)
    said = sentence(text_of(page))
    assert said.startswith("apple asks") and "cinnamon fits best, 1 · 2.4" in said
    dot(page, "pie").click()
    assert sentence(text_of(page)).startswith("pie asks")
    dot(page, "adapter").click()  # is not in the sentence
    assert sentence(text_of(page)).startswith("pie asks")
    page.get_by_role("button", name="Reset").click()
    assert "cinnamon fits best, 1 · 3 + 1 · 0 = 3" in sentence(text_of(page))


def test_a_finger_drags_a_word(page, tmp_path):
    show(page, tmp_path)
    box = dot(page, "apple").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    finger(page, x, y, 0, -100)
    text_of(page)
    assert "technology 1.8" in dot(page, "apple").get_attribute("aria-label")
    assert page.evaluate("scrollY") == 0


def test_all_of_it_by_keyboard(page, tmp_path):
    show(page, tmp_path)
    page.locator("select").focus()
    page.keyboard.press("ArrowDown")
    assert "Out comes food 0.17, technology 2.20" in sentence(text_of(page))
    page.keyboard.press("Tab")
    page.keyboard.press("Control+a")
    page.keyboard.type("bake the apple, mum")
    assert sentence(text_of(page)).startswith("Not on the map: mum. apple asks")
    page.keyboard.press("Tab")  # Reset
    page.keyboard.press("Tab")  # the words on the map, in the order of the vocabulary
    page.keyboard.press("ArrowUp")
    frame(page)
    assert "bake: food 2.00, technology 0.10" in dot(page, "bake").get_attribute("aria-label")
    page.keyboard.press("Enter")
    assert sentence(text_of(page)).startswith("Not on the map: mum. bake asks")
    for _ in range(3):
        page.keyboard.press("Tab")  # the, apple, the sentence
    page.keyboard.press("ArrowDown")
    assert sentence(text_of(page)).startswith("Not on the map: mum. the asks")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement === document.body")


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_axe_finds_nothing(page, tmp_path, colours):
    show(page, tmp_path, colours=colours)
    assert violations(page) == []


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_it_glides_unless_asked_not_to(page, tmp_path, motion):
    page.emulate_media(reduced_motion=motion)
    show(page, tmp_path)
    root = f"document.querySelector('{HOST}').shadowRoot"
    choose = f"""const menu = {root}.querySelector('select');
      menu.value = '{TOLD[1]}';
      menu.dispatchEvent(new Event('input'))"""
    arrow = f"{root}.querySelector('path[fill=\"var(--output)\"]')"
    before, middle, end = halfway(page, choose, f"{arrow}.getBoundingClientRect().x")
    assert abs(end - before) > 50
    between = min(before, end) < middle < max(before, end)
    assert between == (motion == "no-preference")


@pytest.mark.speed
def test_mounting_takes_at_most_60_ms_and_a_picture_50(page, tmp_path):
    show(page, tmp_path)
    mount = statistics.median(page.evaluate(MOUNT))
    dot(page, "apple").focus()
    key = median_time(page, "keydown", lambda i: page.keyboard.press("ArrowRight"))
    box = dot(page, "cinnamon").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    hand = median_time(page, "pointermove", lambda i: page.mouse.move(x - 4 - 3 * i, y - 3 * i))
    page.mouse.up()
    print(f"\nwords: mount {mount:.1f} ms, key to picture {key:.1f} ms, drag {hand:.1f} ms")
    assert mount <= 60 and key <= 50 and hand <= 50


def test_on_paper_and_without_code(browser, page, tmp_path):
    show(page, tmp_path)
    page.emulate_media(media="print")
    assert page.locator("svg").first.is_visible()
    assert page.get_by_role("button", name="Reset").is_hidden()
    context = browser.new_context(java_script_enabled=False)
    still = context.new_page()
    still.goto(f"file://{tmp_path}/page.html")
    assert still.locator("table").is_visible()
    context.close()
