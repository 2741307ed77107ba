"""Care for the book, whose only source are the .ipynb files with their outputs.

    python tools/notebooks.py refresh [03 ...]     # as `make refresh` does
    .venv/bin/python tools/notebooks.py links owner/name

`refresh` executes chapters and stores their outputs. `links` stamps the repository's public address
into the book, as a fork does once.
"""

import argparse
import base64
import copy
import hashlib
import re
import sys

import cells
import nbformat
import stills
from cells import book, tags
from nbclient import NotebookClient
from nbformat.v4 import new_output

KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
# What a sentence on trained models rests on: its rows in EXPERIMENTS.md, behind a link to them.
EVIDENCE = re.compile(r"(?: ?\[†\]\([^)]*\))? ?<!-- exp: (\w+)/([\w -]+?) -->")
PUBLIC_FILES = (  # beside the chapters
    *("README.md", "pyproject.toml", "CITATION.cff"),
    "d2lattn_book/pictures/live.py",
)


def refresh(names):
    """Execute chapters and appendices from a fresh kernel and store the normalised result."""
    for path in book(names):
        notebook = nbformat.read(path, as_version=4)
        print(f"running {path.name}", flush=True)
        before = [*stills.outputs(copy.deepcopy(notebook))]
        NotebookClient(
            notebook, timeout=300, resources={"metadata": {"path": path.parent}}
        ).execute()
        stills.carry(before, normalise(notebook))
        nbformat.write(notebook, path)
        notebook = nbformat.read(
            path, as_version=4
        )  # as it is read: writing joins and splits lines
        notebook.metadata["seal"] = seal(notebook)
        nbformat.write(notebook, path)
    picture = cells.ROOT / "images" / "apple.png"
    picture.parent.mkdir(exist_ok=True)
    picture.write_bytes(readme_picture())


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
    count = 0
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "markdown":
            cell.source = with_evidence(cell.source)
        if cell.cell_type != "code":
            continue
        cell.execution_count = None
        if cell.source.strip():
            count += 1
            cell.execution_count = count
        cell.outputs = _merge_streams(cell.outputs)
        for output in cell.outputs:
            if output.output_type == "execute_result":
                output.execution_count = count
            if output.output_type in ("execute_result", "display_data"):
                output.metadata = nbformat.from_dict({})
                output.data.pop("application/vnd.jupyter.widget-view+json", None)  # needs a kernel
            if output.output_type == "error":  # a deliberate failure: the last line says it all
                output.traceback = output.traceback[-1:]
    _hide(notebook.cells)
    _fold_in_colab(notebook)
    return notebook


def _fold_in_colab(notebook):
    """Name to Colab the parts that JupyterLab folds.

    Colab takes from the notebook's metadata which sections are folded when it opens, by the `id`
    in the metadata of the cell with the heading (googlecolab/colabtools#438).
    """
    folds = [c for c in notebook.cells if c.metadata.get("jp-MarkdownHeadingCollapsed")]
    for cell in folds:
        cell.metadata["id"] = cell.id
    notebook.metadata["colab"] = {"collapsed_sections": [cell.id for cell in folds]}


def with_evidence(text):
    """The text with a link † before each mark of an experiment, to its table."""
    table = f"{cells.address()}/blob/main/benchmarks/EXPERIMENTS.md"
    return EVIDENCE.sub(rf" [†]({table}#\1)<!-- exp: \1/\2 -->", text)


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
        cell.metadata.pop("collapsed", None)
        cell.metadata.get("jupyter", {}).pop("outputs_hidden", None)
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
    for path in [*(cells.ROOT / name for name in PUBLIC_FILES), *book()]:
        text = path.read_text(encoding="utf-8")
        stamped = text.replace(site, f"https://{owner}.github.io/{name}/")
        stamped = re.sub(rf"{re.escape(old)}(?![\w-])", repo, stamped)
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
    for run in (refresh, links):
        command = commands.add_parser(run.__name__, help=run.__doc__.splitlines()[0])
        command.set_defaults(run=run)
        if run is refresh:
            command.add_argument("names", nargs="*", help="such as 03")
        if run is links:
            command.add_argument("repo", help="owner/name")
    arguments = vars(parser.parse_args())
    arguments.pop("run")(**arguments)


if __name__ == "__main__":
    main()
