"""JupyterLab as a reader meets a chapter there: what is folded, how wide a line is, where links go.

Runs with `make test-browser`. Screenshots go to build/screenshots.
"""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time

import nbformat
import pytest
import working_copy
from accessible import violations
from cells import answers, book, chapters, for_reading, further, is_solution
from playwright.sync_api import expect

from conftest import PATIENCE, ROOT, SHOTS, watch

CHAPTERS, BOOK = chapters(), book()
OVERRIDES = ROOT / ".jupyter" / "labconfig" / "default_setting_overrides.json"
SETTINGS = json.loads(
    OVERRIDES.read_text("utf-8")
)  # as `make lab` has them, and every cell is drawn
SETTINGS["@jupyterlab/notebook-extension:tracker"] = {"windowingMode": "none"}

STATE = """() => {
  const panel = window.jupyterapp.shell.currentWidget;
  if (!panel?.content?.model || !panel.sessionContext.isReady) return null;
  const code = [...panel.content.model.cells].filter(cell => cell.type === 'code');
  const outputs = cell => cell.outputs.toJSON();
  const tagged = cell => (cell.getMetadata('tags') || []).includes('raises-exception');
  return {
    cells: code.length,
    ran: code.filter(cell => cell.executionCount !== null).length,
    last: code.length ? code[code.length - 1].executionCount : null,
    errors: code.filter(cell => !tagged(cell)).flatMap(outputs)
                .filter(output => output.output_type === 'error').map(error => error.evalue),
  };
}"""

# What a reader sees of a chapter that was just opened.
OPENED = """() => {
  const {content} = window.jupyterapp.shell.currentWidget;
  return content.widgets.map(cell => ({
    seen: cell.node.offsetHeight > 0,
    output: cell.outputHidden === undefined ? null : !cell.outputHidden,
  }));
}"""
UNFOLD = """() => window.jupyterapp.commands.execute('notebook:expand-all-headings')"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start(command, folder, state, **environment):
    """Start a server and return (process, the address that it prints).

    What JupyterLab remembers goes to the folder `state`, and so does what the server says: a pipe
    that nobody reads would be full one day, and the server would wait.
    """
    for name in ("SETTINGS", "WORKSPACES"):
        environment[f"JUPYTERLAB_{name}_DIR"] = str(state / name.lower())
    log = state / "server.log"
    with log.open("w", encoding="utf-8") as said:
        process = subprocess.Popen(
            command,
            cwd=folder,
            stdout=said,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env={**os.environ, "DISPLAY": "", "WAYLAND_DISPLAY": "", **environment},
        )
    address = re.compile(r"http://(?:localhost|127\.0\.0\.1):\d+/lab\S*\?token=\w+(?=\s)")
    while process.poll() is None:
        if found := address.search(log.read_text("utf-8")):
            return process, found[0]
        time.sleep(0.1)
    raise AssertionError(f"the server ended without printing an address: {log.read_text('utf-8')}")


def stop(process):
    """End a server, which now and then does not hear that it should."""
    os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


HERE = r"(https?|wss?)://(localhost|127\.0\.0\.1)[:/]"


@pytest.fixture(scope="module")
def page(browser):
    yield from lab_page(browser)


def lab_page(browser):
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(PATIENCE)
    watch(page, HERE)
    yield page
    page.close()


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """A server whose notebooks draw all their cells at once, so that they can be looked at."""
    config = tmp_path_factory.mktemp("config")
    shutil.copytree(ROOT / ".jupyter", config, dirs_exist_ok=True)
    (config / "labconfig" / OVERRIDES.name).write_text(json.dumps(SETTINGS), encoding="utf-8")
    yield from serve_with(tmp_path_factory, config)


@pytest.fixture(scope="module")
def lab_as_installed(tmp_path_factory):
    yield from serve(tmp_path_factory, "{}")


def serve(tmp_path_factory, settings, **more):
    """A server on a working copy of its own, as `make lab` makes one, or as `copies` does."""
    config = tmp_path_factory.mktemp("config") / "labconfig"
    config.mkdir()
    (config / "default_setting_overrides.json").write_text(settings, encoding="utf-8")
    yield from serve_with(tmp_path_factory, config.parent, **more)


def serve_with(tmp_path_factory, config, copies=working_copy.update, **environment):
    """A server with a folder of settings, such as the book's own, and `copies` of the chapters."""
    folder = tmp_path_factory.mktemp("book")
    copies(work=folder / "work")
    python = str(ROOT / ".venv/bin/python")
    flags = ["--no-browser", "--allow-root", "--expose-app-in-browser", "--LabApp.news_url="]
    command = [python, "-m", "jupyterlab", f"--port={free_port()}", *flags]
    environment["JUPYTER_CONFIG_PATH"] = str(config)
    process, address = start(command, folder, folder, **environment)
    yield address
    stop(process)


