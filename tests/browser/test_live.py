"""Live figures in headless Chromium. What is tried with each stands in live_table.py.

Runs with `make test-browser`. Screenshots go to build/screenshots.
"""

import math
import re

import nbformat
import pytest
import stills
import torch
from accessible import violations
from cells import chapters, pictures, published
from live_kinds import KINDS, SENTENCE, X, weights
from live_table import CASES, CROWDED, FIGURES, HOST, ROWS, SHORT, SHOWN, WAYS, Row, having, trusted
from nbconvert import HTMLExporter
from playwright.sync_api import expect

from conftest import SHOTS, frame, hold, new_page, still
from d2lattn_book.pictures import live

LIGHT, DARK = ("#ffffff", "#1f1f1f"), ("#111111", "#ececec")  # page, text


def coloured(ground, text):
    scheme = "dark" if ground < "#8" else "light"
    colours = f"background:{ground};color:{text};color-scheme:{scheme}"
    return f"{colours};margin:16px;font-family:sans-serif"


def show(page, folder, *shown, head="", width=900):
    """Open a page from disk, of figures or of what is named in the table."""
    figures = [CASES[one]() if isinstance(one, str) else one for one in shown]
    outputs = "".join(f'<div class="output" tabindex="0">{one.html}</div>' for one in figures)
    write(
        page,
        folder,
        f"<html lang=en><title>figures</title>{head}<body style='{coloured(*LIGHT)}'>"
        f"<main style='max-width:{width}px'><h1>Figures</h1>{outputs}</main></body></html>",
    )
    page.wait_for_function(f"document.querySelectorAll('{HOST}').length > 0")
    frame(page)


def write(page, folder, html):
    path = folder / "page.html"
    path.write_text(f"<!doctype html><meta charset=utf-8>{html}", encoding="utf-8")
    page.goto(f"file://{path}")


def resize(page, width, height=720):
    """Make a page as wide that its figure has `width` pixels; it is drawn anew."""
    page.set_viewport_size({"width": width + 32, "height": height})
    page.evaluate(
        "width => { document.querySelector('main').style.maxWidth = width }", f"{width}px"
    )
    for _ in range(3):  # it is told of its width in one frame, and drawn in the next
        frame(page)
    still(page)  # bars and blocks are there


def recolour(page, ground, text):
    page.evaluate("style => { document.body.style = style }", coloured(ground, text))
    frame(page)


def sentence(page):
    """What a figure says."""
    return words_of(page)[0]


def words_of(page, index=0):
    """What a figure says and what its cells are called: it does not glide."""
    frame(page)
    return page.evaluate("index => probe.words(index)", index)


# A telephone, the website's page, a wide page, JupyterLab's, and a slide, which is 1280 × 720, and
# there is a heading too.
WIDTHS = (358, 688, 884, 1068, 1240)
AXED = {*FIGURES, "stories"} - {"large"}


@pytest.mark.parametrize("name", CASES)
def test_it_fits_wherever_it_stands(page, tmp_path, name):
    """As the figure opens, and at the end of its way; in light and in dark."""
    show(page, tmp_path, name)
    assert page.locator(".live-fallback").is_hidden()
    assert page.locator("[role=gridcell]").count() > 3
    assert page.evaluate("probe.unlabelled()") == []
    slider = page.locator("input[type=range]").locator("visible=true")
    for at_end in (False, True):
        if at_end and slider.count():
            slider.first.press("End")
        for width in WIDTHS if slider.count() or not at_end else ():
            resize(page, width)
            check_room(page, name, width, at_end)
    if name in AXED:
        check_axe(page, name)


