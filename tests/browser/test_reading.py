"""JupyterLab as `make lab` sets it up, read from the first cell to the last by Shift+Enter.

Runs with `make test-browser`. The kernel answers at once and computes nothing: what is tried is
where the reader stands, and what is seen there.
"""

import itertools
import json
import re
import time

import nbformat
import pytest
from cells import COMPARE, answers, for_reading
from playwright.sync_api import expect
from test_lab import (
    BACK,
    BOOK,
    CHAPTERS,
    OPENED,
    STATE,
    lab_page,
    no_kernel_is_left,  # noqa: F401
    open_chapter,
    serve_with,
    settled,
    wait_for,
)

from conftest import PATIENCE, ROOT, SHOTS

SLOWLY = "__import__('time').sleep(8 if 'slowly' in str(lines) else 0) or []"
SAID = f"lines if 'is shown' in str(lines) else {SLOWLY}"
IDLE = f"get_ipython().input_transformers_cleanup.append(lambda lines: {SAID})"


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    kernels = tmp_path_factory.mktemp("data")
    kernel = kernels / "kernels" / "python3"
    kernel.mkdir(parents=True)
    python = str(ROOT / ".venv/bin/python")
    command = [python, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    command.append(f"--IPKernelApp.exec_lines={IDLE}")
    spec = {"argv": command, "display_name": "Python 3", "language": "python"}
    (kernel / "kernel.json").write_text(json.dumps(spec), encoding="utf-8")
    yield from serve_with(tmp_path_factory, ROOT / ".jupyter", JUPYTER_PATH=str(kernels))


@pytest.fixture(scope="module")
def page(browser):
    yield from lab_page(browser)


# Each cell: is it in sight (not in a fold), and is it a heading that is folded?
CELLS = """() => window.jupyterapp.shell.currentWidget.content.widgets
  .map(cell => [!cell.isHidden, !!cell.headingCollapsed])"""
START = """() => {
  const {content} = window.jupyterapp.shell.currentWidget;
  content.activeCellIndex = 0;
  content.mode = 'command';
  content.activate();
}"""
# The cell that is selected, and how many pixels of it are seen.
HERE = """() => {
  const {content} = window.jupyterapp.shell.currentWidget;
  const seen = content.node.querySelector('.jp-WindowedPanel-outer').getBoundingClientRect();
  const cell = content.activeCell.node.getBoundingClientRect();
  const top = Math.max(seen.top, cell.top), bottom = Math.min(seen.bottom, cell.bottom);
  return [content.activeCellIndex, Math.round(bottom - top)];
}"""
# Whether the fold of a cell is open and its source out of sight.
COMPARED = """i => {
  const cell = window.jupyterapp.shell.currentWidget.content.widgets[i];
  return cell.rendered && cell.node.querySelector('details').open;
}"""
# A long text takes several strokes, of which another test reads what they show: here to its end.
READ = """i => {
  const {content} = window.jupyterapp.shell.currentWidget;
  const view = content.node.querySelector('.jp-WindowedPanel-outer');
  const box = node => node.getBoundingClientRect();
  const {model, node} = content.widgets[i];
  if (model.type === 'markdown') view.scrollTop += Math.max(0, box(node).bottom - box(view).bottom);
}"""


@pytest.mark.usefixtures("no_kernel_is_left")
@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.name[:2])
def test_shift_enter_reads_the_chapter(page, lab, path):
    """The next cell in sight is selected and seen, what is folded stays folded, and *Compare*,
    which takes a stroke of its own, opens."""
    open_chapter(page, lab, path.name)
    cells = for_reading(nbformat.read(path, as_version=4).cells)
    before = settled(page, CELLS)
    seen = [i for i, (shown, _) in enumerate(before) if shown]
    page.evaluate(START)
    for here, there in itertools.pairwise(seen):
        if cells[here]["source"].startswith(COMPARE):
            page.keyboard.press("Shift+Enter")
            page.wait_for_function(COMPARED, arg=here, timeout=PATIENCE)
            assert page.evaluate(HERE)[0] == here
        page.wait_for_timeout(100)  # what moves the page comes after the key
        for _ in range(50):  # again, where what is drawn late has moved the end out of sight
            page.evaluate(READ, here)
            page.keyboard.press("Shift+Enter")
            if page.evaluate(HERE)[0] != here:
                break
        page.wait_for_timeout(100)
        index, pixels = page.evaluate(HERE)
        assert index == there, f"from cell {here} to {index}"
        assert pixels > 15, f"cell {there} after {here}: {pixels} pixels in view"
    assert page.evaluate(CELLS) == before


