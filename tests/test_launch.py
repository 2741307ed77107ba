"""Ranks from a notebook: shown in order, told what failed, and none left, however it ends."""

import json
import linecache
import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from d2lattn_book import launch

ROOT = Path(launch.__file__).resolve().parents[1]
TABLE = object()


@pytest.fixture(autouse=True)
def nothing_is_left():
    yield
    deadline = time.monotonic() + 10
    while (left := running()) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not left


def running():
    """The commands of ranks, and of what starts them, that came from this process."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            command = (path / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            mine = f"PYTEST_RANKS={os.getpid()}" in (path / "environ").read_bytes().decode()
        except OSError:  # it has ended meanwhile
            continue
        if mine and "d2lattn_book.launch" in command:
            found.append(command)
    return found


@pytest.fixture(autouse=True)
def marked(monkeypatch):
    monkeypatch.setenv("PYTEST_RANKS", str(os.getpid()))


def program(tmp_path, text):
    """A file that makes the group, then does what `text` says."""
    path = tmp_path / "program.py"
    head = "import os, time\nimport torch\nimport torch.distributed as dist\n"
    path.write_text(
        f'{head}dist.init_process_group("gloo")\nrank = dist.get_rank()\n{text}\n', encoding="utf-8"
    )
    return path


def test_each_rank_is_shown_in_order(tmp_path, capsys, monkeypatch):
    """Here started anew, as where no fork is safe; chapter 11 shows forks.

    They may leave as any program does.
    """
    monkeypatch.setattr(launch.sys, "platform", "darwin")
    said = "time.sleep(0.5 * (1 - rank)); print('of', dist.get_world_size()); print(rank)"
    said += "; raise SystemExit(0)"
    launch.on_ranks(program(tmp_path, said), 2)
    want = "rank 0 | of 2\nrank 0 | 0\nrank 1 | of 2\nrank 1 | 1\n"
    assert capsys.readouterr().out == want


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("raise ValueError('shapes (2, 3)')", "rank 1 failed with ValueError: shapes (2, 3)"),
        ("raise SystemExit('no text')", "rank 1 failed with SystemExit: no text"),
        ("os.kill(os.getpid(), 9)", "rank 1 was killed by signal 9"),
    ],
)
def test_the_rank_that_failed_first_is_named(fault, said, tmp_path):
    text = f"if rank == 1:\n    {fault}\ndist.barrier()"
    with pytest.raises(RuntimeError, match=f"^{re.escape(said)}"):
        launch.on_ranks(program(tmp_path, text), 2)


def test_what_is_too_slow_is_killed(tmp_path):
    with pytest.raises(TimeoutError, match=r"the 2 ranks had not ended after 0\.1 seconds"):
        launch.on_ranks(program(tmp_path, ""), 2, timeout=0.1)


def test_what_hangs_is_killed_and_its_last_words_are_told(tmp_path, monkeypatch):
    """The time is over as soon as both ranks hang, however long they take to start."""
    hang = "if rank: dist.recv(torch.zeros(1))\nwhile True: pass"
    text = f"print('at work', flush=True)\nopen(f'{{__file__}}{{rank}}', 'w').close()\n{hang}"
    path, wait = program(tmp_path, text), subprocess.Popen.wait

    def until_both_hang(agent, timeout=None):
        if timeout != 120:
            return wait(agent, timeout)
        deadline = time.monotonic() + timeout
        while len(list(tmp_path.iterdir())) < 3 and time.monotonic() < deadline:
            time.sleep(0.1)
        raise subprocess.TimeoutExpired(agent.args, timeout)

    monkeypatch.setattr(subprocess.Popen, "wait", until_both_hang)
    ranks = [rf"\srank {n} \| at work\srank {n} \| stood at line \d+ of program.py" for n in (0, 1)]
    said = rf"the 2 ranks had not ended after 120 s.*{ranks[0]}{ranks[1]}$"
    with pytest.raises(TimeoutError, match=said):
        launch.on_ranks(path, 2, timeout=120)


def test_ranks_that_never_meet_are_started_once_more(tmp_path, monkeypatch):
    """As gloo's do now and then; here they wait where the group is made, the first time."""
    flag = str(tmp_path / "been here")
    group = "    torch.distributed.init_process_group("
    wait = f"    import os, time\n    mine = {flag!r} + os.environ['RANK']\n"
    wait += "    if not os.path.exists(mine):\n        open(mine, 'w').close()\n"
    wait += "        time.sleep(100)\n"
    monkeypatch.setattr(launch, "FILE", launch.FILE.replace(group, wait.replace("{", "{{") + group))
    monkeypatch.setattr(launch, "MEETING", 8)
    assert launch.outputs(greet, 2, timeout=60) == ["hello\n", "hello\n"]


def greet():
    print("hello")


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupt_and_the_end_of_the_kernel_leave_no_rank(end, tmp_path):
    """SIGINT is the stop button; SIGKILL is what a kernel that is restarted may get."""
    path = program(tmp_path, "open(f'{__file__}{rank}', 'w').close()\nwhile True: pass")
    # Who was started in the background ignores the stop button, and passes that on.
    heard = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    code = f"{heard}; from d2lattn_book.launch import on_ranks; on_ranks({str(path)!r}, 2)"
    with subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE) as kernel:
        deadline = time.monotonic() + 60
        while len(list(tmp_path.iterdir())) < 3 and time.monotonic() < deadline:
            time.sleep(0.2)
        assert len(running()) >= 4  # the kernel, torchrun and both ranks, which are at work
        kernel.send_signal(end)
        said = kernel.communicate(timeout=60)[1].decode()
    assert ("KeyboardInterrupt" in said) == (end == signal.SIGINT)