def check_room(page, name, width, at_end):
    room, host = ROWS.get(name, Row()).room, page.locator(HOST)
    height, letters = host.bounding_box()["height"], page.evaluate("probe.letters()")
    assert page.evaluate("probe.cut()") == []
    assert page.evaluate("probe.hyphens()") == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate("probe.scrolled()") <= 0
    if at_end:
        return
    print(f"\n{name} at {width}: {height:.0f} px high, letters of {letters:.1f} px at least")
    assert page.evaluate("probe.badLabels()") == []
    assert letters >= (room.letters if width > 800 else room.narrow)
    assert height <= {1240: room.slide, 884: room.page, 688: room.site}.get(width, math.inf)
    if name in KINDS:  # a finger finds the buttons; on a slide every pixel of height counts
        lowest = page.evaluate("probe.lowest()")
        assert lowest >= 36 if width == 358 else lowest >= 18
        assert lowest < 36 or width != 1240
    for shade, (ground, text) in {"dark": DARK, "light": LIGHT}.items():
        recolour(page, ground, text)
        rgb = f"rgb({', '.join(str(int(ground[i : i + 2], 16)) for i in (1, 3, 5))})"
        worst, faint = page.evaluate("ground => probe.contrast(ground)", rgb)
        assert worst >= 4.5, (shade, faint)
        path = SHOTS / f"live-{name.replace(' ', '-')}-{width}-{shade}.png"
        page.screenshot(path=str(path), full_page=True)


def check_axe(page, name):
    for colours in (DARK, LIGHT):
        recolour(page, *colours)
        assert violations(page) == []
    where, keys = ROWS.get(name, Row()).turns or ("", "")
    for key in keys.split():
        page.locator(where).press(key)
        frame(page)
        assert violations(page) == []


@pytest.mark.parametrize("name", CROWDED)
def test_crowded_figures_cut_no_label(page, tmp_path, name):
    show(page, tmp_path, CROWDED[name](), width=1240)
    resize(page, 1240)
    assert page.evaluate("probe.badLabels()") == []
    slider = page.locator("input[type=range]").locator("visible=true")
    if slider.count():
        slider.first.press("End")
        still(page)
    assert page.evaluate("probe.hyphens()") == []


def use(page, act):
    """Press keys, or use what a selector finds, as WAYS says."""
    if isinstance(act, str):
        if act.startswith("'"):
            return page.keyboard.type(act[1:])
        for key in act.split():
            page.keyboard.press(key)
        return None
    verb, where, *given = act
    if verb == "narrow":
        return resize(page, where)
    label = where.removeprefix("label=")
    found = page.locator(where) if label == where else page.get_by_label(re.compile(f"^{label}"))
    if verb == "drag":
        return drag(page, found, *given)
    return getattr(found.first, verb)(*given)


def drag(page, node, right, down):
    box = node.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + right, y + down, steps=2)
    page.mouse.up()


def begins(said, told):
    """Whether a sentence has what the table tells of it."""
    return said.startswith(told[1:]) if told.startswith("^") else told in said


def walk(page, steps):
    """Go through a figure as the table says."""
    for act, wanted, *_ in steps:
        before = sentence(page)
        use(page, act)
        if wanted is None:
            assert page.evaluate("document.activeElement === document.body")
        elif isinstance(wanted, (list, tuple)):
            expect(page.locator(wanted[0])).to_have_count(wanted[1])
        else:
            page.wait_for_timeout(1)
            said = sentence(page)
            assert said == before if wanted == "=" else begins(said, wanted), (
                f"after {act} it says {said!r} and not {wanted!r}; a new control is one more "
                "step of WAYS, in tests/browser/ways.json"
            )


@pytest.mark.parametrize("way", WAYS)
def test_what_is_done_is_answered(page, tmp_path, way):
    show(page, tmp_path, way.partition(":")[0])
    walk(page, WAYS[way])


def test_without_code_the_table_remains(browser, tmp_path):
    with new_page(browser, java_script_enabled=False) as page:
        write(page, tmp_path, "".join(FIGURES[name]().html for name in KINDS))
        assert page.locator("table").count() == len(KINDS)
        assert all(table.is_visible() for table in page.locator("table").all())
        said = page.locator(".live-fallback .said").all_inner_texts()
        assert [one[0].isupper() and one.endswith(".") for one in said] == [True] * len(KINDS)
        assert said[0].startswith("Attention: 6 tokens of width 3; milk attends most to")
        moves = page.get_by_role("link", name="on the website")
        assert [one.get_attribute("href") for one in moves.all()] == [published()] * len(KINDS)


