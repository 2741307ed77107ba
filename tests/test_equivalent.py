"""tests/mutants.md: every mutant that is held for equivalent is one of code that stands."""

import equivalent
import pytest


def test_every_entry_is_read():
    text = equivalent.PAGE.read_text(encoding="utf-8")
    assert len(equivalent.entries()) == text.count("\n- `") > 0


@pytest.mark.parametrize("entry", equivalent.entries(), ids=lambda entry: entry[0])
def test_an_entry_names_code_that_stands(entry):
    file, before, after, why = entry
    code = equivalent.joined((equivalent.ROOT / file).read_text(encoding="utf-8").splitlines())
    assert before in code and after != before and len(why) > 20
