"""The cache that grows, in headless Chromium: hand, keys and play, what it says, how it lies."""

import statistics

import pytest
import test_live
from accessible import violations
from test_live import (
    CONTRAST,
    DARK,
    HOST,
    KEPT,
    LABELS,
    LIGHT,
    MOUNT,
    median_time,
    sentence,
    text_of,
)

from conftest import SHOTS, frame, hold, still
from d2lattn.pictures import live

CASES = {
    "cache": test_live.FIGURES["cache"],
    "crowded": live.cache((2 * KEPT)[:16], step=16, kind="window", num_heads=64, head_dim=128,
                          num_kv_heads=8, latent_dim=512, rope_dim=64, num_layers=80),
}  # fmt: skip
LETTERS = (
    f"Math.min(...[...document.querySelector('{HOST}').shadowRoot.querySelectorAll('.live *')]"
    ".filter(node => [...node.childNodes].some(one => one.nodeType === 3 && one.data.trim())"
    " && node.localName !== 'style' && node.checkVisibility())"
    ".map(node => parseFloat(getComputedStyle(node).fontSize)"
    " * (node.ownerSVGElement?.getScreenCTM().a ?? 1)))"
)


def show(page, folder, monkeypatch, name="cache", **options):
    monkeypatch.setitem(test_live.FIGURES, name, CASES[name])
    test_live.show(page, folder, name, **options)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1240, 884, 358])
@pytest.mark.parametrize("name", CASES)
def test_it_fits_a_slide_a_page_and_a_phone(page, tmp_path, monkeypatch, name, width, colours):
    page.set_viewport_size({"width": width + 32, "height": 720})
    show(page, tmp_path, monkeypatch, name, width=width, colours=colours)
    still(page)  # the bars are there
    found, letters = page.evaluate(LABELS), page.evaluate(LETTERS)
    print(f"\n{name} at {width}: {found['height']:.0f} px high, letters {letters:.1f} px at least")
    assert found["wrong"] == [] and letters >= (14 if width > 400 else 12)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert width < 400 or found["height"] <= (600 if width > 1000 else 650)
    ground = f"rgb({', '.join(str(int(colours[0][i : i + 2], 16)) for i in (1, 3, 5))})"
    worst, text = page.evaluate(CONTRAST, ground)
    assert worst >= 4.5, text
    SHOTS.mkdir(parents=True, exist_ok=True)
    shade = "dark" if colours is DARK else "light"
    page.screenshot(path=str(SHOTS / f"live-{name}-{width}-{shade}.png"), full_page=True)


def test_a_click_chooses_a_kind_and_a_word(page, tmp_path, monkeypatch):
    show(page, tmp_path, monkeypatch)
    page.get_by_label("state, 16 × 16: 8,192 bytes").click()
    assert "All 7 words are added into it" in sentence(text_of(page))
    page.get_by_label("cat: ", exact=False).click()
    assert sentence(text_of(page)).startswith("cat asks, word 3. Kept: 8,192 bytes")
    page.get_by_label("full, 8 heads: 3,072 bytes, 3 × 1,024", exact=False).click()
    assert "Kept: 3 of 3 words × 1,024 = 3,072 bytes" in sentence(text_of(page))
    page.get_by_role("button", name="Reset").click()
    assert sentence(text_of(page)).startswith("and asks, word 7. Kept: 5 of 7 words")


def test_bars_are_as_long_as_the_bytes(page, tmp_path, monkeypatch):
    show(page, tmp_path, monkeypatch)
    still(page)
    bars = page.evaluate(
        f"[...document.querySelector('{HOST}').shadowRoot.querySelectorAll('.kinds i')]"
        ".map(bar => bar.getBoundingClientRect().width)"
    )
    counts = [7168, 1792, 1120, 4096, 5120, 8192]
    unit = bars[0] / counts[0]
    assert bars == pytest.approx([unit * count for count in counts], abs=1)


def test_all_of_it_by_keyboard(page, tmp_path, monkeypatch):
    show(page, tmp_path, monkeypatch)
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


def test_words_come_by_themselves_and_a_hand_stops_them(page, tmp_path, monkeypatch):
    show(page, tmp_path, monkeypatch)
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


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_axe_finds_nothing(page, tmp_path, monkeypatch, colours):
    show(page, tmp_path, monkeypatch, colours=colours)
    for kind in ("state", "window of 4:"):
        page.get_by_label(kind, exact=False).last.click()
        frame(page)
        assert violations(page) == []


@pytest.mark.speed
def test_mounting_takes_at_most_60_ms_and_a_picture_50(page, tmp_path, monkeypatch):
    show(page, tmp_path, monkeypatch, "crowded")
    mount = statistics.median(page.evaluate(MOUNT))
    page.locator("[aria-label^='the words'] [tabindex='0']").focus()
    keys = ["ArrowLeft"] * 8 + ["ArrowRight"] * 8
    key = median_time(page, "keydown", lambda i: page.keyboard.press(keys[i % 16]))
    print(f"\ncache: mount {mount:.1f} ms, key to picture {key:.1f} ms")
    assert mount <= 60 and key <= 50


def test_on_paper_and_without_code(browser, page, tmp_path, monkeypatch):
    show(page, tmp_path, monkeypatch)
    page.emulate_media(media="print")
    assert page.locator("svg").first.is_visible()
    assert page.get_by_role("button", name="Reset").is_hidden()
    context = browser.new_context(java_script_enabled=False)
    still = context.new_page()
    still.goto(f"file://{tmp_path}/page.html")
    assert still.locator("table").is_visible()
    context.close()