def test_without_code_a_chapter_shows_a_picture_of_each_figure_within_its_frame(browser, tmp_path):
    """As GitHub, nbviewer and mail show what is stored; on a telephone, too."""
    stored = [nbformat.read(path, as_version=4) for path in chapters()]
    found = [data["text/html"] for notebook in stored for data in stills.outputs(notebook)]
    drawn = next(cell for notebook in stored for cell in notebook.cells if pictures(cell)).outputs
    html = [output.data["text/html"] for output in drawn if "text/html" in output.get("data", {})]
    with new_page(browser, java_script_enabled=False) as page:
        write(page, tmp_path, "".join([*found, *html]))
        for width in (1200, 390):
            page.set_viewport_size({"width": width, "height": 800})
            shown = [picture.bounding_box() for picture in page.locator("img").all()]
            assert len(shown) == len(found) + len(html) > len(html) > 0
            assert all(300 <= box["width"] <= width for box in shown)
            assert all(60 <= box["height"] < 2 * box["width"] for box in shown)
        page.screenshot(path=str(SHOTS / "live-stills.png"))


def test_what_is_on_screen_is_what_torch_computes(page, tmp_path):
    """A smoke test of what node checks thoroughly."""
    show(page, tmp_path, "attention")
    x = torch.tensor(X)
    found = (x @ x.T / math.sqrt(3)).softmax(-1)
    labels = {
        f"weight of query {SENTENCE[i]} on key {SENTENCE[j]}: {weight:.2f}"
        for i, row in enumerate(found.tolist())
        for j, weight in enumerate(row)
    }
    for i, row in enumerate((found @ x).tolist()):
        for c, value in enumerate(row):
            sign = "−" if value < 0 and round(value, 2) else ""
            labels.add(f"output of {SENTENCE[i]}, channel {c + 1}: {sign}{abs(value):.2f}")
    shown = page.evaluate("probe.all('[role=gridcell]').map(cell => cell.ariaLabel)")
    assert labels <= {*shown}


@pytest.mark.parametrize("name", having("key"))
def test_numbers_and_words_do_not_glide_and_a_glide_delays_no_key(page, tmp_path, name):
    """Six keys without a pause, or with one after each: the same is said, one frame later."""
    where, key = ROWS[name].key
    said = []
    for pause in (0, 400):
        show(page, tmp_path, name)
        before = words_of(page)
        page.locator(where).first.focus()
        for _ in range(6):
            page.keyboard.press(key)
            page.wait_for_timeout(pause)
        said.append(words_of(page))
        page.wait_for_timeout(300)
        assert words_of(page) == said[-1] != before
    assert said[0] == said[1]


def test_who_wants_less_motion_sees_the_end_at_once(page, tmp_path):
    page.emulate_media(reduced_motion="reduce")
    show(page, tmp_path, "training")  # drawn on canvases; others glide by CSS
    where, key = ROWS["training"].key
    page.locator(where).first.focus()
    pixels = "probe.all('canvas').map(canvas => canvas.toDataURL())"
    page.keyboard.press(key)
    frame(page)
    picture = page.locator(".picture")
    first = picture.screenshot(), page.evaluate(pixels)
    assert page.evaluate("probe.glides().length") == 0
    page.wait_for_timeout(300)
    assert (picture.screenshot(), page.evaluate(pixels)) == first


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
@pytest.mark.parametrize("name", having("glides"))
def test_it_glides_unless_asked_not_to(page, tmp_path, name, motion):
    page.emulate_media(reduced_motion=motion)
    show(page, tmp_path, name)
    act, what, far = ROWS[name].glides
    moves = f"probe.halfway(() => {{ {act} }}, () => {what}.getBoundingClientRect().x)"
    before, middle, end = page.evaluate(moves)
    assert abs(end - before) > far
    between = min(before, end) < middle < max(before, end)
    assert between == (motion == "no-preference")


THOUGHTS = [
    "milk has the query",
    "Every key gets a score.",
    "Softmax: e^score",
    "Each value is multiplied",
    "The output is their sum",
]


