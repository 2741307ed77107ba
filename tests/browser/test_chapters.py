"""Every chapter, opened and run once in JupyterLab: guesses, cells, controls, figures on slides.

Runs with `make test-browser`. Screenshots of every chapter go to build/screenshots.
"""

import base64
import hashlib
import json
import re

import nbformat
import pytest
import slides
import working_copy
from cells import (
    COMPARE,
    answers,
    book,
    for_reading,
    further,
    is_imports,
    is_solution,
    tags,
)
from playwright.sync_api import expect
from servers import (
    DRAWN,
    HERE,
    open_chapter,
    run_command,
    serve,
    settled,
    unfold,
    wait_for,
    without_kernels,
)
from test_slides import open_deck, show

from conftest import SHOTS, new_page

BOOK = [path for path in book() if not path.name.startswith("92")]  # that wants triton
SIZE = {"width": 1280, "height": 900}

HEIGHT = """Math.max(...probe.all('.jp-WindowedPanel-outer', document)
  .map(panel => panel.scrollHeight))"""

# Every kernel runs this first: of each figure that is drawn, its smallest letters, in points.
WATCH = """
import hashlib, json
from matplotlib.backend_bases import FigureCanvasBase
from matplotlib.text import Text
print_figure = FigureCanvasBase.print_figure
def watched(canvas, filename, *arguments, **options):
    result = print_figure(canvas, filename, *arguments, **options)
    if hasattr(filename, "getvalue"):
        found = [t.get_fontsize() for t in canvas.figure.findobj(Text) if t.get_text().strip()]
        name = hashlib.sha256(filename.getvalue()).hexdigest()
        with open({path!r}, "a") as file:
            file.write(json.dumps([name, min(found)]) + "\\n")
    return result
FigureCanvasBase.print_figure = watched
"""


@pytest.fixture(scope="module")
def page(browser):
    with new_page(browser, allowed=HERE) as page:
        yield page


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """The file in which each kernel writes down what figures it draws."""
    return tmp_path_factory.mktemp("drawn") / "letters"


@pytest.fixture(scope="module")
def running(tmp_path_factory, drawn):
    """A server whose notebooks draw all their cells at once, so that they can be looked at."""
    startup = tmp_path_factory.mktemp("ipython") / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "watch.py").write_text(WATCH.format(path=str(drawn)), encoding="utf-8")
    home = str(startup.parent.parent)
    with serve(tmp_path_factory.mktemp("run"), write, DRAWN, IPYTHONDIR=home) as address:
        yield address


def write(work):
    working_copy.update(work=work)
    write_training(work)


@pytest.fixture(scope="module", params=BOOK, ids=lambda path: path.name[:2])
def ran(request, page, running):
    """A chapter of which all cells were run; it stays open for the tests that ask for it.

    Its kernel goes also when the run has failed: the next one shall have the machine to itself.
    """
    page.set_viewport_size(SIZE)
    open_chapter(page, running, request.param.name)
    page.evaluate("() => window.jupyterapp.shell.collapseLeft()")
    check_opened(page, request.param)
    # A stored chapter has its execution counts: they go first, so that only a run brings them back.
    run_command(page, "notebook:clear-all-cell-outputs")
    run_command(page, "notebook:run-all-cells")
    try:
        done = lambda now: now and now["ran"] == now["cells"] == now["last"]  # noqa: E731
        wait_for(page, "probe.ran()", done)
        yield request.param
    finally:
        without_kernels(page)


def check_opened(page, path):
    """What is optional is folded, answers are hidden, and what stands below a guess is veiled."""
    cells = for_reading(nbformat.read(path, as_version=4).cells)
    solutions = {i for i, cell in enumerate(cells) if is_solution(cell)}
    guesses = waiting(cells)
    assert {i for shown, _ in guesses for i in shown} == {*answers(cells)}
    wanted = {
        "folded": {*further(cells)[1:]},
        "hidden": {*answers(cells)} | solutions,
        "veiled": {i for _, below in guesses for i in below},
    }

    def found(now):
        return {name: {i for i, cell in enumerate(now) if cell[name]} for name in wanted}

    # The veil comes some time after the cells, and then it stays.
    wait_for(page, "probe.opened()", lambda now: found(now) == wanted, seconds=120)
    assert found(settled(page, "probe.opened()")) == wanted


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
        if not folds and not shown:
            continue
        start = folds[0] + 1 if folds else max(shown) + 1
        last = stop + ("**Predict.**" in text[stop] and not text[stop].startswith("#"))
        found.append((shown & {*range(start)}, range(start, last)))
    return found


