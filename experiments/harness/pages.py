"""What a chapter defines, for who repeats its experiments: the very functions of the page."""

import functools
import json
import types

import cells


def functions(name):
    """What the imports of a chapter and its cells tagged "experiment: name" define.

    Returns:
        types.SimpleNamespace. A tagged cell defines; it trains nothing and draws nothing.
    """
    tag = f"experiment: {name}"
    for path in cells.book():
        page = _cells(path)
        if any(tag in cells.tags(cell) for cell in page):
            names = {}
            imports = next(cell for cell in page if cells.is_imports(cell))
            for cell in [imports, *(cell for cell in page if tag in cells.tags(cell))]:
                exec(compile(_source(cell), path.name, "exec"), names)
            return types.SimpleNamespace(**names)
    raise LookupError(f"no cell of the book is tagged {tag!r}")


@functools.cache  # there are many experiments, and each asks for every page
def _cells(path):
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def _source(cell):
    return "".join(cell["source"])
