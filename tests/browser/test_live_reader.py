"""The decoder in the page, in headless Chromium: keys, what it says, heads, cache, times."""

import functools
import statistics

import pytest
import test_live
import torch
from accessible import violations
from test_live import DARK, HOST, LIGHT, MOUNT, median_time, sentence, text_of

from conftest import SHOTS, frame
from d2lattn import Decoder, fit
from d2lattn.language import stories, words
from d2lattn.pictures import live


@functools.cache
def figure():
    """As chapter 9 makes it, with fewer steps."""
    told = stories.stories(2000)
    vocabulary = [".", *words.vocabulary(told)]
    number = {word: k for k, word in enumerate(vocabulary)}
    rows = torch.tensor([[0, *map(number.get, s)] + [0] * (14 - len(s)) for s in told])
    draw = torch.Generator().manual_seed(0)

    def batch(step):
        chosen = rows[torch.randint(len(rows), (32,), generator=draw)]
        return chosen[:, :-1], chosen[:, 1:]

    model = Decoder(len(vocabulary), 32, num_layers=2, num_heads=4, max_len=15)
    fit(model, batch, steps=200, progress=False)
    return live.reader(model, vocabulary, text="the queen went to the palace by", stop=".")


def show(page, folder, monkeypatch, **options):
    monkeypatch.setitem(test_live.FIGURES, "reader", figure())
    test_live.show(page, folder, "reader", **options)


def chances(page):
    """Word and probability of what is listed."""
    root = f"document.querySelector('{HOST}').shadowRoot"
    return page.evaluate(
        f"[...{root}.querySelectorAll('.likely')].map(row => [row.children[0].textContent,"
        "Number(row.children[2].textContent)])"
    )


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1240, 884, 358])
def test_it_fits_a_slide_a_page_and_a_phone(page, tmp_path, monkeypatch, width, colours):
    page.set_viewport_size({"width": width + 32, "height": 720})
    show(page, tmp_path, monkeypatch, width=width, colours=colours)
    height = page.locator(HOST).bounding_box()["height"]
    least = page.evaluate(
        f"Math.min(...[...document.querySelector('{HOST}').shadowRoot.querySelectorAll('.live *')]"
        ".filter(node => node.textContent.trim() && node.checkVisibility())"
        ".map(node => parseFloat(getComputedStyle(node).fontSize)))"
    )
    print(f"\nreader at {width}: {height:.0f} px high, letters of {least} px at least")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert least >= 11 and (width < 400 or height <= 585)
    SHOTS.mkdir(parents=True, exist_ok=True)
    shade = "dark" if colours is DARK else "light"
    page.screenshot(path=str(SHOTS / f"live-reader-{width}-{shade}.png"), full_page=True)


def test_all_of_it_by_keyboard(page, tmp_path, monkeypatch):
    show(page, tmp_path, monkeypatch)
    press = page.keyboard.press
    page.get_by_label("text", exact=True).focus()
    press("Control+a")
    page.keyboard.type("The tiger wore")
    assert sentence(text_of(page)).startswith("Not in its vocabulary: tiger. wore asks. In head 1")
    for _ in range(2):
        press("Backspace")
    page.keyboard.type("re")
    press("Tab")  # write a word
    press("Enter")
    said = sentence(text_of(page))
    assert "computed 1 row of each map and took 3 from the cache. Words read so far: 4." in said
    press("Tab")  # write on
    press("Tab")  # the cache
    press("Space")
    press("Shift+Tab")
    press("Shift+Tab")
    press("Enter")
    said = sentence(text_of(page))
    assert "The last step computed 5 rows of each map. Words read so far: 9." in said
    for _ in range(3):
        press("Tab")  # the temperature
    press("Home")
    text_of(page)
    assert chances(page)[0][1] == 1
    press("End")
    press("Tab")  # top-k
    press("Control+a")
    page.keyboard.type("2")
    text_of(page)
    listed = chances(page)
    assert listed[0][1] + listed[1][1] == pytest.approx(1, abs=0.011)
    press("Tab")  # Reset
    press("Enter")
    assert sentence(text_of(page)).startswith("by asks. In head 1 of layer 1")
    press("Tab")  # the text
    press("ArrowLeft")
    assert sentence(text_of(page)).startswith("palace asks")
    press("Tab")  # the maps
    press("ArrowRight")
    press("ArrowDown")
    assert "In head 2 of layer 2" in sentence(text_of(page))
    before = chances(page)
    press("Tab")  # the head is on
    press("Space")
    said = sentence(text_of(page))
    assert "In head 2 of layer 2, which is off," in said and "with all heads on)" in said
    assert chances(page) != before
    press("Space")
    text_of(page)
    assert chances(page) == before
    press("Tab")
    assert page.evaluate("document.activeElement === document.body")


def test_it_writes_on_to_the_full_stop(page, tmp_path, monkeypatch):
    show(page, tmp_path, monkeypatch)
    page.get_by_label("temperature").fill("0.2")
    page.get_by_role("button", name="write on").click()
    page.get_by_role("button", name="write on").wait_for()  # it has stopped by itself
    said = sentence(text_of(page))
    assert said.endswith("Here the text ends.")
    assert page.get_by_label("text", exact=True).input_value().startswith("the queen went to")


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_axe_finds_nothing(page, tmp_path, monkeypatch, colours):
    show(page, tmp_path, monkeypatch, colours=colours)
    page.get_by_label("is on").click()
    frame(page)
    assert violations(page) == []


@pytest.mark.speed
def test_mounting_takes_at_most_60_ms_and_a_picture_50(page, tmp_path, monkeypatch):
    show(page, tmp_path, monkeypatch)
    mount = statistics.median(page.evaluate(MOUNT))
    page.get_by_label("text", exact=True).fill("the animal did not cross the street because it")
    page.get_by_label("is on").uncheck()  # it reads twice: with all heads, too
    page.locator("[aria-label='the text: who asks?'] [tabindex='0']").focus()
    keys = ["ArrowLeft"] * 4 + ["ArrowRight"] * 4
    asks = median_time(page, "keydown", lambda i: page.keyboard.press(keys[i % 8]))
    page.get_by_label("text", exact=True).focus()
    page.keyboard.press("End")
    typed = ["Backspace", "t"]
    types = median_time(page, "keydown", lambda i: page.keyboard.press(typed[i % 2]))
    print(f"\nreader: mount {mount:.1f} ms, asks to picture {asks:.1f} ms, types {types:.1f} ms")
    assert mount <= 60 and asks <= 50 and types <= 50


def test_on_paper_and_without_code(browser, page, tmp_path, monkeypatch):
    show(page, tmp_path, monkeypatch)
    page.emulate_media(media="print")
    assert page.get_by_role("button", name="Reset").is_hidden()
    context = browser.new_context(java_script_enabled=False)
    still = context.new_page()
    still.goto(f"file://{tmp_path}/page.html")
    assert still.locator("table").is_visible()
    context.close()
