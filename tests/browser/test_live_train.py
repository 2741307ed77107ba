"""The figure that trains, in Chromium: play, look back, compare; beside the page or on it."""

import json
import re

import pytest
from live_table import HOST, ROOT
from playwright.sync_api import expect
from test_live import CASES, LETTERS, sentence, show, text_of
from test_live_lab import TRAINED

from conftest import SHOTS, frame
from d2lattn_book.pictures import live

STEP = r"Step (\d+)\."
REPORT = f"""{ROOT}.querySelector('[aria-live]').textContent"""


PLAYED = ("▶ Play", "one step", "ten steps", "restart")  # what is always in sight


def options(page):
    """Open the fold of all that is not needed to press Play."""
    if page.locator("details:not([open])").count():
        page.locator("summary").click()


def step_of(page):
    frame(page)
    found = re.search(STEP, page.evaluate(REPORT))
    return int(found[1]) if found else 0


def go(page, count):
    """So many single steps, each of them seen to be taken."""
    for k in range(count):
        page.get_by_role("button", name="ten steps", exact=True).click()
        page.wait_for_function(f"({REPORT}).startsWith('Step {10 * (k + 1)}.')")


def test_play_pause_steps_and_the_way_back(page, tmp_path):
    show(page, tmp_path, "train")
    assert "Before training" in sentence(page)
    page.get_by_role("button", name="one step").click()
    page.wait_for_function(f"({REPORT}).startsWith('Step 1.')")
    page.get_by_role("button", name="▶ Play").click()
    page.wait_for_function(f"/Step [1-9]\\d/.test({REPORT})")
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="▶ Play").wait_for()
    frame(page)
    page.wait_for_timeout(300)  # what was under way has arrived
    stands = step_of(page)
    page.wait_for_timeout(300)
    assert step_of(page) == stands > 10
    page.get_by_label("show step").fill("1")
    page.wait_for_function(f"({REPORT}).startsWith('Step 1.')")
    SHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=str(SHOTS / "live-train-back.png"))
    page.get_by_role("button", name="restart").click()
    page.wait_for_function(f"({REPORT}).includes('Before training')")


def test_what_is_played_first_of_all_can_be_paused(page, tmp_path):
    """The worker starts then, and first of all tells of a model that stands still."""
    show(page, tmp_path, "train")
    page.get_by_role("button", name="▶ Play").click()
    page.wait_for_function(f"/Step [1-9]\\d/.test({REPORT})")
    expect(page.get_by_role("button", name="Pause")).to_be_visible(timeout=5000)
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="▶ Play")).to_be_visible()
    page.wait_for_timeout(300)
    stands = step_of(page)
    page.wait_for_timeout(300)
    assert step_of(page) == stands


def test_nothing_moves_before_a_hand_does(page, tmp_path):
    show(page, tmp_path, "train")
    before = text_of(page)
    page.wait_for_timeout(500)
    assert text_of(page) == before


REFUSED = (
    "<script>window.Worker = class { constructor() { throw new Error('refused'); } };</script>"
)
LATE = """<script>window.Worker = class {
  constructor() { setTimeout(() => this.onerror(new Event('error'))); } postMessage() {}
};</script>"""
POLICY = """<meta http-equiv="Content-Security-Policy" content="worker-src 'self'">
<script>document.addEventListener("securitypolicyviolation", () => { window.refused = true; });
</script>"""
COUNTED = """<script>window.Worker = class extends Worker {
  constructor(...given) { super(...given); window.workers = (window.workers ?? 0) + 1; }
};</script>"""


@pytest.mark.parametrize(
    "head", [REFUSED, LATE, POLICY], ids=["refused", "refused by an error", "refused by a policy"]
)
def test_beside_the_page_and_on_it_the_numbers_are_the_same(page, tmp_path, head):
    told = []
    for one in (COUNTED, head):
        show(page, tmp_path, "train", head=one)
        go(page, 3)
        told.append(page.evaluate(REPORT))
        assert page.evaluate("window.workers ?? 0") == (1 if one is COUNTED else 0)
        assert page.evaluate("window.refused ?? false") == (one is POLICY)
    assert told[0] == told[1] and told[0].startswith("Step 30.")


