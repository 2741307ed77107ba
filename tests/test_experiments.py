"""EXPERIMENTS.md is what the experiments measured, and the pages say what stands there."""

import datetime
import json
import re

import cells
import experiment
import pages
import pytest
import repeat

from website.build import PAGES

NAMES = experiment.names()
PLAYGROUND = (PAGES / "playground.md").read_text(encoding="utf-8")
MARK = re.compile(r"<!-- exp: (\w+)/([\w -]+?) -->")
NUMBER = re.compile(r"(?<![\w.])−?\d[\d,]*(?:\.\d+)?(?![\w]|\.\d)(?: %)?")
WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
WORDS += ["eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen"]
LEDGER = cells.appendices(["90"])[0]


def texts(path):
    """The text cells of a part of the book."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    return ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "markdown"]


def quotations(text):
    """(the sentence or table row, experiment, rows) of each mark in a text."""
    found = []
    for mark in MARK.finditer(text):
        line = text[: mark.start()].splitlines()[-1]
        line = line[line.rfind("-->") + 3 if "-->" in line else 0 :]
        sentences = re.split(r"(?<=[.!?:])\s+(?=[A-Z*(\"])", line.strip())
        found.append((line if line.startswith("|") else sentences[-1], mark[1], mark[2].split()))
    return found


def numbers(sentence):
    """The numbers that a sentence quotes, those of "fourteen of sixteen" too, as texts.

    No numbers are those of chapters and sections, in formulas, in code and in links.
    """
    plain = re.sub(r"\[[^\]]*\]\([^)]*\)|\$[^$]*\$|`[^`]*`", " ", sentence)
    plain = re.sub(r"(chapters?|sections?|claims?|appendix|exercises?) [\d.]+", " ", plain)
    if sentence.startswith("|"):  # of a row the cell that carries the mark
        plain = plain.rpartition("|")[2]
    spoken = re.findall(r"\b([a-z]+) (?:out )?of (?:the )?([a-z]+)\b", plain.lower())
    said = [word for pair in spoken if set(pair) <= set(WORDS) for word in pair]
    return [n.replace(",", "") for n in NUMBER.findall(plain)] + [str(WORDS.index(w)) for w in said]


def measured(name, rows):
    """All numbers that stand in rows of an experiment, its steps and seeds among them."""
    one = experiment.load(name)
    names = [row for row in one.rows() if row in rows or row.rpartition("-")[0] in rows]
    assert {*rows} <= {*names, *(row.rpartition("-")[0] for row in names)}, f"{name} has no {rows}"
    shown = " ".join(
        " ".join(map(str, repeat.row_of(one, repeat.stored(name), row)[:-1])) for row in names
    )
    found = NUMBER.findall(shown.replace("-", "−"))  # a page writes a minus, not a hyphen
    return {n.replace(",", "") for n in found} | {str(one.seeds_of(row)) for row in names}


def says(number, measured):
    """Whether a sentence's number is what was measured, or that rounded to two digits or more.

    So many per cent may be a part of one as well.
    """
    if number.endswith(" %"):
        number = number.removesuffix(" %")
        decimals = len(number.partition(".")[2])
        part = f"{float(number.replace('−', '-')) / 100:.{decimals + 2}f}".replace("-", "−")
        return says(number, measured) or says(part, measured)
    whole, _, decimals = number.lstrip("−").partition(".")
    if number == measured or len((whole + decimals).lstrip("0")) < 2 or not decimals:
        return number == measured
    value, quoted = (float(text.replace("−", "-")) for text in (measured, number))
    return abs(value - quoted) <= 0.5001 * 10 ** -len(decimals)


ERRATA = (cells.ROOT / "ERRATA.md").read_text(encoding="utf-8")
QUOTATIONS = [
    pytest.param(*quotation, id=f"{name} {quotation[1]}")
    for name, text in [
        *((path.name[:2], text) for path in cells.book() for text in texts(path)),
        ("errata", ERRATA),
    ]
    for quotation in quotations(text)
]


@pytest.mark.parametrize(("sentence", "name", "rows"), QUOTATIONS)
def test_a_sentence_has_the_digits_of_its_rows(sentence, name, rows):
    assert name in NAMES, f"no experiment is called {name!r}"
    rounded = measured(name, rows)
    strange = [n for n in set(numbers(sentence)) if not any(says(n, m) for m in rounded)]
    assert not strange, f"{sorted(strange)} in {sentence!r} are not in {name}: {rows}"


def test_an_erratum_has_its_old_sentence_and_its_table():
    rows = [line for line in ERRATA.split("\n## ")[0].splitlines() if line.startswith("| [")]
    assert len(rows) >= 14
    for row in rows:
        _, _, said, _, table, _ = row.split("|")
        name = MARK.search(row)[1]
        assert "“" in said and table.strip() == f"[{name}](experiments/EXPERIMENTS.md#{name})"


OTHERS = [line for line in ERRATA.split("\n## ")[1].splitlines() if line.startswith("| [")]


@pytest.mark.parametrize("row", OTHERS, ids=lambda row: row[3 : row.index("]")])
def test_an_erratum_without_an_experiment_is_gone_and_its_digits_stand_where_it_says(row):
    _, where, said, so, there, _ = row.split("|")
    old = re.search("“(.*)”", said)[1]
    (now,) = re.findall(r"\((notebooks/[^)]*)\)", where)
    assert old not in "\n".join(texts(cells.ROOT / now))
    (place,) = re.findall(r"\(([^)]*)\)$", there.strip())
    if not place.startswith("https://"):
        text = (cells.ROOT / place).read_text(encoding="utf-8")
        there = re.findall(r"\d[\d,]*(?:\.\d+)?", text)
        told = {number.removesuffix(" %") for number in numbers(so)}
        assert told <= {number.replace(",", "") for number in there}, so


def test_the_page_of_experiments_is_what_was_measured():
    stored = repeat.PAGE.read_text(encoding="utf-8")
    assert stored == repeat.render(), "run: python experiments/harness/repeat.py --render"


@pytest.mark.parametrize("name", NAMES)
def test_an_experiment_was_run_as_it_stands(name):
    one, result = experiment.load(name), repeat.stored(name)
    assert result, f"run: make experiments EXPERIMENT={name}"
    assert one.seeds >= 8
    assert list(result["rows"]) == list(one.rows())
    if one.steps is not None:
        assert repeat.asked(result["proof"]) == list(one.variants)
    for row, measured in result["rows"].items():
        assert measured and all(len(v) == one.seeds_of(row) >= 3 for v in measured.values())
    seconds = 60 * result["minutes"] / sum(map(one.seeds_of, one.rows()))
    assert one.seeds >= 16 or seconds >= 1, "so quick a run is repeated with 16 seeds"
    said = (experiment.question(name), one.varies, one.held, one.control, one.refuted)
    assert all(said) and said[0].endswith("?") and not any(s.endswith(".") for s in said)


TODAY = datetime.date.today().toordinal()


@pytest.mark.pins
@pytest.mark.parametrize("name", NAMES[TODAY % 37 :: 37])
def test_an_experiment_computes_what_its_rows_were_made_with(name):
    """Three a day; `make experiments` compares them all."""
    assert repeat.stale(name) == [], f"make experiments EXPERIMENT={name}"


def in_the_file(monkeypatch, tmp_path, old, new, name):
    text = (experiment.FOLDER / f"{name}.py").read_text(encoding="utf-8")
    assert old in text
    (tmp_path / f"{name}.py").write_text(text.replace(old, new), encoding="utf-8")
    monkeypatch.setattr(experiment, "FOLDER", tmp_path)


def in_the_cells(monkeypatch, tmp_path, old, new, name):
    source, found = pages._source, []

    def changed(cell):
        found.append(old in source(cell))
        return source(cell).replace(old, new)

    monkeypatch.setattr(pages, "_source", changed)
    pages.functions(name)
    assert any(found)


MSE = "torch.nn.functional.mse_loss(layer(tokens), loads)"


@pytest.mark.pins
@pytest.mark.parametrize(
    ("name", "where", "old", "new", "is_stale"),
    [
        ("aligned", in_the_cells, "optimizer", "adam", False),  # a local
        ("aligned", in_the_cells, "(layer(tokens) - loads).square().mean()", MSE, False),
        ("aligned", in_the_cells, "lr=0.01", "lr=0.0101", True),
        ("aligned", in_the_cells, "progress_bar(steps,", "progress_bar(steps + 1,", True),
        ("aligned", in_the_file, "seeds=16", "seeds=17", True),
        ("reading_ahead", in_the_file, '=variant == "mask"', "=True", True),
        ("aligned", in_the_file, '"d64": 64', '"d64": 65', True),
        ("real_long", in_the_file, "[END - length : END]", "[END - length + 1 : END + 1]", True),
    ],
)
def test_rows_are_stale_when_the_code_computes_something_else(
    name, where, old, new, is_stale, monkeypatch, tmp_path
):
    where(monkeypatch, tmp_path, old, new, name)
    assert bool(repeat.stale(name)) == is_stale


CITED = {quotation.values[1] for quotation in QUOTATIONS}


@pytest.mark.parametrize("name", NAMES)
def test_an_experiment_stands_on_a_page(name):
    if name == "playground":
        return  # the page of the website: below
    chapter, number = experiment.load(name).section.split(".")
    (path,) = cells.chapters([f"{int(chapter):02d}"])
    assert f"{chapter}.{number}" in re.findall(r"^##+ .*?(\d+\.\d+)", "\n".join(texts(path)), re.M)
    assert name in CITED, f"no sentence carries <!-- exp: {name}/row -->"


PLAYED = {  # a row of the experiment: what the page says after its question and its steps
    "mask-150": "84, 77 and 100 % | mask off: 54, 82 and 85 %",
    "layers-500": "100, 100 and 100 % | one layer: 46, 60 and 46 %",
    "positions-100": "100, 100 and 100 % | none: 46, 46 and 48 %",
    "order-300": "94, 94 and 92 % | mask off: 31, 30 and 31 %",
}


@pytest.mark.parametrize("row", PLAYED)
def test_what_the_playground_says_came_out_is_what_was_measured(row):
    """Of the seeds 1, 2 and 3, the first three; *make experiments EXPERIMENT=playground* trains."""
    (said,) = (line for line in PLAYGROUND.splitlines() if PLAYED[row] in line)
    _, question, steps, *_ = (cell.strip() for cell in said.split("|"))
    assert steps == row.partition("-")[2] and "right" in question
    kept = repeat.stored("playground")["rows"][row]
    rights = [
        [f"{100 * x:.0f}" for x in kept[f"{of}held-out accuracy"][:3]] for of in ("", "changed: ")
    ]
    told = ["{}, {} and {} %".format(*three) for three in rights]
    assert re.sub(r"[a-z ]+: ", " ", PLAYED[row]) == " | ".join(told)
    if row == "mask-150":  # the losses stand there, too
        losses = [
            "; ".join(
                ", ".join(f"{x:.2f}" for x in kept[f"{of}{which} loss"][:3])
                for which in ("training", "held-out")
            )
            for of in ("", "changed: ")
        ]
        assert f"| 150 | {' | '.join(losses)} |" in PLAYGROUND


def test_every_tag_of_a_cell_names_an_experiment():
    for path in cells.book():
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            named = [t.removeprefix("experiment: ") for t in cells.tags(cell) if "experiment" in t]
            assert set(named) <= set(NAMES), f"{path.name}: {named}"


def test_every_experimental_claim_has_its_row():
    """A claim is experimental if its row tells of something learned."""
    tables = [text for text in texts(LEDGER) if re.match("## (The ledger|Claims that only)", text)]
    ledger = "\n".join(tables)
    assert len(tables) == 2
    rows = {int(row[1]): row[0] for row in re.finditer(r"^\| (\d+) \|.*$", ledger, re.M)}
    for claim, row in rows.items():
        if re.search(r"\b(train|learn|seeds?\b)", row):
            assert MARK.search(row), f"claim {claim} has no <!-- exp: name/row -->"
    for path in cells.taught():
        for claim, rest in re.findall(
            r"^\| (\d+) \|(.*<!-- exp: .*)$", "\n".join(texts(path)), re.M
        ):
            assert {n for n, _ in MARK.findall(rest)} <= {
                n for n, _ in MARK.findall(rows[int(claim)])
            }
