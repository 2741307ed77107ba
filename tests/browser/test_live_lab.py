"""Live figures in JupyterLab: run, stored, trusted or not, and dark.

Runs with `make test-browser`. Screenshots go to build/screenshots.
"""

import doctest
import os
import re
import subprocess
import sys

import nbformat
import pytest
import test_lab
import working_copy
from accessible import violations
from live_kinds import KINDS, SENTENCE, X
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from test_live import CONTRAST, FIGURES, HOST, LETTERS

from conftest import PATIENCE, ROOT, SHOTS, frame, watch
from d2lattn_book.pictures import live


def example(kind):
    """What the docstring of a kind shows, as a cell."""
    lines = doctest.DocTestParser().get_examples(getattr(live, kind).__doc__)
    return "".join(
        [
            f"from d2lattn import Decoder\nfrom d2lattn_book.pictures.live import {kind}\n",
            *(one.source for one in lines),
        ]
    ).strip()


def microscope(mask):
    line = f"live.attention({X}, tokens={SENTENCE}, mask={mask!r})"
    return f"from d2lattn_book.pictures import live\n{line}"


SOURCES = [microscope("none"), *map(example, KINDS[1:]), microscope("causal")]
IN_LAB = """() => [...document.querySelectorAll('[data-live]')]
  .map(host => host.shadowRoot?.innerHTML)"""


KERNEL = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
SHOWN = ("attention", "training", *KINDS[2:])
TRAINED = {
    "one model": dict(task="sentences", model={"heads": 2}),
    "own text": dict(task="text"),
    "beside another": dict(task="copy", compare={"layers": 1}),
    "as large as can be": dict(
        task="sentences", model={"layers": 2, "heads": 4}, compare={"mask": False}
    ),
}


def shown(figure, source):
    data = figure._repr_mimebundle_()
    output = new_output("execute_result", data, execution_count=1)
    return new_code_cell(source, outputs=[output], execution_count=1)


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """A server on notebooks that somebody has trusted and on one that nobody has."""
    folder = tmp_path_factory.mktemp("lab")
    cells = []
    for source in SOURCES:
        lines, _, last = source.rpartition("\n")
        names = {}
        exec(lines, names)
        figure = eval(last, names)
        between = new_markdown_cell("\n\n".join(["Words in between."] * 12))
        cells += [shown(figure, source), between]
    nbformat.write(new_notebook(cells=cells, metadata=KERNEL), folder / "live.ipynb")
    cells = [shown(FIGURES[name](), "live.…") for name in SHOWN]
    nbformat.write(new_notebook(cells=cells, metadata=KERNEL), folder / "trusted.ipynb")
    cells = [shown(live.train(**one), "live.train(…)") for one in TRAINED.values()]
    nbformat.write(new_notebook(cells=cells, metadata=KERNEL), folder / "train.ipynb")

    secret = {"JUPYTER_DATA_DIR": str(folder / "data")}  # whom this server has trusted
    trusted = [folder / "trusted.ipynb", folder / "train.ipynb"]
    trust = [sys.executable, "-m", "jupyter", "trust", *trusted]
    subprocess.run(trust, check=True, capture_output=True, env={**os.environ, **secret})
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUPYTER_DATA_DIR", secret["JUPYTER_DATA_DIR"])
        write_copies(folder / "work")
    process, address = test_lab.start(lab_command(), folder, folder, **secret)
    yield lambda name: address.replace("/lab?", f"/lab/tree/{name}.ipynb?reset&")
    test_lab.stop(process)


ATTACK = "<img src=x onerror='window.attacked = true'>"


def write_copies(work):
    """Chapter 0 in which its reader wrote, and one of a classmate, with an output that acts."""
    working_copy.update(work=work)
    (path,) = work.glob("00_*.ipynb")
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[0].source += ATTACK
    for name, kind in {"mine": "text/plain", "from_a_classmate": "text/html"}.items():
        told = [new_output("stream", text=ATTACK), new_output("display_data", {kind: ATTACK})]
        told.append(new_output("error", ename=ATTACK, evalue=ATTACK, traceback=[ATTACK]))
        cells = [new_markdown_cell(ATTACK), new_code_cell("1", outputs=told), *notebook.cells]
        copy = new_notebook(cells=cells, metadata=notebook.metadata)
        nbformat.write(copy, work / f"{name}.ipynb")
    (said,) = working_copy.trust(work=work)
    assert said.endswith(": from_a_classmate.ipynb")