OPEN = """async path => {
  const {commands, shell} = window.jupyterapp;
  for (const widget of [...shell.widgets('main')]) widget.dispose();
  await commands.execute('docmanager:open', {path});
}"""


def open_chapter(page, lab, chapter):
    """Open a chapter, alone, once its kernel is ready. JupyterLab itself takes long: it stays."""
    server, token = lab.split("/lab?")
    if page.url.startswith(f"{server}/lab"):
        page.evaluate(OPEN, f"work/{chapter}")
    else:
        page.goto(f"{server}/lab/tree/work/{chapter}?reset&{token}")
    wait_for(page, STATE, lambda state: state and state["cells"] > 0)


@pytest.fixture
def no_kernel_is_left(page):
    """Also when a chapter failed: the next one shall have the machine to itself."""
    yield
    page.evaluate("() => window.jupyterapp?.serviceManager.sessions.shutdownAll()")


DIRTY = """() => {
  const panel = window.jupyterapp.shell.currentWidget;
  if (!panel?.content?.model || !panel.sessionContext.session?.kernel?.info) return null;
  return [panel.context.model.dirty];
}"""


@pytest.mark.parametrize("chapter", BOOK[:2], ids=lambda path: path.name[:2])
def test_opening_a_chapter_marks_nothing_as_changed(page, lab, no_kernel_is_left, chapter):
    open_chapter(page, lab, chapter.name)
    wait_for(page, DIRTY, lambda dirty: dirty is not None)
    page.wait_for_timeout(3000)  # what would mark it comes soon after the kernel's answer
    assert wait_for(page, DIRTY, lambda dirty: dirty is not None) == [False]


def test_a_chapter_opens_without_its_answers_and_without_what_is_optional(page, lab):
    (chapter,) = chapters(["01"])
    stored = for_reading(nbformat.read(chapter, as_version=4).cells)
    open_chapter(page, lab, chapter.name)
    opened = settled(page, OPENED)
    folded = {*further(stored)[1:]}
    hidden = {i for i, cell in enumerate(opened) if cell["output"] is False}
    assert {i for i, cell in enumerate(opened) if not cell["seen"]} == folded
    assert hidden == {*answers(stored), *solutions(stored)}
    page.screenshot(path=str(SHOTS / "opened.png"))


def solutions(stored):
    return (i for i, cell in enumerate(stored) if is_solution(cell))


# What stands in the place of every hidden output, read off the screen cell by cell: a notebook
# draws a cell once it comes into view, and innerText of what is not drawn would be all its text.
# Where the code is folded, too, one bar with its title stands for both.
IN_PLACE = """async hideAgain => {
  const {content} = window.jupyterapp.shell.currentWidget;
  const found = {};
  for (const [i, cell] of content.widgets.entries()) {
    if (!cell.outputHidden) continue;
    await content.scrollToItem(i);
    await cell.ready;
    if (hideAgain) {
      cell.outputHidden = false;
      cell.model.outputs.fromJSON(cell.model.outputs.toJSON()
        .filter(output => output.text || Object.keys(output.data).length));
      cell.outputHidden = true;
    }
    await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
    const place = cell.node.querySelector('.jp-OutputPlaceholder .jp-Placeholder-contentContainer');
    const said = [place.innerText.trim(), getComputedStyle(place, '::before').content];
    found[i] = place.offsetHeight ? said : null;
    if (!found[i] !== cell.inputHidden) throw Error(`cell ${i} is ${found[i] ?? 'not seen'}`);
  }
  return found;
}"""


