"""Which notebook JupyterLab opens first: `python tools/last_open.py FOLDER`, as `make lab` asks.

The one in which one read last. JupyterLab notes that in the folder JUPYTERLAB_WORKSPACES_DIR.
"""

import contextlib
import json
import os
import pathlib
import sys
from urllib.parse import quote

from cells import ROOT


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


if __name__ == "__main__":
    print(quote(last_open(sys.argv[1], pathlib.Path(os.environ["JUPYTERLAB_WORKSPACES_DIR"]))))
