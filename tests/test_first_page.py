"""What chapter 0 says where packages are missing; the table of pronunciations of section 5.14."""

import statistics
import subprocess
import sys
from pathlib import Path

import nbformat
import repeat

NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"
PAGE = NOTEBOOKS / "00_start_here.ipynb"
LAYERS = NOTEBOOKS / "05_cnn_rnn_attention.ipynb"
LENGTHS = "3 to 5", "6 to 8", "9 to 11", "12 to 14"
COLUMNS = ["words right", *(f"{letters} letters" for letters in LENGTHS)]


def test_the_first_page_names_what_is_missing_where_nothing_is_installed():
    cells = nbformat.read(PAGE, as_version=4).cells
    heading = [i for i, cell in enumerate(cells) if cell.source.endswith(" Is everything here?")]
    script = cells[heading[0] + 2].source
    bare = [sys.executable, "-I", "-S", "-c", script]  # -S: without what pip has installed
    ran = subprocess.run(bare, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    for package in ("torch", "numpy", "matplotlib", "seaborn", "ipywidgets", "tqdm"):
        assert f"{package} is missing: run  pip install {package} " in ran.stdout
    assert " is here" not in ran.stdout


def test_the_table_of_words_said_right_is_what_was_measured():
    rows = repeat.stored("alignment")["rows"]
    cells = nbformat.read(LAYERS, as_version=4).cells
    (table,) = (cell.source for cell in cells if "| one vector for" in cell.source)
    told = [line.split("|")[2:-1] for line in table.splitlines() if line.startswith("| ")][1:]
    for context, shown in zip(("last", "additive", "places"), told, strict=True):
        short, long = rows[f"gru_{context}-1200"], rows[f"gru_{context}-6000"]
        means = [statistics.fmean(short[name]) for name in COLUMNS]
        means.append(statistics.fmean(long["words right"]))
        assert [int(number) for number in shown] == [round(100 * mean) for mean in means]
