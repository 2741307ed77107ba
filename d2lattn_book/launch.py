"""Several processes from one notebook: `torchrun` on a file, what each rank prints, no one left.

The processes are those of `torch.distributed`: the same file runs in each, and each is told its
rank. What a rank prints is shown when all have ended, in the order of the ranks. Chapter 11.
"""

import builtins
import dis
import faulthandler
import functools
import inspect
import json
import multiprocessing
import os
import re
import runpy
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import traceback
import types
from collections.abc import Callable
from pathlib import Path

import torch.distributed as dist

from d2lattn.arguments import check_count, check_number, show

STORED = Path(__file__).with_name("launched.json")  # what the calls of the book have printed
PLAIN = (bool, int, float, str, bytes, tuple, list, dict, types.NoneType)
ENDING = 10  # seconds that torchrun has to end its ranks
STOOD = r'File "(.+?)", line (\d+)'  # as faulthandler writes a place, the innermost first
MEETING = 40  # seconds in which ranks have met, also on a busy machine
NOTICED = 1  # seconds in which torchrun sees that a rank was killed, before others fail for that
FILE = """\
{imports}
from datetime import timedelta

import torch.distributed


{sources}

if __name__ == "__main__":  # torchrun has told this process its rank
    torch.distributed.init_process_group("gloo", timeout=timedelta(seconds={timeout}))
    {name}({arguments})
    torch.distributed.destroy_process_group()
"""


def on_ranks(
    program: Callable | str | os.PathLike, ranks: int, *, timeout: float = 120, **arguments: object
) -> None:
    """Run a program in several processes and print what each printed, in the order of the ranks.

    Equivalent to: torchrun --standalone --nproc-per-node=RANKS FILE, for the file that
    `as_file` makes of a function. One thread for each process.

    Args:
        program: a function, or the path of a file. A function becomes a file together with the
            functions, imports and plain values that it uses; the group is made for it, of gloo.
        ranks (int): how many processes.
        timeout (float): seconds after which they are killed.
        arguments: plain values that the function is called with, the same in each process.

    Raises:
        ValueError: ranks or timeout is out of range, the program is neither, an argument is not
            plain.
        RuntimeError: a rank has failed; the message is that of the first that did.
        TimeoutError: the time was over.

    Where no process can be started, or none can reach another, this says so and prints the result
    that is stored for the call, if it is one of the book. However a call ends, by a failure, by the
    interrupt of the kernel or with the kernel itself, no process is left.

    Cost:
        Some 2 seconds to start on Linux, where the ranks are forks of torchrun; elsewhere 3 and
        more, as each imports torch. A call that fails takes a second longer.

    Example:
        >>> on_ranks(print, 2, sep="")  # doctest: +SKIP
    """
    reason = why_not()
    call = _named(program, ranks, arguments)
    if reason:
        stored = json.loads(STORED.read_text(encoding="utf-8"))
        told = stored.get(call, "nothing is stored for this call\n")
        print(f"{reason}: this is the stored result\n{told}", end="")
        return
    printed = outputs(program, ranks, timeout=timeout, **arguments)
    text = "".join(
        f"rank {rank} | {line}\n"
        for rank, lines in enumerate(printed)
        for line in lines.splitlines()
    )
    print(text, end="")
    if os.environ.get("D2LATTN_LAUNCHED") == "keep":  # as the book's results are stored
        stored = json.loads(STORED.read_text(encoding="utf-8")) | {call: text}
        kept = json.dumps(dict(sorted(stored.items())), indent=1, ensure_ascii=False)
        STORED.write_text(kept + "\n", encoding="utf-8")


def outputs(
    program: Callable | str | os.PathLike, ranks: int, *, timeout: float = 120, **arguments: object
) -> list[str]:
    """What each rank printed, in the order of the ranks. Arguments and errors: see `on_ranks`."""
    check_count("ranks", ranks)
    check_number("timeout", timeout, least=0)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        if isinstance(program, (str, os.PathLike)):
            if not Path(program).is_file() or arguments:
                got = f"{show(str(program))} and {show(arguments)}"
                raise ValueError(f"program must be a file, which takes no arguments, got {got}")
            path = Path(program)
        else:
            path = Path(folder, f"{_named(program)}.py")
            path.write_text(as_file(program, timeout=timeout, **arguments), encoding="utf-8")
        return _torchrun(path, ranks, timeout, Path(folder))


