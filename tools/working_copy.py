"""The reader's own copy of the book, in work/: `python tools/working_copy.py [RESET]`.

`make lab` calls this before it opens work/, so that reading never changes what git tracks. A copy
has the book's text and code without the lecturer's notes, and what is read in one go in one cell
(`cells.for_reading`). A copy that nobody wrote in follows the book silently; running its cells is
no change, and nor are empty cells. One that was written in stays, and when the book has a new
version, this is laid beside it, once, as 03_….new.ipynb. RESET, such as 03 or all, renews copies;
what was written goes to 03_….old.ipynb. Where one of these was written in, or kept, the next free
name is taken: 03_….new.2.ipynb.

The manifest, work/.manifest.json, has for each copy the marks of all versions that were laid there,
each written down before it is laid, and the edition that was laid last. Each file is written in one
step: who interrupts this finds the old copy or the new one, and the next call goes on.
"""

import hashlib
import itertools
import json
import os
import sys

import nbformat
import practice
from cells import PICTURE, ROOT, book, for_reading
from ipykernel.ipkernel import IPythonKernel
from jupyter_client.kernelspec import KernelSpecManager
from nbformat import NotebookNode
from nbformat.sign import NotebookNotary
from nbformat.validator import isvalid

BOOK, WORK = ROOT / "notebooks", ROOT / "work"


def opened(path):
    """The notebook at `path`; None where there is none that is whole."""
    try:
        notebook = nbformat.read(path, as_version=4)
        json.dumps(notebook, ensure_ascii=False).encode()  # half a letter is none
        minor = min(notebook.nbformat_minor, nbformat.current_nbformat_minor)
        return notebook if isvalid(notebook, version=4, version_minor=minor) else None
    except Exception:  # a damaged file lets nbformat stumble over anything
        return None


def mark(notebook):
    """A hash of what a reader writes in a notebook, text and code; None where there is none.

    An empty cell is nothing that was written: Shift+Enter adds one at the end.
    """
    if notebook is None:
        return None
    written = [(cell.cell_type, cell.source) for cell in notebook.cells if cell.source.strip()]
    return hashlib.sha256(json.dumps(written).encode()).hexdigest()[:16]


