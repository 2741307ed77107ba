"""What `make lite` wrote, opened in headless Chromium with the network off: `make test-lite`.

The Python in the page starts and has the book's package. What is compiled, NumPy for one, would
come from outside: that it is asked for there is all that is seen here. In the place of torch's
wheel stands one that is made here.
"""

import functools
import hashlib
import http.server
import json
import re
import shutil
import subprocess
import threading
import zipfile
from pathlib import Path

import pytest
import versions
from playwright.sync_api import expect, sync_playwright

import d2lattn

ROOT = Path(__file__).resolve().parent.parent.parent
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
PATIENCE = 180_000  # milliseconds
expect.set_options(timeout=PATIENCE)

# Runs code in the kernel of the notebook that is open, and returns what it puts out as text.
RUN = """async code => {
  const {session} = window.jupyterapp.shell.currentWidget.sessionContext;
  const future = session.kernel.requestExecute({code, store_history: false});
  let said = '';
  future.onIOPub = ({content}) => {
    said += content.text ?? content.data?.['text/plain'] ?? content.evalue ?? '';
  };
  await future.done;
  return said;
}"""
READY = "() => window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel"


def made_torch(folder):
    """A wheel of torch's name, with a line of Python in it."""
    wheel = folder / "torch-2.13.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("torch/__init__.py", 'beside = "the pages"\n')
        said = "Metadata-Version: 2.1\nName: torch\nVersion: 2.13.0\nRequires-Dist: filelock\n"
        archive.writestr("torch-2.13.0.dist-info/METADATA", said)
        archive.writestr("torch-2.13.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr("torch-2.13.0.dist-info/RECORD", "")
    return wheel


def write(target, *arguments):
    """What tools/lite.py says when it writes a site with a torch into the folder `target`."""
    program = "import lite, pathlib, sys; lite.build(pathlib.Path(sys.argv[1]), *sys.argv[2:])"
    command = [ROOT / ".venv-lite" / "bin" / "python", "-c", program, target, *arguments]
    tools = ROOT / "tools"
    return subprocess.run(command, cwd=tools, capture_output=True, text=True, check=False)


def listed(site):
    text = (site / "static" / "pyodide" / "pyodide-lock.json").read_text(encoding="utf-8")
    return json.loads(text)["packages"]


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture
def opened():
    """Opens a chapter of a site; what the page asks of the network is refused and recorded."""
    if CHROMIUM is None:
        pytest.skip("chromium is not installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])

        def open_(site):
            serving = functools.partial(Quiet, directory=site)
            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), serving)
            threading.Thread(target=server.serve_forever, daemon=True).start()
            here, page = f"http://127.0.0.1:{server.server_port}/", browser.new_page()
            page.set_default_timeout(PATIENCE)
            page.outside = []

            def answer(route):
                if route.request.url.startswith(here):
                    return route.continue_()
                page.outside.append(route.request.url)
                return route.abort()

            page.context.route(re.compile("^(http|ws)"), answer)
            page.goto(f"{here}lab/index.html?path=00_start_here.ipynb")
            page.wait_for_function(READY)
            return page

        yield open_
        browser.close()


def cell(words):
    """The code of the one cell of chapter 0 that has these words."""
    path = ROOT / "notebooks" / "00_start_here.ipynb"
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    (found,) = (c for c in cells if c["cell_type"] == "code" and words in "".join(c["source"]))
    return "".join(found["source"])


def test_python_starts_in_the_page_with_the_package_of_the_book(opened):
    site = ROOT / "build" / "lite"
    page = opened(site)
    assert page.evaluate(RUN, "1 + 1") == "2"
    told = "import importlib.metadata; print(importlib.metadata.version('d2lattn'))"
    assert page.evaluate(RUN, told).strip() == d2lattn.__version__
    assert page.evaluate(RUN, cell("# Set-up:")) == ""  # finds the package, so it installs nothing
    said = page.evaluate(RUN, cell("import platform"))
    assert re.match(r"Python 3\.14\.\d+ on Emscripten\n", said)
    assert f"tqdm {versions.pins()['tqdm']} is here" in said and "torch is missing" in said
    assert "No module named 'torch'" in page.evaluate(RUN, "import d2lattn")
    names = {name for name, part in listed(site).items() if part["file_name"] in page.outside}
    assert set(page.outside) == {listed(site)[name]["file_name"] for name in names}
    assert {"numpy", "matplotlib", "pandas"} <= names


def test_a_live_figure_moves_without_python_and_without_network(opened):
    page = opened(ROOT / "build" / "lite")
    page.evaluate("() => window.jupyterapp.shell.currentWidget.content.scrollToItem(3, 'start')")
    figure = page.locator(".jp-OutputArea-output:has(select)").first
    expect(figure).to_contain_text("cinnamon fits best")
    figure.locator("select").select_option("charge the apple phone with adapter")
    expect(figure).to_contain_text("adapter fits best")
    assert figure.locator("select").evaluate("box => getComputedStyle(box).borderRadius") != "0px"


def test_the_list_has_a_hash_for_each_file_and_versions_that_the_book_admits():
    site = ROOT / "build" / "lite"
    packages, folder = listed(site), site / "static" / "pyodide"
    there = [part for part in packages.values() if "://" in part["file_name"]]
    assert there and all(re.fullmatch("[0-9a-f]{64}", part["sha256"]) for part in there)
    for name, part in packages.items():
        if part not in there:
            wheel = (folder / part["file_name"]).read_bytes()
            assert part["sha256"] == hashlib.sha256(wheel).hexdigest(), name
    for name, least in versions.ranges().items():
        if name != "torch":
            found = packages[name]["version"].split(".")
            assert [*map(int, found)] >= [*map(int, least.split("."))], name
    assert len([*(site / "files").glob("0[0-4]_*.ipynb")]) == 5


def test_pyodide_is_the_one_that_the_kernel_was_made_for():
    (constants,) = (ROOT / ".venv-lite").glob("lib/*/*/jupyterlite_pyodide_kernel/constants.py")
    text = constants.read_text(encoding="utf-8")
    asked = json.loads((ROOT / "tools" / "npm" / "package.json").read_text(encoding="utf-8"))
    assert (
        re.search(r'^PYODIDE_VERSION = "(.*)"', text, re.M)[1] == asked["dependencies"]["pyodide"]
    )


def test_a_wheel_of_torch_is_laid_beside_the_pages_and_has_to_be_the_one_meant(opened, tmp_path):
    wheel = made_torch(tmp_path)
    sha256 = hashlib.sha256(wheel.read_bytes()).hexdigest()
    refused = write(tmp_path / "no", wheel, "0" * 64)
    assert refused.returncode and f"but {wheel.name} has {sha256}" in refused.stderr
    done = write(tmp_path / "site", wheel, sha256)
    assert done.returncode == 0, done.stderr
    packages = listed(tmp_path / "site")
    assert (
        packages["torch"]["depends"] == ["filelock"] and "torch" in packages["d2lattn"]["depends"]
    )
    page = opened(tmp_path / "site")
    assert page.evaluate(RUN, "import torch; print(torch.beside)") == "the pages\n"
    assert not any("torch" in address for address in page.outside)
    with (tmp_path / "site" / "static" / "pyodide" / wheel.name).open("ab") as changed:
        changed.write(b"0")  # the list has its hash, so the page does not take it
    assert "No module named 'torch'" in opened(tmp_path / "site").evaluate(RUN, "import torch")
