"""Links of notebooks, Markdown and docstrings: what can be said of them without a network."""

import functools
import json
import re

import nbformat
import sections
from cells import ROOT, address, for_reading

PARTS = ("notebooks/*.ipynb", "*.md", "docs/*.md", "deploy/*.md", "benchmarks/*.md")
PARTS += ("experiments/*.md", "d2lattn*/**/*.py")
ANCHORED = re.compile(r"\]\(([^)\s#]*\.(?:ipynb|md))?#([^)\s]+)\)")


@functools.cache
def texts():
    """{file: what a reader meets in it}: of a notebook its Markdown and code."""
    found = {}
    for path in sorted(path for pattern in PARTS for path in ROOT.glob(pattern)):
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".ipynb":
            text = "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"])
        found[path] = text
    return found


@functools.cache
def anchors(path):
    """What a link to this file may name: of a notebook the cells of a reader's copy."""
    if path.suffix == ".ipynb":
        cells = for_reading(nbformat.read(path, as_version=4).cells)
        return {f"cell-id={cell['id']}" for cell in cells}
    headings = re.findall(r"^#+ (.+)", path.read_text(encoding="utf-8"), re.M)
    return {sections.slug(heading) for heading in headings}


def lost(path, text):
    """The links of a text to an anchor that its target has not; `path` is the text's own file."""
    ours = f"{address()}/blob/main/"
    for file, anchor in ANCHORED.findall(text):
        there = ROOT / file.removeprefix(ours) if file.startswith(ours) else path.parent / file
        if not file.startswith("https://") or file.startswith(ours):
            # The website knows no anchor of a chapter without the chapter's name.
            target = there if file or path.suffix == ".ipynb" else path
            if not target.is_file() or anchor not in anchors(target.resolve()):
                yield f"{path.name}: {file}#{anchor}"


def test_every_anchor_that_is_named_exists():
    assert sum(len(ANCHORED.findall(text)) for text in texts().values()) > 700
    assert [link for path, text in texts().items() for link in lost(path, text)] == []
