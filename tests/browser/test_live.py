"""Live figures in headless Chromium.

What is tried with each stands in live_table.py, a row for a figure.

Runs with `make test-browser`. Screenshots go to build/screenshots.
"""

import math

import nbformat
import pytest
import stills
import torch
from accessible import violations
from cells import chapters, pictures, published
from live_kinds import KINDS, SENTENCE, X, weights
from live_table import CASES, CROWDED, FIGURES, HOST, RESET, ROOT, ROWS, SHORT, Row, having
from nbconvert import HTMLExporter

from conftest import PATIENCE, SHOTS, frame, halfway, hold, still, watch
from d2lattn_book.pictures import live

QUEEN = "the queen went to the palace by"
LIGHT, DARK = ("#ffffff", "#1f1f1f"), ("#111111", "#ececec")  # page, text


def coloured(ground, text):
    scheme = "dark" if ground < "#8" else "light"
    colours = f"background:{ground};color:{text};color-scheme:{scheme}"
    return f"{colours};margin:16px;font-family:sans-serif"


def show(page, folder, *names, colours=LIGHT, head="", width=900):
    """Open a page of figures from disk."""
    outputs = "".join(
        f'<div class="output" tabindex="0">{CASES[name]().html}</div>' for name in names
    )
    path = folder / "page.html"
    path.write_text(
        f"<!doctype html><html lang=en><meta charset=utf-8><title>figures</title>{head}"
        f'<body style="{coloured(*colours)}">'
        f'<main style="max-width:{width}px">'
        f"<h1>Figures</h1>{outputs}</main></body></html>",
        encoding="utf-8",
    )
    page.goto(f"file://{path}")
    page.wait_for_function("document.querySelectorAll('.output > :not(div, script)').length > 0")
    frame(page)


SHADOWS = f"[...document.querySelectorAll('{HOST}')].map(host => host.shadowRoot.innerHTML)"


def text_of(page, index=0):
    """All that a figure says, draws and announces, as markup."""
    frame(page)
    return page.evaluate(SHADOWS)[index]


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("name", FIGURES)
def test_it_draws_and_the_table_steps_back(page, tmp_path, name, colours):
    show(page, tmp_path, name, colours=colours)
    assert page.locator(".live-fallback").is_hidden()
    assert page.locator("[role=gridcell]").count() > 5
    SHOTS.mkdir(parents=True, exist_ok=True)
    shade = "dark" if colours is DARK else "light"
    page.screenshot(path=str(SHOTS / f"live-{name}-{shade}.png"), full_page=True)


# Labels that lie on one another, leave their box or leave the drawing. (The boxes of slanted ones
# may overlap.)
LABELS = f"""() => {{
  const svg = {ROOT}.querySelector('svg'), wrong = [];
  const drawing = svg?.getBoundingClientRect();
  const within = (a, b) => a.left > b.left - 1 && a.right < b.right + 1 && a.top > b.top - 3
    && a.bottom < b.bottom + 3;
  const seen = [...svg?.querySelectorAll('text') ?? []].filter(text => text.textContent.trim()
    && getComputedStyle(text).visibility !== 'hidden' && text.getBoundingClientRect().width);
  const at = seen.map(text => text.getBoundingClientRect());
  const slanted = seen.map(text => text.hasAttribute('transform'));
  seen.forEach((text, i) => {{
    const box = text.closest('[role=gridcell]')?.querySelector('.box')?.getBoundingClientRect();
    if (!within(at[i], drawing)) wrong.push(`${{text.textContent}} is cut`);
    if (box && !within(at[i], box)) wrong.push(`${{text.textContent}} leaves its box`);
    for (let j = 0; j < i; j++)
      if (!slanted[i] && !slanted[j]
          && at[i].left < at[j].right - 1 && at[j].left < at[i].right - 1
          && at[i].top < at[j].bottom - 6 && at[j].top < at[i].bottom - 6)
        wrong.push(`${{seen[j].textContent}} lies on ${{text.textContent}}`);
  }});
  return wrong;
}}"""
# The smallest letters of a figure as they are on screen.
LETTERS = """host => Math.min(...[...host.shadowRoot.querySelectorAll('.live *')]
  .filter(node => [...node.childNodes].some(one => one.nodeType === 3 && one.data.trim())
    && node.localName !== 'style' && node.checkVisibility())
  .map(node => parseFloat(getComputedStyle(node).fontSize)
    * (node.ownerSVGElement?.getScreenCTM().a ?? 1)))"""
# How far a drawing has to be pushed to the side to be seen.
SCROLLED = f"""() => {{
  const box = {ROOT}.querySelector('.scroll');
  return box ? box.scrollWidth - box.clientWidth : 0;
}}"""


