"""The JavaScript of the live figures is formatted and linted, where node and the tools are."""

import subprocess
from pathlib import Path

import live_code
import pytest

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


def test_every_figure_has_a_state_a_drawing_and_an_explanation():
    for kind in live_code.KINDS:
        names = {path.name for path in (live_code.SOURCE / kind).glob("*.js")}
        assert names >= {"state.js", "draw.js", "explain.js", "index.js"}
    assert len(SOURCES) > 30


@pytest.mark.parametrize("tool", CHECKS)
def test_the_javascript_is_written_to_be_read(tool):
    done = check(tool, *SOURCES)
    assert done.returncode == 0, done.stdout + done.stderr


STATEMENTS = "\n".join(f"  document.title = {line};" for line in range(61))
SPOILED = {
    "not formatted": ("prettier", "draw.js", "export const a = {b : 1}\n"),
    "a long function": ("eslint", "draw.js", f"export function a() {{\n{STATEMENTS}\n}}\n"),
    "a long line": ("eslint", "draw.js", f'export const a = "{"a" * 100}";\n'),
    "an unused name": ("eslint", "draw.js", "const a = 1;\n"),
    "a page in a state": ("eslint", "state.js", "export const a = () => document.title;\n"),
}


@pytest.mark.parametrize("name", SPOILED)
def test_what_is_spoiled_is_found(name):
    tool, path, code = SPOILED[name]
    given = {"prettier": ["--stdin-filepath"], "eslint": ["--stdin", "--stdin-filename"]}[tool]
    assert check(tool, *given, path, code=code).returncode == 1
    assert check(tool, *given, path, code="export const a = 1;\n").returncode == 0
