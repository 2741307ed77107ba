"""Build wheel and sdist for a package index: `python tools/dist.py [folder]`, as `make dist` does.

`--tag v0.2.0` builds nothing and fails unless that is the version here, with a changelog.

They are built from a copy of the project in which the README's links and pictures are absolute
addresses, because an index shows the README far from the files that it names.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib

from cells import ROOT, repository

PARTS = (
    "pyproject.toml",
    "README.md",
    "LICENSE",
    "CHANGELOG.md",
    "CITATION.cff",
    "d2lattn",
    "d2lattn_book",
)


def absolute(text, repository):
    """Markdown with the public addresses of its relative pictures and links."""
    raw = f"https://raw.githubusercontent.com/{repository}/main/"
    page = f"https://github.com/{repository}/blob/main/"
    relative = r"\]\((?!\w+:|#)(?:\./)?"  # neither a scheme nor an anchor
    text = re.sub(rf"(!\[[^\]]*){relative}", lambda m: f"{m[1]}]({raw}", text)
    return re.sub(relative, f"]({page}", text)


def copy(target):
    """Copy what belongs into a distribution to the folder `target`, ready to be built there."""
    for name in PARTS:
        if (ROOT / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "*.pyc", ".ipynb_checkpoints")
            shutil.copytree(ROOT / name, target / name, ignore=ignored)
        else:
            shutil.copy(ROOT / name, target)
    readme = target / "README.md"
    text = absolute(readme.read_text(encoding="utf-8"), repository())
    readme.write_text(text, encoding="utf-8")
    # setuptools adds the package, README and LICENSE by itself.
    (target / "MANIFEST.in").write_text("include CHANGELOG.md CITATION.cff\n", encoding="utf-8")


def build(target):
    """Write wheel and sdist into the folder `target`, emptied before, and let twine check them."""
    shutil.rmtree(target, ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder:
        copy(pathlib.Path(folder))
        command = [sys.executable, "-m", "build", "--outdir", target, folder]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stdout[-2000:] + done.stderr[-2000:])
    built = sorted(target.iterdir())
    subprocess.run([sys.executable, "-m", "twine", "check", "--strict", *built], check=True)


def fits(tag):
    """Whether a tag names the version of pyproject.toml, and the changelog has it, too."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    return tag == f"v{project['version']}" and f"\n## {project['version']}\n" in changes


if __name__ == "__main__":
    if sys.argv[1:2] == ["--tag"]:
        sys.exit(0 if fits(sys.argv[2]) else f"{sys.argv[2]} is not the version of this project")
    build(pathlib.Path(sys.argv[1]) if sys.argv[1:] else ROOT / "build" / "dist")
