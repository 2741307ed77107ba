"""The stored digits are the 1,797 of the source, and another file is refused."""

import numpy as np
import pytest

from d2lattn_book import digits

EACH = [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]  # by the description of the source


def test_they_are_those_of_the_source():
    pictures, labels = digits.load()
    assert pictures.shape == (1797, 8, 8)
    assert labels.bincount().tolist() == EACH
    assert pictures.min() == 0 and pictures.max() == 1
    assert (pictures * 16 == (pictures * 16).round()).all()


def test_another_file_is_refused(monkeypatch, tmp_path):
    with np.load(digits.DIGITS) as stored:
        counts, labels = stored["pictures"].copy(), stored["labels"]
    counts[5, 3, 3] += 1
    file = tmp_path / "digits.npz"
    np.savez_compressed(file, pictures=counts, labels=labels)
    monkeypatch.setattr(digits, "DIGITS", file)
    with pytest.raises(RuntimeError, match=r"digits.npz must be that of the book, .*87ff0c9e40dc…"):
        digits.load()
