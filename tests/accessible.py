"""axe on a page: site, JupyterLab, decks and live figures.

What is not ours and cannot be repaired from here stands in axe_allowed.json: each entry has the
rule, the element (a part of its HTML) and the reason or the report upstream. All else fails.
"""

import json
from pathlib import Path

import pytest

ALLOWED = json.loads((Path(__file__).parent / "axe_allowed.json").read_text("utf-8"))


def violations(page, context=None):
    """The (rule, HTML) of what axe finds in a part of a page, or all of it, and is not allowed."""
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe is not installed"
    )
    found = axe.Axe().run(page, context=context).response["violations"]
    nodes = [(rule["id"], node["html"]) for rule in found for node in rule["nodes"]]
    return [node for node in nodes if not allowed(*node)]


def allowed(rule, html):
    return any(entry["rule"] == rule and entry["element"] in html for entry in ALLOWED)
