"""A chapter as a page of the website: what is shown, what is folded, and where its links lead.

Nothing is run and no sentence is changed; what a reader should not see yet waits behind a click.
"""

import re
from urllib.parse import quote

from cells import (
    address,
    chapters,
    is_imports,
    is_note,
    is_setup,
    is_solution,
    is_taught,
    predictions,
    repository,
    starters,
    tags,
)

TITLE = re.compile(r"# @title (.*)\n")  # Colab's marker
HEADING = re.compile(r"^#{1,3} (.+)$", re.M)
# What a fold says, closed and open.
PROMPTS = {
    "imports": ("Imports", "Imports: hide"),
    "solution": ("Show a solution", "Hide the solution"),
    "drawing": ("Show the code of this figure", "Hide the code"),
    "answer": ("I have guessed: show", "Hide the answer"),
}


def prepare(notebook, path):
    """Make a stored notebook a page: in place, and without touching what it says."""
    answers = [id(cell) for cell in answers_to_predictions(notebook.cells)]
    for cell in starters(notebook.cells):  # a reader of the page has not attempted, of course
        cell.outputs = [o for o in cell.outputs if "not attempted yet" not in o.get("text", "")]
    notebook.cells = [cell for cell in notebook.cells if not is_note(cell)]
    _head(notebook.cells[0], path)
    figures, heading = 0, ""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            heading = (HEADING.findall(cell.source) or [heading])[-1]
            cell.source = _links(cell.source)
            continue
        title = TITLE.match(cell.source)
        _fold(cell, is_answer=id(cell) in answers)
        _describe(cell)
        _explain_controls(cell)
        if is_picture(cell):
            figures += 1
            said = title[1] if title else re.sub(r"^[\d.]+ |⊕ ?", "", heading)
            _caption(cell, f"Figure {path.name[:2].lstrip('0') or 0}.{figures}", said)
    return notebook


def answers_to_predictions(cells):
    """The code cells whose outputs answer a **Predict.**: the first after it that puts out."""
    found, asked = [], False
    for cell in cells:
        if cell["cell_type"] == "markdown":
            asked = bool(predictions(cell)) or (asked and not cell["source"].startswith("#"))
        elif asked and cell["outputs"]:
            found.append(cell)
            asked = False
    return found


def is_picture(cell):
    """Whether a cell puts out a picture."""
    return any("image/png" in output.get("data", {}) for output in cell.outputs)


def _head(cell, path):
    """The links below a chapter's title, as buttons; next and previous stand at the page's end."""
    text, links = re.match(r"(.*)\[Open in Colab\]\([^)]*\)(.*)", cell.source, re.S).groups()
    number = path.name[:2].lstrip("0") or "0"
    buttons = {
        "Open in Colab": colab(path),
        "Notebook": f'notebooks/{path.name}" download="',
        "Slides": f"slides/{path.stem}.html" if path in chapters() else "",
        "For the lecturer": f"lecturer/{path.stem}.html" if is_taught(path) else "",
        "Edit": f"{address()}/edit/main/notebooks/{path.name}",
        "Report an error": f"{address()}/issues/new?title={quote(f'Chapter {number}: ')}",
    }
    row = "\n".join(f'<a href="{place}">{text}</a>' for text, place in buttons.items() if place)
    others = [link for link in links.split(" · ") if link and not re.match("next:|previous:", link)]
    cell.source = f"{text}{' · '.join(others)}".strip()
    title, rest = cell.source.split("\n", 1)
    cell.source = f'{title}\n\n<p class="go small">{row}</p>\n{_links(rest)}'


def colab(path):
    """The address of a chapter in Colab."""
    place = f"{repository()}/blob/main/notebooks/{path.name}"
    return f"https://colab.research.google.com/github/{place}"


def _links(text):
    """Lead links to files of the project to the reference, or to the repository."""
    text = re.sub(
        r"\]\(\.\./d2lattn/([\w/]+)\.py\)",
        lambda link: f"](reference/{link[1].replace('/', '.')}.md)",
        text,
    )
    return text.replace("](../", f"]({address()}/blob/main/")


def _fold(cell, *, is_answer):
    """Put behind a click what is not for the first look: myst-nb reads tags and prompts."""
    shown, kind = tags(cell), None
    if is_setup(cell):
        shown.add("remove-cell")
    elif is_solution(cell):
        kind = "solution"
        shown.add("hide-cell")
    elif is_imports(cell):
        kind = "imports"
        shown.add("hide-input")
    elif is_answer:
        kind = "answer"
        shown.add("hide-output")
    elif cell.metadata.get("jupyter", {}).get("source_hidden"):
        kind = "drawing"
        shown.add("hide-input")
    if is_answer and cell.metadata.get("jupyter", {}).get("source_hidden"):
        shown.add("remove-input")  # a figure that answers: its code is in the notebook
    if kind:
        show, hide = PROMPTS[kind]
        if kind == "imports" and (title := TITLE.match(cell.source)):  # a guard says what it guards
            show, hide = title[1], f"{title[1]} (hide)"
        cell.metadata.mystnb = {"code_prompt_show": show, "code_prompt_hide": hide}
        cell.source = TITLE.sub("", cell.source, count=1)
    cell.metadata.tags = sorted(shown)


def _describe(cell):
    """Give a cell's picture its description, or what the cell prints, as alternative text."""
    pictures = [o for o in cell.outputs if "image/png" in o.get("data", {})]
    printed = [o for o in cell.outputs if o.output_type == "stream"]
    said = [o.data.get("text/plain", "") for o in pictures]
    said = [text for text in said if text and not text.startswith("<Figure")]
    text = " ".join(" ".join(said or [o.text for o in printed]).split())
    if pictures and text:
        cell.metadata.mystnb = {**cell.metadata.get("mystnb", {}), "image": {"alt": text}}
        # Where the description is all that is printed, it has done its work.
        if cell.source.count("print(") == 1 and "print(plots.describe(" in cell.source:
            cell.outputs = [o for o in cell.outputs if o not in printed]


def _caption(cell, number, text):
    """Number a cell's picture and say below it what it is."""
    figure = {"caption": f"**{number}** {text}"}
    cell.metadata.mystnb = {**cell.metadata.get("mystnb", {}), "figure": figure}


def _explain_controls(cell):
    """Say of sliders, which need a kernel, where they are to be had."""
    for output in cell.outputs:
        text = output.get("data", {}).get("text/plain", "")
        if text.startswith("controls of "):
            output.data["text/plain"] = f"In JupyterLab and Colab there are {text} to move here."