def are_thoughts(said):
    return [one[: len(thought)] for one, thought in zip(said, THOUGHTS, strict=True)] == THOUGHTS


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_the_question_is_played_a_thought_at_a_time_by_key(page, tmp_path, motion):
    page.emulate_media(reduced_motion=motion)
    show(page, tmp_path, "attention")
    start = words_of(page)
    page.get_by_role("button", name="Play one query").focus()
    said = []
    last = "Enter" if motion == "reduce" else "ArrowRight"  # it plays: Enter halts it
    for key in ("Enter", "ArrowRight", "ArrowRight", "ArrowRight", last):
        page.keyboard.press(key)
        said.append(sentence(page))
    assert are_thoughts(said)
    page.keyboard.press("ArrowLeft")
    assert sentence(page) == said[3]
    page.keyboard.press("Home")
    assert sentence(page) == said[0]
    assert page.locator("svg text:visible", has_text="output of").count() == 1
    assert page.evaluate("probe.told()") == 0  # not told yet
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    assert words_of(page) == start and page.evaluate("probe.told()") == 3
    assert page.evaluate("probe.active()")["name"].endswith("Play one query")


def test_play_plays_the_question_and_a_hand_halts_it(page, tmp_path):
    """With nothing pressed but the button: each thought comes by itself, and the last one stays."""
    show(page, tmp_path, "attention")
    page.clock.install()  # time is the test's
    page.get_by_role("button", name="Play one query").click()
    said = []
    for _ in range(400):  # of 100 ms
        page.clock.run_for(100)
        now = page.evaluate("probe.words()[0]")
        if not said or now != said[-1]:
            said.append(now)
    assert are_thoughts(said) and page.evaluate("probe.told()") == 3
    page.get_by_role("button", name="Play again").click()
    page.clock.run_for(1000)
    page.get_by_role("button", name="Pause").click()
    page.clock.run_for(30_000)
    assert page.evaluate("probe.words()[0]") == said[0]
    page.get_by_role("button", name="Play on").click()
    page.clock.run_for(300)
    page.get_by_label("temperature").focus()
    page.keyboard.press("Tab")  # a hand on anything else halts it, too
    page.clock.run_for(30_000)
    assert page.evaluate("probe.words()[0]") == said[1]


def test_the_band_of_a_large_value_ends_at_its_box_and_covers_no_number(page, tmp_path):
    """What chapter 1 asks for: the number of *swung* twice as large, and bat takes nearly all."""
    big = [[0, 1.0], [0.5, 2], [0.5, 6], [0, 1], [1.5, 1.5]]
    tokens = ["the", "girl", "swung", "the", "bat"]
    show(page, tmp_path, live.attention(big, tokens=tokens, scale=1.0, query="bat", parts=()))
    for width in (358, 884, 1240):
        resize(page, width, 900)
        covered, above, left, right = page.evaluate("probe.bands()")
        assert covered == [] and above == 0
        assert left >= -1 and right <= 1


@pytest.mark.parametrize("name", having("plays"))
def test_it_plays_to_the_end_and_stops_for_a_hand(page, tmp_path, name):
    end, again = ROWS[name].plays
    show(page, tmp_path, SHORT.get(name, CASES[name])())
    first = sentence(page)
    play = page.get_by_role("button", name="Play", exact=False)
    hold(page)
    play.click()
    assert page.get_by_role("button", name="Pause").is_visible()
    assert (sentence(page) == first) == (name == "training")  # whose first step is held
    page.get_by_role("button", name="Pause").click()
    hold(page, False)
    play.click()
    play.wait_for()  # its name is back: the end
    assert page.locator("[aria-live]").get_attribute("aria-live") == "polite"
    last = sentence(page)
    assert begins(last, end)
    hold(page)
    play.click()  # again, from the beginning
    assert sentence(page) != last and begins(sentence(page), again)
    page.locator("input[type=range]").first.press("End")
    assert page.get_by_role("button", name="Play", exact=False).is_visible()


