"""How the code is laid out: who may import whom, one spelling for a name, one home for a thing."""

import ast
import importlib
import inspect
import json
import pkgutil
import re
from pathlib import Path

import matplotlib as mpl
import measure
import pytest

import d2lattn

ROOT = Path(d2lattn.__file__).parent.parent
PACKAGES = ("d2lattn", "d2lattn_book")
FILES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
PICTURES = sorted((ROOT / "d2lattn_book" / "pictures").rglob("*.py"))
MODULES = {measure.module_name(path, ROOT): path for path in FILES}


def tree(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def each(paths):
    """A test for each of these files."""
    return pytest.mark.parametrize("path", paths, ids=[measure.module_name(p, ROOT) for p in paths])


def test_nothing_is_larger_than_its_ceiling():
    ceilings = json.loads(measure.SIZES.read_text(encoding="utf-8"))
    now = measure.sizes(ROOT)
    assert now.keys() == ceilings.keys()
    above = {row: (lines, ceilings[row]) for row, lines in now.items() if lines > ceilings[row]}
    assert not above, (
        "(lines, ceiling): leave something out, or pay with another row: tools/measure.py --lower"
    )


# Who imports whom, late imports included ------------------------------------------------------

IMPORTS = measure.imports(ROOT, *PACKAGES)


def test_no_module_needs_itself_on_the_way():
    stands, circles = measure.floors(IMPORTS)
    assert len(stands) > 60 and sum(map(len, IMPORTS.values())) > 200  # it sees them
    assert not circles
    wrong = {"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": set()}
    assert measure.floors(wrong) == ({"d": 0}, {"a", "b", "c"})


def test_no_tool_needs_itself_on_the_way():
    """Scripts import each other by their bare names, some of them late."""
    needs = measure.imports(ROOT, "tools")
    _, circles = measure.floors(needs)
    assert {"tools.cells", "tools.stills"} <= needs["tools.notebooks"]  # it sees them
    assert not circles


def test_the_package_does_not_need_the_book():
    needs = set().union(*(IMPORTS[name] for name in IMPORTS if name.split(".")[0] == "d2lattn"))
    assert needs and not [name for name in needs if name.startswith("d2lattn_book")]


def test_the_package_has_seven_floors():
    """What stands on the ground is read first; `engines` counts as one."""
    stands, circles = measure.floors(measure.rooms(measure.imports(ROOT, "d2lattn")))
    assert not circles and max(stands.values()) + 1 <= 7, stands


def test_no_drawing_imports_plots():
    for name, needs in IMPORTS.items():
        assert not (".drawings." in name and "d2lattn_book.pictures.plots" in needs), name


# Names ------------------------------------------------------------------------------------------

# Where a reader finds what is not in d2lattn itself; elsewhere is how it is made.
ENTRIES = [
    "d2lattn",
    "d2lattn_book.cards",
    "d2lattn_book.comparison",
    "d2lattn_book.exercises",
    *(name for name in MODULES if name.startswith("d2lattn_book.language.")),
    "d2lattn_book.kernels",
    "d2lattn_book.pictures",
    *(f"d2lattn_book.pictures.{name}" for name in ("drawings", "interact", "live", "plots")),
    "d2lattn_book.real",
    "d2lattn_book.real.edits",
]


def offered(entry):
    """Name -> function or class: what __all__ lists, or what is public and made there."""
    module = importlib.import_module(entry)
    public = {key: value for key, value in vars(module).items() if not key.startswith("_")}
    listed = getattr(module, "__all__", None)
    listed = listed or [key for key, value in public.items() if made_in(value, entry)]
    return {key: public[key] for key in listed if callable(public[key])}


def made_in(value, module):
    made = inspect.isfunction(value) or inspect.isclass(value)
    return made and value.__module__ == module


def test_a_public_name_has_one_spelling():
    """`plots.flow` and `plots.describe` are spelled so, although they are made elsewhere."""
    spelled = {}
    for entry in ENTRIES:
        for name, value in offered(entry).items():
            spelled.setdefault(value, []).append(f"{entry}.{name}")
    assert len(spelled) > 80 and not [names for names in spelled.values() if len(names) > 1]


def sources():
    """(where, code) of every chapter, and of the examples of README and docs."""
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            if cell["cell_type"] == "code":
                lines = "".join(cell["source"]).splitlines()
                yield path.name, "\n".join(line for line in lines if not line.startswith("%"))
    for path in (ROOT / "README.md", ROOT / "docs" / "package.md"):
        for code in re.findall(r"```python\n(.*?)```", path.read_text(encoding="utf-8"), re.S):
            yield path.name, code


def test_a_reader_is_shown_the_one_spelling():
    top, seen = offered("d2lattn").values(), 0
    for where, code in sources():
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
                ("d2lattn.", "d2lattn_book.")
            ):
                module, seen = importlib.import_module(node.module), seen + 1
                named = [getattr(module, alias.name, None) for alias in node.names]
                assert not [one for one in named if one in top], f"{where}: {ast.unparse(node)}"
    assert seen > 5


