"""What chapter 0 tells somebody whose machine lacks the packages."""

import subprocess
import sys
from pathlib import Path

import nbformat

PAGE = Path(__file__).resolve().parent.parent / "notebooks" / "00_start_here.ipynb"


def test_the_first_page_names_what_is_missing_where_nothing_is_installed():
    cells = nbformat.read(PAGE, as_version=4).cells
    heading = [i for i, cell in enumerate(cells) if cell.source.startswith("## Is everything here")]
    script = cells[heading[0] + 1].source
    bare = [sys.executable, "-I", "-S", "-c", script]  # -S: without what pip has installed
    ran = subprocess.run(bare, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    for package in ("torch", "numpy", "matplotlib", "seaborn", "ipywidgets", "tqdm"):
        assert f"{package} is missing: run  pip install {package} " in ran.stdout
    assert " is here" not in ran.stdout
