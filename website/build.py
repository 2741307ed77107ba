"""The book as a static website: `python -m website.build`, as `make site` does, into build/site.

`--ask` writes no pages, and asks whether those of others answer that it names: `make links`.

The chapters are shown as they are stored; nothing is run (chapter_page.py makes pages of them).
What this adds to them: a front page, a page for the lecturer of each chapter, the experiments and
the reference of the package. Sphinx does the rest, with the settings in conf.py; the slides come
last (tools/slides.py, in the book's own environment).
"""

import base64
import html
import pathlib
import re
import shutil
import string
import subprocess
import sys

import lecturer
import nbformat
import practice
from cells import ROOT, address, appendices, book, chapters, pictures, published, taught
from sections import meant, pointed, slug

from d2lattn_book.pictures import live
from website import clinic, evidence
from website.chapter_page import prepare

SOURCE = ROOT / "build" / "site-source"
PAGES = ROOT / "website" / "pages"
DOCS = ("audit", "package")  # of docs: pages of the site, too
OPENS_WITH, ENDS_WITH = "00", "09"  # chapters: the first live figure, and the one that writes
CARD = """:::{{grid-item-card}} {title}
:link: {stem}
:link-type: doc
{picture}
{question}
:::
"""

# The figure of each chapter that its card shows, by the cell that draws it.
ON_A_CARD = {
    "01": "3ec2b62d",
    "02": "22da18ee",
    "03": "q3stair2",
    "04": "4a1c0013",
    "05": "702c3bbc",
    "06": "6a2d3c01",
    "07": "4dd8d230",
    "08": "c08-072",
    "09": "c09-steps",
    "10": "027bea10",
    "11": "11a10003",
    "12": "12a50006",
}

RAW = "```{{raw}} html\n{}\n```"
TOCTREE = """
```{{toctree}}
:hidden:
:caption: {caption}

{entries}
```
"""


# The front page -----------------------------------------------------------------------------------


def front_page(notebooks):
    """The front page, in Markdown, from {path: notebook as it is stored}."""
    cards = []
    for path in taught():
        head = notebooks[path].cells[0].source
        title, question = re.match(r"# (.+)\n\n\*\*(.+)\*\*", head).groups()
        number = path.name[:2]
        (cell,) = [c for c in notebooks[path].cells if c.id == ON_A_CARD[number]]
        ((png, seen),) = pictures(cell)
        (SOURCE / "pictures" / f"card_{number}.png").write_bytes(base64.b64decode(png))
        picture = f":img-top: pictures/card_{number}.png\n:img-alt: {seen}\n"
        cards.append(CARD.format(title=title, question=question, stem=path.stem, picture=picture))
    opening, ending = chapters([OPENS_WITH, ENDS_WITH])
    (writes,) = [page for page in live_figures(notebooks[ending]) if "live model" in page]
    page = written("index").substitute(
        first=chapters()[0].stem,
        address=address(),
        live=RAW.format(live_figures(notebooks[opening])[0]),
        reader=RAW.format(writes),
        cards="\n".join(cards),
    )
    first, *rest = (path.stem for path in chapters())
    trees = {
        "The book": [first, *rest],
        "Appendices": [path.stem for path in appendices()],
        "More": [
            *("practice", "clinic/index", *DOCS, "playground", "errata", evidence.PAGE),
            *("lecturer/index", "reference/index"),
        ],
    }
    for caption, entries in trees.items():
        page += TOCTREE.format(caption=caption, entries="\n".join(entries))
    return page


def written(name):
    """A page of website/pages, which has places for what the chapters give."""
    return string.Template((PAGES / f"{name}.md").read_text(encoding="utf-8"))


def live_figures(notebook):
    """The live figures of a notebook, each as HTML that stands by itself."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    pages = ["".join(output.get("data", {}).get("text/html", "")) for output in outputs]
    return [page for page in pages if "<live-" in page]


def playground():
    """The page of the figure that trains; its address holds the settings."""
    figure = live.train(task="sentences", address=True)
    code = f"{address()}/blob/main/d2lattn_book/pictures/live/train/model.js"
    return written("playground").substitute(live=RAW.format(figure.html), code=code)


# The package --------------------------------------------------------------------------------------


def _page(name, option):
    whole = name if name.startswith("d2lattn_book.") else f"d2lattn.{name}"
    return (
        f"# `{whole}`\n\n```{{eval-rst}}\n.. automodule:: {whole}\n"
        f"   :members:\n   :{option}:\n```\n"
    )


def reference():
    """{name: page} of the packages: a page for every module, and one that lists them."""
    names = [
        path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".").removeprefix("d2lattn.")
        for package in ("d2lattn", "d2lattn_book")
        for path in (ROOT / package).rglob("*.py")
        if not path.stem.startswith(("_", "chapter_")) and path.parents[1].name != "live"
    ]
    names += ["d2lattn_book.cards", "d2lattn_book.kernels"]  # which stand in their front pages
    pages = {name: _page(name, "ignore-module-all") for name in names}
    for name in ("pictures.drawings", "pictures.live", "pictures.plots", "real"):  # which hand on
        pages[f"d2lattn_book.{name}"] = _page(f"d2lattn_book.{name}", "imported-members")
    entries = "\n".join(sorted(pages))
    pages["index"] = (
        "# The package\n\n```{eval-rst}\n.. automodule:: d2lattn\n```\n\n"
        f"```{{toctree}}\n:maxdepth: 1\n\n{entries}\n```\n"
    )
    return pages


def practice_page():
    """The notebook of all exercises as a page, its links those of the page."""
    anchor = lambda cell: slug(cell.source.partition("\n")[0].lstrip("# "))  # noqa: E731
    return prepare(practice.practice(anchor))


def section_link(name):
    """The link of a lecturer's page to the section `name`, such as "5.8"; an exercise has none."""
    if name.startswith("exercise"):
        return name
    (path,) = book([f"{int(name.split('.')[0]):02d}"])
    return f"[{name}](../{path.name}#{slug(meant(name, path.name).text)})"


