"""The JavaScript of the live figures: formatted and linted, where node is, and in the chapters."""

import subprocess
from pathlib import Path

import live_code
import nbformat
import pytest

import notebooks

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


def check(tool, *paths, code=None):
    """What a tool of tools/js says of these files, or of this code in place of such a file."""
    program = live_code.program(tool)
    if program is None:
        pytest.skip(f"{tool} is not set up, which needs node: npm ci --prefix tools/js")
    return subprocess.run(
        [program, *CHECKS[tool], *paths],
        cwd=ROOT,
        input=code,
        capture_output=True,
        encoding="utf-8",
    )


@pytest.mark.parametrize("path", notebooks.book(), ids=lambda path: path.name[:2])
def test_the_chapters_carry_the_code_that_is_stored(path):
    for cell in nbformat.read(path, as_version=4).cells:
        for output in cell.get("outputs", []):
            html = output.get("data", {}).get("text/html", "")
            assert html.count("data-live=") == len(live_code.ELEMENT.findall(html))
            assert live_code.renew(html) == html, "run: make live"


def test_every_figure_has_a_state_a_drawing_and_an_explanation():
    for kind in live_code.KINDS:
        names = {path.name for path in (live_code.SOURCE / kind).glob("*.js")}
        assert names >= {"state.js", "draw.js", "explain.js", "index.js"}
        assert (live_code.SOURCE / "stored" / f"{kind}.js").exists(), "run: make live"
    assert len(SOURCES) > 30


@pytest.mark.parametrize("tool", CHECKS)
def test_the_javascript_is_written_to_be_read(tool):
    done = check(tool, *SOURCES)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_formatter_finds_what_is_not_formatted():
    assert check("prettier", "--stdin-filepath", "a.js", code="export const a = 1\n").returncode


STATEMENTS = "\n".join(f"  document.title = {line};" for line in range(61))
SPOILED = f"""
export function long() {{
{STATEMENTS}
}}
export const line = "{"a" * 100}";
const unused = 1;
"""


def test_the_linter_finds_long_functions_long_lines_unused_names_and_a_page_in_a_state():
    found = check("eslint", "--stdin", "--stdin-filename", "state.js", code=SPOILED)
    assert found.returncode == 1
    for rule in ("max-lines-per-function", "max-len", "no-unused-vars", "no-undef"):
        assert rule in found.stdout