# Of each cell: is it veiled, and is it kept from who listens?
VEILED = """() => window.jupyterapp.shell.currentWidget.content.widgets.map(cell =>
  ['.jp-Cell-inputWrapper', '.jp-Cell-outputWrapper'].map(part => cell.node.querySelector(part))
    .filter(Boolean).map(part => getComputedStyle(part).filter.startsWith('blur')
                                 && part.getAttribute('aria-hidden') === 'true'))
  .map(([input, output]) => input && (output ?? true))"""
SHOW = """found => {
  const {widgets} = window.jupyterapp.shell.currentWidget.content;
  for (const i of found) widgets[i].outputHidden = false;
}"""
GO = """i => { window.jupyterapp.shell.currentWidget.content.activeCellIndex = i; }"""


def waiting(cells):
    """For each guess: the cells that answer it, and those below that tell its answer."""
    hidden, found = set(answers(cells)), []
    text = [cell["source"] if cell["cell_type"] == "markdown" else "" for cell in cells] + ["#"]
    stops = [source.startswith("#") or "**Predict.**" in source for source in text]
    for i, source in enumerate(text):
        if "**Predict.**" not in source:
            continue
        stop = next(j for j in range(i + 1, len(text)) if stops[j])
        folds = [j for j in range(i + 1, stop) if text[j].startswith(COMPARE)]
        shown = hidden & {*range(i, stop)}
        if folds:
            start = folds[0] + 1
        elif shown:
            start = max(shown) + 1
        else:
            continue
        last = stop + ("**Predict.**" in text[stop] and not text[stop].startswith("#"))
        found.append((shown & {*range(start)}, range(start, last)))
    return found


def at(found):
    """The indices of the cells for which the page said yes."""
    return {i for i, yes in enumerate(found) if yes}


def test_every_guess_with_an_answer_is_among_those_that_something_waits_for():
    for path in CHAPTERS:
        cells = for_reading(nbformat.read(path, as_version=4).cells)
        guessed = {i for shown, _ in waiting(cells) for i in shown}
        assert set(answers(cells)) == guessed, path.name


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.name[:2])
def test_what_stands_below_a_guess_waits_for_it(page, lab, path):
    """It cannot be read until the cell has shown its output, or the reader has gone there."""
    open_chapter(page, lab, path.name)
    guesses = waiting(for_reading(nbformat.read(path, as_version=4).cells))
    assert guesses or path.name.startswith("92")
    expected = {i for _, below in guesses for i in below}
    # The veil comes some time after the cells, and then it stays.
    wait_for(page, VEILED, lambda found: at(found) == expected, seconds=PATIENCE / 1000)
    assert at(settled(page, VEILED)) == expected
    if not guesses:
        return
    page.evaluate(SHOW, sorted(guesses[0][0]))
    first = set(guesses[0][1]) - {i for _, below in guesses[1:] for i in below}
    wait_for(page, VEILED, lambda veiled: not any(veiled[i] for i in first))
    last = guesses[-1][1]
    if last:
        page.evaluate(GO, last[0])
        wait_for(page, VEILED, lambda veiled: not any(veiled[i] for i in last))


def test_an_arrow_lifts_no_veil(page, lab):
    """Who walks by keys passes over what waits for a guess; Enter lifts it and opens no source."""
    open_chapter(page, lab, BOOK[0].name)
    _, below = waiting(for_reading(nbformat.read(BOOK[0], as_version=4).cells))[0]
    wait_for(page, VEILED, lambda found: set(below) <= at(found))
    page.evaluate(START)
    page.evaluate(GO, below[0] - 1)
    for _ in range(2):  # the first only brings the selected cell into sight
        page.keyboard.press("ArrowDown")
        page.wait_for_timeout(1500)  # it is looked at twice a second
    assert page.evaluate(HERE)[0] == below[0]
    assert set(below) <= at(page.evaluate(VEILED))
    page.keyboard.press("Enter")
    wait_for(page, VEILED, lambda found: not set(below) & at(found))
    assert page.evaluate("window.jupyterapp.shell.currentWidget.content.mode") == "command"


