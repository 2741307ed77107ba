"""The ring in headless Chromium: hand, keys and play, what is read off the picture, how it lies."""

import re
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
    SCROLLED,
    median_time,
    sentence,
    text_of,
)
from test_live_cache import LETTERS

from conftest import SHOTS, frame, halfway, hold, still
from d2lattn.pictures import live

CASES = {
    "ring": live.ring(),
    "ring of three": live.ring(3, block_size=5, split="striped", step=2),
    "full ring": live.ring(4, block_size=6, step=3),
    "ring of two": live.ring(2, block_size=12, causal=False, step=1),
}


def show(page, folder, monkeypatch, name="ring", **options):
    monkeypatch.setitem(test_live.FIGURES, name, CASES[name])
    test_live.show(page, folder, name, **options)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1240, 884, 358])
@pytest.mark.parametrize("name", CASES)
def test_it_fits_a_slide_a_page_and_a_phone(page, tmp_path, monkeypatch, name, width, colours):
    page.set_viewport_size({"width": width + 32, "height": 720})
    show(page, tmp_path, monkeypatch, name, width=width, colours=colours)
    still(page)  # the blocks are there
    found, letters = page.evaluate(LABELS), page.evaluate(LETTERS)
    print(f"\n{name} at {width}: {found['height']:.0f} px high, letters {letters:.1f} px at least")
    assert found["wrong"] == [] and letters >= (14 if width > 400 else 12)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate(SCROLLED) <= 0
    assert width < 400 or found["height"] <= 600
    ground = f"rgb({', '.join(str(int(colours[0][i : i + 2], 16)) for i in (1, 3, 5))})"
    worst, text = page.evaluate(CONTRAST, ground)
    assert worst >= 4.5, text
    SHOTS.mkdir(parents=True, exist_ok=True)
    shade = "dark" if colours is DARK else "light"
    stem = name.replace(" ", "-")
    page.screenshot(path=str(SHOTS / f"live-{stem}-{width}-{shade}.png"), full_page=True)


# What is written in the drawing and seen, without the sentence: each text with its place.
WRITTEN = f"""() => [...document.querySelector('{HOST}').shadowRoot.querySelectorAll('svg text')]
  .filter(text => text.textContent && getComputedStyle(text).visibility !== 'hidden')
  .map(text => {{
    const box = text.getBoundingClientRect();
    return [text.textContent, box.x + box.width / 2, box.y + box.height / 2];
  }})"""


def picture(page):
    """Read off the drawing: what each rank has, holds and does, its row of time, and the end."""
    still(page)
    written = page.evaluate(WRITTEN)
    lane = next(y for text, _, y in written if text == "time, in scores")
    frames = page.evaluate(
        f"[...document.querySelector('{HOST}').shadowRoot.querySelectorAll('svg > g')[0].children]"
        ".filter(node => node.localName === 'rect' && node.height.baseVal.value > 100)"
        ".map(node => node.getBoundingClientRect())"
        ".map(box => [box.x, box.right, box.y, box.bottom])"
    )
    ranks = {}
    for left, right, top, bottom in frames:
        texts = [text for text, x, y in written if left < x < right and top < y < bottom]
        name = next(text for text in texts if re.fullmatch(r"rank \d", text))
        places = [text for text in texts if re.fullmatch(r"[\d ]+", text)]
        block = next(text for text in texts if text.startswith("keys"))
        does = next(text for text in texts if re.fullmatch(r"waits|\d+ scores?", text))
        ranks[name] = dict(asks=places[0], holds=block, keys=places[1], does=does)
    right = max(box[1] for box in frames)
    times = [(text, x, y) for text, x, y in written if y > lane and x < right + 9]
    waits = [int(text.split()[1]) for text, _, _ in times if re.fullmatch(r"waits \d+ %", text)]
    ends = [int(text) for text, _, _ in times if text.isdecimal()]
    return ranks, waits, ends


def test_striping_can_be_read_off_the_picture(page, tmp_path, monkeypatch):
    """Who has which words, what comes by, who waits, and that stripes end sooner."""
    show(page, tmp_path, monkeypatch, width=884)
    told = {}
    for striped in (False, True):
        page.get_by_role("checkbox", name="striped").set_checked(striped)
        page.get_by_label("round", exact=True).fill("0")
        for s in range(4):
            page.get_by_label("round", exact=True).fill(str(s))
            told[striped, s] = picture(page)
            page.screenshot(path=str(SHOTS / f"live-ring-{'striped' * striped}-{s}.png"))
    for (striped, s), (ranks, _, _) in told.items():
        for r in range(4):
            one, block = ranks[f"rank {r}"], (r - s) % 4
            words = [range(4 * k, 4 * k + 4) if not striped else range(k, 16, 4) for k in range(4)]
            assert one["asks"] == " ".join(map(str, words[r]))
            assert one["holds"] == f"keys of rank {block}"
            assert one["keys"] == " ".join(map(str, words[block]))
            seen = sum(j <= i for i in words[r] for j in words[block])
            assert one["does"] == (f"{seen} scores" if seen else "waits")
    assert told[False, 3][1:] == ([83, 55, 28, 0], [10, 26, 42, 58])
    assert told[True, 3][1:] == ([30, 20, 10, 0], [10, 20, 30, 40])
    idle = [one["does"] for ranks, _, _ in told.values() for one in ranks.values()]
    assert idle[:16].count("waits") == 6 and idle[16:].count("waits") == 0


