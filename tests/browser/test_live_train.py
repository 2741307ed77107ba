"""The figure that trains, in Chromium: play, look back, compare; beside the page or on it."""

import json
import re

import pytest
from live_table import CASES, HOST, TRAINED
from playwright.sync_api import expect
from test_live import resize, sentence, show, write

from conftest import SHOTS
from d2lattn_book.pictures import live

REPORT = "probe.words()[0]"
PLAYED = ("▶ Play", "one step", "ten steps", "restart")  # what is always in sight


def button(page, name):
    return page.get_by_role("button", name=name, exact=True)


def option(page, name):
    """A menu or box in the fold of all that is not needed to press Play, which opens for it."""
    if page.locator("details:not([open])").count():
        page.locator("summary").click()
    return page.get_by_label(re.compile(f"^{name}"))


def says(page, told):
    page.wait_for_function(f"({REPORT}).includes({json.dumps(told)})")


def step_of(page):
    found = re.search(r"Step (\d+)\.", sentence(page))
    return int(found[1]) if found else 0


def go(page, count):
    """So many times ten steps, each of them seen to be taken."""
    for k in range(count):
        button(page, "ten steps").click()
        says(page, f"Step {10 * (k + 1)}.")


def test_play_pause_steps_and_the_way_back(page, tmp_path):
    """Nothing moves before a hand does; what is played first of all can be paused."""
    show(page, tmp_path, "train")
    before = page.evaluate("probe.state()")
    page.wait_for_timeout(500)
    assert page.evaluate("probe.state()") == before and "Before training" in sentence(page)
    button(page, "▶ Play").click()
    page.wait_for_function(f"/Step [1-9]\\d/.test({REPORT})")
    expect(page.get_by_role("button", name="Pause")).to_be_visible(timeout=5000)
    page.get_by_role("button", name="Pause").click()
    expect(button(page, "▶ Play")).to_be_visible()
    page.wait_for_timeout(300)  # what was under way has arrived
    stands = step_of(page)
    page.wait_for_timeout(300)
    assert step_of(page) == stands > 10
    button(page, "one step").click()
    says(page, f"Step {stands + 1}.")
    page.get_by_label("show step").fill("1")
    says(page, "Step 1.")
    button(page, "restart").click()
    says(page, "Before training")


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


def asked(frame):
    """How many workers there are, and whether a policy has refused one."""
    return frame.evaluate("[window.workers ?? 0, window.refused ?? false]")


def test_beside_the_page_on_it_and_in_a_frame_the_numbers_are_the_same(page, tmp_path):
    """An opaque origin is what outputs have in Colab; a policy may allow no worker there either."""
    told = set()
    for head, found in {
        COUNTED: [1, False],
        REFUSED: [0, False],
        LATE: [0, False],
        POLICY: [0, True],
    }.items():
        show(page, tmp_path, "train", head=head)
        go(page, 2)
        told.add(page.evaluate(REPORT))
        assert asked(page) == found
    for head, found in {COUNTED: [1, False], POLICY: [0, True]}.items():
        source = json.dumps(head + CASES["train"]().html).replace("</", "<\\/")
        write(
            page,
            tmp_path,
            "<iframe sandbox='allow-scripts' width=900 height=800></iframe>"
            f"<script>document.querySelector('iframe').srcdoc = {source}</script>",
        )
        inside = page.frame_locator("iframe")
        for step in (10, 20):
            inside.get_by_role("button", name="ten steps", exact=True).click()
            inside.get_by_text(re.compile(rf"^Step {step}\.")).wait_for()
        told.add(inside.locator("[aria-live]").text_content())
        assert asked(page.frames[1]) == found
    assert len(told) == 1 and told.pop().startswith("Step 20.")