@pytest.mark.parametrize("width", [1240, 884, 688, 358])
@pytest.mark.parametrize("name", CASES)
def test_it_fits_a_slide_a_page_and_a_phone(page, tmp_path, name, width):
    """A slide is 1280 × 720, and there is a heading too; then a wide page, the site's, a phone.

    And numbers reach a contrast of 4.5 with what is under them, in light and in dark.
    """
    page.set_viewport_size({"width": width + 32, "height": 720})
    show(page, tmp_path, name, width=width)
    still(page)  # bars and blocks are there
    room = ROWS.get(name, Row()).room
    height, letters = (
        page.locator(HOST).bounding_box()["height"],
        page.locator(HOST).evaluate(LETTERS),
    )
    print(f"\n{name} at {width}: {height:.0f} px high, letters of {letters:.1f} px at least")
    assert page.evaluate(LABELS) == []
    assert letters >= (room.letters if width > 800 else room.narrow)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate(SCROLLED) <= 0
    assert height <= {1240: room.slide, 884: room.page, 688: room.site}.get(width, math.inf)
    for shade, (ground, text) in {"light": LIGHT, "dark": DARK}.items():
        page.evaluate("style => { document.body.style = style }", coloured(ground, text))
        frame(page)
        rgb = f"rgb({', '.join(str(int(ground[i : i + 2], 16)) for i in (1, 3, 5))})"
        worst, faint = page.evaluate(CONTRAST, rgb)
        assert worst >= 4.5, (shade, faint)
        path = SHOTS / f"live-{name.replace(' ', '-')}-{width}-{shade}.png"
        page.screenshot(path=str(path), full_page=True)


# Numbers and words that reach out of the figure, or of a part of it that cuts what does, and could
# not be pushed into sight.
CUT = """host => [...host.shadowRoot.querySelectorAll('.live *')].filter(node =>
    node.localName !== 'style' && node.checkVisibility({visibilityProperty: true})
    && [...node.childNodes].some(one => one.nodeType === 3 && one.data.trim()))
  .filter(node => {
    const range = document.createRange();
    range.selectNodeContents(node);
    const text = (node.ownerSVGElement ? node : range).getBoundingClientRect();
    const out = (box, more = 0) => text.left < box.left - 1 || text.right > box.right + more + 1;
    const cuts = one => one instanceof HTMLElement && getComputedStyle(one).overflowX !== 'visible';
    for (let one = text.width ? node : null; one; one = one.parentElement)
      if (cuts(one) && out(one.getBoundingClientRect(), one.scrollWidth - one.clientWidth))
        return true;
    return text.width > 0 && out(host.getBoundingClientRect());
  }).map(node => node.textContent)"""


@pytest.mark.parametrize("width", [1100, 700, 390])
@pytest.mark.parametrize("name", CASES)
def test_no_number_is_cut(page, tmp_path, name, width):
    """Between JupyterLab's cell and a telephone; as the figure opens, and at the end of its way."""
    page.set_viewport_size({"width": width, "height": 800})
    for colours in (LIGHT, DARK):
        show(page, tmp_path, name, colours=colours, width=width)
        for key in ("", "End"):
            slider = page.locator("input[type=range]").locator("visible=true")
            if key and slider.count():
                slider.first.press(key)
            still(page)
            assert page.locator(HOST).evaluate(CUT) == []


HYPHENS = f"""() => [...{ROOT}.querySelectorAll('.live :not(style)')].flatMap(node =>
    [node.ariaLabel, ...[...node.childNodes].map(one => one.nodeType === 3 ? one.data : null)])
  .filter(said => said && /(?<!\\w)-\\s?[\\d.]|\\de-\\d/.test(said))"""
MINUS = CASES | CROWDED | {"turned back": lambda: live.positions(8, base=1e4, length=60, a=7, b=3)}


@pytest.mark.parametrize("name", MINUS)
def test_there_is_one_minus_sign(page, tmp_path, name, monkeypatch):
    monkeypatch.setitem(CASES, name, MINUS[name])
    show(page, tmp_path, name)
    slider = page.locator("input[type=range]").locator("visible=true")
    for key in ("", "End"):
        if key and slider.count():
            slider.first.press(key)
        still(page)
        assert page.evaluate(HYPHENS) == []


@pytest.mark.parametrize("name", CROWDED)
def test_crowded_figures_cut_no_label(page, tmp_path, name, monkeypatch):
    monkeypatch.setitem(CASES, name, CROWDED[name])
    page.set_viewport_size({"width": 1280, "height": 720})
    show(page, tmp_path, name, width=1240)
    assert page.evaluate(LABELS) == []


def test_without_code_the_table_remains(browser, tmp_path):
    context = browser.new_context(java_script_enabled=False)
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    (tmp_path / "page.html").write_text(
        "".join(FIGURES[name]().html for name in KINDS), encoding="utf-8"
    )
    page.goto(f"file://{tmp_path}/page.html")
    assert page.locator("table").count() == len(KINDS)
    assert all(table.is_visible() for table in page.locator("table").all())
    said = page.locator(".live-fallback .said").all_inner_texts()
    assert [one[0].isupper() and one.endswith(".") for one in said] == [True] * len(KINDS)
    assert said[0].startswith("Attention: 6 tokens of width 3; milk attends most to")
    moves = page.get_by_role("link", name="on the website")
    assert [one.get_attribute("href") for one in moves.all()] == [published()] * len(KINDS)
    context.close()


