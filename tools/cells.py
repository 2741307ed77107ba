"""The book as its tools see it: where its parts lie, where it is published, what a cell is.

A cell is a dictionary, as nbformat or json reads it; what it is for stands in its metadata (tags
and the kind of slide), in its text or in the heading above it.
"""

import html
import pathlib
import re
import symtable
import tomllib
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parent.parent
FURTHER = "Going further"  # the part of a chapter after its exercises: nothing later needs it
AFTERWARDS = "<details><summary>After you have solved it</summary>"
COMPARE = "<details><summary>Compare</summary>"  # around what answers a Predict
HEADING = re.compile(r"(#+) (.*)")
PICTURE = re.compile(  # as d2lattn_book.pictures.figure.image writes it
    r'<img alt="([^"<>]*)" style="max-width:100%" src="data:image/png;base64,([A-Za-z0-9+/]+=*)">'
)
STILL = re.compile(r'<p class="still">.*?</p>', re.S)  # the picture of a live figure (stills.py)
ELEMENT = re.compile(  # a live figure and its code, as d2lattn_book.pictures.page writes them
    r"<(live-[0-9a-f]{8}) data-live='([^']*)'></\1>\n<script type=\"module\">.*?</script>", re.S
)
# A mark of an experiment, which nobody sees, and the link † to the rows of a paragraph's marks.
EVIDENCE = re.compile(r" *(?:(<!-- exp: [^>]* -->)|\[†\]\([^)]*\))")
PREDICT = re.compile(r"\*\*Predict\.\*\*(.*)", re.S)


def chapters(names=()):
    """Paths of the chapters in order, or of those whose file name starts with one of `names`."""
    return _stored("[0-8][0-9]_*.ipynb", names)


def appendices(names=()):
    """The same of the appendices, whose numbers begin with 9: looked up, not read in order."""
    return _stored("9[0-9]_*.ipynb", names)


def book(names=()):
    """The whole book: the chapters, then the appendices."""
    return [*chapters(names), *appendices(names)]


def is_taught(path):
    """Whether a lecture is held on what lies there: on the chapters, all but the first page."""
    return path.name[0] != "9" and not path.name.startswith("00")


def taught():
    """The chapters that a lecture is held on."""
    return [path for path in chapters() if is_taught(path)]


def _stored(pattern, names):
    paths = sorted((ROOT / "notebooks").glob(pattern))
    return [path for path in paths if not names or path.name.startswith(tuple(names))]


def address():
    """The public address of the repository, read from pyproject's project.urls."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return project["urls"]["Repository"]


def repository():
    """owner/name of the public repository."""
    return address().removeprefix("https://github.com/")


def published():
    """The public address of the website: GitHub Pages, from the repository's address."""
    owner, name = repository().split("/")
    return f"https://{owner}.github.io/{name}/"


def tags(cell):
    """The tags of a cell, a set."""
    return set(cell["metadata"].get("tags", []))


def slide(cell):
    """What a cell is on slides, such as "slide", "skip" or "notes"; None if it says nothing."""
    return cell["metadata"].get("slideshow", {}).get("slide_type")


def is_setup(cell):
    """Whether a cell is the first code cell of a chapter, which installs the package on Colab."""
    return "setup" in tags(cell)


def is_imports(cell):
    """Whether a cell of code is not for the eye: what a chapter imports and prepares."""
    return cell["cell_type"] == "code" and slide(cell) == "skip" and not is_setup(cell)


def is_solution(cell):
    """Whether a cell is the solution of an exercise."""
    return "solution" in tags(cell)


def is_note(cell):
    """Whether a cell is a speaker note."""
    return slide(cell) == "notes"


def is_caption(cell):
    """Whether a cell of text is the caption of the figure above it."""
    return "caption" in tags(cell)


def is_for_students(cell):
    """Whether a cell gives no answer away and says nothing to the lecturer."""
    return not (is_solution(cell) or is_note(cell) or cell["source"].startswith(AFTERWARDS))