def lab_command():
    flags = ["--no-browser", "--allow-root", "--expose-app-in-browser", "--LabApp.news_url="]
    return [sys.executable, "-m", "jupyterlab", f"--port={test_lab.free_port()}", *flags]


@pytest.fixture
def page(browser):
    context = browser.new_context(viewport={"width": 1280, "height": 720})
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    watch(page, test_lab.HERE)
    yield page
    page.evaluate("() => window.jupyterapp?.serviceManager.sessions.shutdownAll()")
    context.close()


def alive(page, count):
    page.wait_for_function(f"({IN_LAB})().filter(Boolean).length === {count}", polling=500)


SCROLL = "i => { window.jupyterapp.shell.currentWidget.content.scrollToItem(i) }"
IN_SIGHT = """i => {
  const {content} = window.jupyterapp.shell.currentWidget;
  const cell = content.widgets[i].node, box = cell.getBoundingClientRect();
  const seen = content.node.getBoundingClientRect();
  return cell.isConnected && box.height && box.top < seen.bottom && box.bottom > seen.top;
}"""


def test_jupyterlab(page, lab):
    """Untrusted the tables, after Run All the figures, and they live on when it is opened again."""
    page.goto(lab("live"))
    page.locator(".jp-OutputArea table").first.wait_for()
    assert page.locator("[data-live]").count() == 0  # the sanitizer took element and script away
    assert page.locator(".jp-OutputArea caption").first.is_visible()
    page.screenshot(path=str(SHOTS / "live-lab-untrusted.png"))

    test_lab.wait_for(page, test_lab.STATE, lambda state: state and state["cells"] == len(SOURCES))
    run_command(page, "notebook:run-all-cells")
    test_lab.wait_for(page, test_lab.STATE, lambda now: now["ran"] == now["cells"] == now["last"])
    alive(page, len(SOURCES))
    test_lab.settled(page, IN_LAB)
    page.screenshot(path=str(SHOTS / "live-lab.png"))

    # Keys stay in the figure: "b" adds no cell; Escape gives them back to the notebook.
    cells = page.evaluate("window.jupyterapp.shell.currentWidget.content.widgets.length")
    weight = page.get_by_label("weight of query found on key cat", exact=False).first
    weight.click()
    for key in ("b", "ArrowRight", "x"):
        page.keyboard.press(key)
    assert page.evaluate("window.jupyterapp.shell.currentWidget.content.widgets.length") == cells
    frame(page)
    before = page.evaluate(IN_LAB)
    assert "query of found" in before[0]
    page.keyboard.press("Escape")
    assert page.evaluate("!!document.activeElement.closest('.jp-Notebook')")
    assert page.evaluate("!document.activeElement.shadowRoot")

    # Scrolled away and back, the state is kept; what was not in sight now has its width.
    for cell in (*range(2, 2 * len(SOURCES), 2), 0):
        page.evaluate(SCROLL, cell)
        page.wait_for_function(IN_SIGHT, arg=cell)
        test_lab.settled(page, IN_LAB)
    assert page.evaluate(IN_LAB)[0] == before[0]
    before = page.evaluate(IN_LAB)

    # A second run of one cell resets its figure alone.
    page.evaluate("""async () => {
      const notebook = window.jupyterapp.shell.currentWidget.content;
      notebook.activeCellIndex = 2;
      await window.jupyterapp.commands.execute('notebook:run-cell');
    }""")
    alive(page, len(SOURCES))
    again = test_lab.settled(page, IN_LAB)
    assert again[0] == before[0] and again[2:] == before[2:]

    page.evaluate("window.jupyterapp.commands.execute('docmanager:save')")
    page.wait_for_function("!jupyterapp.shell.currentWidget.content.model.dirty")
    page.goto(lab("live"))
    alive(page, len(SOURCES))


OUTPUTS = """() => [...document.querySelectorAll('.jp-OutputArea')]
  .some(node => node.innerText.includes('window.attacked'))"""


@pytest.mark.parametrize("name, lives", [("mine", True), ("from_a_classmate", False)])
def test_a_copy_lives_if_what_it_shows_is_the_books_and_nothing_else_acts(page, lab, name, lives):
    page.goto(lab(f"work/{name}"))
    page.wait_for_function(OUTPUTS)
    page.locator("[data-live]" if lives else ".live-fallback table").first.wait_for()
    test_lab.settled(page, IN_LAB)
    assert (page.locator("[data-live]").count() > 0) == lives
    assert page.evaluate("() => window.attacked") is None


