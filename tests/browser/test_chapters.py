"""Every chapter, run once in JupyterLab: its cells, its figures and controls, and its slides.

Runs with `make test-browser`. Screenshots of every chapter go to build/screenshots.
"""

import base64
import hashlib
import json
import shutil
import statistics
from functools import partial

import pytest
import slides
from cells import book, chapters, is_taught
from playwright.sync_api import expect
from test_lab import (
    OPENED,
    SETTINGS,
    STATE,
    UNFOLD,
    lab_page,
    open_chapter,
    serve,
    settled,
    wait_for,
)
from test_slides import open_deck

from conftest import ROOT, SHOTS, quiet_page

CHAPTERS = chapters()
BOOK = [path for path in book() if not path.name.startswith("92")]  # that wants triton
SIZE = {"width": 1280, "height": 900}

# A stored chapter has its execution counts: they go first, so that only a run brings them back.
RUN = """async () => {
  await window.jupyterapp.commands.execute('notebook:clear-all-cell-outputs');
  window.jupyterapp.commands.execute('notebook:run-all-cells');
}"""

HEIGHT = """() => Math.max(
  ...[...document.querySelectorAll('.jp-WindowedPanel-outer')].map(panel => panel.scrollHeight))"""

# (cell, an output of it) for all that the run has put out.
OUTPUTS = """() => [...window.jupyterapp.shell.currentWidget.content.model.cells]
  .filter(cell => cell.type === 'code')
  .flatMap(cell => cell.outputs.toJSON().map(output => [cell.id, output]))"""

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
    yield from lab_page(browser)


@pytest.fixture
def screen(browser):
    """A page of its own for a deck, and its requests and errors stay empty."""
    yield from quiet_page(browser)


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """The file in which each kernel writes down what figures it draws."""
    return tmp_path_factory.mktemp("drawn") / "letters"


@pytest.fixture(scope="module")
def lab(tmp_path_factory, drawn):
    """A server whose notebooks draw all their cells at once, so that they can be looked at."""
    startup = tmp_path_factory.mktemp("ipython") / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "watch.py").write_text(WATCH.format(path=str(drawn)), encoding="utf-8")
    home = str(startup.parent.parent)
    yield from serve(tmp_path_factory, json.dumps(SETTINGS), copies=as_taught, IPYTHONDIR=home)


def as_taught(work):
    """The chapters as `make edit` shows them, with slides and notes, which a reader has not."""
    shutil.copytree(ROOT / "notebooks", work)


@pytest.fixture(scope="module", params=BOOK, ids=lambda path: path.name[:2])
def ran(request, page, lab, drawn):
    """A chapter of which all cells were run, its path; it stays open for the tests that ask for it.

    Its kernel goes also when the run has failed: the next one shall have the machine to itself.
    """
    page.set_viewport_size(SIZE)
    open_chapter(page, lab, request.param.name)
    page.evaluate("() => window.jupyterapp.shell.collapseLeft()")
    page.evaluate(RUN)
    try:
        wait_for(page, STATE, lambda now: now and now["ran"] == now["cells"] == now["last"])
        yield request.param
    finally:
        page.evaluate("() => window.jupyterapp.serviceManager.sessions.shutdownAll()")


def test_run_all_cells(page, ran):
    assert page.evaluate(STATE)["errors"] == []
    assert all(cell["output"] is not False for cell in page.evaluate(OPENED)), "a hidden answer"
    page.evaluate(UNFOLD)

    page.set_viewport_size(SIZE | {"height": min(settled(page, HEIGHT) + 120, 16_000)})
    page.screenshot(path=str(SHOTS / f"{ran.name[:2]}.png"))
    wrong = ".jp-RenderedMarkdown .MathJax_Error, .jp-RenderedMarkdown mjx-merror"
    assert page.locator(wrong).count() == 0
    check_controls(page, ran)
    assert page.outside == []


def check_controls(page, chapter):
    """Move every control there and back: each time the picture of its own figure is drawn again.

    Back, because a control may have nothing to change once another one was moved.
    """
    figures = page.locator(".widget-vbox", has=page.locator("img.widget-image"))
    controls = chapter.read_text(encoding="utf-8").count("interact.controls(")
    expect(figures).to_have_count(controls)
    for figure in figures.all():
        picture = figure.locator("img.widget-image")
        for control in figure.locator(".noUi-handle, select, input[type=checkbox]").all():
            for move in there_and_back(control):
                before = picture.get_attribute("src")
                move()
                expect(picture).not_to_have_attribute("src", before)


def there_and_back(control):
    """Two functions: one gives a slider, a menu or a box another value, one the old value again."""
    kind = control.evaluate("control => control.tagName")
    if kind == "SELECT":
        chosen = control.evaluate("menu => menu.selectedIndex")
        return [partial(control.select_option, index=i) for i in (0 if chosen else 1, chosen)]
    if kind == "INPUT":
        return [partial(control.press, "Space")] * 2
    least = control.get_attribute("aria-valuenow") == control.get_attribute("aria-valuemin")
    keys = ("ArrowRight", "ArrowLeft") if least else ("ArrowLeft", "ArrowRight")
    return [partial(control.press, key) for key in keys]


