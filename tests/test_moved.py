"""Readers' notebooks of version 0.2 are told the new line."""

import importlib

import pytest


@pytest.mark.parametrize(
    "line",
    [
        "from d2lattn import check",
        "from d2lattn import pictures",
        "import d2lattn.launch",
        "from d2lattn.pictures import live",
        "from d2lattn.language.words import sentences",
        "from d2lattn.exercises import progress",
        "from d2lattn.cluster import ring_cost",
    ],
)
def test_an_old_import_gives_the_new_line(line):
    with pytest.raises(
        ImportError, match=r"write `from d2lattn_book[.\w]* import \.\.\.`$"
    ) as told:
        exec(line, {})
    new = str(told.value).partition("`from ")[2].partition(" import")[0]
    importlib.import_module(new)


def test_what_never_was_is_missed_as_usual():
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'd2lattn\.nothing'"):
        importlib.import_module("d2lattn.nothing")
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        importlib.import_module("d2lattn").nothing  # noqa: B018
