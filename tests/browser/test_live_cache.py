"""The cache that grows, in headless Chromium: hand, keys and play, what it says, how it lies."""

import pytest
from test_live import HOST, sentence, show, text_of

from conftest import frame, hold, still


def test_a_click_chooses_a_kind_and_a_word(page, tmp_path):
    show(page, tmp_path, "cache")
    page.get_by_label("state, 16 × 16: 8,192 bytes").click()
    assert "All 7 words are added into it" in sentence(text_of(page))
    page.get_by_label("cat: ", exact=False).click()
    assert sentence(text_of(page)).startswith("cat asks, word 3. Kept: 8,192 bytes")
    page.get_by_label("full, 8 heads: 3,072 bytes, 3 × 1,024", exact=False).click()
    assert "Kept: 3 of 3 words × 1,024 = 3,072 bytes" in sentence(text_of(page))
    page.get_by_role("button", name="Reset").click()
    assert sentence(text_of(page)).startswith("and asks, word 7. Kept: 5 of 7 words")


def test_bars_are_as_long_as_the_bytes(page, tmp_path):
    show(page, tmp_path, "cache")
    still(page)
    bars = page.evaluate(
        f"[...document.querySelector('{HOST}').shadowRoot.querySelectorAll('.kinds i')]"
        ".map(bar => bar.getBoundingClientRect().width)"
    )
    counts = [7168, 1792, 1120, 4096, 5120, 8192]
    unit = bars[0] / counts[0]
    assert bars == pytest.approx([unit * count for count in counts], abs=1)


def test_all_of_it_by_keyboard(page, tmp_path):
    show(page, tmp_path, "cache")
    press = page.keyboard.press
    page.get_by_role("button", name="Play").focus()
    press("Tab")  # back
    press("Enter")
    assert sentence(text_of(page)).startswith("milk asks, word 6")
    press("Tab")  # forward
    press("Enter")
    press("Tab")  # words read
    press("End")
    assert sentence(text_of(page)).startswith("it asks, word 9")
    press("Tab")  # Reset
    press("Enter")
    before = sentence(text_of(page))
    press("Tab")  # the words: to pass by changes nothing
    assert sentence(text_of(page)) == before
    press("Home")
    assert sentence(text_of(page)).startswith("the asks, word 1")
    press("ArrowRight")
    assert sentence(text_of(page)).startswith("hungry asks, word 2")
    press("Tab")  # the kinds
    press("ArrowUp")
    assert "Kept: 2 of 2 words × 1,024 = 2,048 bytes" in sentence(text_of(page))
    press("Home")
    press("ArrowDown")
    press("ArrowDown")
    assert "however many words" in sentence(text_of(page))
    press("Tab")
    assert page.evaluate("document.activeElement === document.body")


def test_words_come_by_themselves_and_a_hand_stops_them(page, tmp_path):
    show(page, tmp_path, "cache")
    page.get_by_role("button", name="Play").click()
    page.get_by_role("button", name="Play").wait_for()  # the end
    assert sentence(text_of(page)).startswith("it asks, word 9")
    hold(page)
    page.get_by_role("button", name="Play").click()  # again, from the first word
    frame(page)
    assert sentence(text_of(page)).startswith("hungry asks, word 2")
    assert page.get_by_role("button", name="Pause").is_visible()
    page.get_by_role("button", name="back").click()
    assert page.get_by_role("button", name="Play").is_visible()