def test_a_function_becomes_a_file_with_what_it_uses():
    scope = {"__name__": "__main__"}
    source = textwrap.dedent(inspect_me())
    file = Path(launch.__file__).with_name("no_such_file.py")
    exec(compile(source, str(file), "exec"), scope)
    linecache.cache[str(file)] = (len(source), None, source.splitlines(keepends=True), str(file))
    sys.modules["__main__"], kept = type(sys)("__main__"), sys.modules["__main__"]
    try:
        text = launch.as_file(scope["whole"], n=4)
        with pytest.raises(ValueError, match="table must be a function, a module or a plain value"):
            launch.as_file(scope["unknown"])
    finally:
        sys.modules["__main__"] = kept
    for line in (
        "import torch.distributed as dist",
        "from d2lattn.engines.chunked import merge",
        "FACTOR = 3",
        "def half(x):",
        "    whole(n=4)",
    ):
        assert line in text.splitlines(), line
    compile(text, "file", "exec")


def inspect_me():
    return """
        import torch.distributed as dist
        from d2lattn import merge
        FACTOR, table = 3, object()

        def half(x):
            return FACTOR * x / 2

        def whole(n):
            print(dist.get_rank(), sum(half(x) for x in range(n)), merge, n.table)

        def unknown():
            return table
    """


def test_where_no_process_can_be_started_the_stored_result_is_shown(monkeypatch, capsys, tmp_path):
    stored = tmp_path / "launched.json"
    stored.write_text(
        json.dumps({"work, 2 ranks, n=4": "rank 0 | 7\nrank 1 | 7\n"}), encoding="utf-8"
    )
    monkeypatch.setattr(launch, "STORED", stored)

    def work(n): ...

    def refuse(*arguments, **options):
        raise OSError("no loopback")

    monkeypatch.setattr(launch.socket, "create_server", refuse)
    launch.on_ranks(work, 2, n=4)
    launch.on_ranks(work, 3, n=4)
    told = "processes cannot reach each other here: this is the stored result\n"
    want = f"{told}rank 0 | 7\nrank 1 | 7\n{told}nothing is stored for this call\n"
    assert capsys.readouterr().out == want
    monkeypatch.setattr(launch.sys, "platform", "emscripten")
    assert launch.why_not() == "this Python starts no processes"
    monkeypatch.undo()
    monkeypatch.setattr(launch.subprocess, "run", refuse)
    assert launch.why_not() == "no process can be started here"


def test_a_result_is_stored_on_request_alone(monkeypatch, tmp_path, capsys):
    def work(n):
        print(n)

    stored = tmp_path / "stored.json"
    stored.write_text('{"old": "rank 0 | 1\\n"}', encoding="utf-8")
    monkeypatch.setattr(launch, "STORED", stored)
    monkeypatch.setattr(launch, "outputs", lambda *_, **__: ["3\n4\n", "5\n"])
    for wish, calls in (("no", {"old"}), ("keep", {"old", "work, 2 ranks, n=4"})):
        monkeypatch.setenv("D2LATTN_LAUNCHED", wish)
        launch.on_ranks(work, 2, n=4)
        assert capsys.readouterr().out == "rank 0 | 3\nrank 0 | 4\nrank 1 | 5\n"
        kept = json.loads(stored.read_text(encoding="utf-8"))
        assert kept.keys() == calls
    assert kept["work, 2 ranks, n=4"] == "rank 0 | 3\nrank 0 | 4\nrank 1 | 5\n"


LOG = """
  rank      : {} (local_rank: 0)
  exitcode  : {} (pid: 7)
"""


def test_the_signal_that_is_told_is_not_the_one_by_which_torchrun_ends_the_others(tmp_path):
    last = tmp_path / "logs" / "x" / "attempt_0" / "1"
    last.mkdir(parents=True)
    (last / "stderr.log").write_text("first\nno memory\n", encoding="utf-8")
    found = launch._first_failure(tmp_path, LOG.format(0, -15) + LOG.format(1, -9))
    assert found == "rank 1 was killed by signal 9: no memory"
    assert launch._first_failure(tmp_path, "broken") == "torchrun failed:\nbroken"


def test_what_is_stored_is_what_the_chapter_shows():
    """After a change: D2LATTN_LAUNCHED=keep python tools/notebooks.py refresh 11."""
    (path,) = (ROOT / "notebooks").glob("11_*.ipynb")
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    shown = "".join(
        "".join(output.get("text", "")) for cell in cells for output in cell.get("outputs", [])
    )
    stored = json.loads(launch.STORED.read_text(encoding="utf-8")).values()
    assert stored and all(text in shown for text in stored)
    assert sum(text.count("\n") for text in stored) == len(re.findall(r"^rank \d ", shown, re.M))


@pytest.mark.parametrize(
    ("arguments", "options", "said"),
    [
        ((print, 0), {}, "ranks must be an integer of at least 1, got 0"),
        ((print, 2), dict(timeout=-1), "timeout must be a finite number"),
        (("missing.py", 2), {}, "program must be a file, which takes no arguments, got"),
        ((print, 2), dict(x=TABLE), "x must be a plain value, got"),
    ],
)
def test_bad_input(arguments, options, said):
    with pytest.raises(ValueError, match=said):
        launch.outputs(*arguments, **options)