@pytest.mark.parametrize("count, beat", [(9, 1000), (41, 200)])
def test_a_training_is_seen_step_by_step(page, tmp_path, count, beat):
    """Nine steps stand a second each, the first of them, too; many take eight seconds together."""
    show(page, tmp_path, live.heads(weights(count, 1, 6, 6), tokens=SENTENCE))
    page.clock.install(time=0)  # time is the test's,
    page.clock.pause_at(1)  # and stands still between
    page.get_by_role("button", name="Play", exact=False).click()
    said = []
    for _ in range(count + 2):
        page.clock.run_for(beat / 2)
        said.append(page.evaluate("probe.words()[0]").partition(",")[0])
        page.clock.run_for(beat / 2)
    assert said == [f"At step {min(k, count - 1)}" for k in range(count + 2)]
    assert page.get_by_role("button", name="▶ Play").is_visible()


# What moves each kind of control; the second is for where the first meets an end.
MOVES = {
    "range": ("ArrowRight", "ArrowLeft"),
    "number": ("ArrowUp", "ArrowDown"),
    "select-one": ("ArrowDown", "ArrowUp"),
    "checkbox": ("Space", "Space"),
    "text": ("End", "x"),
    "button": ("Enter", "Enter"),
    "summary": ("Enter", "Enter"),
    "g": ("ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"),
    "div": ("ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp"),
}


@pytest.mark.parametrize("name", [*KINDS, "training"])
def test_keys_alone_reach_and_operate_everything(page, tmp_path, name):
    show(page, tmp_path, name)
    hold(page)
    page.locator(".output").focus()
    stops, seen = page.evaluate("probe.stops()"), []
    while True:
        page.keyboard.press("Tab")
        active = page.evaluate("probe.active()")
        if active is None:
            break
        assert active["name"].strip(), active
        seen.append(active["stop"])
        answered = any(moves(page, key, name) for key in MOVES[active["kind"]])
        # A step beyond an end, or nothing to reset, perhaps.
        assert active["off"] != answered or active["name"] == "Reset", active
        if active["name"].endswith(("Play", "generate")):
            page.keyboard.press("Enter")  # or it would go on by itself
        assert len(seen) < 40
    assert set(stops) <= set(seen)
    assert page.evaluate("document.activeElement === document.body")  # out at the other end


def moves(page, key, name):
    """Whether a key changes anything; what is trained beside the page comes when it can."""
    frame(page)
    before = page.evaluate("probe.state()")
    page.keyboard.press(key)
    for _ in range(40 if name == "train" else 1):
        frame(page)
        if page.evaluate("probe.state()") != before:
            return True
        page.wait_for_timeout(50)
    return False


