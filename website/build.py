"""The book as a static website: `python -m website.build`, as `make site` does, into build/site.

`--ask` writes no pages, and asks whether those of others answer that it names: `make links`.

The chapters are shown as they are stored; nothing is run (chapter_page.py makes pages of them).
What this adds to them: a front page, a page for the lecturer of each chapter, the experiments and
the reference of the package. Sphinx does the rest, with the settings in conf.py; the slides come
last (tools/slides.py, in the book's own environment).
"""

import base64
import pathlib
import re
import shutil
import subprocess
import sys

import lecturer
import nbformat
import practice
from cells import ROOT, address, appendices, book, chapters, pictures, taught
from sections import slug

from d2lattn_book.pictures import live
from website import clinic, evidence
from website.chapter_page import prepare

SOURCE = ROOT / "build" / "site-source"
OPENS_WITH, ENDS_WITH = "00", "09"  # chapters: the first live figure, and the one that writes
FRONT = """---
html_theme.sidebar_secondary.remove: true
---

# Attention, a textbook in which every claim runs

<div class="hero">

Attention is the mechanism inside nearly every chatbot. Here you see it, change it and check it:
from the attention weights of one query, computed by hand, to a Transformer that learns before your
eyes.

<p class="go"><a href="{first}.html">Attention in one sitting</a>
<a href="playground.html">Train one yourself</a>
<a href="lecturer/index.html">Teach with it</a>
<a href="{address}">Run it yourself</a></p>

</div>

<div class="plays">

{live}

</div>

Nothing to install: this figure computes in your browser. Choose the query, drag a word, type a
sentence.

## The chapters

::::{{grid}} 1 1 2 2
:gutter: 3

{cards}
::::

## Where the book arrives

A Transformer of chapter 9 runs here, in your browser: let it generate, or switch off a head.

{reader}
"""
PLAYGROUND = """---
html_theme.sidebar_secondary.remove: true
---

# Train one yourself

A small attention model learns here, in your browser. Under *Options* choose a task and build the
model, then press *Play*. *Compare with* puts a second model beside it, with one thing changed: the
same start and the same texts. Four questions to begin with; guess before you press *Play*:

<p class="go small even"><a href="#task=sentences&amp;compare=mask:false">What is the mask for?</a>
<a href="#task=copy&amp;compare=layers:1">What is a second layer for?</a>
<a href="#task=back&amp;compare=positions:none">What are positions for?</a>
<a href="#task=back&amp;layers=2&amp;positions=none&amp;compare=mask:false">Who tells two layers
the order, if not positions?</a></p>

{live}

- The black curves are the training loss. The red ones are the held-out loss: on texts that the
  model was not trained on, and with the mask on wherever the target is the next token.
- A map that is clicked is the chosen head, a token that is clicked is the query.
  *queries, keys, values* shows what this head makes of every token, and how a score becomes a
  weight.
- The address of this page holds the settings: copy it, and send it to somebody.

<details>
<summary>The answers, and what came out with the seeds 1, 2 and 3</summary>

Without the mask the model reads the target in training, and on held-out texts there is none to
read. One layer finds the earlier letter, but the token after that letter does not know which letter
it follows. Without positions a token sees which tokens are there, but not their order. Two layers
hardly need them, because under the mask each token sees one token more than the one before it.
These are small models and three seeds each; what real models do stands in the book. (With seed 2
the model without its mask is right more often; its held-out loss gives it away.)

| question | steps | as it opens | with one thing changed |
|---|---|---|---|
| the mask: right on held-out texts | 150 | 78, 69 and 100 % | mask off: 39, 76 and 79 % |
| the same: training loss, held-out loss | 150 | 0.86, 0.80, 0.65; 0.98, 0.97, 0.68 | \
0.02, 0.01, 0.01; 3.58, 2.24, 3.41 |
| a second layer: right | 500 | 100, 100 and 100 % | one layer: 46, 60 and 46 % |
| positions: right | 100 | 100, 100 and 100 % | none: 46, 46 and 48 % |
| two layers without positions: right | 300 | 94, 94 and 92 % | mask off: 31, 30 and 31 % |

</details>

## In five minutes, with a class

The first three questions above, in their order. Let them guess before you press *Play*; another
seed is one click away.

1. Two minutes: the mask. Ask first: *which of the two will have the lower loss?* Play 150 steps and
   pause. Let them find the reason in the maps of the model whose mask is off.
2. Two minutes: the second layer. Ask first: *which number comes, and what must one know to tell?*
   Play 500 steps. Go back with *show step*, and let the class say what changed in the maps while
   the loss fell.
3. One minute: positions. Ask first: *if a letter stands in the text twice, can the two get
   different attention weights?* Play 100 steps.

Why it is so is in the book: [matrices](02_queries_keys_values.ipynb),
[divisors and masks](03_scaling_and_masking.ipynb), [heads](04_multi_head_attention.ipynb),
[positions](06_positional_encoding.ipynb). The model and its gradient are one file,
[model.js]({code}), written to be read and equal to torch to nine digits.
"""
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
    page = FRONT.format(
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
            *("practice", "clinic/index", "audit", "playground", "errata", evidence.PAGE),
            *("lecturer/index", "reference/index"),
        ],
    }
    for caption, entries in trees.items():
        page += TOCTREE.format(caption=caption, entries="\n".join(entries))
    return page


def live_figures(notebook):
    """The live figures of a notebook, each as HTML that stands by itself."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    pages = ["".join(output.get("data", {}).get("text/html", "")) for output in outputs]
    return [page for page in pages if "<live-" in page]


def playground():
    """The page of the figure that trains; its address holds the settings."""
    figure = live.train(task="sentences", address=True)
    code = f"{address()}/blob/main/d2lattn_book/pictures/live/train/model.js"
    return PLAYGROUND.format(live=RAW.format(figure.html), code=code)


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
    for name in (
        "d2lattn_book.pictures.drawings",
        "d2lattn_book.pictures.live",
        "d2lattn_book.pictures.plots",
        "d2lattn_book.real",
    ):  # which hand on what stands elsewhere
        pages[name] = _page(name, "imported-members")
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


def errata():
    """The page of what was corrected: ERRATA.md, its links as those of the site."""
    text = (ROOT / "ERRATA.md").read_text(encoding="utf-8").replace("](notebooks/", "](")
    text = text.replace("](experiments/EXPERIMENTS.md", f"]({evidence.PAGE}.md")
    return re.sub(r"\]\((?=(benchmarks|experiments|tests)/)", f"]({address()}/blob/main/", text)


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
    first, entries = chapters()[0].stem, "\n".join(path.stem for path in taught())
    text = (
        "# For the lecturer\n\nA plan in minutes for each chapter: what to ask before each demo, "
        "the wrong answer to expect, and what to change while everybody watches.\n\n"
        '<p class="go small"><a href="../slides/index.html">All slides, and ten demos of two '
        f'minutes</a>\n<a href="../slides/{first}.html">A lecture of ninety minutes</a></p>\n\n'
        f"```{{toctree}}\n:maxdepth: 1\n\n{entries}\n```\n"
    )
    (SOURCE / "lecturer" / "index.md").write_text(text, encoding="utf-8")
    (SOURCE / "playground.md").write_text(playground(), encoding="utf-8")
    shutil.copy(ROOT / "docs" / "audit.md", SOURCE)  # all its links are addresses
    (SOURCE / "errata.md").write_text(errata(), encoding="utf-8")
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
    print(f"{target / 'index.html'}")


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
