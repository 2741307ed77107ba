"""Other versions than the locked ones, a line for pip each: `python tools/versions.py oldest`.

`make test VERSIONS=oldest` takes the lowest version of every range in pyproject.toml, and
VERSIONS=newest what pip finds. Only torch stays at the version of requirements.txt in both, because
another one would have to be downloaded a second time, and torch is by far the largest package here;
TORCH=2.14.1 names another.
"""

import os
import pathlib
import re
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
GROUPS = PYPROJECT["project"]["optional-dependencies"]
SIGNS = {"oldest": "==", "newest": ">="}


def ranges(*groups):
    """Map each package that the project, or one of these extras, asks for to its lowest version."""
    texts = [text for group in groups for text in GROUPS[group]]
    texts += PYPROJECT["project"]["dependencies"]
    return dict(re.fullmatch(r"([\w-]+)>=([\d.]+)", text).groups() for text in texts)


def pins():
    """Map the name of every package in requirements.txt to its version."""
    text = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    return dict(re.findall(r"^([\w-]+)==([\w.]+)$", text, re.M))


if __name__ == "__main__":
    if sys.argv[1:] not in [[name] for name in SIGNS]:
        sys.exit(f"VERSIONS must be oldest, newest or colab, got {' '.join(sys.argv[1:])}")
    sign, asked = SIGNS[sys.argv[1]], ranges("book", "lab", "test")
    del asked["torch"]
    print(f"torch=={os.environ.get('TORCH') or pins()['torch']}")
    print("\n".join(f"{name}{sign}{version}" for name, version in asked.items()))