def in_place(page, lab, path, hide_again):
    open_chapter(page, lab, path.name)
    page.evaluate(UNFOLD)
    settled(page, OPENED)
    found = page.evaluate(IN_PLACE, hide_again)
    stored = for_reading(nbformat.read(path, as_version=4).cells)
    assert {*map(int, found)} == {*answers(stored), *solutions(stored)}
    return {tuple(said) for said in found.values() if said}


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.name[:2])
def test_nothing_is_read_of_a_hidden_output(page, lab, no_kernel_is_left, path):
    """Also not after its cell was run and its reader has hidden it again."""
    said = {("", '"hidden: guess, then run (Shift+Enter)"')}
    assert in_place(page, lab, path, hide_again=True) == said


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.name[:2])
def test_nothing_is_read_of_it_in_a_jupyter_without_the_books_settings(
    page, lab_as_installed, no_kernel_is_left, path
):
    assert in_place(page, lab_as_installed, path, hide_again=False) == {("", "none")}


def test_the_first_line_says_what_dots_stand_for(page, lab_as_installed, no_kernel_is_left):
    """Where the book's settings are absent, they are all that is seen of a hidden answer; the line
    is seen whole in a window of 1,000 pixels beside the list of files."""
    open_chapter(page, lab_as_installed, CHAPTERS[2].name)
    line = page.locator(".jp-InputPlaceholder").first
    assert "••• hides a question's answer: guess, then run" in line.inner_text()
    page.set_viewport_size({"width": 1000, "height": 900})
    line.scroll_into_view_if_needed()
    expect(line.get_by_text("guess, then run")).to_be_in_viewport(ratio=1)
    dots = page.locator(".jp-OutputPlaceholder").first
    dots.scroll_into_view_if_needed()
    assert dots.inner_text().strip() == "" and dots.locator("svg").is_visible()


def test_axe_finds_nothing_but_what_is_listed(page, lab, no_kernel_is_left):
    """In JupyterLab around a chapter, as it is opened and with all of it unfolded."""
    page.set_viewport_size({"width": 1280, "height": 900})
    open_chapter(page, lab, CHAPTERS[1].name)
    settled(page, OPENED)
    assert violations(page) == []
    page.evaluate(UNFOLD)
    settled(page, OPENED)
    assert violations(page) == []


# How wide the widest paragraph is, in heights of its letters.
WIDEST = """() => Math.max(...[...document.querySelectorAll('.jp-RenderedMarkdown p')]
  .map(text => text.offsetWidth / parseFloat(getComputedStyle(text).fontSize)))"""


def test_a_line_of_text_is_read_without_turning_the_head(page, lab):
    page.set_viewport_size({"width": 1920, "height": 900})
    open_chapter(page, lab, CHAPTERS[0].name)
    assert 30 < settled(page, WIDEST) < 42


TOP = """() => [...document.querySelectorAll('h2')]
  .find(heading => heading.textContent.includes('Why scores grow with √d'))
  ?.getBoundingClientRect().top ?? null"""
BACK = "path => window.jupyterapp.commands.execute('docmanager:open', {path}).then(() => {})"


def test_a_link_to_a_section_lands_there(page, lab_as_installed, no_kernel_is_left):
    """Across notebooks, at a heading that no anchor made of its words would find.

    The first click opens the chapter, which may move on while it is drawn: then one clicks again.
    """
    page.set_viewport_size({"width": 1280, "height": 900})
    name = "90_notation_and_claims.ipynb"
    open_chapter(page, lab_as_installed, name)
    deadline, top = time.monotonic() + PATIENCE / 1000, None
    while top is None or not 0 <= top < 900:
        assert time.monotonic() < deadline, f"the section is {top} px from the top"
        page.evaluate(BACK, f"work/{name}")
        page.get_by_role("link", name="3.1", exact=True).first.click()
        page.get_by_role("heading", name="3.1 Why scores grow with √d").wait_for()
        top = settled(page, TOP)


def settled(page, question):
    """The answer to `question` once it stays the same for half a second: formulas are set late."""
    answers = []
    wait_for(page, question, lambda now: answers.append(now) or answers[-4:] == [now] * 4)
    return answers[-1]


def wait_for(page, question, done, seconds=900):
    """Ask the page until `done` says of the answer that it will do, and return that.

    The limit is for what never comes; a busy machine may take long over what does.
    """
    deadline = time.monotonic() + seconds
    while True:
        answer = page.evaluate("() => !!window.jupyterapp") and page.evaluate(question)
        if done(answer):
            return answer
        assert time.monotonic() < deadline, f"not finished: {answer}"
        time.sleep(0.2)
