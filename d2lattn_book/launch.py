"""Several processes from one notebook: a function becomes a file, and `torchrun` runs the file.

The processes are those of `torch.distributed`: the same file runs in each, and each is told its
rank. What a rank prints is shown when all have ended, in the order of the ranks. Chapter 11.
"""

import dis
import inspect
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import types
from collections.abc import Callable
from pathlib import Path

STORED = Path(__file__).with_name("launched.json")  # what the calls of the book have printed
PLAIN = (bool, int, float, str, bytes, tuple, list, dict, types.NoneType)
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


def on_ranks(function: Callable, ranks: int, *, timeout: float = 120, **arguments: object) -> None:
    """Run a function in several processes and print what each printed, in the order of the ranks.

    Equivalent to: torchrun --standalone --nproc-per-node=RANKS FILE, for the file that
    `as_file` makes of the function. One thread for each process.

    Args:
        function: it may use functions, imports and plain values (numbers, texts, lists) of the
            notebook; the process group is made for it, of gloo.
        ranks (int): how many processes.
        timeout (float): seconds after which they are ended.
        arguments: plain values that the function is called with, the same in each process.

    Raises:
        ValueError: the function uses a value that another process cannot know, such as a tensor.
        RuntimeError: a rank has failed; the message is that of the first that did.
        TimeoutError: the time was over.

    Where no process can be started, this prints the result that is stored for a call of the book.
    However a call ends, by a failure, by the interrupt of the kernel or with the kernel itself, no
    process is left.

    Example:
        >>> on_ranks(greet, 2)  # doctest: +SKIP
    """
    told = "".join(f", {key}={value!r}" for key, value in arguments.items())
    call = f"{function.__name__}, {ranks} ranks{told}"
    stored = json.loads(STORED.read_text("utf-8"))
    try:
        text = shown(outputs(function, ranks, timeout=timeout, **arguments))
    except TimeoutError:
        raise
    except OSError as error:
        print(f"no process can be started here ({error}): this is the stored result")
        text = stored.get(call, "nothing is stored for this call\n")
    print(text, end="")
    if os.environ.get("D2LATTN_LAUNCHED") == "keep":  # as the book's results are stored
        kept = dict(sorted({**stored, call: text}.items()))
        STORED.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def shown(printed):
    """The lines of all ranks, each behind its rank."""
    lines = [(rank, line) for rank, said in enumerate(printed) for line in said.splitlines()]
    return "".join(f"rank {rank} | {line}\n" for rank, line in lines)


def outputs(
    function: Callable, ranks: int, *, timeout: float = 120, **arguments: object
) -> list[str]:
    """What each rank printed, in the order of the ranks. Arguments and errors: see `on_ranks`."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        folder = Path(place)
        file, log = folder / f"{function.__name__}.py", folder / "torchrun.log"
        file.write_text(as_file(function, timeout=timeout, **arguments), encoding="utf-8")
        start = "fork" if sys.platform == "linux" else "spawn"  # a fork need not import torch again
        command = [sys.executable, "-m", "d2lattn_book.launch", "--standalone", "--redirects=3"]
        command += [f"--nproc-per-node={ranks}", "--local-addr=127.0.0.1", f"--log-dir={place}"]
        command += [f"--start-method={start}", "--run-path", str(file)]
        with log.open("wb") as to:
            failed = wait_for(command, timeout, stdout=to, stderr=to)
        logs = [folder.glob(f"*/attempt_0/{rank}/stdout.log") for rank in range(ranks)]
        printed = ["".join(path.read_text("utf-8", "replace") for path in found) for found in logs]
        if failed is None:
            late = f"the {ranks} ranks had not ended after {timeout:g} seconds, so they were ended"
            raise TimeoutError(f"{late}; until then they printed\n{shown(printed)}")
        if failed:
            raise RuntimeError(first_failure(folder, log.read_text("utf-8", "replace")))
        return printed


def wait_for(command, timeout, **streams):
    """Run torchrun; return how it ended, or None where the time was over. No process is left."""
    own = {"OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"}
    own["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])
    own["TORCH_ELASTIC_SHUTDOWN_TIMEOUT"] = "2"  # seconds that a rank has to end
    own["PYTORCH_NVML_BASED_CUDA_CHECK"] = "1"  # torchrun leaves a GPU alone, for its forks
    if loopback := {"linux": "lo", "darwin": "lo0"}.get(sys.platform):
        own["GLOO_SOCKET_IFNAME"] = loopback
    streams |= dict(stdin=subprocess.PIPE, env={**os.environ, **own}, start_new_session=True)
    # At the end of `with` the pipe is closed; torchrun then ends its ranks, and itself.
    with subprocess.Popen(command, **streams) as torchrun:
        try:
            return torchrun.wait(timeout)
        except subprocess.TimeoutExpired:
            return None


def first_failure(folder, log):
    """The message of the rank that failed first; torchrun ends the others by signal 15."""
    if killed := re.search(r"rank +: (\d+) .*\n +exitcode +: -(?!15)(\d+)", log):
        return "rank {} was killed by signal {}".format(*killed.groups())
    found = folder.glob("*/attempt_0/*/error.json")
    for path in sorted(found, key=lambda path: path.stat().st_mtime_ns):
        message = json.loads(path.read_text("utf-8"))["message"]["message"]
        if " by peer" in message:  # closed or reset; torchrun looked at this rank first
            message = "a lost connection: another rank ended without an error of its own"
        return f"rank {path.parent.name} failed with {message}"
    return f"torchrun failed:\n{log[-2000:]}"


def as_file(function: Callable, *, timeout: float = 120, **arguments: object) -> str:
    """The file that torchrun starts for a function: what it uses, the group, and its call."""
    imports: list[str] = []
    sources: dict[str, str] = {}
    gather(function.__name__, function, imports, sources)
    return FILE.format(
        imports="\n".join(sorted({*imports})),
        sources="\n\n".join(reversed(sources.values())).rstrip() + "\n",
        name=function.__name__,
        arguments=", ".join(f"{name}={value!r}" for name, value in arguments.items()),
        timeout=timeout,
    )


def gather(name, used, imports, sources):
    """Put a value of the notebook, and all that it uses, into `sources` and `imports`."""
    module, real = inspect.getmodule(used), getattr(used, "__name__", name)
    renamed = f" as {name}" * (real != name)
    if isinstance(used, types.ModuleType):
        imports.append(f"import {real}{renamed}")
    elif isinstance(used, PLAIN):
        sources[name] = f"{name} = {used!r}\n"
    elif module and module.__name__ != "__main__" and hasattr(used, "__name__"):
        imports.append(f"from {module.__name__} import {real}{renamed}")
    elif isinstance(used, types.FunctionType):
        sources[name] = textwrap.dedent(inspect.getsource(used))
        names = looked_up(used.__code__) & used.__globals__.keys()
        for one in sorted(names - sources.keys()):
            gather(one, used.__globals__[one], imports, sources)
    else:
        known = "a function, a module or a plain value, to be known in another process"
        raise ValueError(f"{name} must be {known}, got a {type(used).__name__}")


def looked_up(code):
    """The global names that some code and the code inside it look up."""
    inside = [part for part in code.co_consts if isinstance(part, types.CodeType)]
    own = {line.argval for line in dis.get_instructions(code) if line.opname == "LOAD_GLOBAL"}
    return own.union(*map(looked_up, inside))


def end_with_the_notebook():
    """Wait until the pipe from the notebook is closed, then end torchrun, which ends its ranks."""
    os.read(0, 1)
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    from torch.distributed import run

    threading.Thread(target=end_with_the_notebook, daemon=True).start()
    run.main()
