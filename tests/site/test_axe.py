"""axe finds nothing on the website but what tests/axe_allowed.json lists."""

import pytest
from accessible import ALLOWED, violations
from cells import book
from opened import SITE, go

NAMES = ["index", *(path.stem for path in book()), "search", "genindex"]
NAMES += ["lecturer/03_scaling_and_masking", "reference/index", "reference/attention"]


def test_what_is_allowed_has_its_reason():
    for entry in ALLOWED:
        assert entry.keys() == {"rule", "element", "reason"} and all(entry.values())


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", NAMES)
def test_axe_finds_nothing(page, name, theme):
    go(page, SITE / f"{name}.html")
    page.evaluate("theme => localStorage.setItem('mode', theme)", theme)
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") == theme
    found = violations(page)
    print(f"{name}, {theme}: {len(found)} violations")
    assert found == []
