"""The lowest version of every range in pyproject.toml, a line for pip each.

`make test-oldest` installs them. Only torch stays at the version of requirements.txt, because an
older one would have to be downloaded a second time, and torch is by far the largest package here.
"""

import pathlib
import re
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
GROUPS = ("lab", "test")  # what `make test` needs; the browser's is not among it


def ranges():
    """Map the name of every package in pyproject.toml to its lowest version."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    texts = project["dependencies"].copy()
    for group in GROUPS:
        texts += project["optional-dependencies"][group]
    return dict(re.fullmatch(r"([\w-]+)>=([\d.]+)", text).groups() for text in texts)


def pins():
    """Map the name of every package in requirements.txt to its version."""
    text = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    return dict(re.findall(r"^([\w-]+)==([\w.]+)$", text, re.M))


def oldest():
    """The lines for pip."""
    versions = ranges() | {"torch": pins()["torch"]}
    return [f"{name}=={version}" for name, version in versions.items()]


if __name__ == "__main__":
    print("\n".join(oldest()))
