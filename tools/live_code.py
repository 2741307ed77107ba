"""`make live`: write the code that live figures carry, live/stored, from its modules.

Then the chapters' stored outputs get it too, with the sentences that stand there without it: their
data and tables stay. Needs node and what `npm ci --prefix tools/js` sets up, once, from the
network. The book itself needs neither; tests hold that what is stored was made from the modules
beside it, and is what the chapters carry.
"""

import hashlib
import json
import re
import shutil
import subprocess
import sys
from html import unescape
from pathlib import Path

from cells import ELEMENT, book

from d2lattn_book.pictures import page

SOURCE = page.STORED.parent
TOOLS = Path(__file__).resolve().parent / "js"
OPTIONS = ["--bundle", "--minify", "--format=esm", "--charset=utf8", "--target=es2022"]
BESIDE = [*(one for one in OPTIONS if "format" not in one), "--format=iife", "--global-name=engine"]
FALLBACK = re.compile(
    r'<div class="live-fallback">(?:<p class="said">.*?</p>)?(.*?)'
    r"<p>[^<]*The figure moves.*?</p></div>\n$",
    re.DOTALL,
)
KINDS = sorted(path.parent.name for path in SOURCE.glob("*/index.js"))


def program(name):
    """The path of a program of tools/js, or None where it is not set up."""
    return shutil.which(name, path=str(TOOLS / "node_modules" / ".bin"))


def modules(kind):
    """What a kind is made of: its own modules and those that all share."""
    return sorted([*(SOURCE / "kit").glob("*.js"), *(SOURCE / kind).glob("*.js")])


def source_hash(kind):
    """Of the modules of a kind, of the minifier and of its options."""
    packages = json.loads((TOOLS / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    made_by = [packages["node_modules/esbuild"]["version"], *OPTIONS]
    parts = [path.read_text(encoding="utf-8") for path in modules(kind)]
    return hashlib.sha256("\0".join([*parts, *made_by]).encode()).hexdigest()


def bundled(command, entry=""):
    """What esbuild makes of these modules."""
    made = subprocess.run(command, input=entry, cwd=SOURCE, capture_output=True, encoding="utf-8")
    return made.stdout.strip() if made.returncode == 0 else sys.exit(made.stderr)


def store(kind):
    """Bundle and minify one kind; the first line of what is stored names its source."""
    esbuild = program("esbuild") or sys.exit("esbuild is not there: npm ci --prefix tools/js")
    entry = f'import {{define}} from "./kit/element.js"; import {{mount}} from "./{kind}/index.js";'
    if (SOURCE / kind / "engine.js").exists():  # which can work beside the page: a text of its own
        engine = bundled([esbuild, f"{kind}/engine.js", *BESIDE])
        entry = (
            entry.replace("mount}", "mounting}")
            + f"const work = () => {{{engine}; return engine;}}; const mount = mounting(work);"
        )
    entry += ' define("live-00000000", mount);'  # the name is put in by the package
    made = bundled([esbuild, *OPTIONS], entry)
    path = SOURCE / "stored" / f"{kind}.js"
    path.parent.mkdir(exist_ok=True)
    code = f"// {source_hash(kind)}\n{made}\n"
    path.write_text(code, encoding="utf-8", newline="\n")
    print(f"{path.name}: {path.stat().st_size} bytes")


def renew(html):
    """The same output with the code that is stored now, and what stands there without it."""
    found = ELEMENT.search(html)
    if found is None:
        return html
    data = json.loads(unescape(found[2]))
    table = FALLBACK.fullmatch(html[: found.start()])[1]
    code = page.element(data["figure"], found[2])
    return f"{page.fallback(data['title'], table)}\n{code}{html[found.end() :]}"


def renew_chapters():
    """Put the code that is stored now into the outputs of the book."""
    import nbformat  # here, for the package's own tests import this file and do without it

    for path in book():
        notebook = nbformat.read(path, as_version=4)
        for cell in notebook.cells:
            for output in cell.get("outputs", []):
                if "text/html" in output.get("data", {}):
                    output.data["text/html"] = renew(output.data["text/html"])
        nbformat.write(notebook, path)


if __name__ == "__main__":
    for kind in KINDS:
        store(kind)
    renew_chapters()
