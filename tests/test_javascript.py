"""The JavaScript of the live figures: formatted and linted, where node is, and in the chapters."""

import subprocess
from pathlib import Path

import live_code
import nbformat
import pytest
import refresh

ROOT = Path(__file__).resolve().parent.parent
SOURCES = sorted(
    str(path.relative_to(ROOT))
    for path in [
        *live_code.SOURCE.glob("*/*.js"),
        *(ROOT / "tests" / "js").glob("*.mjs"),
        *live_code.TOOLS.glob("*.js"),
    ]
    if path.parent.name != "stored"
)
CHECKS = {
    "prettier": ["--check", "--config", "tools/js/prettier.json"],
    "eslint": ["--max-warnings=0", "--config", "tools/js/eslint.config.js"],
}


@pytest.mark.parametrize("tool", CHECKS)
def test_the_javascript_is_written_to_be_read(tool):
    program = live_code.program(tool)
    if program is None:
        pytest.skip(f"{tool} is not set up, which needs node: npm ci --prefix tools/js")
    command = [program, *CHECKS[tool], *SOURCES]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("path", refresh.book(), ids=lambda path: path.name[:2])
def test_the_chapters_carry_the_code_that_is_stored(path):
    for cell in nbformat.read(path, as_version=4).cells:
        for output in cell.get("outputs", []):
            html = output.get("data", {}).get("text/html", "")
            assert html.count("data-live=") == len(live_code.ELEMENT.findall(html))
            assert live_code.renew(html) == html, "run: make live"
