"""The whole book as one PDF: `python -m website.pdf`, as `make print` does, into build/d2lattn.pdf.

It is printed from the website (build/site): its pages become one, with every fold open, without
what only a screen can do; links between chapters lead to pages, headings the outline. The
first printing tells on which page a section begins, the second writes that into the contents.
"""

import html
import io
import pathlib
import sys
import tomllib

import chromium
import pypdf
from bs4 import BeautifulSoup
from cells import ROOT, appendices, chapters, published

SITE = ROOT / "build" / "site"
TARGET = ROOT / "build" / "d2lattn.pdf"
ONE_PAGE = SITE / "printed.html"  # beside the pages, whose pictures it shows
ON_SCREEN = ".go, .headerlink, button, script, noscript, nav, .evidence-shown"
# Folds whose name says nothing once they are open; others keep it.
UNNAMED = ("Imports", "Show the answer", "Show the code", "Beyond the core", "Guard")
FOOT = """<div style="width: 100%; text-align: center; font: 8pt sans-serif; color: #555">
<span class="pageNumber"></span></div>"""
PAGE = """<!doctype html>
<html lang="en" data-theme="light"><head><meta charset="utf-8"><title>{title}</title>
<link rel="stylesheet" href="_static/styles/site.css">
<style>{style}</style></head><body>
<div class="title"><p class="name">{title}</p><p>The d2lattn authors, version {version}</p>
<p><a href="{address}">{address}</a></p><p>Figures that move stand still here, and what a reader
should first guess, or solve, stands in the open: both wait for you on the website and in the
notebooks.</p></div>
<nav><h1>Contents</h1>{contents}</nav>
{body}
{scripts}
</body></html>
"""


def pages():
    """The pages of the book in order: chapters, appendices, what was corrected."""
    found = [SITE / f"{path.stem}.html" for path in (*chapters(), *appendices())]
    return [*found, *(path for path in [SITE / "errata.html"] if path.exists())]


def article(path):
    """(the text of a page, made for paper; the scripts of its live figures)."""
    soup = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
    text = soup.select_one("article")
    scripts = [tag["src"] for tag in text.select("script[src]")]
    for mark in text.select("button.evidence"):
        _to_table(mark)
    for tag in text.select(ON_SCREEN):
        tag.decompose()
    for fold in text.select("details"):
        _open(fold, soup)
    for tag in text.select("[loading]"):
        del tag["loading"]
    for link in text.select("a.image-reference"):
        link.unwrap()
    _lead(text, path.stem)
    text["id"] = path.stem
    return text, scripts


def _open(fold, soup):
    """Make a fold a part of the page like any other."""
    summary = fold.find("summary", recursive=False)
    said = (summary.find("p") or summary).get_text(" ", strip=True)
    if not said.startswith(UNNAMED):
        label = soup.new_tag("p", attrs={"class": "label"})
        label.string = "Solution" if said == "Show a solution" else said
        fold.insert_before(label)
    summary.decompose()
    fold.name, fold["class"] = "div", "unfolded"


def _to_table(mark):
    """Make the button of a mark † a link to the tables on the website."""
    name = mark["aria-label"].removeprefix("Evidence: ").partition(",")[0]
    mark.name, mark.attrs = "a", {"href": f"experiments.html#{name.replace('_', '-')}"}


def _lead(text, stem):
    """Give the ids of a page its name, and lead links to them, or to the website."""
    inside = {path.stem for path in pages()}
    for tag in text.select("[id]"):
        tag["id"] = f"{stem}.{tag['id']}"
    for tag in text.select("[href], [xlink\\:href]"):
        key = "href" if tag.get("href") else "xlink:href"
        place, _, anchor = tag[key].partition("#")
        page = place.removesuffix(".html") if place else stem
        if page in inside:
            tag[key] = f"#{page}.{anchor}" if anchor else f"#{page}"
        elif place and ":" not in place:
            tag[key] = f"{published()}{tag[key]}"


def sections(texts):
    """(id, name, kind) of every chapter and its sections, in order."""
    kinds = {"h1": "chapter", "h2": "section"}
    headings = [heading for text in texts for heading in text.select("h1, h2")]
    return [(h.find_parent("section")["id"], h.get_text(), kinds[h.name]) for h in headings]


def contents(texts, numbers):
    """The contents: every chapter and its sections, with their pages as far as they are known."""
    return "\n".join(
        f'<p class="{kind}"><a href="#{place}">{html.escape(name)}</a>'
        f"<span>{numbers.get(place, '000')}</span></p>"
        for place, name, kind in sections(texts)
    )


def starts(pdf):
    """{id: page on which it stands} of all places to which something in a PDF leads."""
    reader = pypdf.PdfReader(io.BytesIO(pdf))
    found = reader.named_destinations.items()
    return {name.strip("/"): reader.get_destination_page_number(place) + 1 for name, place in found}


def outlined(pdf, texts, numbers):
    """The PDF with chapters and their sections as its outline: Chromium's own joins words."""
    writer, chapter = pypdf.PdfWriter(clone_from=io.BytesIO(pdf)), None
    for place, name, kind in sections(texts):
        parent = chapter if kind == "section" else None
        made = writer.add_outline_item(
            title=name, page_number=numbers[place] - 1, parent=parent, is_open=False
        )
        chapter = chapter if parent else made
    written = io.BytesIO()
    writer.write(written)
    return written.getvalue()


def printed(texts, scripts):
    """The bytes of the PDF."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    said = dict(
        title="Attention, a textbook in which every claim runs",
        version=project["version"],
        address=published(),
        style=(ROOT / "website" / "print.css").read_text(encoding="utf-8"),
        body="\n".join(map(str, texts)),
        scripts="\n".join(f'<script src="{name}"></script>' for name in dict.fromkeys(scripts)),
    )
    with chromium.opened() as browser:
        page = browser.new_page(viewport={"width": 1000, "height": 1100})
        pdf, numbers = None, {}
        for _ in range(2):
            made = PAGE.format(contents=contents(texts, numbers), **said)
            ONE_PAGE.write_text(made, encoding="utf-8")
            page.goto(ONE_PAGE.as_uri(), wait_until="load", timeout=180_000)
            pdf = page.pdf(
                prefer_css_page_size=True, tagged=True, print_background=True,
                display_header_footer=True, header_template="<span></span>", footer_template=FOOT,
            )  # fmt: skip
            numbers = starts(pdf)
    ONE_PAGE.unlink()
    return outlined(pdf, texts, numbers)


def main(target):
    """Print the website as it lies in build/site."""
    if not (SITE / "index.html").exists():
        sys.exit("there is no website to print: run make site first")
    found = [article(path) for path in pages()]
    scripts = [name for _, names in found for name in names]
    target.write_bytes(printed([text for text, _ in found], scripts))
    print(target)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]) if sys.argv[1:] else TARGET)
