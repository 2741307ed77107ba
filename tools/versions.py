"""Versions of packages, a line for pip each: `python tools/versions.py oldest|newest|GROUP ...`.

A group is one of pyproject's extras, and its packages have the versions of requirements.txt; the
book itself is what the package needs and the extra `book`.
`oldest` is the lowest version of every range that `make test` needs, `newest` the range itself,
whose newest version pip takes. Only torch stays at that of requirements.txt in both, because
another one would have to be downloaded a second time, and torch is by far the largest package here;
`TORCH=2.14.1 make test-newest` names another.
"""

import os
import pathlib
import re
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
GROUPS = tuple(PYPROJECT["project"]["optional-dependencies"])


def ranges(*groups):
    """Map the name of every package that the book, or a group, asks for to its lowest version."""
    groups = groups or ("book",)
    project = PYPROJECT["project"]
    extras = project["optional-dependencies"]
    if unknown := set(groups) - set(extras):
        sys.exit(f"a group is one of {', '.join(extras)}, got {', '.join(unknown)}")
    texts = [text for group in groups for text in extras[group]]
    texts += project["dependencies"] * ("book" in groups)
    return dict(re.fullmatch(r"([\w-]+)>=([\d.]+)", text).groups() for text in texts)


def pins():
    """Map the name of every package in requirements.txt to its version."""
    text = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    return dict(re.findall(r"^([\w-]+)==([\w.]+)$", text, re.M))


def oldest():
    """Map what `make test` needs to the lowest version of its range."""
    return ranges() | ranges("lab", "test") | {"torch": pins()["torch"]}


def newest():
    """The ranges of what `make test` needs, for pip to take the newest of each."""
    torch = os.environ.get("TORCH") or pins()["torch"]
    asked = ranges() | ranges("lab", "test")
    return [f"{name}>={least}" for name, least in asked.items() if name != "torch"] + [
        f"torch=={torch}"
    ]


def build_tools():
    """What builds the package itself."""
    return PYPROJECT["build-system"]["requires"]


def locked(*groups):
    """Map the packages of the groups to their versions in requirements.txt."""
    return {name: pins()[name] for name in ranges(*groups)}


if __name__ == "__main__":
    if not sys.argv[1:]:
        sys.exit(__doc__)
    if sys.argv[1:] == ["newest"]:
        print("\n".join(newest()))
    else:
        found = oldest() if sys.argv[1:] == ["oldest"] else locked(*sys.argv[1:])
        print("\n".join(f"{name}=={version}" for name, version in found.items()))