def run_command(page, name, **options):
    """Start a command of JupyterLab and do not wait: some of them never say that they ended."""
    start = "([name, options]) => { jupyterapp.commands.execute(name, options) }"
    page.evaluate(start, [name, options])


OUTPUT = "jupyterapp.shell.currentWidget.content.widgets[{}].outputArea.node.offsetHeight"


def bring_into_sight(page, k):
    page.evaluate(SCROLL, k)
    page.wait_for_function(IN_SIGHT, arg=k)
    frame(page)


def test_what_trains_leaves_room_on_a_slide(page, lab):
    """At 1280 × 720, and with letters as large as ever: after some steps it has most to say."""
    page.goto(lab("train"))
    alive(page, len(TRAINED))
    page.evaluate("jupyterapp.shell.collapseLeft()")
    for k, name in enumerate(TRAINED):
        host = page.locator("[data-live]").nth(k)
        ten = host.get_by_role("button", name="ten steps", exact=True)
        begun = host.get_by_text(re.compile(r"^Step [1-9]"))
        for _ in range(20):  # a figure above may still grow, and a click be missed
            bring_into_sight(page, k)
            ten.click()
            page.wait_for_timeout(1000)
            if begun.count():
                break
        host.get_by_text(re.compile(r"^Step [1-9]0\.")).wait_for()
        heights = []
        for _ in range(2):
            frame(page)
            heights.append(page.evaluate(OUTPUT.format(k)))
            page.screenshot(path=str(SHOTS / f"live-train-lab-{k}-{len(heights)}.png"))
            assert host.evaluate(LETTERS) >= 12
            host.get_by_label("queries, keys, values", exact=True).check()
        print(f"\n{name}: {heights[0]} px high, {heights[1]} with queries, keys, values")
        assert max(heights) <= 620, name


GROUND = """(() => {  // what lies behind the first figure
  let node = document.querySelector('[data-live]');
  while (getComputedStyle(node).backgroundColor === 'rgba(0, 0, 0, 0)') node = node.parentElement;
  return getComputedStyle(node).backgroundColor;
})()"""


def test_dark_theme(page, lab):
    """axe finds nothing, and it cannot see into a drawing: there the contrast is measured."""
    page.goto(lab("trusted"))
    alive(page, len(SHOWN))
    run_command(page, "apputils:change-theme", theme="JupyterLab Dark")
    page.wait_for_function("document.body.dataset.jpThemeName === 'JupyterLab Dark'")
    ground = "rgb(17, 17, 17)"
    page.wait_for_function(GROUND + f" === '{ground}'")
    assert violations(page, "[data-live]") == []
    worst, text = page.evaluate(CONTRAST.replace(HOST, "[data-live]"), ground)
    print(f"\ncontrast in the dark theme: at least {worst:.1f} ({text})")
    assert worst >= 4.5
    page.screenshot(path=str(SHOTS / "live-lab-dark.png"))


def test_make_lab_opens_the_first_chapter_and_others_are_alive(page, tmp_path):
    """As after a clone: the stored outputs are trusted, and nothing has run."""
    chapter = next(
        path for path in test_lab.CHAPTERS if "data-live" in path.read_text(encoding="utf-8")
    )
    kept = [f"JUPYTERLAB_{name}_DIR={tmp_path / name}" for name in ("SETTINGS", "WORKSPACES")]
    command = ["make", "lab", f"PORT={test_lab.free_port()}", *kept]
    process, address = test_lab.start(command, ROOT, tmp_path)
    try:
        assert "/lab/tree/work/00_start_here.ipynb" in address
        page.goto(address)
        page.get_by_role("heading", name="Attention in one sitting").wait_for()
        page.screenshot(path=str(SHOTS / "make_lab.png"))
        assert page.get_by_text("Would you like to get notified").count() == 0
        page.goto(address.replace("00_start_here.ipynb", chapter.name))
        page.wait_for_function(f"({IN_LAB})().filter(Boolean).length > 0")
        page.locator("[data-live] [role=gridcell]").first.wait_for(state="attached")
        assert page.outside == []
    finally:
        test_lab.stop(process)