def test_without_code_a_chapter_shows_a_picture_of_each_figure_within_its_frame(browser, tmp_path):
    """As GitHub, nbviewer and mail show what is stored; on a telephone, too."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    stored = [nbformat.read(path, as_version=4) for path in chapters()]
    found = [data["text/html"] for notebook in stored for data in stills.outputs(notebook)]
    drawn = next(cell for notebook in stored for cell in notebook.cells if pictures(cell)).outputs
    html = [output.data["text/html"] for output in drawn if "text/html" in output.get("data", {})]
    (tmp_path / "page.html").write_text("".join([*found, *html]), encoding="utf-8")
    for width in (1200, 390):
        page.set_viewport_size({"width": width, "height": 800})
        page.goto(f"file://{tmp_path}/page.html")
        shown = [picture.bounding_box() for picture in page.locator("img").all()]
        assert len(shown) == len(found) + len(html) > len(html) > 0
        assert all(300 <= box["width"] <= width for box in shown)
        assert all(60 <= box["height"] < 2 * box["width"] for box in shown)
    page.screenshot(path=str(SHOTS / "live-stills.png"))
    context.close()


def test_what_is_on_screen_is_what_torch_computes(page, tmp_path):
    """A smoke test of what node checks thoroughly."""
    show(page, tmp_path, "attention")
    x = torch.tensor(X)
    weights = (x @ x.T / math.sqrt(3)).softmax(-1)
    for i in range(6):
        for j in range(6):
            label = f"weight of query {SENTENCE[i]} on key {SENTENCE[j]}: {weights[i, j]:.2f}"
            assert page.get_by_label(label, exact=True).count() >= 1
    for i, row in enumerate((weights @ x).tolist()):
        for c, value in enumerate(row):
            sign = "−" if value < 0 and round(value, 2) else ""
            label = f"output of {SENTENCE[i]}, channel {c + 1}: {sign}{abs(value):.2f}"
            assert page.get_by_label(label, exact=True).count() >= 1


def words_of(page, index=0):
    """What a figure says and what its cells are called: it does not glide."""
    return page.evaluate(
        f"""index => {{
          const root = document.querySelectorAll('{HOST}')[index].shadowRoot;
          return [root.querySelector('[aria-live]').textContent,
            ...[...root.querySelectorAll('[role=gridcell]')].map(
              cell => cell.getAttribute('aria-label') + cell.textContent)];
        }}""",
        index,
    )


@pytest.mark.parametrize("name", having("key"))
def test_numbers_and_words_do_not_glide_and_a_glide_delays_no_key(page, tmp_path, name):
    """Six keys without a pause, or with one after each: the same is said, one frame later."""
    where, key = ROWS[name].key
    said = []
    for pause in (0, 400):
        show(page, tmp_path, name)
        page.locator(where).first.focus()
        for _ in range(6):
            page.keyboard.press(key)
            page.wait_for_timeout(pause)
        frame(page)
        said.append(words_of(page))
        page.wait_for_timeout(300)
        assert words_of(page) == said[-1]
    assert said[0] == said[1]


@pytest.mark.parametrize("name", having("still"))
def test_who_wants_less_motion_sees_the_end_at_once(page, tmp_path, name):
    page.emulate_media(reduced_motion="reduce")
    show(page, tmp_path, name)
    where, key = ROWS[name].key
    page.locator(where).first.focus()
    pixels = f"[...{ROOT}.querySelectorAll('canvas')].map(canvas => canvas.toDataURL())"
    page.keyboard.press(key)
    frame(page)
    picture = page.locator(".picture")
    first = picture.screenshot(), page.evaluate(pixels)
    assert page.evaluate(f"{ROOT}.getAnimations().length") == 0
    page.wait_for_timeout(300)
    assert (picture.screenshot(), page.evaluate(pixels)) == first


THOUGHTS = [
    "milk has the query",
    "Every key gets a score.",
    "Softmax: e^score",
    "Each value is multiplied",
    "The output is their sum",
]


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_the_question_is_played_a_thought_at_a_time_by_key(page, tmp_path, motion):
    page.emulate_media(reduced_motion=motion)
    show(page, tmp_path, "attention")
    start = words_of(page)
    page.get_by_role("button", name="Play one query").focus()
    page.keyboard.press("Enter")
    said = []
    next_one = "Enter" if motion == "reduce" else "ArrowRight"  # it plays: Enter halts it
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", next_one, None):
        frame(page)
        said.append(words_of(page)[0])
        if motion == "reduce":
            page.screenshot(path=str(SHOTS / f"live-question-{len(said)}.png"), full_page=True)
        if key:
            page.keyboard.press(key)
    assert [one[: len(thought)] for one, thought in zip(said, THOUGHTS, strict=True)] == THOUGHTS
    page.keyboard.press("ArrowLeft")
    frame(page)
    assert words_of(page)[0] == said[3]
    page.keyboard.press("Home")
    frame(page)
    assert words_of(page)[0] == said[0]
    assert page.locator("svg text:visible", has_text="output of").count() == 1
    assert page.evaluate(OUT) == 0  # not told yet
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    frame(page)
    assert words_of(page) == start and page.evaluate(OUT) == 3
    assert page.evaluate(ACTIVE)["name"].endswith("Play one query")


def test_play_plays_the_question_and_a_hand_halts_it(page, tmp_path):
    """With nothing pressed but the button: each thought comes by itself, and the last one stays."""
    show(page, tmp_path, "attention")
    page.clock.install()  # time is the test's
    page.get_by_role("button", name="Play one query").click()
    said = []
    for _ in range(400):  # of 100 ms
        page.clock.run_for(100)
        now = words_of(page)[0]
        if not said or now != said[-1]:
            said.append(now)
    assert [one[: len(thought)] for one, thought in zip(said, THOUGHTS, strict=True)] == THOUGHTS
    again = page.get_by_role("button", name="Play again")
    assert again.is_visible() and page.evaluate(OUT) == 3
    again.click()
    page.clock.run_for(1000)
    page.get_by_role("button", name="Pause").click()
    page.clock.run_for(30_000)
    assert words_of(page)[0] == said[0]
    page.get_by_role("button", name="Play on").click()
    page.clock.run_for(300)
    page.get_by_label("temperature").focus()
    page.keyboard.press("Tab")  # a hand on anything else halts it, too
    page.clock.run_for(30_000)
    assert words_of(page)[0] == said[1]


BANDS = f"""() => {{
  const root = {ROOT};
  const svg = root.querySelector('svg'), all = svg.getBoundingClientRect();
  const box = svg.querySelector('g > .mark').getBoundingClientRect();
  const band = (x, y) => root.elementsFromPoint(x, y).some(one => one.localName === 'path'
    && getComputedStyle(one).visibility !== 'hidden'
    && [one.getAttribute('fill'), one.getAttribute('stroke')].includes('var(--value)'));
  const covered = [...svg.querySelectorAll('text')].filter(text => text.textContent.trim()
    && getComputedStyle(text).visibility !== 'hidden').filter(text => {{
      const {{left, right, top, bottom}} = text.getBoundingClientRect();
      return [0.1, 0.5, 0.9].some(x => [0.1, 0.5, 0.9].some(y =>
        band(left + x * (right - left), top + y * (bottom - top))));
    }}).map(text => text.textContent);
  const above = [], mouth = [];
  for (let x = all.left; x < all.right; x++) {{
    for (let y = all.top; y < box.bottom - 2; y++) if (band(x, y)) above.push([x, y]);
    if (band(x, box.bottom + 1.5)) mouth.push(x - box.left);
  }}
  return [covered, above.length, Math.min(...mouth), Math.max(...mouth) - box.width];
}}"""


@pytest.mark.parametrize("width", [1240, 884, 358])
def test_the_band_of_a_large_value_ends_at_its_box_and_covers_no_number(page, tmp_path, width):
    """What chapter 1 asks for: the number of *swung* twice as large, and bat takes nearly all."""
    big = [[0, 1.0], [0.5, 2], [0.5, 6], [0, 1], [1.5, 1.5]]
    figure = live.attention(
        big, tokens=["the", "girl", "swung", "the", "bat"], scale=1.0, query="bat", parts=()
    )
    page.set_viewport_size({"width": width + 32, "height": 900})
    CASES["large band"] = lambda: figure
    try:
        show(page, tmp_path, "large band", width=width)
    finally:
        del CASES["large band"]
    still(page)
    page.screenshot(path=str(SHOTS / f"live-large-band-{width}.png"), full_page=True)
    covered, above, left, right = page.evaluate(BANDS)
    assert covered == [] and above == 0
    assert left >= -1 and right <= 1


OUT = f"""() => [...{ROOT}.querySelectorAll('svg g text.big')]
  .filter(text => getComputedStyle(text).visibility !== 'hidden').length"""


def test_another_word_takes_up_the_question_and_a_number_ends_it(page, tmp_path):
    show(page, tmp_path, "attention")
    page.get_by_role("button", name="Play one query").click()
    page.get_by_label("cat, attention weight", exact=False).first.click()
    frame(page)
    assert words_of(page)[0].startswith("cat has the query")
    page.get_by_label("output of cat, channel 1", exact=False).click()
    frame(page)
    assert words_of(page)[0].startswith("output of cat, channel 1 = ")
    assert page.get_by_role("button", name="Play one query").is_visible()


@pytest.mark.parametrize("name", having("plays"))
def test_it_plays_to_the_end_and_stops_for_a_hand(page, tmp_path, name, monkeypatch):
    end, again = ROWS[name].plays
    monkeypatch.setitem(CASES, name, SHORT.get(name, CASES[name]))
    show(page, tmp_path, name)
    first = words_of(page)[0]
    play = page.get_by_role("button", name="Play", exact=False)
    hold(page)
    play.click()
    assert page.get_by_role("button", name="Pause").is_visible()
    frame(page)
    assert (words_of(page)[0] == first) == (name == "training")  # whose first step is held
    page.get_by_role("button", name="Pause").click()
    hold(page, False)
    play.click()
    play.wait_for()  # its name is back: the end
    assert page.evaluate(f"{ROOT}.querySelector('[aria-live]').ariaLive") == "polite"
    frame(page)
    last = words_of(page)[0]
    assert begins(last, end)
    hold(page)
    play.click()  # again, from the beginning
    frame(page)
    assert words_of(page)[0] != last and begins(words_of(page)[0], again)
    page.locator("input[type=range]").first.focus()
    page.keyboard.press("End")
    assert page.get_by_role("button", name="Play", exact=False).is_visible()


@pytest.mark.parametrize("count, beat", [(9, 1000), (41, 200)])
def test_a_training_is_seen_step_by_step(page, tmp_path, count, beat, monkeypatch):
    """Nine steps stand a second each, the first of them, too; many take eight seconds together."""
    figure = live.heads(weights(count, 1, 6, 6), tokens=SENTENCE)
    monkeypatch.setitem(CASES, "training", lambda: figure)
    show(page, tmp_path, "training")
    page.clock.install(time=0)  # time is the test's,
    page.clock.pause_at(1)  # and stands still between
    page.get_by_role("button", name="Play", exact=False).click()
    said = []
    for _ in range(count + 2):
        page.clock.run_for(beat / 2)
        said.append(words_of(page)[0].partition(",")[0])
        page.clock.run_for(beat / 2)
    assert said == [f"At step {min(k, count - 1)}" for k in range(count + 2)]
    assert page.get_by_role("button", name="▶ Play").is_visible()


def test_tab_keeps_who_asks(page, tmp_path):
    show(page, tmp_path, "attention")
    page.get_by_label("cat, attention weight", exact=False).first.click()
    asking = page.locator(".asking")
    for _ in range(4):
        page.keyboard.press("Tab")
        frame(page)
        assert asking.all_text_contents() == ["cat"]
    assert page.evaluate(ACTIVE)["group"] == "output"


def test_what_a_pointer_is_over_is_explained(page, tmp_path):
    show(page, tmp_path, "attention")
    before = words_of(page)
    page.get_by_label("score of query hungry with key cat", exact=False).hover()
    frame(page)
    assert words_of(page)[0].startswith("query of hungry · key of cat = ")
    page.mouse.move(2, 2)
    frame(page)
    assert words_of(page) == before
    page.get_by_label("score of query hungry with key cat", exact=False).click()
    page.keyboard.press("ArrowRight")  # and the pointer stays where it is
    frame(page)
    assert words_of(page)[0].startswith("query of hungry · key of found = ")


def test_a_hint_stands_until_the_figure_is_touched(page, tmp_path):
    show(page, tmp_path, "attention")
    hint = page.locator(".hint")
    height = page.locator(HOST).bounding_box()["height"]
    assert hint.is_visible()
    page.locator("[role=gridcell]").nth(1).click()
    assert hint.is_hidden() and page.locator(HOST).bounding_box()["height"] == height


FINGER = f"""{ROOT}.querySelectorAll(
  '.bar :is(input, select, button, summary)')"""


@pytest.mark.parametrize("name", KINDS)
def test_a_finger_finds_its_buttons_on_a_telephone(page, tmp_path, name):
    """On a slide, where every pixel of height counts, they are as high as a hand needs them."""
    least = f"Math.min(...[...{FINGER}].filter(one => one.checkVisibility())"
    least += ".map(one => one.getBoundingClientRect().height))"
    for width, enough in ((390, 36), (1280, 18)):
        page.set_viewport_size({"width": width, "height": 844})
        show(page, tmp_path, name, width=width - 32)
        found = page.evaluate(least)
        assert found >= enough and (width == 390 or found < 36)
    page.set_viewport_size({"width": 390, "height": 844})
    sizes = [
        one.evaluate("node => getComputedStyle(node).fontSize")
        for one in page.locator(".hint").all()
    ]
    assert {*sizes} <= {"14px", "15px"}


def test_a_narrower_page_is_drawn_anew_and_keeps_what_was_chosen(page, tmp_path):
    page.set_viewport_size({"width": 1000, "height": 900})
    show(page, tmp_path, "attention", width=2000)
    page.get_by_label("weight of query hungry on key cat", exact=False).first.click()
    frame(page)
    before = words_of(page)
    box = f"{ROOT}.querySelector('svg').viewBox.baseVal.width"
    wide = page.evaluate(box)
    page.set_viewport_size({"width": 390, "height": 900})
    page.wait_for_function(f"{box} < {wide}")
    assert words_of(page) == before
    page.get_by_label("x of cat, channel 2", exact=False).focus()
    page.keyboard.press("Shift+ArrowUp")
    frame(page)
    assert words_of(page) != before


@pytest.mark.parametrize("name", FIGURES)
def test_a_label_holds_what_is_shown(page, tmp_path, name):
    show(page, tmp_path, name)
    cells = page.evaluate(
        f"[...{ROOT}.querySelectorAll('[role=gridcell]')]"
        ".flatMap(cell => [...cell.querySelectorAll('*')].filter(node => !node.children.length)"
        "  .map(node => [cell.getAttribute('aria-label'), node.textContent]))"
    )
    assert any(text for _, text in cells)
    assert [(label, text) for label, text in cells if text not in label] == []


ACTIVE = """() => {
  const host = document.activeElement, inner = host.shadowRoot?.activeElement;
  if (!inner) return null;
  const grid = inner.closest('[role=grid]');
  return {
    name: inner.getAttribute('aria-label') || inner.labels?.[0]?.textContent || inner.textContent,
    group: grid?.getAttribute('aria-label') ?? null,
    kind: inner.type || inner.localName, off: inner.ariaDisabled === 'true',
    stop: [...host.shadowRoot.querySelectorAll(
      'input, select, button, summary, [tabindex="0"]')].indexOf(inner)};
}"""
STOPS = f"""() => [...{ROOT}.querySelectorAll(
  'input, select, button, summary, [tabindex="0"]')].map((node, i) => [i, node])
  .filter(([i, node]) => !node.disabled && node.checkVisibility()).map(([i]) => i)"""
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
    stops, seen = page.evaluate(STOPS), []
    while True:
        page.keyboard.press("Tab")
        active = page.evaluate(ACTIVE)
        if active is None:
            break
        assert active["name"].strip(), active
        seen.append(active["stop"])
        before = text_of(page) + str(values(page))
        looks = 40 if name == "train" else 1  # what it trains beside the page comes when it can
        for key in MOVES[active["kind"]]:
            page.keyboard.press(key)
            if any(
                text_of(page) + str(values(page)) != before or page.wait_for_timeout(50)
                for _ in range(looks)
            ):
                assert not active["off"], active
                break
        else:  # a step beyond an end, or nothing to reset, perhaps
            assert active["off"] or active["name"] == "Reset", active
        if active["name"].endswith(("Play", "generate")):
            page.keyboard.press("Enter")  # or it would go on by itself
        assert len(seen) < 40
    assert set(stops) <= set(seen)
    assert page.evaluate("document.activeElement === document.body")  # out at the other end


@pytest.mark.parametrize("name", ["steps", "cache", "ring"])
def test_a_key_that_comes_to_an_end_stays_where_it_is(page, tmp_path, name):
    """And turns round: a button that is off is said to be off, does nothing and keeps the focus."""
    show(page, tmp_path, name)
    slider = page.locator("input[type=range]")
    for button, end, other in (("forward", "max", "back"), ("back", "min", "forward")):
        page.get_by_role("button", name=button).focus()
        for _ in range(12):
            page.keyboard.press("Enter")
            frame(page)
        assert slider.input_value() == slider.get_attribute(end)
        active = page.evaluate(ACTIVE)
        assert button in active["name"] and active["off"]
        assert page.get_by_role("button", name=other).is_enabled()
        said = text_of(page)
        page.keyboard.press("Enter")
        assert text_of(page) == said


def values(page):
    return page.evaluate(
        f"[...{ROOT}.querySelectorAll('input')].map(input => input.value + input.checked)"
    )


def test_plain_keys_stay_inside_and_escape_gives_them_back(page, tmp_path):
    show(page, tmp_path, "attention")
    page.evaluate("window.got = []; addEventListener('keydown', event => got.push(event.key))")
    page.locator("[role=gridcell]").first.focus()
    for key in ("b", "o", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    assert page.evaluate("got") == []
    page.keyboard.press("Control+s")
    assert page.evaluate("got") == ["Control", "s"] or page.evaluate("got") == ["s"]
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.className") == "output"


def test_typing_a_number_and_resetting(page, tmp_path):
    show(page, tmp_path, "attention")
    said = sentence(page)
    cell = page.locator("[aria-label^='x of cat, channel 2']")
    cell.focus()
    frame(page)  # the field for the number is shown then, and a key leads there
    page.keyboard.type("2.5")
    page.keyboard.press("Enter")
    text_of(page)
    assert cell.get_attribute("aria-label") == "x of cat, channel 2: 2.50"
    assert "x of cat, channel 2" in page.evaluate(
        f"{ROOT}.activeElement.getAttribute('aria-label')"
    )
    page.get_by_label("mask").select_option("causal")
    frame(page)
    assert page.get_by_label("score of query the with key milk: −∞, hidden").count() == 2
    page.get_by_role("button", name="Reset").click()
    text_of(page)
    assert cell.get_attribute("aria-label") == "x of cat, channel 2: 1.60"
    assert page.locator("[aria-label$=', hidden']").count() == 0
    assert said == sentence(page)


def sentence(page):
    """What a figure says."""
    frame(page)
    return page.evaluate(f"{ROOT}.querySelector('[aria-live]').textContent")


def begins(said, told):
    """Whether a sentence has what the table tells of it."""
    return said.startswith(told[1:]) if told.startswith("^") else told in said


def walk(page, first, *steps):
    """Go through a figure by keyboard alone, as a row of the table says."""
    page.locator(first).first.focus()
    for keys, told in steps:
        before = sentence(page)
        if keys.startswith("'"):
            page.keyboard.type(keys[1:])
        else:
            for key in keys.split():
                page.keyboard.press(key)
        if told is None:
            assert page.evaluate("document.activeElement === document.body")
        else:
            said = sentence(page)
            wanted = before if told == "=" else told
            assert said == before if told == "=" else begins(said, told), (
                f"after {keys} it says {said!r} and not {wanted!r}; a new control is one more "
                "step of walk, in tests/browser/live_table.py"
            )


@pytest.mark.parametrize("name", having("walk"))
def test_all_of_it_by_keyboard(page, tmp_path, name):
    show(page, tmp_path, name)
    walk(page, *ROWS[name].walk)


@pytest.mark.parametrize("name", having("clicks"))
def test_a_click_is_answered(page, tmp_path, name):
    show(page, tmp_path, name)
    for where, told in ROWS[name].clicks:
        page.locator(where).click()
        said = sentence(page)
        assert begins(said, told), (where, said)


def test_a_word_of_the_map_follows_the_mouse_and_is_put_back(page, tmp_path):
    show(page, tmp_path, "words")
    word = page.locator("[role=button][aria-label^=cinnamon]")
    box = word.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 60, y - 150, steps=2)
    page.mouse.up()
    said = sentence(page)
    assert said.startswith("apple attends most to cinnamon: score 1 · 2.4")
    page.locator(RESET).click()
    assert "cinnamon: score 1 · 3 + 1 · 0 = 3" in sentence(page)


def test_bars_of_the_cache_are_as_long_as_the_bytes(page, tmp_path):
    show(page, tmp_path, "cache")
    still(page)
    bars = page.evaluate(
        f"[...{ROOT}.querySelectorAll('.kinds i')].map(bar => bar.getBoundingClientRect().width)"
    )
    counts = [7168, 1792, 1120, 4096, 5120, 8192]
    assert bars == pytest.approx([bars[0] / counts[0] * count for count in counts], abs=1)


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
@pytest.mark.parametrize("name", having("glides"))
def test_it_glides_unless_asked_not_to(page, tmp_path, name, motion):
    page.emulate_media(reduced_motion=motion)
    show(page, tmp_path, name)
    act, what, far = ROWS[name].glides
    before, middle, end = halfway(page, act, f"{what}.getBoundingClientRect().x")
    assert abs(end - before) > far
    between = min(before, end) < middle < max(before, end)
    assert between == (motion == "no-preference")


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("name", [*KINDS, "training", "maps", "stories"])
def test_axe_finds_nothing(page, tmp_path, name, colours):
    show(page, tmp_path, name, colours=colours)
    assert violations(page) == []
    where, keys = ROWS.get(name, Row()).turns or ("", "")
    for key in keys.split():
        page.locator(where).press(key)
        frame(page)
        assert violations(page) == []


# The contrast of every number with the boxes under it, blended over the page.
CONTRAST = f"""ground => {{
  const rgb = text => text.match(/[\\d.]+/g).slice(0, 4).map(Number);
  const over = (top, alpha, under) => under.map((u, i) => alpha * top[i] + (1 - alpha) * u);
  const linear = c => c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4;
  const light = colour => colour.map(c => linear(c / 255))
    .reduce((sum, c, i) => sum + c * [.2126, .7152, .0722][i], 0);
  let worst = [99, ''];
  for (const host of document.querySelectorAll('{HOST}'))
    for (const text of host.shadowRoot.querySelectorAll('svg text')) {{
      const number = getComputedStyle(text);
      if (!text.textContent || number.visibility === 'hidden') continue;
      let under = rgb(ground);
      for (const box of text.parentNode.querySelectorAll('rect, circle.unit')) {{
        const style = getComputedStyle(box);
        if (text.parentNode.getAttribute('role') !== 'gridcell' || style.fill === 'none') continue;
        const [r, g, b, a = 1] = rgb(style.fill.replace(/color\\(srgb ([^)]*)\\)/, (_, parts) =>
          parts.split(/[ /]+/).map((part, i) => i < 3 ? 255 * part : part).join(',')));
        under = over([r, g, b], a * style.fillOpacity, under);
      }}
      const [r, g, b, a = 1] = rgb(number.fill);
      const colour = over([r, g, b], a * number.opacity, under);
      const [high, low] = [light(colour), light(under)].sort((a, b) => b - a);
      const contrast = (high + .05) / (low + .05);
      if (contrast < worst[0]) worst = [contrast, text.textContent];
    }}
  return worst;
}}"""


def test_six_figures_do_not_touch_and_a_rerun_resets_only_itself(page, tmp_path):
    six = ("attention", "attention", "training", "positions", "steps", "field")
    show(page, tmp_path, *six)
    fresh = page.evaluate(SHADOWS)
    for index, name in enumerate(six):
        where, key = ROWS[name].key
        before = page.evaluate(SHADOWS)
        page.locator(".output").nth(index).locator(where).first.focus()
        page.keyboard.press(key)
        frame(page)
        after = page.evaluate(SHADOWS)
        assert [i for i in range(6) if before[i] != after[i]] == [index]
    changed = page.evaluate(SHADOWS)
    page.evaluate(
        """html => {
          const output = document.querySelectorAll('.output')[1];
          output.replaceChildren(document.createRange().createContextualFragment(html));
        }""",
        FIGURES["attention"]().html,
    )
    frame(page)
    again = page.evaluate(SHADOWS)
    assert again[1] == fresh[1] != changed[1]
    assert [i for i in range(6) if again[i] != changed[i]] == [1]


def test_moving_the_element_keeps_its_state(page, tmp_path):
    show(page, tmp_path, "steps")
    page.get_by_role("button", name="forward").click()
    before = text_of(page)
    page.evaluate(f"document.querySelector('h1').before(document.querySelector('{HOST}'))")
    frame(page)
    assert (
        page.evaluate("document.querySelector('h1').previousSibling.shadowRoot.innerHTML") == before
    )


TRUSTED = (
    '<meta http-equiv="Content-Security-Policy" content="require-trusted-types-for \'script\'">'
)


@pytest.mark.parametrize("name", KINDS)
def test_a_sandboxed_frame_of_opaque_origin_with_trusted_types(page, tmp_path, name):
    """As in Colab: one frame for each output, and nothing from the page around it."""
    inner = f"<!doctype html><meta charset=utf-8>{TRUSTED}{FIGURES[name]().html}"
    outer = inner.replace("&", "&amp;").replace('"', "&quot;")
    frame = f'<iframe sandbox="allow-scripts" style="width:100%;height:800px" srcdoc="{outer}">'
    (tmp_path / "page.html").write_text(
        f"<!doctype html><meta charset=utf-8>{frame}</iframe>", encoding="utf-8"
    )
    page.goto(f"file://{tmp_path}/page.html")
    cells = page.frame_locator("iframe").locator("[role=gridcell]:visible")
    cells.first.wait_for()
    assert page.frames[1].evaluate("origin") == "null"
    cells.nth(3).click()
    assert page.frame_locator("iframe").locator("[aria-live]").inner_text()


@pytest.mark.parametrize("name", KINDS)
def test_the_script_may_run_before_the_element_is_there(page, tmp_path, name):
    whole = FIGURES[name]().html
    at = whole.index("<script")
    (tmp_path / "page.html").write_text(
        f"<!doctype html><meta charset=utf-8>{whole[at:]}<div class=output></div>",
        encoding="utf-8",
    )
    page.goto(f"file://{tmp_path}/page.html")
    frame(page)
    page.evaluate("html => document.querySelector('.output').innerHTML = html", whole[:at])
    assert page.locator("[role=gridcell]").count() > 5
    assert page.locator(".live-fallback").is_hidden()


def notebook(*names):
    cells = []
    for name in names:
        data = FIGURES[name]()._repr_mimebundle_()
        output = nbformat.v4.new_output("display_data", data)
        cells.append(nbformat.v4.new_code_cell(f"show({name!r})", outputs=[output]))
    return nbformat.v4.new_notebook(cells=cells)


@pytest.mark.parametrize("options", [{}, {"theme": "dark"}, {"template_name": "classic"}], ids=str)
def test_static_page_of_nbconvert(browser, tmp_path, options):
    html, _ = HTMLExporter(**options).from_notebook_node(notebook(*KINDS, "maps"))
    (tmp_path / "page.html").write_text(html, encoding="utf-8")
    context = browser.new_context(viewport={"width": 1100, "height": 900})
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    watch(page)  # nbconvert itself asks for require.js and MathJax, in vain
    page.goto(f"file://{tmp_path}/page.html")
    page.get_by_label("weight of query found on key cat", exact=False).first.click()
    page.get_by_text("query of found", exact=False).first.wait_for()  # the next frame redraws
    hosts = page.locator("[data-live]")
    assert hosts.count() == len(KINDS) + 1
    assert all(host.locator("[role=gridcell]").count() > 5 for host in hosts.all())
    assert not any("live" in url for url in page.outside)
    page.screenshot(path=str(SHOTS / f"live-nbconvert-{len(str(options))}.png"), full_page=True)
    context.close()


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
        scale = host.evaluate("host => host.shadowRoot.querySelector('svg').getScreenCTM().d")
        label = label.format(float(value) - 0.1 * round(way[1] / scale / 6))
    assert label in (node.get_attribute("aria-label") or "").replace("−", "-")


def test_a_finger_that_only_touches_a_number_chooses_it(page, tmp_path):
    show(page, tmp_path, "attention")
    page.get_by_label("x of cat, channel 2", exact=False).tap()
    frame(page)
    assert page.evaluate(ACTIVE)["name"].startswith("x of cat, channel 2")


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
