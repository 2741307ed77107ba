"""What chapter 7 says of stored numbers."""

import cells
import nbformat
import repeat

(SEVEN,) = cells.chapters(["07"])


def mean(name, row, what):
    values = repeat.stored(name)["rows"][row][what]
    return sum(values) / len(values)


def test_the_stored_table_of_chapter_7_is_what_was_measured():
    stored = nbformat.read(SEVEN, as_version=4).cells
    (table,) = (c.source for c in stored if c.source.startswith("# @title Stored: right answers"))
    names = {}
    exec(table, names)
    rows = ["alibi", "rope", "sinusoidal", "learned", "none", "one_layer"]
    assert len(names["MEASURED"]) == len(rows)
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
