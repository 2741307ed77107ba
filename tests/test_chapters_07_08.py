"""What chapters 7 and 8 say of stored numbers, and where their parts stand."""

import re

import cells
import nbformat
import pytest
import repeat

SEVEN, EIGHT = (nbformat.read(path, as_version=4).cells for path in cells.chapters(["07", "08"]))
BOTH = pytest.mark.parametrize("stored", [SEVEN, EIGHT], ids=["07", "08"])
FIRST_OF_THE_SECOND_HALF = ("## 7.6", "## 8.7")


def starting(stored, start):
    """The one cell whose text begins so."""
    (cell,) = (cell for cell in stored if cell.source.startswith(start))
    return cell


def mean(name, row, what):
    values = repeat.stored(name)["rows"][row][what]
    return sum(values) / len(values)


def test_the_stored_table_of_chapter_7_is_what_was_measured():
    names = {}
    exec(starting(SEVEN, "# @title Stored: right answers in %").source, names)
    rows = ["alibi", "rope", "sinusoidal", "learned", "none", "one_layer"]
    assert len(names["MEASURED"]) == len(rows) and len(names["COLUMNS"]) == 4
    for row, shown in zip(rows, names["MEASURED"].values(), strict=True):
        for task, numbers in zip(("latest value", "five back"), shown, strict=True):
            asked = [(200, 32), (1000, 32), (1000, 64), (1000, 128)]
            found = [mean("who_goes_on", f"{row}-{steps}", f"{task} at {n}") for steps, n in asked]
            assert all(abs(n - m) <= 0.5001 for n, m in zip(numbers, found, strict=True)), row


def test_the_second_pair_does_in_every_training_what_chapter_7_says_of_one():
    """It takes points where a distance looks like five, and adds some where training ended."""
    kept = repeat.stored("rope_beyond")["rows"]["rope-200"]
    at = {
        back: kept[f"points of the second pair at distance {back}"]
        for back in (5, 11, 18, 24, 30, 49)
    }
    for five, *between, far in zip(*at.values(), strict=True):
        assert max(between) < -5 and abs(five) < 8 and far > 10
    sums = (kept[f"of all pairs at distance {back}"] for back in (49, 5))
    assert all(far > five for far, five in zip(*sums, strict=True))


@BOTH
def test_the_second_half_begins_where_something_new_does(stored):
    (rest,) = (i for i, cell in enumerate(stored) if cell.source.startswith("**A rest.** "))
    later = next(cell for cell in stored[rest:] if re.match(r"## \d", cell.source))
    assert later.source.startswith(FIRST_OF_THE_SECOND_HALF)
