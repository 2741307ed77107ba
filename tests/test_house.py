"""How the house is built: who may import whom, one spelling for a name, one home for a thing."""

import ast
import importlib
import inspect
import json
import pkgutil
import re
from pathlib import Path

import matplotlib as mpl
import pytest

import d2lattn

ROOT = Path(d2lattn.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))
PICTURES = sorted((ROOT / "pictures").rglob("*.py"))


def name_of(path):
    """The name under which a file is imported."""
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in FILES}
WINGS = {f"d2lattn.{wing}" for wing in ("engines", "exercises", "language", "pictures")}
GROUND = [name for name in MODULES if ".".join(name.split(".")[:2]) not in WINGS]


def tree(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def each(paths):
    """A test for each of these files."""
    names = [name_of(path).removeprefix("d2lattn.") for path in paths]
    return pytest.mark.parametrize("path", paths, ids=names)


# Who imports whom -----------------------------------------------------------------------------


def imports(name, nodes):
    """The modules of the package that these statements bring in, with the packages on the way."""
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            whole = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {one if one in MODULES else node.module for one in whole}
    for one in [*found]:
        parts = one.split(".")
        ways = {".".join(parts[:i]) for i in range(2, len(parts))}
        found |= {package for package in ways if not name.startswith(f"{package}.")}
    return found & MODULES.keys() - {name}


ARROWS = {name: imports(name, tree(path).body) for name, path in MODULES.items()}
ANYWHERE = {name: imports(name, ast.walk(tree(path))) for name, path in MODULES.items()}


def circle(arrows):
    """The modules that cannot be put into an order in which each imports only those before it."""
    left = dict(arrows)
    while free := [name for name, needs in left.items() if not needs & left.keys()]:
        for name in free:
            del left[name]
    return left


def test_no_two_rooms_need_each_other():
    assert sum(map(len, ARROWS.values())) > 50  # the walk sees them
    assert not circle(ARROWS)
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": set()}).keys() == {"a", "b", "c"}


def test_the_ground_floor_leads_to_the_engines_only():
    """Pictures, language and exercises are heavy, or nobody's who only wants attention."""
    for name in GROUND:
        for needed in ANYWHERE[name] - set(GROUND):
            check = (name, needed) == ("d2lattn", "d2lattn.exercises")  # on first use
            assert needed.startswith("d2lattn.engines") or check, f"{name} imports {needed}"


def test_no_drawing_imports_plots():
    for name, needs in ANYWHERE.items():
        assert not (".drawings." in name and "d2lattn.pictures.plots" in needs), name


# Names ------------------------------------------------------------------------------------------

# Where a reader finds what is not in d2lattn itself; elsewhere is how it is made.
DOORS = [
    "d2lattn",
    "d2lattn.exercises",
    *(name for name in MODULES if name.startswith("d2lattn.language.")),
    *(f"d2lattn.pictures.{name}" for name in ("drawings", "interact", "live", "plots")),
]


def offered(door):
    """Name -> function or class: what __all__ lists, or what is public and made there."""
    module = importlib.import_module(door)
    public = {key: value for key, value in vars(module).items() if not key.startswith("_")}
    listed = getattr(module, "__all__", None)
    listed = listed or [key for key, value in public.items() if made_in(value, door)]
    return {key: public[key] for key in listed if callable(public[key])}


def made_in(value, module):
    made = inspect.isfunction(value) or inspect.isclass(value)
    return made and value.__module__ == module


def test_a_public_name_has_one_spelling():
    """`plots.flow` and `plots.describe` are spelled so, although they are made elsewhere."""
    spelled = {}
    for door in DOORS:
        for name, value in offered(door).items():
            spelled.setdefault(value, []).append(f"{door}.{name}")
    assert len(spelled) > 80 and not [names for names in spelled.values() if len(names) > 1]


def sources():
    """(where, code) of every chapter, and of the README's examples."""
    for path in sorted((ROOT.parent / "notebooks").glob("*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            if cell["cell_type"] == "code":
                lines = "".join(cell["source"]).splitlines()
                yield path.name, "\n".join(line for line in lines if not line.startswith("%"))
    readme = (ROOT.parent / "README.md").read_text(encoding="utf-8")
    for code in re.findall(r"```python\n(.*?)```", readme, re.S):
        yield "README.md", code


def test_a_reader_is_shown_the_one_spelling():
    top, seen = offered("d2lattn").values(), 0
    for where, code in sources():
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("d2lattn."):
                module, seen = importlib.import_module(node.module), seen + 1
                named = [getattr(module, alias.name, None) for alias in node.names]
                assert not [one for one in named if one in top], f"{where}: {ast.unparse(node)}"
    assert seen > 5


def test_no_public_name_hides_a_module():
    """The one exception is the function that all is about."""
    hidden = []
    for name, path in MODULES.items():
        if path.name != "__init__.py":
            continue
        package = importlib.import_module(name)
        for module in pkgutil.iter_modules([str(path.parent)]):
            whole = f"{name}.{module.name}"
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


def test_what_is_said_has_one_home():
    """The group of texts that `describe` repeats is named once, for whoever writes and reads it."""
    homes = [
        path.name
        for path in PICTURES
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Constant) and node.value == "said"
    ]
    assert homes == ["kit.py"]


@each(FILES)
def test_a_check_names_an_argument(path):
    """check_count("width", width): what a message names is what the caller wrote, here or at a
    public door."""
    doors = (ROOT.parent / "tests" / "interface.txt").read_text(encoding="utf-8")

    def wrong(node, names):
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            names = names | {argument.arg for argument in (*node.args.args, *node.args.kwonlyargs)}
        called = getattr(getattr(node, "func", None), "id", "")
        if called.startswith("check_") and called != "check_alike" and node.args:
            said = getattr(node.args[0], "value", None)
            named = isinstance(node.args[0], (ast.Name, ast.JoinedStr)) or said in names
            if not named and not re.search(rf"[(, ]{said}[=,)]", doors):
                yield node.lineno, said
        for child in ast.iter_child_nodes(node):
            yield from wrong(child, names)

    assert not list(wrong(tree(path), set()))


# Sizes ------------------------------------------------------------------------------------------


def functions(path):
    """(name, lines of code without the docstring) of every function."""
    for node in ast.walk(tree(path)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            first = node.body[0]
            said = first.end_lineno - first.lineno + 1 if ast.get_docstring(node) else 0
            yield node.name, node.end_lineno - node.lineno + 1 - said


@each(FILES)
def test_a_function_fits_on_a_screen(path):
    assert not [(name, lines) for name, lines in functions(path) if lines > 60]


def test_the_masks_are_a_page():
    assert len((ROOT / "masks.py").read_text(encoding="utf-8").splitlines()) <= 130
