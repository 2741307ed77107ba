"""How large the project is, `python tools/measure.py [ROOT]`, and how modules lean on each other.

Lines are counted by tokens: of Python without blank lines, comments and docstrings, of JavaScript
without blank lines and whole-line comments. Locks, stored outputs, generated bundles and data are
not counted. `tools/sizes.json` holds a ceiling for every row, and a test fails above it: `--lower`
sets the ceilings to what is there, so that a row may rise by what others fall in the same commit.

A module's floor is one above the highest that it imports; late imports count. Scripts, in a folder
that is no package, import each other by their bare names.
"""

import ast
import io
import json
import pathlib
import re
import sys
import tokenize

ROOT = pathlib.Path(__file__).resolve().parent.parent
SIZES = ROOT / "tools" / "sizes.json"
ROWS = ("d2lattn", "d2lattn_book", "tests", "tools", "benchmarks", "experiments", "website")
LEFT_OUT = re.compile(r"node_modules|/stored/|/\.|^build/|^work/|-lock\.json$")
# What the first count leaves out.
MORE = {
    "conftest.py": "conftest.py",
    "JupyterLab": ".jupyter/**/*.js",
    "templates": "**/*.html*",
    "style sheets": "**/*.css",
    "workflows": ".github/workflows/*.yml",
}
SCRIPT = re.compile(r"=>|\bfunction\b|\bconst |\bdocument\.")  # a string with JavaScript in it
SILENT = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)


def python_lines(source):
    """Lines of code: those that hold a token which is no comment and no docstring."""
    documented = set()
    for node in ast.walk(ast.parse(source)):
        may_be = isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
        if may_be and ast.get_docstring(node) is not None:
            documented |= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    lines = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in SILENT and token.type != tokenize.ENDMARKER:
            lines |= set(range(token.start[0], token.end[0] + 1))
    return len(lines - documented)


def other_lines(source):
    """Lines that are neither blank nor a comment from their first character on."""
    lines = (line.strip() for line in source.splitlines())
    return sum(bool(line) and not line.startswith(("//", "#", "*", "/*")) for line in lines)


def counted(root):
    """(row, kind) -> lines of code."""
    found = {}
    kinds = {".py": python_lines, ".js": other_lines, ".mjs": other_lines, ".sh": other_lines}
    for row in ROWS:
        for path in sorted((root / row).rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.suffix in kinds and not LEFT_OUT.search(name):
                key = row, "Python" if path.suffix == ".py" else "other"
                lines = kinds[path.suffix](path.read_text(encoding="utf-8"))
                found[key] = found.get(key, 0) + lines
    makefile = root / "Makefile"
    found["Makefile", "other"] = other_lines(makefile.read_text(encoding="utf-8"))
    return found


def overlooked(root):
    """The same of what `counted` leaves out; JavaScript inside Python strings it has as Python."""
    found = {}
    for row, pattern in MORE.items():
        paths = [p for p in root.glob(pattern) if is_ours(p.relative_to(root).as_posix())]
        count = python_lines if row.endswith(".py") else other_lines
        found[row, "more"] = sum(count(path.read_text(encoding="utf-8")) for path in paths)
    strings = [
        node.value
        for row in ROWS
        for path in (root / row).rglob("*.py")
        if is_ours(path.relative_to(root).as_posix())
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if not isinstance(node, ast.Expr)  # a docstring
        for node in ast.iter_child_nodes(node)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    scripts = [text for text in strings if "\n" in text and SCRIPT.search(text)]
    found["JavaScript in Python", "more"] = sum(map(other_lines, scripts))
    return found


def is_ours(name):
    """Whether a file is none of an environment's, nor built."""
    return not re.search(r"node_modules|(^|/)(\.venv|\.git/|build/|work/)", name)


def sizes(root):
    """{"row kind": lines of code} of all rows."""
    return {" ".join(key): lines for key, lines in (counted(root) | overlooked(root)).items()}


def lower():
    """Set the ceilings to what is there, if all of it together has not become more."""
    now = sizes(ROOT)
    before = json.loads(SIZES.read_text(encoding="utf-8"))
    if sum(now.values()) > sum(before.values()):
        sys.exit(f"{sum(now.values()):,} lines, and the ceilings allow {sum(before.values()):,}")
    SIZES.write_text(json.dumps(now, indent=1) + "\n", encoding="utf-8")


def module_name(path, root):
    """The name under which a file is imported."""
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(root, *packages):
    """Module -> what it imports of these packages; a package is not on the way to its own."""
    paths = [path for package in packages for path in (root / package).rglob("*.py")]
    modules = {module_name(path, root): path for path in sorted(paths)}
    found = {}
    scripts = {name for name in packages if not (root / name / "__init__.py").exists()}
    for name, path in modules.items():
        body = ast.parse(path.read_text(encoding="utf-8"))
        beside = f"{name.rpartition('.')[0]}." if name.split(".")[0] in scripts else ""
        needs = set()
        for node in ast.walk(body):
            if isinstance(node, ast.Import):
                needs |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                whole = {f"{node.module}.{alias.name}" for alias in node.names}
                needs |= {one if one in modules else node.module for one in whole}
        needs = {beside + one if beside + one in modules else one for one in needs}
        for one in [*needs]:
            parts = one.split(".")
            ways = {".".join(parts[:i]) for i in range(2, len(parts))}
            needs |= {package for package in ways if not name.startswith(f"{package}.")}
        found[name] = needs & modules.keys() - {name}
    return found


def rooms(arrows):
    """The same between top-level modules: a package counts as one, its front page is left out."""
    found = {}
    for name, needs in arrows.items():
        if "." in name:
            mine, theirs = room(name), {room(need) for need in needs if "." in need}
            found[mine] = found.get(mine, set()) | theirs - {mine}
    return found


def room(name):
    return ".".join(name.split(".")[:2])


def floors(arrows):
    """(module -> floor from 0, the modules that stand in a circle)."""
    stands, left = {}, dict(arrows)
    while free := [name for name, needs in left.items() if not needs & left.keys()]:
        for name in free:
            stands[name] = max((stands[need] + 1 for need in left.pop(name)), default=0)
    return stands, set(left)


def main(root):
    found = counted(root)
    for (row, kind), lines in found.items():
        print(f"{row:20} {kind:7} {lines:7,}")
    print(f"{'in all':20} {'':7} {sum(found.values()):7,}")
    for (row, kind), lines in overlooked(root).items():
        print(f"{row:20} {kind:7} {lines:7,}")


if __name__ == "__main__":
    if sys.argv[1:] == ["--lower"]:
        lower()
    else:
        main(pathlib.Path(*sys.argv[1:] or [ROOT]).resolve())
