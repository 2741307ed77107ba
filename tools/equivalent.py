"""The mutants that no test can kill, as tests/mutants.md argues them one by one."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "tests" / "mutants.md"
ENTRY = re.compile(r"^- `([^`]+)`\n  ```\n  - (.+)\n  \+ ?(.*)\n  ```\n  (.+)$", re.M)


def entries():
    """Every (file, lines before, lines after, why); lines are joined by single blanks."""
    return ENTRY.findall(PAGE.read_text(encoding="utf-8"))


def joined(lines):
    """Lines of code in one, as an entry has them."""
    return " ".join(line.strip() for line in lines)
