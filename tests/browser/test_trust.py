"""JupyterLab on notebooks that want to run script in it, after `make lab` has seen them.

Runs with `make test-browser`.
"""

import json

import nbformat
import pytest
import test_lab
import working_copy
from hostile import ACTS, FORMS, text
from nbformat.sign import NotebookNotary

WORK = [f"work/{name}" for name in FORMS]
TRUSTED = [f"trusted/{name}" for name in ACTS]


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """A server on work/, as `make lab` leaves it, and on a folder that somebody has trusted."""
    data = str(tmp_path_factory.mktemp("data"))
    config = tmp_path_factory.mktemp("config")
    (config / "labconfig").mkdir()
    settings = config / "labconfig" / "default_setting_overrides.json"
    settings.write_text(json.dumps(test_lab.SETTINGS), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUPYTER_DATA_DIR", data)
        yield from test_lab.serve_with(tmp_path_factory, config, write, JUPYTER_DATA_DIR=data)


def write(work):
    for name in [*WORK, *TRUSTED]:
        path = work.parent / f"{name}.ipynb"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text(path.stem, name), encoding="utf-8")
    working_copy.trust(work=work)
    for name in TRUSTED:
        NotebookNotary().sign(nbformat.read(work.parent / f"{name}.ipynb", as_version=4))


# Opens notebooks one after another, each until all of it is drawn; no kernel is started.
SHOW = """async ([names, acts]) => {
  const {commands, restored, serviceManager} = window.jupyterapp;
  await restored;
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


@pytest.fixture
def page(browser):
    yield from test_lab.lab_page(browser)


def test_nothing_runs_but_where_somebody_trusted_it(page, lab):
    """There it does run: so would each of ACTS, if `make lab` took it for what the book shows."""
    server, token = lab.split("/lab?")
    page.goto(f"{server}/lab?reset&{token}")
    page.wait_for_function("() => window.jupyterapp?.restored")
    assert page.evaluate(SHOW, [WORK, False]) == []
    assert {*page.evaluate(SHOW, [TRUSTED, True])} == {*TRUSTED}
