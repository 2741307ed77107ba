"""axe finds nothing on the website but what tests/axe_allowed.json lists.

An entry there has the rule, the element (a part of its HTML) and the report upstream or the reason.
"""

import json

import pytest
from cells import book
from opened import ROOT, SITE, go

NAMES = ["index", *(path.stem for path in book()), "search", "genindex"]
NAMES += ["lecturer/03_scaling_and_masking", "reference/index", "reference/attention"]
ALLOWED = json.loads((ROOT / "tests" / "axe_allowed.json").read_text("utf-8"))


def allowed(rule, html):
    return any(entry["rule"] == rule and entry["element"] in html for entry in ALLOWED)


def test_what_is_allowed_has_its_reason():
    for entry in ALLOWED:
        assert entry.keys() == {"rule", "element", "reason"} and all(entry.values())


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", NAMES)
def test_axe_finds_nothing(page, name, theme):
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe is not installed"
    )
    go(page, SITE / f"{name}.html")
    page.evaluate("theme => localStorage.setItem('mode', theme)", theme)
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") == theme
    found = axe.Axe().run(page).response["violations"]
    nodes = [(rule["id"], node["html"]) for rule in found for node in rule["nodes"]]
    print(f"{name}, {theme}: {len(nodes)} violations")
    assert [node for node in nodes if not allowed(*node)] == []
