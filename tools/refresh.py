"""Care for the book, whose only source are the .ipynb files with their outputs.

    python tools/refresh.py refresh [03 ...]     # as `make refresh` does
    python tools/refresh.py tidy [03 ...]        # as `make tidy` does
    .venv/bin/python tools/refresh.py links owner/name

`refresh` executes chapters and stores their outputs; what the last commit has of them stays where
a reader would see no difference. `tidy` brings what JupyterLab saved into the form of the book and
runs nothing. `links` stamps the repository's public address into the book, as a fork does once.
"""

import argparse
import base64
import configparser
import copy
import hashlib
import io
import re
import subprocess
import sys

import cells
import nbformat
import stills
from cells import book, tags
from nbclient import NotebookClient
from nbformat.v4 import new_notebook, new_output
from PIL import Image, ImageChops

KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
BLOCK = re.compile(r"(?:^\|.*\n?)+|^.*<!-- exp: .*", re.M)  # a table, or a line with a mark
AT_ITS_HEAD = 3  # the most experiments that one link of a table leads to
UNCOMPARED = {"nbval-ignore-output", "nbval-skip", "nbval-check-output"}
VARIES = "picture-varies"  # it shows digits of a training: its description alone is compared
UUID = re.compile(r"^([0-9a-f]{8})(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")  # JupyterLab's id of a cell
TILE = 8  # pixels across: as wide as a letter of 9 points
SEEN = 6  # of 255, the mean of a tile: other processors differ by less, another letter by more
PUBLIC_FILES = (  # beside the chapters
    *("README.md", "pyproject.toml", "CITATION.cff", "deploy/README.md", "images/report.svg"),
    *(f"docs/{name}.md" for name in ("audit", "cloud", "package", "teaching", "website")),
    *("d2lattn_book/audit.py", "d2lattn_book/pictures/page.py"),
)


def refresh(names, anew=False):
    """Execute chapters and appendices from a fresh kernel and store the normalised result.

    What nothing new is seen in stays as git has it (`keep`), unless all of it is wanted `anew`.
    """
    for path in book(names):
        notebook = nbformat.read(path, as_version=4)
        print(f"running {path.name}", flush=True)
        before = copy.deepcopy(notebook)
        NotebookClient(
            notebook, timeout=300, resources={"metadata": {"path": path.parent}}
        ).execute()
        normalise(notebook)
        if not anew:
            keep(committed(path), notebook)
        stills.carry([*stills.outputs(before)], notebook)
        nbformat.write(notebook, path)
        notebook = nbformat.read(path, as_version=4)  # as read: writing joins and splits lines
        notebook.metadata["seal"] = seal(notebook)
        nbformat.write(notebook, path)
    picture = cells.ROOT / "images" / "apple.png"
    picture.parent.mkdir(exist_ok=True)
    picture.write_bytes(readme_picture())


def tidy(names):
    """Bring what JupyterLab saved into the form of the book without running anything.

    Outputs that differ from those of the seal, since cells were run there, are settled as `refresh`
    settles them.
    """
    for path in book(names):
        notebook = nbformat.read(path, as_version=4)
        if normalise(notebook).metadata.get("seal") != seal(notebook):
            keep(committed(path), notebook)
        text = nbformat.writes(notebook) + "\n"
        if text != path.read_text(encoding="utf-8"):
            path.write_text(text, encoding="utf-8")
            print(f"{path.name}: tidied")


def committed(path):
    """The notebook at `path` as git has it.

    It is empty where git knows no such file, and where the outputs are not those of the code.
    """
    command = ["git", "-C", path.parent, "show", f"HEAD:./{path.name}"]
    found = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    before = nbformat.reads(found.stdout, as_version=4) if found.stdout else new_notebook()
    return normalise(before) if before.metadata.get("seal") == seal(before) else new_notebook()


def keep(before, notebook):
    """Give the cells of a notebook the outputs that they had `before` where that says the same.

    What is not compared stays if the code behind it is the same, for its digits differ from run to
    run. A picture stays if it still has its description and looks the same.
    """
    known = {cell.id: cell for cell in before.cells if _shows(cell)}
    for cell in notebook.cells:
        old = known.get(cell.id)
        if not (old and _shows(cell)) or old.outputs == cell.outputs:
            continue
        same_code = behind(old, before.cells) == behind(cell, notebook.cells)
        if same_code and tags(cell) & UNCOMPARED:
            cell.outputs = old.outputs
        for i, (one, new) in enumerate(zip(old.outputs, cell.outputs, strict=False)):
            by_eye = cells.pictures({"outputs": [new]}) and VARIES not in tags(cell)
            same = same_pictures([one], [new]) if by_eye else same_code
            if same and as_compared(one) == as_compared(new):
                cell.outputs[i] = one