def test_a_click_on_a_block_goes_to_its_round(page, tmp_path, monkeypatch):
    show(page, tmp_path, monkeypatch)
    page.get_by_label("rank 0, keys of rank 2: round 2").click()
    assert sentence(text_of(page)).startswith("Round 2: each block has gone on")
    page.get_by_role("checkbox", name="striped").click()
    assert "Ranks 0 and 1 compute 6 scores each, and wait." in sentence(text_of(page))
    page.get_by_role("checkbox", name="causal").click()
    assert "0 % of it waiting" in sentence(text_of(page))
    page.get_by_role("button", name="Reset").click()
    assert sentence(text_of(page)).startswith("Round 0: each rank has its own block")


def test_all_of_it_by_keyboard(page, tmp_path, monkeypatch):
    show(page, tmp_path, monkeypatch)
    press = page.keyboard.press
    page.get_by_role("button", name="Play").focus()
    press("Tab")  # forward, for there is no way back
    press("Enter")
    assert sentence(text_of(page)).startswith("Round 1")
    press("Tab")  # the round
    press("End")
    assert "All rounds, merged: 136 scores in a time of 58" in sentence(text_of(page))
    press("Tab")  # striped
    press("Space")
    assert "All rounds, merged: 136 scores in a time of 40" in sentence(text_of(page))
    press("Tab")  # causal
    press("Space")
    assert "Where every word sees all, nobody waits." in sentence(text_of(page))
    press("Tab")  # Reset
    press("Enter")
    before = sentence(text_of(page))
    press("Tab")  # the table: to pass by changes nothing
    assert sentence(text_of(page)) == before
    press("ArrowRight")  # rank 0, the keys of rank 1
    assert sentence(text_of(page)).startswith("Round 3")
    press("ArrowDown")
    assert sentence(text_of(page)).startswith("Round 0")
    press("Tab")
    assert page.evaluate("document.activeElement === document.body")


def test_rounds_are_played_and_a_hand_stops_them(page, tmp_path, monkeypatch):
    show(page, tmp_path, monkeypatch)
    page.get_by_label("round", exact=True).fill("2")
    page.get_by_role("button", name="Play").click()
    page.get_by_role("button", name="Play").wait_for()  # the last round is over
    assert sentence(text_of(page)).startswith("Round 3")
    hold(page)
    page.get_by_role("button", name="Play").click()  # again, from the first
    frame(page)
    assert sentence(text_of(page)).startswith("Round 1")
    assert page.get_by_role("button", name="Pause").is_visible()
    page.get_by_role("checkbox", name="striped").click()
    assert page.get_by_role("button", name="Play").is_visible()


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_a_block_glides_to_the_next_rank_unless_asked_not_to(page, tmp_path, monkeypatch, motion):
    page.emulate_media(reduced_motion=motion)
    show(page, tmp_path, monkeypatch)
    root = f"document.querySelector('{HOST}').shadowRoot"
    block = f"[...{root}.querySelectorAll('text')].find(t => t.textContent === 'keys of rank 0')"
    forward = f"{root}.querySelectorAll('button')[2].click()"
    before, middle, end = halfway(page, forward, f"{block}.getBoundingClientRect().x")
    assert end - before > 100
    assert (before < middle < end) == (motion == "no-preference")


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_axe_finds_nothing(page, tmp_path, monkeypatch, colours):
    show(page, tmp_path, monkeypatch, colours=colours)
    for key in ("ArrowRight", "ArrowRight"):
        page.get_by_label("round", exact=True).press(key)
        frame(page)
        assert violations(page) == []


@pytest.mark.speed
def test_mounting_takes_at_most_60_ms_and_a_picture_50(page, tmp_path, monkeypatch):
    show(page, tmp_path, monkeypatch, "full ring")
    mount = statistics.median(page.evaluate(MOUNT))
    page.locator("[aria-label='queries × keys'] [tabindex='0']").focus()
    keys = ["ArrowLeft"] * 3 + ["ArrowRight"] * 3
    key = median_time(page, "keydown", lambda i: page.keyboard.press(keys[i % 6]))
    print(f"\nring: mount {mount:.1f} ms, key to picture {key:.1f} ms")
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