def test_another_setting_starts_anew_and_a_word_that_is_chosen_asks(page, tmp_path):
    show(page, tmp_path, "train")
    go(page, 1)
    option(page, "compare with").select_option("nothing")
    option(page, "task").select_option("predict the previous token")
    says(page, "the letter just before it")
    maps = page.get_by_role("grid", name="maps of model 1").get_by_role("gridcell")
    expect(maps).to_have_count(1)
    option(page, "heads").select_option("4")
    expect(maps).to_have_count(4)
    cell = page.get_by_role("grid", name="tokens of an example").get_by_role("gridcell").nth(3)
    cell.click()
    word = cell.get_attribute("aria-label").partition(":")[0]
    assert f" {word} attends most to " in sentence(page)
    assert step_of(page) == 0


def test_queries_keys_and_values_are_shown_where_a_hand_asks_for_them(page, tmp_path):
    show(page, tmp_path, "train", width=960)
    go(page, 1)
    cells = page.get_by_role("grid", name="queries, keys and values").get_by_role("gridcell")
    curves = page.get_by_text("training loss", exact=True)
    expect(cells).to_have_count(0)
    expect(curves).to_have_count(1)
    box = page.get_by_label("queries, keys, values", exact=True)
    box.check()
    expect(cells).to_have_count(3 * 11)
    expect(curves).to_have_count(0)
    names = [cell.get_attribute("aria-label") for cell in cells.all()[-3:]]
    words = [re.match(r"(query|key|value) of \w: (.+)$", name) for name in names]
    assert [one[1] for one in words] == ["query", "key", "value"]
    assert all(len(one[2].split(", ")) == 8 for one in words)  # a head of two of width 16
    assert "divided by √8, it is the score" in sentence(page)
    bars = cells.last.locator("path").nth(1).get_attribute("d")
    page.get_by_role("grid", name="maps of model 2").get_by_role("gridcell").nth(1).click()
    expect(page.get_by_text("model 2: layer 0, head 1; untick for the loss")).to_be_visible()
    assert cells.last.locator("path").nth(1).get_attribute("d") != bars
    cells.nth(3 * 9).click()
    assert " In model 2, " in sentence(page)
    chosen = page.get_by_role("grid", name="tokens of an example").locator("[tabindex='0']")
    expect(chosen).to_have_attribute("aria-label", re.compile("^0: "))
    option(page, "task").select_option("your own text")
    expect(cells).to_have_count(3 * 32)  # letters
    assert box.is_checked()
    box.uncheck()
    expect(curves).to_have_count(1)


def box_of(one):
    box = one.bounding_box()
    return box["x"], box["y"], box["x"] + box["width"], box["y"] + box["height"]


@pytest.mark.parametrize("name", TRAINED)
def test_it_fits_the_window_of_jupyterlab_and_a_telephone(page, tmp_path, name):
    """At 1280 × 800 679 pixels are seen of a page, 828 wide beside the list of files, or 1,080.

    On a telephone Play stands right above the maps and the curves.
    """
    show(page, tmp_path, live.train(**TRAINED[name]), width=358)
    go(page, 3)
    resize(page, 358, 844)
    maps = page.get_by_role("grid", name="maps of model 1")
    lowest = max(box_of(button(page, one))[3] for one in PLAYED)
    curves = box_of(page.get_by_text("step", exact=True))
    # The way back stands between them, and what heads are called.
    assert lowest < box_of(maps)[1] < lowest + 150 and box_of(maps)[3] < curves[1]
    assert curves[3] - box_of(button(page, "▶ Play"))[1] < 700
    assert curves[1] < box_of(page.locator("[aria-live]"))[1]
    page.screenshot(path=str(SHOTS / "live-train-telephone.png"), full_page=True)
    sides = page.get_by_label("queries, keys, values", exact=True)
    for width in (828, 1080):
        for shown in (False, True):
            sides.set_checked(shown)
            resize(page, width, 800)
            assert page.locator(HOST).bounding_box()["height"] <= 679
            assert page.evaluate("probe.letters()") >= 12
            first = box_of(page.locator("svg .b").first)  # of what stands beside the maps
            title = page.locator("g:has(> [aria-label='maps of model 1']) > .b")
            assert abs(first[1] - box_of(title)[1]) < 3 and first[2] < box_of(maps)[0]
            for one in PLAYED:
                assert box_of(button(page, one))[3] < min(first[1], box_of(maps)[1])
