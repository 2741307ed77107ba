"""The page of a live figure: what a notebook shows of it, with and without code.

Its HTML holds a sentence and a plain table of the numbers, then an element with its data in an
attribute, then the code that draws it. Where no code runs, sentence and table remain; in a
terminal, one line.
"""

import hashlib
import html
import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from d2lattn.arguments import show
from d2lattn_book.pictures import arrays
from d2lattn_book.pictures.colours import ROLES

STORED = Path(__file__).resolve().parent / "live" / "stored"
SITE = "https://d2lattn.github.io/d2lattn/"
STILL = (
    f'Here it stands still. The figure moves <a href="{SITE}">on the website</a>, in a trusted '
    "notebook and where its cell is run."
)
PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; font-family: sans-serif; }}
main {{ max-width: 1180px; margin: 16px auto; }}
</style>
<main>
{figure}
</main>
</html>
"""
MOST_TOKENS = 12  # of which every number has to be legible
MOST_WORDS = 64  # of a map


class Figure:
    """A live figure. `html` is its fragment, `str` the line that stands for it in a terminal."""

    def __init__(self, kind: str, line: str, data: dict, table: str, note: str = "") -> None:
        self.line = line
        data = {"figure": kind, "title": line, "roles": ROLES, **data}
        text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
        text = html.escape(text, quote=False).replace("'", "&#x27;")
        self.html = f"{fallback(line, table)}\n{element(kind, text)}{note}"

    def __repr__(self):
        return self.line

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the figure as a page of HTML that needs no kernel and no network.

        Example:
            >>> steps([1.0, 3.0], [10.0, 20.0]).save("softmax.html")  # doctest: +SKIP
        """
        known = isinstance(path, (str, os.PathLike))
        if not known or Path(path).suffix.lower() not in (".html", ".htm"):
            raise ValueError(f"path must be the path of a page, *.html, got {show(path)}")
        title = html.escape(self.line)
        Path(path).write_text(PAGE.format(title=title, figure=self.html), encoding="utf-8")

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return {"text/plain": self.line, "text/html": self.html}


def fallback(line: str, table: str) -> str:
    """What is seen where no code runs: a sentence, a table, and where the figure moves."""
    said = html.escape(line.removeprefix("live "), quote=False)
    said = re.sub(", each weight within [^ ,]+", "", said)  # which says nothing to a reader
    said = f'<p class="said">{said[0].upper()}{said[1:]}.</p>'
    return f'<div class="live-fallback">{said}{table}<p>{STILL}</p></div>'


def element(kind: str, data: str) -> str:
    """The element with its data, escaped, and the code that draws it; the name is the code's."""
    code = (STORED / f"{kind}.js").read_text(encoding="utf-8").split("\n", 1)[1].strip()
    if "</script" in code.lower():
        raise ValueError(f"the code of {kind} must not hold </script")
    name = f"live-{hashlib.sha256(code.encode()).hexdigest()[:8]}"
    code = code.replace("live-00000000", name)
    return f"<{name} data-live='{data}'></{name}>\n<script type=\"module\">{code}</script>"


# What several kinds check, and how their numbers are written down.


def parts_of(parts: Sequence[str], known: Sequence[str]) -> list[str]:
    """The parts that are wanted, in the order of those that there are."""
    wanted = arrays.listed("parts", parts)
    for part in wanted:
        if part not in known:
            raise ValueError(f"parts must be of {known}, got {show(part)}")
    return [part for part in known if part in wanted]


def rounded(x: torch.Tensor | float) -> Any:
    """Six digits, and no zero with a sign: the same text on every processor."""
    if torch.is_tensor(x) and x.ndim:
        return [rounded(row) for row in x]
    value = float(f"{float(x):.6g}") + 0.0
    return int(value) if value.is_integer() and abs(value) < 1e15 else value