def edition(path):
    """A hash of all that a chapter of the book holds, its outputs too."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def kernel():
    """What JupyterLab writes about the kernel into a notebook that it opens.

    A copy that says so already is not changed, and not marked as changed, by being opened.
    """
    spec = KernelSpecManager().get_kernel_spec("python3")
    named = {"display_name": spec.display_name, "language": spec.language, "name": "python3"}
    return {"kernelspec": named, "language_info": dict(IPythonKernel.language_info)}


def reading(chapter):
    """A chapter as a reader has it."""
    notebook = nbformat.read(chapter, as_version=4)
    notebook.cells = [NotebookNode(cell) for cell in for_reading(notebook.cells)]
    return notebook


def lay(chapter, target, keep=None):
    """Copy a chapter, made for the kernel that runs here; what lies at `target` goes to `keep`."""
    notebook = reading(chapter)
    notebook.metadata.update(kernel())
    write(target, nbformat.writes(notebook) + "\n", keep)


def write(path, text, keep=None):
    """Write a file so that it is there whole or as it was; what lies there goes to `keep`."""
    part = path.with_name(f".{path.name}.part")
    try:
        part.write_text(text, encoding="utf-8")
        if keep:
            os.replace(path, keep)
        os.replace(part, path)
    finally:  # a full disk keeps no half of a file
        part.unlink(missing_ok=True)


def free(copy, kind, marks=()):
    """The first of 03_….new.ipynb, .new.2, .new.3 where nothing lies, or only what has a mark."""
    for number in itertools.count(1):
        ending = f".{kind}.{number}.ipynb" if number > 1 else f".{kind}.ipynb"
        path = copy.with_name(copy.stem + ending)
        if not os.path.lexists(path) or mark(opened(path)) in marks:
            return path


def named(reset, chapter):
    """Whether RESET names this chapter: by its number, 3 or 03, or with all others."""
    number = reset.isdigit() and chapter.name.startswith(f"{reset:0>2}_")
    return number or reset in ("all", chapter.stem)


def follow(chapter, copy, entry, renew):
    """Bring one copy up to date; the entry is changed, and what the reader is to be told returned.

    Args:
        chapter, copy: paths.
        entry: "marks" of every version that was laid here, and the "edition" laid last.
        renew: whether the reader asks for the book's version in any case.
    """
    latest = edition(chapter)
    written = copy.exists() and mark(opened(copy)) not in entry["marks"]
    if copy.exists() and latest == entry["edition"] and not renew:
        return None
    target, keep, line = copy, None, None
    if written and renew:
        keep = free(copy, "old")
        line = f"{copy.name} is the book's again: reopen it if it is open; yours is {keep.name}"
    elif written:
        target = free(copy, "new", entry["marks"])
        line = f"{copy.name} is yours and stays; the book's new one is {target.name}"
    lay(chapter, target, keep)
    entry["edition"] = latest
    return line


def update(reset="", *, chapters=None, work=WORK):
    """Bring the copies in `work` up to date with `chapters`; return what a reader is to be told.

    Args:
        reset: the number of a chapter to renew, or "all".
        chapters: paths of the book's chapters; all of them, and practice.ipynb, when absent.
        work: the folder of the copies.
    """
    if chapters is None:
        chapters = [*book(), practice.write()]
    if reset and not any(named(reset, path) for path in chapters):
        sys.exit(f"RESET must be all or the number of a chapter such as 03, got {reset}")
    work.mkdir(exist_ok=True)
    manifest = work / ".manifest.json"
    entries = read(manifest)
    said = []
    for chapter in chapters:
        copy = work / chapter.name
        entry = entries.setdefault(chapter.name, {"marks": [], "edition": None})
        entry["marks"] = sorted({*entry["marks"], mark(reading(chapter))})
        write(manifest, json.dumps(entries, indent=1) + "\n")
        said.append(follow(chapter, copy, entry, named(reset, chapter)))
        write(manifest, json.dumps(entries, indent=1) + "\n")
    return [line for line in said if line]


def read(manifest):
    """The entries of the manifest; none where it is missing or broken."""
    try:
        return json.loads(manifest.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def shown(notebook):
    """{(kind, data)} of all that the outputs show but prints and errors, which do nothing."""
    bundles = [o.get("data", {}) for c in notebook.cells for o in c.get("outputs", [])]
    return {(kind, json.dumps(data[kind], sort_keys=True)) for data in bundles for kind in data}


def does_nothing(kind, value):
    """Whether this does nothing in a trusted notebook either: plain text, or a picture."""
    as_the_book_shows = kind == "text/html" and PICTURE.fullmatch(value)
    return as_the_book_shows or kind in ("text/plain", "image/png")


def trust(*, chapters=None, work=WORK):
    """Let the book's live figures move in the copies; return what the reader is to be told.

    Signed is what shows nothing but the book's own outputs and what does nothing, whatever was
    written around them. What its reader ran in JupyterLab, this signs itself. The rest may be of
    anybody.
    """
    notary = NotebookNotary()
    found = [(path.name, opened(path)) for path in sorted(work.glob("*.ipynb"))]
    damaged = [name for name, copy in found if not copy]
    unsigned = [(name, copy) for name, copy in found if copy and not notary.check_signature(copy)]
    ours, foreign = set(), []
    if unsigned:
        ours = set().union(*(shown(opened(path)) for path in chapters or book()))
    for name, copy in unsigned:
        others = shown(copy) - ours
        if all(does_nothing(kind, json.loads(data)) for kind, data in others):
            notary.sign(copy)
        else:
            foreign.append(name)
    told = {
        "cannot be read as a notebook, and stays as it is: ": damaged,
        "not trusted until you run its cells, for it shows what is not the book's: ": foreign,
    }
    return [said + ", ".join(names) for said, names in told.items() if names]


def main(reset=""):
    try:
        told = [*update(reset), *trust()]
    except OSError as error:  # a full disk, or work is no folder
        sys.exit(f"your copies in {WORK} cannot be written: {error.strerror}")
    print("".join(f"{line}\n" for line in told), end="")


if __name__ == "__main__":
    main(" ".join(sys.argv[1:]))