def page_of(path):
    """A page of Markdown of the project, its links those of the site."""
    text = path.read_text(encoding="utf-8").replace("](../", "](")
    text = re.sub(r"\]\(notebooks/([\w.]+)(#cell-id=\w+)?\)", r"](\1)", text)
    text = text.replace("](experiments/EXPERIMENTS.md", f"]({evidence.PAGE}.md")
    text = re.sub(r"\]\(images/", "](pictures/", text)
    files = "[A-Z]|(benchmarks|deploy|docs|experiments|tests)/"
    text = re.sub(rf"\]\((?={files})", f"]({address()}/blob/main/", text)
    others = [page.stem for page in (ROOT / "docs").iterdir() if page.stem not in DOCS]
    return re.sub(rf"\]\((?=({'|'.join(others)})\.md)", f"]({address()}/blob/main/docs/", text)


# All of it ----------------------------------------------------------------------------------------


def write_source():
    """Write what Sphinx reads into build/site-source."""
    shutil.rmtree(SOURCE, ignore_errors=True)
    for folder in ("_static", "_extra/notebooks", "pictures", "lecturer", "reference"):
        (SOURCE / folder).mkdir(parents=True)
    notebooks = {path: nbformat.read(path, as_version=4) for path in book()}
    (SOURCE / "index.md").write_text(front_page(notebooks), encoding="utf-8")
    rows = ["| chapter | minutes | builds on | homework |", "|---|---:|---|---|"]
    for path in chapters():
        cells = notebooks[path].cells
        text = pointed(lecturer.page(path.name, cells), section_link)
        (SOURCE / "lecturer" / f"{path.stem}.md").write_text(text, encoding="utf-8")
        head = r"# (.+)(?s:.+?)(?:Builds on|You need) (.+?)(?:;|\.\s)"
        title, needs = re.match(head, cells[0].source).groups()
        tasks = re.findall(r"### Exercise (\S+) .+\n●.○", "\n".join(cell.source for cell in cells))
        first = f"| [{title}]({path.stem}.md) | {lecturer.minutes(cells)} "
        rows.append(f"{first}| {needs} | {', '.join(tasks) or 'before class: 0.1 to 0.3'} |")
    stems = [path.stem for path in chapters()]
    places = dict(address=address(), first=stems[0], rows="\n".join(rows), entries="\n".join(stems))
    (SOURCE / "lecturer" / "index.md").write_text(written("lecturer").substitute(places), "utf-8")
    (SOURCE / "playground.md").write_text(playground(), encoding="utf-8")
    for page in [ROOT / "ERRATA.md", *(ROOT / "docs" / f"{name}.md" for name in DOCS)]:
        (SOURCE / f"{page.stem.lower()}.md").write_text(page_of(page), encoding="utf-8")
    shutil.copytree(ROOT / "images", SOURCE / "pictures", dirs_exist_ok=True)
    (SOURCE / f"{evidence.PAGE}.md").write_text(evidence.tables(), encoding="utf-8")
    for name, text in reference().items():
        (SOURCE / "reference" / f"{name}.md").write_text(text, encoding="utf-8")
    practice.write(SOURCE / "_extra" / "notebooks" / practice.TARGET.name)
    nbformat.write(practice_page(), SOURCE / practice.TARGET.name)
    for path, notebook in notebooks.items():
        shutil.copy(path, SOURCE / "_extra" / "notebooks")
        nbformat.write(prepare(notebook, path), SOURCE / path.name)
        if path.name == clinic.SOURCE:
            clinic.write(SOURCE, notebook)


def build(target):
    """Write the website into the folder `target`; a warning of Sphinx is an error."""
    write_source()
    shutil.copy(SOURCE / "pictures" / "card_01.png", SOURCE / "_static" / "card.png")
    shutil.rmtree(target, ignore_errors=True)
    if sphinx(target, "-b", "html", "--fail-on-warning", "--keep-going"):
        sys.exit("the website was not built")
    (target / "llms.txt").write_text(list_of_pages(target), encoding="utf-8")
    print(f"{target / 'index.html'}")


def list_of_pages(target):
    """llms.txt: each page of the site in a line, its title, address and description."""
    lines = ["# Attention from scratch, an interactive textbook (d2lattn)", ""]
    for place in re.findall("<loc>(.+?)</loc>", (target / "sitemap.xml").read_text("utf-8")):
        text = (target / place.removeprefix(published())).read_text("utf-8")
        found = re.findall(r'property="og:(?:title|description)" content="(.*?)"', text)
        title, about = map(html.unescape, found)
        lines.append(f"- [{title}]({place}): {about}")
    return "\n".join(lines) + "\n"


def ask():
    """Ask whether the pages that the website names answer, which wants a network: `make links`."""
    write_source()
    sys.exit(sphinx(ROOT / "build" / "links", "-b", "linkcheck"))


def sphinx(target, *options):
    """Run Sphinx on what was written; 0 if all went well."""
    folders = ["-c", ROOT / "website", "-d", ROOT / "build" / "site-cache", SOURCE, target]
    command = [sys.executable, "-m", "sphinx", "--quiet", *options, *folders]
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    if "--ask" in sys.argv[1:]:
        ask()
    build(pathlib.Path(sys.argv[1]) if sys.argv[1:] else ROOT / "build" / "site")