@pytest.mark.parametrize("head, workers", [(COUNTED, 1), (POLICY, 0)], ids=["free", "by a policy"])
def test_in_a_sandboxed_frame_the_numbers_are_the_same(page, tmp_path, head, workers):
    """An opaque origin, as in Colab's outputs; with a policy no worker is allowed there either."""
    show(page, tmp_path, "train", head=COUNTED)
    go(page, 2)
    told = page.evaluate(REPORT)
    inner = head + CASES["train"]().html
    path = tmp_path / "frame.html"
    source = json.dumps(inner).replace("</", "<\\/")
    path.write_text(
        "<!doctype html><iframe sandbox='allow-scripts' width=900 height=800></iframe>"
        f"<script>document.querySelector('iframe').srcdoc = {source}</script>",
        encoding="utf-8",
    )
    page.goto(f"file://{path}")
    inside = page.frame_locator("iframe")
    for step in (10, 20):
        inside.get_by_role("button", name="ten steps", exact=True).click()
        inside.get_by_text(re.compile(rf"^Step {step}\.")).wait_for()
    assert inside.locator("[aria-live]").text_content() == told
    assert page.frames[1].evaluate("window.workers ?? 0") == workers
    assert page.frames[1].evaluate("window.refused ?? false") == (head is POLICY)


def test_another_setting_starts_anew_and_a_word_that_is_chosen_asks(page, tmp_path):
    show(page, tmp_path, "train")
    go(page, 1)
    options(page)
    page.get_by_label(re.compile("^compare with")).select_option("nothing")
    page.get_by_label(re.compile("^task")).select_option("predict the previous token")
    page.wait_for_function(f"({REPORT}).includes('the letter just before it')")
    maps = page.get_by_role("grid", name="maps of model 1").get_by_role("gridcell")
    expect(maps).to_have_count(1)
    page.get_by_label(re.compile("^heads")).select_option("4")
    expect(maps).to_have_count(4)
    cell = page.get_by_role("grid", name="tokens of an example").get_by_role("gridcell").nth(3)
    cell.click()
    word = cell.get_attribute("aria-label").partition(":")[0]
    assert f" {word} attends most to " in sentence(page)
    assert step_of(page) == 0


def test_queries_keys_and_values_are_shown_where_a_hand_asks_for_them(page, tmp_path):
    show(page, tmp_path, "train", width=960)
    go(page, 1)
    sides = page.get_by_role("grid", name="queries, keys and values")
    curves = page.get_by_text("training loss", exact=True)
    expect(sides).to_have_count(0)
    expect(curves).to_have_count(1)
    page.get_by_label("queries, keys, values", exact=True).check()
    cells = sides.get_by_role("gridcell")
    expect(cells).to_have_count(3 * 11)
    expect(curves).to_have_count(0)
    names = [cell.get_attribute("aria-label") for cell in cells.all()[-3:]]
    words = [re.match(r"(query|key|value) of \w: (.+)$", name) for name in names]
    assert [one[1] for one in words] == ["query", "key", "value"]
    assert all(len(one[2].split(", ")) == 8 for one in words)  # a head of two of width 16
    assert "divided by √8, it is the score" in sentence(page)
    bars = cells.last.locator("path").nth(1).get_attribute("d")
    page.get_by_role("grid", name="maps of model 2").get_by_role("gridcell").nth(1).click()
    expect(page.get_by_text("model 2: layer 0, head 1", exact=True)).to_be_visible()
    assert cells.last.locator("path").nth(1).get_attribute("d") != bars
    cells.nth(3 * 9).click()
    frame(page)
    assert " In model 2, " in sentence(page)
    expect(
        page.get_by_role("grid", name="tokens of an example").locator("[tabindex='0']")
    ).to_have_attribute("aria-label", re.compile("^0: "))
    SHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=str(SHOTS / "live-train-sides.png"))
    options(page)
    page.get_by_label(re.compile("^task")).select_option("your own text")
    expect(cells).to_have_count(3 * 32)  # letters
    assert page.get_by_label("queries, keys, values", exact=True).is_checked()
    page.get_by_label("queries, keys, values", exact=True).uncheck()
    expect(curves).to_have_count(1)


def box_of(page, one):
    box = one.bounding_box()
    return box["x"], box["y"], box["x"] + box["width"], box["y"] + box["height"]


@pytest.fixture(params=TRAINED)
def trained(request, monkeypatch):
    monkeypatch.setitem(CASES, "train", lambda: live.train(**TRAINED[request.param]))


