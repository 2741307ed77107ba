"""Open JupyterLab: `python tools/open_lab.py lab`, as `make lab` does, or `edit`, as `make edit`.

`lab` opens the reader's copies in work/, after it has brought them up to date; `edit` opens the
book itself, which is trusted. What JupyterLab remembers is of each command its own. The first page
is the notebook in which one read last: JupyterLab notes that in its folder of workspaces.
"""

import argparse
import contextlib
import json
import os
import pathlib
import sys
from urllib.parse import quote

import nbformat
import working_copy
from cells import ROOT, book
from nbformat.sign import NotebookNotary

FOLDERS = {"lab": "work", "edit": "notebooks"}


def last_open(folder, workspaces):
    """The notebook of `folder` that was in front, or that was opened last; else chapter 0."""
    names = []
    with contextlib.suppress(OSError, ValueError, KeyError):  # on the first day nothing is noted
        kept = max(workspaces.glob("*.jupyterlab-workspace"), key=os.path.getmtime)
        noted = json.loads(kept.read_text(encoding="utf-8"))["data"]
        names.append(str(noted["layout-restorer:data"]["main"]["current"]))
        names += [opened["path"] for opened in noted["docmanager:recents"]["opened"]]
    names = [name.removeprefix("notebook:") for name in names]
    there = [name for name in names if name.startswith(f"{folder}/") and (ROOT / name).is_file()]
    return next(iter(there), f"{folder}/00_start_here.ipynb")


def main(command, port, reset):
    if command == "lab":
        working_copy.main(reset)
    else:
        for path in book():
            NotebookNotary().sign(nbformat.read(path, as_version=4))
    kept = pathlib.Path(os.environ["JUPYTER_DATA_DIR"]) / command
    for name in ("settings", "workspaces"):
        os.environ[f"JUPYTERLAB_{name.upper()}_DIR"] = str(kept / name)
    first = quote(last_open(FOLDERS[command], kept / "workspaces"))
    flags = [f"--port={port}", f"--LabApp.default_url=/lab/tree/{first}"]
    if os.name == "posix" and os.getuid() == 0:
        flags.append("--allow-root")
    if sys.platform == "linux" and not {"DISPLAY", "WAYLAND_DISPLAY"} & os.environ.keys():
        flags.append("--no-browser")
    os.execv(sys.executable, [sys.executable, "-m", "jupyterlab", *flags])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=FOLDERS)
    parser.add_argument("--port", default="8888")
    parser.add_argument("--reset", default="")
    main(**vars(parser.parse_args()))