def test_run_all_cells(page, ran):
    assert page.evaluate("probe.ran()")["errors"] == []
    assert not any(cell["hidden"] for cell in page.evaluate("probe.opened()")), "a hidden answer"
    unfold(page)
    page.set_viewport_size(SIZE | {"height": min(settled(page, HEIGHT) + 120, 16_000)})
    page.screenshot(path=str(SHOTS / f"{ran.name[:2]}.png"))
    wrong = ".jp-RenderedMarkdown .MathJax_Error, .jp-RenderedMarkdown mjx-merror"
    assert page.locator(wrong).count() == 0
    page.wait_for_function("probe.hosts().filter(one => one.shadowRoot).length === probe.figures()")
    check_controls(page, ran)
    assert page.outside == []


def check_controls(page, chapter):
    """Move every slider there and back: each time the picture of its own figure is drawn again."""
    figures = page.locator(".widget-interact")
    expect(figures).to_have_count(chapter.read_text(encoding="utf-8").count("_ = interact("))
    for figure in figures.all():
        picture = figure.locator("img[alt]")
        for handle in figure.locator(".noUi-handle").all():
            for key in ("ArrowRight", "ArrowLeft"):
                before = picture.get_attribute("src")
                handle.press(key)
                expect(picture).not_to_have_attribute("src", before)


def letters_of_figures(page, drawn):
    """Cell -> the smallest letters of its figure in pixels of the picture: as it was drawn now."""
    sizes = dict(json.loads(line) for line in drawn.read_text(encoding="utf-8").splitlines())
    found = {}
    for cell, output in page.evaluate("probe.outputs()"):
        if png := slides.picture(output):
            name = hashlib.sha256(base64.b64decode(png)).hexdigest()
            found[cell] = sizes[name] * 100 / 72  # a picture has 100 pixels an inch
    return found


def test_the_letters_of_its_figures_are_large_enough_on_slides(page, browser, decks, drawn, ran):
    if ran not in slides.decks():
        pytest.skip("nothing of it is put on slides")
    least = letters_of_figures(page, drawn)
    with new_page(browser) as screen:
        open_deck(screen, decks / f"{ran.stem}.html")
        found = []
        for i in range(screen.evaluate("Reveal.getTotalSlides()")):
            show(screen, i)
            found += screen.evaluate("probe.scales()")
    sizes = [(least[cell] * scale, cell) for cell, scale in found]
    assert sizes and [one for one in sizes if one[0] < 16] == []


TRAINING = "training.ipynb"
OWN = {"s00-read", "s00-count", "s00-fit-helpers", "s00-fit", "s00-curves", "s00-guard"}


def write_training(work):
    """The cells that 0.8 needs, with the steps to which it invites."""
    notebook = json.loads(book()[0].read_text(encoding="utf-8"))
    imports = next(cell for cell in notebook["cells"] if is_imports(cell))
    part = [c for c in notebook["cells"] if c["id"] in OWN or "experiment: each_part" in tags(c)]
    for cell in part:
        cell["source"] = "".join(cell["source"]).replace("steps = 30 ", "steps = 1200 ")
    notebook["cells"] = [imports, *part]
    (work / TRAINING).write_text(json.dumps(notebook), encoding="utf-8")


def test_a_training_that_is_stopped(page, running):
    """A true curve, no error, no bar in the saved file."""
    open_chapter(page, running, TRAINING)
    run_command(page, "notebook:run-all-cells")
    bar = page.get_by_text("/1200 [")
    expect(bar).to_be_visible()
    page.get_by_role("button", name="Interrupt the kernel").click()
    done = lambda now: now["ran"] == now["cells"] and now["errors"] == []  # noqa: E731
    wait_for(page, "probe.ran()", done)
    expect(bar).to_have_count(0)
    said = page.get_by_text(re.compile("^stopped after .* of 1,200 steps"))
    steps = re.search(r"after (\d+) of", said.inner_text())[1]
    curve = page.get_by_alt_text(f"over step from 0 to {steps}:")
    curve.scroll_into_view_if_needed()
    page.screenshot(path=str(SHOTS / "stopped.png"))
    page.keyboard.press("Control+s")
    wait_for(page, "probe.panel().context.model.dirty", lambda dirty: dirty is False)
    page.reload()
    curve.scroll_into_view_if_needed()
    assert page.get_by_text("Error displaying widget").count() == 0
    without_kernels(page)
