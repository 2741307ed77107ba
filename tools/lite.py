"""Write chapters 0 to 4 as JupyterLab whose Python runs in the browser, too: into build/lite.

Pyodide, which is that Python, lies beside the pages; so do the book's wheel and all others of plain
Python that it needs, at the versions of locks/. pyodide-lock.json lists them with their hashes, and
a browser refuses a file that has another. What is compiled, NumPy for one, is in Pyodide's own
distribution alone: the list names it there, and the reader's browser fetches it.

No index has a torch for Pyodide. `make lite TORCH_WHEEL=address TORCH_SHA256=hash` lays the wheel
at that address, or path, beside the others; without it no cell runs that imports torch or d2lattn.
"""

import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request
import zipfile

import nbformat
import npm
from cells import ROOT, chapters
from packaging.markers import default_environment
from packaging.metadata import Metadata
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

CHAPTERS = ("00", "01", "02", "03", "04")
RUNTIME = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
RUNTIME += ("pyodide-lock.json", "package.json")
THERE = "https://cdn.jsdelivr.net/pyodide/v{}/full/"
LOCKS = ("locks/book.txt", "locks/lite.txt", "requirements-lite.txt", "requirements-d2l.txt")
# A line of a lock, for pip, and the lines with its hashes.
LOCKED = re.compile(r"^(\w[^\\\n]*?) \\\n((?: +--hash=\S+(?: \\)?\n?)+)", re.M)
KERNEL = "@jupyterlite/pyodide-kernel-extension"
# What a starting kernel loads, with all that it needs: its own parts, then the book.
LOADED = ("micropip", "piplite", "pyodide-kernel", "ipykernel", "comm", "jedi", "ipython")
LOADED += ("d2lattn", "d2l")


def holds(requirement):
    """Whether a requirement is one on Pyodide."""
    system = {"sys_platform": "emscripten", "platform_system": "Emscripten", "extra": ""}
    python = {"python_version": "3.14", "python_full_version": "3.14.2", "platform_machine": ""}
    marker = requirement.marker
    return marker is None or marker.evaluate(default_environment() | system | python)


def described(wheel):
    """What pyodide-lock.json says of a wheel. d2l's own pins have to be passed over."""
    with zipfile.ZipFile(wheel) as archive:
        files = archive.namelist()
        (said,) = (name for name in files if re.fullmatch(r"[^/]+\.dist-info/METADATA", name))
        about = Metadata.from_email(archive.read(said), validate=False)
    needed = [] if about.name == "d2l" else filter(holds, about.requires_dist or [])
    tops = {name.partition("/")[0].removesuffix(".py") for name in files if name.endswith(".py")}
    return {
        "name": canonicalize_name(about.name),
        "version": str(about.version),
        "file_name": wheel.name,
        "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest(),
        "depends": sorted({canonicalize_name(requirement.name) for requirement in needed}),
        "imports": sorted(tops),
        "install_dir": "site",
        "package_type": "package",
        "unvendored_tests": False,
    }


def locked():
    """Map what the locks have for Pyodide's Python to its lines for pip, hashes included."""
    text = "\n".join((ROOT / name).read_text(encoding="utf-8") for name in LOCKS)
    lines = [(Requirement(line), hashes) for line, hashes in LOCKED.findall(text)]
    return {
        canonicalize_name(asked.name): f"{asked.name}{asked.specifier} \\\n{hashes}"
        for asked, hashes in lines
        if holds(asked)
    }


def download(lines, target):
    """Let pip bring wheels of plain Python into the folder `target`."""
    asked = target / "asked.txt"
    asked.write_text("\n".join(lines), encoding="utf-8")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    plain = ["--only-binary=:all:", "--platform=any", "--python-version=3.14", "--no-deps"]
    subprocess.run([*command, *plain, "--require-hashes", "-r", asked, "-d", target], check=True)
    asked.unlink()


def gather(target, theirs):
    """Bring what LOADED needs and Pyodide has not compiled; return the list of all wheels here."""
    lines = locked()
    compiled = {name for name, part in theirs.items() if "wasm32" in part["file_name"]}
    while True:
        parts = [described(wheel) for wheel in sorted(target.glob("*.whl"))]
        ours = {part["name"]: part for part in parts}
        needed = set(LOADED).union(*(part["depends"] for part in parts))
        missing = needed & set(lines) - set(ours) - compiled - {"torch"}
        if not missing:
            break
        download([lines[name] for name in sorted(missing)], target)
    for part in parts:
        part["depends"] = [name for name in part["depends"] if name in theirs | ours]
    return ours


def fetch(address, sha256, target):
    """Bring the wheel of torch; its hash has to be the one that is given."""
    wheel = target / address.rpartition("/")[2]
    if "://" not in address:
        address = pathlib.Path(address).resolve().as_uri()
    urllib.request.urlretrieve(address, wheel)
    found = hashlib.sha256(wheel.read_bytes()).hexdigest()
    if sha256 not in ("", found):
        sys.exit(f"TORCH_SHA256 is {sha256}, but {wheel.name} has {found}")


def pyodide(target, torch, sha256):
    """Lay Pyodide and the wheels into the folder `target`, with the list of them all."""
    npm.bring("pyodide", RUNTIME, target)
    version = json.loads((target / "package.json").read_text(encoding="utf-8"))["version"]
    listed = json.loads((target / "pyodide-lock.json").read_text(encoding="utf-8"))
    for part in listed["packages"].values():
        part["file_name"] = THERE.format(version) + part["file_name"]
    kernel = pathlib.Path(sys.prefix, "share/jupyter/labextensions", KERNEL, "static/pypi")
    for wheel in (*kernel.glob("*.whl"), *(ROOT / "build" / "dist").glob("*.whl")):
        shutil.copy(wheel, target)
    if torch:
        fetch(torch, sha256, target)
    listed["packages"] |= gather(target, listed["packages"])
    (target / "pyodide-lock.json").write_text(json.dumps(listed), encoding="utf-8")


def build(target, torch="", sha256=""):
    """Write the site into the folder `target`, emptied before."""
    shutil.rmtree(target, ignore_errors=True)
    plugins = {f"{KERNEL}:kernel": {"loadPyodideOptions": {"packages": LOADED}}}
    config = {"appName": "d2lattn", "exposeAppInBrowser": True, "litePluginSettings": plugins}
    settings = {"jupyter-lite-schema-version": 0, "jupyter-config-data": config}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        pyodide(folder / "static" / "pyodide", torch, sha256)
        (folder / "chapters").mkdir()
        for path in chapters(CHAPTERS):
            chapter = nbformat.read(path, as_version=4)  # joins the lines, as a server does
            for cell in chapter.cells:
                cell.metadata.trusted = True  # so that its live figure moves
            (folder / "chapters" / path.name).write_text(json.dumps(chapter), encoding="utf-8")
        (folder / "jupyter-lite.json").write_text(json.dumps(settings), encoding="utf-8")
        command = [sys.executable, "-m", "jupyterlite_core", "build", "--apps=lab"]
        command += ["--no-sourcemaps", "--contents=chapters", f"--output-dir={target}"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stdout[-2000:] + done.stderr[-2000:])


if __name__ == "__main__":
    build(ROOT / "build" / "lite", *sys.argv[1:3])
    print("to read it: python3 -m http.server -d build/lite")