def behind(cell, stored):
    """The code on which what a cell shows can depend: its own and, above it, that of some cells.

    These are the cells that define a name which it takes, or do something with a variable of that
    name; and so on upwards. A cell that only draws or prints something else is not among them.
    """
    code = [one for one in stored[: stored.index(cell)] if one.cell_type == "code"]
    variables = set().union(*(cells.names(one.source).variables for one in code))
    wanted, found = cells.names(cell.source).used, [cell.source]
    for one in reversed(code):
        names = cells.names(one.source)
        if wanted & (names.defined | (names.used & variables)):
            wanted = (wanted - names.defined) | names.used
            found.append(one.source)
    return found


def as_compared(output):
    """What nbval compares of an output: without what tests/nbval_sanitize.cfg takes out.

    And the name of a live figure, which is made of its code: `make live` renews that.
    """
    rules = configparser.RawConfigParser()
    rules.read(cells.ROOT / "tests" / "nbval_sanitize.cfg", encoding="utf-8")
    shown = {"text": output.get("text", ""), **output.get("data", {})}
    named = re.findall("<live-[0-9a-f]{8}", shown.get("text/html", ""))
    for kind in shown:
        for name in rules.sections():
            shown[kind] = re.sub(rules[name]["regex"], rules[name]["replace"], str(shown[kind]))
    return output.output_type, named, shown


def same_pictures(outputs, others):
    """Whether outputs show the same pictures: no tile of any looks different."""
    shown = [_pngs(outputs), _pngs(others)]
    return len(shown[0]) == len(shown[1]) and all(map(_looks_same, *shown))


def _pngs(outputs):
    whole = [png for png, _ in cells.pictures({"outputs": outputs})]
    return whole + [state for output in outputs for state in cells.states(output)]


def _looks_same(png, other):
    if png == other:
        return True
    one, two = (Image.open(io.BytesIO(base64.b64decode(code))) for code in (png, other))
    if one.size != two.size:
        return False
    tiles = ImageChops.difference(one.convert("RGB"), two.convert("RGB")).reduce(TILE)
    return max(most for _, most in tiles.getextrema()) <= SEEN


def seal(notebook):
    """A hash of the code and of what it put out when it was run, so that neither changes alone.

    Without the set-up cell, which a fork stamps, and the code of live figures, which `make live`
    renews and another test compares.
    """
    parts = []
    for cell in notebook.cells:
        if cell.cell_type == "code" and not cells.is_setup(cell):
            parts.append(cell.source)
            for output in cell.outputs:
                if cells.is_blank(output):
                    continue
                data = output.get("data", {})
                shown = [output.get("text", ""), *(data[k] for k in data if k != "text/html")]
                parts += map(str, shown)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def readme_picture():
    """The PNG of the figure in the cell tagged "readme": the README shows what the book draws."""
    for path in book():
        for cell in nbformat.read(path, as_version=4).cells:
            if "readme" in tags(cell):
                return base64.b64decode(cells.pictures(cell)[0][0])
    raise ValueError('one cell of the book must be tagged "readme" and draw a figure, got none')


def normalise(notebook):
    """Keep what a reader sees and drop what changes from run to run."""
    notebook.metadata = nbformat.from_dict(
        {"kernelspec": KERNEL, "language_info": {"name": "python"}, **_kept(notebook.metadata)}
    )
    notebook.cells = [cell for cell in notebook.cells if cell.source.strip() or _shows(cell)]
    for cell in notebook.cells:
        cell.metadata = _kept_of_cell(cell)
        cell.id = UUID.sub(r"\1", cell.id)
        if not cell.get("attachments"):
            cell.pop("attachments", None)
        if cell.cell_type == "markdown":
            cell.source = with_evidence(cell.source)
        if cell.cell_type != "code":
            continue
        cell.execution_count = None
        cell.outputs = _merge_streams(cell.outputs)
        for output in cell.outputs:
            if output.output_type == "execute_result":
                output.execution_count = None
            if output.output_type in ("execute_result", "display_data"):
                found = cells.states(output)
                output.metadata = nbformat.from_dict({"states": found} if found else {})
                output.data.pop("application/vnd.jupyter.widget-view+json", None)  # needs a kernel
            if output.output_type == "error":  # a deliberate failure: the last line says it all
                output.traceback = output.traceback[-1:]
    _hide(notebook.cells)
    _fold(notebook)
    return notebook


def _shows(cell):
    return any(not cells.is_blank(output) for output in cell.get("outputs", []))