LONG = """i => {
  const {widgets} = window.jupyterapp.shell.currentWidget.content;
  widgets[i].model.sharedModel.setSource('A line.\\n\\n'.repeat(60));
  widgets[i + 1].model.sharedModel.setSource('# A heading\\n\\n' + 'A line.\\n\\n'.repeat(6));
}"""


# Of the selected cell: how far it reaches below the window, and what of it is seen, in pixels.
SEEN = """() => {
  const {content} = window.jupyterapp.shell.currentWidget;
  const view = content.node.querySelector('.jp-WindowedPanel-outer').getBoundingClientRect();
  const {top, bottom} = content.activeCell.node.getBoundingClientRect();
  return [bottom - view.bottom, Math.max(view.top - top, 0), Math.min(view.bottom, bottom) - top]
    .map(Math.round);
}"""


def test_a_long_text_is_read_to_its_end_before_the_next_is_seen(page, lab):
    """Stroke by stroke, and nothing of it is left out; and of the next not its first line alone."""
    open_chapter(page, lab, BOOK[0].name)
    cells = for_reading(nbformat.read(BOOK[0], as_version=4).cells)
    pairs = itertools.pairwise(cell["cell_type"] for cell in cells)
    here = next(i for i, kinds in enumerate(pairs) if i > 8 and {*kinds} == {"markdown"})
    settled(page, CELLS)
    page.evaluate(START)
    page.evaluate(GO, here)
    page.evaluate(LONG, here)
    settled(page, SEEN)
    read, strokes = 0, 0
    while page.evaluate(HERE)[0] == here and strokes < 20:
        left, start, end = settled(page, SEEN)
        assert start <= read + 5
        read, strokes = max(read, end), strokes + 1
        page.keyboard.press("Shift+Enter")
        page.wait_for_timeout(500)
    assert left <= 8 and strokes > 2
    page.wait_for_timeout(3000)
    _, seen, whole = settled(page, PLACES)
    assert whole > 150 and seen >= whole - 1


def test_an_opened_answer_is_seen(page, lab):
    """It opened below the window's edge."""
    open_chapter(page, lab, BOOK[0].name)
    cells = for_reading(nbformat.read(BOOK[0], as_version=4).cells)
    here = next(i for i, cell in enumerate(cells) if cell["source"].startswith(COMPARE))
    settled(page, OPENED)
    page.evaluate(START)
    page.evaluate(GO, here)
    settled(page, HERE)
    page.evaluate("""() => {
      const {content} = window.jupyterapp.shell.currentWidget;
      const view = content.node.querySelector('.jp-WindowedPanel-outer');
      const edge = view.getBoundingClientRect().bottom;
      view.scrollTop += content.activeCell.node.getBoundingClientRect().bottom - edge;
    }""")
    page.keyboard.press("Shift+Enter")
    page.wait_for_function(COMPARED, arg=here, timeout=PATIENCE)
    assert settled(page, SEEN)[0] <= 1


FIGURE = "from IPython.display import HTML\nHTML('<div style=\"height:{}px\">is shown</div>')"
DRAWS = 7  # a code cell of chapter 1
PUT = """async ([i, source]) => {
  const {content} = window.jupyterapp.shell.currentWidget;
  content.activeCellIndex = i;
  content.mode = 'command';
  content.activate();
  content.activeCell.model.sharedModel.setSource(source);
  await content.scrollToItem(i, 'start');
}"""
# Where the cell above the selected one begins, how much of the selected one is seen, its height.
PLACES = """() => {
  const {content} = window.jupyterapp.shell.currentWidget;
  const seen = content.node.querySelector('.jp-WindowedPanel-outer').getBoundingClientRect();
  const ran = content.widgets[content.activeCellIndex - 1].node.getBoundingClientRect();
  const {top, height} = content.activeCell.node.getBoundingClientRect();
  return [ran.top - seen.top, Math.min(height, seen.bottom - top), height].map(Math.round);
}"""


