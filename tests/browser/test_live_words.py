"""The map of words in headless Chromium: hand, finger and keys, what it says, and how fast."""

import pytest
from live_kinds import TOLD
from test_live import HOST, finger, sentence, show, text_of

from conftest import frame, halfway

DOT = "[role=button][aria-label^='{}:'], [role=button][aria-label^='{},']"


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


def test_a_word_is_dragged_and_a_click_lets_it_ask(page, tmp_path):
    show(page, tmp_path, "words")
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
    show(page, tmp_path, "words")
    box = dot(page, "apple").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    finger(page, x, y, 0, -100)
    text_of(page)
    assert "technology 1.8" in dot(page, "apple").get_attribute("aria-label")
    assert page.evaluate("scrollY") == 0


def test_all_of_it_by_keyboard(page, tmp_path):
    show(page, tmp_path, "words")
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


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_it_glides_unless_asked_not_to(page, tmp_path, motion):
    page.emulate_media(reduced_motion=motion)
    show(page, tmp_path, "words")
    root = f"document.querySelector('{HOST}').shadowRoot"
    choose = f"""const menu = {root}.querySelector('select');
      menu.value = '{TOLD[1]}';
      menu.dispatchEvent(new Event('input'))"""
    arrow = f"{root}.querySelector('path[fill=\"var(--output)\"]')"
    before, middle, end = halfway(page, choose, f"{arrow}.getBoundingClientRect().x")
    assert abs(end - before) > 50
    between = min(before, end) < middle < max(before, end)
    assert between == (motion == "no-preference")
