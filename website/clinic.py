"""The clinic of the website: a page of its own for every symptom of appendix 91.

The notebook is the one source. Each of its sections becomes a page under clinic/, whose address is
the words of its heading, and one page lists them. A reader in trouble finds the reason and the
remedy first, and then the smallest example. What a section takes from those before it, imports and
functions, stands in a fold above that, so that the code of every page runs alone.
"""

import copy
import re

import nbformat
import sections
from alone import alone
from cells import is_setup
from nbformat.v4 import new_code_cell, new_markdown_cell

FOLDER, SOURCE = "clinic", "91_when_libraries_disagree.ipynb"
HEADING = re.compile(r"## (91\.\d+) (.+)\n")
ROW = re.compile(r"^\| (.+) \| (\[91[^]]+\](\([^)]+\)).*)", re.M)  # of the table of symptoms
LIST = """# The clinic: error messages and symptoms of attention

Look for what you see, or below it for the words of your error message. Each line leads to a page
with the cause, the remedy, the smallest example of the fault, and a test. All pages are sections of
[appendix 91](../{source}), which runs as a whole.

<p class="go small"><button type="button" class="search-button__button pst-js-only">Search the
clinic and the book</button></p>

{symptoms}

{elsewhere}
```{{toctree}}
:hidden:

{entries}
```
"""


def pages(notebook):
    """{name: page} of the appendix, a notebook that `prepare` has made a page; "index" is text."""
    parts = _parts(notebook.cells)
    names = {number: sections.slug(title) for number, title, _ in parts}
    made = {}
    for number, title, cells in parts:
        cells, before = copy.deepcopy(cells), notebook.cells[: notebook.cells.index(cells[0])]
        heading = f"# {title}\n\nSection {number} of [Troubleshooting attention]({SOURCE}).\n"
        cells[0].source = cells[0].source.replace(HEADING.match(cells[0].source)[0], heading, 1)
        for cell in cells:
            if cell.cell_type == "markdown":
                cell.source = _moved(_led(cell.source, names, number))
                asked = r"`audit\.\w+\([^`]+`"  # what it asks stands there
                cell.source = re.sub(asked, r"[\g<0>](../audit.md)", cell.source, count=1)
        told, shown = _remedy_first(cells)
        cells = [*told, *_needed(shown, before), *shown]
        made[names[number]] = nbformat.v4.new_notebook(cells=cells, metadata=notebook.metadata)
    (symptoms,) = re.findall(r"(?:^\|.*\n)+", notebook.cells[0].source, re.M)
    elsewhere = _moved(notebook.cells[-1].source.partition("\nChecked claims")[0])
    entries = "\n".join(names.values())
    symptoms = ROW.sub(r"| [\1]\3 | \2", _moved(_led(symptoms, names)))  # the words lead there, too
    text = LIST.format(source=SOURCE, symptoms=symptoms, elsewhere=elsewhere, entries=entries)
    return {**made, "index": text}


def write(folder, notebook):
    """Write the pages into a folder of what Sphinx reads."""
    (folder / FOLDER).mkdir()
    for name, page in pages(notebook).items():
        if name == "index":
            (folder / FOLDER / "index.md").write_text(page, encoding="utf-8")
        else:
            nbformat.write(page, folder / FOLDER / f"{name}.ipynb")


def _parts(cells):
    """The sections: [(number, title, cells)], without what stands before and after them."""
    starts = [i for i, c in enumerate(cells) if c.cell_type == "markdown" and c.source[:3] == "## "]
    found = []
    for start, end in zip(starts, [*starts[1:], len(cells)], strict=True):
        if heading := HEADING.match(cells[start].source + "\n"):
            found.append((heading[1], heading[2], cells[start:end]))
    return found


def _remedy_first(cells):
    """What is seen, why, and what to do; and apart from it the example, and all else."""
    first, *rest = cells
    told, shown = [], []
    for cell in rest:
        is_told = cell.cell_type == "markdown" and not cell.source.startswith("**Test")
        parts = cell.source.split("\n\n") if is_told else []
        own = [part for part in parts if re.match(r"\*\*(Why|Remedy|Still)\b|(.+:\n)?```", part)]
        if own and len(own) < len(parts):
            left = "\n\n".join(part for part in parts if part not in own)
            shown.append(nbformat.from_dict({**cell, "source": left}))
            cell = new_markdown_cell("\n\n".join(own), id=f"{cell.id}-told")
        is_opening = cell is rest[0] and cell.cell_type == "markdown"
        (told if own or is_opening else shown).append(cell)
    if any(cell.cell_type == "code" for cell in shown):
        told.append(new_markdown_cell("## The smallest example", id=f"{first.id}-example"))
    return [first, *told], shown


def _led(text, names, own=None):
    """The text with the number of a section leading to its page."""

    def led(found):
        number = found[0]
        return number if number == own else f"[{number}](./{names[number]}.ipynb)"

    plain = re.sub(r"\[(91\.\d+)\]\([^)]*\)", r"\1", text)
    return re.sub(r"(?<![\[\d.])\b91\.\d+\b(?![\]\d])", led, plain)


def _moved(text):
    """The text with the links of a page that lies one folder deeper."""
    return re.sub(r"\]\((?!https?:|#|\./|\.\./)([^)]+)\)", r"](../\1)", text).replace("](./", "](")


def _needed(cells, before):
    """In a folded cell, what earlier cells import and define and these cells use, if anything."""
    above = [cell.source for cell in before if cell.cell_type == "code" and not is_setup(cell)]
    own = "\n\n".join(cell.source for cell in cells if cell.cell_type == "code")
    if not (needed := alone(own, above).removesuffix(own).strip()):
        return []
    prompts = {"code_prompt_show": "What this page needs", "code_prompt_hide": "Hide it"}
    metadata = {"tags": ["hide-input"], "mystnb": prompts}
    return [new_code_cell(needed, id=f"needed{len(before)}", metadata=metadata)]
