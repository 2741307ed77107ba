"""The tables of appendix 90 on attention calls, as data: {call: {column: cell}}."""

import json
import re
from pathlib import Path

NOTEBOOK = Path(__file__).resolve().parent.parent / "notebooks" / "90_notation_and_claims.ipynb"


def rows(start):
    """The rows of the tables in the cells whose first table has `start` in its first cell."""
    found = {}
    for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]:
        lines = re.findall(r"^\| (.+) \|$", "".join(cell["source"]), re.M)
        table = [re.split(r" \| ", line) for line in lines]
        if table and table[0][0] == start and len(table[0]) > 2:
            for call, *cells in table[1:]:
                name = re.sub(r"\W+$", "", call.replace("`", ""))
                found.setdefault(name, {}).update(zip(table[0][1:], cells, strict=True))
    return found


def table():
    """What each call does, under the headings of the two tables together."""
    return rows("call")


def read_at():
    """Where each statement was read: {call: {"version": …, "lines": …}}."""
    return rows("source of")
