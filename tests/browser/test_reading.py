"""JupyterLab as `make lab` sets it up, read by Shift+Enter and by keys.

Runs with `make test-browser`. The kernel answers at once and computes nothing: what is tried is
where the reader stands, and what is seen there.
"""

import itertools

import nbformat
import pytest
from cells import COMPARE, chapters, for_reading
from playwright.sync_api import expect
from servers import HERE, open_chapter, settled, wait_for, without_kernels
from test_chapters import waiting

from conftest import new_page

CHAPTERS = chapters()


@pytest.fixture(scope="module")
def page(browser):
    with new_page(browser, allowed=HERE) as page:
        yield page


@pytest.fixture(autouse=True)
def no_kernel_is_left(page):
    yield
    without_kernels(page)


def opened(page, lab, k):
    """Open a chapter, and return its cells once it keeps still."""
    open_chapter(page, lab, CHAPTERS[k].name)
    settled(page, "probe.opened()")
    return for_reading(nbformat.read(CHAPTERS[k], as_version=4).cells)


def at(page):
    return page.evaluate("probe.selected()")


def select(page, i):
    """Select a cell, which does not bring it into sight."""
    page.evaluate("probe.select(0)")
    page.evaluate("i => { probe.content().activeCellIndex = i; }", i)


def is_open(page, i):
    return page.evaluate("i => probe.compared(i)", i)


def wait_until_open(page, i):
    page.wait_for_function("i => probe.compared(i)", arg=i)


def veiled(page):
    return {i for i, cell in enumerate(page.evaluate("probe.opened()")) if cell["veiled"]}


@pytest.mark.parametrize("k", [0, 3, 10])
def test_shift_enter_reads_the_chapter(page, lab, k):
    """The next cell in sight is selected and seen, what is folded stays folded, and *Compare*,
    which takes a stroke of its own, opens."""
    cells = opened(page, lab, k)
    seen = page.evaluate("probe.opened().flatMap((cell, i) => (cell.folded ? [] : [i]))")
    folds = "probe.opened().map(cell => [cell.folded, cell.shut])"
    before = page.evaluate(folds)
    select(page, 0)
    for here, there in itertools.pairwise(seen):
        if cells[here]["source"].startswith(COMPARE):
            page.keyboard.press("Shift+Enter")
            wait_until_open(page, here)
            assert at(page)["index"] == here
        page.wait_for_timeout(100)  # what moves the page comes after the key
        for _ in range(50):  # again, where what is drawn late has moved the end out of sight
            page.evaluate("i => probe.read(i)", here)
            page.keyboard.press("Shift+Enter")
            if at(page)["index"] != here:
                break
        page.wait_for_timeout(100)
        now = at(page)
        assert now["index"] == there, f"from cell {here} to {now['index']}"
        assert now["pixels"] > 15, f"cell {there} after {here}: {now['pixels']} pixels in view"
    assert page.evaluate(folds) == before


def test_what_stands_below_a_guess_waits_for_it(page, lab):
    """It cannot be read until the cell has shown its output, or the reader has gone there, who
    then sees the output, too."""
    guesses = waiting(opened(page, lab, 1))
    expected = {i for _, below in guesses for i in below}
    wait_for(page, "probe.opened().map(cell => cell.veiled)", lambda _: veiled(page) == expected)
    show = "found => { for (const i of found) probe.widgets()[i].outputHidden = false; }"
    page.evaluate(show, sorted(guesses[0][0]))
    first = set(guesses[0][1]) - {i for _, below in guesses[1:] for i in below}
    answers, last = [guess for guess in guesses if guess[0] and guess[1]][-1]
    wait_for(page, "1", lambda _: not first & veiled(page))
    page.evaluate("i => { probe.content().activeCellIndex = i; }", min(last))
    wait_for(page, "1", lambda _: not set(last) & veiled(page))
    cells = page.evaluate("probe.opened()")
    assert not any(cells[i]["hidden"] for i in answers)


def test_an_arrow_lifts_no_veil(page, lab):
    """Who walks by keys passes over what waits for a guess; Enter lifts it and opens no source."""
    _, below = waiting(opened(page, lab, 0))[0]
    wait_for(page, "1", lambda _: set(below) <= veiled(page))
    select(page, below[0] - 1)
    while at(page)["index"] < below[0]:  # a first one may only bring the cell into sight
        page.keyboard.press("ArrowDown")
        page.wait_for_timeout(1500)  # it is looked at twice a second
    assert at(page)["index"] == below[0]
    assert set(below) <= veiled(page)
    page.keyboard.press("Enter")
    wait_for(page, "1", lambda _: not set(below) & veiled(page))
    assert page.evaluate("probe.content().mode") == "command"


def test_a_long_text_is_read_to_its_end_before_the_next_is_seen(page, lab):
    """Stroke by stroke, and nothing of it is left out; and of the next not its first line alone."""
    pairs = itertools.pairwise(cell["cell_type"] for cell in opened(page, lab, 0))
    here = next(i for i, kinds in enumerate(pairs) if i > 8 and {*kinds} == {"markdown"})
    select(page, here)
    for i, source in enumerate(("A line.\n\n" * 60, "# A heading\n\n" + "A line.\n\n" * 6), here):
        page.evaluate(
            "([i, source]) => probe.widgets()[i].model.sharedModel.setSource(source)", [i, source]
        )
    read, strokes = 0, 0
    while (now := settled(page, "probe.selected()"))["index"] == here and strokes < 20:
        assert now["start"] <= read + 5
        read, strokes, left = max(read, now["end"]), strokes + 1, now["below"]
        page.keyboard.press("Shift+Enter")
        page.wait_for_timeout(500)
    assert left <= 8 and strokes > 2
    page.wait_for_timeout(3000)
    now = settled(page, "probe.selected()")
    assert now["height"] > 150 and now["end"] >= now["height"] - 1