@pytest.mark.parametrize("height", [50, 550])
def test_what_was_run_stays_in_sight(page, lab, height):
    """Of a figure that fits the window nothing is cut off, and the next cell is seen as well."""
    open_chapter(page, lab, BOOK[1].name)
    settled(page, CELLS)
    page.evaluate(PUT, [DRAWS, FIGURE.format(height)])
    page.keyboard.press("Shift+Enter")
    page.wait_for_timeout(3000)
    above, seen, whole = settled(page, PLACES)
    assert above >= -1
    assert seen >= min(60, whole) - 1


LATE = """from IPython.display import HTML
HTML('<style>@keyframes late { to { height: 550px } }</style>'
     '<div style="height:40px; animation:late 0s 1s forwards">is shown</div>')"""


def test_what_is_drawn_a_second_later_stays_in_sight(page, lab):
    open_chapter(page, lab, BOOK[1].name)
    settled(page, CELLS)
    page.evaluate(PUT, [DRAWS, LATE])
    page.keyboard.press("Shift+Enter")
    page.wait_for_timeout(4000)
    above, seen, whole = settled(page, PLACES)
    assert above >= -1
    assert seen >= min(60, whole) - 1


HEIGHT = f"() => window.jupyterapp.shell.currentWidget.content.widgets[{DRAWS}].node.offsetHeight"


def test_a_cell_that_runs_again_keeps_its_place_until_it_has_run(page, lab):
    """What stood there is gone at once, and without it all that follows jumped up."""
    open_chapter(page, lab, BOOK[1].name)
    settled(page, CELLS)
    page.evaluate(PUT, [DRAWS, FIGURE.format(400)])
    page.keyboard.press("Shift+Enter")
    wait_for(page, HEIGHT, lambda high: high > 400)
    page.evaluate(PUT, [DRAWS, "print()  # slowly"])
    page.keyboard.press("Shift+Enter")
    page.wait_for_timeout(2000)
    assert page.evaluate(HEIGHT) > 400
    wait_for(page, HEIGHT, lambda high: high < 200)


@pytest.mark.parametrize(
    ("chapter", "fold"),
    [(0, COMPARE), (0, "<details><summary>The answers"), (2, "### Exercise 2.2")],
)
def test_the_selected_answer_opens_and_is_not_taken_apart(page, lab, chapter, fold):
    """Enter opens a fold, also a hint within a text, and shuts it; a double click leaves it so."""
    path = BOOK[chapter]
    open_chapter(page, lab, path.name)
    cells = for_reading(nbformat.read(path, as_version=4).cells)
    here = next(i for i, cell in enumerate(cells) if cell["source"].startswith(fold))
    settled(page, OPENED)
    page.evaluate(START)
    page.evaluate(GO, here)
    settled(page, HERE)
    page.keyboard.press("Enter")
    page.wait_for_function(COMPARED, arg=here, timeout=PATIENCE)
    text = page.locator(".jp-Notebook-cell.jp-mod-active details").locator("p, li").first
    text.scroll_into_view_if_needed()
    text.dblclick()
    page.wait_for_timeout(500)
    assert page.evaluate(COMPARED, here)
    assert page.evaluate("window.jupyterapp.shell.currentWidget.content.mode") == "command"
    page.keyboard.press("Enter")
    page.wait_for_timeout(300)
    assert not page.evaluate(COMPARED, here)


def test_a_fold_that_is_opened_by_its_button_leaves_the_keyboard_alive(page, lab):
    open_chapter(page, lab, BOOK[1].name)
    settled(page, CELLS)
    page.locator("button.jp-showHiddenCellsButton").first.click()
    page.wait_for_timeout(500)
    assert page.evaluate("document.activeElement.closest('.jp-Notebook') !== null")


# Where the notebook stands, and a point in the text of a cell below its middle; while JupyterLab
# has not drawn such a cell, an answer that is never the same twice.
CLICK = """() => {
  const {content} = window.jupyterapp.shell.currentWidget;
  const view = content.node.querySelector('.jp-WindowedPanel-outer');
  const {top, height} = view.getBoundingClientRect();
  const below = content.widgets.find(cell => !cell.isHidden && cell.model.type === 'markdown' &&
    cell.node.getBoundingClientRect().top > top + height / 2);
  const text = below?.node.querySelector('.jp-Cell-inputArea');
  if (!text) return performance.now();
  const {x, y} = text.getBoundingClientRect();
  return [view.scrollTop, content.widgets.indexOf(below), x + 150, y + 10];
}"""


