"""A text by letters: what is read and what is not, and counting against the formula."""

import hashlib
import math
import random

import pytest

from d2lattn_book.language.own_text import SHA256, STORED, count, read, split

LETTERS = random.Random(0).choices("abc d", [5, 3, 1, 1, 2], k=3000)
TEXT = "".join(LETTERS)


def test_the_stored_text_is_the_same_for_every_reader():
    assert hashlib.sha256(STORED.read_bytes()).hexdigest() == SHA256
    assert 100_000 < len(read()) < 200_000
    assert len({*read().splitlines()}) == len(read().splitlines())  # no paragraph twice
    licence = STORED.with_name("python_topics.LICENSE.txt").read_text(encoding="utf-8")
    assert "PYTHON SOFTWARE FOUNDATION LICENSE VERSION 2" in licence and "3.11.7" in licence


def test_a_file_is_read_as_an_editor_wrote_it(tmp_path):
    file = tmp_path / "my_diary.txt"
    file.write_bytes("\ufeffÄpfel\r\nund Birnen\n".encode())
    assert read(file) == read(str(file)) == "Äpfel\nund Birnen\n"
    file.write_bytes("Äpfel".encode("latin-1"))
    with pytest.raises(ValueError, match=r"diary.txt is no text in UTF-8: in an editor") as told:
        read(file)
    assert told.value._render_traceback_() == [f"ValueError: {told.value}"]  # and nothing else


def test_the_end_is_kept_unread():
    part, rest = split(TEXT)
    assert part + rest == TEXT and len(rest) == 300
    assert [len(x) for x in split("ab" * 100_000)] == [192_000, 8_000]


def test_counting_is_the_formula():
    """By recursion, letter by letter, where `count` goes up from the shortest context."""
    part, rest = split(TEXT)

    def p(letter, context):
        if context is None:
            return 1 / len(set(TEXT))
        n = len(context)
        after = [part[i] for i in range(n, len(part)) if part[i - n : i] == context]
        shorter = p(letter, context[1:] if context else None)
        if not after:
            return shorter
        return (after.count(letter) + len(set(after)) * shorter) / (len(after) + len(set(after)))

    for order in (1, 2, 4):
        every = [
            -math.log(p(TEXT[i], TEXT[i - order + 1 : i])) for i in range(len(part), len(TEXT))
        ]
        assert count(TEXT, order) == pytest.approx(sum(every) / len(rest), abs=1e-12)