def test_an_opened_answer_is_seen(page, lab):
    """It opened below the window's edge."""
    cells = opened(page, lab, 0)
    here = next(i for i, cell in enumerate(cells) if cell["source"].startswith(COMPARE))
    select(page, here)
    settled(page, "probe.selected()")
    page.evaluate("probe.view().scrollTop += probe.selected().below")
    page.keyboard.press("Shift+Enter")
    wait_until_open(page, here)
    assert settled(page, "probe.selected()")["below"] <= 1


FIGURE = "from IPython.display import HTML\nHTML('<div style=\"height:{}px\">is shown</div>')"
LATE = """from IPython.display import HTML
HTML('<style>@keyframes late { to { height: 550px } }</style>'
     '<div style="height:40px; animation:late 0s 1s forwards">is shown</div>')"""
DRAWS = 7  # a code cell of chapter 1
HEIGHT = f"probe.widgets()[{DRAWS}].node.offsetHeight"


def run(page, i, source):
    """Put another source into a cell and run it."""
    page.evaluate("([i, source]) => probe.put(i, source)", [i, source])
    page.keyboard.press("Shift+Enter")


def test_what_was_run_stays_in_sight(page, lab):
    """Of a figure that fits the window nothing is cut off, and the next cell is seen as well; also
    where it is drawn a second later."""
    opened(page, lab, 1)
    for source in (FIGURE.format(50), FIGURE.format(550), LATE):
        run(page, DRAWS, source)
        page.wait_for_timeout(4000)
        now = settled(page, "probe.selected()")
        assert now["above"] >= -1
        assert now["end"] >= min(60, now["height"]) - 1


def test_a_cell_that_runs_again_keeps_its_place_until_it_has_run(page, lab):
    """What stood there is gone at once, and without it all that follows jumped up."""
    opened(page, lab, 1)
    run(page, DRAWS, FIGURE.format(400))
    wait_for(page, HEIGHT, lambda high: high > 400)
    run(page, DRAWS, "print()  # slowly")
    page.wait_for_timeout(2000)
    assert page.evaluate(HEIGHT) > 400
    wait_for(page, HEIGHT, lambda high: high < 200)


@pytest.mark.parametrize(
    ("chapter", "fold"),
    [(0, COMPARE), (0, "<details><summary>The answers"), (2, "### Exercise 2.2")],
)
def test_the_selected_answer_opens_and_is_not_taken_apart(page, lab, chapter, fold):
    """Enter opens a fold, also a hint within a text, and shuts it; a double click leaves it so."""
    cells = opened(page, lab, chapter)
    here = next(i for i, cell in enumerate(cells) if cell["source"].startswith(fold))
    select(page, here)
    page.wait_for_function("i => probe.widgets()[i].node.querySelector('details')", arg=here)
    page.keyboard.press("Enter")
    wait_until_open(page, here)
    text = page.locator(".jp-Notebook-cell.jp-mod-active details").locator("p, li").first
    text.scroll_into_view_if_needed()
    text.dblclick()
    page.wait_for_timeout(500)
    assert is_open(page, here) and page.evaluate("probe.content().mode") == "command"
    page.keyboard.press("Enter")
    page.wait_for_timeout(300)
    assert not is_open(page, here)


def test_a_click_moves_no_page(page, lab):
    """Also after Shift+Enter, and after one has turned the wheel away from what was run.

    A fold that is opened by its button leaves the keyboard alive.
    """
    opened(page, lab, 1)
    select(page, 0)
    page.keyboard.press("Shift+Enter")
    page.wait_for_timeout(1000)  # what was run has come into sight
    page.mouse.move(600, 500)
    page.mouse.wheel(0, 900)
    *_, y = settled(page, "probe.below()")
    page.mouse.wheel(0, y - 600)
    before, cell, x, y = settled(page, "probe.below()")
    page.mouse.click(x, y)
    page.wait_for_timeout(1000)
    assert at(page)["index"] == cell
    assert page.evaluate("probe.below()")[0] == before
    page.locator("button.jp-showHiddenCellsButton").first.click()
    page.wait_for_timeout(500)
    assert page.evaluate("document.activeElement.closest('.jp-Notebook') !== null")


# As under load: JupyterLab says after ten seconds that the cell did not appear.
NEVER = """setInterval(() => {
  const {content} = window.jupyterapp?.shell.currentWidget ?? {};
  if (content?.scrollToItem) content.scrollToItem = () => Promise.reject('did not appear');
}, 5)"""


@pytest.mark.parametrize("script", ["", NEVER], ids=["", "though JupyterLab gives up"])
def test_a_reload_lands_where_one_was(browser, lab, script):
    with new_page(browser, allowed=HERE) as page:
        opened(page, lab, 1)
        page.evaluate("probe.content().scrollToItem(40, 'start').then(() => {})")
        here = settled(page, "probe.first()")
        assert here > 20
        page.wait_for_timeout(2000)  # JupyterLab notes what is open, and the book where
        page.add_init_script(script)
        page.reload()
        wait_for(page, "probe.ran()", lambda state: state and state["cells"] > 0)
        wait_for(page, "probe.first()", lambda first: first == here, seconds=60)
        assert settled(page, "probe.first()") == here


def test_an_import_says_what_it_waits_for(page, lab):
    """Only while it runs, and no other cell does."""
    opened(page, lab, 1)
    said = page.get_by_role("status").filter(has_text="Loading PyTorch")
    run(page, 2, "import torch  # slowly")
    expect(said).to_be_visible()
    expect(said).to_have_count(0)
    run(page, 2, "print()  # slowly")
    page.wait_for_timeout(2500)
    expect(said).to_have_count(0, timeout=1)