@pytest.mark.parametrize("width", [828, 1080])
def test_it_fits_the_window_of_jupyterlab(page, tmp_path, trained, width):
    """At 1280 × 800 679 pixels are seen of a page, 828 wide beside the list of files, or 1,080."""
    page.set_viewport_size({"width": width + 32, "height": 800})
    show(page, tmp_path, "train", width=width)
    go(page, 3)
    for shown in ("curves", "queries, keys, values"):
        if shown != "curves":
            page.get_by_label(shown, exact=True).check()
        frame(page)
        host = page.locator(HOST)
        assert host.bounding_box()["height"] <= 679 and host.evaluate(LETTERS) >= 12
        first = page.locator("svg .b").first  # of what stands beside the maps
        maps = page.get_by_role("grid", name="maps of model 1")
        title = page.locator("g:has(> [aria-label='maps of model 1']) > .b")
        assert abs(box_of(page, first)[1] - box_of(page, title)[1]) < 3
        assert box_of(page, first)[2] < box_of(page, maps)[0]
        for name in PLAYED:
            press = page.get_by_role("button", name=name, exact=True)
            assert box_of(page, press)[3] < min(box_of(page, first)[1], box_of(page, maps)[1])
        page.screenshot(path=str(SHOTS / f"live-train-window-{width}-{shown[:6]}.png"))


def test_on_a_telephone_play_stands_right_above_maps_and_curves(page, tmp_path, trained):
    page.set_viewport_size({"width": 390, "height": 844})
    show(page, tmp_path, "train", width=358)
    go(page, 3)
    lowest = max(
        box_of(page, page.get_by_role("button", name=name, exact=True))[3] for name in PLAYED
    )
    top = box_of(page, page.get_by_role("button", name="▶ Play"))[1]
    maps = box_of(page, page.get_by_role("grid", name="maps of model 1"))
    curves = box_of(page, page.get_by_text("step", exact=True))
    said = box_of(page, page.locator("[aria-live]"))
    assert lowest < maps[1] < lowest + 150  # the way back between them, and what heads are called
    assert maps[3] < curves[1] < said[1] and curves[3] - top < 700
    page.screenshot(path=str(SHOTS / "live-train-telephone.png"), full_page=True)


@pytest.mark.parametrize("width", [1080, 358])
def test_the_options_are_in_a_fold_that_says_how_they_stand(page, tmp_path, width):
    """Closed at first; it opens by key, and what it says follows."""
    page.set_viewport_size({"width": width + 32, "height": 844})
    show(page, tmp_path, "train", width=width)
    summary, made = page.locator("summary"), page.locator("summary span")
    inside = page.locator("details :is(input, select, button)")
    expect(summary).to_contain_text(
        "Options: associative recall, letter → number; model 2: 1 layer"
    )
    assert made.is_visible() == (width > 800)
    if width > 800:
        expect(made).to_have_text("2 layers, 2 heads, width 16, positions added, mask on")
    assert inside.count() > 12 and not any(one.is_visible() for one in inside.all())
    page.locator(".output").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.get_by_label(re.compile("^compare with")).select_option("mask: off")
    page.get_by_label("MLP", exact=True).check()
    page.get_by_label("learning rate", exact=True).fill("0.5")
    expect(summary).to_contain_text("number; model 2: mask off")
    expect(made).to_contain_text("mask on, MLP on, learning rate 0.5")
    page.locator("summary").focus()
    page.keyboard.press("Space")
    assert not any(one.is_visible() for one in inside.all())
    go(page, 1)


def test_the_address_of_its_own_page_holds_the_settings(page, tmp_path):
    path = tmp_path / "own.html"
    live.train(task="sentences", address=True).save(path)
    page.goto(f"file://{path}#task=copy&layers=1&compare=layers:2")
    options(page)
    frame(page)
    assert (
        page.get_by_label(re.compile("^task")).input_value()
        == "associative recall, letter → number"
    )
    assert page.get_by_label(re.compile("^layers")).input_value() == "1"
    assert page.get_by_label(re.compile("^compare with")).input_value() == "layers: 2"
    page.get_by_label(re.compile("^MLP")).check()
    page.wait_for_function("location.hash === '#task=copy&layers=1&mlp=true&compare=layers:2'")
    page.evaluate("location.hash = '#task=back&compare=positions:none'")  # a link of the page
    expect(page.locator("summary")).to_contain_text(
        "predict the previous token; model 2: positions none"
    )
