"""The package's own tests: `python tools/package_tests.py`, with no need of make or a shell.

CI runs it on macOS and Windows, for which the commands of the Makefile were not written. Left out
are the tests of notebooks, tools and project files, and those that need one exact version.
"""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = (ROOT / "tools", ROOT / "benchmarks")
TOOLS = {path.stem for folder in FOLDERS for path in folder.glob("*.py")}
TOOLS -= {"live_code"}  # part of `live`
TESTS = (ROOT / "tests", ROOT / "tests" / "pictures")

PYTEST = (
    *(sys.executable, "-m", "pytest", "-q", "-n", "auto", "-p", "no:nbval"),
    *("-m", "not pins", "--doctest-modules"),
)


def is_of_the_package(path):
    """Whether a file of tests uses no tool and no command of the project."""
    imported = {
        line.split()[1].partition(".")[0]
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.startswith(("import ", "from "))
    }
    return not imported & TOOLS


def files():
    """The package itself, for its doctests, and the files that test it."""
    tests = sorted(path for folder in TESTS for path in folder.glob("test_*.py"))
    return [ROOT / "d2lattn", ROOT / "d2lattn_book", *filter(is_of_the_package, tests)]


if __name__ == "__main__":
    sys.exit(subprocess.run([*PYTEST, *files()], cwd=ROOT, check=False).returncode)
