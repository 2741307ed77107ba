"""Links to sections: `python tools/sections.py` brings those of the whole book up to date.

[6.3 Clock hands](06_….ipynb#cell-id=…) names a section by its number and words of its heading,
[6.3](…) by its number; a link with another text leads to the first heading of its cell. Write
[6 · clock hands](06_….ipynb), and this fills in the rest.

JupyterLab finds a cell by its id. An anchor of the heading's own words is lost there: the heading
is not drawn yet when Lab looks for it, and its ⊕ or √ arrives in another spelling. The website has
an anchor at every heading. Colab knows neither and opens the chapter at its top.
"""

import functools
import json
import re
import sys
from typing import NamedTuple

from cells import ROOT, book

LINK = re.compile(r"\[([^\]]*)\]\((\d\d_\w+\.ipynb)#cell-id=([\w-]*)\)")
SHORT = re.compile(r"\[(\d+) · ([^\]]+)\]\((\d\d_\w+\.ipynb)\)")
NAME = re.compile(r"(\d+\.\d+)|(\d+(?:\.\d+)?) (.+)")  # of a section, in the text of a link


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
        LookupError: a text that names no section or several, a cell without a heading; it says
            on which pages such a link stands.
    """
    named = NAME.fullmatch(text)
    if not named:
        return _only(text, name, lambda heading: heading.cell == cell, several=True)
    alone, number, words = named.groups()
    if alone:
        return _only(text, name, lambda heading: heading.text.startswith(f"{alone} "))
    return _only(text, name, lambda h: h.number == number and words.lower() in h.text.lower())


def _only(text, name, fits, *, several=False):
    found = [heading for heading in headings(name) if fits(heading)]
    if not found or (len(found) > 1 and not several):
        number = text.partition(" ")[0]
        under = [heading for heading in headings(name) if heading.number == number]
        raise LookupError(
            f"{', '.join(_pages(text, name))}: [{text}]({name}) must lead to one section, got "
            f"{_texts(found)} of {_texts(under or headings(name))}; give the link words of "
            "one, then python tools/sections.py"
        )
    return found[0]


def _texts(found):
    return [heading.text for heading in found]


def _pages(text, name):
    """The names of the pages on which a link with this text leads to a part of the book."""
    link = f"[{json.dumps(text, ensure_ascii=False)[1:-1]}]({name}"
    return [page.name for page in book() if link in page.read_text(encoding="utf-8")]


def anchored(text):
    """The text with each link to a section leading to its cell."""
    return LINK.sub(lambda link: _link(link, "cell-id=" + meant(*link.groups()).cell), _long(text))


def on_the_site(text):
    """The text with each link to a section leading to the website's anchor of its heading."""
    return LINK.sub(lambda link: _link(link, slug(meant(*link.groups()).text)), text)


def _link(link, anchor):
    return f"[{link[1]}]({link[2]}#{anchor})"


def _long(text):
    """The text with the number of the section in each link that has only the chapter's."""

    def numbered(link):
        number, words, name = link.groups()
        text = f"{number} · {words}"
        heading = _only(text, name, lambda heading: words.lower() in heading.text.lower())
        return f"[{heading.number} {words[0].upper()}{words[1:]}]({name}#cell-id=)"

    return SHORT.sub(numbered, text)


def slug(heading):
    """The anchor that MyST makes of a heading, by GitHub's rule."""
    return re.sub(r"[^\w\- ]", "", heading.lower().replace(" ", "-"))


def main():
    stale = []
    for path in book():
        part = json.loads(path.read_text(encoding="utf-8"))
        for cell in part["cells"]:
            if cell["cell_type"] == "markdown":
                try:
                    text = anchored("".join(cell["source"]))
                except LookupError as error:
                    stale.append(str(error))
                    continue
                cell["source"] = text.splitlines(keepends=True)
        text = json.dumps(part, indent=1, ensure_ascii=False) + "\n"
        if text != path.read_text(encoding="utf-8"):
            path.write_text(text, encoding="utf-8")
            print(f"{path.name}: links to sections renewed")
    if stale:
        sys.exit("\n".join(sorted({*stale})))


if __name__ == "__main__":
    main()
