"""Scripts of others that lie beside our pages, so that these ask no network: npm brings them once.

Into build/npm; slides take reveal.js and MathJax from there, the website draws its formulas with
MathJax, its icons with Font Awesome's drawings, searches with MiniSearch, and PurgeCSS thins its
style sheet.
"""

import hashlib
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from cells import ROOT

FOLDER = ROOT / "build" / "npm"


def bring(package, names, target):
    """Copy files and folders of a package, at its version in tools/npm, into `target`."""
    asked = ROOT / "tools" / "npm"
    lock = hashlib.sha256((asked / "package-lock.json").read_bytes()).hexdigest()[:8]
    stamp = FOLDER / "node_modules" / f"ready-{lock}"
    if not stamp.exists():
        if shutil.which("npm") is None:
            sys.exit(f"npm (Node.js) has to bring {package}, once: install it")
        _install(asked, stamp)
    for name in names:
        source, copy = FOLDER / "node_modules" / package / name, target / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, copy, dirs_exist_ok=True)
        else:
            shutil.copy(source, copy)


def _install(asked, stamp):
    """Install beside the folder, then move: of two at once neither finds it half brought."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=FOLDER) as part:
        for path in asked.glob("package*.json"):
            shutil.copy(path, part)
        options = ["--ignore-scripts", "--no-audit", "--no-fund", "--silent"]
        subprocess.run(["npm", "ci", "--prefix", part, *options], check=True)
        if not stamp.exists():
            shutil.rmtree(stamp.parent, ignore_errors=True)
            brought = (Path(part) / "node_modules").rename(stamp.parent)
            (brought / stamp.name).touch()
