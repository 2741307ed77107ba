"""How the code is laid out: who may import whom, one spelling for a name, one home for a thing."""

import ast
import importlib
import inspect
import json
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


def test_the_package_does_not_need_the_book():
    needs = set().union(*(IMPORTS[name] for name in IMPORTS if name.split(".")[0] == "d2lattn"))
    assert needs and not [name for name in needs if name.startswith("d2lattn_book")]


def test_the_package_has_seven_floors():
    """What stands on the ground is read first; `engines` counts as one."""
    stands, circles = measure.floors(measure.rooms(measure.imports(ROOT, "d2lattn")))
    assert not circles and max(stands.values()) + 1 <= 7, stands


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
    *(f"d2lattn_book.pictures.{name}" for name in ("drawings", "live", "plots")),
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
