"""Care for the chapters: `python tools/notebooks.py refresh|links`.

The .ipynb files with their outputs are the only source of the book. These commands execute them,
and stamp the repository's public address into them.
"""

import argparse
import base64
import pathlib
import re
import sys
import tomllib

import nbformat
from nbclient import NotebookClient

ROOT = pathlib.Path(__file__).resolve().parent.parent
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
PUBLIC_FILES = ("README.md", "pyproject.toml", "CITATION.cff")  # beside the chapters


def chapters(names=()):
    """Paths of all chapters in order, or of those whose file name starts with one of `names`."""
    return _stored("[0-8][0-9]_*.ipynb", names)


def appendices(names=()):
    """The same of the appendices, whose numbers begin with 9."""
    return _stored("9[0-9]_*.ipynb", names)


def refresh(names):
    """Execute chapters from a fresh kernel and store the normalised result."""
    for path in [*chapters(names), *appendices(names)]:
        notebook = nbformat.read(path, as_version=4)
        print(f"running {path.name}", flush=True)
        NotebookClient(
            notebook, timeout=300, resources={"metadata": {"path": path.parent}}
        ).execute()
        nbformat.write(normalise(notebook), path)
    picture = ROOT / "images" / "apple.png"
    picture.parent.mkdir(exist_ok=True)
    picture.write_bytes(readme_picture())


def readme_picture():
    """The PNG of the figure in the cell tagged "readme": the README shows what the book draws."""
    for path in chapters():
        for cell in nbformat.read(path, as_version=4).cells:
            if "readme" in cell.metadata.get("tags", []):
                pngs = [
                    o.data["image/png"] for o in cell.outputs if "image/png" in o.get("data", {})
                ]
                return base64.b64decode(pngs[0])
    raise ValueError('one cell of the book must be tagged "readme" and draw a figure, got none')


def normalise(notebook):
    """Keep what a reader sees and drop what changes from run to run."""
    notebook.metadata = nbformat.from_dict(
        {"kernelspec": KERNEL, "language_info": {"name": "python"}, **_kept(notebook.metadata)}
    )
    count = 0
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
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
    return notebook

    """Write the chapters as slides that open from disk without network; key s: speaker's view.

    npm brings reveal.js, MathJax and what they need into the folder beside the pages.
    """
    if shutil.which("npm") is None:
        sys.exit("make slides needs npm (Node.js) to bring reveal.js and MathJax: install it")
    target.mkdir(parents=True, exist_ok=True)
    npm = ["npm", "install", "--prefix", target, "--no-save", "--no-audit", "--no-fund", "--silent"]
    subprocess.run([*npm, *SLIDE_SCRIPTS], check=True)
    exporter = SlidesExporter(
        reveal_url_prefix="node_modules/reveal.js",
        mathjax_url="node_modules/mathjax/MathJax.js?config=TeX-AMS_CHTML-full",
        require_js_url="node_modules/requirejs/require.js",
        jquery_url="node_modules/jquery/dist/jquery.min.js",
        mermaid_js_url="data:text/javascript,export default {initialize() {}}",  # not used
        font_awesome_url="node_modules/reveal.js/dist/reset.css",  # not used
        reveal_theme="white",  # imports no web font
        reveal_width="1280",
        reveal_height="720",
        reveal_scroll=True,
    )
    for path in chapters():
        notebook = nbformat.read(path, as_version=4)
        for cell in notebook.cells:
            if "solution" in cell.metadata.get("tags", []):  # here nothing unfolds
                cell.metadata.slideshow = {"slide_type": "skip"}
            if cell.metadata.get("slideshow", {}).get("slide_type") == "notes":
                cell.source = re.sub(r"</?details>|<summary>.*</summary>", "", cell.source)
        page, _ = exporter.from_notebook_node(notebook)
        (target / f"{path.stem}.html").write_text(page, encoding="utf-8")
        print(target / f"{path.stem}.html")


def links(repo):
    """Stamp the repository's public address, owner/name, into the chapters and the README."""
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", repo):
        sys.exit(f"REPO must be owner/name, got {repo!r}")
    old = public_repository()
    for path in [*(ROOT / name for name in PUBLIC_FILES), *chapters(), *appendices()]:
        text = path.read_text(encoding="utf-8")
        stamped = re.sub(rf"{re.escape(old)}(?![\w-])", repo, text)
        if stamped != text:
            path.write_text(stamped, encoding="utf-8")
            print(f"{path.relative_to(ROOT)}: {old} -> {repo}")


def public_repository():
    """owner/name, read from pyproject's project.urls."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return project["urls"]["Repository"].removeprefix("https://github.com/")


def _stored(pattern, names):
    paths = sorted((ROOT / "notebooks").glob(pattern))
    return [path for path in paths if not names or path.name.startswith(tuple(names))]


def _kept(metadata):
    return {key: metadata[key] for key in ("title",) if key in metadata}


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
