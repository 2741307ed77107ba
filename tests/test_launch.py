"""Ranks from a notebook: what failed is told, and none is left, however it ends.

What ranks print, in which order, and what is known to them, the cells of chapter 11 show.
"""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
import torch.distributed as dist

from d2lattn_book import launch

NOTEBOOK = """
import os, pathlib, signal
import torch
from d2lattn_book.launch import as_file, on_ranks

table = torch.zeros(2)
folder = {!r}

def unknown():
    return table

def endless(_):
    pathlib.Path(folder, str(os.getpid())).touch()
    while True: pass

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        as_file(unknown)
    except ValueError as error:
        print(error, flush=True)
    on_ranks(endless, 2, _=0)
"""


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
def test_the_stop_button_and_the_end_of_the_kernel_leave_no_rank(end, tmp_path):
    file, ranks = tmp_path / "notebook.py", tmp_path / "ranks"
    ranks.mkdir()
    file.write_text(NOTEBOOK.format(str(ranks)), encoding="utf-8")
    with subprocess.Popen([sys.executable, file], stdout=-1, stderr=-1, text=True) as kernel:
        until(lambda: len(list(ranks.iterdir())) == 2)
        kernel.send_signal(end)
        printed, told = kernel.communicate()
    until(lambda: not any(psutil.pid_exists(int(path.name)) for path in ranks.iterdir()))
    assert ("KeyboardInterrupt" in told) == (end == signal.SIGINT)
    assert printed.startswith("table must be a function, a module or a plain value, to be known")


def until(happened):
    deadline = time.monotonic() + 60
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def fail(how):
    if dist.get_rank() == 1:
        os.kill(os.getpid(), 9) if how == "killed" else [][1]
    dist.barrier()


LOST = "rank 0 failed with a lost connection: another rank ended without an error of its own"


@pytest.mark.parametrize(
    ("how", "platform", "said"),
    [
        ("killed", "linux", f"(rank 1 was killed by signal 9|{LOST})"),
        ("error", "other", "rank 1 failed with IndexError: list index out of range"),  # no fork
    ],
)
def test_the_rank_that_failed_first_is_named(how, platform, said, monkeypatch):
    monkeypatch.setattr(launch.sys, "platform", platform)
    with pytest.raises(RuntimeError, match=f"^{said}$"):
        launch.on_ranks(fail, 2, how=how)


def test_when_the_time_is_over_it_says_so():
    with pytest.raises(TimeoutError, match=r"the 2 ranks had not ended after 0\.1 seconds"):
        launch.outputs(fail, 2, timeout=0.1, how="late")


def test_the_results_of_the_chapter_are_shown_where_no_process_can_be_started(monkeypatch, capsys):
    """After a change: D2LATTN_LAUNCHED=keep python tools/refresh.py refresh 11."""
    (path,) = (Path(launch.__file__).parents[1] / "notebooks").glob("11_*.ipynb")
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    outputs = [output.get("text", "") for cell in cells for output in cell.get("outputs", [])]
    chapter = "".join(line for text in outputs for line in text if line.startswith("rank "))
    stored = json.loads(launch.STORED.read_text(encoding="utf-8"))
    assert sorted("".join(stored.values()).splitlines()) == sorted(chapter.splitlines())

    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: os.open("/no/such/file", 0))
    monkeypatch.setattr(fail, "__name__", "compare")
    launch.on_ranks(fail, 2)
    said = capsys.readouterr().out.partition("\n")
    assert re.match(r"no process can be started here \(.*\): this is the stored", said[0])
    assert said[2] == stored["compare, 2 ranks"]
