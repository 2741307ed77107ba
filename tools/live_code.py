"""`make live`: write the code that live figures carry, live_js/stored, from its modules.

Needs node and, once, the network: npx fetches the pinned esbuild. The book itself needs neither;
a test holds that what is stored was made from the modules beside it.
"""

import hashlib
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent / "d2lattn" / "live_js"
ESBUILD = "esbuild@0.28.2"
OPTIONS = ["--bundle", "--minify", "--format=esm", "--charset=utf8", "--target=es2022"]
KINDS = ("attention", "heads", "positions", "steps", "field")


def source_hash(kind):
    """Of the modules that a kind is made of, of the minifier and of its options."""
    modules = (SOURCE / "core.js").read_bytes() + (SOURCE / f"{kind}.js").read_bytes()
    return hashlib.sha256(modules + " ".join([ESBUILD, *OPTIONS]).encode()).hexdigest()


def store(kind):
    """Bundle and minify one kind; the first line of what is stored names its source."""
    entry = (
        f'import {{define}} from "./core.js"; import {{mount}} from "./{kind}.js"; '
        'define("live-00000000", mount);'  # the name is put in by the package
    )
    command = ["npx", "--yes", ESBUILD, *OPTIONS]
    made = subprocess.run(command, input=entry, cwd=SOURCE, capture_output=True, text=True)
    if made.returncode:
        sys.exit(made.stderr)
    path = SOURCE / "stored" / f"{kind}.js"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"// {source_hash(kind)}\n{made.stdout.strip()}\n")
    print(f"{path.relative_to(SOURCE.parent.parent)}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    for kind in sys.argv[1:] or KINDS:
        store(kind)
