"""A cell of a notebook with all that it needs of the cells above it, so that it runs alone."""

import ast
import functools
import re
import sys

from cells import names


def alone(source, above, imports_for=""):
    """A cell with all that it needs of the cells above it, and what other code needs to import."""
    wanted = names(source).used
    imported, defined, lines = wanted | names(imports_for).used, [], set()
    for node, text, found in reversed([part for cell in above for part in _statements(cell)]):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                if (alias.asname or alias.name.split(".")[0]) in imported:
                    lines.add(_imports(node, alias))
        elif found.defined & wanted:
            kept = found.defined if isinstance(node, ast.AugAssign) else set()
            wanted = (wanted - found.defined) | found.used | kept
            imported |= found.used
            defined.insert(0, text)
    groups = [[line for line in sorted(lines) if _group(line) == i] for i in range(3)]
    parts = ["\n".join(group) for group in groups if group] + [*defined, source]
    return "".join(
        part if i == 0 else f"\n\n\n{part}" if part.startswith(("def", "class")) else f"\n\n{part}"
        for i, part in enumerate(parts)
    )


def _group(line):
    """What stands together: Python's own modules, those of others, the book's."""
    module = re.split(r"[ .]", line)[1]
    return 0 if module in sys.stdlib_module_names else 2 if module.startswith("d2lattn") else 1


def _imports(node, alias):
    """The line that imports one of the names of a statement."""
    one = ast.Import([alias])
    if isinstance(node, ast.ImportFrom):
        one = ast.ImportFrom(node.module, [alias], node.level)
    return ast.unparse(one)


@functools.cache
def _statements(source):
    """(node, text, names) of each statement of a cell."""
    source = re.sub(r"^[%!].*$", "", source, flags=re.M)
    lines, found = source.splitlines(), []
    for node in ast.parse(source).body:
        first = min([node, *getattr(node, "decorator_list", [])], key=lambda n: n.lineno).lineno
        text = "\n".join(lines[first - 1 : node.end_lineno])
        found.append((node, text, names(text)))
    return found