def test_a_click_moves_no_page(page, lab):
    """Also after Shift+Enter, and after one has turned the wheel away from what was run."""
    open_chapter(page, lab, BOOK[1].name)
    settled(page, CELLS)
    page.evaluate(START)
    page.keyboard.press("Shift+Enter")
    page.wait_for_timeout(1000)  # what was run has come into sight
    page.mouse.move(600, 500)
    page.mouse.wheel(0, 900)
    *_, y = settled(page, CLICK)
    page.mouse.wheel(0, y - 600)
    before, cell, x, y = settled(page, CLICK)
    page.mouse.click(x, y)
    page.wait_for_timeout(1000)
    assert page.evaluate(HERE)[0] == cell
    assert page.evaluate(CLICK)[0] == before


SCROLL = """async i => {
  const {content} = window.jupyterapp.shell.currentWidget;
  await content.scrollToItem(i, 'start');
}"""
# The first cell that is seen in the window.
FIRST = """() => {
  const {content} = window.jupyterapp.shell.currentWidget;
  const {top} = content.node.querySelector('.jp-WindowedPanel-outer').getBoundingClientRect();
  return content.widgets.findIndex(cell =>
    !cell.isHidden && cell.node.getBoundingClientRect().bottom > top + 20);
}"""


def test_a_reload_lands_where_one_was(page, lab):
    open_chapter(page, lab, BOOK[1].name)
    settled(page, CELLS)
    page.evaluate(SCROLL, 40)
    here = settled(page, FIRST)
    assert here > 20
    page.wait_for_timeout(2000)  # JupyterLab notes what is open, and the book where
    page.reload()
    wait_for(page, STATE, lambda state: state and state["cells"] > 0)
    wait_for(page, FIRST, lambda first: first == here, seconds=60)
    assert settled(page, FIRST) == here


# As under load: JupyterLab says after ten seconds that the cell did not appear.
NEVER = """setInterval(() => {
  const {content} = window.jupyterapp?.shell.currentWidget ?? {};
  if (content?.scrollToItem) content.scrollToItem = () => Promise.reject('did not appear');
}, 5)"""


def test_a_reload_lands_where_one_was_though_jupyterlab_gives_up(newcomer, lab):
    page = newcomer
    open_chapter(page, lab, BOOK[1].name)
    settled(page, CELLS)
    page.evaluate(SCROLL, 40)
    here = settled(page, FIRST)
    page.wait_for_timeout(2000)
    page.add_init_script(NEVER)
    page.reload()
    wait_for(page, STATE, lambda state: state and state["cells"] > 0)
    wait_for(page, FIRST, lambda first: first == here, seconds=60)


RUN = """async source => {
  const {commands, shell} = window.jupyterapp;
  const {content} = shell.currentWidget;
  content.activeCellIndex = 2;
  await content.scrollToItem(2);
  content.activeCell.model.sharedModel.setSource(source);
  commands.execute('notebook:run-cell');
}"""


def test_an_import_says_what_it_waits_for(page, lab):
    """Only while it runs, and no other cell does."""
    open_chapter(page, lab, BOOK[1].name)
    said = page.get_by_role("status").filter(has_text="Loading PyTorch")
    page.evaluate(RUN, "import torch  # slowly")
    expect(said).to_be_visible()
    expect(said).to_have_count(0)
    page.evaluate(RUN, "print()  # slowly")
    page.wait_for_timeout(2500)
    expect(said).to_have_count(0, timeout=1)


TRUST = """() => {
  for (const cell of window.jupyterapp.shell.currentWidget.content.model.cells) cell.trusted = true;
}"""
CUT = """() => [...document.querySelectorAll('.jp-DirListing-itemText')]
  .filter(name => name.scrollWidth > name.clientWidth).map(name => name.innerText)"""


@pytest.fixture
def newcomer(browser):
    """A page that has no chapter open and remembers none."""
    yield from lab_page(browser)


