"""mutants.md, equivalent_js.md: every mutant held for equivalent is one of code that stands."""

import mutation
import pytest

ENTRIES = [(page, entry) for page in mutation.PAGES for entry in mutation.argued(page)]


@pytest.mark.parametrize("page", mutation.PAGES)
def test_every_entry_is_read(page):
    text = (mutation.ROOT / "tests" / page).read_text(encoding="utf-8")
    assert len(mutation.argued(page)) == text.count("\n- `") == text.count("\n  + ") > 0


@pytest.mark.parametrize(("page", "entry"), ENTRIES, ids=lambda part: part[0])
def test_an_entry_names_code_that_stands(page, entry):
    file, before, after, why = entry
    code = mutation.one_line((mutation.PAGES[page] / file).read_text(encoding="utf-8"))
    assert before in code and after != before and len(why) > 20
