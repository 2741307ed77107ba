"""What the book must show stands where `required.txt` says, however its sections move."""

import functools
import json
import pathlib
import re
from typing import NamedTuple

import cells as book
import pytest

PARTS = {"Exercises": "exercises", "Going further": "further"}
TABLE = pathlib.Path(__file__).with_name("required.txt")


class Required(NamedTuple):
    """What is required, in which part of a chapter, and the words of one cell that show it."""

    chapter: str
    part: str
    what: str
    words: list


def required():
    rows = []
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if line.startswith("    "):
            rows[-1].words.append(line.strip())
        elif line and not line.startswith("#"):
            rows.append(Required(*line.split(maxsplit=2), []))
    return rows


@functools.cache
def shown(chapter):
    """(part, text) of each cell that a reader sees but the first, which lists what follows."""
    (path,) = book.book([chapter])
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    cells = [{**cell, "source": "".join(cell["source"])} for cell in cells]
    optional = book.further(cells)
    found, part = [], "core"
    for i, cell in enumerate(cells):
        heading = re.match("## (.+)", cell["source"]) if cell["cell_type"] == "markdown" else None
        if heading and part != "further":  # the last part: all that follows belongs to it
            part = PARTS.get(heading[1], "core")
        if i and not book.is_note(cell):
            found.append(("further" if i in optional else part, text_of(cell)))
    return found


def text_of(cell):
    """The source of a cell and its outputs, on one line."""
    outputs = [
        o.get("text") or o.get("data", {}).get("text/plain", "") for o in cell.get("outputs", [])
    ]
    return " ".join(" ".join([cell["source"], *map("".join, outputs)]).split())


def holds(text, words):
    if words.startswith("/") and words.endswith("/"):
        return re.search(words[1:-1], text, re.I)
    return words.lower() in text.lower()


@pytest.mark.parametrize("row", required(), ids=lambda row: f"{row.chapter} {row.what}")
def test_what_is_required_stands_in_its_part(row):
    parts = {part for part, text in shown(row.chapter) if all(holds(text, w) for w in row.words)}
    assert row.part in parts, f"it stands in {sorted(parts) or 'no cell'}: {row.words}"


def test_every_claim_of_the_ledger_is_required():
    (path,) = book.book(["90"])
    claims = re.findall(r'"\| (\d+) \| .* \|.*\.ipynb', path.read_text(encoding="utf-8"))
    named = [re.match(r"claims? ([\d, and]+):", row.what) for row in required()]
    assert set(claims) == {n for claim in named if claim for n in re.findall(r"\d+", claim[1])}
