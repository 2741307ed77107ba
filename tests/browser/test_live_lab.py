"""Live figures in JupyterLab: run, stored, trusted or not, and dark; and what may not run there.

Runs with `make test-browser`. Screenshots go to build/screenshots.
"""

import pytest
from accessible import violations
from hostile import ACTS, FORMS
from live_table import SHOWN, SOURCES
from servers import HERE, open_chapter, run_command, settled, wait_for, without_kernels

from conftest import SHOTS, frame, new_page

IN_LAB = "probe.hosts().map(host => host.shadowRoot?.innerHTML)"
IN_SIGHT = """i => {
  const [cell, seen] = [probe.box(probe.widgets()[i].node), probe.box(probe.content().node)];
  return cell.height && cell.top < seen.bottom && cell.bottom > seen.top;
}"""


@pytest.fixture
def page(browser):
    with new_page(browser, 1280, 720, HERE) as page:
        yield page
        without_kernels(page)


def alive(page, count):
    page.wait_for_function(f"{IN_LAB}.filter(Boolean).length === {count}", polling=500)


def run(page, count):
    """Wait until a command has run the cells of as many figures."""
    wait_for(page, "probe.ran()", lambda now: now and now["ran"] == now["cells"] == count)
    alive(page, count)
    return settled(page, IN_LAB)


def test_a_figure_in_jupyterlab(page, lab):
    """Untrusted the tables, after Run All the figures, and they live on when it is opened again."""
    open_chapter(page, lab, "live.ipynb")
    page.locator(".jp-OutputArea table").first.wait_for()
    assert page.locator("[data-live]").count() == 0  # the sanitizer took element and script away
    assert page.locator(".jp-OutputArea caption").first.is_visible()
    run_command(page, "notebook:run-all-cells")
    fresh = run(page, len(SOURCES))

    # Keys stay in the figure: "b" adds no cell; Escape gives them back to the notebook.
    cells = page.evaluate("probe.widgets().length")
    page.evaluate("probe.content().scrollToItem(0).then(() => {})")
    page.get_by_label("weight of query found on key cat", exact=False).first.click()
    for key in ("b", "ArrowRight", "x"):
        page.keyboard.press(key)
    assert page.evaluate("probe.widgets().length") == cells
    frame(page)
    before = page.evaluate(IN_LAB)
    assert "query of found" in before[0] and before[1:] == fresh[1:]  # no other has moved
    page.keyboard.press("Escape")
    assert page.evaluate("!!document.activeElement.closest('.jp-Notebook')")
    assert page.evaluate("!document.activeElement.shadowRoot")

    # Scrolled away and back, the state is kept; what was not in sight now has its width.
    for cell in (*range(2, 2 * len(SOURCES), 2), 0):
        page.evaluate("i => { probe.content().scrollToItem(i) }", cell)
        page.wait_for_function(IN_SIGHT, arg=cell)
        settled(page, IN_LAB)
    assert page.evaluate(IN_LAB)[0] == before[0]
    before = page.evaluate(IN_LAB)

    # A second run of one cell resets its figure alone. The keys that run and save work in a figure.
    page.evaluate("probe.select(2)")
    page.locator("[data-live]").nth(1).locator("[tabindex='0'], button, input").first.focus()
    page.keyboard.press("Shift+Enter")
    page.wait_for_function("probe.content().activeCellIndex > 2")
    again = run(page, len(SOURCES))
    assert again[0] == before[0] and again[2:] == before[2:]
    page.locator("[data-live]").first.locator("[tabindex='0'], button, input").first.focus()
    page.keyboard.press("Control+s")
    wait_for(page, "probe.panel().context.model.dirty", lambda dirty: dirty is False)
    open_chapter(page, lab, "live.ipynb")
    alive(page, len(SOURCES))


def test_what_is_trusted_lives_also_in_the_dark(page, lab):
    """axe finds nothing, and it cannot see into a drawing: there the contrast is measured."""
    open_chapter(page, lab, "trusted.ipynb")
    alive(page, len(SHOWN))
    run_command(page, "apputils:change-theme", theme="JupyterLab Dark")
    page.wait_for_function("document.body.dataset.jpThemeName === 'JupyterLab Dark'")
    ground = "rgb(17, 17, 17)"  # behind the figures
    page.wait_for_function(f"probe.ground() === '{ground}'")
    assert violations(page, "[data-live]") == []
    worst, text = page.evaluate("ground => probe.contrast(ground)", ground)
    assert worst >= 4.5, text
    page.screenshot(path=str(SHOTS / "live-lab-dark.png"))


# Opens notebooks one after another, each until all of it is drawn; no kernel is started.
SHOW = """async ([names, acts]) => {
  const {commands, serviceManager} = window.jupyterapp;
  serviceManager.sessions.startNew = () => new Promise(() => {});
  window.ran = [];
  for (const name of names) {
    const panel = await commands.execute('docmanager:open', {path: `${name}.ipynb`});
    await panel.context.ready;
    await Promise.all(panel.content.widgets.map(cell => cell.ready));
    // A picture says a little later that it has failed.
    for (let tries = 0; tries < (acts ? 100 : 1) && !ran.includes(name); tries++)
      await new Promise(done => setTimeout(done, 300));
    panel.dispose();
  }
  return window.ran;
}"""


def test_nothing_runs_but_where_somebody_trusted_it(page, lab):
    """There it does run: so would each of ACTS, if `make lab` took it for what the book shows."""
    page.goto(lab.replace("/lab?", "/lab?reset&"))
    page.wait_for_function("() => window.jupyterapp?.restored.then(() => true)")
    assert page.evaluate(SHOW, [[f"sent/{name}" for name in FORMS], False]) == []
    trusted = [f"trusted/{name}" for name in ACTS]
    assert {*page.evaluate(SHOW, [trusted, True])} == {*trusted}