def _kept_of_cell(cell):
    """Of a cell's metadata what the book says with it: its tags, and what it is on slides.

    Code that begins with a title is hidden, and is a form in Colab.
    """
    kept = {"tags": cell.metadata.get("tags"), "slideshow": cell.metadata.get("slideshow", {})}
    if cells.slide(cell) in ("", "-"):  # as JupyterLab says that it is nothing
        del kept["slideshow"]["slide_type"]
    kept = {key: value for key, value in kept.items() if value}
    if cell.cell_type == "code" and cell.source.startswith("# @title "):
        kept |= {"cellView": "form", "jupyter": {"source_hidden": True}}
    return nbformat.from_dict(kept)


def _fold(notebook):
    """Fold Going further, in JupyterLab and in Colab.

    Colab takes from the notebook's metadata which sections are folded when it opens, by the `id`
    in the metadata of the cell with the heading (googlecolab/colabtools#438).
    """
    folds = [notebook.cells[i] for i in cells.further(notebook.cells)[:1]]
    for cell in folds:
        cell.metadata |= {"id": cell.id, "jp-MarkdownHeadingCollapsed": True}
    notebook.metadata["colab"] = {"collapsed_sections": [cell.id for cell in folds]}


def with_evidence(text):
    """The text with one link † to the rows of each paragraph, list item or table that has marks.

    It stands at the end of a paragraph and at the head of a table. A table of sentences, with more
    experiments than its head can name, has one in each row.
    """
    plain = cells.EVIDENCE.sub(lambda found: found[1] or "", text)
    return BLOCK.sub(lambda block: _linked(block[0]), plain)


def _linked(block):
    names = re.findall(r"<!-- exp: (\w+)/", block)
    if not names:
        return block
    link = f" [†]({cells.address()}/blob/main/experiments/EXPERIMENTS.md#{names[0]})"
    if not block.startswith("|"):
        return block.rstrip() + link
    if len({*names}) <= AT_ITS_HEAD:
        return re.sub(r"^\|(.*?) *\|", lambda head: f"|{head[1]}{link} |", block, count=1)
    row = re.compile(r"^(.*<!-- exp: (\w+)/.*?-->)", re.M)
    return row.sub(lambda found: found[1] + link.replace(f"#{names[0]}", f"#{found[2]}"), block)


def _hide(stored):
    """Hide what answers a **Predict.** or an exercise until its cell is run.

    JupyterLab prints the first line of what is hidden, but looks for it in the first output alone:
    that is a blank one. And it keeps both keys, or changes a notebook with one as it opens it.
    """
    hidden = {*cells.answers(stored), *(i for i, c in enumerate(stored) if cells.is_solution(c))}
    for i, cell in enumerate(stored):
        if cell.cell_type != "code":
            continue
        cell.outputs = [output for output in cell.outputs if not cells.is_blank(output)]
        if i in hidden:
            cell.outputs.insert(0, new_output("display_data"))
            cell.metadata.collapsed = True
            cell.metadata.setdefault("jupyter", {})["outputs_hidden"] = True


def links(repo):
    """Stamp the repository's public address, owner/name, into the book and the README."""
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", repo):
        sys.exit(f"REPO must be owner/name, got {repo!r}")
    old, site = cells.repository(), cells.published()
    owner, name = repo.split("/")
    spelled = re.escape(old).replace("/", "(/|%2F)") + r"(?![\w-])"  # in a query, too
    for path in [*(cells.ROOT / name for name in PUBLIC_FILES), *book()]:
        text = path.read_text(encoding="utf-8")
        stamped = text.replace(site, f"https://{owner}.github.io/{name}/")
        stamped = re.sub(spelled, rf"{owner}\g<1>{name}", stamped)
        stamped = stamped.replace(f"tree%2F{old.partition('/')[2]}%2F", f"tree%2F{name}%2F")
        if stamped != text:
            path.write_text(stamped, encoding="utf-8")
            print(f"{path.relative_to(cells.ROOT)}: {old} -> {repo}")


def _kept(metadata):
    return {key: metadata[key] for key in ("title", "seal") if key in metadata}


def _merge_streams(outputs):
    """Join consecutive prints, and keep of a progress bar what stands there in the end."""
    merged = []
    for output in outputs:
        previous = merged[-1] if merged else None
        if output.output_type == "stream" and previous and previous.get("name") == output.name:
            previous.text += output.text
        else:
            merged.append(output)
    for output in merged:
        if output.output_type == "stream":
            output.text = re.sub(r"[^\n]*\r(?!\n)", "", output.text)
    return merged


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(required=True)
    for run in (refresh, tidy, links):
        command = commands.add_parser(run.__name__, help=run.__doc__.splitlines()[0])
        command.set_defaults(run=run)
        if run is links:
            command.add_argument("repo", help="owner/name")
        else:
            command.add_argument("names", nargs="*", help="such as 03")
        if run is refresh:
            command.add_argument("--anew", action="store_true", help="keep no output of the commit")
    arguments = vars(parser.parse_args())
    arguments.pop("run")(**arguments)


if __name__ == "__main__":
    main()
