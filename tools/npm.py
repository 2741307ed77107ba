"""Scripts of others that lie beside our pages, so that these ask no network: npm brings them once.

Into build/npm; slides take reveal.js and MathJax from there, the website draws its formulas with
MathJax, its icons with Font Awesome's drawings, searches with MiniSearch, and PurgeCSS thins its
style sheet.
"""

import shutil
import subprocess
import sys

from cells import ROOT

FOLDER = ROOT / "build" / "npm"


def bring(package, names, target):
    """Copy files and folders of a package, at its version in tools/npm, into `target`."""
    source = FOLDER / "node_modules" / package
    if not source.exists():
        if shutil.which("npm") is None:
            sys.exit(f"npm (Node.js) has to bring {package}, once: install it")
        FOLDER.mkdir(parents=True, exist_ok=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(ROOT / "tools" / "npm" / name, FOLDER)
        flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--silent"]
        subprocess.run(["npm", "ci", "--prefix", FOLDER, *flags], check=True)
    for name in names:
        copy = target / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        if (source / name).is_dir():
            shutil.copytree(source / name, copy, dirs_exist_ok=True)
        else:
            shutil.copy(source / name, copy)
