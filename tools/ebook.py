"""The whole book as an EPUB: `python tools/ebook.py`, as in `make print`, into build/d2lattn.epub.

The pages are the website's (chapter_page.py) with every fold open; of a live figure its picture and
the table of its numbers stand there. Sphinx writes it, with the settings in website/epub/conf.py.
"""

import re
import shutil
import subprocess
import sys
import zipfile

import nbformat
from cells import ROOT, book, published
from chapter_page import prepare

SOURCE = ROOT / "build" / "epub-source"
BUILT = ROOT / "build" / "epub"
TARGET = ROOT / "build" / "d2lattn.epub"
FRONT = """# Attention, a textbook in which every claim runs

Figures that move are tables here, and what a reader should first guess, or solve, stands in the
open: both wait for you on [the website]({address}) and in the notebooks.

```{{toctree}}
:maxdepth: 2

{pages}
```
"""
FOLDED = {"hide-input", "hide-output", "hide-cell"}
BUTTONS = re.compile(r'<p class="go small">.*?</p>\n', re.S)
MOVING = re.compile(r"<live-.*", re.S)  # the element and its code, behind the table


def unfold(notebook):
    """Open what a page of the website folds, in place, and keep of live figures their tables."""
    for cell in notebook.cells:
        cell.metadata.tags = sorted({*cell.metadata.get("tags", [])} - FOLDED)
        if cell.cell_type == "markdown":
            text = BUTTONS.sub("", cell.source)
            pages = r"\]\((errata|experiments|reference/[\w.]+)\.md"  # of the website alone
            text = re.sub(pages, rf"]({published()}\1.html", text)
            cell.source = text.replace("<details>", '<details open="open">')
            continue
        for output in cell.outputs:
            shown = output.get("data", {})
            if "<live-" in shown.get("text/html", ""):
                shown["text/html"] = MOVING.sub("", shown["text/html"])
    return notebook


def repair():
    """Write Sphinx's EPUB anew as the standard wants it: what holds formulas is declared, both
    tables of contents have one identifier, and no page names a style that is not there."""
    with zipfile.ZipFile(BUILT / "d2lattn.epub") as built, zipfile.ZipFile(TARGET, "w") as target:
        files = {entry: built.read(entry) for entry in built.infolist()}
        formulas = {entry.filename for entry, text in files.items() if b"<math" in text}
        for entry, text in files.items():
            if entry.filename.endswith(".xhtml"):
                text = re.sub(rb"<link [^>]*mystnb[^>]*/>", b"", text)
            elif entry.filename == "toc.ncx":
                text = text.replace(b'content="unknown"', f'content="{published()}"'.encode())
            elif entry.filename == "content.opf":
                for name in formulas:
                    place = f'href="{name}"'
                    text = text.replace(place.encode(), f'{place} properties="mathml"'.encode())
            target.writestr(entry, text)


def main():
    for folder in (SOURCE, BUILT):
        shutil.rmtree(folder, ignore_errors=True)
    SOURCE.mkdir(parents=True)
    for path in book():
        notebook = unfold(prepare(nbformat.read(path, as_version=4), path))
        nbformat.write(notebook, SOURCE / path.name)
    pages = "\n".join(path.stem for path in book())
    text = FRONT.format(address=published(), pages=pages)
    (SOURCE / "index.md").write_text(text, encoding="utf-8")
    sphinx = [sys.executable, "-m", "sphinx", "--quiet", "--fail-on-warning", "--keep-going"]
    folders = ["-c", ROOT / "website" / "epub", "-d", ROOT / "build" / "epub-cache", SOURCE, BUILT]
    if subprocess.run([*sphinx, "-b", "epub", *folders], check=False).returncode:
        sys.exit("the EPUB was not built")
    repair()
    print(TARGET)


if __name__ == "__main__":
    main()
