"""JupyterLab for the tests: a server on copies of the chapters, and a chapter opened in it."""

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import working_copy

ROOT = Path(__file__).resolve().parent.parent.parent
# A limit is for what never comes; a busy machine may take long over what does.
PATIENCE = 180_000  # milliseconds
HERE = r"(https?|wss?)://(localhost|127\.0\.0\.1)[:/]"
OVERRIDES = "labconfig/default_setting_overrides.json"
# As `make lab` has them, and every cell is drawn.
DRAWN = json.loads((ROOT / ".jupyter" / OVERRIDES).read_text("utf-8"))
DRAWN["@jupyterlab/notebook-extension:tracker"] = {"windowingMode": "none"}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def started(command, folder, state, **environment):
    """Start a server, and give the address that it prints; in the end it is stopped.

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
    while not (found := address.search(log.read_text("utf-8"))):
        assert process.poll() is None, f"the server ended: {log.read_text('utf-8')}"
        time.sleep(0.1)
    yield found[0]
    os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:  # now and then it does not hear that it should
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@contextlib.contextmanager
def serve(folder, copies=working_copy.update, settings=None, **environment):
    """A server on `copies` of the chapters, with the book's own settings, or with others of them.

    With {} nothing is the book's: neither settings nor how JupyterLab reads it.
    """
    copies(work=folder / "work")
    config = ROOT / ".jupyter"
    if settings is not None:
        config = folder / "config"
        if settings:
            shutil.copytree(ROOT / ".jupyter", config)
        (config / "labconfig").mkdir(parents=True, exist_ok=True)
        (config / OVERRIDES).write_text(json.dumps(settings), encoding="utf-8")
    flags = ["--no-browser", "--allow-root", "--expose-app-in-browser", "--LabApp.news_url="]
    command = [sys.executable, "-m", "jupyterlab", f"--port={free_port()}", *flags]
    environment["JUPYTER_CONFIG_PATH"] = str(config)
    with started(command, folder, folder, **environment) as address:
        yield address


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
    wait_for(page, "probe.ran()", lambda state: state and state["cells"] > 0)


def run_command(page, name, **options):
    """Start a command of JupyterLab and do not wait: some of them never say that they ended."""
    start = "([name, options]) => { jupyterapp.commands.execute(name, options) }"
    page.evaluate(start, [name, options])


def unfold(page):
    page.evaluate("jupyterapp.commands.execute('notebook:expand-all-headings').then(() => {})")


def without_kernels(page):
    """The next chapter shall have the machine to itself."""
    page.evaluate("() => window.jupyterapp?.serviceManager.sessions.shutdownAll()")


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


def until(page, done):
    """Try until something holds, each time anew: what never does fails when patience ends."""
    deadline = time.monotonic() + PATIENCE / 1000
    while not done():
        assert time.monotonic() < deadline, done
        page.wait_for_timeout(200)