def for_reading(cells):
    """The cells as a reader has them: no lecturer's notes, and what is read in one go is one cell.

    Cells of text side by side are cut for slides. Here they are joined and keep the id of the
    first. But a heading begins a cell, and that of Going further is a cell of its own, since
    JupyterLab folds what follows its cell; and so is a caption, and a fold or a **Predict.**, where
    a reader stops.
    """
    found = []
    for cell in cells:
        if is_note(cell):
            continue
        if found and _runs_on(found[-1]) and _runs_on(cell) and not HEADING.match(cell["source"]):
            found[-1] = {**found[-1], "source": f"{found[-1]['source']}\n\n{cell['source']}"}
        else:
            found.append(cell)
    return found


def _runs_on(cell):
    stops = rf"<details|\*\*Predict\.\*\*|\A## {FURTHER}"
    text = cell["cell_type"] == "markdown" and not is_caption(cell)
    return text and not re.search(stops, cell["source"])


def without_fold(cell):
    """The text of a speaker note, or with answers to compare with, without the folds in it."""
    return re.sub(r"</?details>|<summary>.*</summary>", "", cell["source"]).strip()


def pictures(cell):
    """(PNG as base64, alternative text) of each figure that a code cell shows."""
    shown = [output.get("data", {}).get("text/html", "") for output in cell.get("outputs", [])]
    found = [PICTURE.fullmatch("".join(text)) for text in shown]
    return [(picture[2], html.unescape(picture[1])) for picture in found if picture]


def states(output):
    """The PNGs as base64 of what a deck shows before the whole figure, one a click."""
    return output.get("metadata", {}).get("states", [])


def is_blank(output):
    """Whether an output shows nothing: such a one stands before what is hidden until it is run."""
    return output["output_type"] == "display_data" and not output["data"]


def predictions(cell):
    """What a cell of text asks the reader to foretell before the next cell is run."""
    return [question.strip() for question in PREDICT.findall(cell["source"])]


def answers(cells):
    """The indices of the code cells that answer a **Predict.**, whose outputs are hidden at first.

    They are the first cell with an output after the question and those that follow it without a
    word but captions between them. A question with no output before the next section has none.
    """
    found, asked, answering = [], False, False
    for i, cell in enumerate(cells):
        if cell["cell_type"] == "markdown" and not (is_note(cell) or is_caption(cell)):
            asked = asked and not answering and not re.search(r"^##? ", cell["source"], re.M)
            asked, answering = asked or bool(predictions(cell)), False
        elif asked and cell.get("outputs") and not is_solution(cell):
            answering = True
            found.append(i)
    return found


def further(cells):
    """The indices of the cells of Going further, which ends where the next part begins."""
    parts = [
        i for i, cell in enumerate(cells)
        if cell["cell_type"] == "markdown" and cell["source"].startswith("## ")
    ]  # fmt: skip
    start = next((i for i in parts if cells[i]["source"].startswith(f"## {FURTHER}")), len(cells))
    return range(start, next((i for i in parts if i > start), len(cells)))


def starters(cells):
    """The code cells of the exercises, in which students write."""
    found, in_exercises = [], False
    for cell in cells:
        if cell["cell_type"] == "markdown" and re.search(r"^## ", cell["source"], re.M):
            in_exercises = "## Exercises" in cell["source"]
        elif in_exercises and cell["cell_type"] == "code" and not is_solution(cell):
            found.append(cell)
    return found


class Names(NamedTuple):
    """The names that a cell of code defines, takes from above it, and defines as variables."""

    defined: set
    used: set
    variables: set


def names(source):
    """The names in a cell of code; a line that only Jupyter understands has none."""
    code = re.sub(r"^[%!].*$", "", source, flags=re.M)
    cell = symtable.symtable(code, "cell", "exec")
    symbols = cell.get_symbols()
    defined = {s.get_name() for s in symbols if s.is_assigned() or s.is_imported()}
    variables = {s.get_name() for s in symbols if s.is_assigned() and not s.is_namespace()}
    used = {s.get_name() for s in symbols if s.is_referenced()}
    scopes = list(cell.get_children())  # functions, classes, comprehensions
    for scope in scopes:
        used |= {s.get_name() for s in scope.get_symbols() if s.is_global()}
        scopes += scope.get_children()
    return Names(defined, used - defined, variables)