def as_file(function: Callable, *, timeout: float = 120, **arguments: object) -> str:
    """The file that torchrun starts for a function: what it uses, the group, and its call."""
    for name, value in arguments.items():
        if not isinstance(value, PLAIN):
            raise ValueError(f"{name} must be a plain value, got {show(value)}")
    imports: dict[str, str] = {}
    sources: dict[str, str] = {}
    _gather(function, imports, sources)
    return FILE.format(
        imports="\n".join(sorted(imports.values())),
        sources="\n\n".join(reversed(sources.values())).rstrip() + "\n",
        name=function.__name__,
        arguments=", ".join(f"{name}={value!r}" for name, value in arguments.items()),
        timeout=timeout,
    )


def why_not() -> str:
    """Why no ranks can be started here; empty where they can."""
    if sys.platform == "emscripten" or not (dist.is_available() and dist.is_gloo_available()):
        return "this Python starts no processes"
    try:
        with socket.create_server(("127.0.0.1", 0)) as server:
            socket.create_connection(server.getsockname(), timeout=5).close()
    except OSError:
        return "processes cannot reach each other here"
    try:
        nothing = [sys.executable, "-c", ""]
        subprocess.run(nothing, check=True, stdin=subprocess.DEVNULL, timeout=60)
    except (OSError, subprocess.SubprocessError):
        return "no process can be started here"
    return ""


# What a function uses ---------------------------------------------------------------------------


def _gather(used, imports, sources):
    """Put the source of a function or class, and of all it uses, into `sources` and `imports`."""
    module, name = inspect.getmodule(used), used.__name__
    if module is not None and module.__name__ != "__main__":
        imports[name] = f"from {module.__name__} import {name}"
        return
    if not isinstance(used, types.FunctionType):
        raise ValueError(f"{name} must be a function, or come from a module, got {show(used)}")
    sources[name] = textwrap.dedent(inspect.getsource(used))
    known = sources.keys() | vars(builtins).keys()
    for name in sorted(_names(used.__code__) & used.__globals__.keys() - known):
        value = used.__globals__[name]
        if isinstance(value, types.ModuleType):
            whole = value.__name__
            imports[name] = f"import {whole}" + f" as {name}" * (whole != name)
        elif isinstance(value, PLAIN):
            sources[name] = f"{name} = {value!r}\n"
        elif hasattr(value, "__name__"):
            _gather(value, imports, sources)
        else:
            raise ValueError(
                f"{name} must be a function, a module or a plain value, to be known in another "
                f"process, got {show(value)}"
            )


def _names(code):
    """The names that some code and the code inside it look up, attributes apart."""
    inside = [part for part in code.co_consts if isinstance(part, types.CodeType)]
    own = {line.argval for line in dis.get_instructions(code) if line.opname == "LOAD_GLOBAL"}
    return own.union(*map(_names, inside))


def _named(program, *call):
    """The name of a program, or the call by which its result is stored."""
    if isinstance(program, functools.partial) or not hasattr(program, "__name__"):
        name = Path(program).stem if isinstance(program, (str, os.PathLike)) else "program"
    else:
        name = program.__name__
    if not call:
        return name
    ranks, arguments = call
    told = "".join(f", {key}={value!r}" for key, value in arguments.items())
    return f"{name}, {ranks} ranks{told}"


# The processes ----------------------------------------------------------------------------------


def _torchrun(path, ranks, timeout, folder, again=True):
    """Start the ranks, wait for them, and see that none is left."""
    start = "fork" if sys.platform == "linux" else "spawn"  # a fork need not import torch again
    command = [sys.executable, "-m", "d2lattn_book.launch", "--standalone"]
    command += [f"--nproc-per-node={ranks}", "--local-addr=127.0.0.1", f"--start-method={start}"]
    command += ["--redirects=3", f"--log-dir={folder / 'logs'}", "--run-path", __file__, str(path)]
    log, met = folder / "torchrun.log", []
    # Now and then the ranks never meet in gloo: those of a function, whose group is made here, are
    # then started once more.
    again = again and path.parent == folder and timeout > MEETING
    with (
        log.open("wb") as told,
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=told, stderr=told, env=_environment()
        ) as agent,
    ):
        try:
            failed = _waited(agent, MEETING if again else timeout)
            met = list(folder.glob("logs/*/*/*/met"))
            if again and met and failed is None:
                failed = _waited(agent, timeout - MEETING)
        finally:
            _end(agent)
    if again and not met and failed is None:
        shutil.rmtree(folder / "logs", ignore_errors=True)
        return _torchrun(path, ranks, timeout, folder, again=False)
    if failed is None:
        raise TimeoutError(
            f"the {ranks} ranks had not ended after {timeout:g} seconds, so they "
            f"were killed{_last_words(folder, ranks, path)}"
        )
    if failed:
        raise RuntimeError(
            _first_failure(folder, log.read_text(encoding="utf-8", errors="replace"))
        )
    return [_said(folder, rank, "stdout") for rank in range(ranks)]


