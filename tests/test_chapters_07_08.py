"""What chapters 7 and 8 say of stored numbers, and where their parts stand."""

import re

import cells
import nbformat
import pytest
import repeat

SEVEN, EIGHT = (nbformat.read(path, as_version=4).cells for path in cells.chapters(["07", "08"]))
BOTH = pytest.mark.parametrize("stored", [SEVEN, EIGHT], ids=["07", "08"])
FIRST_OF_THE_SECOND_HALF = ("## 7.6", "## 8.8")


def starting(stored, start):
    """The one cell whose text begins so."""
    (cell,) = (cell for cell in stored if cell.source.startswith(start))
    return cell


def mean(name, row, what):
    values = repeat.stored(name)["rows"][row][what]
    return sum(values) / len(values)


def test_the_stored_table_of_chapter_7_is_what_was_measured():
    names = {}
    exec(starting(SEVEN, "# @title Stored: the mean of eight trainings").source, names)
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


def test_the_shares_of_time_in_8_14_are_those_of_the_stored_times():
    """A refresh that takes new times wants new words."""
    text = "".join(o.get("text", "") for o in starting(EIGHT, "# @title Folded: the times").outputs)
    times = {
        int(k): (float(a), float(b)) for k, a, b in re.findall(r"(\d+) +([\d.]+) +([\d.]+)\n", text)
    }
    said = "a quarter of its time with 8 heads of keys, and torch's call two thirds; with a single "
    said += "head of keys it is a sixteenth and nearly a quarter"
    assert said in "".join(cell.source for cell in EIGHT)
    ours, torchs = ([times[heads][k] / times[32][k] for heads in (8, 1)] for k in (0, 1))
    assert ours == pytest.approx([1 / 4, 1 / 16], rel=0.1)
    assert torchs == pytest.approx([2 / 3, 0.23], rel=0.1)


@BOTH
def test_the_second_half_begins_where_something_new_does(stored):
    (rest,) = (i for i, cell in enumerate(stored) if cell.source.startswith("**A rest.** "))
    later = next(cell for cell in stored[rest:] if re.match(r"## \d", cell.source))
    assert later.source.startswith(FIRST_OF_THE_SECOND_HALF)


def test_doubts_stand_folded_before_the_verdict_and_the_core_points_to_them():
    headings = [c.source for c in EIGHT if c.cell_type == "markdown" and c.source.startswith("##")]
    doubts = headings.index("### ⊕ Doubts")
    assert headings[doubts + 1].startswith("## Verdict")
    assert "(⊕ *Doubts*)" in "".join(c.source for c in EIGHT)


def test_a_fifth_of_the_cache_has_its_length_in_8_16():
    """36 pieces of 192, and of the 8,192 that the model was made for."""
    (said,) = re.findall(
        r"its cache holds (\d+) pieces of any text: a fifth of these (\d+), "
        r"and ([\d.]+) % of ([\d,]+)",
        "".join(c.source for c in EIGHT),
    )
    kept, short, share, long = (float(n.replace(",", "")) for n in said)
    assert kept == 32 + 4 and round(kept / short, 1) == 0.2 and round(100 * kept / long, 1) == share
    rows, what = ("window_four", "all"), "million numbers kept"
    few, whole = (mean("real_cheaper_loss", row, what) for row in rows)
    assert few / whole == pytest.approx(kept / short, rel=0.01)
