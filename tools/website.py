"""The book as a static website: `python tools/website.py`, as `make site` does, into build/site.

The chapters are shown as they are stored; nothing is run. What this adds to them: a front page,
alternative text for pictures, solutions behind a click, a page for the lecturer of each chapter and
the reference of the package. Sphinx does the rest, with the settings in website/conf.py.
"""

import base64
import pathlib
import re
import shutil
import subprocess
import sys
from typing import NamedTuple

import lecturer
import nbformat
from cells import (
    ROOT,
    address,
    appendices,
    book,
    chapters,
    is_imports,
    is_note,
    is_setup,
    is_solution,
    is_taught,
    pictures,
    repository,
    tags,
    taught,
)
from npm import bring
from sections import on_the_site

SOURCE = ROOT / "build" / "site-source"
MATHJAX = "es5/tex-svg.js"  # one file: glyphs are drawn, so that no font is asked for
FRONT = """---
html_theme.sidebar_secondary.remove: true
---

# Attention, a textbook in which every claim runs

<div class="hero"><div>

How does a word take its sentence into account? One asking word, a score for each of the others,
a share, a blend: that is all. Here you see it, change it, and check it.

<p class="go"><a href="{first}.html">Start reading</a>
<a href="lecturer/index.html">Teach with it</a>
<a href="{address}">Run it yourself</a></p>

</div><figure>

![{alt}]({picture})

<figcaption>{caption}</figcaption></figure></div>

## Touch it

Nothing to install: this figure computes in your browser. Choose who asks; drag a number; click one
to read its arithmetic.

{live}

## The chapters

::::{{grid}} 1 2 2 3
:gutter: 3

{cards}
::::
"""
CARD = """:::{{grid-item-card}} {title}
:link: {stem}
:link-type: doc
{picture}
{question}
:::
"""

TOCTREE = """
```{{toctree}}
:hidden:
:caption: {caption}

{entries}
```
"""


class Picture(NamedTuple):
    """A picture of a chapter: the PNG, what it shows in words, and the cell's tags."""

    png: bytes
    text: str
    tags: set


# A chapter ----------------------------------------------------------------------------------------


def prepare(notebook, path):
    """Make a stored notebook a page: in place, and without touching what it says."""
    notebook.cells = [cell for cell in notebook.cells if not is_note(cell)]
    own = f'<a href="notebooks/{path.name}" download>this notebook</a>'
    links = f"[Open in Colab]({_colab(path)}) · {own} · "
    if is_taught(path):
        links += f"[for the lecturer](lecturer/{path.stem}.md) · "
    head = notebook.cells[0].source
    notebook.cells[0].source = re.sub(r"\[Open in Colab\]\([^)]*\) · ", lambda _: links, head)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = re.sub(
                r"\]\(\.\./d2lattn/([\w/]+)\.py\)",
                lambda link: f"](reference/{link[1].replace('/', '.')}.md)",
                cell.source,
            )
            cell.source = cell.source.replace("](../", f"]({address()}/blob/main/")
            cell.source = on_the_site(cell.source)
        shown = tags(cell)
        if is_setup(cell):
            shown.add("remove-cell")
        elif is_imports(cell):
            shown.add("hide-input")
            cell.metadata.mystnb = {"code_prompt_show": "Imports"}
        if is_solution(cell):
            shown.add("hide-cell")
            cell.metadata.mystnb = {"code_prompt_show": "Show a solution"}
        cell.metadata.tags = sorted(shown)
        if cell.cell_type == "code":
            _describe(cell)
            _explain_controls(cell)
    return notebook


def _colab(path):
    place = f"{repository()}/blob/main/notebooks/{path.name}"
    return f"https://colab.research.google.com/github/{place}"


def _describe(cell):
    """Make a file of a cell's picture, which Sphinx does with a PNG, and keep its words."""
    for output in cell.outputs:
        for png, text in pictures({"outputs": [output]}):
            output.data = nbformat.from_dict({"image/png": png, "text/plain": text})
            cell.metadata.mystnb = {**cell.metadata.get("mystnb", {}), "image": {"alt": text}}


def _explain_controls(cell):
    """Say of sliders, which need a kernel, where they are to be had."""
    for output in cell.outputs:
        text = output.get("data", {}).get("text/plain", "")
        if text.startswith("controls of "):
            output.data["text/plain"] = f"In JupyterLab and Colab there are {text} to move here."


# The front page -----------------------------------------------------------------------------------