def _waited(agent, timeout):
    """How it ended, or None where the time was over."""
    try:
        return agent.wait(timeout)
    except subprocess.TimeoutExpired:
        return None


def _environment():
    """One thread for each rank, the modules known here, and a network that leaves no machine."""
    home = str(Path(__file__).resolve().parents[1])
    known = os.pathsep.join(dict.fromkeys(filter(None, [home, *sys.path])))
    own = {"TORCH_ELASTIC_SHUTDOWN_TIMEOUT": "2", "OMP_NUM_THREADS": "1", "PYTHONPATH": known}
    own["PYTHONUNBUFFERED"] = "1"  # for the last words of one who is killed
    own["PYTORCH_NVML_BASED_CUDA_CHECK"] = "1"  # torchrun leaves a GPU alone, for its forks
    found = {name for _, name in getattr(socket, "if_nameindex", list)()}
    for name in found & {"lo", "lo0"}:
        own["GLOO_SOCKET_IFNAME"] = name
    return {**os.environ, **own}


def _end(agent):
    """torchrun ends its ranks, and then itself, when its pipe is closed.

    Told a second time it would leave before its ranks have said where they stood.
    """
    agent.stdin.close()
    try:
        agent.wait(ENDING)
    except subprocess.TimeoutExpired:
        agent.kill()


def _said(folder, rank, stream):
    paths = sorted(folder.glob(f"logs/*/attempt_0/{rank}/{stream}.log"))
    return paths[0].read_text(encoding="utf-8", errors="replace") if paths else ""


def _last_words(folder, ranks, path):
    """The last line that each rank has printed, and where it stood when it was told to end: in the
    program, or, before that, in the modules that start it."""
    words = ""
    for rank in range(ranks):
        lines = _said(folder, rank, "stdout").splitlines()[-1:]
        stood = re.findall(STOOD, _said(folder, rank, "stderr"))
        stood = [place for place in stood if place[0] == str(path)] or stood
        lines += [f"stood at line {n} of {Path(file).name}" for file, n in stood[:1]]
        words += "".join(f"\nrank {rank} | {line}" for line in lines)
    return words


def _first_failure(folder, log):
    """The message of the rank that failed first: its own, or the signal that killed it."""
    for rank, code in re.findall(r"rank\s+: (\d+) .*?exitcode\s+: (-?\d+)", log, re.S):
        if int(code) < 0 and int(code) != -15:  # torchrun ends the others by signal 15
            said = _said(folder, rank, "stderr").strip().splitlines()[-1:]
            return ": ".join([f"rank {rank} was killed by signal {-int(code)}", *said])
    failures = [
        json.loads(path.read_text(encoding="utf-8"))
        for path in folder.glob("logs/*/*/*/failure.json")
    ]
    if failures:
        _, rank, message = min(failures)
        return f"rank {rank} failed with {message}"
    return f"torchrun failed:\n{log[-2000:]}"


def _agent(arguments):
    """torchrun, which ends when the notebook does."""
    from torch.distributed import run

    def leash():
        while os.read(0, 1):  # nothing comes, until the other end is closed
            pass
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=leash, daemon=True).start()
    failed = 1
    try:
        run.main(arguments)
        failed = 0
    except Exception:
        traceback.print_exc()
    os._exit(failed)  # without a second's farewell


def _rank(path):
    """What each process does: run the file, tell how it failed, end when torchrun does."""
    for end in (signal.SIGTERM, signal.SIGINT):
        signal.signal(end, signal.SIG_DFL)  # a fork has torchrun's own answers
    if hasattr(faulthandler, "register"):  # not on Windows
        faulthandler.register(signal.SIGTERM, chain=True)  # tells where it stood, then ends

    def leash():
        multiprocessing.parent_process().join()
        os._exit(1)

    def meet():
        while not dist.is_initialized():
            time.sleep(0.1)
        Path(os.environ["TORCHELASTIC_ERROR_FILE"]).with_name("met").touch()

    for watch in (leash, meet):
        threading.Thread(target=watch, daemon=True).start()
    try:
        runpy.run_path(path, run_name="__main__")
    except (Exception, SystemExit) as error:
        if isinstance(error, SystemExit) and not error.code:
            return
        place = Path(os.environ["TORCHELASTIC_ERROR_FILE"]).with_name("failure.json")
        message = f"{type(error).__name__}: {error}"
        told = json.dumps([time.time_ns(), int(os.environ["RANK"]), message])
        place.write_text(told, encoding="utf-8")
        traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
        time.sleep(NOTICED)
        os._exit(1)  # without the farewell of gloo's threads, which now and then abort in it


if __name__ == "__main__":
    _rank(sys.argv[1]) if len(sys.argv) == 2 else _agent(sys.argv[1:])