def test_the_first_screen_shows_what_comes_out(newcomer, lab):
    """At 1280 × 800: the question, what you will be able to do, two slim bars of code, every name.
    The map, which comes next, fits a screen."""
    page = newcomer
    page.set_viewport_size({"width": 1280, "height": 800})
    open_chapter(page, lab, BOOK[0].name)
    page.evaluate(TRUST)
    screen = page.locator(".jp-WindowedPanel-outer").bounding_box()
    said = page.get_by_role("strong").filter(has_text="mechanism inside nearly every chatbot")
    expect(said).to_be_in_viewport()
    result = page.locator("[data-live] .live").first
    expect(result).to_be_visible()
    settled(page, CELLS)
    bars = [bar.bounding_box() for bar in page.locator(".jp-InputPlaceholder").all()[:2]]
    assert all(bar["height"] < 26 and bar["y"] < screen["height"] for bar in bars)
    box = result.bounding_box()
    assert box["y"] + box["height"] - bars[1]["y"] < screen["height"]
    assert page.locator(".jp-DirListing-itemText").count() >= len(BOOK)
    assert page.evaluate(CUT) == []
    page.screenshot(path=str(SHOTS / "first_screen.png"))


LIGHT = """() => [...document.querySelectorAll('.jp-OutputArea img')]
  .map(picture => getComputedStyle(picture).filter)"""


def test_a_white_picture_has_less_light_on_a_dark_page(page, lab):
    open_chapter(page, lab, BOOK[1].name)
    shown = settled(page, LIGHT)
    assert shown and {*shown} == {"none"}
    for theme, light in (("Dark", "brightness(0.85)"), ("Light", "none")):
        change = "theme => { jupyterapp.commands.execute('apputils:change-theme', {theme}) }"
        page.evaluate(change, f"JupyterLab {theme}")
        page.wait_for_function(
            "name => document.body.dataset.jpThemeName === name", arg=f"JupyterLab {theme}"
        )
        assert {*settled(page, LIGHT)} == {light}
        page.screenshot(path=str(SHOTS / f"reading-{theme.lower()}.png"))


def until(page, done):
    """Try until something holds, each time anew: what never does fails when patience ends."""
    deadline = time.monotonic() + PATIENCE / 1000
    while not done():
        assert time.monotonic() < deadline, done
        page.wait_for_timeout(200)


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_a_fold_of_an_answer_opens_by_key_and_is_not_read_before(page, lab, key):
    """The key lands on the fold; the cell stays rendered, and the notebook where it was."""
    open_chapter(page, lab, BOOK[1].name)
    settled(page, OPENED)
    fold = page.locator(".jp-RenderedMarkdown details", has_text=re.compile("^Compare")).first
    fold.scroll_into_view_if_needed()
    answer = fold.get_by_role("paragraph")
    expect(answer).to_have_count(0)
    name = fold.locator("summary")

    def lands():
        name.focus()
        page.keyboard.press("Shift+Tab")
        page.keyboard.press("Tab")
        return name.evaluate("node => node === document.activeElement")

    # JupyterLab takes the focus, or draws the text anew, as long as the chapter is being opened.
    until(page, lands)
    page.keyboard.press(key)
    expect(answer.first).to_be_visible()
    assert page.evaluate("window.jupyterapp.shell.currentWidget.content.mode") == "command"
    page.keyboard.press(key)
    expect(answer).to_have_count(0)


WHERE = """() => {
  const {content} = window.jupyterapp.shell.currentWidget;
  const cell = content.widgets.find(one => one.model.id === '897bce03');
  return cell && !cell.isHidden ? cell.node.getBoundingClientRect().top : null;
}"""


@pytest.mark.usefixtures("no_kernel_is_left")
def test_a_link_into_going_further_opens_it(page, lab):
    """A chapter that is just being opened moves on while it is drawn: then one clicks again."""
    name = "90_notation_and_claims.ipynb"
    open_chapter(page, lab, name)
    deadline, top = time.monotonic() + PATIENCE / 1000, None
    while top is None or not 0 <= top < 900:
        assert time.monotonic() < deadline, f"the section is {top} px from the top"
        page.evaluate(BACK, f"work/{name}")
        page.get_by_role("link", name="5.8", exact=True).first.click()
        wait_for(
            page,
            "() => window.jupyterapp.shell.currentWidget.context.path",
            lambda path: "05_" in path,
        )
        top = settled(page, WHERE)