# Slide by slide, with all that appears on it: its words (a formula is one), the blocks below its
# title, the size of its smallest letters, of those of its live figure, how much larger than stored
# each picture is shown, and what leaves the slide. Pixels of a screen of 1280 × 720.
MEASURES = """async () => {
  const fontSize = node => parseFloat(getComputedStyle(node).fontSize);
  const seen = node => node.checkVisibility() && node.getBoundingClientRect().width;
  const zoomed = node => node.currentCSSZoom;
  // What is given with a question, defined or written as a formula may take more words.
  const STANDS = '.celltag_given, .celltag_definition, .celltag_formula, .celltag_board';
  const isWord = text => /[\\p{L}\\p{N}]/u.test(text);
  const letters = (root, filter) => {
    const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT), found = [];
    while (walk.nextNode()) {
      const parent = walk.currentNode.parentElement, text = walk.currentNode.textContent.trim();
      if (text && seen(parent) && filter(parent)) found.push([parent, text]);
    }
    return found;
  };
  const drawn = node => {  // in a live figure
    const svg = node.closest('svg');
    const scale = svg ? svg.getBoundingClientRect().width / svg.viewBox.baseVal.width : 1;
    return fontSize(node) * (svg ? scale : zoomed(node));
  };
  const found = [];
  for (const slide of Reveal.getSlides()) {
    const {h, v} = Reveal.getIndices(slide);
    Reveal.slide(h, v ?? 0, 999);
    await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
    const outside = 'aside, style, script, [data-live], .live-fallback, mjx-container';
    const texts = letters(slide, node => !node.closest(outside));
    const counted = node => !node.closest('pre, .bars') && !node.closest(STANDS);
    const prose = texts.filter(([node]) => counted(node)).map(([, text]) => text);
    const formulas = [...slide.querySelectorAll('mjx-container')].filter(seen).filter(counted);
    const live = slide.querySelector('[data-live]')?.shadowRoot.querySelector('.live');
    const code = 'style, script, option, [hidden]';
    const blocks = [...slide.querySelectorAll(
      'h1, h2, p, pre, img, li, table, [data-live]')].filter(seen).filter(b => !b.closest('aside'));
    const leaves = blocks.filter(block => {
      const {left, right, top, bottom} = block.getBoundingClientRect();
      return left < 0 || right > 1281 || top < 0 || bottom > 721
        || (block.matches('pre') && block.scrollWidth > block.clientWidth + 1);
    });
    found.push({
      at: [h, v], title: texts[0]?.[1], blocks: blocks.length - 1,
      words: prose.join(' ').split(/\\s+/).filter(isWord).length + formulas.length,
      html: Math.min(...texts.map(([node]) => fontSize(node) * zoomed(node))),
      live: live ? Math.min(...letters(live, node => !node.closest(code))
        .map(([node]) => drawn(node))) : null,
      pictures: [...slide.querySelectorAll('img')].filter(seen).map(img => [img.dataset.cell,
        Math.min(img.width / img.naturalWidth, img.height / img.naturalHeight)]),
      leaves: leaves.map(block => block.outerHTML.slice(0, 80)),
    });
  }
  return found;
}"""


def letters_of_figures(page, drawn):
    """Cell -> the smallest letters of its figure in pixels of the picture: as it was drawn now."""
    sizes = dict(json.loads(line) for line in drawn.read_text(encoding="utf-8").splitlines())
    found = {}
    for cell, output in page.evaluate(OUTPUTS):
        if png := slides.picture(output):
            name = hashlib.sha256(base64.b64decode(png)).hexdigest()
            found[cell] = sizes[name] * 100 / 72  # a picture has 100 pixels an inch
    return found


def test_a_deck_can_be_read_from_the_last_row(page, screen, decks, drawn, ran):
    if ran not in slides.decks():
        pytest.skip("nothing of it is put on slides")
    least = letters_of_figures(page, drawn)
    open_deck(screen, decks / f"{ran.stem}.html")
    found = screen.evaluate(MEASURES)
    sizes = [(least[cell] * scale, cell) for slide in found for cell, scale in slide["pictures"]]
    counts = [slide["words"] for slide in found]
    html = min(slide["html"] for slide in found)
    live = [slide["live"] for slide in found if slide["live"]]
    print(
        f"\n{ran.name[:2]}: {len(found)} slides, words: median {statistics.median(counts):g}, "
        f"at most {max(counts)}; least letters: HTML {html:.1f} px, figures "
        f"{min(sizes)[0] if sizes else 0:.1f}, live figures {min(live, default=0):.1f}"
    )
    gone = [slide for slide in found if slide["leaves"]]
    assert gone == [], f"leaves its slide: {gone}"
    assert [slide for slide in found if slide["blocks"] < 1] == [], "a title is no slide"
    assert [slide for slide in found if slide["words"] > 52] == []  # with its caption
    # An answer that was printed numbers is told in words.
    assert statistics.median(counts) <= 36 or not is_taught(ran)
    assert html >= 20
    assert [(cell, size) for size, cell in sizes if size < 16.5] == []
    assert [slide for slide in found if slide["live"] and slide["live"] < 17.9] == []
    assert screen.locator("mjx-merror").count() == 0
    assert screen.locator(".fragment aside").count() == 0, "the speaker's view would leave it out"
