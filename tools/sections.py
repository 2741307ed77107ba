"""Links to sections: `python tools/sections.py` brings those of the whole book up to date.

[6.3 Clock hands](06_….ipynb#cell-id=…) names a section by its number and words of its heading. A
link with other words leads to the first heading of its cell. JupyterLab finds a cell by its id; an
anchor of the heading's own words is lost there, because the heading is not drawn yet when Lab looks
for it, and its ⊕ or √ arrives in another spelling. The website has an anchor at every heading.
"""

import functools
import json
import re
from typing import NamedTuple

from cells import ROOT, book

LINK = re.compile(r"\[([^\]]*)\]\((\d\d_\w+\.ipynb)#cell-id=([\w-]*)\)")
NAME = re.compile(r"(\d+(?:\.\d+)?) (.+)")  # of a section, in the text of a link


class Heading(NamedTuple):
    """A heading: the number of the section in which it stands, its text, the id of its cell."""

    number: str
    text: str
    cell: str


@functools.cache
def headings(name):
    """The headings of a part of the book, but for those of exercises."""
    part = json.loads((ROOT / "notebooks" / name).read_text(encoding="utf-8"))
    number, found = "", []
    for cell in part["cells"]:
        text = "".join(cell["source"]) if cell["cell_type"] == "markdown" else ""
        for level, heading in re.findall(r"^(##+) (?!Exercise )(.+)", text, re.M):
            own = re.match(r"\d+\.\d+", heading)
            if own or level == "##":
                number = own[0] if own else str(int(name[:2]))
            found.append(Heading(number, heading, cell["id"]))
    return found


def meant(text, name, cell=None):
    """The heading to which the link [text](name#cell-id=cell) leads.

    Raises:
        LookupError: a text that names no section or several, a cell without a heading.
    """
    named = NAME.fullmatch(text)
    if named:
        number, words = named.groups()
        found = [h for h in headings(name) if h.number == number and words.lower() in h.text.lower()]
        if len(found) != 1:
            raise LookupError(f"{name}: {text!r} must name one section, got {found}")
    else:
        found = [heading for heading in headings(name) if heading.cell == cell]
        if not found:
            raise LookupError(f"{name}: cell {cell!r}, where [{text}] leads, has no heading")
    return found[0]


def anchored(text):
    """The text with each link to a section leading to its cell."""
    return LINK.sub(lambda link: f"[{link[1]}]({link[2]}#cell-id={meant(*link.groups()).cell})", text)


def on_the_site(text):
    """The text with each link to a section leading to the website's anchor of its heading."""
    return LINK.sub(lambda link: f"[{link[1]}]({link[2]}#{slug(meant(*link.groups()).text)})", text)


def slug(heading):
    """The anchor that MyST makes of a heading, by GitHub's rule."""
    return re.sub(r"[^\w\- ]", "", heading.lower().replace(" ", "-"))


def main():
    for path in book():
        part = json.loads(path.read_text(encoding="utf-8"))
        for cell in part["cells"]:
            if cell["cell_type"] == "markdown":
                cell["source"] = anchored("".join(cell["source"])).splitlines(keepends=True)
        text = json.dumps(part, indent=1, ensure_ascii=False) + "\n"
        if text != path.read_text(encoding="utf-8"):
            path.write_text(text, encoding="utf-8")
            print(f"{path.name}: links to sections renewed")


if __name__ == "__main__":
    main()