def front_page(notebooks):
    """The front page, in Markdown, from {path: notebook as it is stored}."""
    shown = {path: list(_pictures(notebook)) for path, notebook in notebooks.items()}
    everything = [picture for found in shown.values() for picture in found]
    (hero,) = [picture for picture in everything if "readme" in picture.tags]
    cards = []
    for path in taught():
        head = notebooks[path].cells[0].source
        title, question = re.match(r"# (.+)\n\n\*\*(.+)\*\*", head).groups()
        picture = ""
        if shown[path]:
            picture = ":img-top: {}\n:img-alt: {}\n".format(*_save(shown[path][0], path.stem))
        cards.append(CARD.format(title=title, question=question, stem=path.stem, picture=picture))
    picture, alt = _save(hero, "hero")
    page = FRONT.format(
        first=taught()[0].stem,
        address=address(),
        picture=picture,
        alt=alt,
        caption="One word in two sentences: what the other words make of it.",
        live=f"```{{raw}} html\n{live_figure(notebooks[taught()[0]])}\n```",
        cards="\n".join(cards),
    )
    trees = {
        "The book": [path.stem for path in chapters()],
        "Appendices": [path.stem for path in appendices()],
        "More": ["lecturer/index", "reference/index"],
    }
    for caption, entries in trees.items():
        page += TOCTREE.format(caption=caption, entries="\n".join(entries))
    return page


def _pictures(notebook):
    """Each picture of a notebook, in order."""
    for cell in notebook.cells:
        for png, text in pictures(cell):
            yield Picture(base64.b64decode(png), text, tags(cell))


def _save(picture, name):
    """Write a picture into the source; (its place, its alternative text, fit for Markdown)."""
    (SOURCE / "pictures" / f"{name}.png").write_bytes(picture.png)
    return f"pictures/{name}.png", re.sub(r"[\[\]]", "", picture.text)


def live_figure(notebook):
    """The first live figure of a notebook as HTML that stands by itself."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            html = "".join(output.get("data", {}).get("text/html", ""))
            if "<live-" in html:
                return html
    raise ValueError("the notebook must hold a live figure, got none")


# The package --------------------------------------------------------------------------------------


def _page(name, option):
    return (
        f"# `d2lattn.{name}`\n\n```{{eval-rst}}\n.. automodule:: d2lattn.{name}\n"
        f"   :members:\n   :{option}:\n```\n"
    )


def reference():
    """{name: page} of the package: a page for every module, and one that lists them."""
    names = [
        path.relative_to(ROOT / "d2lattn").with_suffix("").as_posix().replace("/", ".")
        for path in (ROOT / "d2lattn").rglob("*.py")
        if not path.stem.startswith(("_", "chapter_"))
    ]
    pages = {name: _page(name, "ignore-module-all") for name in names}
    for name in ("pictures.drawings", "pictures.plots"):  # which hand on what stands elsewhere
        pages[name] = _page(name, "imported-members")
    entries = "\n".join(sorted(pages))
    pages["index"] = (
        "# The package\n\n```{eval-rst}\n.. automodule:: d2lattn\n```\n\n"
        f"```{{toctree}}\n:maxdepth: 1\n\n{entries}\n```\n"
    )
    return pages


# All of it ----------------------------------------------------------------------------------------


def write_source():
    """Write what Sphinx reads into build/site-source."""
    shutil.rmtree(SOURCE, ignore_errors=True)
    for folder in ("_static", "_extra/notebooks", "pictures", "lecturer", "reference"):
        (SOURCE / folder).mkdir(parents=True)
    notebooks = {path: nbformat.read(path, as_version=4) for path in book()}
    (SOURCE / "index.md").write_text(front_page(notebooks), encoding="utf-8")
    for path in taught():
        text = lecturer.page(path.name, notebooks[path].cells)
        (SOURCE / "lecturer" / f"{path.stem}.md").write_text(text, encoding="utf-8")
    entries = "\n".join(path.stem for path in taught())
    text = (
        "# For the lecturer\n\nA plan in minutes for each chapter: what to ask before each demo, "
        "the wrong answer to expect, and what to change while everybody watches.\n\n"
        f"```{{toctree}}\n:maxdepth: 1\n\n{entries}\n```\n"
    )
    (SOURCE / "lecturer" / "index.md").write_text(text, encoding="utf-8")
    for name, text in reference().items():
        (SOURCE / "reference" / f"{name}.md").write_text(text, encoding="utf-8")
    for path, notebook in notebooks.items():
        shutil.copy(path, SOURCE / "_extra" / "notebooks")
        nbformat.write(prepare(notebook, path), SOURCE / path.name)


def build(target):
    """Write the website into the folder `target`; a warning of Sphinx is an error."""
    write_source()
    bring("mathjax", [MATHJAX], SOURCE / "_static")
    shutil.rmtree(target, ignore_errors=True)
    sphinx = [sys.executable, "-m", "sphinx", "--quiet", "--fail-on-warning", "--keep-going"]
    folders = ["-c", ROOT / "website", "-d", ROOT / "build" / "site-cache", SOURCE, target]
    if subprocess.run([*sphinx, *folders], check=False).returncode:
        sys.exit("the website was not built")
    print(f"{target / 'index.html'}")


if __name__ == "__main__":
    build(pathlib.Path(sys.argv[1]) if sys.argv[1:] else ROOT / "build" / "site")
