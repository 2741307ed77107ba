"""A chapter as a page of the website: what is shown, what is folded, and where its links lead.

Nothing is run and no sentence is changed; what a reader should not see yet waits behind a click.
"""

import re
from urllib.parse import quote

import nbformat
from cells import (
    address,
    answers,
    chapters,
    is_blank,
    is_caption,
    is_imports,
    is_note,
    is_setup,
    is_solution,
    pictures,
    repository,
    starters,
    tags,
)
from sections import on_the_site

TITLE = re.compile(r"# @title (.*)\n")  # Colab's marker
HEADING = re.compile(r"^#{1,3} (.+)$", re.M)
# A folded cell's title says that it draws, and then what.
DRAWS = re.compile(r"^(?:(?:the )?drawing|folded): (?:the drawing of |draw )?|^draw ", re.I)
# What a fold says, closed and open.
PROMPTS = {
    "imports": ("Imports", "Imports: hide"),
    "solution": ("Show a solution", "Hide the solution"),
    "drawing": ("Show the code of this figure", "Hide the code"),
    "code": ("Show the code", "Hide the code"),
    "answer": ("Show the answer", "Hide the answer"),
}


def prepare(notebook, path=None):
    """Make a stored notebook a page: in place, and without touching what it says.

    `path` is that of a chapter, which has buttons below its title and numbered figures. A figure's
    caption is the cell below it with that tag, else its title, else its section's heading.
    """
    answering = [id(notebook.cells[i]) for i in answers(notebook.cells)]
    for cell in starters(notebook.cells):  # a reader of the page has not attempted, of course
        cell.outputs = [o for o in cell.outputs if "not attempted yet" not in o.get("text", "")]
    notebook.cells = [cell for cell in notebook.cells if not is_note(cell)]
    below = zip(notebook.cells, notebook.cells[1:], strict=False)
    below = [(c.id, said) for c, said in below if is_caption(said) and not is_live(c)]
    captions = {name: said.source[1:-1] for name, said in below}  # that of a live figure stays
    notebook.cells = [cell for cell in notebook.cells if cell not in [said for _, said in below]]
    if path:
        _head(notebook.cells[0], path)
    figures, heading = 0, ""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            heading = (HEADING.findall(cell.source) or [heading])[-1]
            cell.source = _links(cell.source)
            continue
        title = TITLE.match(cell.source)
        cell.outputs = [output for output in cell.outputs if not is_blank(output)]
        _fold(cell, is_answer=id(cell) in answering)
        _describe(cell)
        if is_picture(cell):
            figures += 1
            said = captions.get(cell.id) or (title and _capital(DRAWS.sub("", title[1])))
            said = said or re.sub(r"^[\d.]+ (· )?", "", heading)
            _caption(cell, f"Figure {path.name[:2].lstrip('0') or 0}.{figures}", said)
    return notebook


def _capital(text):
    return text[:1].upper() + text[1:]


def _lowered(text):
    """A title as it stands after a colon: its first word, unless it is a name, is small."""
    return re.sub("^[A-Z](?=[a-z ])", lambda first: first[0].lower(), text)


def is_picture(cell):
    """Whether a cell puts out a picture."""
    return any("image/png" in output.get("data", {}) for output in cell.outputs)


def _head(cell, path):
    """Its links as two buttons, to Colab and to all others; next and previous stand at the end."""
    leading = r"(.*?)(?:\[Read on the website\]\([^)]*\)[^\[]*)?\[Open in Colab\]\([^)]*\)(.*)"
    text, links = re.match(leading, cell.source, re.S).groups()
    number, place = path.name[:2].lstrip("0") or "0", f"main/notebooks/{path.name}"
    buttons = {
        "Open in Colab": f"https://colab.research.google.com/github/{repository()}/blob/{place}",
        "Notebook": f'notebooks/{path.name}" download="',
        "Slides": f"slides/{path.stem}.html" if path in chapters() else "",
        "For the lecturer": f"lecturer/{path.stem}.html" if path.name < "9" else "",
        "Edit": f"{address()}/edit/{place}",
        "Report an error": f"{address()}/issues/new?title={quote(f'Chapter {number}: ')}",
    }
    row = [f'<a href="{place}">{text}</a>' for text, place in buttons.items() if place]
    more = f'<details class="more"><summary>More</summary>{" ".join(row[1:])}</details>'
    row = f'<div class="go small">{row[0]}{more}</div>'
    elsewhere = r"next:|previous:|\[all chapters|\[how to run|$"
    others = [link for link in links.split(" · ") if not re.match(elsewhere, link)]
    others = " · ".join(others).replace("[glossary]", "New words: [glossary]")
    title, question, rest = f"{text}{others}".strip().split("\n\n", 2)
    cell.source = "\n\n".join([title, _links(question), row, _links(rest)])


def _links(text):
    """Lead links to sections, and to files of the repository that are pages, to the site's own."""
    pages = rf"\]\({address()}/blob/main/(?:docs/)?(ERRATA|audit|package)\.md"
    return on_the_site(re.sub(pages, lambda link: f"]({link[1].lower()}.md", text))


def _fold(cell, *, is_answer):
    """Put behind a click what is not for the first look: myst-nb reads tags and prompts."""
    shown, kind = tags(cell), None
    if is_setup(cell):
        shown.add("remove-cell")
    elif is_solution(cell):
        kind = "solution"
        shown.add("hide-cell")
    elif is_imports(cell) and cell.metadata.get("jupyter", {}).get("source_hidden"):
        kind = "imports"
        shown.add("hide-input")
    elif is_answer and not is_live(cell):  # in a live figure a hand finds the answer
        kind = "answer"
        shown.add("hide-output")
    elif cell.metadata.get("jupyter", {}).get("source_hidden"):
        kind = "drawing" if is_live(cell) or any(pictures(cell)) else "code"
        shown.add("hide-input")
    if kind == "answer" and cell.metadata.get("jupyter", {}).get("source_hidden"):
        shown.add("remove-input")  # a figure that answers: its code is in the notebook
    if kind:
        show, hide = PROMPTS[kind]
        title = TITLE.match(cell.source)
        if title and (kind == "imports" or title[1].startswith("Guard")):  # it says what it guards
            show, hide = title[1], f"{title[1]} (hide)"
        elif title and kind == "code":
            show += f": {_lowered(DRAWS.sub('', title[1]))}"
        cell.metadata.mystnb = {"code_prompt_show": show, "code_prompt_hide": hide}
        cell.source = TITLE.sub("", cell.source, count=1)
    cell.metadata.tags = sorted(shown)


def is_live(cell):
    """Whether a cell shows a live figure."""
    return any("data-live" in "".join(o.get("data", {}).get("text/html", "")) for o in cell.outputs)


def _describe(cell):
    """Make a file of a cell's picture, which Sphinx does with a PNG, and keep its words."""
    for output in cell.outputs:
        for png, text in pictures({"outputs": [output]}):
            output.data = nbformat.from_dict({"image/png": png, "text/plain": text})
            cell.metadata.mystnb = {**cell.metadata.get("mystnb", {}), "image": {"alt": text}}


def _caption(cell, number, text):
    """Number a cell's picture and say below it what it is."""
    figure = {"caption": f"**{number}** {text}"}
    cell.metadata.mystnb = {**cell.metadata.get("mystnb", {}), "figure": figure}