def test_no_public_name_hides_a_module():
    """The one exception is the function that all is about. What imports triton is left out."""
    hidden = []
    for name, path in MODULES.items():
        if path.name != "__init__.py":
            continue
        package = importlib.import_module(name)
        for module in pkgutil.iter_modules([str(path.parent)]):
            whole = f"{name}.{module.name}"
            if re.search(r"^import triton", MODULES[whole].read_text(encoding="utf-8"), re.M):
                continue
            meant = importlib.import_module(whole)
            if getattr(package, module.name) is not meant:
                hidden.append(whole)
    assert hidden == ["d2lattn.attention"]


# One home for a thing ---------------------------------------------------------------------------

COLOUR = re.compile(r"#[0-9a-fA-F]{3,8}|0?\.\d+|[01]\.0|C\d|tab:\w+")
ALPHA = re.compile(r"[0-9a-fA-F]{2}")  # added to a colour, which is what kit.tint is for


@each(PICTURES)
def test_every_colour_stands_in_the_table(path):
    """Roles and greys are in colours.py; white is the page, and "none" no colour at all."""
    if path.name == "colours.py":
        return
    named = {name for name in mpl.colors.CSS4_COLORS if name != "white"}
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            stands = COLOUR.fullmatch(node.value) or node.value in named
            assert not stands, f"line {node.lineno}: {node.value}"
        if isinstance(node, ast.BinOp) and isinstance(getattr(node.right, "value", None), str):
            assert not ALPHA.fullmatch(node.right.value), f"line {node.lineno}: a tint by hand"


@each(PICTURES)
def test_boxes_and_arrows_are_made_by_the_kit(path):
    if path.name in ("kit.py", "_layers.py"):  # whose lines to names are measured in points
        return
    own = {"FancyArrow", "FancyArrowPatch", "FancyBboxPatch", "annotate", "arrowprops"}
    for node in ast.walk(tree(path)):
        names = {getattr(node, field, None) for field in ("id", "attr", "arg", "name")}
        assert not names & own, f"line {node.lineno}: {names & own}"


def test_what_is_described_has_one_home():
    """The group of texts that `describe` repeats is named once, for whoever writes and reads it."""
    homes = [
        path.name
        for path in PICTURES
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Constant) and node.value == "described"
    ]
    assert homes == ["describe.py"]


@each(FILES)
def test_a_check_names_an_argument(path):
    """check_count("width", width): what a message names is what the caller wrote, here or at a
    public entry."""
    interface = (ROOT / "tests" / "interface.txt").read_text(encoding="utf-8")

    def wrong(node, names):
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            names = names | {argument.arg for argument in (*node.args.args, *node.args.kwonlyargs)}
        called = getattr(getattr(node, "func", None), "id", "")
        said = []
        if called in ("check_alike", "check_counts"):
            said = [keyword.arg for keyword in node.keywords if keyword.arg]
        elif called.startswith("check_") and node.args:
            by_name = isinstance(node.args[0], (ast.Name, ast.JoinedStr))
            said = [] if by_name else [getattr(node.args[0], "value", None)]
        for name in said:
            if name not in names and not re.search(rf"[(, ]{name}[=,)]", interface):
                yield node.lineno, name
        for child in ast.iter_child_nodes(node):
            yield from wrong(child, names)

    assert not list(wrong(tree(path), set()))