def test_plain_keys_stay_inside_and_escape_gives_them_back(page, tmp_path):
    show(page, tmp_path, "attention")
    resize(page, 620, 900)  # where the field for a number has a line of its own
    page.evaluate("window.got = []; addEventListener('keydown', event => got.push(event.key))")
    height = page.locator(HOST).bounding_box()["height"]
    page.locator(".edit").first.focus()
    for key in ("b", "o", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    assert page.evaluate("got") == []
    assert page.locator(HOST).bounding_box()["height"] == height  # though its hint is gone
    page.keyboard.press("Control+s")
    assert page.evaluate("got")[-1] == "s"
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.className") == "output"


def test_bars_of_the_cache_are_as_long_as_the_bytes(page, tmp_path):
    show(page, tmp_path, "cache")
    still(page)
    bars = page.evaluate("probe.all('.kinds i').map(bar => probe.box(bar).width)")
    counts = [7168, 1792, 1120, 4096, 5120, 8192]
    assert bars == pytest.approx([bars[0] / counts[0] * count for count in counts], abs=1)


def test_a_sandboxed_frame_of_opaque_origin_with_trusted_types(page, tmp_path):
    """As in Colab: one frame for each output, and nothing from the page around it."""
    trusted = "Content-Security-Policy content=\"require-trusted-types-for 'script'\""
    frames = ""
    for name in KINDS:
        inner = f"<!doctype html><meta charset=utf-8><meta http-equiv={trusted}>"
        inner += FIGURES[name]().html
        outer = inner.replace("&", "&amp;").replace('"', "&quot;")
        frames += f'<iframe sandbox="allow-scripts" width=900 height=800 srcdoc="{outer}"></iframe>'
    write(page, tmp_path, frames)
    for k, name in enumerate(KINDS):
        page.locator("iframe").nth(k).scroll_into_view_if_needed()  # elsewhere it does not draw
        inside = page.frame_locator(f"iframe >> nth={k}")
        cells = inside.locator("[role=gridcell]:visible")
        cells.nth(3).click()
        assert inside.locator("[aria-live]").inner_text(), name
        assert page.frames[k + 1].evaluate("origin") == "null"


def test_the_script_may_run_before_the_element_is_there(page, tmp_path):
    wholes = [FIGURES[name]().html for name in KINDS]
    at = [whole.index("<script") for whole in wholes]
    scripts = "".join(whole[start:] for whole, start in zip(wholes, at, strict=True))
    write(page, tmp_path, f"{scripts}<div class=output></div>")
    frame(page)
    elements = "".join(whole[:start] for whole, start in zip(wholes, at, strict=True))
    page.evaluate("html => document.querySelector('.output').innerHTML = html", elements)
    for name, host in zip(KINDS, page.locator(HOST).all(), strict=True):
        assert host.locator("[role=gridcell]").count() > 5, name
    assert not any(one.is_visible() for one in page.locator(".live-fallback").all())


def test_static_page_of_nbconvert(browser, tmp_path):
    html, _ = HTMLExporter().from_notebook_node(trusted())
    with new_page(browser, 1100) as page:  # nbconvert asks for require.js and MathJax, in vain
        write(page, tmp_path, html)
        page.get_by_label("weight of query found on key cat", exact=False).first.click()
        page.get_by_text("query of found", exact=False).first.wait_for()  # the next frame redraws
        hosts = page.locator(HOST)
        assert hosts.count() == len(SHOWN)
        assert all(host.locator("[role=gridcell]").count() > 5 for host in hosts.all())
        assert not any("live" in url for url in page.outside)


def finger(page, x, y, right, down):
    """Put a finger down at (x, y), move it in ten steps, and lift it."""
    touch = page.context.new_cdp_session(page)

    def send(kind, *points):
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": list(points)})
        frame(page)

    send("touchStart", {"x": x, "y": y})
    for i in range(1, 11):
        send("touchMove", {"x": x + i * right / 10, "y": y + i * down / 10})
    send("touchEnd")


@pytest.mark.parametrize("name", having("finger"))
def test_a_finger_drags_and_the_page_stays(page, tmp_path, name):
    """On a page that could scroll; what is dragged follows the finger to its end."""
    page.set_viewport_size({"width": 1000, "height": 420})
    show(page, tmp_path, "field", name, "field")
    where, way, label = ROWS[name].finger
    host = page.locator(HOST).nth(1)
    node = host.locator(where).first
    node.evaluate("node => node.scrollIntoView({block: 'center'})")
    before, top = words_of(page, 1), page.evaluate("scrollY")
    box = node.bounding_box()
    x, y = box["x"] + min(box["width"] / 2, 40), box["y"] + min(box["height"] / 2, 40)
    value = (node.get_attribute("aria-label") or "").split(": ")[-1].replace("−", "-")
    finger(page, x, y, *way)
    assert page.evaluate("scrollY") == top > 0
    assert words_of(page, 1) != before
    if "{" in label:
        scale = page.evaluate("probe.root(1).querySelector('svg').getScreenCTM().d")
        label = label.format(float(value) - 0.1 * round(way[1] / scale / 6))
    assert label in (node.get_attribute("aria-label") or "").replace("−", "-")


def test_printing(page, tmp_path):
    show(page, tmp_path, *KINDS)
    pdf = page.pdf(path=str(SHOTS / "live.pdf"), format="A4", print_background=True)
    assert pdf.startswith(b"%PDF") and len(pdf) > 20_000
    page.emulate_media(media="print")
    for host in page.locator(HOST).all():
        kept = host.evaluate("host => getComputedStyle(host).breakInside")
        assert kept == "avoid"  # a page does not end between a sentence and its drawing
        assert host.locator("svg, .maps canvas").first.is_visible()
        assert host.locator("button", has_text="Reset").is_hidden()
