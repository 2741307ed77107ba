"""Set something up once: `python tools/once.py STAMP COMMANDS`, as the Makefile does.

Runs the shell's COMMANDS and, if they succeed, leaves the file STAMP. Of two commands of make that
come at the same time the second waits for the first, and then finds that all is done.
"""

import fcntl
import os
import pathlib
import subprocess
import sys

LOCK = pathlib.Path("build") / "setup.lock"


def hold():
    """Wait for whoever is setting something up; the descriptor that nobody else holds."""
    LOCK.parent.mkdir(exist_ok=True)
    held = os.open(LOCK, os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print("another make is setting something up here: waiting for it", flush=True)
        fcntl.flock(held, fcntl.LOCK_EX)
    except OSError:  # some network drives have no locks: then only one make at a time
        pass
    return held


def main(stamp, commands):
    held = hold()
    if stamp.exists():  # made while we waited
        return 0
    # Those who work inherit the lock: should only this process be killed, they still hold it.
    done = subprocess.run(["sh", "-ec", commands], pass_fds=[held], check=False).returncode
    if done == 0:
        stamp.touch()
    return done


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        sys.exit(main(pathlib.Path(sys.argv[1]), sys.argv[2]))
    except KeyboardInterrupt:
        sys.exit(130)
